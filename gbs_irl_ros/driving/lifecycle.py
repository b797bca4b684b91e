"""
The life of a managed node: unconfigured, inactive, active, finalised, and the ways between.

States and transitions have the numbers and names of ROS 2 (rcl_lifecycle), so that its tools and
the lifecycle manager of Nav2 know them. A transition that is not possible is refused with a
sentence; in rclpy's own lifecycle node it ends the process (rclpy#1209).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from gbs_irl_ros.core.errors import GbsIrlError


class LifecycleError(GbsIrlError):
    """A transition that is not possible, or has failed."""


class State(NamedTuple):
    """Where a managed node is in its life."""

    id: int
    label: str


class Transition(NamedTuple):
    """A way from one state to another."""

    id: int
    label: str
    start: State
    goal: State


UNKNOWN = State(0, 'unknown')
UNCONFIGURED = State(1, 'unconfigured')
INACTIVE = State(2, 'inactive')
ACTIVE = State(3, 'active')
FINALIZED = State(4, 'finalized')
CONFIGURING = State(10, 'configuring')
CLEANING_UP = State(11, 'cleaningup')
SHUTTING_DOWN = State(12, 'shuttingdown')
ACTIVATING = State(13, 'activating')
DEACTIVATING = State(14, 'deactivating')
PROCESSING_ERROR = State(15, 'errorprocessing')
STATES = (UNKNOWN, UNCONFIGURED, INACTIVE, ACTIVE, FINALIZED, CONFIGURING, CLEANING_UP,
          SHUTTING_DOWN, ACTIVATING, DEACTIVATING, PROCESSING_ERROR)
CONFIGURE, CLEAN_UP, ACTIVATE, DEACTIVATE, SHUT_DOWN = (
    'configure', 'cleanup', 'activate', 'deactivate', 'shutdown')
SUCCESS, FAILURE, ERROR = 'transition_success', 'transition_failure', 'transition_error'
TRANSITIONS = (
    Transition(1, CONFIGURE, UNCONFIGURED, CONFIGURING),
    Transition(10, SUCCESS, CONFIGURING, INACTIVE),
    Transition(11, FAILURE, CONFIGURING, UNCONFIGURED),
    Transition(12, ERROR, CONFIGURING, PROCESSING_ERROR),
    Transition(2, CLEAN_UP, INACTIVE, CLEANING_UP),
    Transition(20, SUCCESS, CLEANING_UP, UNCONFIGURED),
    Transition(21, FAILURE, CLEANING_UP, INACTIVE),
    Transition(22, ERROR, CLEANING_UP, PROCESSING_ERROR),
    Transition(3, ACTIVATE, INACTIVE, ACTIVATING),
    Transition(30, SUCCESS, ACTIVATING, ACTIVE),
    Transition(31, FAILURE, ACTIVATING, INACTIVE),
    Transition(32, ERROR, ACTIVATING, PROCESSING_ERROR),
    Transition(4, DEACTIVATE, ACTIVE, DEACTIVATING),
    Transition(40, SUCCESS, DEACTIVATING, INACTIVE),
    Transition(41, FAILURE, DEACTIVATING, ACTIVE),
    Transition(42, ERROR, DEACTIVATING, PROCESSING_ERROR),
    Transition(5, SHUT_DOWN, UNCONFIGURED, SHUTTING_DOWN),
    Transition(6, SHUT_DOWN, INACTIVE, SHUTTING_DOWN),
    Transition(7, SHUT_DOWN, ACTIVE, SHUTTING_DOWN),
    Transition(50, SUCCESS, SHUTTING_DOWN, FINALIZED),
    Transition(51, FAILURE, SHUTTING_DOWN, FINALIZED),
    Transition(52, ERROR, SHUTTING_DOWN, PROCESSING_ERROR),
    Transition(60, SUCCESS, PROCESSING_ERROR, UNCONFIGURED),
    Transition(61, FAILURE, PROCESSING_ERROR, FINALIZED),
    Transition(62, ERROR, PROCESSING_ERROR, FINALIZED),
)
# What leads from a state towards an active node; from the last nothing does.
NEXT = {UNCONFIGURED: CONFIGURE, INACTIVE: ACTIVATE}


class Lifecycle:
    """
    Where a node is in its life.

    state: now; while a step is under way, one of the states between.
    """

    def __init__(self, steps: Mapping[str, Callable[[], None]],
                 saw: Callable[[Transition], None], on_error: Callable[[], None]) -> None:
        """
        Begin unconfigured.

        :param steps: what is done in a transition, by its label; one may refuse it by raising a
            GbsIrlError.
        :param saw: is called after each change of state.
        :param on_error: is called when a step has raised anything else; the node is unconfigured
            then.
        """
        self.state = UNCONFIGURED
        self._steps, self._saw, self._on_error = steps, saw, on_error

    @property
    def available(self) -> list[Transition]:
        """Return the transitions that lead from here."""
        return [each for each in TRANSITIONS if each.start == self.state]

    def change(self, label: str = '', number: int = 0) -> None:
        """
        Go through a transition that is known by its label or by its number.

        Raise if it does not lead from here, or has failed; the state is one of rest then, too.
        """
        step = next((each for each in self.available if each.label in self._steps
                     and (each.label == label if label else each.id == number)), None)
        if step is None:
            possible = ', '.join(each.label for each in self.available) or 'none'
            raise LifecycleError(f'transition {label or number!r} is not possible while the node '
                                 f'is {self.state.label}; possible: {possible}')
        self._go(step)
        try:
            self._steps[step.label]()
        except GbsIrlError as error:
            self._finish(FAILURE)
            raise LifecycleError(f'{step.label} has failed: {error}; the node is '
                                 f'{self.state.label}') from error
        except Exception as error:
            self._finish(ERROR)
            try:
                self._on_error()
            finally:
                self._finish(SUCCESS)
            raise LifecycleError(f'{step.label} has failed: {error!r}; the node is '
                                 f'{self.state.label}') from error
        self._finish(SUCCESS)

    def _finish(self, label: str) -> None:
        self._go(next(each for each in self.available if each.label == label))

    def _go(self, transition: Transition) -> None:
        self.state = transition.goal
        self._saw(transition)
