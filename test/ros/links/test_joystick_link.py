"""A joystick over ROS: it answers, drives only while it is held and heard, and can be stopped."""

from __future__ import annotations

import math
import threading

import pytest

pytest.importorskip('rclpy', reason='needs ROS 2')

from lesson_fakes import FakeMdp, FakeRobot, FakeServices, some_time, square_task
from rclpy.parameter import Parameter
from sensor_msgs.msg import Joy
from waiting import DEADLINE_S, patience, wait_for

from gbs_irl_ros.core.answers import ActionAnswer, YesNoAnswer
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.learning.records import QuestionRecord
from gbs_irl_ros.nodes.gui import GuiParameters
from gbs_irl_ros.ros import names, qos
from gbs_irl_ros.ros.base_node import BaseNode
from gbs_irl_ros.ros.links import lesson_topics
from gbs_irl_ros.ros.links.joystick_link import JoystickLink, TeacherParameters
from gbs_irl_ros.ros.links.teacher_link import TeacherLink
from gbs_irl_ros.ros.parameters import ParameterError
from gbs_irl_ros.teaching import joystick as module

pytestmark = pytest.mark.ros

TASK = square_task()
A, B, X, Y, LB, RB, BACK = range(7)
EAST = 1
PERIOD_S = 0.02


class Teacher(BaseNode[GuiParameters]):
    """A node at which a person teaches, page or terminal; said: what the person was told."""

    def __init__(self, name, **options):
        super().__init__(name, GuiParameters, **options)
        self.said = []
        self.link = TeacherLink(self, lambda: None)
        self.joystick = JoystickLink(self, self.link, self.said.append)


class FakeJoystick:
    """Says again and again what is held, as joy does with autorepeat_rate; or nothing."""

    def __init__(self, bench, teacher):
        self.axes, self.buttons, self.is_silent = [0.0] * 8, [0] * 11, False
        self.num_sent = 0
        self._heard = teacher.joystick._teacher
        self._publisher = bench.publisher(Joy, 'joy', qos.EVENTS)
        bench.node.create_timer(PERIOD_S, self._say)

    def hold(self, *buttons, right=0.0):
        """Hold this from now on; return when it has been heard."""
        self.axes = [-right, *[0.0] * 7]
        self.buttons = [int(number in buttons) for number in range(11)]
        direction = '' if not right else 'right' if right > 0.0 else 'left'

        def is_heard():
            state = self._heard._state
            return not state._is_first and state.direction == direction and state.held == {
                name for name, number in state._layout.buttons.items() if number in buttons}
        wait_for(is_heard, 'the joystick to be heard')

    def wait(self):
        """Wait until what is held has been said several times."""
        sent = self.num_sent
        wait_for(lambda: self.num_sent >= sent + 4, 'the joystick to be heard')

    def tap(self, *buttons, right=0.0):
        self.hold(*buttons, right=right)
        self.hold()

    def _say(self):
        if not self.is_silent:
            self._publisher.publish(Joy(axes=self.axes, buttons=self.buttons))
        self.num_sent += 1


@pytest.fixture
def teacher(parallel_bench, monkeypatch):
    monkeypatch.setattr(lesson_topics, 'FETCH_PERIOD_S', 0.02)
    monkeypatch.setattr(module, 'SILENCE_S', 30.0)      # a busy machine may be silent for long
    made = parallel_bench.make(Teacher, name='page', max_speed=0.5, max_turn=4.0, port=0,
                               odometry_timeout=5.0, presence_timeout=60.0, joy_topic='joy')
    FakeMdp(parallel_bench, TASK)
    watcher = made.link.watcher
    wait_for(lambda: watcher.task is not None and watcher.world is not None, 'the task')
    yield made
    made.link.close()


@pytest.fixture
def joystick(parallel_bench, teacher):
    made = FakeJoystick(parallel_bench, teacher)
    made.hold()
    return made


@pytest.fixture
def robot(parallel_bench, teacher):
    made = FakeRobot(parallel_bench, TASK.world)
    made.wait_until_known(teacher.link.driver)
    return made


def asked(teacher, question):
    """Put a question on the desk; return what will be the answer."""
    got = []
    asking = threading.Thread(target=lambda: got.append(teacher.link.question_box.ask(
        QuestionRecord('q-1', 's', 0, question))), daemon=True)
    asking.start()
    wait_for(lambda: teacher.link.question_box.question is not None, 'the question')

    def answer():
        asking.join(patience(DEADLINE_S))
        return got[0].answer
    return answer


