"""Expected myopic gain (EMG-AQS of Cohn, Durfee and Singh 2011)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gbs_irl_ros.core.errors import InvalidOptionError
from gbs_irl_ros.core.mdp import whole_number
from gbs_irl_ros.core.planning.solver import solve
from gbs_irl_ros.core.queries.situation import Choice, QueryStrategy, Situation, choose_question
from gbs_irl_ros.core.questions import QuestionKind
from gbs_irl_ros.core.rewards import Rewards

IMPOSSIBLE = 1e-300         # answers less probable than this contribute nothing
BLOCK_ENTRIES = 4_000_000   # states * answers of the problems that are solved together


@dataclass(frozen=True)
class EmgQuery(QueryStrategy):
    """
    Ask where the answer is expected to raise the value of the best plan most.

        EMG(x) = sum_a P(a | p; x) V*_{r(p | x, a)}(s_c) - V*_{r(p)}(s_c)

    r(p) is the mean reward under the posterior, r(p | x, a) that after the answer a at x, and s_c
    the current state, or the start distribution where there is none. Prediction and update use
    one normalised likelihood, so that the gain is never negative (V* is convex in the reward).
    One planning problem for each state class and answer: slow by design.
    """

    name: ClassVar[str] = 'emg'

    def choose(self, situation: Situation, rng: np.random.Generator) -> Choice | None:
        """Return the state of largest expected gain."""
        is_open = situation.open(QuestionKind.ACTION)
        utilities = np.full(len(is_open), -np.inf)
        groups = self._candidates(situation, is_open)
        gains = expected_gains(situation, np.array([members[0] for members in groups], dtype=int))
        for members, gain in zip(groups, gains, strict=True):
            utilities[members] = gain
        return choose_question(situation, QuestionKind.ACTION, utilities, rng)

    def _candidates(self, situation: Situation, is_open: np.ndarray) -> list[np.ndarray]:
        """Return groups of states that share all answers and the noise of the teacher."""
        sets = situation.hypotheses.sets
        keys = np.stack([sets.class_of_state, situation.noise.rates(sets.num_states)], axis=1)
        _, group = np.unique(keys, axis=0, return_inverse=True)
        group = group.ravel()
        return [np.flatnonzero(group == g) for g in np.unique(group[is_open])]


@dataclass(frozen=True)
class EmgShortlistQuery(EmgQuery):
    """
    The hybrid: GBS picks a shortlist of classes, EMG decides among them.

    size: of the shortlist.
    """

    name: ClassVar[str] = 'emg_shortlist'
    size: int = 5

    def __post_init__(self) -> None:
        if whole_number('size', self.size, InvalidOptionError) < 1:
            raise InvalidOptionError(f'size must be at least 1, got {self.size}')

    def _candidates(self, situation: Situation, is_open: np.ndarray) -> list[np.ndarray]:
        groups = super()._candidates(situation, is_open)
        sets = situation.hypotheses.sets
        doubt = [situation.weighted_predictions[sets.class_of_state[group[0]]] for group in groups]
        return [groups[i] for i in np.argsort(doubt, kind='stable')[:self.size]]


def expected_gains(situation: Situation, states: np.ndarray) -> np.ndarray:
    """
    Return EMG(x) of some states: ``[B]``.

    All their planning problems, one for each state and answer, are solved together and start from
    the values of the mean reward now, which one more answer changes little.
    """
    hypotheses = situation.hypotheses
    believed = situation.posterior.probabilities
    now = hypotheses.rewards.mixtures(believed[np.newaxis])
    initial = _values(situation, now)[0]
    gains = np.empty(len(states))
    size = max(1, BLOCK_ENTRIES // (hypotheses.mdp.num_actions * hypotheses.mdp.num_states))
    for first in range(0, len(states), size):
        part = slice(first, min(first + size, len(states)))
        chances, mixtures = [], []
        for state in states[part]:
            likelihoods = situation.reward_chances(int(state))                           # [H, A]
            joint = believed[:, np.newaxis] * likelihoods
            chances.append(joint.sum(axis=0))
            mixtures.append(joint.T / np.maximum(chances[-1], IMPOSSIBLE)[:, np.newaxis])
        after = _values(situation, hypotheses.rewards.mixtures(np.concatenate(mixtures)), initial)
        weights = np.stack(chances)                                                      # [B, A]
        weights[weights <= IMPOSSIBLE] = 0.0
        values = (after @ _where(situation)).reshape(weights.shape)
        gains[part] = (weights * values).sum(axis=1) / weights.sum(axis=1)
    return gains - initial @ _where(situation)


def _where(situation: Situation) -> np.ndarray:
    """Return s_c as a distribution over states ``[S]``."""
    if situation.current_state is None:
        return situation.start
    return np.asarray(np.arange(len(situation.start)) == situation.current_state, dtype=float)


def _values(situation: Situation, rewards: Rewards,
            initial: np.ndarray | None = None) -> np.ndarray:
    """Return V* ``[B, S]``."""
    solution = solve(situation.hypotheses.mdp, rewards, keep_values=True, initial=initial,
                     allow_vanishing=True)
    assert solution.values is not None
    return solution.values
