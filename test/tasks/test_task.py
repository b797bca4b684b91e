"""A task: planned once, and named by what is learned from."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from cases import for_each
from scipy import sparse

from gbs_irl_ros.core.errors import (
    InvalidHypothesesError,
    InvalidMdpError,
    InvalidNoiseError,
    InvalidRewardsError,
)
from gbs_irl_ros.core.hypotheses import Candidates, Hypotheses
from gbs_irl_ros.core.learner import Learner
from gbs_irl_ros.core.mdp import Mdp
from gbs_irl_ros.core.noise import Likelihood, NoiseModel
from gbs_irl_ros.core.rewards import Rewards
from gbs_irl_ros.tasks.task import Task
from gbs_irl_ros.tasks.world import Appearance, Picture, World

SUCCESSORS = np.array([[0, 1], [0, 2], [1, 3], [2, 3]])     # a corridor of four
MDP = Mdp.from_successors(SUCCESSORS, 0.9)
LOOKS = Appearance(('left', 'right'), ('a', 'd'), Picture.LIST, ('A', 'B', 'C', 'D'),
                   np.arange(8.0).reshape(4, 2), 1.0)
WORLD = World('corridor', MDP, np.array([1.0, 0.0, 0.0, 0.0]), LOOKS)
REWARDS = Rewards.from_dense(np.array([[1.0, 0, 0, 0], [0, 0, 0, 1.0], [1.0, 0, 0, 0.5]]), 2)
UNIFORM = np.full(3, -np.log(3))
NAMES = ('left end', 'right end', 'both')


def make(world=WORLD, rewards=REWARDS, log_prior=UNIFORM, noise=None, names=NAMES, goals=None):
    return Task(world, Candidates(world.mdp, rewards, log_prior, names, goals),
                noise or NoiseModel())


def in_world(**changes):
    return make(replace(WORLD, **changes))


class TestHash:
    def test_is_a_sha_256_and_that_of_the_world(self):
        task = make()
        assert len(task.hash) == 64
        assert int(task.hash, 16) >= 0
        assert task.world.hash == task.hash

    def test_of_the_same_content_is_the_same(self):
        world = World('corridor', Mdp.from_successors(SUCCESSORS.copy(), 0.9), WORLD.start.copy(),
                      LOOKS)
        again = make(world, Rewards.from_dense(REWARDS.dense(), 2), UNIFORM.copy())
        assert again.hash == make().hash

    @for_each('other', [
        in_world(mdp=Mdp.from_successors(SUCCESSORS[:, ::-1], 0.9)),
        in_world(mdp=Mdp.from_successors(SUCCESSORS, 0.91)),
        in_world(start=np.full(4, 0.25)),
        make(rewards=Rewards.from_dense(REWARDS.dense() * 2, 2)),
        make(rewards=Rewards.from_dense(REWARDS.dense()[[1, 0, 2]], 2)),
        make(rewards=Rewards.from_dense(np.repeat(REWARDS.dense()[..., None], 2, axis=2), 2)),
        make(log_prior=np.log([0.5, 0.25, 0.25])),
        make(log_prior=np.log([0.25, 0.5, 0.25])),
        make(noise=NoiseModel(0.8)),
        make(noise=NoiseModel(np.array([0.9, 0.9, 0.9, 0.8]))),
        make(noise=NoiseModel(0.9, 0.2)),
        make(noise=NoiseModel(likelihood=Likelihood.AGGREGATED)),
        make(goals=sparse.csr_matrix(np.eye(3, 4))),
    ], ids=['transitions', 'discount', 'start', 'rewards', 'order of rewards',
            'rewards per action', 'prior', 'order of the prior', 'gamma_hat',
            'gamma_hat of a state', 'sigma_hat', 'likelihood', 'goals'])
    def test_changes_with_anything_that_is_learned_from(self, other):
        assert other.hash != make().hash

    def test_of_all_of_these_differ(self):
        goals = [make(goals=sparse.csr_matrix(np.roll(np.eye(3, 4), i, axis=1))).hash
                 for i in range(4)]
        assert len({make().hash, *goals}) == 5

    @for_each('other', [
        in_world(name='other'), in_world(description='a corridor'),
        in_world(appearance=replace(LOOKS, action_names=('west', 'east'), picture=Picture.MAP)),
        make(names=()), make(names=('a', 'b', 'c')),
    ], ids=['name', 'description', 'looks', 'no names', 'names'])
    def test_changes_with_nothing_else(self, other):
        assert other.hash == make().hash

    @for_each('looks', [
        replace(LOOKS, positions=LOOKS.positions + 20.0),
        replace(LOOKS, positions=np.roll(LOOKS.positions, 1, axis=0)),
        replace(LOOKS, cell_size=5.0), replace(LOOKS, frame_id='odom'),
        replace(LOOKS, cells=np.arange(8).reshape(4, 2)), replace(LOOKS, positions=None),
    ], ids=['moved', 'order', 'size', 'frame', 'cells', 'nowhere'])
    def test_changes_with_where_it_is_but_lessons_of_before_that_are_known(self, looks):
        here, there = make(), in_world(appearance=looks)
        assert here.hash != there.hash
        assert not here.is_known_as(there.hash) or looks.positions is None
        assert here.content_hash == there.content_hash
        assert there.is_known_as(there.hash)
        assert there.is_known_as(here.content_hash)

    def test_of_a_task_without_places_is_the_one_it_always_had(self):
        nowhere = in_world(appearance=replace(LOOKS, positions=None))
        assert nowhere.hash == nowhere.content_hash

    def test_does_not_depend_on_how_a_matrix_is_stored(self):
        weights = sparse.csr_matrix(
            ([0.5, 0.5, 0.0, 1.0, 0.5, 1.0], [0, 0, 2, 3, 3, 0], [0, 3, 4, 6]), shape=(3, 4))
        assert make(rewards=Rewards(weights, 4, 2)).hash == make().hash

    def test_does_not_change_with_planning(self):
        task = make()
        before = task.hash
        task.compile()
        assert task.hash == before

    def test_that_is_known_is_checked(self):
        known = make().world
        assert make(known).hash == known.hash
        with pytest.raises(InvalidHypothesesError, match=rf"content of task 'corridor' has hash "
                                                         rf'.{{12}}\.\.\., its world says '
                                                         rf'{known.hash[:12]}\.\.\.'):
            make(known, noise=NoiseModel(0.8))


class TestPlanning:
    @pytest.fixture
    def solved(self, monkeypatch):
        """How often planning was asked for."""
        calls = []
        plan = Candidates.planned

        def counted(*args, **options):
            calls.append(args)
            return plan(*args, **options)

        monkeypatch.setattr(Candidates, 'planned', counted)
        return calls

    def test_happens_once_and_not_before_it_is_needed(self, solved):
        task = make()
        assert (task.hash, task.start.tolist(), len(solved)) == (task.hash, [1, 0, 0, 0], 0)
        first = task.compile()
        assert task.compile() is first
        assert task.hypotheses is first
        assert len(solved) == 1

    def test_happens_when_the_hypotheses_are_asked_for(self, solved):
        task = make()
        assert task.hypotheses is task.compile()
        assert len(solved) == 1

    def test_tells_its_progress(self):
        calls = []
        make().compile(lambda done, total: calls.append((done, total)))
        assert calls[-1] == (3, 3)

    def test_gives_the_hypotheses_of_the_task(self):
        goals = sparse.csr_matrix(np.eye(3, 4))
        prior = np.log([0.5, 0.25, 0.25])
        found = make(log_prior=prior, goals=goals).compile()
        assert found.mdp is MDP
        assert found.names == NAMES
        np.testing.assert_allclose(found.log_prior, prior)
        assert [found.goal_states(i).tolist() for i in range(3)] == [[0], [1], [2]]

    def test_refuses_noise_that_does_not_fit(self):
        with pytest.raises(InvalidNoiseError, match=r'gamma_hat must be above 0.5 for'):
            make(noise=NoiseModel(0.4)).compile()

    def test_refuses_a_prior_of_the_wrong_size(self):
        with pytest.raises(InvalidHypothesesError, match=r'log_prior must have one entry for each '
                                                         r'of the 3 rewards, got shape \(2,\)'):
            make(log_prior=np.log([0.5, 0.5])).compile()

    def test_refuses_names_of_the_wrong_number(self):
        with pytest.raises(InvalidHypothesesError, match=r'names must be none or one for each of '
                                                         r'the 3 rewards, got 1'):
            make(names=('one',)).compile()

    def test_refuses_a_reward_under_which_nothing_matters(self):
        with pytest.raises(InvalidHypothesesError, match=r'every action is optimal everywhere '
                                                         r'under reward 1 \(right end\)'):
            make(rewards=Rewards.from_dense(
                np.array([[1.0, 0, 0, 0], [0, 0, 0, 0], [0, 1.0, 0, 0]]), 2)).compile()


class TestOfHypotheses:
    def test_needs_no_planning(self):
        planned = Hypotheses.from_rewards(MDP, REWARDS, np.array([2.0, 1.0, 1.0]), names=NAMES)
        task = Task(WORLD, planned, NoiseModel())
        assert task.hypotheses is planned
        assert task.compile() is planned
        assert task.names == NAMES

    def test_has_the_hash_of_a_task_with_the_same_content(self):
        planned = make().compile()
        assert Task(WORLD, planned, NoiseModel()).hash == make().hash

    def test_refuses_hypotheses_about_another_mdp(self):
        other = Hypotheses.from_rewards(Mdp.from_successors(SUCCESSORS, 0.9), REWARDS)
        with pytest.raises(InvalidHypothesesError, match='must be about the MDP of the world'):
            Task(WORLD, other, NoiseModel())

    def test_refuses_noise_that_does_not_fit(self):
        with pytest.raises(InvalidNoiseError, match=r'gamma_hat must be above 0.5'):
            Task(WORLD, make().compile(), NoiseModel(0.3))


def test_rewards_for_another_mdp_are_refused():
    with pytest.raises(InvalidRewardsError, match=r'rewards are for \(S, A\) = \(4, 3\), the MDP '
                                                  r'has \(S, A\) = \(4, 2\)'):
        make(rewards=Rewards.from_dense(np.eye(3, 4), 3))


def test_a_start_of_another_mdp_is_refused():
    with pytest.raises(InvalidMdpError, match='start must be a probability for each of the 4'):
        in_world(start=np.ones(1))


def test_a_task_can_be_learned():
    learner = Learner(make())
    assert learner.ask() is not None
    assert learner.task.start.tolist() == [1.0, 0.0, 0.0, 0.0]
