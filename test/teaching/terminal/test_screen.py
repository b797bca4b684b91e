"""The screen of a person who teaches: everything that matters, in every size."""

from __future__ import annotations

from dataclasses import replace

import pytest
from cases import for_each
from test_conversation import Actions, belief

from gbs_irl_ros.core.answers import ActionAnswer, DemonstrationAnswer
from gbs_irl_ros.core.learner import Learner
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.core.stopping import DoneReason
from gbs_irl_ros.learning.execution import ExecutionReason, ExecutionRecord, ExecutionStatus
from gbs_irl_ros.learning.records import (
    AnswerRecord,
    HistoryEntry,
    HistoryRecord,
    PolicyRecord,
    QuestionRecord,
    Status,
)
from gbs_irl_ros.learning.rivals import rivals
from gbs_irl_ros.learning.sentences import sentence
from gbs_irl_ros.tasks import load_task
from gbs_irl_ros.teaching.lesson_snapshot import LessonSnapshot
from gbs_irl_ros.teaching.terminal.conversation import Conversation
from gbs_irl_ros.teaching.terminal.dialogue import PlainScreen, headline
from gbs_irl_ros.teaching.terminal.screen import draw
from gbs_irl_ros.teaching.terminal.styled_text import plain, width

ACTION, YES_NO, REWARD, DEMONSTRATION, CONFIRM, PLACE, TASK, COMPARE = QuestionKind
ROOM = load_task('room')
OVER_THERE = 40
SIZES = [(80, 24), (40, 15), (200, 60), (120, 10), (30, 40), (10, 5), (1, 1), (64, 20), (3, 30)]


def record(question, task=ROOM, number=2):
    return QuestionRecord(f's-{number}', 's', number, question, sentence(question, task.world),
                          rivals(Learner(task), question))


HISTORY = HistoryRecord('s', 1, 9, (
    HistoryEntry(AnswerRecord('s-0', ActionAnswer(7, 1)), record(Question(ACTION, 7), number=0),
                 said='east'),
    HistoryEntry(AnswerRecord('x', DemonstrationAnswer(((7, 1),))), None, True, said='west'),
    HistoryEntry(AnswerRecord('y', DemonstrationAnswer(((7, 1),))), said='south')))


def situation(about=Question(ACTION, OVER_THERE), **changes):    # noqa: B008 - frozen
    return replace(LessonSnapshot(
        ROOM, record(about), belief=belief(), learner_lives=True,
        policy=PolicyRecord('s', 1, ROOM.hash, Learner(ROOM).policy),
        history=HISTORY, robot=0, execution=ExecutionRecord(
            ExecutionStatus.STOPPED, ExecutionReason.NOT_ALLOWED)),
        **changes)


def view(now, *keys):
    talk = Conversation(Actions())
    for key in keys:
        talk.see(now)
        talk.press(key)
    talk.see(now)
    return talk.view()


def texts(shown, columns=80, rows=24):
    return [plain(line).rstrip() for line in draw(shown, columns, rows)]


def screen(now, *keys, columns=80, rows=24):
    return '\n'.join(texts(view(now, *keys), columns, rows))


TWO_WAYS = Question(COMPARE, 4, route=((4, 1), (5, 1), (6, 2)), other_route=((4, 2), (13, 1)))
SITUATIONS = {
    'nothing': LessonSnapshot(), 'action': situation(),
    'yes_no': situation(Question(YES_NO, 5, 1)),
    'reward': situation(Question(REWARD, 5)),
    'demonstration': situation(Question(DEMONSTRATION, 5, steps=3)),
    'confirm': situation(Question(CONFIRM, 5, route=((5, 1), (6, 1), (7, 2)))),
    'task': situation(Question(TASK, 5, options=tuple(range(30)), labels=ROOM.names[:30])),
    'place': situation(Question(PLACE, 5, options=(9, 85), labels=('kitchen', 'desk'))),
    'anywhere': situation(Question(PLACE, 5)), 'compare': situation(TWO_WAYS),
    'done': situation(question=None, belief=belief(Status.DONE)),
    'silent': situation(learner_lives=False, recorded=((0, 1),) * 3)}


