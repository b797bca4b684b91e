"""Finding and loading the compiled kernel, and calling it from many threads."""

from __future__ import annotations

import os
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from cases import for_each
from kernel_help import missing, need_compiler, need_kernel, solved_by
from waiting import patience
from worlds import corridor, random_mdp, random_rewards

from gbs_irl_ros.core.planning import kernel, kernel_planner
from gbs_irl_ros.core.planning.greedy_sets import GreedySets
from gbs_irl_ros.core.rewards import Rewards

WITHOUT = 'planning without the compiled kernel, which takes many times as long: '
BUILD_IT = '; build it with colcon, `make setup` or `pip install .`'


@pytest.fixture
def setting(monkeypatch):
    """Return a function that sets the variable and forgets what was loaded before."""
    def put(value):
        monkeypatch.setenv(kernel.VARIABLE, str(value))
        kernel._load.cache_clear()
        return kernel.library(), kernel.description()
    yield put
    kernel._load.cache_clear()


def compiled(folder, source, name='other.so'):
    """Return a library made of a few lines of C."""
    code, library = folder / 'other.c', folder / name
    code.write_text(source)
    subprocess.run([need_compiler(), '-shared', '-fPIC', '-o', library, code], check=True,
                   timeout=patience(60))
    return library


def functions(version, names=tuple(kernel.SIGNATURES)):
    """Return C with functions of these names that do nothing."""
    return f'int gbs_version(void) {{ return {version}; }}\n' + ''.join(
        f'int {name}(void) {{ return 0; }}\n' for name in names if name != 'gbs_version')


# ---- loading ------------------------------------------------------------------------------------

def test_where_the_package_is_built_the_kernel_is_there():
    if kernel.library() is None:
        missing(kernel.description())
    assert kernel.library().gbs_version() == kernel.VERSION
    assert kernel.description().startswith('planning with the compiled kernel _kernel')


def test_switched_off_it_is_not_loaded_and_says_so(setting):
    assert setting('off') == (
        None, WITHOUT + 'it is switched off by GBS_IRL_KERNEL=off')


def test_an_empty_variable_means_the_kernel_beside_the_code(setting, monkeypatch):
    monkeypatch.delenv(kernel.VARIABLE, raising=False)
    plain = kernel.description()
    assert setting('')[1] == plain


def test_another_build_can_be_named(setting, tmp_path):
    library = compiled(tmp_path, functions(kernel.VERSION), 'mine.so')
    found, said = setting(library)
    assert found.gbs_version() == kernel.VERSION
    assert said == 'planning with the compiled kernel mine.so'


def test_a_file_that_is_missing_is_reported(setting, tmp_path):
    path = tmp_path / 'missing.so'
    found, said = setting(path)
    assert found is None
    assert said.startswith(f'{WITHOUT}{path} cannot be used: ')
    assert 'No such file' in said
    assert said.endswith(BUILD_IT)


@pytest.mark.parametrize('content', [b'', b'not a library\n' * 50])
def test_a_file_that_is_no_library_is_reported(setting, tmp_path, content):
    path = tmp_path / 'text.so'
    path.write_bytes(content)
    found, said = setting(path)
    assert found is None
    assert said.startswith(f'{WITHOUT}{path} cannot be used: ')
    assert said.endswith(BUILD_IT)


def test_a_folder_is_no_library(setting, tmp_path):
    found, said = setting(tmp_path)
    assert found is None
    assert f'{tmp_path} cannot be used: ' in said


def test_a_library_without_the_functions_is_reported_with_the_first_that_is_missing(
        setting, tmp_path):
    path = compiled(tmp_path, functions(kernel.VERSION, ('gbs_components',)))
    found, said = setting(path)
    assert found is None
    assert said.startswith(f'{WITHOUT}{path} cannot be used: ')
    assert 'gbs_plan' in said


@pytest.mark.parametrize('version', [kernel.VERSION - 1, kernel.VERSION + 1, -7])
def test_a_library_of_another_version_is_refused(setting, tmp_path, version):
    path = compiled(tmp_path, functions(version))
    assert setting(path) == (
        None, f'{WITHOUT}{path} has version {version}, expected {kernel.VERSION}{BUILD_IT}')


