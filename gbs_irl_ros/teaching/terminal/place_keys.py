"""
The keys and words that point at a place on the map that is drawn.

"Go here", "on the way" or "never here".
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable
from functools import partial

from gbs_irl_ros.core.errors import GbsIrlError, InvalidPlaceError
from gbs_irl_ros.languages.speaking import marked, tr
from gbs_irl_ros.tasks.layout import DOWN, LEFT, RIGHT, UNIT, UP
from gbs_irl_ros.tasks.shown_place import Place, place_states
from gbs_irl_ros.teaching.lesson_snapshot import LessonSnapshot
from gbs_irl_ros.teaching.terminal.bindings import Binding
from gbs_irl_ros.teaching.terminal.key_reader import BACKSPACE, ENTER, ESCAPE
from gbs_irl_ros.teaching.terminal.view import PlaceMarks

GO_HERE, ON_THE_WAY, NEVER_HERE, KEEP_OFF_HERE = VERBS = marked(
    ('go here', 'on the way', 'never here', 'keep off here'))
ON_THE_WAY_KEY, NEVER_KEY, KEEP_OFF_KEY, CORNER_KEY = 'o', 'n', 'k', 'c'
TYPED = '0123456789,'
MAX_TYPED = 40
_CELLS = r'\s*([-+.\d,\s]*)'

Cell = tuple[int, int]      # column and row, as the task file counts them


class PlaceKeys:
    """
    Follows a person who points at a place, by a cursor or by the numbers of cells.

    Not to be used before a lesson with a map was seen.
    """

    def __init__(self, send: Callable[[Place], str]) -> None:
        """
        Begin.

        :param send: tells the learner of the place; returns what to say meanwhile.
        """
        self.is_on = False
        self._send = send
        self._lesson = LessonSnapshot()
        self._cursor: Cell = (0, 0)
        self._corner: Cell | None = None    # the opposite one, if several cells are meant
        self._typed = ''

    def see(self, lesson: LessonSnapshot) -> None:
        """Learn what is going on now."""
        before, self._lesson = self._lesson, lesson
        if not lesson.can_show_places or _hash(lesson) != _hash(before):
            self.is_on = False

    def begin(self) -> str:
        """Put the cursor where the robot is, or would start."""
        assert self._lesson.world is not None
        cells = self._lesson.world.appearance.cells
        assert cells is not None            # can_show_places
        column, row = cells[self._lesson.start_state]
        self.is_on, self._cursor = True, (int(column), int(row))
        self._corner, self._typed = None, ''
        return ''

    def marks(self) -> PlaceMarks | None:
        """Return what is to be drawn, None if no place is pointed at."""
        if not self.is_on:
            return None
        return PlaceMarks(self._cursor, self._spanned(GO_HERE), self._typed)

    def bindings(self) -> list[Binding]:
        """Return the keys that work while a place is pointed at."""
        return [
            *(Binding((arrow,), '', partial(self._move, arrow)) for arrow in (UP, DOWN, LEFT)),
            Binding((RIGHT,), tr('move'), partial(self._move, RIGHT),
                    tr('move to the place'), name='← ↑ ↓ →'),
            *(Binding((key,), '', partial(self._type, key)) for key in TYPED),
            Binding((), tr('column,row'), _nothing,
                    tr('type the column and the row; of several cells those of the last one, too'),
                    name='0-9 ,'),
            Binding((CORNER_KEY,), tr('one cell') if self._corner else tr('several cells'),
                    self._switch_corner,
                    tr('the place reaches from here to where you move next')),
            Binding((ENTER,), tr(GO_HERE), partial(self._show, GO_HERE),
                    tr('this is where the robot is to go')),
            Binding((ON_THE_WAY_KEY,), tr(ON_THE_WAY), partial(self._show, ON_THE_WAY),
                    tr('this lies on the way')),
            Binding((NEVER_KEY,), tr(NEVER_HERE), partial(self._show, NEVER_HERE),
                    tr('this is where the robot must never go')),
            Binding((KEEP_OFF_KEY,), '', partial(self._show, NEVER_HERE)),
            Binding((BACKSPACE,), '', self._rub_out),
            Binding((ESCAPE,), tr('cancel'), self._cancel, tr('point at no place'))]

    def spoken(self, line: str) -> str | None:
        """
        Do what a line says about a place, such as "never here 3,4"; None if it says nothing.

        Numbers alone move the cursor while a place is pointed at.
        """
        verbs = {said: verb for verb in VERBS for said in (verb, tr(verb))}
        said = re.fullmatch(f'({"|".join(map(re.escape, verbs))})?{_CELLS}', line.strip().lower())
        if said is None or not self._lesson.can_show_places or not any(said.groups()):
            return None
        verb, numbers = verbs.get(said[1] or ''), said[2].strip()
        if not verb:
            return self._put(numbers) if self.is_on else None
        if not (numbers or self.is_on):
            raise GbsIrlError(tr('say where, by column and row, such as "{words} 3,4"',
                                 words=tr(verb)))
        return self._show(verb) if not numbers else self._shown(_parsed(numbers, verb))

    def _put(self, numbers: str) -> str:
        """Move to the cells of these numbers."""
        place = _parsed(numbers, GO_HERE)
        self._check(place)
        self._cursor = place.last_column, place.last_row
        first = place.column, place.row
        self._corner = None if first == self._cursor else first
        return ''

    def _move(self, arrow: str) -> str:
        assert self._lesson.world is not None
        layout = self._lesson.world.layout
        assert layout is not None
        (rows, columns), (left, top) = layout.shape, layout.first
        across, up = UNIT[arrow]
        self._typed = ''
        self._cursor = (min(max(self._cursor[0] + across, left), left + columns - 1),
                        min(max(self._cursor[1] - up, top), top + rows - 1))
        return ''

    def _type(self, key: str) -> str:
        self._typed = f'{self._typed}{key}'[:MAX_TYPED]
        with contextlib.suppress(InvalidPlaceError):    # not yet
            self._put(self._typed)
        return ''

    def _rub_out(self) -> str:
        self._typed = self._typed[:-1]
        return ''

    def _switch_corner(self) -> str:
        self._corner = self._cursor if self._corner is None else None
        return ''

    def _cancel(self) -> str:
        self.is_on = False
        return ''

    def _show(self, verb: str) -> str:
        return self._shown(_parsed(self._typed, verb) if self._typed else self._spanned(verb))

    def _shown(self, place: Place) -> str:
        """Tell of a place; what is wrong with it is said at once, and it can be corrected."""
        self._check(place)
        said = self._send(place)
        self.is_on = False
        return said

    def _check(self, place: Place) -> None:
        assert self._lesson.world is not None
        place_states(place, self._lesson.world)

    def _spanned(self, verb: str) -> Place:
        columns, rows = zip(self._cursor, self._corner or self._cursor, strict=True)
        return _place(verb, (min(columns), min(rows)), (max(columns), max(rows)))


def _hash(lesson: LessonSnapshot) -> str:
    return '' if lesson.world is None else lesson.world.hash


def _place(verb: str, first: Cell, last: Cell) -> Place:
    """Return the place of which that is said."""
    return Place(verb in (NEVER_HERE, KEEP_OFF_HERE), *first, *last,
                 on_the_way=verb == ON_THE_WAY)


def _parsed(numbers: str, verb: str) -> Place:
    found = [each for each in re.split(r'[,\s]+', numbers) if each]
    if len(found) not in (2, 4) or not all(re.fullmatch(r'\d{1,9}', each) for each in found):
        raise InvalidPlaceError(tr(
            'a place is a column and a row, such as 3,4; several cells are the first and the '
            'last one, such as 3,4,5,6; got {typed!r}', typed=numbers))
    column, row, *last = map(int, found)
    last_column, last_row = last or (column, row)
    return _place(verb, (column, row), (last_column, last_row))


def _nothing() -> str:
    return ''