@for_each('size', SIZES, ids=str)
@for_each('keys', [(), ('?',), ('r',), ('m',), ('w', 'd'), ('right',), ('/', *'ab' * 90),
                   ('h',), ('up',), ('2', '9')], ids=str)
@for_each('name', SITUATIONS)
def test_it_fits_every_size(name, keys, size):
    lines = draw(view(SITUATIONS[name], *keys), *size)
    assert len(lines) == size[1]
    assert max(width(plain(line)) for line in lines) <= size[0]


def test_nothing_is_wider_than_any_width_and_how_sure_it_is_is_never_cut():
    for name, now in SITUATIONS.items():
        for keys in ((), ('?',), ('r',), ('!',), ('h',), ('m',)):
            shown = view(now, *keys)
            for columns in range(20, 201, 12):
                lines = [plain(line) for line in draw(shown, columns)]
                widest = max(lines, key=width)
                assert width(widest) <= columns, (name, keys, columns, widest)
                title = lines[0].rstrip()
                if keys != ('?',) and now.world is not None:
                    assert '17% sure' in title, (name, title)
                    assert title.endswith(('17% sure', 'answers', '(3 to 6)')), (name, title)


def test_everything_that_matters_is_on_a_usual_screen():
    shown = screen(situation())
    for text in ('room', '17% sure, about 4 more answers (3 to 6)',
                 'Which way should I go at '
                 f'{ROOM.world.state_name(OVER_THERE)} (near the kitchen)?',
                 '? asked here', '@ robot', 'k kitchen', 'Why I ask',
                 '30% north or east (go to bed)',
                 'Robot: stopped: motion is not allowed yet: press g', 'You said so far (9):',
                 'south (shown unasked)', 'west (a correction)', 'east (Which way should I go at',
                 '↑ w north', '→ d east', '= any direction is fine', "i don't know", 'l later',
                 'Space STOP', 'u undo', 'p pause', 'e enough', '! start over', 'r rehearse',
                 'g go', 'm drive', '? help', 'q quit'):
        assert text in shown, f'{text!r} is missing:\n{shown}'
    assert 'cropped' not in shown


def test_doubts_about_the_list_and_about_the_teacher_are_told():
    doubtful = replace(belief(), answers=3, none_of_these=0.22, error_rate=0.13)
    shown = screen(situation(belief=doubtful), columns=100)
    assert '17% sure, none of these 22%, about 4 more answers (3 to 6)' in shown
    assert 'You seem to be sure about 9 of 10' in shown


def test_a_route_to_be_confirmed_is_drawn_with_the_place_that_is_pointed_at():
    route = ((40, 1), (41, 1), (42, 2))
    shown = screen(situation(Question(CONFIRM, 40, route=route)), 'right', 'right')
    assert 'I would do this: 2 x east, south. Is this what you mean?' in ' '.join(shown.split())
    assert f'Wrong {ROOM.world.where(41)}, where I would do "east"? Enter says so.' in shown
    assert '! wrong here?' in shown
    assert '!' in shown.replace('! wrong here?', '')
    for text in ('y yes', 'n no', '→ next place', '← place before', 'Enter wrong here'):
        assert text in shown, f'{text!r} is missing:\n{shown}'


def test_a_long_list_is_shown_in_parts_and_what_is_chosen_is_in_it():
    now = SITUATIONS['task']
    first = texts(view(now))
    assert first[2] == f'  1 {ROOM.names[0]}'
    shown = [line for line in first if line[:3].strip().isdigit()]
    note = next(line for line in first if 'of 30' in line)
    assert note == f'   1 to {len(shown)} of 30; ↓ ↑ show the others'
    assert '1-30 choose' in '\n'.join(first)
    last = texts(view(now, '3', '0'))
    assert f'>30 {ROOM.names[29]}' in last
    assert 'Your number: 30_' in last
    assert f'> 2 {ROOM.names[1]}' in texts(view(now, 'down', 'down'))
    large = texts(view(now), rows=50)
    assert [line[4:] for line in large if line[1:3].strip().isdigit() and line[3] == ' '] == [
        *ROOM.names[:30]]
    assert not any('of 30' in line for line in large)


