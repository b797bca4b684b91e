"""What is said to a person: questions, why a lesson is over, and a sentence for every code."""

from __future__ import annotations

import string

import numpy as np
import pytest
from cases import for_each
from small_lessons import corridor_world

from gbs_irl_ros.core.answers import (
    ActionAnswer,
    GoHereAnswer,
    NeverHereAnswer,
    OnTheWayAnswer,
    WordsAnswer,
)
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.core.stopping import STOP_NAMES, DoneReason, make_stop_rule
from gbs_irl_ros.core.theory.forecast import Forecast
from gbs_irl_ros.learning.execution import ExecutionReason, ExecutionRecord, ExecutionStatus
from gbs_irl_ros.learning.execution_sentences import (
    EXECUTION_REASONS,
    EXECUTION_STATUSES,
    execution_text,
)
from gbs_irl_ros.learning.records import NOT_ESTIMATED
from gbs_irl_ros.learning.sentences import (
    DONE_REASONS,
    answer_words,
    belief_words,
    claim,
    done_text,
    forecast_text,
    reliability_text,
    sentence,
)
from gbs_irl_ros.tasks.world import Picture
from gbs_irl_ros.tasks.worlds.driver import build_driver

WORLD = corridor_world()
ACTION, YES_NO, REWARD, DEMONSTRATION, CONFIRM, PLACE, TASKS, COMPARE = QuestionKind
STOPPED = ExecutionStatus.STOPPED


@for_each(('question', 'text'), [
    (Question(ACTION, 3), 'What should I do at cell 3?'),
    (Question(ACTION, 4), 'What should I do at the end?'),
    (Question(YES_NO, 3, 0), 'Should I do "left" at cell 3?'),
    (Question(YES_NO, 3, 2), 'Should I do "stay" at cell 3?'),
    (Question(REWARD, 4), 'How good is it to be at the end?'),
    (Question(REWARD, 4, 0), 'How good is "left" at the end?'),
    (Question(DEMONSTRATION, 3, steps=4), 'Show me 4 steps, starting at cell 3.'),
    (Question(CONFIRM, 3, route=((3, 0), (2, 0), (1, 2))),
     'Starting at cell 3 I would do this: 2 x left, stay. Is this what you mean?'),
    (Question(PLACE, 3, options=(0, 4)), 'Where should I go?'),
    (Question(TASKS, 3, options=(0, 4)), 'Which of these do you mean?'),
    (Question(COMPARE, 3, route=((3, 0), (2, 0), (1, 2)), other_route=((3, 1), (4, 2))),
     'Starting at cell 3: this way (2 x left, stay) or that (right, stay)?'),
])
def test_every_question_is_a_sentence(question, text):
    assert sentence(question, WORLD) == text


@for_each(('answer', 'text'), [
    (ActionAnswer(3, 0), 'left'), (GoHereAnswer((3,)), 'go to cell 3'),
    (GoHereAnswer((4, 1)), 'go to 2 states'), (NeverHereAnswer((2, 1)), 'never over the rug'),
    (GoHereAnswer((1, 2)), 'go to rug'), (OnTheWayAnswer((1, 2)), 'on the way: the rug'),
    (OnTheWayAnswer((4,)), 'on the way: the end'), (WordsAnswer('desk', (1,)), '"desk"')])
def test_every_answer_has_words_with_the_names_of_its_places(answer, text):
    named = corridor_world(regions={'rug': np.array([1, 2])})
    assert answer_words(answer, named) == text


def test_a_region_without_a_name_is_told_by_its_cells():
    cells = np.array([[7, 2], [8, 2], [9, 2], [7, 3], [8, 3]])
    floor = corridor_world(cells=cells, positions=cells + 0.5, cell_size=1.0)
    assert answer_words(NeverHereAnswer((4, 0, 1)), floor) == \
        'never over 3 cells from (7, 2) to (8, 3)'


def test_a_robot_that_would_end_against_a_wall_stays_there():
    route = Question(CONFIRM, 1, route=((1, 0), (0, 0)))
    cells = np.array([[column, 0] for column in range(5)])
    on_the_floor = corridor_world(cells=cells, positions=cells + 0.5, cell_size=1.0)
    assert 'I would do this: left, stay.' in sentence(route, on_the_floor)
    assert 'I would do this: 2 x left.' in sentence(route, WORLD)       # it has no floor


def test_one_step_is_not_steps():
    question = Question(DEMONSTRATION, 3, steps=1)
    assert sentence(question, WORLD) == 'Show me 1 step, starting at cell 3.'


