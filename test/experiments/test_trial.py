"""One trial: by hand in worlds of two states, then what must hold in any world."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import numpy as np
import pytest
from cases import for_each
from scipy import stats
from small_sweeps import GBS, IQBC, RANDOM, SMALL, OnePolicyInAnother, TwoPlaces, rows_in, rows_of

from gbs_irl_ros.core import Hypotheses
from gbs_irl_ros.core.learner import SupersetWarning
from gbs_irl_ros.core.metrics import ValueLossMeter
from gbs_irl_ros.core.planning.kernel import num_threads
from gbs_irl_ros.experiments import domains, trial as trial_module
from gbs_irl_ros.experiments.domains import GoalGrid, RandomMdps
from gbs_irl_ros.experiments.rows import TIMES
from gbs_irl_ros.experiments.sweeps import Method, Sweep
from gbs_irl_ros.experiments.trial import draw_trial, first_problem, run_trial, trial_seed

REWARD = Method('reward', 'random', (('kind', 'reward'),))
MIXED = Method('mixed', 'random', (('kind', 'action+reward'),))
PRINTED = Method('printed', 'iqbc_printed')
PLACES = Sweep('places', 'Two places', TwoPlaces(), (GBS,), trials=1000, steps=1)
MAZE = Sweep('maze', 'Random', RandomMdps(10, 5, count=25), (GBS, IQBC, RANDOM), num_mdps=2,
             trials=3, steps=12)


def scores(row):
    return row.accuracy, row.value_loss, row.relative_loss, row.p_true


def without_name(rows):
    return [row._replace(method='') for row in rows]


def of_method(rows, name):
    return [row for row in rows if row.method == name]


# ---- by hand ------------------------------------------------------------------------------------

@pytest.mark.parametrize(('prior', 'expected'), [
    ((0.9, 0.1), (1.0, 0.0, 0.0, 0.9)), ((1.0, 9.0), (0.0, 1.0, 2.0, 0.1))])
def test_before_the_first_answer_the_likeliest_policy_counts(prior, expected):
    """The wrong policy earns (0, 1) of (1, 2); a random one (1/2, 3/2)."""
    row, = rows_of(replace(PLACES, domain=TwoPlaces(prior), steps=0))
    assert scores(row) == pytest.approx(expected, abs=1e-9)
    assert (row.step, row.kind, row.state) == (0, '', -1)


def test_rewards_of_one_policy_count_together():
    domain = TwoPlaces((2.0, 5.0, 3.0), 2, ((0.0, 1.0), (1.0, 0.0), (0.0, 0.5)))
    row, = rows_of(replace(PLACES, domain=domain, steps=0))
    assert row.p_true == 0.5
    time, = rows_in(run_trial(replace(PLACES, domain=domain), 0).times, TIMES)
    assert time.policies == 2


@pytest.mark.slow
@for_each('likelihood', ['aggregated', 'exact', 'single_action'])
@for_each(('gamma_hat', 'odds'), [(None, 9.0), (0.75, 3.0)])
def test_each_answer_multiplies_the_odds_by_those_of_the_teacher(likelihood, gamma_hat, odds):
    sweep = replace(PLACES, methods=(replace(GBS, likelihood=likelihood),), steps=5,
                    gamma_hat=gamma_hat)
    wrong = 0
    for index in range(12):
        shares = [row.p_true for row in rows_of(sweep, index)]
        powers = np.log(np.array(shares) / (1.0 - np.array(shares))) / np.log(odds)
        np.testing.assert_allclose(powers, np.round(powers), atol=0.02)      # six digits
        steps = np.diff(np.round(powers))
        assert set(steps) <= {-1.0, 1.0}
        wrong += np.count_nonzero(steps < 0.0)
    assert 0 < wrong < 20       # of 60


@pytest.mark.slow
@pytest.mark.parametrize('gamma', [0.9, 0.6])
def test_the_teacher_errs_as_often_as_is_said(gamma):
    sweep = replace(PLACES, gamma=gamma)
    right = sum(rows_of(sweep, index)[1].p_true > 0.5 for index in range(150))
    assert stats.binomtest(right, 150, gamma).pvalue > 1e-3


def test_one_answer_of_a_perfect_teacher_is_enough_here():
    sweep = replace(PLACES, gamma=1.0, methods=(GBS, RANDOM), steps=3)
    for index in range(10):
        for row in rows_of(sweep, index):
            if row.step:
                assert scores(row) == (1.0, 0.0, 0.0, 1.0)


def test_a_reward_answer_moves_the_odds_by_its_squared_distances():
    """The teacher's words come from [seed, step, 3], normal with variance sigma / 2."""
    sweep = replace(PLACES, methods=(REWARD,), steps=4, sigma=0.7)
    rows = rows_of(sweep, 2)
    log_odds = 0.0
    for step, row in enumerate(rows[1:], start=1):
        chance = np.random.default_rng([row.seed, step, 3])
        here, there = ((0.0, 1.0), (1.0, 0.0))[row.state]
        said = here + chance.normal(0.0, np.sqrt(0.35))
        log_odds += ((said - there) ** 2 - (said - here) ** 2) / 0.7
        assert row.kind == 'reward'
        assert row.p_true == pytest.approx(1.0 / (1.0 + np.exp(-log_odds)), rel=1e-5)


