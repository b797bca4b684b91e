"""The world of a lesson as a terminal draws it: what is asked, the robot, ways through it."""

from __future__ import annotations

import itertools
from functools import lru_cache

import numpy as np

from gbs_irl_ros.core.questions import QuestionKind
from gbs_irl_ros.languages.speaking import tr
from gbs_irl_ros.tasks.layout import DISTANCES, LANES
from gbs_irl_ros.tasks.pictures.text_view import ASKED, FREE, legend, region_marks
from gbs_irl_ros.tasks.world import World
from gbs_irl_ros.teaching.keys import arrow_actions
from gbs_irl_ros.teaching.paths import StatePath
from gbs_irl_ros.teaching.terminal.cell_window import (
    LEVEL,
    LEVEL_ONE_WAY,
    SIGNS,
    UPRIGHT,
    UPRIGHT_ONE_WAY,
    Cell,
    Floor,
    cell_of,
    cell_window,
    floor_of,
)
from gbs_irl_ros.teaching.terminal.key_reader import shown_key
from gbs_irl_ros.teaching.terminal.styled_text import (
    BOLD,
    FAINT,
    MARKED,
    Line,
    Piece,
    flowed,
    line,
    wrapped,
)
from gbs_irl_ros.teaching.terminal.view import View

LISTS = (QuestionKind.TASK, QuestionKind.PLACE)     # questions about no place in particular
ROBOT, END, CAR, CRASH, POINTED, SHOWN_PLACE = '@', '*', 'C', 'X', '!', '%'
FIRST_WAY, SECOND_WAY, BOTH_WAYS = '1', '2', ':'
MANY = '+'              # a place of a list, without a digit of its own
MAX_LEGEND = 2         # lines
FEWEST_ROWS = 5         # of cells; where fewer fit, the legend is left out
MAX_LISTED = 6         # steps of a way through a world without a picture


def world_picture(view: View, columns: int, rows: int) -> list[Line]:
    """Return the picture, in at most so many rows."""
    world = view.lesson.world
    if world is None or rows <= 0:
        return []
    floor = floor_of(world)
    if floor is None:
        return [*(_road(view, world) or _place(view)), *_listed(view, world, columns)][:rows]
    over = _place_cells(view, world)
    focus = cell_of(floor.states, _focus(view, world)) if view.place is None \
        else _drawn_at(world, floor, *view.place.cursor)
    cells, missing = cell_window(floor.states, _marks(view, world), focus, columns, rows, over)
    note = [line(missing, BOLD)] if missing else []
    return [*cells, *note][:rows]


def picture_legend(view: View, columns: int, room: int) -> list[Line]:
    """Return what the signs of the picture mean, nothing if too little of it would be left."""
    world = view.lesson.world
    floor = None if world is None else floor_of(world)
    if world is None or floor is None:
        return []
    explained = flowed(_signs(view, world), columns, ', ', MAX_LEGEND)
    fits = room - len(explained) >= min(FEWEST_ROWS, len(floor.states))
    return [line(each, FAINT) for each in explained] if fits else []


def _focus(view: View, world: World) -> int:
    """Return the state that must be seen."""
    lesson = view.lesson
    if view.demonstrated is not None:
        return view.demonstrated.states[-1]
    if view.pointed is not None:
        return view.pointed
    if view.options is not None and view.options.states and view.options.chosen is not None:
        return view.options.states[view.options.chosen]
    if _asked_at(view) is not None and not view.driving:
        return _asked_at(view) or 0
    return lesson.robot if lesson.robot is not None else int(np.argmax(world.start))


def _asked_at(view: View) -> int | None:
    """Return the state that the question is about, None if it is about the whole task."""
    asked = view.lesson.asked
    return None if asked is None or asked.question.kind in LISTS else asked.question.state


def _marks(view: View, world: World) -> dict[int, Piece]:
    """Return what stands at the states, the most important last."""
    marks = dict(_regions(world))
    lesson = view.lesson
    if view.rehearsal is not None:
        marks.update(_way(world, view.rehearsal))
    marks.update(_compared(view))
    if lesson.robot is not None:
        marks[lesson.robot] = Piece(ROBOT, MARKED if view.driving else BOLD)
    asked = _asked_at(view)
    if asked is not None:
        marks[asked] = Piece(ASKED, BOLD if view.driving else MARKED)
    for number, state in enumerate(view.options.states if view.options else (), start=1):
        is_chosen = view.options is not None and view.options.chosen == number - 1
        marks[state] = Piece(str(number) if number < 10 else MANY, MARKED if is_chosen else BOLD)
    if view.demonstrated is not None:
        marks.update(_way(world, view.demonstrated))
    if view.pointed is not None:
        marks[view.pointed] = Piece(POINTED, MARKED)
    return marks


def _compared(view: View) -> dict[int, Piece]:
    """Return which of two ways passes where."""
    if not view.compared:
        return {}
    one, other = (set(way.states) for way in view.compared)
    return {state: Piece(BOTH_WAYS if state in one and state in other
                         else FIRST_WAY if state in one else SECOND_WAY, BOLD)
            for state in one | other}


def _place_cells(view: View, world: World) -> dict[Cell, Piece]:
    """Return the marks of a place that is being shown: all its free cells, and the cursor."""
    floor = floor_of(world)
    if view.place is None or floor is None:
        return {}
    place = view.place.place
    row, column = _drawn_at(world, floor, place.column, place.row)
    last_row, last_column = _drawn_at(world, floor, place.last_column, place.last_row)
    cells = itertools.product(range(row, last_row + 1), range(column, last_column + 1))
    return {cell: Piece(SHOWN_PLACE, MARKED) for cell in [
        *(each for each in cells if floor.states[each] >= 0),
        _drawn_at(world, floor, *view.place.cursor)]}


