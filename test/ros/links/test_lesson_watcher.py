"""What is shown of a lesson, in whatever order it arrives."""

from __future__ import annotations

import contextlib
import itertools
import json
import math
import re
import threading
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='needs ROS 2')

from lesson_fakes import (
    EAST,
    NORTH,
    SOUTH,
    FakeMdp,
    FakeRobot,
    FakeServices,
    execution,
    odometry,
    policy_for,
    some_time,
    square_task,
)
from nav_msgs.msg import Odometry
from waiting import wait_for

from gbs_irl_ros import msg, srv
from gbs_irl_ros.core.answers import ActionAnswer
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.driving.pose import Pose
from gbs_irl_ros.learning.execution import ExecutionReason, ExecutionStatus
from gbs_irl_ros.learning.records import (
    AnswerRecord,
    BeliefRecord,
    HeartbeatRecord,
    HistoryEntry,
    HistoryRecord,
    QuestionRecord,
    Status,
)
from gbs_irl_ros.ros import names, qos
from gbs_irl_ros.ros.base_node import BaseNode
from gbs_irl_ros.ros.links import lesson_topics as module
from gbs_irl_ros.ros.links.teacher_link import TeacherLink
from gbs_irl_ros.ros.messages import conversions
from gbs_irl_ros.ros.robot.backends import RobotParameters
from gbs_irl_ros.tasks import load_task
from gbs_irl_ros.tasks.shown_place import Place
from gbs_irl_ros.teaching.web import views
from gbs_irl_ros.teaching.web.board import Board

pytestmark = pytest.mark.ros

TASK = square_task()
OTHER = square_task('......')       # of as many hypotheses, and fewer states
PARTS = ('task', 'question', 'belief', 'policy', 'history')
ORDERS = [PARTS, PARTS[::-1], *(tuple(np.random.default_rng(seed).permutation(PARTS).tolist())
                                for seed in range(6))]
QUESTION = QuestionRecord('q-1', 's', 1, Question(QuestionKind.ACTION, 7), 'What now?')
HISTORY = HistoryRecord('s', 1, 1, (HistoryEntry(AnswerRecord('q-0', ActionAnswer(3, EAST)),
                                                 QuestionRecord('q-0', 's', 0, Question(
                                                     QuestionKind.ACTION, 3)), said='east'),))


def belief_of(task, probabilities=(0.5, 0.25, 0.25), sequence=1):
    return BeliefRecord('s', sequence, task.hash, Status.ASKING, 'asking',
                        np.array(probabilities), 0, 0.5, 1.5, 1, question_id='q-1')


class Page(BaseNode[RobotParameters]):
    """
    Shows a lesson, as the gui node does.

    shown: what each section shows now. log: all that was shown, in order.
    """

    def __init__(self, name, **options):
        super().__init__(name, RobotParameters, **options)
        self.shown = {}
        self.log = []
        self.board = Board()
        self.board.put = self._show_section
        self.link = TeacherLink(self, self.refresh)
        self.watcher, self.driver = self.link.watcher, self.link.driver
        self.every(0.02, self.refresh)

    def _show_section(self, section, value, language):
        self.board._languages[language].shown[section] = ()
        value = json.loads(json.dumps(value, allow_nan=False))
        self.log.append((section, value))
        self.shown[section] = value

    def refresh(self):
        with self.exclusive():
            self.board.show(self.link.lesson())

    def see(self, what):
        """See a belief, a question, or that none is asked."""
        if isinstance(what, BeliefRecord):
            with self.exclusive():
                self.watcher.belief = what
                self.link._on_lesson('belief')
        elif what is None:
            self.link.question_box.withdraw('')
        else:
            self.ask(what)
            wait_for(lambda: self.link.question_box.question is what, 'the question')
            self.refresh()

    def ask(self, question):
        threading.Thread(target=self.link.question_box.ask, args=(question,), daemon=True).start()

    def has(self, part):
        """Whether a policy or a history has arrived, used or not."""
        return self.watcher.history if part == 'history' else self.watcher._policy_message

    def wait_for_world(self, task):
        wait_for(lambda: self.shown.get('world', {}).get('hash') == task.hash, 'the world')

    def wait_for(self, section, value):
        value = json.loads(json.dumps(value))
        wait_for(lambda: self.shown.get(section, 'nothing') == value, f'{section} to be {value}')


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(module, 'FETCH_PERIOD_S', 0.02)


