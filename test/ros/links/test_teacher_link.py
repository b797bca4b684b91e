"""All that a person who teaches can have done: each thing once, and why it is refused."""

from __future__ import annotations

import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest
from cases import for_each

pytest.importorskip('rclpy', reason='needs ROS 2')

from lesson_fakes import (
    EAST,
    NORTH,
    SOUTH,
    WEST,
    FakeMdp,
    FakeRobot,
    FakeServices,
    execution,
    policy_for,
    some_time,
    square_task,
)
from waiting import DEADLINE_S, patience, wait_for

from gbs_irl_ros import msg
from gbs_irl_ros.core.answers import (
    ActionAnswer,
    AllTheSameAnswer,
    DemonstrationAnswer,
    DontKnowAnswer,
    GoHereAnswer,
    NeverHereAnswer,
    OnTheWayAnswer,
    RewardAnswer,
    WordsAnswer,
    YesNoAnswer,
)
from gbs_irl_ros.core.errors import GbsIrlError, InvalidAnswerError
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.driving.drive import Progress, SteeringDrive
from gbs_irl_ros.driving.pose import Pose, Velocity
from gbs_irl_ros.languages.speaking import in_language
from gbs_irl_ros.learning.execution import ExecutionReason, ExecutionStatus
from gbs_irl_ros.learning.json_values import answer_from_json
from gbs_irl_ros.learning.records import (
    AnswerRecord,
    BeliefRecord,
    HistoryEntry,
    HistoryRecord,
    QuestionRecord,
    Status,
)
from gbs_irl_ros.nodes.gui import GuiParameters
from gbs_irl_ros.ros import names, qos
from gbs_irl_ros.ros.base_node import BaseNode
from gbs_irl_ros.ros.links import lesson_topics, person_drive, teacher_link as module
from gbs_irl_ros.ros.links.lesson_topics import NO_LESSON
from gbs_irl_ros.ros.links.teacher_link import TeacherLink
from gbs_irl_ros.ros.messages import conversions
from gbs_irl_ros.ros.robot.backends import RobotParameters
from gbs_irl_ros.tasks.shown_place import Place
from gbs_irl_ros.teaching import teacher_actions
from gbs_irl_ros.teaching.question_box import QuestionBox, StaleQuestionError
from gbs_irl_ros.teaching.teacher_actions import ServiceError
from gbs_irl_ros.teaching.web.commands import commands

pytestmark = pytest.mark.ros

TASK = square_task()
NO_TASK = 'the task is not known yet: is the mdp node running'
ACTION = Question(QuestionKind.ACTION, 3)


class Teacher(BaseNode[RobotParameters]):
    """Has everything that a teacher's node has; commands are those of the page."""

    def __init__(self, name, kind=RobotParameters, **options):
        super().__init__(name, kind, **options)
        self.link = TeacherLink(self, lambda: None)
        self.question_box, self.remote = self.link.question_box, self.link.services
        self.driver, self.sender = self.link.driver, self.link.sender
        self.watcher = self.link.watcher
        self.actions = SimpleNamespace(**{
            name: command.run for name, command in commands(
                self.link, self.link.lesson, lambda *_: None).items()})


@pytest.fixture
def newcomer(parallel_bench, monkeypatch):
    """A teacher who does not know the task yet."""
    monkeypatch.setattr(lesson_topics, 'FETCH_PERIOD_S', 0.02)
    monkeypatch.setattr(person_drive, 'PERIOD_S', 0.01)
    made = parallel_bench.make(
        Teacher, name='page', max_speed=2.0, max_turn=4.0, odometry_timeout=5.0)
    yield made
    made.link.close()


@pytest.fixture
def teacher(parallel_bench, newcomer):
    FakeMdp(parallel_bench, TASK)
    wait_for(lambda: newcomer.watcher.task is not None and newcomer.watcher.world is not None,
             'the task')        # they come on two ways
    return newcomer


@pytest.fixture
def actions(teacher):
    return teacher.actions


@pytest.fixture
def services(parallel_bench, teacher):
    made = FakeServices(parallel_bench)
    made.wait_until_known(teacher.remote)
    return made


@pytest.fixture
def robot(parallel_bench, teacher):
    made = FakeRobot(parallel_bench, TASK.world)
    made.wait_until_known(teacher.driver)
    return made


@pytest.fixture
def learner(parallel_bench, teacher):
    """The demonstrations that a learner hears."""
    heard = parallel_bench.listen(msg.Demonstration, names.DEMONSTRATION, qos.EVENTS)
    wait_for(lambda: teacher.sender._publisher.get_subscription_count(), 'the learner')
    return heard


