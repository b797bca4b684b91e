"""The log-likelihood of every kind of answer under every reward, all in one place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gbs_irl_ros.core.answers import (
    ActionAnswer,
    AllTheSameAnswer,
    Answer,
    CompareAnswer,
    ConfirmAnswer,
    DemonstrationAnswer,
    DontKnowAnswer,
    EitherAnswer,
    GoHereAnswer,
    LaterAnswer,
    NeverHereAnswer,
    NoneOfTheseAnswer,
    OnTheWayAnswer,
    RewardAnswer,
    TaskAnswer,
    WordsAnswer,
    WrongHereAnswer,
    YesNoAnswer,
)
from gbs_irl_ros.core.either import either_said
from gbs_irl_ros.core.errors import InvalidAnswerError, InvalidNoiseError
from gbs_irl_ros.core.hypotheses import Hypotheses
from gbs_irl_ros.core.noise import CLOSING_ERROR, Likelihood, NoiseModel
from gbs_irl_ros.core.whole_task_statements import statement_about
from gbs_irl_ros.core.whole_tasks import pass_region


def log_likelihood(hypotheses: Hypotheses, noise: NoiseModel, answer: Answer,
                   start: np.ndarray | None = None) -> np.ndarray:
    """
    Return log P(answer | r_h) up to a constant that is the same for all rewards: ``[H]``.

    An entry is minus infinity where the answer is impossible.

    :param start: ``[S]``, where the robot may start, for answers about its ways; None: anywhere.
    """
    rule = _RULES.get(type(answer))
    if rule is None:
        raise InvalidAnswerError(f'answer must be one of core.answers, got {answer!r}')
    answer.check_fits(hypotheses.mdp)
    if rule in (_about_the_task, _on_the_way):
        return rule(hypotheses, noise, answer, start)
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
    by_reward = noise.reward_chances(hypotheses, state)
    if by_reward is not None:
        return _log(by_reward[:, action])
    sets = hypotheses.sets
    return hypotheses.by_reward(noise.log_chances(sets, state, action))


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


def _either(hypotheses: Hypotheses, noise: NoiseModel, answer: EitherAnswer) -> np.ndarray:
    """See core.either; the aggregated likelihood counts neither right nor wrong choices."""
    said = either_said(hypotheses, answer)
    if noise.likelihood is Likelihood.AGGREGATED:
        return _statement(hypotheses, noise, answer.state, said.bad == 0.0)
    accuracy = np.full(hypotheses.num_policies, noise.rate(answer.state))
    return _log(said.chances(accuracy))[hypotheses.policy_of_reward]


def _confirm(hypotheses: Hypotheses, noise: NoiseModel, answer: ConfirmAnswer) -> np.ndarray:
    """1 - CLOSING_ERROR if the answer is right under the reward, CLOSING_ERROR if not."""
    return _closing(hypotheses, hypotheses.sets.allow(answer.question.route) == answer.yes)


def _wrong_here(hypotheses: Hypotheses, noise: NoiseModel,
                answer: WrongHereAnswer) -> np.ndarray:
    """Weigh as an answer about that place: what the robot would have done there is wrong."""
    return _closing(hypotheses, ~hypotheses.sets.holds(answer.place, answer.action))


def _closing(hypotheses: Hypotheses, right: np.ndarray) -> np.ndarray:
    by_policy = np.where(right, 1.0 - CLOSING_ERROR, CLOSING_ERROR)
    return np.asarray(np.log(by_policy)[hypotheses.policy_of_reward])


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


def _about_the_task(hypotheses: Hypotheses, noise: NoiseModel, answer: Any,
                    start: np.ndarray | None) -> np.ndarray:
    """gamma_hat among what is right under a policy, 1 - gamma_hat among what is wrong."""
    said = statement_about(hypotheses, answer, start)
    accuracy = np.full(hypotheses.num_policies, float(np.mean(noise.gamma_hat)))
    return _log(said.chances(accuracy))[hypotheses.policy_of_reward]


def _on_the_way(hypotheses: Hypotheses, noise: NoiseModel, answer: OnTheWayAnswer,
                start: np.ndarray | None) -> np.ndarray:
    """
    gamma_hat d_h(G) / sum_y d_h(y) + (1 - gamma_hat) |G| / S for the marked region G.

    d_h are the discounted visits of the policy: the states that it often visits, which the paper
    names last as something that a teacher could show.
    """
    share = pass_region(hypotheses, start, answer).share
    chance = len(answer.states) / hypotheses.mdp.num_states
    rate = float(np.mean(noise.gamma_hat))
    return _log(rate * share + (1.0 - rate) * chance)[hypotheses.policy_of_reward]


def _nothing(hypotheses: Hypotheses, noise: NoiseModel, answer: Any) -> np.ndarray:
    """Return 0 everywhere: the answer says nothing."""
    return np.zeros(hypotheses.num_rewards)


def _log(values: np.ndarray) -> np.ndarray:
    with np.errstate(divide='ignore'):
        return np.log(values)


_RULES: dict[type, Callable[..., np.ndarray]] = {
    ActionAnswer: _action,
    YesNoAnswer: _yes_no,
    RewardAnswer: _reward,
    DemonstrationAnswer: _demonstration,
    AllTheSameAnswer: _all_the_same,
    EitherAnswer: _either,
    DontKnowAnswer: _nothing,
    LaterAnswer: _nothing,
    ConfirmAnswer: _confirm,
    WrongHereAnswer: _wrong_here,
    GoHereAnswer: _about_the_task,
    NeverHereAnswer: _about_the_task,
    OnTheWayAnswer: _on_the_way,
    TaskAnswer: _about_the_task,
    NoneOfTheseAnswer: _about_the_task,
    CompareAnswer: _about_the_task,
    WordsAnswer: _about_the_task,
}