def test_a_state_without_a_name_has_its_number():
    bare = corridor_world(state_names=())
    assert sentence(Question(ACTION, 3), bare) == 'What should I do at state 3?'


def test_where_regions_are_near_they_are_named():
    cells = np.array([[column, 0] for column in range(5)])
    floor = corridor_world(cells=cells, positions=cells + 0.5, cell_size=1.0, regions={
        'rug': np.array([0]), 'desk': np.array([4])})
    assert sentence(Question(ACTION, 0), floor) == 'Which way should I go at cell 0 (rug)?'
    assert sentence(Question(ACTION, 1), floor) == \
        'Which way should I go at cell 1 (near the rug)?'
    assert sentence(Question(YES_NO, 3, 0), floor) == \
        'Should I go left at cell 3 (near the desk)?'
    driving = ExecutionRecord(ExecutionStatus.DRIVING, state=3, action=1, target=4)
    assert execution_text(driving, world=floor) == 'driving to the end, desk'


SCENE = 'You are in the left lane. Left lane: a car 3 ahead. Middle lane: cars beside you ' \
    'and 2 ahead.'


@for_each(('question', 'text'), [
    (Question(ACTION, 5000), f'{SCENE} Which lane should I take?'),
    (Question(YES_NO, 5000, 2), f'{SCENE} Should I take the middle lane?'),
    (Question(REWARD, 5000), f'{SCENE} How good is this?'),
    (Question(REWARD, 5000, 1), f'{SCENE} How good is it to take the left lane?'),
    (Question(DEMONSTRATION, 5000, steps=3), f'{SCENE} Show me the next 3 steps.'),
    (Question(DEMONSTRATION, 5000), f'{SCENE} Show me the next step.'),
    (Question(CONFIRM, 5000, route=((5000, 1), (4, 1))),
     f'{SCENE} I would do this: 2 x left lane. Is this what you mean?'),
    (Question(QuestionKind.COMPARE, 5000, route=((5000, 1),), other_route=((5000, 2),)),
     f'{SCENE} This way (left lane) or that (middle lane)?'),
    (Question(ACTION, 0), 'You are on the left shoulder. Left lane: a car beside you. Which lane '
                          'should I take?'),
])
def test_on_a_road_a_state_is_a_situation_and_not_a_place(question, text):
    assert sentence(question, build_driver(0.95).world) == text


def test_states_of_the_motorway_are_situations():
    """Else the tests above are about a world that does not exist."""
    looks = build_driver(0.95).world.appearance
    assert looks.picture is Picture.ROAD
    assert looks.state_names[0].startswith('in the ')


def test_every_reason_and_every_status_has_a_sentence():
    assert set(EXECUTION_REASONS) == set(ExecutionReason) - {ExecutionReason.NO_REASON}
    assert set(EXECUTION_STATUSES) == set(ExecutionStatus)
    assert set(DONE_REASONS) == set(DoneReason) - {DoneReason.NO_REASON}


@for_each(('reason', 'value', 'text'), [
    (DoneReason.GOOD_ENOUGH, 0.0, 'the teacher says that this is good enough'),
    (DoneReason.NOTHING_TO_ASK, 0.0, 'there is nothing left to ask'),
    (DoneReason.CERTAINTY, 0.8096, 'one way to do it is right with probability 0.810'),
    (DoneReason.EVERY_STATE, 0.6,
     'an optimal action is known in every state (W is at least 0.600)'),
    (DoneReason.LOSES_NOTHING, 0.9612, 'with probability 0.961 no other way would be better'),
    (DoneReason.VALUE_AT_RISK, 0.97, 'with probability 0.970 no other way would be much better'),
    (DoneReason.MINIMAX_REGRET, 0.031,
     'whichever of the likely tasks is meant, at most 3.1% of the best are lost'),
    (DoneReason.CONFORMAL, 0.97, 'one way alone is likely enough: probability 0.970'),
    (DoneReason.NONE_OF_THESE, 0.96,
     'none of the listed tasks fits the answers (probability 0.960)'),
    (DoneReason.MAX_ANSWERS, 3.0, 'as many answers were given as were asked for: 3'),
    (DoneReason.MAX_ANSWERS, 1e308, 'as many answers were given as were asked for: 1e+308')])
def test_why_a_lesson_is_over_is_a_sentence(reason, value, text):
    assert done_text(reason, value) == text


