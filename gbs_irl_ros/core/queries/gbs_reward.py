"""Reward questions: ask how good a place is, where that says most about a doubtful action."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gbs_irl_ros.core.queries.situation import (
    Choice,
    QueryStrategy,
    Situation,
    choose_best,
    choose_question,
)
from gbs_irl_ros.core.questions import QuestionKind

CELLS = 32                  # reward answers are told apart to this many values
BLOCK_ENTRIES = 4_000_000   # rewards * columns looked at together


@dataclass(frozen=True)
class GbsRewardQuery(QueryStrategy):
    """
    Ask for the reward that best tells apart the actions of the state GBS would ask about.

    The paper's section 3.3 names the aim, to separate the sets R_a of rewards by their action at
    x_{t+1} = argmin W(p_t, x_i), but no formula. Here it is the mutual information [nat] between
    the action A at x_{t+1}, drawn from the greedy policy of a reward drawn from the posterior,
    and the teacher's answer U at x':

        I(A; U) = H(U) + H(A) - H(A, U).

    U is read to the nearest of the rewards' own values (of at most 32 evenly spaced ones if there
    are more), through the noise of the answer: exp(-(u - r)^2 / sigma_hat) is a normal
    distribution of variance sigma_hat / 2.
    """

    name: ClassVar[str] = 'gbs_reward'

    @property
    def kinds(self) -> tuple[QuestionKind, ...]:
        """Reward questions."""
        return (QuestionKind.REWARD,)

    def choose(self, situation: Situation, rng: np.random.Generator) -> Choice | None:
        """Return the state, or state and action, of largest mutual information."""
        doubtful = choose_best(-situation.weighted_predictions, rng)
        assert doubtful is not None     # predictions are finite
        rewards = situation.hypotheses.rewards
        state = int(situation.hypotheses.sets.members(doubtful)[0])
        information = self._information(situation, state)
        if rewards.per_action:
            information = information.reshape(-1, rewards.num_actions)
        return choose_question(situation, QuestionKind.REWARD, information, rng)

    def _information(self, situation: Situation, state: int) -> np.ndarray:
        """Return I(A; U) for a question about each column of the rewards: ``[C]``."""
        hypotheses = situation.hypotheses
        representatives, group_of_column = hypotheses.rewards.column_groups
        live = np.flatnonzero(situation.posterior.probabilities > 0.0)
        joint = self._action_weights(situation, state)[live]                # [L, A]
        grid = _value_grid(hypotheses.rewards.dense(live)[:, representatives])
        information = np.empty(len(representatives))
        size = max(1, BLOCK_ENTRIES // len(live))
        blur = _blur(grid, situation.noise.sigma_hat)
        for first in range(0, len(representatives), size):
            columns = representatives[first:first + size]
            values = hypotheses.rewards.columns(columns)[live]              # [L, b]
            information[first:first + size] = _mutual_information(values, joint, grid, blur)
        return information[group_of_column]

    @staticmethod
    def _action_weights(situation: Situation, state: int) -> np.ndarray:
        """Return p(h) pi_h(a | x), ``[H, A]``."""
        sets = situation.hypotheses.sets
        codes = sets.codes(sets.sets_at(state))
        policies = sets.pattern_table / sets.pattern_sizes[:, np.newaxis]
        by_reward = policies[codes][situation.hypotheses.policy_of_reward]
        return situation.posterior.probabilities[:, np.newaxis] * by_reward


def _value_grid(values: np.ndarray) -> np.ndarray:
    """Return the values that answers are read to, rising: ``[K]``."""
    distinct = np.unique(values)
    if len(distinct) <= CELLS:
        return distinct
    return np.linspace(distinct[0], distinct[-1], CELLS)


def _blur(grid: np.ndarray, sigma_hat: float) -> np.ndarray:
    """Return ``[K, K]``: the chance that a true value k is answered nearest to value l."""
    from scipy.special import ndtr  # slow to import, and not always needed
    edges = np.r_[-np.inf, (grid[1:] + grid[:-1]) / 2.0, np.inf]
    below = ndtr((edges[np.newaxis, :] - grid[:, np.newaxis]) / np.sqrt(sigma_hat / 2.0))
    return np.asarray(np.diff(below, axis=1))


def _mutual_information(values: np.ndarray, joint: np.ndarray, grid: np.ndarray,
                        blur: np.ndarray) -> np.ndarray:
    """
    Return I(A; U) for each column: ``[b]``.

    :param values: ``[L, b]`` rewards.
    :param joint: ``[L, A]`` p(h) pi_h(a | x).
    """
    from scipy.special import entr  # slow to import, and not always needed
    middle = (grid[1:] + grid[:-1]) / 2.0
    cells = np.searchsorted(middle, values)                                 # [L, b]
    count, size = values.shape[1], len(grid)
    index = cells + size * np.arange(count)
    table = np.stack([
        np.bincount(index.ravel(), weights=np.repeat(joint[:, action], count),
                    minlength=count * size).reshape(count, size) @ blur
        for action in range(joint.shape[1])], axis=1)                       # [b, A, K]
    return np.asarray(
        entr(table.sum(axis=1)).sum(axis=-1) + entr(table.sum(axis=2)).sum(axis=-1)
        - entr(table).sum(axis=(1, 2)))