@pytest.fixture
def page(bench):
    made = bench.make(Page)
    yield made
    made.link.close()


@pytest.fixture
def learner(bench, page):
    """A function that publishes a record as the learner does."""
    topics = {PolicyOf: bench.publisher(msg.Policy, names.POLICY, qos.LATCHED),
              HistoryRecord: bench.publisher(msg.History, names.HISTORY, qos.LATCHED),
              HeartbeatRecord: bench.publisher(msg.Heartbeat, names.HEARTBEAT, qos.HEARTBEATS)}
    make = {PolicyOf: conversions.policy_to_msg, HistoryRecord: conversions.history_to_msg,
            HeartbeatRecord: conversions.heartbeat_to_msg}
    return lambda record: topics[type(record)].publish(make[type(record)](record))


PolicyOf = type(policy_for(TASK))


@pytest.fixture
def mdp(bench, page):
    made = FakeMdp(bench, TASK)
    page.wait_for_world(TASK)
    return made


# ---- the lesson -----------------------------------------------------------------------------

@pytest.mark.parametrize('order', ORDERS, ids='-'.join)
def test_in_any_order_the_same_is_shown_in_the_end(bench, page, learner, order):
    policy = policy_for(TASK)
    for part in order:
        if part == 'task':
            FakeMdp(bench, TASK)
            page.wait_for_world(TASK)
        elif part in ('question', 'belief'):
            page.see(QUESTION if part == 'question' else belief_of(TASK))
        else:
            learner(policy if part == 'policy' else HISTORY)
            wait_for(lambda part=part: page.has(part), part)
    page.wait_for('world', views.world_view(TASK.world))
    page.wait_for('question', views.question_view(QUESTION, TASK))
    page.wait_for('belief', {**views.belief_view(belief_of(TASK), TASK), 'misfit': '',
                             'can_invent': False})
    page.wait_for('history', views.history_view(HISTORY))
    page.wait_for('here', {'actions': [EAST], 'sure': 0.75})
    wait_for(lambda: page.shown.get('policy'), 'the policy')
    for part in ('final', 'sets', 'sure', 'goals'):
        assert page.shown['policy'][part] == views.policy_view(
            policy.policy, False, TASK, None)[part]


def test_the_reward_shown_is_that_of_the_newest_belief(page, mdp, learner):
    """The learner publishes the policy first."""
    learner(policy_for(TASK))
    wait_for(lambda: page.watcher.policy, 'the policy')
    page.see(belief_of(TASK))
    expected = views.policy_view(policy_for(TASK).policy, False, TASK, belief_of(TASK))
    assert page.shown['policy']['reward'] == expected['reward'] != []


def test_the_reward_shown_is_never_that_of_another_task(page, mdp, learner):
    page.see(belief_of(OTHER))
    learner(policy_for(TASK))
    wait_for(lambda: page.shown.get('policy'), 'the policy')
    assert page.shown['policy']['reward'] == []


def test_a_belief_that_is_there_colours_the_policy(page, mdp, learner):
    page.see(belief_of(TASK))
    learner(policy_for(TASK))
    page.wait_for('policy', views.policy_view(policy_for(TASK).policy, False, TASK,
                                              belief_of(TASK)))
    assert page.shown['policy']['reward'] == [1.0, 0.5, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]


def test_a_belief_of_another_task_names_no_likely_ones(page, mdp):
    page.see(belief_of(OTHER))
    assert page.shown['belief']['likely'] == []
    page.see(belief_of(TASK))
    assert [each['name'] for each in page.shown['belief']['likely']] == [
        'go to 0', 'go to 1', 'go to 2']


def test_what_places_add_is_named_and_coloured(page, mdp, learner, bench):
    publisher = bench.publisher(msg.Belief, names.BELIEF, qos.LATCHED)
    learner(policy_for(TASK))
    shown = Place(False, 1, 2, 2, 2)
    grown = replace(belief_of(TASK, (0.125, 0.125, 0.25, 0.5)), map_hypothesis=3, places=(shown,))
    publisher.publish(conversions.belief_to_msg(grown))
    wait_for(lambda: page.shown.get('belief', {}).get('likely'), 'the belief')
    assert [each['name'] for each in page.shown['belief']['likely'][:2]] == [
        'go to (1, 2) to (2, 2)', 'go to 2']
    # The policy may be shown before the belief that its rewards are of.
    wait_for(lambda: (page.shown.get('policy') or {}).get('reward', [])[7:] == [1.0, 1.0],
             'the rewards of the place')
    publisher.publish(conversions.belief_to_msg(belief_of(TASK)))       # taken back
    wait_for(lambda: page.shown['belief']['likely'][0]['name'] == 'go to 0', 'the list')
    assert page.watcher.task is not None
    assert page.watcher.task.rewards.num_rewards == 3