def test_under_the_aggregated_likelihood_a_policy_around_the_right_one_stays():
    methods = (RANDOM, replace(RANDOM, name='exact', likelihood='exact'))
    sweep = replace(PLACES, domain=OnePolicyInAnother(), methods=methods, steps=40, gamma=1.0)
    result = run_trial(sweep, 0)        # a warning would be an error here
    rows = rows_in(result.rows)
    assert {row.p_true for row in of_method(rows, 'random')} == {0.5}
    assert of_method(rows, 'exact')[-1].p_true > 0.99
    assert {(row.accuracy, row.value_loss > 0.0) for row in rows} == {(1.0, False), (0.75, True)}
    assert [(time.policies, time.supersets) for time in rows_in(result.times, TIMES)] == [
        (2, 1), (2, 1)]


def test_only_policies_around_the_right_one_are_counted_as_supersets():
    sweep = replace(PLACES, domain=OnePolicyInAnother(truth=1))
    time, = rows_in(run_trial(sweep, 0).times, TIMES)
    assert (time.policies, time.supersets) == (2, 0)


def test_the_warning_of_supersets_is_left_to_others():
    domain = OnePolicyInAnother()
    mdp = domain.mdp(0)
    draw = domain.draw(mdp, None)
    hypotheses = Hypotheses.from_rewards(mdp, draw.rewards, draw.prior)
    noise = trial_module.NoiseModel(0.9, 0.1, 'aggregated')
    with pytest.warns(SupersetWarning):
        trial_module.Learner(trial_module.Problem(hypotheses, noise))


# ---- in any world -------------------------------------------------------------------------------

def test_there_is_a_row_for_each_method_and_step():
    rows = rows_of(MAZE, 4)
    assert [(row.method, row.step) for row in rows] == [
        (name, step) for name in ('gbs', 'iqbc', 'random') for step in range(13)]
    assert {(row.experiment, row.mdp, row.trial, row.seed) for row in rows} == {
        ('maze', 1, 1, trial_seed(MAZE, 1, 1))}
    assert {(row.kind, row.state >= 0) for row in rows if row.step} == {('action', True)}
    assert {(row.kind, row.state) for row in rows if not row.step} == {('', -1)}


def test_times_have_a_line_for_each_method():
    times = rows_in(run_trial(MAZE, 4).times, TIMES)
    assert [(time.experiment, time.mdp, time.trial, time.seed, time.method) for time in times] == [
        ('maze', 1, 1, trial_seed(MAZE, 1, 1), name) for name in ('gbs', 'iqbc', 'random')]
    assert all(0.0 < time.seconds < 60.0 for time in times)
    assert len({(time.policies, time.supersets) for time in times}) == 1


def test_a_method_with_few_trials_learns_in_those_only():
    sweep = replace(MAZE, methods=(GBS, replace(RANDOM, trials=1)))
    for index in range(sweep.num_trials):
        names = {row.method for row in rows_of(sweep, index)}
        assert names == ({'gbs', 'random'} if index in (0, 3) else {'gbs'})


