"""A managed node answers as rclpy's own does, and survives what ends that one."""

from __future__ import annotations

import pytest

pytest.importorskip('rclpy', reason='needs ROS 2')

from lifecycle_msgs.msg import Transition, TransitionEvent
from lifecycle_msgs.srv import ChangeState, GetAvailableStates, GetAvailableTransitions, GetState
from rclpy.lifecycle import LifecycleNode
from waiting import wait_for

from gbs_irl_ros.ros import qos
from gbs_irl_ros.ros.base_node import BaseNode, NodeParameters
from gbs_irl_ros.ros.links.lifecycle_services import LifecycleServices

pytestmark = pytest.mark.ros

STEPS = ('configure', 'activate', 'deactivate', 'cleanup', 'shutdown')


@pytest.fixture
def both(bench):
    """Ours and rclpy's, by their names."""
    ours = bench.make(BaseNode, NodeParameters, name='ours')
    ours.lifecycle = LifecycleServices(
        ours, {label: lambda: None for label in STEPS}, lambda: None)
    theirs = bench.add(LifecycleNode('theirs', context=bench.context))
    return [each.get_name() for each in (ours, theirs)]


def change(bench, name, label='', number=0):
    request = ChangeState.Request(transition=Transition(id=number, label=label))
    return bench.call(ChangeState, f'{name}/change_state', request).success


def described(bench, name, service):
    response = bench.call(GetAvailableTransitions, f'{name}/{service}')
    return {(each.transition.id, each.transition.label, each.start_state.id,
             each.start_state.label, each.goal_state.id, each.goal_state.label)
            for each in response.available_transitions}


def answers(bench, name):
    """Return all that a node tells about its life."""
    state = bench.call(GetState, f'{name}/get_state').current_state
    states = bench.call(GetAvailableStates, f'{name}/get_available_states').available_states
    return ((state.id, state.label), {(each.id, each.label) for each in states},
            described(bench, name, 'get_available_transitions'),
            described(bench, name, 'get_transition_graph'))


def test_it_answers_as_the_node_of_rclpy_does(bench, both):
    heard = {name: bench.listen(TransitionEvent, f'{name}/transition_event', qos.EVENTS)
             for name in both}
    wait_for(lambda: all(bench.node.count_publishers(f'{name}/transition_event')
                         and bench.node.count_subscribers(f'{name}/transition_event')
                         for name in both), 'who publishes events')
    for step in (None, {'label': 'configure'}, {'number': 3}, {'number': 4},
                 {'label': 'cleanup'}, {'number': 1}, {'label': 'shutdown'}):
        assert step is None or [change(bench, name, **step) for name in both] == [True, True]
        ours, theirs = (answers(bench, name) for name in both)
        assert ours == theirs
    # Which transition it was, rclpy leaves out.
    events = [[(each.start_state.label, each.goal_state.label)
               for each in wait_for(lambda name=name: len(heard[name]) >= 12 and heard[name],
                                    f'the events of {name}')] for name in both]
    assert events[0] == events[1]


def test_what_is_not_possible_is_refused_and_said(bench, both, said):
    ours = both[0]
    for wrong in ({'label': 'activate'}, {'number': 3}, {'label': 'x' * 30_000}, {'number': 99}):
        assert not change(bench, ours, **wrong)
    assert "transition 'activate' is not possible while the node is unconfigured" in said()
    assert change(bench, ours, 'configure')
