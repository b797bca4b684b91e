"""A place is shown in a terminal: by a cursor, by numbers, by words."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from cases import for_each
from test_conversation import Actions

from gbs_irl_ros.core import CAREFUL, PAPER_MODE, Learner
from gbs_irl_ros.core.answers import ConfirmAnswer
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.core.stopping import DoneReason
from gbs_irl_ros.learning.records import QuestionRecord
from gbs_irl_ros.tasks import load_task
from gbs_irl_ros.tasks.shown_place import Place
from gbs_irl_ros.teaching.local_lesson import LocalLesson
from gbs_irl_ros.teaching.terminal.conversation import Conversation
from gbs_irl_ros.teaching.terminal.dialogue import COLUMNS, PlainScreen, converse
from gbs_irl_ros.teaching.terminal.screen import SHOW_THE_PLACE, draw
from gbs_irl_ros.teaching.terminal.styled_text import plain

START = (7, 1)          # of room
NUMBERS = 'a place is a column and a row, such as 3,4; several cells are the first and the last ' \
    'one, such as 3,4,5,6; got '
OUTSIDE = 'is outside the map; expected a column from 1 to 14 and a row from 1 to 10'
HOW_FAR = 'show a free cell'


@pytest.fixture(scope='module')
def room():
    task = load_task('room')
    task.compile()
    return task


@pytest.fixture
def lesson(room):
    with LocalLesson(room, Learner(room, caution=CAREFUL)) as lesson:
        yield lesson


@pytest.fixture(scope='module')
def seen(room):
    with LocalLesson(room, Learner(room, caution=CAREFUL)) as lesson:
        return lesson.snapshot()


def pressed(seen, *keys):
    """Return the places that keys show to a teacher's node, and the conversation."""
    actions = Actions()
    talk = Conversation(actions)
    for key in ('h', *keys):
        talk.see(seen)
        talk.press(key)
    return [each[2] for each in actions.done if each[0] == 'show_place'], talk


def screen(talk, rows=30):
    return [plain(each) for each in draw(talk.view(), COLUMNS, rows)]


@for_each(('keys', 'place'), [
    (['enter'], Place(False, *START, *START)),
    (['k'], Place(True, *START, *START)), (['n'], Place(True, *START, *START)),
    (['o'], Place(False, *START, *START, on_the_way=True)),
    ([*'8,3,9,4', 'o'], Place(False, 8, 3, 9, 4, on_the_way=True)),
    (['right', 'down', 'down', 'left', 'left', 'enter'], Place(False, 6, 3, 6, 3)),
    (['up'] * 30 + ['right', 'k'], Place(True, 8, 1, 8, 1)),
    (['c', 'down', 'right', 'k'], Place(True, 7, 1, 8, 2)),
    (['down', 'down', 'c', 'up', 'left', 'k'], Place(True, 6, 2, 7, 3)),
    (['c', 'down', 'c', 'enter'], Place(False, 7, 2, 7, 2)),
    ([*'12,8', 'enter'], Place(False, 12, 8, 12, 8)),
    ([*'12,9', 'backspace', '8', 'K'], Place(True, 12, 8, 12, 8)),
    ([*'8,3,9,4', 'k'], Place(True, 8, 3, 9, 4)),
    ([*'12,8', 'left', 'enter'], Place(False, 11, 8, 11, 8)),
    ([*'12,8', 'escape', 'h', 'enter'], Place(False, *START, *START))])
def test_a_cursor_or_numbers_show_a_place(seen, keys, place):
    places, talk = pressed(seen, *keys)
    assert places == [place], talk.view().message
    assert talk.view().place is None
    assert talk.view().message == f'You said: {place.words}'


@for_each(('keys', 'text'), [
    ([*'9,2', 'enter'], f'there is nothing but wall at (9, 2); {HOW_FAR}'),
    ([*'99,2', 'k'], f'cell (99, 2) {OUTSIDE}'),
    ([*'8,3,8,99', 'k'], f'cell (8, 99) {OUTSIDE}'),
    ([*'9,4,8,3', 'k'], 'the last cell of a place must not lie left of the first or above it'),
    (['7', 'enter'], f"{NUMBERS}'7'"), ([*'7,', 'k'], f"{NUMBERS}'7,'"),
    ([*'1,2,3', 'k'], f"{NUMBERS}'1,2,3'"), ([*',' * 60, 'k'], NUMBERS),
    ([*'9' * 39, ',', 'k'], NUMBERS)])
def test_what_cannot_be_a_place_is_said_and_can_be_corrected(seen, keys, text):
    places, talk = pressed(seen, *keys)
    assert places == []
    assert text in talk.view().message
    assert talk.view().place is not None
    for key in (*['backspace'] * 50, *'12,8', 'enter'):
        talk.press(key)
    assert talk.view().message == 'You said: go to (12, 8)'


@for_each(('line', 'text'), [
    ('go here 9,2', f'there is nothing but wall at (9, 2); {HOW_FAR}'),
    ('go here 99 2', f'cell (99, 2) {OUTSIDE}'),
    ('keep off here 1,1,14,10', '(1, 1) to (14, 10) covers everything: the robot could not keep '
                                'off; show a smaller place'),
    ('go here', 'say where, by column and row, such as "go here 3,4"'),
    ('Keep off here', 'say where, by column and row, such as "keep off here 3,4"'),
    ('go here -1,2', f"{NUMBERS}'-1,2'"), ('go here 1.5,2', f"{NUMBERS}'1.5,2'"),
    ('never here', 'say where, by column and row, such as "never here 3,4"'),
    ('on the way', 'say where, by column and row, such as "on the way 3,4"'),
    ('12,8', "not understood, got '12,8'")])