def test_a_trial_depends_on_its_two_arguments_alone():
    first = [run_trial(MAZE, index).rows for index in (0, 1, 3)]
    again = [run_trial(MAZE, index).rows for index in (3, 0, 1)]
    assert again == [first[2], first[0], first[1]]
    assert len(set(first)) == 3
    assert run_trial(replace(MAZE, seed=2), 0).rows != first[0]


def test_a_method_learns_the_same_whoever_else_learns():
    together = rows_of(MAZE, 1)
    for method in MAZE.methods:
        alone = rows_of(replace(MAZE, methods=(method,)), 1)
        assert alone == of_method(together, method.name)


@for_each('method', [GBS, RANDOM, REWARD, MIXED], ids=lambda method: method.name)
def test_the_same_question_in_the_same_step_gets_the_same_answer(method):
    sweep = replace(MAZE, methods=(replace(method, name='a'), IQBC, replace(method, name='other')))
    rows = rows_of(sweep, 2)
    assert without_name(of_method(rows, 'a')) == without_name(of_method(rows, 'other'))
    assert without_name(of_method(rows, 'a')) != without_name(of_method(rows, 'iqbc'))


def test_all_methods_of_a_trial_begin_alike():
    sweep = replace(MAZE, methods=(*MAZE.methods, PRINTED, REWARD))
    for index in range(sweep.num_trials):
        starts = [row for row in rows_of(sweep, index) if row.step == 0]
        assert len(starts) == 5
        assert len(set(without_name(starts))) == 1


def test_mdps_and_trials_differ():
    starts = [next(iter(rows_of(MAZE, index))) for index in range(6)]
    assert len({row.p_true for row in starts} | {row.seed for row in starts}) >= 6 + 3
    assert len({trial_seed(MAZE, mdp, trial) for mdp in range(20) for trial in range(50)}) == 1000
    assert len({trial_seed(MAZE, mdp) for mdp in range(1000)}) == 1000
    assert all(0 <= trial_seed(MAZE, mdp) < 2**63 for mdp in range(1000))


def test_seeds_stay_what_they_are():
    """Rows can be gone on with only as long as their seeds are the same."""
    assert trial_seed(MAZE, 1, 2) == trial_seed(replace(SMALL, steps=7), 1, 2)
    assert trial_seed(MAZE, 1, 2) != trial_seed(replace(MAZE, seed=2), 1, 2)


def test_a_world_and_its_first_trial_draw_from_different_chance():
    for mdp in range(3):
        assert trial_seed(MAZE, mdp) != trial_seed(MAZE, mdp, 0)


def test_rewards_and_the_first_question_draw_from_different_chance(monkeypatch):
    """Whatever a trial seeds, no two of its generators say the same."""
    seeded, make = [], np.random.default_rng

    def noted(*given):
        made = make(*given)
        seeded.append((given, make(*given).integers(2**63)))
        return made
    monkeypatch.setattr(np.random, 'default_rng', noted)
    run_trial(replace(MAZE, methods=(RANDOM,)), 1)
    assert len(seeded) > 20
    assert len({first for _, first in seeded}) == len({str(given) for given, _ in seeded})


@pytest.fixture
def nothing_remembered():
    remembering = (first_problem, domains._random_mdp)
    for function in remembering:
        function.cache_clear()
    yield
    for function in remembering:
        function.cache_clear()


def test_the_first_problem_is_told_by_what_it_is_made_of():
    known = first_problem(SMALL)
    assert re.fullmatch('p[0-9a-f]{12}', known)     # p: never taken for a number
    assert known == first_problem(replace(SMALL, steps=7))      # asks more, of the same
    assert known != first_problem(replace(SMALL, seed=2))
    assert known != first_problem(replace(SMALL, domain=RandomMdps(6, 3, count=9)))


@pytest.mark.parametrize(('constant', 'value'), [('SUCCESSORS', 2), ('DISCOUNT', 0.9)])
def test_another_constant_makes_another_problem(monkeypatch, nothing_remembered, constant, value):
    before = first_problem(replace(SMALL, title='before'))
    domains._random_mdp.cache_clear()
    monkeypatch.setattr(domains, constant, value)
    assert first_problem(replace(SMALL, title='after')) != before


