"""
Answers as statements that are right or wrong under a policy: what a learned error rate needs.

A statement has, under each policy, one chance if the teacher is right and another if not:

    P(statement | h) = accuracy good + (1 - accuracy) bad + flat.

For an action or a step these are the exact likelihood's terms in the table of ``core.noise``; for
"yes", "no" and "all the same" they are 1 and 0. Other kinds have no error rate that is learned
(``has_rate``): rewards, whose spread is known, answers to the closing question, which are too few
to learn it from and would lose their weight, "don't know" and "later".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from gbs_irl_ros.core.answers import (
    ActionAnswer,
    AllTheSameAnswer,
    Answer,
    DemonstrationAnswer,
    YesNoAnswer,
)
from gbs_irl_ros.core.error_rates import ErrorRates
from gbs_irl_ros.core.hypotheses import Hypotheses
from gbs_irl_ros.core.likelihoods import indifferent


class Statement(NamedTuple):
    """
    How probable something said is under each policy: each ``[D]`` or ``[D, A]``.

    good: if the teacher is right. bad: if not. flat: either way.
    """

    good: np.ndarray
    bad: np.ndarray
    flat: np.ndarray

    def chances(self, accuracy: np.ndarray) -> np.ndarray:
        """Return the likelihood for a chance ``[D]`` of being right."""
        accuracy = accuracy.reshape(accuracy.shape + (1,) * (self.good.ndim - 1))
        return np.asarray(accuracy * self.good + (1.0 - accuracy) * self.bad + self.flat)


def log_predictive(hypotheses: Hypotheses, rates: ErrorRates,
                   answer: Answer) -> tuple[np.ndarray, ErrorRates]:
    """
    Return log P(answer | h, answers before) ``[H]``, and the rates after it.

    An answer of several statements is told one after the other; their order does not matter.
    """
    answer.check_fits(hypotheses.mdp)
    total = np.zeros(hypotheses.num_policies)
    for said in _RULES[type(answer)](hypotheses, answer):
        total += np.log(said.chances(rates.accuracy(answer.kind)))
        rates = rates.told(answer.kind, said.good > 0.0, said.bad > 0.0)
    return total[hypotheses.policy_of_reward], rates


def actions_said(hypotheses: Hypotheses, state: int) -> Statement:
    """Return every answer to "what should I do here?": ``[D, A]``."""
    sets = hypotheses.sets
    codes = np.searchsorted(sets.patterns, sets.sets_at(state))
    holds, sizes = sets.pattern_table[codes], sets.pattern_sizes[codes, np.newaxis]
    missing = sets.num_actions - sizes
    everything = missing == 0
    return Statement(np.where(everything, 0.0, holds / sizes),
                     np.where(everything, 0.0, ~holds / np.maximum(missing, 1)),
                     np.where(everything, 1.0 / sets.num_actions, np.zeros(holds.shape)))


def truth_said(true: np.ndarray) -> Statement:
    """Return a statement that is true or not under each policy."""
    return Statement(true.astype(np.float64), (~true).astype(np.float64), np.zeros(true.shape))


def _action(hypotheses: Hypotheses, answer: ActionAnswer) -> list[Statement]:
    return [_step(hypotheses, answer.state, answer.action)]


def _demonstration(hypotheses: Hypotheses, answer: DemonstrationAnswer) -> list[Statement]:
    return [_step(hypotheses, state, action) for state, action in answer.steps]


def _step(hypotheses: Hypotheses, state: int, action: int) -> Statement:
    return Statement(*(part[:, action] for part in actions_said(hypotheses, state)))


def _yes_no(hypotheses: Hypotheses, answer: YesNoAnswer) -> list[Statement]:
    return [truth_said(hypotheses.sets.holds(answer.state, answer.action) == answer.yes)]


def _all_the_same(hypotheses: Hypotheses, answer: AllTheSameAnswer) -> list[Statement]:
    """Return nothing where nobody can mean it literally: the teacher does not care."""
    true = indifferent(hypotheses, answer.state)
    return [truth_said(true)] if true.any() else []


_RULES: dict[type, Callable[[Hypotheses, Any], list[Statement]]] = {
    ActionAnswer: _action,
    DemonstrationAnswer: _demonstration,
    YesNoAnswer: _yes_no,
    AllTheSameAnswer: _all_the_same,
}