def test_places_to_choose_from_are_numbered_in_the_picture():
    shown = texts(view(SITUATIONS['place']))
    assert any(line.endswith(' 1 kitchen') for line in shown)
    drawn = [line[:16] for line in shown if line.startswith('#')]
    assert sum(line.count('1') for line in drawn) == sum(line.count('2') for line in drawn) == 1
    assert not any('?' in line for line in drawn)       # it is asked about no place


def test_two_ways_are_drawn_by_their_numbers_and_said_in_words():
    shown = screen(SITUATIONS['compare'])
    drawn = [line[:16] for line in shown.splitlines() if line.startswith('#')]
    assert sum(line.count('1') for line in drawn) >= 2
    assert sum(line.count('2') for line in drawn) >= 1
    for text in ('1 the first way, 2 the second', '1 the first way  2 the second way  = either',
                 'this way (2 x east, south) or that'):
        assert text in shown, shown


def test_what_no_task_explains_is_listed():
    now = situation()
    first, second = now.history.entries[1], now.history.entries[-1]
    lost = replace(belief(), reason=DoneReason.NONE_OF_THESE, reason_value=0.7, none_of_these=0.7,
                   unexplained=(first.answer.id, second.answer.id))
    shown = screen(replace(now, belief=lost), columns=120, rows=40)
    number = now.history.total - len(now.history.entries) + 2
    assert (f'None of the 6 tasks I know explains your answers {number} and {now.history.total}. '
            'u removes the last answer, h lets you point at a place.') in shown
    assert 'What does not fit:' in shown
    assert f'{number}. {first.said} (' in shown


@for_each('few', [{'answers': 2, 'error_rate': 0.13}, {'answers': 3}])
def test_nothing_is_said_of_a_teacher_of_whom_nothing_is_known(few):
    assert 'You seem' not in screen(situation(belief=replace(belief(), **few)))


def test_the_newest_of_the_history_comes_first():
    shown = screen(situation())
    places = [shown.index(text) for text in ('south (shown', 'west (a corr', 'east (Which')]
    assert places == sorted(places)


@pytest.mark.parametrize(('kind', 'options', 'opinion'), [
    (YES_NO, {'action': 1}, 'yes (go to'), (REWARD, {}, '0 (go to')])
def test_why_says_what_each_rival_would_answer(kind, options, opinion):
    assert opinion in screen(situation(Question(kind, OVER_THERE, **options)))


def test_a_small_screen_is_cropped_around_the_asked_state_and_says_so():
    shown = screen(situation(), columns=40, rows=15)
    assert 'cropped: ' in shown
    picture = [line for line in shown.splitlines() if set(line) <= set('#.?@Skosdbct') and line]
    assert sum('?' in line for line in picture) == 1
    for text in ('Which way should I go at', '↑ w north', 'Space STOP', '? help'):
        assert text in shown


def test_a_large_map_scrolls():
    task = load_task('trap_world')
    for state in (0, 430, task.world.mdp.num_states - 1):
        now = situation(task=task, question=record(Question(ACTION, state), task),
                        robot=None)
        lines = screen(now, columns=50, rows=18).splitlines()
        assert sum('?' in line for line in lines if line.startswith('#') or ('?' in line[:32]
                   and not {'asked', 'help', ')'} & {*line.split(), *line})) == 1
        assert any(line.startswith('cropped: ') for line in lines)


def test_help_lists_every_key_that_works():
    shown = view(situation(), '?')
    for columns, rows in ((80, 24), (40, 15)):
        text = '\n'.join(texts(shown, columns, rows))
        for binding in (*shown.answering, *shown.other):
            assert binding.shown in text, (binding, text)
            assert (binding.about if rows == 24 and binding.about else binding.label) in text


def test_the_help_of_driving_is_another_one():
    text = screen(situation(), 'm', '?')
    assert 'record what the robot does, driven here or by any joystick' in text
    assert "don't know" not in text


