"""Plans on disk: found again if they are right, planned for anew if anything is not."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pytest
import storing_process
from cases import for_each
from scipy import sparse
from storing_process import PLANS, SIZE, is_plan, key_of
from waiting import patience

from gbs_irl_ros.core.errors import InvalidHypothesesError, InvalidNoiseError
from gbs_irl_ros.core.hypotheses import Candidates
from gbs_irl_ros.core.mdp import Mdp
from gbs_irl_ros.core.noise import NoiseModel
from gbs_irl_ros.core.planning.greedy_sets import GreedySets
from gbs_irl_ros.core.planning.never import Never
from gbs_irl_ros.core.rewards import Rewards
from gbs_irl_ros.tasks import Appearance, Task, World, load_task, shipped_tasks
from gbs_irl_ros.tasks.plans import plan_cache
from gbs_irl_ros.tasks.plans.plan_cache import PlanCache, cache_folder, plan_key
from gbs_irl_ros.tasks.plans.plan_file import Plan

KEY = key_of(0)
NOBODY = 65534
SCRIPT = Path(storing_process.__file__)
SMALL = sorted(set(shipped_tasks()) - {'driver'})
as_root = pytest.mark.skipif(os.getuid() != 0, reason='only root can give a file away')
not_as_root = pytest.mark.skipif(os.getuid() == 0, reason='root may read and write everywhere')


class Folder:
    """
    A folder for plans.

    lines: what was logged about it.
    """

    def __init__(self, path):
        self.path = path
        self.lines = []

    def cache(self, max_bytes=1_000_000_000):
        return PlanCache(self.path, max_bytes, self.lines.append)

    def file(self, key=KEY):
        return self.path / f'{key}.plan'

    def names(self):
        return sorted(path.name for path in self.path.iterdir())

    def numbers(self):
        """Return which of the plans are there."""
        return [number for number in range(10) if self.file(key_of(number)).exists()]


@pytest.fixture
def folder(tmp_path):
    return Folder(tmp_path / 'cache')


@pytest.fixture(params=[0o000, 0o022, 0o077, 0o277, 0o777], ids=oct)
def umask(request):
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def mode_of(path):
    return stat.S_IMODE(path.stat().st_mode)


def environment():
    """Return one in which a process can import what the tests can."""
    return {**os.environ, 'PYTHONPATH': os.pathsep.join(sys.path)}


def run(*arguments, prefix=(), timeout_s=120):
    """Return what a process of its own printed."""
    done = subprocess.run([*prefix, sys.executable, '-W', 'ignore', *map(str, arguments)],
                          env=environment(), capture_output=True, text=True,
                          timeout=patience(timeout_s))
    assert done.returncode == 0, done.stderr
    return done.stdout


def same(found, expected):
    """Tell whether hypotheses are the same to the last bit."""
    pairs = [(found.sets.bits, expected.sets.bits),
             (found.sets.class_of_state, expected.sets.class_of_state),
             (found.policy_of_reward, expected.policy_of_reward),
             (found.log_prior, expected.log_prior)]
    return (all(ours.dtype == theirs.dtype and np.array_equal(ours, theirs)
                and not ours.flags.writeable for ours, theirs in pairs)
            and found.sets.num_actions == expected.sets.num_actions
            and found.names == expected.names)


# ---- what is found is what would be planned ---------------------------------------------------

@pytest.mark.slow
@pytest.mark.parametrize('name', SMALL)
def test_a_shipped_task_is_planned_for_once(folder, planned, name):
    first, second, alone = (load_task(name) for _ in range(3))
    cache = folder.cache()
    first.compile(cache=cache)
    assert (cache.loaded, cache.stored) == (None, cache.path(plan_key(
        first.world.mdp, first.rewards, first.candidates.avoidance)))
    cache = folder.cache()
    second.compile(cache=cache)
    assert (cache.loaded, cache.stored) == (folder.path / folder.names()[0], None)
    assert len(planned) == 1
    assert same(second.hypotheses, alone.hypotheses)
    assert same(first.hypotheses, alone.hypotheses)
    assert second.hypotheses.mdp is second.world.mdp
    assert second.hypotheses.goals is second.candidates.goals
    assert len(folder.names()) == 1
    assert folder.lines == []


# A plan that is kept must be the one that planning would give. When it gives another, raise
# PLAN_VERSION, so that nobody goes on with the old ones, and put the new value here.
@for_each(('name', 'found'), [
    ('grid_world', 'fabc9de523154390'), ('room', '4e4e85b0ec5cb055'),
    ('random_mdp', '15da0c3a33834e79'), ('trap_world', '36815ff92d8ab803')])
def test_planning_finds_what_it_found_when_the_version_was_last_raised(name, found):
    hypotheses = load_task(name).hypotheses
    digest = hashlib.sha256(hypotheses.sets.bits.tobytes())
    digest.update(hypotheses.sets.class_of_state.tobytes())
    digest.update(hypotheses.policy_of_reward.tobytes())
    assert digest.hexdigest()[:16] == found


def test_the_hypotheses_alone_use_no_disk(folder, planned, monkeypatch):
    monkeypatch.setenv('XDG_CACHE_HOME', str(folder.path))
    monkeypatch.setattr(PlanCache, 'load', None)
    monkeypatch.setattr(PlanCache, 'store', None)
    assert load_task('room').hypotheses.num_rewards == 30
    assert load_task('room').compile().num_rewards == 30
    assert len(planned) == 2
    assert not folder.path.exists()


def test_progress_begins_with_nothing_done_and_is_not_told_when_the_plan_is_found(folder):
    calls = []
    load_task('room').compile(lambda *done: calls.append(done), folder.cache())
    assert calls[0] == (0, 30)
    assert calls[-1] == (30, 30)
    assert calls == sorted(set(calls))
    told = len(calls)
    load_task('room').compile(lambda *done: calls.append(done), folder.cache())
    assert len(calls) == told


# ---- the key ------------------------------------------------------------------------------------

TRANSITIONS = np.array([[[.9, .1, 0], [0, 1, 0]], [[1, 0, 0], [0, 0, 1]], [[0, 1, 0], [0, 0, 1]]])
MDP = Mdp.from_dense(TRANSITIONS, 0.9)
WEIGHTS = np.array([[1.0, 0.0], [0.0, 1.0], [0.5, -1.0]])
FEATURES = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])


def rewards_of(weights=WEIGHTS, features=FEATURES, per_action=False, num_states=3, num_actions=2):
    return Rewards(sparse.csr_matrix(weights), num_states, num_actions, per_action,
                   None if features is None else sparse.csr_matrix(features))


def changed(array, place, value):
    copy = np.array(array)
    copy[place] = value
    return copy


@for_each(('mdp', 'rewards'), [
    (Mdp.from_dense(changed(TRANSITIONS, (0, 0), [.9 - 1e-12, .1 + 1e-12, 0]), 0.9),
     rewards_of()),
    (Mdp.from_dense(TRANSITIONS[:, ::-1], 0.9), rewards_of()),
    (Mdp.from_dense(TRANSITIONS, np.nextafter(0.9, 1.0)), rewards_of()),
    (MDP, rewards_of(weights=changed(WEIGHTS, (2, 0), np.nextafter(0.5, 1.0)))),
    (MDP, rewards_of(weights=WEIGHTS[[1, 0, 2]])),
    (MDP, rewards_of(weights=WEIGHTS[:2])),
    (MDP, rewards_of(features=changed(FEATURES, (0, 0), np.nextafter(1.0, 2.0)))),
    (MDP, rewards_of(features=FEATURES[::-1])),
    (MDP, rewards_of(weights=WEIGHTS @ FEATURES, features=None)),
    (MDP, rewards_of(features=np.repeat(FEATURES, 2, axis=1), per_action=True)),
], ids=['transition', 'order of actions', 'discount', 'weight', 'order of rewards',
        'fewer rewards', 'feature', 'order of features', 'no features', 'per action'])
def test_the_key_changes_with_all_that_planning_depends_on(mdp, rewards):
    assert plan_key(mdp, rewards) != plan_key(MDP, rewards_of())


def test_the_key_changes_with_what_must_never_be_entered_and_with_the_goals_then():
    def key(states, goals):
        return plan_key(MDP, rewards_of(), Never(sparse.csr_matrix(states),
                                                 sparse.csr_matrix(goals)))
    nothing, one, other = np.zeros((3, 3)), np.eye(3), np.eye(3)[::-1]
    keys = [plan_key(MDP, rewards_of()), key(nothing, one), key(one, other), key(other, one),
            key(other, other)]
    assert len(set(keys)) == len(keys)


def test_the_key_of_equal_numbers_for_another_meaning_is_another():
    """The same matrices: two actions and rewards on states, or one action."""
    one_action = Mdp(sparse.csr_matrix(np.eye(2)), 1, 0.9)
    on_states = rewards_of(np.eye(2), None, False, 2, 1)
    per_action = rewards_of(np.eye(2), None, True, 2, 1)
    assert plan_key(one_action, on_states) != plan_key(one_action, per_action)


@pytest.mark.parametrize('name', ['PLAN_VERSION', 'TIE_TOLERANCE'])
def test_the_key_changes_with_the_planner(monkeypatch, name):
    before = plan_key(MDP, rewards_of())
    monkeypatch.setattr(plan_cache, name, getattr(plan_cache, name) * 2)
    assert plan_key(MDP, rewards_of()) != before


def test_the_key_does_not_depend_on_how_matrices_are_stored():
    shuffled = sparse.csr_matrix(([1.0, 1.0, -1.0, 0.25, 0.25, 0.0], [0, 1, 1, 0, 0, 0],
                                  [0, 1, 2, 6]), shape=(3, 2))
    assert plan_key(MDP, rewards_of(weights=shuffled)) == plan_key(MDP, rewards_of())


ROW = """format: 1
name: row
world: {kind: grid, map: "S...b", legend: {b: bed}, moves: [east, west]}
hypotheses: {kind: goals, goals: [[0, 0], [2, 0], [4, 0]], prior: uniform}
noise: {gamma_hat: 0.9}
truth: {hypothesis: 'go to (2, 0)'}
"""


def compile_file(path, text, cache):
    path.write_text(text)
    task = load_task(path)
    task.compile(cache=cache)
    return task


@pytest.mark.parametrize(('old', 'new'), [
    ('prior: uniform', 'prior: [3, 2, 1]'), ('gamma_hat: 0.9', 'gamma_hat: 0.8, sigma_hat: 0.3'),
    ('gamma_hat: 0.9', 'gamma_hat: 0.9, likelihood: aggregated'),
    ('go to (2, 0)', 'go to (4, 0)'), ("truth: {hypothesis: 'go to (2, 0)'}\n", ''),
    ('name: row', 'name: line'), ('map: "S...b"', 'map: "...Sb"'), ('{b: bed}', '{b: desk}'),
    ('moves: [east, west]', 'moves: [east, west], cell_size: 0.25')],
    ids=['prior', 'noise', 'likelihood', 'truth', 'no truth', 'name', 'start', 'region', 'cells'])
def test_another_task_of_the_same_world_and_rewards_finds_the_plan(
        folder, planned, tmp_path, old, new):
    first = compile_file(tmp_path / 'row.yaml', ROW, folder.cache())
    cache = folder.cache()
    second = compile_file(tmp_path / 'row.yaml', ROW.replace(old, new), cache)
    assert old in ROW
    assert cache.loaded is not None
    assert len(planned) == len(folder.names()) == 1
    np.testing.assert_array_equal(second.hypotheses.log_prior, second.candidates.log_prior)
    assert second.hypotheses.names == second.names
    np.testing.assert_array_equal(second.hypotheses.sets.bits, first.hypotheses.sets.bits)


@pytest.mark.parametrize(('old', 'new'), [
    ('map: "S...b"', 'map: "S...b."'), ('[2, 0]', '[1, 0]'),
    ('moves: [east, west]', 'moves: [west, east]'), ('moves: [east, west]', 'moves: [east, west], '
                                                     'discount: 0.9')],
    ids=['longer', 'goal', 'order of actions', 'discount'])
def test_another_world_or_other_rewards_do_not(folder, planned, tmp_path, old, new):
    compile_file(tmp_path / 'row.yaml', ROW, folder.cache())
    other = ROW.replace(old, new).replace("truth: {hypothesis: 'go to (2, 0)'}", '')
    compile_file(tmp_path / 'row.yaml', other, folder.cache())
    assert len(planned) == len(folder.names()) == 2


# ---- what is not right is not used --------------------------------------------------------------

WORLD = World('tiny', MDP, np.array([1.0, 0, 0]), Appearance(('a', 'b'), ('a', 'b')))


def tiny(noise=NoiseModel(), **changes):        # noqa: B008 - frozen
    """Return a small task that is not planned for yet."""
    return Task(WORLD, Candidates.of(MDP, rewards_of(**changes), names=('x', 'y', 'z')), noise)


TINY = tiny()
TINY.compile()      # here, or the first test that looks at its plan would count one more
TINY_KEY = plan_key(MDP, TINY.rewards)


def damaged(good):
    """Yield (where, content): every byte changed, and cut off everywhere."""
    for place in range(len(good)):
        bad = bytearray(good)
        bad[place] ^= 0xff
        yield f'byte {place}', bytes(bad)
    for length in range(len(good)):
        yield f'{length} bytes', good[:length]


def test_whatever_is_damaged_in_a_file_it_is_removed_and_planned_for_anew(folder):
    expected = tiny().compile(cache=folder.cache())
    file = folder.file(TINY_KEY)
    good = file.read_bytes()
    for where, bad in damaged(good):
        file.write_bytes(bad)
        assert folder.cache().load(TINY_KEY) is None, where
        assert not file.exists()
        assert folder.lines.pop().endswith('; it was removed')
    for _, bad in list(damaged(good))[::20]:
        file.write_bytes(bad)
        cache = folder.cache()
        assert same(tiny().compile(cache=cache), expected)
        assert cache.loaded is None
        assert file.read_bytes() == good
    assert folder.names() == [file.name]


@pytest.mark.parametrize(('content', 'why'), [
    (b'', 'it is too short'),
    (b'\x93NUMPY\x01\x00v\x00' * 50, 'it is not a plan'),
    (b'GBSPLAN\n\x02\0\0\0' + b'x' * 200, 'it is of version 2, expected 1'),
    (b'GBSPLAN\n\x01\0\0\0' + b'x' * 200, 'it is the plan of something else')],
    ids=['nothing', 'numpy', 'newer', 'other key'])
def test_one_is_told_why_a_file_is_not_used(folder, content, why):
    folder.path.mkdir()
    folder.file().write_bytes(content)
    assert folder.cache().load(KEY) is None
    assert folder.lines == [f'{folder.file()}: this plan is not used: {why}; it was removed']
    assert folder.names() == []


def test_a_file_under_the_name_of_another_is_not_used(folder):
    folder.cache().store(key_of(1), PLANS[1])
    folder.file(key_of(1)).rename(folder.file())
    assert folder.cache().load(KEY) is None
    assert 'it is the plan of something else; it was removed' in folder.lines[0]


def other_plan(num_states=3, num_actions=2, num_rewards=3, policies=None):
    bits = np.full((num_states, 2), 1, dtype=np.uint8)
    bits[:, 1] = 2
    bits[0] = 1
    return Plan(GreedySets.from_state_bits(bits, num_actions),
                np.arange(num_rewards) % 2 if policies is None else np.array(policies))


@pytest.mark.parametrize(('plan', 'why'), [
    (other_plan(num_states=4), 'greedy sets are for 4 states, the MDP has 3'),
    (other_plan(num_actions=3), 'greedy sets are for 3 actions, the MDP has 2'),
    (other_plan(num_rewards=4), 'policy_of_reward must have one entry for each of the 3 rewards, '
                                'got shape (4,)'),
    (other_plan(policies=[0, 1, 2]), 'policy_of_reward must use every policy 0 .. 1, got 3 '
                                     'different ones'),
    (other_plan(policies=[0, 0, 0]), 'policy_of_reward must use every policy 0 .. 1, got 1 '
                                     'different ones'),
    (Plan(GreedySets.from_sets([[{0}, {0, 1}], [{1}, {0, 1}], [{1}, {0, 1}]], 2),
          np.array([0, 1, 0])), 'every action is optimal everywhere under reward 1 (y): no answer '
                                'can speak against it; leave it out')],
    ids=['states', 'actions', 'rewards', 'policy', 'policies left out', 'indifferent'])
def test_a_plan_that_does_not_fit_the_task_is_not_used(folder, plan, why):
    folder.cache().store(TINY_KEY, plan)
    cache = folder.cache()
    assert same(tiny().compile(cache=cache), TINY.hypotheses)
    assert (cache.loaded, cache.stored) == (None, folder.file(TINY_KEY))
    assert folder.lines == [
        f'{folder.file(TINY_KEY)}: this plan is not used: {why}; it was removed']
    cache = folder.cache()
    assert same(tiny().compile(cache=cache), TINY.hypotheses)
    assert cache.loaded is not None


def test_errors_of_the_task_are_the_same_as_without_a_cache(folder):
    for _ in range(2):
        with pytest.raises(InvalidNoiseError, match=r'gamma_hat must be above 0.5'):
            tiny(noise=NoiseModel(0.3)).compile(cache=folder.cache())
    for _ in range(2):
        with pytest.raises(InvalidHypothesesError, match=r'every action is optimal everywhere '
                                                         r'under reward 0 \(x\)'):
            tiny(weights=np.zeros((3, 2))).compile(cache=folder.cache())
    assert folder.names() == [f'{TINY_KEY}.plan']       # nothing is kept of what failed
    assert folder.lines == []


def test_a_link_is_not_followed(folder, tmp_path):
    other = Folder(tmp_path / 'other')
    other.cache().store(KEY, PLANS[0])
    folder.path.mkdir()
    folder.file().symlink_to(other.file())
    assert folder.cache().load(KEY) is None
    assert 'Too many levels of symbolic links; it was removed' in folder.lines[0]
    folder.file().symlink_to(other.file())
    before = other.file().read_bytes()
    folder.cache().store(KEY, PLANS[1])
    assert not folder.file().is_symlink()
    assert other.file().read_bytes() == before


def test_a_folder_in_the_place_of_a_file_is_left_alone(folder):
    folder.file().mkdir(parents=True)
    assert same(tiny().compile(cache=folder.cache()), TINY.hypotheses)
    folder.lines.clear()
    assert folder.cache().load(KEY) is None
    assert folder.lines == [f'{folder.file()}: this plan is not used: it is not a file; it cannot '
                            'be removed: Is a directory']
    folder.lines.clear()
    folder.cache().store(KEY, PLANS[0])
    assert len(folder.lines) == 1
    assert 'plans cannot be kept here: Is a directory' in folder.lines[0]
    for number in (1, 2):
        folder.cache(2 * SIZE).store(key_of(number), PLANS[number])
    assert folder.file().is_dir()
    assert folder.numbers() == [0, 1, 2]        # nor does it take room from the plans


def test_a_pipe_in_the_place_of_a_file_keeps_nobody_waiting(folder):
    folder.path.mkdir()
    os.mkfifo(folder.file())
    assert folder.cache().load(KEY) is None
    assert 'it is not a file; it was removed' in folder.lines[0]


@as_root
def test_the_file_of_another_user_is_not_used(folder):
    folder.cache().store(KEY, PLANS[0])
    os.chown(folder.file(), NOBODY, NOBODY)
    assert folder.cache().load(KEY) is None
    assert f'it belongs to another user ({NOBODY}); it was removed' in folder.lines[0]


@not_as_root
def test_a_file_that_cannot_be_read_is_removed(folder):
    folder.cache().store(KEY, PLANS[0])
    folder.file().chmod(0)
    assert folder.cache().load(KEY) is None
    assert folder.lines == [
        f'{folder.file()}: this plan is not used: Permission denied; it was removed']
    assert folder.names() == []


def test_a_disk_that_cannot_read_is_no_error(folder, monkeypatch):
    folder.cache().store(KEY, PLANS[0])

    def broken(file, key):
        raise OSError(errno.EIO, 'Input/output error')
    monkeypatch.setattr(plan_cache, 'read_plan', broken)
    assert folder.cache().load(KEY) is None
    assert folder.lines == [
        f'{folder.file()}: this plan is not used: Input/output error; it was removed']


def test_a_plan_without_room_in_memory_is_no_error(folder, monkeypatch):
    folder.cache().store(KEY, PLANS[0])

    def no_room(file, key):
        raise MemoryError
    monkeypatch.setattr(plan_cache, 'read_plan', no_room)
    assert folder.cache().load(KEY) is None
    assert 'this plan is not used: MemoryError; it was removed' in folder.lines[0]


def test_a_file_larger_than_the_cache_may_be_is_not_read(folder, monkeypatch):
    folder.cache().store(KEY, PLANS[0])
    monkeypatch.setattr(plan_cache, 'read_plan', None)
    assert folder.cache(1000).load(KEY) is None
    assert folder.lines == [
        f'{folder.file()}: this plan is not used: it has 0.288912 MB, the cache may take 0.001 '
        'MB; it was removed']


# ---- nothing that happens to the disk is an error -----------------------------------------------

def kept_nowhere(folder, why):
    """Check that a task is planned for all the same, and that one line says why not kept."""
    folder.lines.clear()
    cache = folder.cache()
    assert same(tiny().compile(cache=cache), TINY.hypotheses)
    assert (cache.loaded, cache.stored) == (None, None)
    assert folder.lines == [f'{folder.path}: plans cannot be kept here: {why}; fix that, give '
                            'the cache another folder, or switch it off']


def test_a_folder_that_is_missing_is_made_for_its_owner_alone(tmp_path, umask):
    folder = Folder(tmp_path / 'a' / 'cache') if umask & 0o300 == 0 else Folder(tmp_path / 'cache')
    assert folder.cache().load(KEY) is None
    assert not folder.path.exists()
    folder.cache().store(KEY, PLANS[0])
    assert folder.lines == []
    assert mode_of(folder.path) == 0o700
    assert mode_of(folder.file()) == 0o600
    assert is_plan(folder.cache().load(KEY), 0)


def test_a_file_can_never_be_read_by_others_not_even_while_it_is_written(folder, monkeypatch):
    seen, write = [], plan_cache.write_plan

    def watched(file, key, plan):
        seen.append(stat.S_IMODE(os.fstat(file).st_mode))
        write(file, key, plan)
    monkeypatch.setattr(plan_cache, 'write_plan', watched)
    before = os.umask(0)
    try:
        folder.cache().store(KEY, PLANS[0])
    finally:
        os.umask(before)
    assert seen == [0o600]
    assert mode_of(folder.file()) == 0o600


def test_a_folder_that_is_there_keeps_its_mode(folder):
    folder.path.mkdir(mode=0o750)
    folder.path.chmod(0o750)
    folder.cache().store(KEY, PLANS[0])
    assert mode_of(folder.path) == 0o750


@pytest.mark.parametrize('mode', [0o644, 0o755])
def test_a_folder_that_is_a_file_is_left_alone(folder, mode):
    folder.path.write_text('mine')
    folder.path.chmod(mode)
    kept_nowhere(folder, 'Not a directory')
    assert folder.path.read_text() == 'mine'


def test_a_folder_below_a_file_cannot_be_made(folder, tmp_path):
    (tmp_path / 'file').write_text('mine')
    kept_nowhere(Folder(tmp_path / 'file' / 'cache'), 'Not a directory')


def test_a_folder_that_cannot_be_made_is_told():
    kept_nowhere(Folder(Path('/proc/no-such-folder')), 'No such file or directory')


@not_as_root
@pytest.mark.parametrize('mode', [0o500, 0o000])
def test_a_folder_that_cannot_be_written_is_told(folder, mode):
    folder.path.mkdir()
    folder.path.chmod(mode)
    try:
        kept_nowhere(folder, 'Permission denied')
    finally:
        folder.path.chmod(0o700)


AS_NOBODY = f"""
import os, sys
from test_plan_cache import Folder, Path, kept_nowhere
os.setgroups([]); os.setgid({NOBODY}); os.setuid({NOBODY})
kept_nowhere(Folder(Path(sys.argv[1])), 'Permission denied')
"""


@pytest.mark.slow
@as_root
@pytest.mark.parametrize('mode', [0o755, 0o700])
def test_a_user_is_told_about_a_folder_that_he_cannot_write(mode):
    """The same as an ordinary user, in a process of its own."""
    with tempfile.TemporaryDirectory() as path:     # where everybody may look
        Path(path).chmod(mode)
        run('-c', AS_NOBODY, path)
        assert os.listdir(path) == []


@pytest.mark.slow
@as_root
@pytest.mark.root
@pytest.mark.parametrize('damage', [False, True])
def test_plans_on_a_disk_that_is_read_only_are_used(folder, damage):
    folder.cache().store(KEY, PLANS[0])
    if damage:
        folder.file().write_bytes(folder.file().read_bytes()[:-1])
    before = folder.file().stat().st_mtime_ns
    said = mounted(f'mount --bind {folder.path} {folder.path} && '
                   f'mount -o remount,ro,bind {folder.path}', folder, f"""