@pytest.fixture
def ask(teacher):
    """Put a question on the desk; return what will be the answer."""
    def put(name, question):
        got = []
        asking = threading.Thread(target=lambda: got.append(teacher.question_box.ask(
            QuestionRecord(name, 's', 0, question))), daemon=True)
        asking.start()
        wait_for(lambda: getattr(teacher.question_box.question, 'id', '') == name, 'the question')

        def answer():
            asking.join(patience(DEADLINE_S))
            return got[0]
        return answer
    return put


# ---- what the teacher says ------------------------------------------------------------------

class TestAnswering:
    @pytest.mark.parametrize(('question', 'given'), [
        (ACTION, ActionAnswer(3, EAST)), (ACTION, AllTheSameAnswer(3)),
        (ACTION, DontKnowAnswer(ACTION)), (ACTION, DemonstrationAnswer(((3, 1), (4, 1)))),
        (Question(QuestionKind.YES_NO, 3, EAST), YesNoAnswer(3, EAST, False)),
        (Question(QuestionKind.REWARD, 3), RewardAnswer(3, 0.5))])
    def test_the_open_question_is_answered(self, actions, ask, question, given):
        answer = ask('q-1', question)
        assert actions.answer('q-1', given) is None
        record = answer()
        assert (record.id, record.answer, record.by) == ('q-1', given, 'page')
        assert record.stamp > 0

    def test_one_that_is_not_asked_any_more_is_refused(self, actions, ask, teacher):
        with pytest.raises(StaleQuestionError, match=r"the question 'q-1' is not asked any more, "
                                                     'so the answer is not used'):
            actions.answer('q-1', ActionAnswer(3, EAST))
        ask('q-2', ACTION)
        with pytest.raises(StaleQuestionError, match='not asked any more'):
            actions.answer('q-1', ActionAnswer(3, EAST))
        assert teacher.question_box.question.id == 'q-2'

    def test_an_answer_outlives_the_start_of_a_learner_however_long_that_takes(
            self, actions, ask, teacher, parallel_bench):
        """A learner that was killed says at first that it has no lesson, then asks the same."""
        believe = parallel_bench.publisher(msg.Belief, names.BELIEF, qos.LATCHED)

        def hear(session, question_id):
            believe.publish(conversions.belief_to_msg(BeliefRecord(
                session, 1, TASK.hash, Status.WAITING, 'waiting', np.array([0.5, 0.25, 0.25]), 0,
                0.5, 1.5, 1, question_id=question_id)))
            wait_for(lambda: (now := teacher.watcher.belief) and now.session == session,
                     f'the belief of {session}')
        answer = ask('q-1', ACTION)
        actions.answer('q-1', ActionAnswer(3, EAST))
        answer()
        teacher.question_box._kept_since['q-1'] -= 60.0
        hear(NO_LESSON, '')
        assert teacher.question_box.num_kept == 1
        hear('s', 'q-2')
        wait_for(lambda: teacher.question_box.num_kept == 0, 'what is no longer asked to go')

    def test_twice_is_once_too_often(self, actions, ask):
        answer = ask('q-1', ACTION)
        actions.answer('q-1', ActionAnswer(3, EAST))
        with pytest.raises(StaleQuestionError, match='not asked any more'):
            actions.answer('q-1', ActionAnswer(3, NORTH))
        assert answer().answer == ActionAnswer(3, EAST)

    @pytest.mark.parametrize(('given', 'text'), [
        (ActionAnswer(3, 5), r'action must be in 0 \.\. 4, got 5'),
        (ActionAnswer(3, WEST), r"'west' leads into a wall at \(0, 1\), so it is not taken as an "
         'answer; choose one of: north, east, south, stay'),
        (ActionAnswer(3, True), 'action must be a whole number, got True'),
        (ActionAnswer(4, EAST), r'ActionAnswer\(.*\) does not answer Question'),
        (YesNoAnswer(3, EAST, True), r'YesNoAnswer\(.*\) does not answer Question'),
        (DemonstrationAnswer(((0, 0), (9, 0))), r'state of step 1 must be in 0 \.\. 8, got 9')])
    def test_what_does_not_fit_is_refused_and_the_question_stays(self, actions, ask, teacher,
                                                                 given, text):
        answer = ask('q-1', ACTION)
        with pytest.raises(InvalidAnswerError, match=text):
            actions.answer('q-1', given)
        assert teacher.question_box.question.id == 'q-1'
        actions.answer('q-1', ActionAnswer(3, NORTH))
        assert answer().answer == ActionAnswer(3, NORTH)

    def test_a_reward_that_is_no_number_is_refused(self, actions, ask):
        ask('q-1', Question(QuestionKind.REWARD, 3))
        with pytest.raises(InvalidAnswerError, match='reward must be a finite number, got nan'):
            actions.answer('q-1', RewardAnswer(3, float('nan')))


