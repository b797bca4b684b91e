"""A goal that was given to Nav2: what happens to it when messages are lost."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

pytest.importorskip('rclpy', reason='needs ROS 2')

from rclpy.task import Future
from unique_identifier_msgs.msg import UUID

from gbs_irl_ros.driving.navigation import Outcome
from gbs_irl_ros.ros.robot.nav2 import CANCEL_AGAIN_S, Nav2Goal

pytestmark = pytest.mark.ros


class FakeClient:
    """An action client whose requests go nowhere. cancels: how many there were."""

    _action_type = SimpleNamespace(Impl=SimpleNamespace(
        SendGoalService=SimpleNamespace(Response=SimpleNamespace)))

    def __init__(self):
        self.cancels, self.response = 0, Future()

    def send_goal_async(self, message, feedback, goal_id):
        self.feedback = feedback
        return self.response

    def _cancel_goal_async(self, handle):
        self.cancels += 1
        return Future()

    def _get_result_async(self, handle):
        return Future()


@pytest.fixture
def client():
    return FakeClient()


@pytest.fixture
def node():
    made = SimpleNamespace(now=100.0, guarded=lambda callback, where: callback)
    made.steady = lambda: made.now
    return made


def test_a_goal_that_is_pursued_though_it_was_cancelled_is_cancelled_again(client, node):
    goal = Nav2Goal(node, client, None, UUID())
    client.feedback(None)
    assert client.cancels == 0
    goal.cancel()
    for later in (0.1, CANCEL_AGAIN_S, CANCEL_AGAIN_S + 0.1, 2.0 * CANCEL_AGAIN_S):
        node.now = 100.0 + later
        client.feedback(None)
    assert client.cancels == 2
    node.now += CANCEL_AGAIN_S
    client.feedback(None)
    assert client.cancels == 3


def test_a_goal_that_is_accepted_after_it_was_cancelled_is_cancelled_then(client, node):
    goal = Nav2Goal(node, client, None, UUID())
    goal.cancel()
    handle = SimpleNamespace(accepted=True, cancels=0, get_result_async=Future)
    handle.cancel_goal_async = lambda: setattr(handle, 'cancels', handle.cancels + 1) or Future()
    goal._on_response(SimpleNamespace(result=lambda: handle))
    assert (goal.outcome, client.cancels, handle.cancels) == (Outcome.ACCEPTED, 1, 1)
