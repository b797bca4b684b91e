"""The controller as a managed node: unless it is active, it moves nothing."""

from __future__ import annotations

import pytest
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState, GetAvailableTransitions
from road import PlayedLearner, Road
from std_srvs.srv import Trigger
from waiting import wait_for

from gbs_irl_ros.learning.execution import ExecutionReason, ExecutionStatus
from gbs_irl_ros.learning.execution_sentences import execution_text


class Managed(Road):
    """A robot whose controller waits for somebody who activates it."""

    def __init__(self, graph, folder, **controller):
        super().__init__(graph, folder, autostart=False, **controller)
        self.learner = PlayedLearner(graph, self.task)

    def change(self, label):
        """Do as `ros2 lifecycle set` does; return whether it worked."""
        offered = self.graph.call(GetAvailableTransitions,
                                  'controller/get_available_transitions').available_transitions
        wanted = [each.transition for each in offered if each.transition.label == label]
        request = ChangeState.Request(
            transition=wanted[0] if wanted else Transition(label=label))
        return self.graph.call(ChangeState, 'controller/change_state', request).success

    def wait_for_reason(self, text):
        wait_for(lambda: self.execution and text in execution_text(self.execution),
                 lambda: f'{text!r}; it is {self.execution}')

    def is_silent(self):
        """Return whether the controller says nothing to a robot that tells where it is."""
        commands, heard = len(self.commands), len(self.odometry)
        wait_for(lambda: len(self.odometry) >= heard + 10, 'more odometry')
        return len(self.commands) == commands


def test_only_an_active_controller_drives(graph, tmp_path):
    road = Managed(graph, tmp_path)
    road.wait_for_reason('the controller is unconfigured, so it moves nothing: '
                         'ros2 lifecycle set /controller configure')
    assert not road.change('activate')      # with rclpy's own node this would be its end
    road.controller.wait_for_line("transition 'activate' is not possible")
    assert road.change('configure')
    road.wait_for_reason('ros2 lifecycle set /controller activate')
    refused = road.allow()
    assert not refused.success
    assert 'the controller is inactive' in refused.message
    assert road.is_silent()
    assert not road.commands
    assert road.change('activate')
    road.wait_for_reason('motion is not allowed yet')
    assert road.allow().success
    road.wait_until_driving()

    assert road.change('deactivate')
    road.wait_for_reason('the controller is inactive')
    wait_for(lambda: road.commands[-1].linear.x == 0.0, 'the last command')
    assert road.is_silent()
    assert graph.call(Trigger, 'controller/stop').success       # works in every state
    assert road.commands[-1].linear.x == 0.0
    assert road.change('activate')
    road.wait_for_reason('motion is not allowed yet')       # what was allowed before is over
    assert road.change('shutdown')
    road.wait_for_reason('the controller has been shut down')
    assert road.execution.reason is ExecutionReason.SHUT_DOWN
    assert not road.change('configure')


def test_a_stop_outlives_every_transition_even_where_the_launch_file_allows_motion(
        graph, tmp_path):
    road = Managed(graph, tmp_path, allow_motion=True)
    for label in ('configure', 'activate'):
        assert road.change(label)
    road.wait_until_driving()
    for label in ('deactivate', 'activate'):
        assert road.change(label)
    road.wait_until_driving()       # as the launch file has allowed
    assert graph.call(Trigger, 'controller/stop').success
    for label in ('deactivate', 'cleanup', 'configure', 'activate'):
        assert road.change(label)
    road.wait_for_reason('motion is not allowed yet')
    assert road.execution.status is ExecutionStatus.STOPPED


@pytest.mark.parametrize(('parameters', 'text'), [
    ({'policy_file': 'missing.json'}, 'configure has failed: there is no policy to follow: '),
    ({'confidence': 7.0}, "configure has failed: parameter 'confidence' must be in 0 .. 1")])
def test_what_is_wrong_is_said_to_who_configures_it(graph, tmp_path, parameters, text):
    road = Managed(graph, tmp_path, **parameters)
    assert not road.change('configure')
    road.controller.wait_for_line(text)
    road.wait_for_reason('the controller is unconfigured')
