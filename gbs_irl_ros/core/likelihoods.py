"""
The log-likelihood of every kind of answer under every reward, all in one place.

Where none of the listed rewards is meant, answers come from a task that nobody knows, and each is
as probable as chance makes it (``log_if_none``):

    action, and each step of a demonstration    1 / A
    yes or no; all the same                     1 / 2
    reward                                      the mean of exp(-(u - r)^2 / sigma_hat) over all r
                                                between the least and the greatest of all
    don't know, later                           1, as under every hypothesis

"All the same" says nothing for or against "none of these" where no hypothesis is indifferent:
there it means that the teacher does not care.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import log_ndtr

from gbs_irl_ros.core.answers import (
    ActionAnswer,
    AllTheSameAnswer,
    Answer,
    DemonstrationAnswer,
    DontKnowAnswer,
    LaterAnswer,
    RewardAnswer,
    YesNoAnswer,
)
from gbs_irl_ros.core.errors import InvalidAnswerError, InvalidNoiseError
from gbs_irl_ros.core.hypotheses import Hypotheses
from gbs_irl_ros.core.noise import NoiseModel

SAME_REWARDS = 1e-6     # of the spread of answers: a narrower range of rewards is one value


def log_likelihood(hypotheses: Hypotheses, noise: NoiseModel, answer: Answer) -> np.ndarray:
    """
    Return log P(answer | r_h) up to a constant that is the same for all rewards: ``[H]``.

    An entry is minus infinity where the answer is impossible.
    """
    rule = _RULES.get(type(answer))
    if rule is None:
        raise InvalidAnswerError(f'answer must be one of core.answers, got {answer!r}')
    answer.check_fits(hypotheses.mdp)
    return rule(hypotheses, noise, answer)


def log_if_none(hypotheses: Hypotheses, noise: NoiseModel, answer: Answer) -> float:
    """Return log P(answer) if none of the hypotheses is meant, up to the same constant."""
    rule = _RULES_IF_NONE.get(type(answer))
    if rule is None:
        raise InvalidAnswerError(f'answer must be one of core.answers, got {answer!r}')
    return rule(hypotheses, noise, answer)


def _action(hypotheses: Hypotheses, noise: NoiseModel, answer: ActionAnswer) -> np.ndarray:
    """gamma_hat or beta_hat by the greedy set: see core.noise."""
    return _step(hypotheses, noise, answer.state, answer.action)


def _demonstration(hypotheses: Hypotheses, noise: NoiseModel,
                   answer: DemonstrationAnswer) -> np.ndarray:
    """Product over the steps: how the world moves on says nothing about the reward."""
    total = np.zeros(hypotheses.num_rewards)
    for state, action in answer.steps:
        total += _step(hypotheses, noise, state, action)
    return total


def _step(hypotheses: Hypotheses, noise: NoiseModel, state: int, action: int) -> np.ndarray:
    sets = hypotheses.sets
    by_pattern = noise.answer_table(sets, noise.rate(state))[:, action]
    by_policy = by_pattern[np.searchsorted(sets.patterns, sets.sets_at(state))]
    return _log(by_policy)[hypotheses.policy_of_reward]


def _yes_no(hypotheses: Hypotheses, noise: NoiseModel, answer: YesNoAnswer) -> np.ndarray:
    """gamma_hat if the answer is right under the reward, 1 - gamma_hat if not (Nowak 2011)."""
    holds = hypotheses.sets.holds(answer.state, answer.action)
    return _statement(hypotheses, noise, answer.state, holds == answer.yes)


def _all_the_same(hypotheses: Hypotheses, noise: NoiseModel,
                  answer: AllTheSameAnswer) -> np.ndarray:
    """gamma_hat where every action is optimal, 1 - gamma_hat elsewhere."""
    true = indifferent(hypotheses, answer.state)
    if not true.any():      # nobody can mean it literally: the teacher does not care
        return _nothing(hypotheses, noise, answer)
    return _statement(hypotheses, noise, answer.state, true)


def indifferent(hypotheses: Hypotheses, state: int) -> np.ndarray:
    """Return ``[D]``: under which policies every action is optimal in a state."""
    everything = (1 << hypotheses.mdp.num_actions) - 1
    return np.asarray(hypotheses.sets.sets_at(state) == everything)


def _statement(hypotheses: Hypotheses, noise: NoiseModel, state: int,
               true: np.ndarray) -> np.ndarray:
    """Return the log-likelihood ``[H]`` of a statement that is true or not under each policy."""
    rate = noise.rate(state)
    if rate <= 0.5:
        raise InvalidNoiseError(
            f'gamma_hat must be above 0.5 where a yes or no is to be believed; that of state '
            f'{state} is {rate}')
    return _log(np.where(true, rate, 1.0 - rate))[hypotheses.policy_of_reward]


def _reward(hypotheses: Hypotheses, noise: NoiseModel, answer: RewardAnswer) -> np.ndarray:
    """exp(-(u - r_h(x))^2 / sigma_hat)."""
    difference = answer.reward - hypotheses.rewards.column(answer.state, answer.action)
    with np.errstate(over='ignore'):    # absurdly far off is simply impossible
        return -np.square(difference) / noise.sigma_hat


def _nothing(hypotheses: Hypotheses, noise: NoiseModel, answer: Any) -> np.ndarray:
    """Return 0 everywhere: the answer says nothing."""
    return np.zeros(hypotheses.num_rewards)


def _chance_step(hypotheses: Hypotheses, noise: NoiseModel, answer: ActionAnswer) -> float:
    return -math.log(hypotheses.mdp.num_actions)


def _chance_steps(hypotheses: Hypotheses, noise: NoiseModel,
                  answer: DemonstrationAnswer) -> float:
    return -len(answer.steps) * math.log(hypotheses.mdp.num_actions)


def _coin(hypotheses: Hypotheses, noise: NoiseModel, answer: YesNoAnswer) -> float:
    return -math.log(2.0)


def _coin_if_meant(hypotheses: Hypotheses, noise: NoiseModel, answer: AllTheSameAnswer) -> float:
    return -math.log(2.0) if indifferent(hypotheses, answer.state).any() else 0.0


def _any_reward(hypotheses: Hypotheses, noise: NoiseModel, answer: RewardAnswer) -> float:
    """
    Return the log of the mean of exp(-(u - r)^2 / sigma_hat) over r in [low, high].

    The same as sqrt(pi sigma_hat) times the density of a flat reward told with normal noise.
    """
    low, high = hypotheses.rewards.limits
    spread = math.sqrt(noise.sigma_hat / 2.0)
    below, above = (low - answer.reward) / spread, (high - answer.reward) / spread
    if above - below <= SAME_REWARDS:
        middle = below / 2.0 + above / 2.0
        return -middle * middle / 2.0       # minus infinity where a power would raise
    if below > 0.0:     # by symmetry: small tails are exact, what is left of large ones is not
        below, above = -above, -below
    log_below, log_above = log_ndtr([below, above])
    if log_above == -np.inf:
        return -math.inf
    log_share = log_above + np.log1p(-np.exp(log_below - log_above))
    return float(log_share - math.log((above - below) / math.sqrt(2.0 * math.pi)))


def _certain(hypotheses: Hypotheses, noise: NoiseModel, answer: Any) -> float:
    return 0.0


def _log(values: np.ndarray) -> np.ndarray:
    with np.errstate(divide='ignore'):
        return np.log(values)


_RULES: dict[type, Callable[..., np.ndarray]] = {
    ActionAnswer: _action,
    YesNoAnswer: _yes_no,
    RewardAnswer: _reward,
    DemonstrationAnswer: _demonstration,
    AllTheSameAnswer: _all_the_same,
    DontKnowAnswer: _nothing,
    LaterAnswer: _nothing,
}

_RULES_IF_NONE: dict[type, Callable[..., float]] = {
    ActionAnswer: _chance_step,
    YesNoAnswer: _coin,
    RewardAnswer: _any_reward,
    DemonstrationAnswer: _chance_steps,
    AllTheSameAnswer: _coin_if_meant,
    DontKnowAnswer: _certain,
    LaterAnswer: _certain,
}
