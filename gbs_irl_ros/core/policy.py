"""A policy that allows several actions, with how sure the learner is of it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from gbs_irl_ros.core.errors import InvalidPolicyError
from gbs_irl_ros.core.mdp import MAX_ACTIONS
from gbs_irl_ros.core.planning.greedy_sets import unpack


@dataclass(frozen=True, eq=False)
class Policy:
    """
    What to do in every state.

    action_sets: ``[S]`` uint64; bit a is set if action a may be taken. Never 0.
    confidence: ``[S]`` in [0, 1]: posterior mass that calls the surest of these actions optimal.
    goal_states: where the task is accomplished.
    num_actions: A.
    never: what must not be entered on the way, unless a person allows it.
    """

    action_sets: np.ndarray
    confidence: np.ndarray
    goal_states: np.ndarray
    num_actions: int
    never: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    def __post_init__(self) -> None:
        sets = np.array(self.action_sets, dtype=np.uint64)
        confidence = np.array(self.confidence, dtype=np.float64)
        goals = np.array(self.goal_states, dtype=np.int64)
        never = np.array(self.never, dtype=np.int64)
        if sets.ndim != 1 or confidence.shape != sets.shape:
            raise InvalidPolicyError(
                f'a policy needs one action set and one confidence per state, got shapes '
                f'{sets.shape} and {confidence.shape}')
        if not 1 <= self.num_actions <= MAX_ACTIONS:
            raise InvalidPolicyError(
                f'a policy must have 1 .. {MAX_ACTIONS} actions, got {self.num_actions}')
        wrong = np.flatnonzero((sets == 0) | ((sets >> np.uint64(self.num_actions - 1)) > 1))
        if len(wrong):
            raise InvalidPolicyError(
                f'action sets must hold actions 0 .. {self.num_actions - 1} and not be empty: '
                f'that of state {wrong[0]} is {int(sets[wrong[0]]):b}')
        bad = np.flatnonzero(~((confidence >= 0.0) & (confidence <= 1.0)))
        if len(bad):
            raise InvalidPolicyError(
                f'confidence must be in [0, 1]: that of state {bad[0]} is {confidence[bad[0]]}')
        for what, states in (('goal states', goals), ('states of never', never)):
            if len(states) and not (states.min() >= 0 and states.max() < len(sets)):
                raise InvalidPolicyError(f'{what} must be in 0 .. {len(sets) - 1}, got '
                                         f'{states.min()} .. {states.max()}')
        for name, array in (('action_sets', sets), ('confidence', confidence),
                            ('goal_states', goals), ('never', never)):
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    def __repr__(self) -> str:
        return (f'Policy({self.num_states} states, {self.num_actions} actions, '
                f'{len(self.goal_states)} goals)')

    @property
    def num_states(self) -> int:
        """S."""
        return len(self.action_sets)

    def actions(self, state: int) -> tuple[int, ...]:
        """Return the actions that may be taken in a state, lowest first."""
        return tuple(int(a) for a in np.flatnonzero(unpack(self.action_sets[state],
                                                           self.num_actions)))

    def probabilities(self) -> np.ndarray:
        """Return pi(x, a) ``[S, A]``: uniform over the actions that may be taken."""
        holds = unpack(self.action_sets, self.num_actions)
        return np.asarray(holds / holds.sum(axis=1, keepdims=True))