class TestRevising:
    @pytest.fixture
    def history(self, parallel_bench, teacher):
        publisher = parallel_bench.publisher(msg.History, names.HISTORY, qos.LATCHED)
        publisher.publish(conversions.history_to_msg(HistoryRecord('s', 1, 2, (
            HistoryEntry(AnswerRecord('q-1', ActionAnswer(3, EAST)),
                         QuestionRecord('q-1', 's', 0, ACTION)),
            HistoryEntry(AnswerRecord('shown', DemonstrationAnswer(((5, WEST),))))))))
        wait_for(lambda: teacher.watcher.history is not None, 'the history')

    def test_an_answer_is_replaced_by_another(self, actions, services, history):
        assert actions.revise('q-1', ActionAnswer(3, NORTH)) == f'{names.LEARNER_REVISE} 1'
        (name, request), = services.calls
        record = conversions.answer_from_msg(request.answer, ACTION)
        assert (name, record.id, record.answer, record.by) == (
            names.LEARNER_REVISE, 'q-1', ActionAnswer(3, NORTH), 'page')
        assert record.stamp > 0

    def test_what_was_shown_unasked_is_replaced_by_other_steps(self, actions, services, history):
        actions.revise('shown', DemonstrationAnswer(((5, NORTH), (2, WEST))))
        record = conversions.answer_from_msg(services.calls[0][1].answer, ACTION)
        assert record.answer == DemonstrationAnswer(((5, NORTH), (2, WEST)))

    @pytest.mark.parametrize(('question', 'given', 'text'), [
        ('q-2', ActionAnswer(3, EAST),
         "no answer 'q-2' counts any more, so it cannot be replaced"),
        ('q-1', YesNoAnswer(3, EAST, False), r'YesNoAnswer\(.*\) does not answer Question'),
        ('shown', ActionAnswer(3, EAST), r'ActionAnswer\(.*\) does not answer Question'),
        ('q-1', ActionAnswer(3, WEST), "'west' leads into a wall at"),
        ('q-1', ActionAnswer(3, 7), 'action must be in')])
    def test_what_does_not_fit_is_refused_here(self, actions, services, history, question, given,
                                               text):
        with pytest.raises(InvalidAnswerError, match=text):
            actions.revise(question, given)
        assert services.calls == []

    def test_every_answer_that_is_offered_instead_is_taken(self, actions, services, history):
        for question in ('q-1', 'shown'):
            offered = actions.offers(question)
            assert len(offered) == (7 if question == 'q-1' else 3)     # not west: a wall
            for offer in offered:
                actions.revise(question, answer_from_json(offer['answer']))
        with pytest.raises(InvalidAnswerError, match="no answer 'q-2' counts any more"):
            actions.offers('q-2')

    def test_before_anything_was_said_nothing_can_be_replaced(self, newcomer):
        with pytest.raises(InvalidAnswerError, match="no answer 'q-1' counts any more"):
            newcomer.actions.revise('q-1', DontKnowAnswer(ACTION))

    def test_what_the_learner_says_is_passed_on(self, actions, services, history):
        services.refusal = 'it was taken back'
        with pytest.raises(ServiceError, match='it was taken back'):
            actions.revise('q-1', DontKnowAnswer(ACTION))


