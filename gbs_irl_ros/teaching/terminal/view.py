"""Everything that a screen is to show, and the keys that work."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gbs_irl_ros.teaching.lesson_snapshot import LessonSnapshot
from gbs_irl_ros.teaching.paths import StatePath
from gbs_irl_ros.teaching.terminal.key_reader import SHOWN


@dataclass(frozen=True)
class Binding:
    """
    A key that works now, or several for the same.

    label: what it does, in a word or two; '' if it need not be shown.
    about: the same as a sentence, for the help. name: of the keys, if not as they are.
    action: that it names, None if none.
    """

    keys: tuple[str, ...]
    label: str
    run: Callable[[], str]
    about: str = ''
    name: str = ''
    action: int | None = None

    @property
    def shown(self) -> str:
        """Return the keys as a person reads them."""
        return self.name or ' '.join(SHOWN.get(key, key) for key in self.keys)


@dataclass(frozen=True, eq=False)
class View:
    """
    Everything that is to be shown.

    answering: keys that answer the question, or drive. other: all further keys that work now.
    number: as far as it is typed. demonstrated: what is shown to the learner so far.
    """

    lesson: LessonSnapshot
    answering: tuple[Binding, ...] = ()
    other: tuple[Binding, ...] = ()
    driving: bool = False
    helping: bool = False
    number: str = ''
    demonstrated: StatePath | None = None
    rehearsal: StatePath | None = None
    message: str = ''
