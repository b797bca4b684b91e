"""What every strategy promises, as a check that other packages can call in their own tests."""

from __future__ import annotations

import pickle
from collections.abc import Iterator

import numpy as np

from gbs_irl_ros.core.answers import ActionAnswer, DontKnowAnswer
from gbs_irl_ros.core.errors import PluginError
from gbs_irl_ros.core.hypotheses import Hypotheses
from gbs_irl_ros.core.learner import Learner
from gbs_irl_ros.core.mdp import Mdp
from gbs_irl_ros.core.noise import NoiseModel
from gbs_irl_ros.core.problem import Problem
from gbs_irl_ros.core.queries.chosen import chosen_by
from gbs_irl_ros.core.queries.situation import QueryStrategy
from gbs_irl_ros.core.registry import origin
from gbs_irl_ros.core.rewards import Rewards
from gbs_irl_ros.core.stopping import NEVER

QUESTIONS = 6       # of each lesson


def check_strategy(strategy: QueryStrategy) -> None:
    """
    Let a strategy ask in small worlds of several kinds; raise PluginError if it breaks a promise.

    The question may be asked; utilities are numbers; the same chance gives the same question; a
    question that is closed is not asked; the strategy and the situation stay as they are; a copy
    that was sent to another process asks the same.
    """
    name = f'the strategy {strategy.name!r} ({origin(strategy)})'
    before = repr(strategy)
    try:
        copy = pickle.loads(pickle.dumps(strategy))
    except Exception as error:
        raise PluginError(f'{name} cannot be sent to another process: {error}') from error
    for world, problem in _problems():
        learner = Learner(problem, strategy, stop=NEVER)
        for number in range(QUESTIONS):
            situation = learner.situation
            known = situation.posterior.probabilities.copy()
            choice, again = (chosen_by(each, situation, np.random.default_rng(number))
                             for each in (strategy, copy))
            where = f'{name}, in {world}, after {number} answers,'
            if (choice and choice.question) != (again and again.question):
                raise PluginError(f'{where} asks something else with the same chance: '
                                  f'{choice and choice.question}, then {again and again.question}')
            if not np.array_equal(known, situation.posterior.probabilities) \
                    or repr(strategy) != before:
                raise PluginError(f'{where} has changed itself or the situation')
            if choice is None:
                break
            action = number % problem.hypotheses.mdp.num_actions
            learner = learner.tell(DontKnowAnswer(choice.question) if number % 2
                                   else ActionAnswer(choice.question.state, action))


def _problems() -> Iterator[tuple[str, Problem]]:
    """Yield small problems with what is easily forgotten."""
    rng = np.random.default_rng(20130729)
    for world, states, actions, count, per_action in (
            ('a random world', 8, 3, 6, False), ('a world with rewards of actions', 5, 2, 4, True),
            ('a world with one hypothesis', 6, 3, 1, False),
            ('a world of one state', 1, 3, 3, True),
            ('a world with many actions', 7, 10, 5, False)):
        mdp = Mdp.from_dense(rng.dirichlet(np.ones(states), (states, actions)), 0.8)
        shape = (count, states, actions) if per_action else (count, states)
        hypotheses = Hypotheses.from_rewards(
            mdp, Rewards.from_dense(rng.integers(0, 3, shape) + rng.random(shape), actions))
        yield world, Problem(hypotheses, NoiseModel(rng.uniform(0.6, 0.95, states)))
    corridor = Mdp.from_successors(np.clip(np.arange(6)[:, np.newaxis] + np.array([-1, 1]), 0, 5),
                                   0.9)
    yield 'a corridor where actions tie', Problem(
        Hypotheses.from_rewards(corridor, Rewards.goals(corridor, range(6))), NoiseModel(0.9))
