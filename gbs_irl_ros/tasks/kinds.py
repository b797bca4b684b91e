"""Kinds of world and of hypotheses that a task file may name: ours, and those of others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol, TypeVar

from gbs_irl_ros.core.errors import PluginError
from gbs_irl_ros.core.hypotheses import Candidates
from gbs_irl_ros.core.registry import Registry, origin, told
from gbs_irl_ros.tasks.files.file_report import TaskFileError
from gbs_irl_ros.tasks.files.spec import Located, Record
from gbs_irl_ros.tasks.hypotheses import (
    explicit,
    features,
    goals,
    own_rewards,
    places,
    random_rewards,
)
from gbs_irl_ros.tasks.worlds import (
    driver,
    explicit_mdp,
    grid,
    nav2_map,
    puddle_world,
    puddle_world_lopes,
    random_mdp,
    trap_world,
)
from gbs_irl_ros.tasks.worlds.built_world import BuiltWorld

Read = TypeVar('Read')
Kind = TypeVar('Kind')


class WorldKind(Protocol):
    """
    A file of tasks/worlds.

    FIELDS: its keys in a task file.
    """

    FIELDS: Record

    def read(self, values: Located, folder: Path) -> BuiltWorld:
        """Return the world; raise TaskFileError with all that is wrong with the values."""
        ...


class HypothesisKind(Protocol):
    """
    A file of tasks/hypotheses.

    FIELDS: its keys in a task file.
    """

    FIELDS: Record

    def read(self, values: Located, built: BuiltWorld) -> Candidates:
        """Return what may be meant; raise TaskFileError with all that is wrong in the values."""
        ...


def _wrong_kind(kind: Any) -> str | None:
    if isinstance(getattr(kind, 'FIELDS', None), Record) and callable(getattr(kind, 'read', None)):
        return None
    return f'a kind of world or of hypotheses must have FIELDS, a Record, and read, got {kind!r}'


WORLDS: Registry[WorldKind] = Registry('kind of world', 'gbs_irl_ros.worlds', _wrong_kind)
HYPOTHESES: Registry[HypothesisKind] = Registry(
    'kind of hypotheses', 'gbs_irl_ros.hypotheses', _wrong_kind)
for _name, _world in (
        ('grid', grid), ('map', nav2_map), ('mdp', explicit_mdp), ('puddle_world', puddle_world),
        ('puddle_world_lopes', puddle_world_lopes), ('trap_world', trap_world),
        ('driver', driver), ('random_mdp', random_mdp)):
    WORLDS.register(_name, _world)
for _name, _hypotheses in (
        ('goals', goals), ('places', places), ('features', features), ('random', random_rewards),
        ('own', own_rewards), ('explicit', explicit)):
    HYPOTHESES.register(_name, _hypotheses)
WORLDS.seal()
HYPOTHESES.seal()


class KindFields(Mapping[str, Record]):
    """The keys of each kind; a kind of another package is imported when a file names it."""

    def __init__(self, kinds: Registry[Any]) -> None:
        self._kinds = kinds

    def __getitem__(self, kind: str) -> Record:
        fields: Record = self._kinds[kind].FIELDS
        return fields

    def __contains__(self, kind: object) -> bool:
        return kind in self._kinds

    def __iter__(self) -> Iterator[str]:
        return iter(self._kinds)

    def __len__(self) -> int:
        return len(self._kinds)


def register_world(name: str) -> Callable[[Kind], Kind]:
    """
    Return a decorator that makes a kind of world known in task files.

    What it decorates has FIELDS and read, as the modules in ``tasks.worlds`` do; it may be a class
    with a static method, or an object.
    """
    return _registering(WORLDS, name)


def register_hypotheses(name: str) -> Callable[[Kind], Kind]:
    """Return a decorator that makes a kind of hypotheses known in task files."""
    return _registering(HYPOTHESES, name)


def _registering(kinds: Registry[Any], name: str) -> Callable[[Kind], Kind]:
    def register(kind: Kind) -> Kind:
        kinds.register(name, kind)
        return kind
    return register


def read_by_kind(kinds: Registry[Any], values: Located, context: Any, wanted: type[Read]) -> Read:
    """
    Return what the values of a file describe, read by the kind that they name.

    :param context: the second argument of ``read``: a folder, or the world.
    """
    name, kind = values.kind, kinds[values.kind]
    if kinds.is_ours(name):
        ours: Read = kind.read(values, context)
        return ours
    plugin = f'the {kinds.what} {name!r} ({origin(kind)})'
    try:
        found = kind.read(values, context)
    except TaskFileError:
        raise
    except Exception as error:
        raise PluginError(f'{plugin} failed: {told(error)}') from error
    if not isinstance(found, wanted):
        raise PluginError(f'{plugin} must return a {wanted.__name__}, got {type(found).__name__}')
    return found
