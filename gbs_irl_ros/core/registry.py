"""
Tables of what can be chosen by name, to which other packages add.

There are two ways in. Code that runs registers something itself, usually by a decorator. A package
that is installed declares an entry point in the group of the table; it is imported when its name
is first used, so that one that cannot be imported harms nobody who does not use it.

What was registered by the first way is unknown in other processes. ``Registration`` carries it
there: see ``Registry.registration``.
"""

from __future__ import annotations

import hashlib
import inspect
import traceback
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from gbs_irl_ros.core.errors import GbsIrlError, InvalidOptionError, PluginError, UnknownNameError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Item = TypeVar('Item')

PACKAGE = str(Path(__file__).parent.parent)
REGISTRIES: dict[str, Registry[Any]] = {}


class Registry(MutableMapping[str, Item], Generic[Item]):
    """
    Items by name: ours, those that were registered, and those that installed packages declare.

    what: that has the names, in messages.
    group: of the entry points.
    """

    def __init__(self, what: str, group: str, check: Callable[[Any], str | None],
                 name_of: Callable[[Any], str] | None = None) -> None:
        """
        Make an empty table.

        :param check: returns what an item must be if it is not one; None: it is one.
        :param name_of: returns the name of an item; None: items do not know their names.
        """
        self.what, self.group = what, group
        self._check, self._name_of = check, name_of
        self._items: dict[str, Item] = {}
        self._ours: frozenset[str] = frozenset()
        REGISTRIES[group] = self

    def seal(self) -> None:
        """Count what is registered so far as ours; the rest comes from outside."""
        self._ours = frozenset(self._items)

    def register(self, name: str, item: Item) -> None:
        """
        Add an item.

        The same definition may be registered again: a module is reloaded, a cell run twice.
        """
        wrong = self._check(item)
        if wrong is not None:
            raise InvalidOptionError(wrong)
        taken = self._items.get(name, item)
        if taken is not item and (name in self._ours or origin(taken) != origin(item)):
            raise InvalidOptionError(f'the name {name!r} of {item!r} is taken by {taken!r}')
        self._items[name] = item

    def is_ours(self, name: str) -> bool:
        """Tell whether a name is one of this package's own."""
        return name in self._ours

    @property
    def ours(self) -> tuple[str, ...]:
        """Return this package's own names, in their order."""
        return tuple(name for name in self._items if name in self._ours)

    def registration(self, name: str) -> Registration | None:
        """Return what makes a name known in another process; None if it is known there anyway."""
        return None if name in self._ours else Registration(self.group, name, self[name])

    def problems(self) -> dict[str, str]:
        """Return what is wrong with the entry points of installed packages, by name."""
        found = {}
        for name in self._declared():
            try:
                self._load(name)
            except PluginError as error:
                found[name] = str(error)
        return found

    def __getitem__(self, name: str) -> Item:
        if name not in self._items:
            self._load(name)
        return self._items[name]

    def __setitem__(self, name: str, item: Item) -> None:
        self._items[name] = item

    def __delitem__(self, name: str) -> None:
        del self._items[name]

    def __contains__(self, name: object) -> bool:
        return name in self._items or name in self._declared()

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys([*self._items, *self._declared()]))

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __bool__(self) -> bool:
        return True     # without looking for what others declare

    def clear(self) -> None:
        """Forget what was registered."""
        self._items.clear()

    def __repr__(self) -> str:
        return f'Registry({self.what}, {list(self)})'

    def _declared(self) -> dict[str, list[EntryPoint]]:
        return _entry_points(self.group)

    def _load(self, name: str) -> None:
        entries = self._declared().get(name)
        if not entries:
            raise UnknownNameError(self.what, name, self)
        plugin = f'the {self.what} {name!r} of {_package(entries[0])} (entry point ' \
                 f'{entries[0].value!r})'
        if len(entries) > 1:
            raise PluginError(f'{plugin} has the same name as that of {_package(entries[1])} '
                              f'(entry point {entries[1].value!r}); uninstall one of them')
        if name in self._ours:
            raise PluginError(f'{plugin} has the name of one of gbs_irl_ros itself, which is used '
                              'instead; it needs another name')
        try:
            item = entries[0].load()
        except Exception as error:      # whatever a module does when it is imported
            raise PluginError(f'{plugin} cannot be loaded: {told(error)}') from error
        named = name if self._name_of is None or self._check(item) else self._name_of(item)
        if named != name:
            raise PluginError(f'{plugin} calls itself {named!r}; both names must be the same')
        try:
            self.register(name, item)
        except InvalidOptionError as error:
            raise PluginError(f'{plugin} cannot be used: {error}') from None