@for_each('name', STOP_NAMES)
def test_every_stop_condition_promises_something_with_its_numbers_in_one_sentence(name):
    rule = make_stop_rule(name, 0.935, loss=0.07)
    promised = claim(rule)
    assert promised.endswith('.')
    assert promised.count('.') == 1 + promised.count('93.5')
    assert '93.5%' in promised
    assert ('7%' in promised) == ('loss' in vars(rule.condition or rule))
    assert claim(rule, DoneReason(name)) == promised
    for other in (DoneReason.GOOD_ENOUGH, DoneReason.MAX_ANSWERS, DoneReason.NOTHING_TO_ASK):
        assert claim(rule, other) == ''
    assert claim(make_stop_rule(name, 0.0)) == ''


@for_each(('forecast', 'text'), [
    (None, ''), (Forecast(0, 0, 0), ''), (Forecast(1, 1, 1), 'About 1 more answer.'),
    (Forecast(7, 5, 10), 'About 7 more answers, 5 to 10 in 8 of 10 lessons.'),
    (Forecast(200, 200, 200), 'I can hardly tell these tasks apart by asking.'),
    (Forecast(9, 4, 200), 'I can hardly tell these tasks apart by asking.')])
def test_how_long_a_lesson_takes_is_a_sentence(forecast, text):
    assert forecast_text(forecast) == text
    assert forecast_text(forecast, whole=True) == text.replace('more ', '')


def test_a_claim_is_plain():
    assert claim(make_stop_rule('value_at_risk', 0.95, loss=0.05)) \
        == 'Within 5% of the best with probability 95%.'


@for_each('template', [*EXECUTION_REASONS.values(), *EXECUTION_STATUSES.values()])
def test_a_sentence_has_no_other_gaps_than_are_filled(template):
    gaps = {name for _, name, _, _ in string.Formatter().parse(template) if name is not None}
    assert gaps <= {'0', '1', '2', 'state', 'target', 'allow'}


@for_each(('execution', 'expected'), [
    (ExecutionRecord(STOPPED, ExecutionReason.NOT_ALLOWED),
     'motion is not allowed yet: call the service ~/enable (after a STOP, ~/go)'),
    (ExecutionRecord(STOPPED, ExecutionReason.NO_HEARTBEAT, ('0.7',)),
     'no heartbeat from the learner for 0.7 s'),
    (ExecutionRecord(STOPPED, ExecutionReason.NO_CELLS, ('{0}',)),
     "the states of task '{0}' have no place on the floor, so no robot can drive there; it can be "
     'taught, not driven'),
    (ExecutionRecord(STOPPED, ExecutionReason.NOT_ACTIVE, ('inactive', '/a/robot', 'activate')),
     'the controller is inactive, so it moves nothing: ros2 lifecycle set /a/robot activate'),
    (ExecutionRecord(STOPPED, ExecutionReason.COMMAND_TYPE, ('Twist', 'TwistStamped', 'true')),
     'whoever drives the wheels takes TwistStamped on cmd_vel, and is sent Twist: start the nodes '
     'with the parameter stamped_cmd_vel: true'),
    (ExecutionRecord(ExecutionStatus.DRIVING, state=3, action=1, target=4), 'driving to state 4'),
    (ExecutionRecord(ExecutionStatus.MANUAL), 'a person drives')])
def test_a_record_is_read_as_a_sentence(execution, expected):
    assert execution_text(execution) == expected


@pytest.mark.parametrize('reason', [ExecutionReason.NOT_ALLOWED, ExecutionReason.OTHER_LESSON])
def test_how_motion_is_allowed_is_said_as_the_reader_can_do_it(reason):
    text = execution_text(ExecutionRecord(STOPPED, reason), 'press g')
    assert 'press g' in text
    assert 'enable' not in text


def test_data_that_are_missing_do_no_harm():
    assert execution_text(ExecutionRecord(STOPPED, ExecutionReason.OLD_POLICY)) == 'old policy'


@for_each(('none', 'words'), [
    (0.0, 'the desk: 72%'), (0.12, 'the desk: 72%'), (0.16, 'the desk: 72%, none of these: 16%')])
def test_none_of_these_is_mentioned_where_it_is_worth_it(none, words):
    assert belief_words('the desk', 0.72, none) == words


@for_each(('rate', 'text'), [
    (NOT_ESTIMATED, ''), (0.04, 'Your answers seem to be sure.'),
    (0.13, 'You seem to be sure about 9 of 10 answers.'),
    (0.4, 'You seem to be sure about 6 of 10 answers.')])
def test_how_sure_the_teacher_seems_is_a_sentence(rate, text):
    assert reliability_text(rate) == text
