"""What people call places: names that were given on the page, kept beside its key."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import NamedTuple

from gbs_irl_ros.core.errors import GbsIrlError, InvalidAnswerError, InvalidPlaceError
from gbs_irl_ros.languages.speaking import tr
from gbs_irl_ros.learning.json_files import read_json, write_json
from gbs_irl_ros.tasks.world import World

MAX_NAMES = 100             # of one world
LONGEST_NAME = 40
MAX_BYTES = 4_000_000


class NamedPlace(NamedTuple):
    """Some states and what they are called."""

    name: str
    states: tuple[int, ...]


class NamedPlaces:
    """
    The names of places, for each world that was taught on a page. Safe to use from many threads.

    A file that cannot be read has no names in it, and is replaced when one is given; ``problem``
    says why.
    """

    def __init__(self, path: Path) -> None:
        self._path, self._lock = path, threading.Lock()
        self._known: dict[str, tuple[NamedPlace, ...]] = {}     # by the hash of the world
        self.problem = ''
        if path.exists():
            try:
                with read_json(path, MAX_BYTES, 'a list of names of places') as values:
                    if not isinstance(values, dict):
                        raise ValueError(f'expected names by world, got {type(values).__name__}')
                    self._known = {world: tuple(
                        NamedPlace(str(each['name']), tuple(map(int, each['states'])))
                        for each in places) for world, places in values.items()}
            except GbsIrlError as error:
                self.problem = str(error)

    def of(self, world: World | None) -> tuple[NamedPlace, ...]:
        """Return the named places of a world; the same object until one is named."""
        return () if world is None else self._known.get(world.hash, ())

    def give(self, world: World, states: tuple[int, ...], name: str) -> None:
        """
        Call some states by a name, instead of whatever they were called before.

        :param name: '': they have none any more.
        """
        for state in states:
            world.mdp.check_state(state, InvalidAnswerError)
        called = ' '.join(name.split())
        others = [place for place in self.of(world) if place.states != states]
        if not states:
            raise InvalidPlaceError(tr('a name needs a place: press one on the map'))
        if len(called) > LONGEST_NAME:
            raise InvalidPlaceError(tr('a name has at most {most} characters, got {count}',
                                       most=LONGEST_NAME, count=len(called)))
        if called in world.appearance.regions or called in [each.name for each in others]:
            raise InvalidPlaceError(tr('another place is called {name!r} already', name=called))
        if len(others) >= MAX_NAMES:
            raise InvalidPlaceError(tr('at most {count} places can have names', count=MAX_NAMES))
        with self._lock:
            self._known = {**self._known, world.hash: (
                *others, *([NamedPlace(called, states)] if called else []))}
            write_json(self._path, {
                each: [place._asdict() for place in places]
                for each, places in self._known.items()}, 'the name of a place',
                'make room, then name it again', indent=None)
