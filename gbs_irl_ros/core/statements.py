"""
Answers as statements that are right or wrong under a policy: what a learned error rate needs.

A statement has, under each policy, one chance if the teacher is right and another if not:

    P(statement | h) = accuracy good + (1 - accuracy) bad + flat.

For an action or a step these are the exact likelihood's terms in the table of ``core.noise``; for
"yes", "no" and "all the same" they are 1 and 0, for "both are fine" see ``core.either``. Other
kinds have no error rate that is learned (``has_rate``): rewards, whose spread is
known, answers to the closing question, which are too few to learn it from and would lose their
weight, "that is on the way", "don't know" and "later".

Statements about a task as a whole are in ``core.whole_task_statements``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gbs_irl_ros.core.answers import (
    ActionAnswer,
    AllTheSameAnswer,
    Answer,
    DemonstrationAnswer,
    EitherAnswer,
    YesNoAnswer,
    rated_kind,
)
from gbs_irl_ros.core.either import either_said
from gbs_irl_ros.core.error_rates import ErrorRates
from gbs_irl_ros.core.hypotheses import Hypotheses
from gbs_irl_ros.core.likelihoods import indifferent
from gbs_irl_ros.core.planning.greedy_sets import GreedySets
from gbs_irl_ros.core.said import Statement, truth_said
from gbs_irl_ros.core.whole_task_statements import statement_about


def log_predictive(hypotheses: Hypotheses, rates: ErrorRates, answer: Answer,
                   start: np.ndarray | None = None) -> tuple[np.ndarray, ErrorRates]:
    """
    Return log P(answer | h, answers before) ``[H]``, and the rates after it.

    An answer of several statements is told one after the other; their order does not matter.

    :param start: ``[S]``, where the robot may start, for answers about its ways; None: anywhere.
    """
    answer.check_fits(hypotheses.mdp)
    total = np.zeros(hypotheses.num_policies)
    rule = _RULES.get(type(answer))
    parts = [statement_about(hypotheses, answer, start)] if rule is None \
        else rule(hypotheses, answer)
    kind = rated_kind(answer)
    assert kind is not None
    for said in parts:
        total += np.log(said.chances(rates.accuracy(kind)))
        rates = rates.told(kind, said.good > 0.0, said.bad > 0.0)
    return total[hypotheses.policy_of_reward], rates


def actions_said(hypotheses: Hypotheses, state: int) -> Statement:
    """Return every answer to "what should I do here?": ``[D, A]``."""
    sets = hypotheses.sets
    codes = sets.codes(sets.sets_at(state))
    return Statement(*(part[codes] for part in set_said(sets)))


def set_said(sets: GreedySets) -> Statement:
    """Return every answer to that question for each greedy set that occurs: ``[U, A]``."""
    holds, sizes = sets.pattern_table, sets.pattern_sizes[:, np.newaxis]
    missing = sets.num_actions - sizes
    everything = missing == 0
    return Statement(np.where(everything, 0.0, holds / sizes),
                     np.where(everything, 0.0, ~holds / np.maximum(missing, 1)),
                     np.where(everything, 1.0 / sets.num_actions, np.zeros(holds.shape)))


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


def _either(hypotheses: Hypotheses, answer: EitherAnswer) -> list[Statement]:
    return [either_said(hypotheses, answer)]


# All others are about the task as a whole.
_RULES: dict[type, Callable[[Hypotheses, Any], list[Statement]]] = {
    ActionAnswer: _action,
    DemonstrationAnswer: _demonstration,
    YesNoAnswer: _yes_no,
    AllTheSameAnswer: _all_the_same,
    EitherAnswer: _either,
}
