"""Expected myopic gain (EMG-AQS of Cohn, Durfee and Singh 2011)."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from gbs_irl_ros.core.errors import InvalidQuestionError
from gbs_irl_ros.core.mdp import whole_number
from gbs_irl_ros.core.planning import solve
from gbs_irl_ros.core.queries.situation import Choice, Situation, choose_best
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.core.rewards import Rewards

IMPOSSIBLE = 1e-300     # answers less probable than this contribute nothing


class EmgQuery:
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
        for members in self._candidates(situation, is_open):
            utilities[members] = expected_gain(situation, int(members[0]))
        utilities[~is_open] = -np.inf
        chosen = choose_best(utilities, rng)
        if chosen is None:
            return None
        return Choice(Question(QuestionKind.ACTION, chosen), utilities)

    def _candidates(self, situation: Situation, is_open: np.ndarray) -> list[np.ndarray]:
        """Return groups of states that share all answers and the noise of the teacher."""
        sets = situation.hypotheses.sets
        keys = np.stack([sets.class_of_state, situation.noise.rates(sets.num_states)], axis=1)
        _, group = np.unique(keys, axis=0, return_inverse=True)
        group = group.ravel()
        return [np.flatnonzero(group == g) for g in np.unique(group[is_open])]


class EmgShortlistQuery(EmgQuery):
    """
    The hybrid: GBS picks a shortlist of classes, EMG decides among them.

    size: of the shortlist.
    """

    name: ClassVar[str] = 'emg_shortlist'

    def __init__(self, size: int = 5) -> None:
        if whole_number('size', size, InvalidQuestionError) < 1:
            raise InvalidQuestionError(f'size must be at least 1, got {size}')
        self.size = size

    def _candidates(self, situation: Situation, is_open: np.ndarray) -> list[np.ndarray]:
        groups = super()._candidates(situation, is_open)
        sets = situation.hypotheses.sets
        doubt = [situation.weighted_predictions[sets.class_of_state[group[0]]] for group in groups]
        return [groups[i] for i in np.argsort(doubt, kind='stable')[:self.size]]


def expected_gain(situation: Situation, state: int) -> float:
    """Return EMG(x) of one state."""
    hypotheses, sets = situation.hypotheses, situation.hypotheses.sets
    table = situation.noise.normalised().answer_table(sets, situation.noise.rate(state))
    codes = np.searchsorted(sets.patterns, sets.sets_at(state))
    likelihood = table[codes][hypotheses.policy_of_reward]                  # [H, A]
    joint = situation.posterior.probabilities[:, np.newaxis] * likelihood
    chances = joint.sum(axis=0)
    possible = np.flatnonzero(chances > IMPOSSIBLE)
    after = (joint[:, possible] / chances[possible]).T
    mixtures = np.concatenate([situation.posterior.probabilities[np.newaxis], after])
    values = _plan_values(situation, hypotheses.rewards.mean(mixtures))
    return float(chances[possible] @ values[1:] / chances[possible].sum() - values[0])


def _plan_values(situation: Situation, rewards: np.ndarray) -> np.ndarray:
    """Return V*(s_c) for each reward ``[B, C]``."""
    mdp = situation.hypotheses.mdp
    per_action = situation.hypotheses.rewards.per_action
    shape = (len(rewards), mdp.num_states) + ((mdp.num_actions,) if per_action else ())
    problems = Rewards.from_dense(rewards.reshape(shape), mdp.num_actions)
    values = solve(mdp, problems, keep_values=True).values
    if situation.current_state is None:
        return np.asarray(values @ situation.start)
    return np.asarray(values[:, situation.current_state])  # type: ignore[index]