class TestDemonstrating:
    def test_steps_are_shown_to_the_learner(self, actions, learner, teacher):
        assert actions.demonstrate('d-1', [[3, EAST], [4, NORTH]]) is None
        wait_for(lambda: learner, 'the demonstration')
        record = conversions.demonstration_from_msg(learner[0])
        assert (record.id, record.by, record.correction) == ('d-1', 'page', False)
        assert record.answer == DemonstrationAnswer(((3, EAST), (4, NORTH)))
        assert record.stamp > 0
        assert teacher.sender.num_kept == 1

    def test_the_same_id_again_is_the_same_demonstration(self, actions, learner, teacher):
        for _ in range(3):
            actions.demonstrate('d-1', [[3, EAST]])
        wait_for(lambda: learner, 'the demonstration')
        some_time(teacher)
        assert len(learner) == teacher.sender.num_kept == 1

    @pytest.mark.parametrize(('steps', 'text'), [
        ([], 'at least one step, got none'),
        ([[0, 0], [9, 0]], r'state of step 1 must be in 0 \.\. 8, got 9'),
        ([[0, 5]], r'action of step 0 must be in 0 \.\. 4, got 5')])
    def test_what_does_not_exist_is_not_sent(self, actions, teacher, steps, text):
        with pytest.raises(InvalidAnswerError, match=text):
            actions.demonstrate('d-1', steps)
        assert teacher.sender.num_kept == 0

    def test_whatever_is_said_unasked_is_sent(self, teacher, learner):
        shown = [GoHereAnswer((3, 4)), NeverHereAnswer((1,)), OnTheWayAnswer((2,)),
                 WordsAnswer('to the end', (0,))]
        for number, each in enumerate(shown):
            teacher.link.demonstrate(f'd-{number}', each)
        wait_for(lambda: len(learner) == 4, 'what was said')
        assert [conversions.demonstration_from_msg(each).answer for each in learner] == shown
        with pytest.raises(InvalidAnswerError, match=r'of the region must be in 0 \.\. 8, got 9'):
            teacher.link.demonstrate('d-9', GoHereAnswer((9,)))
        assert teacher.sender.num_kept == 4

    def test_words_are_matched_to_the_names_of_the_tasks(self, teacher, learner, monkeypatch):
        def fit(text, task):
            assert (text, task) == ('the left one', teacher.link.watcher.task)
            return (0, 1)
        monkeypatch.setattr(teacher_actions, 'tasks_that_fit', fit)
        understood = teacher.link.say('w-1', 'the left one')
        names_of = teacher.link.watcher.task.candidates.name
        assert understood == f'I understood: {names_of(0)}; {names_of(1)}.'
        wait_for(lambda: learner, 'the words')
        record = conversions.demonstration_from_msg(learner[0])
        assert (record.id, record.answer) == ('w-1', WordsAnswer('the left one', (0, 1)))


# ---- the lesson -----------------------------------------------------------------------------

BUTTONS = {'undo': names.LEARNER_UNDO, 'pause': names.LEARNER_PAUSE,
           'start': names.LEARNER_START, 'finish': names.LEARNER_FINISH,
           'reset': names.LEARNER_RESET, 'go': names.CONTROLLER_GO,
           'stop': names.CONTROLLER_STOP}


def test_each_button_calls_its_service_and_shows_what_it_says(actions, services):
    for number, (button, name) in enumerate(BUTTONS.items(), 1):
        assert getattr(actions, button)() == f'{name} {number}'
    assert [name for name, _ in services.calls] == list(BUTTONS.values())


def test_an_answer_is_taken_back_only_after_it_has_arrived(
        parallel_bench, actions, services, ask, monkeypatch):
    """The learner would otherwise take back the one before."""
    ask('q-1', ACTION)
    actions.answer('q-1', ActionAnswer(3, EAST))
    with monkeypatch.context() as quick:
        quick.setattr(module, 'ARRIVES_WITHIN_S', 0.05)
        with pytest.raises(GbsIrlError, match='the learner has not received your last answer yet, '
                                              'so it cannot take it back; try again in a moment'):
            actions.undo()
    assert services.calls == []
    undoing = threading.Thread(target=actions.undo)
    undoing.start()
    parallel_bench.publisher(msg.Belief, names.BELIEF, qos.LATCHED).publish(
        conversions.belief_to_msg(BeliefRecord(
            's', 1, TASK.hash, Status.ASKING, 'asking', np.array([0.5, 0.25, 0.25]), 0, 0.5, 1.5,
            1, acknowledged=('q-1',))))
    undoing.join(patience(DEADLINE_S))
    assert [name for name, _ in services.calls] == [names.LEARNER_UNDO]