def test_places_that_cannot_be_leave_the_belief_before(page, mdp, bench, said):
    publisher = bench.publisher(msg.Belief, names.BELIEF, qos.LATCHED)
    publisher.publish(conversions.belief_to_msg(belief_of(TASK)))
    wait_for(lambda: page.watcher.belief, 'the belief')
    forged = replace(belief_of(TASK, sequence=2), places=(Place(False, 7, 7, 7, 7),))
    publisher.publish(conversions.belief_to_msg(forged))
    wait_for(lambda: 'on belief: cell (7, 7) is outside the map' in said(), 'the warning')
    assert page.watcher.belief.sequence == 1


def test_before_the_task_is_known_beliefs_are_shown_without_names(page):
    page.see(belief_of(TASK))
    assert page.shown['belief']['likely'] == []
    assert page.shown['belief']['text'] == 'asking'


def test_the_policy_of_another_task_is_not_shown(page, mdp, learner):
    learner(policy_for(OTHER))
    wait_for(lambda: page.has('policy'), 'the policy to arrive')
    some_time(page)
    assert page.link.lesson().policy is None
    assert not page.shown.get('policy')


def test_it_is_shown_as_soon_as_its_task_is_there(page, mdp, learner):
    learner(policy_for(OTHER, sequence=7))
    wait_for(lambda: page.has('policy'), 'the policy to arrive')
    mdp.task = OTHER
    mdp.publish()
    page.wait_for_world(OTHER)
    wait_for(lambda: page.link.lesson().policy and page.shown['policy'], 'the policy')
    assert page.link.lesson().policy.sequence == 7
    assert len(page.shown['policy']['sets']) == OTHER.world.mdp.num_states


def test_the_right_policy_replaces_that_of_another_task(page, mdp, learner):
    learner(policy_for(OTHER))
    wait_for(lambda: page.has('policy'), 'the policy to arrive')
    learner(policy_for(TASK))
    wait_for(lambda: page.link.lesson().policy, 'the right one')


def test_a_damaged_policy_is_refused(page, mdp, learner, bench, said):
    broken = conversions.policy_to_msg(policy_for(TASK))
    broken.checksum = '0' * 64
    bench.publisher(msg.Policy, names.POLICY, qos.LATCHED).publish(broken)
    wait_for(lambda: 'on policy: the policy 1 of session' in said(), 'the warning')
    assert page.watcher.policy is None


def test_a_damaged_policy_leaves_none_that_a_robot_could_obey(page, mdp, learner, bench):
    learner(policy_for(TASK))
    wait_for(lambda: page.shown.get('policy'), 'the policy')
    broken = conversions.policy_to_msg(policy_for(TASK, sequence=2))
    broken.checksum = '0' * 64
    bench.publisher(msg.Policy, names.POLICY, qos.LATCHED).publish(broken)
    wait_for(lambda: page.watcher.policy is None, 'the policy to go')
    page.wait_for('policy', None)


def test_a_new_policy_replaces_the_one_before(page, mdp, learner):
    page.see(QUESTION)
    for number, action in enumerate((EAST, NORTH, SOUTH), 1):
        learner(policy_for(TASK, action, number))
        page.wait_for('here', {'actions': [action], 'sure': 0.75})
        wait_for(lambda action=action: page.shown['policy']['sets'][0] == 1 << action, 'the arrow')