def test_it_answers_and_takes_back(parallel_bench, teacher, joystick):
    services = FakeServices(parallel_bench)
    services.wait_until_known(teacher.link.services)
    answer = asked(teacher, Question(QuestionKind.ACTION, 3))
    joystick.tap(X)         # does not answer this
    joystick.tap(right=1.0)
    assert answer() == ActionAnswer(3, EAST)
    teacher.link.question_box.acknowledge(['q-1'])
    joystick.tap(BACK)
    wait_for(lambda: 'Answer removed.' in teacher.said, 'the answer to be removed')
    assert [name for name, _ in services.calls] == [names.LEARNER_UNDO]
    joystick.tap(B)
    wait_for(lambda: 'STOPPED' in teacher.said, 'the controller to be stopped')
    assert services.calls[-1][0] == names.CONTROLLER_STOP
    assert teacher.said[0] == 'joystick: no does not answer: '


def test_it_drives_only_while_the_dead_man_button_is_held(teacher, joystick, robot, monkeypatch):
    joystick.hold(right=1.0)
    some_time(teacher)
    assert robot.commands == []
    joystick.hold()
    for end in ('released', 'silent', 'STOP', 'STOP on the page'):
        teacher.said.clear()
        joystick.hold(LB)
        joystick.hold(LB, right=(1.0 if robot.pose.x < 2.0 else -1.0))
        wait_for(lambda: robot.velocities and not robot.velocities[-1].is_zero, 'it to drive')
        if end == 'released':
            joystick.hold(right=1.0)
        elif end == 'silent':
            joystick.is_silent = True
            monkeypatch.setattr(module, 'SILENCE_S', 0.5)
        elif end == 'STOP':
            joystick.hold(LB, B, right=1.0)
        else:
            teacher.link.stop()
        wait_for(lambda: robot.velocities[-1].is_zero, f'it to stop: {end}')
        count = len(robot.commands)
        joystick.wait()
        some_time(teacher, ticks=30)        # what is still held drives no more
        assert all(each.is_zero for each in robot.velocities[count:]), end
        assert not teacher.link.driver.is_driving
        if end == 'silent':
            wait_for(lambda: any('was not heard' in said for said in teacher.said), 'the reason')
            monkeypatch.setattr(module, 'SILENCE_S', 30.0)
        joystick.is_silent = False
        joystick.hold()


def test_what_it_drives_is_recorded_as_a_demonstration(parallel_bench, teacher, joystick, robot):
    joystick.tap(RB)
    joystick.hold(LB)
    joystick.hold(LB, right=1.0)
    wait_for(lambda: teacher.link.driver.steps, 'a step')
    joystick.hold()
    assert teacher.link.driver.steps == ((4, EAST),)
    joystick.tap(RB)
    wait_for(lambda: teacher.link.sender.num_kept == 1, 'the demonstration')
    assert teacher.said[0] == 'joystick: recording: drive now'
    assert teacher.said[-1] == 'joystick: sent a demonstration of 1 step'


def test_nonsense_is_ignored_with_one_warning_and_parameters_count_at_once(
        teacher, joystick, robot, monkeypatch):
    warned = []
    monkeypatch.setattr(teacher.get_logger(), 'warning', warned.append)
    for axes, buttons in (([math.nan] * 8, [1] * 11), ([0.0] * 3, [1] * 11), ([0.0] * 8, [1] * 2),
                          ([], []), ([math.inf] * 8, [2**31 - 1] * 11), ([0.0] * 2000, [])):
        joystick.axes, joystick.buttons = axes, buttons
        joystick.wait()
        wait_for(lambda: warned, 'the warning')
    assert len(warned) == 1
    assert warned[0].startswith('what the joystick says is ignored: axis 0 of the joystick')
    assert (robot.commands, teacher.said) == ([], [])
    answer = asked(teacher, Question(QuestionKind.YES_NO, 3, EAST))
    assert teacher.set_parameters([Parameter('joy_yes', value=10)])[0].successful
    joystick.hold()
    joystick.tap(A)
    wait_for(lambda: teacher.joystick._layout.yes == 10, 'the other button')
    joystick.tap(10)
    assert answer() == YesNoAnswer(3, EAST, True)
    refused = teacher.set_parameters([Parameter('joy_no', value=10)])[0]
    assert not refused.successful
    assert refused.reason == "parameters 'joy_...': no must differ from yes, got 10 for both"


def test_without_a_topic_nothing_is_heard_and_a_wrong_name_is_refused(parallel_bench):
    made = parallel_bench.make(Teacher, name='page', port=0)
    assert made.count_subscribers('joy') == 0
    made.link.close()
    with pytest.raises(ParameterError, match=r"parameter 'joy_topic' must be the name of a topic, "
                                             r"got 'my joystick': Invalid topic name"):
        TeacherParameters(joy_topic='my joystick')