def _drawn_at(world: World, floor: Floor, column: int, row: int) -> Cell:
    """Return the row and column in which a cell is drawn."""
    assert world.layout is not None
    left, top = world.layout.first
    return int(floor.rows[row - top + 1]), int(floor.columns[column - left + 1])


@lru_cache(maxsize=4)
def _regions(world: World) -> dict[int, Piece]:
    return {state: Piece(letter) for state, letter in region_marks(world).items()}


def _way(world: World, course: StatePath) -> dict[int, Piece]:
    """Return an arrow for each step, and where they end."""
    return {**{state: Piece(_arrow(world, state, action), BOLD)
               for state, action in course.steps}, course.states[-1]: Piece(END, MARKED)}


def _arrow(world: World, state: int, action: int) -> str:
    for arrow, meant in arrow_actions(world, state).items():
        if meant == action:
            return shown_key(arrow)
    return '+'


def _signs(view: View, world: World) -> list[str]:
    """Return what the signs in the picture mean."""
    lesson, signs = view.lesson, []
    asked = _asked_at(view)
    if asked is not None:
        signs.append(f'{ASKED} ' + (tr('asked here, where the robot is') if asked == lesson.robot
                                    else tr('asked here')))
    if lesson.robot is not None and asked != lesson.robot:
        signs.append(f'{ROBOT} {tr("robot")}')
    if view.compared:
        signs += [f'{FIRST_WAY} {tr("the first way")}', f'{SECOND_WAY} {tr("the second")}',
                  f'{BOTH_WAYS} {tr("both")}']
    if view.demonstrated is not None:
        signs.append(f'{END} {tr("as far as you have shown")}')
    elif view.rehearsal is not None:
        signs.append(f'{END} {tr("end of the rehearsal")}')
    if view.pointed is not None:
        signs.append(f'{POINTED} {tr("wrong here?")}')
    if view.place is not None:
        signs.append(f'{SHOWN_PLACE} {tr("the place")}')
    return [*signs, *filter(None, legend(world).split(', ')), *_walls(world)]


def _walls(world: World) -> list[str]:
    """Return what the signs between cells mean, those that are drawn."""
    floor = floor_of(world)
    return [] if floor is None else [
        f'{SIGNS[upright]} {SIGNS[level]} {meaning}' for upright, level, meaning in (
            (UPRIGHT, LEVEL, tr('wall')), (UPRIGHT_ONE_WAY, LEVEL_ONE_WAY, tr('one way only')))
        if floor.has(upright, level)]


def _road(view: View, world: World) -> list[Line]:
    """Return a road, if it is one: the own car at the bottom, far ahead at the top."""
    lesson = view.lesson
    if lesson.asked is None:
        return []
    state = lesson.asked.question.state if view.pointed is None else view.pointed
    if view.demonstrated is not None:
        state = view.demonstrated.states[-1]
    scene = world.scene(state)
    if scene is None:
        return []
    cars = set(scene.cars)
    lines: list[Line] = []
    for ahead in reversed(range(DISTANCES)):
        pieces = [Piece(f'{tr("{count} ahead", count=ahead) if ahead else tr("here"):<9}', FAINT)]
        for lane in range(LANES):
            own = ahead == 0 and lane == scene.own
            sign = CRASH if own and (lane, 0) in cars else ROBOT if own else \
                CAR if (lane, ahead) in cars else FREE
            pieces += [Piece(sign, MARKED if own else BOLD if sign == CAR else FAINT), Piece('  ')]
        lines.append(tuple(pieces))
    numbers = '  '.join(str(lane + 1) for lane in range(LANES))
    return [*lines, line(f'{tr("lane"):<9}{numbers}', FAINT),
            line(tr('{you} you, {car} another car, {crash} a crash', you=ROBOT, car=CAR,
                    crash=CRASH), FAINT)]


def _place(view: View) -> list[Line]:
    """Return the name of the state that is asked about, in a world that cannot be drawn."""
    lesson = view.lesson
    if lesson.asked is None or lesson.world is None:
        return []
    name = lesson.world.state_name(lesson.asked.question.state)
    return [line(f'{ASKED} {name}', BOLD)]


def _listed(view: View, world: World, columns: int) -> list[Line]:
    """Return the steps of a way, the last ones."""
    names = world.appearance.action_names
    if view.compared:
        return [line(each) for number, way in enumerate(view.compared, start=1)
                for each in wrapped(f'{number}: ' + ', '.join(
                    names[action] for action in way.actions), columns, MAX_LISTED)]
    course = view.demonstrated or view.rehearsal
    if course is None:
        return []
    steps = [f'{POINTED + " " if state == view.pointed else ""}{world.state_name(state)}: '
             f'{names[action]}' for state, action in course.steps]
    if view.pointed in course.states:
        return _around_place(steps, course.states.index(view.pointed), columns)
    texts = [*([tr('... {count} steps before', count=len(steps) - MAX_LISTED)]
               * (len(steps) > MAX_LISTED)),
             *steps[-MAX_LISTED:], f'{END} {world.state_name(course.states[-1])}']
    return [line(each) for text in texts for each in wrapped(text, columns)]


def _around_place(steps: list[str], place: int, columns: int) -> list[Line]:
    """Return the steps around one of them."""
    first = max(0, min(place - MAX_LISTED // 2, len(steps) - MAX_LISTED))
    return [line(each) for text in steps[first:first + MAX_LISTED]
            for each in wrapped(text, columns)]