class TestQuestions:
    def test_one_that_is_withdrawn_is_not_shown_any_more(self, page, mdp, learner):
        learner(policy_for(TASK))
        wait_for(lambda: page.watcher.policy, 'the policy')
        page.see(QUESTION)
        assert page.shown['question']['id'] == 'q-1'
        assert page.shown['here'] == {'actions': [EAST], 'sure': 0.75}
        page.see(None)
        assert page.shown['question'] is None
        assert page.shown['here'] is None

    def test_without_a_policy_it_is_not_said_what_would_be_done(self, page, mdp):
        page.see(QUESTION)
        assert page.shown['question'] == json.loads(json.dumps(
            views.question_view(QUESTION, TASK)))
        assert 'here' not in page.shown

    def test_before_the_task_is_known_none_is_shown(self, page):
        page.see(QUESTION)
        assert 'question' not in page.shown

    @pytest.mark.parametrize('asked', [
        Question(QuestionKind.ACTION, 9), Question(QuestionKind.YES_NO, 0, 5)])
    def test_one_about_what_does_not_exist_is_refused(self, page, mdp, asked, bench):
        page.see(QUESTION)
        response = bench.call(
            srv.QueryDemonstrator, names.QUERY_DEMONSTRATOR, srv.QueryDemonstrator.Request(
                question=conversions.question_to_msg(QuestionRecord('q-2', 's', 2, asked))))
        assert not response.ok
        assert re.search(r'must be in 0 \.\. ', response.message)
        assert page.shown['question']['id'] == 'q-1'

    def test_one_that_comes_while_a_new_task_is_shown_is_not_overwritten(self, page, mdp):
        """The page is just being told that nothing is asked, when something is."""
        page.see(QUESTION)
        page.see(None)
        asked = QuestionRecord('q-2', 's', 2, Question(QuestionKind.ACTION, 1))
        show = page.board.put

        def slow_show(section, value, language):
            if section == 'question' and value is None:
                page.board.put = show
                page.ask(asked)
                wait_for(lambda: page.link.question_box.question is asked, 'the question')
                with contextlib.suppress(AssertionError):   # unless it waits for the end of this
                    wait_for(lambda: page.shown['question'], 'it to be shown', deadline_s=0.3)
            show(section, value, language)
        page.board.put = slow_show
        mdp.task = OTHER
        mdp.publish()
        page.wait_for_world(OTHER)
        page.wait_for('question', views.question_view(asked, OTHER))
        some_time(page)
        assert page.shown['question']['id'] == 'q-2'

    def test_one_of_the_task_before_does_not_hide_the_rest_of_the_new_one(
            self, page, mdp, learner):
        """State 7 does not exist in the new world; its policy and belief are there before it."""
        page.see(QUESTION)
        learner(policy_for(OTHER))
        wait_for(lambda: page.has('policy'), 'the policy to arrive')
        page.see(belief_of(OTHER))
        mdp.task = OTHER
        mdp.publish()
        page.wait_for_world(OTHER)
        some_time(page)
        assert page.shown['question'] is None
        assert page.shown['belief']['likely'] != []
        assert len(page.shown['policy']['sets']) == OTHER.world.mdp.num_states


class TestAnotherTask:
    def test_its_world_is_shown_and_driven(self, bench, page, mdp):
        robot = FakeRobot(bench, TASK.world, Pose(4.5, 0.5, 0.0))
        wait_for(lambda: page.driver.pose is not None, 'the robot')
        assert page.driver.state is None
        mdp.task = OTHER
        mdp.publish()
        page.wait_for_world(OTHER)
        assert page.shown['world']['num_states'] == 6
        wait_for(lambda: page.driver.state == 4, 'the robot to be in a cell')
        assert robot.commands == []

    def test_what_was_learned_before_does_not_count(self, page, mdp, learner):
        learner(policy_for(TASK))
        wait_for(lambda: page.watcher.policy, 'the policy')
        mdp.task = OTHER
        mdp.publish()
        page.wait_for_world(OTHER)
        wait_for(lambda: page.shown['policy'] is None, 'the policy to go')
        assert page.link.lesson().policy is None

    def test_what_was_learned_before_is_not_shown(self, page, mdp, learner):
        learner(policy_for(TASK))
        wait_for(lambda: page.shown.get('policy'), 'the policy')
        mdp.task = OTHER
        mdp.publish()
        page.wait_for_world(OTHER)
        some_time(page)
        assert not page.shown['policy'] or not page.shown['policy']['sets']

    def test_the_same_task_again_changes_nothing(self, page, mdp, learner):
        learner(policy_for(TASK))
        wait_for(lambda: page.watcher.policy, 'the policy')
        mdp.publish()
        some_time(page)
        assert page.watcher.policy is not None
        assert [section for section, _ in page.log].count('world') == 1


# ---- the robot ------------------------------------------------------------------------------

