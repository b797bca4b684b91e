"""Everything that a screen is to show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from gbs_irl_ros.tasks.shown_place import Place
from gbs_irl_ros.teaching.lesson_snapshot import LessonSnapshot
from gbs_irl_ros.teaching.paths import StatePath
from gbs_irl_ros.teaching.terminal.bindings import Binding


class PlaceMarks(NamedTuple):
    """
    A place that a person points at.

    cursor: its column and row, as the task file counts them.
    place: all the cells that are meant. typed: the numbers that were typed instead, or ''.
    """

    cursor: tuple[int, int]
    place: Place
    typed: str = ''


class ListMarks(NamedTuple):
    """
    A list to choose from.

    labels: of its entries. chosen: the one that is moved to, from 0; None if none is.
    typed: the number, as far as it is typed. states: of the entries, if they are places.
    """

    labels: tuple[str, ...]
    chosen: int | None = None
    typed: str = ''
    states: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class View:
    """
    Everything that is to be shown.

    answering: keys that answer the question, or drive. other: all further keys that work now.
    number: as far as it is typed. demonstrated: what is shown to the learner so far.
    rehearsal: what the robot would do, because the person or the robot asks about it.
    pointed: the state on it that is pointed at, None if none is.
    place: that is pointed at, None if none is. words: as far as they are typed, None if not now.
    options: to choose from, None if that is not the question. compared: two ways, or none.
    """

    lesson: LessonSnapshot
    answering: tuple[Binding, ...] = ()
    other: tuple[Binding, ...] = ()
    driving: bool = False
    helping: bool = False
    number: str = ''
    demonstrated: StatePath | None = None
    rehearsal: StatePath | None = None
    pointed: int | None = None
    message: str = ''
    place: PlaceMarks | None = None
    words: str | None = None
    options: ListMarks | None = None
    compared: tuple[StatePath, ...] = ()
