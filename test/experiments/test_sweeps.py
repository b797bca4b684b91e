"""What is run: a contract for every experiment, and how few trials are chosen."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from cases import for_each
from small_sweeps import GBS, RANDOM, SMALL, rows_of

from gbs_irl_ros.core import Likelihood
from gbs_irl_ros.core.queries import STRATEGIES
from gbs_irl_ros.experiments.curves import COLUMNS
from gbs_irl_ros.experiments.domains import (
    Driver,
    DriverFeatures,
    GoalGrid,
    RandomMdps,
    ShippedTask,
)
from gbs_irl_ros.experiments.printed_iqbc import PrintedIqbcQuery
from gbs_irl_ros.experiments.sweeps import SWEEPS, Method
from gbs_irl_ros.tasks import load_truth

EVERY = for_each('sweep', list(SWEEPS.values()), ids=list(SWEEPS))
TOP_RIGHT = 18


def drawn(sweep, seed):
    mdp = sweep.domain.mdp(0)
    return mdp, sweep.domain.draw(mdp, np.random.default_rng(seed))


def meant(domain):
    """Return the reward that is meant, by one who did not draw it; None if it is any."""
    if isinstance(domain, ShippedTask):
        return load_truth(domain.task).reward
    if isinstance(domain, (Driver, DriverFeatures)):
        return load_truth('driver').reward.ravel()
    if isinstance(domain, GoalGrid) and not domain.anywhere and not domain.shaped:
        return np.eye(190)[TOP_RIGHT]
    return None


# ---- every experiment ---------------------------------------------------------------------------

@EVERY
def test_settings_say_everything_in_json(sweep):
    quick = sweep.quick()
    for one in (sweep, quick):
        settings = json.loads(json.dumps(one.settings(), allow_nan=False))
        assert settings['domain']['kind'] == type(one.domain).__name__
        assert [settings[key] for key in ('name', 'seed', 'trials', 'steps', 'gamma')] == [
            one.name, one.seed, one.trials, one.steps, one.gamma]
        assert [method['name'] for method in settings['methods']] == [
            method.name for method in one.methods]
    assert quick.settings() != sweep.settings()


@EVERY
def test_methods_can_be_made_and_told_apart(sweep):
    names = [method.name for method in sweep.methods]
    assert len(set(names)) == len(names)
    longest = int(COLUMNS['method'].removeprefix('U'))
    for method in sweep.methods:
        assert method.name.isidentifier()
        assert len(method.name) <= longest
        assert method.strategy in {*STRATEGIES, PrintedIqbcQuery.name}
        assert method.make_strategy().name == method.strategy
        assert Likelihood(method.likelihood).value == method.likelihood


@EVERY
def test_a_name_can_be_that_of_a_file(sweep):
    assert SWEEPS[sweep.name] is sweep
    assert sweep.name.isidentifier()
    assert sweep.title
    assert len({other.title for other in SWEEPS.values()}) == len(SWEEPS)


@EVERY
def test_quick_is_the_same_with_fewer_trials_and_all_methods(sweep):
    quick = sweep.quick()
    assert quick.trials < sweep.trials
    assert quick.num_trials <= 40
    assert replace(quick, trials=sweep.trials, methods=sweep.methods) == sweep
    assert [replace(method, trials=None) for method in quick.methods] == [
        replace(method, trials=None) for method in sweep.methods]
    for before, after in zip(sweep.methods, quick.methods, strict=True):
        assert (before.trials is None) == (after.trials is None)
        assert after.trials is None or 1 <= after.trials <= quick.trials
    assert quick.methods_of(0) == quick.methods
    assert quick.quick() == quick


@EVERY
def test_every_trial_has_a_place_and_methods(sweep):
    places = [sweep.place(index) for index in range(sweep.num_trials)]
    assert places == [(mdp, trial) for mdp in range(sweep.num_mdps)
                      for trial in range(sweep.trials)]
    for index in (0, sweep.trials - 1, sweep.num_trials - 1):
        assert sweep.methods_of(index)
    run = sum(len(sweep.methods_of(index)) for index in range(sweep.num_trials))
    assert run == sum(sweep.num_mdps * min(method.trials or sweep.trials, sweep.trials)
                      for method in sweep.methods)


@pytest.mark.slow
@EVERY
def test_the_true_reward_is_at_its_place(sweep):
    mdp, draw = drawn(sweep.quick(), 3)
    rewards = draw.rewards
    rewards.check_fits(mdp)
    assert type(draw.truth) is int
    assert 0 <= draw.truth < rewards.num_rewards
    assert draw.prior.shape == (rewards.num_rewards,)
    assert (draw.prior > 0.0).all()
    found = rewards.dense(np.array([draw.truth]))[0]
    assert np.ptp(found) > 0.0
    expected = meant(sweep.domain)
    if expected is not None:
        np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-12)


@pytest.mark.slow
@EVERY
def test_a_draw_depends_on_chance_alone_and_the_truth_moves(sweep):
    if hasattr(sweep.domain, 'count'):
        sweep = replace(sweep, domain=replace(sweep.domain, count=9))
    _, first = drawn(sweep, 5)
    _, same = drawn(sweep, 5)
    assert first.truth == same.truth
    assert (first.rewards.weights != same.rewards.weights).nnz == 0
    np.testing.assert_array_equal(first.prior, same.prior)
    assert len({drawn(sweep, seed)[1].truth for seed in range(6)}) > 1


def test_only_the_paper_s_numbers_where_it_gives_them():
    for sweep in SWEEPS.values():
        assert sweep.gamma == 0.9
        assert sweep.seed == 1
        if sweep.name.startswith('random_'):
            assert (sweep.num_mdps, sweep.trials, sweep.steps) == (10, 200, 100)
            assert sweep.domain.count == 500
        if isinstance(sweep.domain, (ShippedTask, Driver, DriverFeatures, GoalGrid)):
            assert (sweep.num_mdps, sweep.trials, sweep.steps) == (1, 200, 100)
    assert {(sweep.domain.states, sweep.domain.actions) for sweep in SWEEPS.values()
            if sweep.name.startswith('random_')} == {
        (states, actions) for states in (10, 50, 100) for actions in (5, 10)}


@for_each('name', [name for name, sweep in SWEEPS.items()
                   if isinstance(sweep.domain, RandomMdps)
                   and sweep.domain.states <= 50])
def test_a_random_experiment_runs_when_it_is_small(name):
    sweep = SWEEPS[name]
    small = replace(sweep.quick(), trials=2, steps=5, domain=replace(sweep.domain, count=8))
    for index in (0, small.num_trials - 1):
        methods = small.methods_of(index)
        rows = rows_of(small, index)
        assert [(row.method, row.step) for row in rows] == [
            (method.name, step) for method in methods for step in range(6)]


# ---- trials of a method -------------------------------------------------------------------------

def test_the_trials_of_a_method_are_the_first_of_each_mdp():
    few = Method('few', 'random', trials=2)
    sweep = replace(SMALL, methods=(GBS, few, RANDOM), num_mdps=2, trials=3)
    assert [few in sweep.methods_of(index) for index in range(6)] == [
        True, True, False, True, True, False]
    assert sweep.methods_of(0) == (GBS, few, RANDOM)
    assert sweep.methods_of(2) == (GBS, RANDOM)


@for_each(('num_mdps', 'trials', 'limit', 'expected'), [
    (1, 200, 100, (12, 6)), (1, 200, 10, (12, 1)), (10, 200, 20, (4, 1)), (10, 20, 20, (4, 4))])
def test_quick_keeps_the_share_of_a_method_s_trials(num_mdps, trials, limit, expected):
    sweep = replace(SMALL, methods=(GBS, Method('few', 'random', trials=limit)),
                    num_mdps=num_mdps, trials=trials)
    quick = sweep.quick()
    assert (quick.trials, quick.methods[1].trials) == expected
    assert quick.methods[0].trials is None


def test_settings_differ_with_everything_that_rows_depend_on():
    others = [replace(SMALL, seed=2), replace(SMALL, steps=4), replace(SMALL, gamma=0.8),
              replace(SMALL, sigma=0.2), replace(SMALL, num_mdps=3), replace(SMALL, trials=3),
              replace(SMALL, methods=(GBS, RANDOM)), replace(SMALL, domain=RandomMdps(6, 3)),
              replace(SMALL, domain=ShippedTask('trap_world', 8)),
              replace(SMALL, methods=(replace(GBS, likelihood='exact'), *SMALL.methods[1:])),
              replace(SMALL, methods=(replace(GBS, options=(('kind', 'reward'),)),
                                      *SMALL.methods[1:]))]
    texts = {json.dumps(sweep.settings(), sort_keys=True) for sweep in (SMALL, *others)}
    assert len(texts) == len(others) + 1