def test_steps_are_drawn_as_they_are_given():
    now = situation(Question(DEMONSTRATION, OVER_THERE, steps=3))
    shown = screen(now, 'w', 'w')
    assert 'You show 2 of 3: north, north' in shown
    assert '* as far as you have shown' in shown
    assert shown.count('↑') >= 2


def test_a_rehearsal_is_drawn():
    shown = screen(replace(situation(), robot=None), 'r')
    assert f'Rehearsal from {ROOM.world.state_name(OVER_THERE)}: ' in shown
    assert '* end of the rehearsal' in shown
    assert any(arrow in line for line in shown.splitlines() if line.startswith('#')
               for arrow in '↑→↓←')


def test_a_number_is_seen_while_it_is_typed():
    assert 'Your number: -0.5_' in screen(situation(Question(REWARD, 5)), '-', '0', '.', '5')


def test_driving_says_what_it_means():
    assert 'A question waits: Which way should I go' in screen(situation(), 'm')
    shown = screen(situation(corrects=True, recorded=((0, 1),) * 2), 'm')
    assert 'what you drive is a correction, which it reports itself' in ' '.join(shown.split())
    assert 'RECORDING: 2 steps; t sends' in shown
    assert 'has not said yet where it is' in screen(situation(robot=None), 'm')


def test_a_silent_learner_is_noticed():
    assert 'The learner is silent' in screen(situation(learner_lives=False))
    assert 'The learner is silent' not in screen(situation())


def test_a_road_is_drawn_with_its_cars():
    task = load_task('driver')
    now = situation(task=task, robot=None, execution=None, history=None,
                    question=QuestionRecord('s-1', 's', 1, Question(ACTION, 9000), 'What now?'))
    shown = screen(now)
    assert '4 ahead' in shown
    assert '@ you, C another car, X a crash' in shown
    assert 'lane     1  2  3  4  5' in shown


def test_a_world_without_a_picture_names_the_state():
    task = load_task('random_mdp')
    now = situation(task=task, question=record(Question(ACTION, 4), task), robot=None)
    assert '? state 4' in screen(now)


def test_strange_names_cannot_control_the_terminal():
    bad = QuestionRecord('s-1', 's', 1, Question(ACTION, 4), 'What \x1b[2J\x07 now?')
    assert '\x1b' not in ''.join(plain(line) for line in draw(view(situation(question=bad)), 80,
                                                              24))


def test_actions_that_do_not_exist_in_rivals_do_no_harm():
    good = record(Question(ACTION, 4))
    bad = replace(good, rivals=tuple(replace(each, actions=(0, 99)) for each in good.rivals))
    assert 'north (' in screen(situation(question=bad))


class TestPlainScreen:
    def test_a_question_is_written_once(self):
        plain_screen = PlainScreen()
        first = plain_screen.news(view(situation()))
        assert any('Which way should I go at' in line for line in first)
        assert any('↑ w north' in line for line in first)
        moved = situation(robot=3, execution=None)
        assert plain_screen.news(view(moved)) == []

    def test_messages_and_numbers_are_written_as_they_come(self):
        plain_screen = PlainScreen()
        now = situation(Question(REWARD, 5))
        plain_screen.news(view(now))
        assert plain_screen.news(view(now, '+', '4')) == ['Your number: +4_']
        assert plain_screen.news(view(now, 'y')) == [
            'y does nothing now; ? shows the keys that work']

    def test_help_and_another_question_are_written_whole(self):
        plain_screen = PlainScreen()
        plain_screen.news(view(situation()))
        assert 'Keys that work now; any key goes back' in plain_screen.news(
            view(situation(), '?'))
        other = situation(question=record(Question(ACTION, 5), number=3))
        assert any('Which way should I go at' in line for line in plain_screen.news(view(other)))


@for_each(('lines', 'text'), [
    (['[WARN] [1712345678.9] [robot.teleop]: careful', 'more'], 'WARN: careful'),
    (['Traceback', '  x', 'ValueError: no'], 'ValueError: no'), ([], ''),
    (['odd'], 'odd')])
def test_the_headline_of_what_was_logged(lines, text):
    assert headline(lines) == text