class Registration(NamedTuple):
    """
    Something that was registered, to be registered in another process.

    An item of a module that can be imported there is pickled by its name, and importing the module
    registers it; one that was defined in a script or a notebook by its content, by cloudpickle.
    """

    group: str
    name: str
    item: Any

    def repeat(self) -> None:
        """Register it here."""
        REGISTRIES[self.group].register(self.name, self.item)


def made(kind: Callable[..., Item], noun: str, options: Mapping[str, Any], *given: Any,
         base: type | None = None) -> Item:
    """
    Return an instance of a registered dataclass; its options are its fields.

    :param noun: what it is, in messages.
    :param given: its first fields, which are not options; nor are those of ``base``.
    """
    inherited = {field.name for field in fields(base)} if base is not None else set()
    known = [field.name for field in fields(kind)       # type: ignore[arg-type]
             if field.init and field.name not in inherited]
    name = getattr(kind, 'name', getattr(kind, '__name__', ''))
    for option in options:
        if option not in known:
            raise InvalidOptionError(
                f'{noun} {name!r} has no option {option!r}; it has {known or "none"}')
    try:
        return kind(*given, **options)
    except (GbsIrlError, TypeError):
        raise
    except Exception as error:
        raise PluginError(f'{noun} {name!r} ({origin(kind)}) does not take the options '
                          f'{dict(options)}: {told(error)}') from error


def origin(item: Any) -> str:
    """Return where something is defined, for messages and to know it again."""
    kind = item if hasattr(item, '__qualname__') else item if hasattr(item, '__file__') \
        else type(item)
    module = getattr(kind, '__module__', '')
    name = getattr(kind, '__qualname__', getattr(kind, '__name__', repr(kind)))
    return f'{module}.{name}' if module else str(name)


def definition(kind: type) -> str:
    """Return a word that changes with the code of a class and of those it is derived from."""
    sources = []
    for each in kind.__mro__:
        if not origin(each).startswith(('gbs_irl_ros.', 'builtins.', 'abc.', 'typing.')):
            try:
                sources.append(inspect.getsource(each))
            except (OSError, TypeError):        # typed into an interpreter
                sources.append(origin(each))
    return hashlib.sha256('\n'.join(sources).encode()).hexdigest()[:12]


def told(error: BaseException) -> str:
    """Return an error in one line, with the last line of somebody else's code that led to it."""
    frames = traceback.extract_tb(error.__traceback__)
    theirs = [frame for frame in frames if not frame.filename.startswith(PACKAGE)]
    place = ''.join(f' ({frame.filename}:{frame.lineno})' for frame in theirs[-1:])
    return f'{type(error).__name__}: {" ".join(str(error).split())}{place}'


@cache
def _entry_points(group: str) -> dict[str, list[EntryPoint]]:
    """Return the entry points of a group by name: looked for once."""
    found: dict[str, list[EntryPoint]] = {}
    for entry in _all_entry_points().select(group=group):
        named = found.setdefault(entry.name, [])
        if all((each.value, _package(each)) != (entry.value, _package(entry)) for each in named):
            named.append(entry)         # a package may be found twice on the path
    return found


@cache
def _all_entry_points() -> Any:
    from importlib.metadata import entry_points  # takes a while, and few need it
    return entry_points()


def _package(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist is not None else 'an unknown package'
