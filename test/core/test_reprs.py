"""What a person sees of the objects of the core at a prompt: one line, and no arrays."""

from __future__ import annotations

import numpy as np
from worlds import corridor

from gbs_irl_ros.core import (
    ActionAnswer,
    Learner,
    NoiseModel,
    Problem,
    Rewards,
    SimulatedTeacher,
    solve,
)


def test_each_is_one_line_with_its_sizes_and_never_an_array():
    mdp = corridor(5)
    rewards = Rewards.goals(mdp, range(5))
    by_state = NoiseModel(np.array([0.9, 0.8, 0.9, 0.7, 0.9]), likelihood='aggregated')
    learner = Learner.for_rewards(mdp, rewards, seed=7).tell(ActionAnswer(2, 1))
    hypotheses = 'Hypotheses(5 rewards, 5 policies, 5 states, 2 actions)'
    noise = "NoiseModel(gamma_hat=0.9, sigma_hat=0.1, likelihood='exact')"
    assert repr(mdp) == 'Mdp(5 states, 2 actions, discount 0.9)'
    assert repr(rewards) == 'Rewards(5 on 5 states)'
    on_actions = Rewards.from_dense(np.ones((3, 5, 2)), 2)
    assert repr(on_actions) == 'Rewards(3 on 5 states and 2 actions)'
    assert repr(solve(mdp, rewards)) == 'Solution(5 states, 5 rewards, 5 converged)'
    assert repr(learner.task.hypotheses) == hypotheses
    assert repr(learner.task.hypotheses.sets) == (
        'GreedySets(5 policies, 5 classes of 5 states, 2 actions)')
    assert repr(learner.noise) == noise
    assert repr(by_state) == (
        "NoiseModel(gamma_hat=0.7 .. 0.9, sigma_hat=0.1, likelihood='aggregated')")
    assert repr(learner.task) == f'Problem(hypotheses={hypotheses}, noise={noise})'
    assert repr(learner.policy) == 'Policy(5 states, 2 actions, 1 goals)'
    assert repr(learner.posterior) == 'Posterior(5 hypotheses, 1.90 bits)'
    assert repr(learner) == f'Learner(gbs, seed 7, 1 answers, {hypotheses}, certainty 0.36)'
    for other in (learner.situation, learner.choose(),
                  SimulatedTeacher.for_reward(mdp, rewards.one(3)),
                  Problem(learner.task.hypotheses, by_state)):
        assert 'array' not in repr(other)
        assert '\n' not in repr(other)