@pytest.mark.parametrize('content', ['missing', 'text'])
def test_planning_goes_on_without_a_kernel_that_cannot_be_used(setting, tmp_path, content):
    path = tmp_path / 'kernel.so'
    if content == 'text':
        path.write_text('this is no library')
    setting(path)
    rewards = Rewards.from_dense(np.array([[1.0, 0.0, 0.0, 0.0, 1.0]]), 2)
    assert solved_by('steps', corridor(5), rewards).greedy_bits[:, 0].tolist() == [1, 1, 3, 2, 2]


def test_where_no_kernel_was_built_that_is_said(setting, monkeypatch, tmp_path):
    monkeypatch.setattr(kernel.gbs_irl_ros, '__path__', [str(tmp_path)])
    assert setting('') == (None, f'{WITHOUT}there is none in gbs_irl_ros/core/planning{BUILD_IT}')


def test_among_several_kernels_the_first_that_can_be_used_is_taken(
        setting, monkeypatch, tmp_path):
    core = tmp_path / 'core' / 'planning'
    core.mkdir(parents=True)
    (core / '_kernel.a.so').write_text('broken')
    compiled(core, functions(kernel.VERSION + 1), '_kernel.b.so')
    compiled(core, functions(kernel.VERSION), '_kernel.c.so')
    monkeypatch.setattr(kernel.gbs_irl_ros, '__path__', [str(tmp_path)])
    assert setting('')[1] == 'planning with the compiled kernel _kernel.c.so'


def test_all_kernels_that_cannot_be_used_are_named(setting, monkeypatch, tmp_path):
    core = tmp_path / 'core' / 'planning'
    core.mkdir(parents=True)
    (core / '_kernel.a.so').write_text('broken')
    compiled(core, functions(kernel.VERSION + 1), '_kernel.b.so')
    monkeypatch.setattr(kernel.gbs_irl_ros, '__path__', [str(tmp_path)])
    found, said = setting('')
    assert found is None
    assert said.index('_kernel.a.so cannot be used') < said.index('_kernel.b.so has version')


def test_processors_of_the_other_byte_order_plan_without(setting, monkeypatch):
    monkeypatch.setattr(kernel.sys, 'byteorder', 'big')
    assert setting('') == (None, f'{WITHOUT}it is for little-endian processors')


def test_a_library_without_memory_is_an_error_of_its_own(setting, tmp_path):
    setting(compiled(tmp_path, functions(kernel.VERSION).replace('return 0', 'return -1')))
    with pytest.raises(MemoryError, match='gbs_mass found no memory'):
        GreedySets(np.array([[1]], dtype=np.uint8), np.array([0]), 1).optimal_mass(np.ones(1))


def test_an_array_of_another_type_or_order_is_not_passed_on():
    with pytest.raises(AssertionError):
        kernel.address(np.zeros(3), np.int64)
    with pytest.raises(AssertionError):
        kernel.address(np.zeros((3, 2))[:, 0], np.float64)
    assert kernel.address(None, np.int64) is None


# ---- threads ------------------------------------------------------------------------------------

@for_each(('value', 'expected'), [('1', 1), ('3', 3), ('17', 17)])
def test_the_number_of_threads_can_be_set(monkeypatch, value, expected):
    monkeypatch.setenv(kernel.THREADS, value)
    assert kernel.num_threads() == expected


@for_each('value', ['', '0', '-2', 'many', '1.5', ' ', '²', '1e3', '+4'])
def test_nonsense_for_the_number_of_threads_means_all_processors(monkeypatch, value):
    monkeypatch.setenv(kernel.THREADS, value)
    assert kernel.num_threads() == len(os.sched_getaffinity(0))


@for_each('size', [1, kernel.PARALLEL_FROM])
@for_each('threads', ['1', '2', '8'])
@for_each(('count', 'step'), [(1, 1), (1, 5), (7, 7), (7, 3), (9, 3), (20, 1)])
def test_all_parts_are_done_and_told_in_order(monkeypatch, size, threads, count, step):
    monkeypatch.setenv(kernel.THREADS, threads)
    seen, told = [], []
    kernel.in_parallel(lambda first, last: seen.append((first, last)), count, step, size,
                       told.append)
    parts = [(first, min(first + step, count)) for first in range(0, count, step)]
    assert sorted(seen) == parts
    assert told == [last for _, last in parts]


