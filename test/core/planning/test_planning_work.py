"""
Guards against doing more work than needed: counted in sweeps, calls and bytes, not in seconds.

The limits are about 1.3 times what was counted when they were written; the numbers behind are
those. Whoever makes planning cheaper should lower them.
"""

from __future__ import annotations

import tracemalloc
from contextlib import contextmanager

import numpy as np
import pytest
from cases import for_each
from kernel_help import need_kernel, solved_by
from worlds import grid, random_mdp

from gbs_irl_ros.core import NEVER, Hypotheses, Learner, Problem
from gbs_irl_ros.core.mdp import Mdp
from gbs_irl_ros.core.planning import greedy_sets, kernel
from gbs_irl_ros.core.planning.greedy_sets import GreedySets
from gbs_irl_ros.core.rewards import Rewards
from gbs_irl_ros.tasks import load_task


@pytest.fixture(autouse=True)
def _kernel_is_there():
    need_kernel()


@pytest.fixture
def calls(monkeypatch):
    """A list of all calls of the kernel's functions, as (name, arguments)."""
    made, plain = [], kernel.call

    def call(name, *arguments):
        made.append((name, arguments))
        plain(name, *arguments)

    monkeypatch.setattr(kernel, 'call', call)
    return made


@contextmanager
def counted_bytes():
    """Yield a list that holds afterwards how many more bytes were in use at most than before."""
    found = []
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    try:
        yield found
    finally:
        found.append(tracemalloc.get_traced_memory()[1] - before)
        tracemalloc.stop()


# ---- sweeps -------------------------------------------------------------------------------------

@for_each(('name', 'count', 'mean', 'most'), [
    ('puddle_world', 500, 109, 139),        # 84.1 and 107.0
    ('trap_world', 500, 9, 12),             # 6.8 and 9.0
    ('random_mdp', 500, 96, 133),           # 73.7 and 102.0
    ('driver', 20, 8, 10),                  # 6.1 and 7.3
])
def test_planning_for_the_shipped_tasks_takes_few_sweeps(name, count, mean, most):
    task = load_task(name)
    rewards = task.rewards.rows(np.arange(count))
    solution = solved_by('sweeps', task.world.mdp, rewards)
    sweeps = solution.num_updates / task.world.mdp.num_states
    assert sweeps.mean() <= mean
    assert sweeps.max() <= most
    assert sweeps.min() >= 1.0
    assert (solution.num_rounds == 0).all()     # none had to be finished by exact evaluation