def test_an_answer_that_the_learner_will_never_take_is_forgotten_and_that_is_said(
        parallel_bench, teacher, actions, ask, said, monkeypatch):
    monkeypatch.setattr(QuestionBox.forget_unwanted, '__defaults__', (-1.0,))   # at once
    beliefs = parallel_bench.publisher(msg.Belief, names.BELIEF, qos.LATCHED)
    ask('q-1', ACTION)
    actions.answer('q-1', ActionAnswer(3, EAST))
    assert teacher.link.num_kept == 1

    def learner_asks(question_id):
        beliefs.publish(conversions.belief_to_msg(BeliefRecord(
            's', 1, TASK.hash, Status.ASKING, question_id, np.array([0.5, 0.25, 0.25]), 0, 0.5,
            1.5, 0, question_id=question_id)))
        wait_for(lambda: teacher.watcher.belief is not None
                 and teacher.watcher.belief.question_id == question_id, 'the belief')

    learner_asks('q-1')     # it may be on its way
    assert teacher.link.num_kept == 1
    learner_asks('q-2')
    wait_for(lambda: teacher.link.num_kept == 0, 'the answer to be forgotten')
    wait_for(lambda: 'an answer was not used: the learner no longer asks that question' in said(),
             'the warning')


def test_an_answer_to_a_question_that_no_belief_speaks_of_yet_is_kept_however_late_undo_comes(
        parallel_bench, teacher, actions, ask, monkeypatch):
    """A learner that dies after it has asked does not say any more what it asks."""
    monkeypatch.setattr(QuestionBox.forget_unwanted, '__defaults__', (-1.0,))   # as if long ago
    monkeypatch.setattr(module, 'ARRIVES_WITHIN_S', 0.05)
    parallel_bench.publisher(msg.Belief, names.BELIEF, qos.LATCHED).publish(
        conversions.belief_to_msg(BeliefRecord(
            's', 1, TASK.hash, Status.ASKING, 'q-0', np.array([0.5, 0.25, 0.25]), 0, 0.5, 1.5, 0,
            question_id='q-0')))
    wait_for(lambda: teacher.watcher.belief is not None, 'the belief')
    ask('q-1', ACTION)
    actions.answer('q-1', ActionAnswer(3, EAST))
    with pytest.raises(GbsIrlError, match='the learner has not received your last answer yet'):
        actions.undo()
    assert teacher.link.num_kept == 1


def test_a_go_names_the_stops_that_the_person_knows_of(
        actions, services, teacher, parallel_bench):
    actions.go()
    assert services.calls[-1][1].stops == 0
    executions = parallel_bench.publisher(msg.Execution, names.EXECUTION, qos.LATCHED)
    executions.publish(execution(ExecutionStatus.STOPPED, stops=3))
    wait_for(lambda: teacher.driver.execution is not None, 'the controller')
    actions.go()
    assert services.calls[-1][1].stops == 3


def test_a_state_can_be_asked_about(actions, services):
    assert actions.ask_about(7) == f'{names.ASK_ABOUT} 1'
    assert services.calls[0][1].state == 7


def test_the_learner_can_be_asked_to_think_of_other_tasks(actions, services):
    assert actions.invent() == f'{names.LEARNER_INVENT} 1'


def test_a_place_can_be_shown(actions, services):
    assert actions.show_place('p-1', keep_off=True, column=1, row=0, last_column=2, last_row=1) \
        == f'{names.LEARNER_SHOW_PLACE} 1'
    request = services.calls[0][1]
    assert (request.id, request.shown_by) == ('p-1', 'page')
    assert conversions.place_from_msg(request.place) == Place(True, 1, 0, 2, 1)


def test_a_button_that_is_refused_says_why(actions, services):
    services.refusal = 'not now'
    for button in BUTTONS:
        with pytest.raises(ServiceError, match='not now'):
            getattr(actions, button)()
    with pytest.raises(ServiceError, match='not now'):
        actions.ask_about(0)
    services.refusal = 'there is no lesson yet: waiting for the task'
    with in_language('de'), pytest.raises(ServiceError, match=(
            r'^es gibt noch keine Stunde: wartet auf die Aufgabe$')):
        actions.show_place('p-1', keep_off=True, column=1, row=0, last_column=2, last_row=1)


@for_each('button', BUTTONS)
def test_without_a_learner_or_controller_each_button_says_so(newcomer, button):
    with pytest.raises(ServiceError, match='cannot be reached just now'):
        getattr(newcomer.actions, button)()


@for_each(('name', 'given'), [
    ('answer', ('q', ActionAnswer(3, EAST))), ('demonstrate', ('d', [[0, 0]])), ('way', ([0, 1],)),
    ('walk', (0, [0])), ('rehearse', ()), ('rehearse', (0,)), ('drive', (0,))])
def test_before_the_task_is_known_nothing_can_be_said(newcomer, name, given):
    with pytest.raises(GbsIrlError, match=NO_TASK):
        getattr(newcomer.actions, name)(*given)
    assert newcomer.sender.num_kept == 0