def test_who_is_sure_of_the_right_policy_follows_it():
    sure = [row for index in range(6) for row in rows_of(MAZE, index) if row.p_true > 0.5]
    assert len(sure) > 50
    for row in sure:
        assert row.accuracy == 1.0
        assert row.value_loss == pytest.approx(0.0, abs=1e-9)
        assert row.relative_loss == pytest.approx(0.0, abs=1e-9)


def test_losses_are_in_units_of_a_random_policy():
    for index in range(3):
        mdp, draw = draw_trial(MAZE, 0, index)
        meter = ValueLossMeter(mdp, draw.rewards.one(draw.truth))
        rows = rows_of(MAZE, index)
        unit = meter._chance_loss
        for row in rows:
            assert row.relative_loss == pytest.approx(row.value_loss / unit, rel=1e-5, abs=1e-9)
        assert 0.0 < max(row.relative_loss for row in rows) < 3.0


def test_numbers_are_shares():
    rows = [row for index in range(6) for row in rows_of(MAZE, index)]
    assert all(0.0 <= row.accuracy <= 1.0 and 0.0 <= row.p_true <= 1.0 and row.value_loss >= 0.0
               for row in rows)
    before, after = (np.mean([row.p_true for row in rows if row.step == step])
                     for step in (0, 12))
    assert before == pytest.approx(1 / 25, abs=0.02)
    assert after > 0.5


@pytest.mark.parametrize('likelihood', ['aggregated', 'exact'])
def test_a_perfect_teacher_is_understood(likelihood):
    sweep = replace(MAZE, gamma=1.0, methods=(replace(GBS, likelihood=likelihood),))
    for index in range(sweep.num_trials):
        assert scores(rows_of(sweep, index)[-1]) == pytest.approx((1.0, 0.0, 0.0, 1.0), abs=1e-9)


def test_rewards_on_actions_are_taught_too():
    grid = Sweep('grid', 'Grid', GoalGrid(shaped=True), (REWARD,), steps=20)
    trials = [rows_of(grid, index) for index in range(3)]
    for rows in trials:
        assert {row.kind for row in rows} == {'', 'reward'}
        assert rows[0].p_true == pytest.approx(1 / 190, rel=1e-5)
    assert np.median([rows[-1].p_true for rows in trials]) > 0.5    # a shaped one tells the way


# ---- the committee as printed -------------------------------------------------------------------

def hypotheses_of(sweep, index):
    mdp, draw = draw_trial(sweep, *sweep.place(index))
    return Hypotheses.from_rewards(mdp, draw.rewards, draw.prior)


def vote_entropy(hypotheses, state):
    """Return VE(x), one vote of each policy for each of its optimal actions."""
    sets = hypotheses.sets
    policies = [sets.policy_sets(policy) for policy in range(sets.num_policies)]
    shares = [sum(bool(int(policy[state]) >> action & 1) for policy in policies) / len(policies)
              for action in range(sets.num_actions)]
    return -sum(share * np.log(share) for share in shares if share)


@pytest.mark.parametrize('index', [0, 3])
def test_the_printed_committee_never_changes_its_mind(index):
    sweep = replace(MAZE, methods=(PRINTED, IQBC))
    rows, hypotheses = rows_of(sweep, index), hypotheses_of(sweep, index)
    asked = [row.state for row in of_method(rows, 'printed') if row.step]
    assert len(asked) == 12
    entropies = [vote_entropy(hypotheses, state) for state in range(10)]
    assert [entropies[state] for state in asked] == pytest.approx([max(entropies)] * 12, abs=1e-12)
    weighted = [row.state for row in of_method(rows, 'iqbc') if row.step]
    assert len(set(weighted)) > 1


# ---- where it runs ------------------------------------------------------------------------------

@dataclass(frozen=True)
class Watched(TwoPlaces):
    """Fails unless a single thread is used."""

    def draw(self, mdp, rng):
        assert num_threads() == 1
        return super().draw(mdp, rng)


def test_a_trial_uses_one_thread(monkeypatch):
    monkeypatch.setenv('GBS_IRL_THREADS', '2')
    assert num_threads() == 2
    run_trial(replace(PLACES, domain=Watched()), 0)
    assert num_threads() == 2