def test_of_no_parts_none_is_done():
    seen = []
    kernel.in_parallel(lambda first, last: seen.append(first), 0, 4, 10**9, seen.append)
    assert seen == []


def test_large_work_uses_several_threads_at_once(monkeypatch):
    monkeypatch.setenv(kernel.THREADS, '3')
    together = threading.Barrier(3, timeout=patience(30.0))     # passed only by three at once
    kernel.in_parallel(lambda first, last: together.wait(), 3, 1, kernel.PARALLEL_FROM)


def test_small_work_stays_in_its_thread(monkeypatch):
    monkeypatch.setenv(kernel.THREADS, '3')
    used = set()
    kernel.in_parallel(lambda first, last: used.add(threading.get_ident()), 3, 1,
                       kernel.PARALLEL_FROM - 1)
    assert used == {threading.get_ident()}


def test_no_more_threads_than_parts_are_started(monkeypatch):
    monkeypatch.setenv(kernel.THREADS, '100')
    wanted = []

    class Pool(ThreadPoolExecutor):
        def __init__(self, workers):
            wanted.append(workers)
            super().__init__(workers)

    monkeypatch.setattr(kernel, 'ThreadPoolExecutor', Pool)
    kernel.in_parallel(lambda first, last: None, 5, 2, kernel.PARALLEL_FROM)
    assert wanted == [3]


@for_each('size', [1, kernel.PARALLEL_FROM])
@for_each('bad', [0, 2, 4])
def test_an_exception_in_a_part_is_raised(monkeypatch, size, bad):
    monkeypatch.setenv(kernel.THREADS, '2')
    told = []

    def job(first, last):
        if first == bad:
            raise MemoryError(f'part {first}')

    with pytest.raises(MemoryError, match=f'part {bad}'):
        kernel.in_parallel(job, 5, 1, size, told.append)
    assert told == list(range(1, bad + 1))


def test_calls_from_several_threads_give_the_same_as_one_after_another(rng):
    need_kernel()
    problems = []
    for successors in (1, 3, 1, 3):
        mdp = random_mdp(rng, 120, 3, successors, 0.95)
        problems.append((mdp, random_rewards(rng, mdp, 9, 4)))

    def solved(problem):
        # Not through solve: its patching and its pool are not what is tested here.
        mdp, rewards = problem
        outcome = kernel_planner.Outcome(np.zeros((120, 9), dtype=np.uint8), np.zeros((9, 120)), 9)
        kernel_planner.KernelPlanner(mdp).plan(
            kernel_planner.RewardArrays(rewards), 0, 9, 1e-8, 2000, outcome)
        return outcome.bits, outcome.values, outcome.updates

    alone = [solved(problem) for problem in problems]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(solved, problems * 5))
    for index, arrays in enumerate(together):
        for found, expected in zip(arrays, alone[index % 4], strict=True):
            np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize('successors', [1, 3])
def test_the_number_of_threads_does_not_change_a_bit(monkeypatch, rng, successors):
    need_kernel()
    monkeypatch.setattr(kernel, 'PARALLEL_FROM', 0)
    # A lane at a time.
    monkeypatch.setattr('gbs_irl_ros.core.planning.solver.UPDATES_PER_PART', 1)
    mdp = random_mdp(rng, 80, 3, successors, 0.99)
    rewards = random_rewards(rng, mdp, 23, 3)
    found = []
    for threads in ('1', '2', '5'):
        monkeypatch.setenv(kernel.THREADS, threads)
        found.append(solved_by('sweeps', mdp, rewards))
    for other in found[1:]:
        for name in ('greedy_bits', 'values', 'num_updates'):
            assert getattr(other, name).tobytes() == getattr(found[0], name).tobytes()


def test_one_thread_holds_inside_and_for_this_thread_alone(monkeypatch):
    monkeypatch.setenv(kernel.THREADS, '5')
    with kernel.one_thread():
        assert kernel.num_threads() == 1
        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(kernel.num_threads).result() == 5
    assert kernel.num_threads() == 5