# ---- ways -----------------------------------------------------------------------------------

class TestWays:
    def test_the_shortest_way_is_shown(self, actions):
        assert actions.way([0, 2, 5]) == {'states': [0, 1, 2, 5], 'actions': [EAST, EAST, SOUTH],
                                          'end': '', 'scenes': []}

    def test_where_actions_lead_is_shown(self, actions):
        assert actions.walk(4, [EAST, EAST, NORTH])['states'] == [4, 5, 5, 2]

    @pytest.mark.parametrize(('name', 'given'), [
        ('way', ([],)), ('way', ([0, 9],)), ('walk', (9, [])), ('walk', (0, [5]))])
    def test_what_does_not_exist_is_refused(self, actions, name, given):
        with pytest.raises(InvalidAnswerError):
            getattr(actions, name)(*given)

    @pytest.fixture
    def policy(self, parallel_bench, teacher):
        publisher = parallel_bench.publisher(msg.Policy, names.POLICY, qos.LATCHED)
        publisher.publish(conversions.policy_to_msg(policy_for(TASK, EAST, goals=(2, 5))))
        wait_for(lambda: teacher.watcher.policy is not None, 'the policy')

    def test_nothing_can_be_rehearsed_before_it_is_learned(self, actions):
        with pytest.raises(GbsIrlError, match='nothing has been learned yet that could be shown'):
            actions.rehearse(0)

    def test_what_would_be_done_from_a_state(self, actions, policy):
        assert actions.rehearse(0) == {'states': [0, 1, 2], 'actions': [EAST, EAST],
                                       'end': 'the goal', 'scenes': [], 'warning': ''}
        assert actions.rehearse(7)['end'] == 'it stays here'
        with pytest.raises(InvalidAnswerError, match='state must be in'):
            actions.rehearse(9)

    def test_or_from_where_it_starts_or_is(self, actions, policy, parallel_bench, teacher):
        assert actions.rehearse()['states'][0] == int(np.argmax(TASK.world.start))
        FakeRobot(parallel_bench, TASK.world, Pose(0.5, 1.5, 0.0))
        wait_for(lambda: teacher.driver.state == 3, 'the robot')
        assert actions.rehearse()['states'] == [3, 4, 5]


# ---- the robot ------------------------------------------------------------------------------