class TestRobot:
    def test_at_first_nothing_is_there(self, page):
        page.wait_for('robot', {
            'learner': False, 'controller': False, 'pose': None, 'state': None, 'status': None,
            'reason': None, 'text': '', 'forbidden': None, 'driving': False, 'gave_up': '',
            'corrects': False, 'recording': False, 'steps': [], 'num_steps': 0,
            'stops_without_page': True})

    def test_a_learner_that_beats_is_there_until_it_is_silent(self, page, learner, monkeypatch):
        monkeypatch.setattr(module, 'SILENT_AFTER_S', 0.3)
        beats = itertools.count()
        wait_for(lambda: learner(HeartbeatRecord('s', 1, next(beats)))
                 or page.shown.get('robot', {}).get('learner'), 'the learner')
        wait_for(lambda: not page.shown['robot']['learner'], 'it to be silent')

    def test_a_controller_is_there_when_it_can_stop(self, bench, page):
        FakeServices(bench, [names.CONTROLLER_STOP])
        wait_for(lambda: page.shown.get('robot', {}).get('controller'), 'the controller')

    @pytest.mark.parametrize(('pose', 'shown', 'state'), [
        (Pose(0.5, 2.5, 0.0), [0.0, 0.0, 0], 0),
        (Pose(1.5, 1.5, math.pi / 2.0), [1.0, 1.0, -90], 4),
        (Pose(2.75, 0.25, -math.pi / 4.0), [2.25, 2.25, 45], 8),
        (Pose(-1.0, 5.5, 3.0), [-1.5, -3.0, -172], None)])
    def test_where_it_is_on_the_map(self, bench, page, mdp, pose, shown, state):
        """In cells to the right and down from the middle of the upper left one."""
        publisher = bench.publisher(Odometry, names.ODOM, qos.EVENTS)
        publisher.publish(odometry(pose))
        wait_for(lambda: page.shown.get('robot', {}).get('pose') == shown, f'{shown}')
        assert page.shown['robot']['state'] == state

    def test_without_a_map_it_is_nowhere(self, bench, page):
        task = load_task('random_mdp')
        FakeMdp(bench, task)
        page.wait_for_world(task)
        bench.publisher(Odometry, names.ODOM, qos.EVENTS).publish(odometry(Pose(0.0, 0.0, 0.0)))
        wait_for(lambda: page.driver.pose, 'the odometry')
        some_time(page)
        assert page.shown['robot']['pose'] is None

    def test_what_the_controller_does(self, bench, page):
        publisher = bench.publisher(msg.Execution, names.EXECUTION, qos.LATCHED)
        publisher.publish(execution(
            ExecutionStatus.UNSURE, reason=ExecutionReason.LOW_CONFIDENCE, data=('0.10', '0.70'),
            state=3))
        wait_for(lambda: page.shown.get('robot', {}).get('status') == 'unsure', 'the status')
        assert page.shown['robot']['reason'] == 'low_confidence'
        assert page.shown['robot']['text'] == (
            'not sure what to do at state 3: confidence 0.10, at least 0.70 is needed')
        assert page.shown['robot']['corrects'] is True

    def test_what_is_driven_and_recorded(self, bench, page, mdp, monkeypatch):
        monkeypatch.setattr(views, 'MAX_STEPS_SHOWN', 1)
        FakeRobot(bench, TASK.world)
        wait_for(lambda: page.driver.state == 4, 'the robot')
        with page.exclusive():
            page.driver.start_recording()
        wait_for(lambda: page.shown['robot']['recording'], 'the recording')
        for action in (EAST, NORTH):
            with page.exclusive():
                page.driver.drive(action)
            wait_for(lambda: page.shown['robot']['driving'], 'the drive')
            wait_for(lambda: not page.shown['robot']['driving'], 'the end of the drive')
        wait_for(lambda: page.shown['robot']['num_steps'] == 2, 'both steps')
        assert page.shown['robot']['steps'] == [[5, NORTH]]
        assert page.shown['robot']['state'] == 2


class TestWhereARehearsalBegins:
    def test_without_a_task_at_the_first_state(self, page):
        assert page.link.lesson().start_state == 0

    def test_without_a_robot_where_it_likeliest_starts(self, bench, page):
        task = square_task(start=[0.2, 0.2, 0.0, 0.0, 0.0, 0.6, 0.0, 0.0, 0.0])
        FakeMdp(bench, task)
        page.wait_for_world(task)
        assert page.link.lesson().start_state == 5

    def test_where_the_robot_is(self, bench, page, mdp):
        bench.publisher(Odometry, names.ODOM, qos.EVENTS).publish(odometry(Pose(2.5, 0.5, 0.0)))
        wait_for(lambda: page.driver.state == 8, 'the robot')
        assert page.link.lesson().start_state == 8