def test_a_line_that_shows_no_place_says_why_and_changes_nothing(lesson, line, text):
    talk = Conversation(lesson, local=True)
    talk.see(lesson.snapshot())
    talk.enter(line)
    assert text in talk.view().message
    assert lesson.snapshot().belief.places == ()


NEW, KEPT_OFF = 'go to (12, 8): that may be meant now', 'of the 30 tasks I know keep off.'


@for_each(('lines', 'said', 'told'), [
    (['go here 12,8'], 'go to (12, 8)', NEW), (['GO HERE 12 8'], 'go to (12, 8)', NEW),
    (['h', '12,8', 'go here'], 'go to (12, 8)', NEW),
    (['keep off here 8,3,9,4'], 'never over 2 cells from (8, 3) to (8, 4)', KEPT_OFF),
    (['place', '8,3,9,4', 'k'], 'never over 2 cells from (8, 3) to (8, 4)', KEPT_OFF),
    (['h', '99,8', '8,3', 'never here'], 'never over (8, 3)', KEPT_OFF),
    (['on the way 8,5'], 'on the way: (8, 5)', 'of the 30 tasks I know pass there.')])
def test_lines_show_a_place_in_a_lesson_of_this_process(room, lines, said, told):
    with LocalLesson(room, Learner(room, caution=CAREFUL)) as lesson:
        talk, written = Conversation(lesson, local=True), []
        given = iter(lines)

        def read(_):
            try:
                return next(given)
            except StopIteration:
                raise EOFError from None
        converse(talk, lesson.snapshot, read, written.append)
        assert [each.said for each in lesson.snapshot().history.entries] == [said]
        assert told in '\n'.join(written)


def test_the_place_is_drawn_and_called_by_its_name(seen):
    _, talk = pressed(seen, *'8,3,10,4')
    lines = screen(talk)
    assert ' '.join(lines[1:3]) == SHOW_THE_PLACE
    assert 'The place: 8,3,10,4_' in lines
    drawn = [line[:16].count('%') for line in lines if line.startswith('#')]
    assert [count for count in drawn if count] == [1, 2]        # walls but for the cursor
    assert any('% the place' in line for line in lines)
    talk.press('escape')
    _, talk = pressed(seen, 'c', 'down', 'right')
    assert 'The place: (7, 1) to (8, 2), 4 free cells' in screen(talk)
    _, talk = pressed(seen, 'right', 'right')
    assert any('The place: there is nothing but wall at (9, 1)' in line for line in screen(talk))
    assert any('%' in line for line in screen(talk, rows=14))    # a window around the cursor


def test_what_is_typed_stays_when_news_arrive(seen, room):
    """Another answer has arrived, or the task was read again: the world is the same."""
    _, talk = pressed(seen, *'12,8')
    again = replace(load_task('room'), noise=room.noise)
    assert again.world is not room.world
    talk.see(replace(seen, task=again, question=None))
    assert talk.view().place.typed == '12,8'
    talk.see(replace(seen, task=load_task('grid_world')))
    assert talk.view().place is None


def test_where_nothing_can_be_drawn_the_place_is_told(seen):
    plain_screen = PlainScreen()
    _, talk = pressed(seen)
    plain_screen.news(talk.view())
    talk.press('down')
    assert plain_screen.news(talk.view()) == ['The place: (7, 2)']


def test_the_robot_can_be_stopped_meanwhile_and_nothing_else_is_done(seen):
    actions = Actions()
    talk = Conversation(actions)
    for key in ('h', 'g', 'u', 'm', ' '):
        talk.see(seen)
        talk.press(key)
    assert actions.names == ['halt']
    assert talk.view().place is not None


def test_planning_is_waited_for_elsewhere_and_its_refusal_told(seen):
    actions, calls = Actions(), []
    talk = Conversation(actions, lambda call, urgent: calls.append((call, urgent)))
    for key in ('h', *'12,8', 'enter'):
        talk.see(seen)
        talk.press(key)
    assert talk.view().message == 'go to (12, 8) ...'
    assert actions.done == []
    (call, urgent), = calls
    assert (call(), urgent) == ('You said: go to (12, 8)', False)
    assert actions.done[0][2] == Place(False, 12, 8, 12, 8)


def test_it_is_offered_where_places_can_be_shown_only(room, seen):
    assert 'h does nothing now' in pressed(replace(seen, belief=None))[1].view().message
    with LocalLesson(room, Learner(room, caution=PAPER_MODE)) as certain:
        assert pressed(certain.snapshot())[1].view().place is not None
    road = load_task('random_mdp')
    assert not replace(seen, task=road).can_show_places
    _, talk = pressed(seen)
    talk.see(replace(seen, belief=None))
    assert talk.view().place is None


def test_it_is_offered_in_words_when_nothing_fits_and_after_a_no(seen):
    lost = replace(seen, belief=replace(seen.belief, reason=DoneReason.NONE_OF_THESE))
    talk = Conversation(Actions())
    talk.see(lost)
    assert 'u removes the last answer, h lets you point at a place.' in re.sub(
        r'\s+', ' ', ' '.join(screen(talk)))
    question = Question(QuestionKind.CONFIRM, 0, route=((0, 1),))
    talk.see(replace(seen, question=QuestionRecord('s-1', 's', 1, question, 'So?')))
    talk.press('n')
    assert talk.view().message == (
        f'You said: {ConfirmAnswer(question, yes=False).words(())}. h lets you point at a place: '
        'go here, never here, on the way')
