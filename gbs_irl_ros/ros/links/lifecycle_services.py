"""The standard interface of a managed node: what `ros2 lifecycle` and lifecycle managers call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from lifecycle_msgs.msg import (
    State as StateMsg,
    Transition as TransitionMsg,
    TransitionDescription,
    TransitionEvent,
)
from lifecycle_msgs.srv import ChangeState, GetAvailableStates, GetAvailableTransitions, GetState

from gbs_irl_ros.driving.lifecycle import (
    STATES,
    TRANSITIONS,
    Lifecycle,
    LifecycleError,
    State,
    Transition,
)
from gbs_irl_ros.ros import names, qos
from gbs_irl_ros.ros.base_node import BaseNode


class LifecycleServices:
    """
    The life of a node, as others see and change it.

    Serves: ~/change_state, ~/get_state, ~/get_available_states, ~/get_available_transitions,
    ~/get_transition_graph. Publishes: ~/transition_event. All of lifecycle_msgs.
    """

    def __init__(self, node: BaseNode, steps: Mapping[str, Callable[[], None]],
                 on_error: Callable[[], None]) -> None:
        """Serve a node; :class:`Lifecycle` says what the other arguments are."""
        self._node = node
        self.life = Lifecycle(steps, self._publish, on_error)
        self._events = node.create_publisher(TransitionEvent, names.TRANSITION_EVENT, qos.EVENTS)
        node.serve(ChangeState, names.CHANGE_STATE, self._handle_change_state)
        node.serve(GetState, names.GET_STATE, self._handle_get_state)
        node.serve(GetAvailableStates, names.GET_AVAILABLE_STATES, self._handle_get_states)
        node.serve(GetAvailableTransitions, names.GET_AVAILABLE_TRANSITIONS,
                   lambda _, response: _described(response, self.life.available))
        node.serve(GetAvailableTransitions, names.GET_TRANSITION_GRAPH,
                   lambda _, response: _described(response, TRANSITIONS))

    def _handle_change_state(self, request: Any, response: Any) -> Any:
        try:
            self.life.change(request.transition.label, request.transition.id)
        except LifecycleError as error:     # the response has no field for it
            self._node.get_logger().error(str(error))
            response.success = False
            return response
        response.success = True
        return response

    def _handle_get_state(self, request: Any, response: Any) -> Any:
        response.current_state = _state_to_msg(self.life.state)
        return response

    def _handle_get_states(self, request: Any, response: Any) -> Any:
        response.available_states = [_state_to_msg(each) for each in STATES]
        return response

    def _publish(self, transition: Transition) -> None:
        self._node.get_logger().debug(f'{transition.start.label}: {transition.label}')
        self._events.publish(TransitionEvent(
            timestamp=self._node.stamp(), transition=_transition_to_msg(transition),
            start_state=_state_to_msg(transition.start),
            goal_state=_state_to_msg(transition.goal)))


def _described(response: Any, transitions: Iterable[Transition]) -> Any:
    response.available_transitions = [TransitionDescription(
        transition=_transition_to_msg(each), start_state=_state_to_msg(each.start),
        goal_state=_state_to_msg(each.goal)) for each in transitions]
    return response


def _state_to_msg(state: State) -> StateMsg:
    return StateMsg(id=state.id, label=state.label)


def _transition_to_msg(transition: Transition) -> TransitionMsg:
    return TransitionMsg(id=transition.id, label=transition.label)