cache = folder.cache()
plan = cache.load(KEY)
assert {'plan is None' if damage else 'is_plan(plan, 0)'}
cache.store(KEY, PLANS[0])
""")
    assert said[-1] == (f'{folder.path}: plans cannot be kept here: Read-only file system; fix '
                        'that, give the cache another folder, or switch it off')
    assert said[:-1] == ([f'{folder.file()}: this plan is not used: its sizes do not fit its '
                          f'{SIZE - 1} bytes; it cannot be removed: Read-only file system']
                         if damage else [])
    assert folder.file().stat().st_mtime_ns == before


def mounted(command, folder, script):
    """Run a script where something is mounted that nobody else sees; return what was logged."""
    prologue = ('from test_plan_cache import *\n'
                f'folder = Folder(Path({str(folder.path)!r}))\n')
    done = subprocess.run(
        ['unshare', '--mount', 'sh', '-c', f'{command} && exec "$@"', 'sh', sys.executable, '-c',
         prologue + script + 'print(*folder.lines, sep="\\n")'],
        env=environment(), capture_output=True, text=True, timeout=patience(60))
    if 'unshare' in done.stderr or 'mount:' in done.stderr:
        pytest.skip(f'this machine allows no mounts: {done.stderr.strip()}')
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


FULL = """
cache = folder.cache()
cache.store(key_of(1), small)
assert folder.lines == []
cache.store(KEY, PLANS[0])
assert (cache.stored, folder.names()) == (None, [folder.file(key_of(1)).name])
assert cache.load(KEY) is None
assert cache.load(key_of(1)) is not None
"""


@pytest.mark.slow
@as_root
@pytest.mark.root
def test_a_disk_that_is_full_is_told(folder):
    folder.path.mkdir()
    said = mounted(f'mount -t tmpfs -o size=128k none {folder.path}', folder,
                   'small = other_plan()\n' + FULL)
    assert said == [f'{folder.path}: plans cannot be kept here: No space left on device; fix '
                    'that, give the cache another folder, or switch it off']


@pytest.mark.slow
def test_a_limit_on_the_size_of_files_is_told(folder):
    """An error of the kernel in the middle of a file, without being root."""
    script = ('import resource\nresource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n'
              'from test_plan_cache import *\nsmall = other_plan()\n'
              f'folder = Folder(Path({str(folder.path)!r}))\n'
              + FULL + 'print(*folder.lines, sep="\\n")')
    assert run('-c', script).splitlines() == [
        f'{folder.path}: plans cannot be kept here: File too large; fix that, give the cache '
        'another folder, or switch it off']


@pytest.mark.parametrize('name', ['write', 'fsync', 'replace', 'fchmod'])
@pytest.mark.parametrize('there', [False, True], ids=['new', 'replaced'])
def test_a_failure_at_any_step_leaves_what_was_there(folder, monkeypatch, name, there):
    if there:
        folder.cache().store(KEY, PLANS[0])

    def full(*given):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    cache = folder.cache()
    with monkeypatch.context() as patched:
        patched.setattr(os, name, full)
        cache.store(KEY, PLANS[1])
    assert cache.stored is None
    assert folder.lines == [f'{folder.path}: plans cannot be kept here: No space left on device; '
                            'fix that, give the cache another folder, or switch it off']
    assert folder.names() == ([folder.file().name] if there else [])
    found = folder.cache().load(KEY)
    assert is_plan(found, 0) if there else found is None


def test_a_plan_that_is_interrupted_leaves_nothing_behind(folder, monkeypatch):
    def interrupted(file, key, plan):
        os.write(file, b'half')
        raise KeyboardInterrupt
    monkeypatch.setattr(plan_cache, 'write_plan', interrupted)
    with pytest.raises(KeyboardInterrupt):
        folder.cache().store(KEY, PLANS[0])
    assert folder.names() == []


def test_a_folder_that_cannot_be_made_durable_is_no_error(folder, monkeypatch):
    fsync = os.fsync

    def of_files_only(file):
        if stat.S_ISDIR(os.fstat(file).st_mode):
            raise OSError(errno.EINVAL, 'Invalid argument')
        fsync(file)
    monkeypatch.setattr(os, 'fsync', of_files_only)
    folder.cache().store(KEY, PLANS[0])
    assert folder.lines == []
    assert is_plan(folder.cache().load(KEY), 0)


def test_file_and_folder_are_made_durable_in_this_order(folder, monkeypatch):
    steps = []

    def watched(name, function, what):
        def call(*given):
            steps.append(f'{name} {what(given[0])}')
            return function(*given)
        monkeypatch.setattr(os, name, call)
    watched('fsync', os.fsync, lambda file: 'folder' if stat.S_ISDIR(os.fstat(file).st_mode)
            else f'{os.fstat(file).st_size} bytes')
    watched('replace', os.replace, lambda path: Path(path).parent)
    folder.cache().store(KEY, PLANS[0])
    assert steps == [f'fsync {SIZE} bytes', f'replace {folder.path}', 'fsync folder']


# ---- the size of the folder ---------------------------------------------------------------------

def used_at(folder, number, seconds):
    os.utime(folder.file(key_of(number)), (seconds, seconds))


def fill(folder, count=3, **options):
    """Store plans as if each were a minute older than the next."""
    for number in range(count):
        folder.cache(**options).store(key_of(number), PLANS[0])
        used_at(folder, number, time.time() - 60 * (count - number))


@pytest.mark.parametrize('room', [0.5, 1, 1.5, 2, 3, 3.5, 4])
def test_those_not_used_for_longest_go_until_there_is_room(folder, room):
    fill(folder)
    cache = folder.cache(int(room * SIZE))
    cache.store(key_of(3), PLANS[0])
    assert folder.numbers() == (list(range(4))[-int(room):] if room >= 1 else [0, 1, 2])


def test_loading_counts_as_use(folder):
    fill(folder)
    assert folder.cache().load(key_of(0)) is not None
    folder.cache(3 * SIZE).store(key_of(3), PLANS[0])
    assert folder.numbers() == [0, 2, 3]


def test_looking_for_a_bad_one_or_for_none_does_not(folder):
    fill(folder)
    assert folder.cache().load(key_of(5)) is None
    folder.cache(3 * SIZE).store(key_of(3), PLANS[0])
    assert folder.numbers() == [1, 2, 3]


def test_the_plan_just_stored_stays_whatever_the_clocks_say(folder):
    fill(folder)
    for number in range(3):
        used_at(folder, number, time.time() + 1e6)
    folder.cache(2 * SIZE).store(key_of(3), PLANS[0])
    assert folder.numbers() == [2, 3]


def test_storing_the_same_again_takes_no_more_room(folder):
    fill(folder)
    folder.cache(3 * SIZE).store(key_of(0), PLANS[0])
    assert folder.numbers() == [0, 1, 2]
    assert len(folder.names()) == 3


def test_files_that_are_not_ours_are_neither_counted_nor_removed(folder):
    folder.path.mkdir()
    names = ['notes.txt', 'x.plan', f'{KEY}.plan.bak', f'{KEY.upper()[:-1]}F.plan', 'a.tmp',
             f'.{KEY}.plan']
    for name in names:
        (folder.path / name).write_bytes(b'x' * 10 * SIZE)
        os.utime(folder.path / name, (0, 0))
    fill(folder, 2, max_bytes=2 * SIZE)
    folder.cache(2 * SIZE).store(key_of(2), PLANS[0])
    assert folder.names() == sorted([*names, folder.file(key_of(1)).name,
                                     folder.file(key_of(2)).name])


def test_one_that_cannot_be_removed_does_not_keep_the_others(folder, monkeypatch):
    fill(folder)
    unlink = Path.unlink

    def stubborn(path, *given, **options):
        if path == folder.file(key_of(0)):
            raise PermissionError(errno.EPERM, 'Operation not permitted')
        unlink(path, *given, **options)
    monkeypatch.setattr(Path, 'unlink', stubborn)
    folder.cache(3 * SIZE).store(key_of(3), PLANS[0])
    assert folder.numbers() == [0, 2, 3]


def test_a_plan_larger_than_the_cache_is_not_kept_and_it_says_so(folder):
    fill(folder)
    cache = folder.cache(SIZE - 1)
    cache.store(key_of(3), PLANS[0])
    assert cache.stored is None
    assert folder.numbers() == [0, 1, 2]
    assert folder.lines == [f'{folder.path}: the plan is not kept: it takes 0.288912 MB, the '
                            'cache may take 0.288911 MB; allow it more']


def test_without_any_room_it_is_off(folder, planned):
    folder.cache().store(TINY_KEY, Plan(TINY.hypotheses.sets, TINY.hypotheses.policy_of_reward))
    before = folder.file(TINY_KEY).stat()
    cache = folder.cache(0)
    assert same(tiny().compile(cache=cache), TINY.hypotheses)
    assert len(planned) == 1
    assert (cache.loaded, cache.stored, folder.lines) == (None, None, [])
    assert folder.file(TINY_KEY).stat() == before
    shutil.rmtree(folder.path)
    tiny().compile(cache=folder.cache(0))
    assert not folder.path.exists()


def test_nothing_is_said_if_nobody_listens(tmp_path):
    (tmp_path / 'file').write_text('')
    PlanCache(tmp_path / 'file').store(KEY, PLANS[0])


@pytest.mark.parametrize('age', [7200, -7200], ids=['old', 'from the future'])
def test_what_a_killed_process_left_behind_is_removed_later(folder, age):
    folder.path.mkdir()
    old, young = (folder.path / f'{key_of(1)}.plan.{name}.tmp' for name in ('abc', 'def'))
    for path in (old, young):
        path.write_bytes(b'half of a plan')
    os.utime(old, (time.time() - age, time.time() - age))
    folder.cache().store(KEY, PLANS[0])
    assert folder.names() == [folder.file().name, young.name]


# ---- many processes -----------------------------------------------------------------------------

@pytest.mark.slow
def test_processes_that_store_and_load_the_same_at_once_find_right_plans_only(folder):
    processes = [subprocess.Popen(
        [sys.executable, SCRIPT, 'race', folder.path, str(seed)], stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True) for seed in range(4)]
    results = [process.communicate(timeout=patience(120)) for process in processes]
    assert [error for _, error in results] == [''] * 4
    assert all(int(found) > 10 for found, _ in results)
    assert len(folder.numbers()) == 2
    assert len(folder.names()) == 2
    assert all(is_plan(folder.cache().load(key_of(number)), number)
               for number in folder.numbers())


@pytest.mark.slow
def test_a_process_killed_before_any_step_of_storing_leaves_the_old_plan_or_the_new(folder):
    seen = run(SCRIPT, 'steps', folder.path).split()
    assert len(seen) >= 8
    assert sorted(seen) == seen         # the old one up to a step, then the new one
    assert set(seen) == {'0', '1'}


@pytest.mark.slow
def test_a_process_killed_at_any_time_leaves_right_plans_only(folder):
    assert int(run(SCRIPT, 'loop', folder.path)) > 0
    left = [name for name in folder.names() if name.endswith('.tmp')]
    assert left, 'no process was killed while it wrote'
    for name in left:
        os.utime(folder.path / name, (0, 0))
    folder.cache().store(KEY, PLANS[0])
    assert not [name for name in folder.names() if name.endswith('.tmp')]


# ---- where it is --------------------------------------------------------------------------------

class TestFolder:
    def test_is_in_the_caches_of_the_person(self, monkeypatch):
        monkeypatch.setenv('XDG_CACHE_HOME', '/somewhere')
        assert cache_folder() == Path('/somewhere/gbs_irl_ros')

    @for_each('value', [None, '', 'not/absolute'])
    def test_is_in_the_home_where_nothing_is_said(self, monkeypatch, value):
        monkeypatch.setenv('HOME', '/home/me')
        if value is None:
            monkeypatch.delenv('XDG_CACHE_HOME')
        else:
            monkeypatch.setenv('XDG_CACHE_HOME', value)
        assert cache_folder() == Path('/home/me/.cache/gbs_irl_ros')

    def test_of_a_person_without_a_home_is_a_temporary_one(self, monkeypatch, tmp_path):
        monkeypatch.delenv('XDG_CACHE_HOME')
        monkeypatch.setattr(os.path, 'expanduser', lambda path: path)
        monkeypatch.setattr(plan_cache.tempfile, 'gettempdir', lambda: str(tmp_path))
        assert cache_folder() == tmp_path / f'gbs_irl_ros-{os.getuid()}'

    def test_is_where_a_person_wants_it(self, monkeypatch):
        monkeypatch.setenv('HOME', '/home/me')
        assert cache_folder('/data') == Path('/data')
        assert cache_folder('~/plans') == Path('/home/me/plans')
        assert cache_folder('here') == Path('here')
        assert cache_folder('~nobody-of-this-name/x') == Path('~nobody-of-this-name/x')

    def test_of_the_tests_is_not_that_of_the_person(self):
        assert Path.home() not in cache_folder().parents
        assert 'gbs_irl_test_caches-' in str(cache_folder())