class TestRobot:
    def test_it_is_driven_by_one_action(self, actions, teacher, robot, monkeypatch):
        assert actions.drive(SOUTH) is None
        wait_for(lambda: not teacher.driver.is_driving, 'the drive to end')
        assert teacher.driver.state == 7
        # One that has to wait for its turn is a sign of the person from when it came.
        looks = []
        monkeypatch.setattr(teacher, 'steady', lambda: looks.append(threading.current_thread())
                            or time.monotonic())
        person = threading.Thread(target=actions.drive, args=(NORTH,))
        with teacher.exclusive():
            person.start()
            wait_for(lambda: person in looks, 'the command')
            its_turn = time.monotonic()
        person.join()
        assert teacher.driver._sign_at <= its_turn

    @pytest.mark.parametrize(('action', 'text'), [
        (5, r'action must be in 0 \.\. 4, got 5'), (-1, 'action must be in'),
        (True, 'action must be a whole number')])
    def test_an_action_that_does_not_exist_is_refused(self, actions, robot, action, text):
        with pytest.raises(InvalidAnswerError, match=text):
            actions.drive(action)
        assert robot.commands == []

    def test_without_a_robot_it_says_so(self, actions):
        with pytest.raises(GbsIrlError, match='the robot does not say where it is'):
            actions.drive(EAST)

    def test_to_stop_is_to_stop_whoever_drives(self, actions, teacher, robot, services):
        robot.stuck = True      # or it might arrive before it is stopped
        actions.drive(WEST)
        wait_for(lambda: robot.commands, 'the drive')
        # It is called again if the reply is late.
        assert actions.stop().startswith(f'{names.CONTROLLER_STOP} ')
        assert not teacher.driver.is_driving
        wait_for(lambda: robot.stops == 1, 'the stop')

    def test_a_controller_that_takes_the_place_of_a_stopped_one_is_stopped(
            self, actions, parallel_bench, services):
        executions = parallel_bench.publisher(msg.Execution, names.EXECUTION, qos.LATCHED)

        def controller_speaks(challenge):
            executions.publish(execution(ExecutionStatus.DRIVING, challenge=challenge))
        controller_speaks('first')
        actions.stop()
        heard = len(services.calls)
        controller_speaks('second')
        wait_for(lambda: len(services.calls) > heard, 'the stop of the second')
        assert {name for name, _ in services.calls} == {names.CONTROLLER_STOP}

    def test_a_new_controller_is_left_alone_by_whoever_said_go_last(
            self, actions, parallel_bench, services, teacher):
        executions = parallel_bench.publisher(msg.Execution, names.EXECUTION, qos.LATCHED)
        actions.stop()
        actions.go()
        for challenge in ('first', 'second'):
            executions.publish(execution(ExecutionStatus.DRIVING, challenge=challenge))
            wait_for(lambda challenge=challenge: teacher.driver.execution is not None
                     and teacher.driver.execution.challenge == challenge, 'the controller')
        some_time(teacher)
        assert services.calls[-1][0] == names.CONTROLLER_GO

    def test_without_a_controller_what_a_person_drives_is_stopped_nevertheless(
            self, actions, teacher, robot):
        robot.stuck = True
        actions.drive(WEST)
        wait_for(lambda: robot.commands, 'the drive')
        assert actions.stop() == 'stopped'
        assert not teacher.driver.is_driving
        wait_for(lambda: robot.stops == 1, 'the stop')
        with pytest.raises(ServiceError, match='the controller cannot be reached'):
            actions.stop()      # now there is nothing that it could stop

    def test_while_a_stop_holds_a_key_that_stays_pressed_drives_no_further(
            self, actions, teacher, robot, parallel_bench):
        executions = parallel_bench.publisher(msg.Execution, names.EXECUTION, qos.LATCHED)
        robot.stuck = True
        actions.drive(WEST)
        wait_for(lambda: robot.commands, 'the drive')
        executions.publish(execution(ExecutionStatus.STOPPED, reason=ExecutionReason.HELD))
        wait_for(lambda: teacher.driver.gave_up == (
            'The robot was stopped on its way: somebody has pressed STOP'), 'the reason')
        with pytest.raises(GbsIrlError, match=r'^somebody has pressed STOP: let go for a second$'):
            actions.drive(WEST)
        assert not teacher.driver.is_driving
        executions.publish(execution(
            ExecutionStatus.STOPPED, reason=ExecutionReason.NOT_ALLOWED))
        wait_for(lambda: teacher.driver.execution.reason is ExecutionReason.NOT_ALLOWED, 'the end')
        with pytest.raises(GbsIrlError, match=r'^somebody has pressed STOP: let go for a second$'):
            actions.drive(WEST)     # still the same key
        let_go_at = time.monotonic()
        wait_for(lambda: time.monotonic() > let_go_at + person_drive.LET_GO_S, 'a second')
        actions.drive(WEST)

    def test_a_controller_that_comes_after_a_stop_is_stopped(
            self, actions, teacher, robot, parallel_bench):
        robot.stuck = True
        actions.drive(WEST)
        wait_for(lambda: robot.commands, 'the drive')
        assert actions.stop() == 'stopped'
        controller = FakeServices(parallel_bench, [names.CONTROLLER_STOP])
        executions = parallel_bench.publisher(msg.Execution, names.EXECUTION, qos.LATCHED)
        executions.publish(execution(ExecutionStatus.DRIVING, challenge='first'))
        wait_for(lambda: controller.calls, 'the stop')

    def test_no_command_comes_after_the_stop(self, actions, teacher, robot, services, monkeypatch):
        """Somebody presses stop just when the next command is computed."""
        stopping = threading.Thread(target=actions.stop)

        def slow_go(drive, path, pose, now):
            if not stopping.ident:
                stopping.start()
                stopping.join(0.3)      # unless it waits for the end of this
            drive.send(Velocity(1.0, 0.5), now)
            return Progress.UNDER_WAY
        monkeypatch.setattr(SteeringDrive, 'go', slow_go)
        actions.drive(WEST)
        wait_for(lambda: stopping.ident, 'the stop to be pressed')
        stopping.join(patience(DEADLINE_S))
        wait_for(lambda: robot.stops, 'the stop')
        some_time(teacher)
        assert robot.velocities[-1].is_zero