def test_goals_are_searched_for_without_a_sweep(calls):
    task = load_task('trap_world')
    solution = solved_by('steps', task.world.mdp, task.rewards)
    assert (solution.num_updates == 0).all()
    assert {name for name, _ in calls} == {'gbs_goals'}
    assert len(calls) == -(-task.rewards.num_rewards // 64)


def test_components_without_a_way_back_are_swept_once(rng):
    size = 500      # a state may lead to those after it only: every one is a component
    ahead = np.minimum(np.arange(size)[:, np.newaxis] + rng.integers(1, 9, (size, 3)), size - 1)
    order = rng.permutation(size)
    successors = np.empty_like(ahead)
    successors[order] = order[ahead]
    solution = solved_by('sweeps', Mdp.from_successors(successors, 0.99),
                         Rewards.from_dense(rng.random((4, size)), 3))
    assert (solution.num_updates <= 2 * size).all()     # the second finds that nothing moves


# ---- calls --------------------------------------------------------------------------------------

def test_a_question_of_emg_plans_for_all_states_and_answers_together(rng, calls, monkeypatch):
    monkeypatch.setenv(kernel.THREADS, '1')
    mdp = random_mdp(rng, 40, 4, 3)
    hypotheses = Hypotheses.from_rewards(mdp, Rewards.from_dense(rng.random((12, 40)), 4))
    learner = Learner(Problem(hypotheses), 'emg', stop=NEVER)
    calls.clear()
    learner.ask()
    parts = [arguments[3:5] for name, arguments in calls if name == 'gbs_plan']
    planned = [last - first for first, last in parts]
    # The mean reward as it is, then those after every answer, in a few large parts.
    assert planned[0] == 1
    assert sum(planned[1:]) == 4 * hypotheses.sets.num_classes >= 100
    assert len(planned) <= 12
    # The world is put in order once, when it is first planned for.
    assert not any(name == 'gbs_components' for name, _ in calls)


# ---- hypotheses that count for nothing ----------------------------------------------------------

def entries_of(calls):
    """Return how many greedy sets gbs_mass was asked to look at."""
    return sum(arguments[2] * arguments[6] for name, arguments in calls if name == 'gbs_mass')


def random_sets(rng, states, policies):
    return GreedySets.from_state_bits(
        rng.integers(1, 16, (states, policies)).astype(np.uint8), 4)


def test_the_work_of_a_question_falls_with_the_hypotheses_that_still_count(rng, calls):
    sets = random_sets(rng, 300, 400)
    for live in (400, 100, 10, 1):
        probabilities = np.full(400, 1e-25)
        probabilities[rng.choice(400, live, replace=False)] = 1.0 / live
        calls.clear()
        sets.optimal_mass(probabilities)
        assert entries_of(calls) == sets.num_classes * live


def test_asking_looks_at_the_greedy_sets_once(rng, calls, monkeypatch):
    monkeypatch.setattr('gbs_irl_ros.core.planning.mass.SMALL_ENTRIES', 0)
    mdp = grid(12, 12)
    hypotheses = Hypotheses.from_rewards(mdp, Rewards.goals(mdp, range(0, 144, 3)))
    learner = Learner(Problem(hypotheses), stop=NEVER)
    calls.clear()
    learner.ask()
    learner.ask()
    assert entries_of(calls) == hypotheses.sets.bits.size


# ---- bytes --------------------------------------------------------------------------------------

@pytest.fixture(scope='module')
def large_goals():
    """200 goals in a grid of 200 x 200, so that greedy sets are 8 MB and floats would be 64."""
    goals = np.random.default_rng(5).choice(40_000, 200, replace=False)
    mdp = grid(200, 200)
    return mdp, Rewards.goals(mdp, goals)


@pytest.fixture
def small_blocks(monkeypatch):
    """Blocks whose size does not matter beside that of all greedy sets."""
    monkeypatch.setattr(greedy_sets, 'COMPARED_ENTRIES', 1 << 15)


@pytest.mark.slow
@pytest.mark.usefixtures('small_blocks')
def test_hypotheses_need_little_more_memory_than_their_greedy_sets(large_goals):
    mdp, rewards = large_goals
    with counted_bytes() as used:
        Hypotheses.from_rewards(mdp, rewards)
    assert used[0] <= 1.8 * mdp.num_states * rewards.num_rewards    # 1.44; a copy makes it 2


@pytest.mark.slow
@pytest.mark.usefixtures('small_blocks')
def test_finding_classes_copies_no_greedy_sets(large_goals):
    mdp, rewards = large_goals
    bits = solved_by('steps', mdp, rewards).greedy_bits
    with counted_bytes() as used:
        sets = GreedySets.consuming(bits.copy(), 4)
    assert sets.num_classes < sets.num_states
    assert used[0] <= 1.6 * bits.nbytes                             # 1.31; a copy makes it 2


@pytest.mark.slow
@pytest.mark.parametrize('strategy', ['gbs', 'random'])
def test_a_question_makes_no_array_as_large_as_the_greedy_sets(large_goals, strategy):
    hypotheses = Hypotheses.from_rewards(*large_goals)
    learner = Learner(Problem(hypotheses), strategy, stop=NEVER)
    with counted_bytes() as used:
        learner.ask()
    assert used[0] <= 0.5 * hypotheses.sets.bits.nbytes             # 0.35; floats would be 8