class TestRecording:
    def test_what_the_robot_did_is_shown_to_the_learner(self, actions, teacher, robot, learner):
        assert actions.record() is None
        wait_for(lambda: teacher.driver._recorder._state == 4, 'it to know where it begins')
        for action in (EAST, NORTH):
            actions.drive(action)
            wait_for(lambda: not teacher.driver.is_driving, 'the drive to end')
        assert actions.recorded('d-1') == 2
        assert not teacher.driver.recording
        wait_for(lambda: learner, 'the demonstration')
        record = conversions.demonstration_from_msg(learner[0])
        assert (record.id, record.answer) == ('d-1', DemonstrationAnswer(((4, EAST), (5, NORTH))))

    def test_who_has_not_moved_has_shown_nothing(self, actions, teacher, robot):
        actions.record()
        with pytest.raises(GbsIrlError, match='nothing was recorded: the robot did not move to '
                                              'another place'):
            actions.recorded('d-1')
        assert not teacher.driver.recording
        assert teacher.sender.num_kept == 0

    def test_what_is_discarded_is_not_shown(self, actions, teacher, robot):
        actions.record()
        wait_for(lambda: teacher.driver._recorder._state == 4, 'it to know where it begins')
        actions.drive(EAST)
        wait_for(lambda: teacher.driver.steps, 'a step')
        assert actions.discard() is None
        assert not teacher.driver.recording
        with pytest.raises(GbsIrlError, match='nothing was recorded'):
            actions.recorded('d-1')
        assert teacher.sender.num_kept == 0

    def test_while_the_controller_drives_nothing_is_recorded(self, parallel_bench, actions,
                                                             teacher):
        publisher = parallel_bench.publisher(msg.Execution, names.EXECUTION, qos.LATCHED)
        publisher.publish(execution(ExecutionStatus.DRIVING))
        wait_for(lambda: teacher.driver.corrects, 'the controller')
        with pytest.raises(GbsIrlError, match='Stop it to record a demonstration'):
            actions.record()


# ---- a page that is gone ------------------------------------------------------------------------

@pytest.mark.parametrize(('wanted', 'status', 'stops'), [
    ('by_hand', Status.ASKING, False), ('by_hand', Status.DONE, False),
    ('lesson', Status.ASKING, True), ('lesson', Status.DONE, False),
    ('always', Status.ASKING, True), ('always', Status.DONE, True)])
def test_what_was_started_on_a_page_stops_with_the_page(
        parallel_bench, monkeypatch, wanted, status, stops):
    monkeypatch.setattr(person_drive, 'PERIOD_S', 0.01)
    teacher = parallel_bench.make(Teacher, GuiParameters, name='page', presence_timeout=0.2,
                                  stop_without_page=wanted)
    services = FakeServices(parallel_bench)
    services.wait_until_known(teacher.remote)
    teacher.watcher.belief = BeliefRecord('s', 1, '', status, '', [], 0, 0.0, 0.0, 0)
    clock = [teacher.steady()]
    monkeypatch.setattr(teacher, 'steady', lambda: clock[0])
    teacher.actions.go()
    for _ in range(3):
        clock[0] += 0.15
        teacher.actions.be_present()
        some_time(teacher)
        assert services.calls[-1][0] == names.CONTROLLER_GO
        wait_for(lambda: (teacher.driver._lease_s > 0.2) == stops, 'the controller to be told')
    clock[0] += 0.25
    wait_for(lambda: teacher.driver._started_at is None, 'the page to be missed')
    if stops:
        wait_for(lambda: services.calls[-1][0] == names.CONTROLLER_STOP, 'the stop')
        wait_for(lambda: teacher.driver.gave_up == (
            'The robot was stopped on its way: the page was not heard for 0.2 s'), 'the reason')
    else:
        some_time(teacher)
        assert services.calls[-1][0] == names.CONTROLLER_GO
    teacher.link.close()


def test_a_robot_that_was_stopped_since_is_of_no_concern_to_the_page(
        parallel_bench, monkeypatch):
    monkeypatch.setattr(person_drive, 'SETTLED_S', 0.0)
    teacher = parallel_bench.make(Teacher, GuiParameters, name='page', presence_timeout=60.0)
    services = FakeServices(parallel_bench)
    services.wait_until_known(teacher.remote)
    executions = parallel_bench.publisher(msg.Execution, names.EXECUTION, qos.LATCHED)
    teacher.actions.go()
    executions.publish(execution(ExecutionStatus.DRIVING))
    wait_for(lambda: teacher.driver.execution is not None, 'the robot to drive')
    assert teacher.driver._started_at is not None
    executions.publish(execution(ExecutionStatus.STOPPED, reason=ExecutionReason.NOT_ALLOWED))
    wait_for(lambda: teacher.driver._started_at is None, 'the stop to be seen')
    teacher.link.close()
