"""Tasks are found by name and by path, read whole, and do not tell the truth."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from cases import for_each

from gbs_irl_ros.core.noise import Likelihood
from gbs_irl_ros.tasks import (
    Task,
    TaskFileError,
    Truth,
    find_task,
    load_task,
    load_task_file,
    load_truth,
    shipped_tasks,
)
from gbs_irl_ros.tasks.plans.plan_cache import plan_key
from gbs_irl_ros.tasks.words import tasks_that_fit

SHIPPED = ['driver', 'grid_world', 'grid_world_shaped', 'puddle_world', 'puddle_world_lopes',
           'random_mdp', 'room', 'trap_world']
SMALL = """format: 1
world:
  kind: grid
  map: |
    S.A
    .#B
  legend: {A: shelf, B: desk}
  discount: 0.5
hypotheses:
  kind: goals
  goals: [shelf, desk, [0, 1]]
  prior: [1, 2, 1]
"""


@pytest.fixture
def written(tmp_path):
    def write(text, name='some_task.yaml'):
        path = tmp_path / name
        path.write_text(text)
        return path
    return write


def bytes_of(task):
    """Return everything a task holds, as bytes."""
    def sparse(matrix):
        return () if matrix is None else (
            matrix.shape, matrix.data.tobytes(), matrix.indices.tobytes(),
            matrix.indptr.tobytes())
    looks = task.world.appearance
    return (task.hash, task.world.name, task.world.description, task.names,
            sparse(task.world.mdp.transitions), task.world.mdp.num_actions,
            task.world.mdp.discount, task.world.start.tobytes(), sparse(task.rewards.weights),
            sparse(task.rewards.features), task.rewards.per_action,
            task.candidates.log_prior.tobytes(), sparse(task.candidates.goals),
            task.noise.gamma_hat, task.noise.sigma_hat,
            task.noise.likelihood, looks.action_names, looks.action_keys, looks.state_names,
            looks.picture, looks.cell_size,
            None if looks.positions is None else looks.positions.tobytes())


def problem_of(function, *arguments):
    with pytest.raises(TaskFileError) as caught:
        function(*arguments)
    return str(caught.value)


# Finding.

def test_these_tasks_come_with_the_package():
    assert sorted(shipped_tasks()) == SHIPPED


@for_each('name', SHIPPED)
def test_a_shipped_task_is_found_by_its_name_and_by_its_path(name):
    path = find_task(name)
    assert path.is_file()
    assert path.stem == name
    assert find_task(path) == path
    assert find_task(str(path)) == path


def test_a_file_in_the_working_folder_is_found_by_its_name_with_suffix(written, monkeypatch):
    path = written(SMALL)
    monkeypatch.chdir(path.parent)
    assert find_task('some_task.yaml') == Path('some_task.yaml')
    assert find_task('./some_task.yaml') == Path('some_task.yaml')
    assert problem_of(find_task, 'some_task').startswith('some_task: is not a shipped task')


def test_the_suffix_yml_will_do(written):
    assert load_task(written(SMALL, 'short.yml')).world.name == 'short'


@for_each(('name', 'meant'), [
    ('grid_wrld', 'grid_world'), ('Driver', 'driver'), ('puddleworld', 'puddle_world'),
    ('trap-world', 'trap_world'), ('rooms', 'room')])
def test_a_misspelt_name_gets_a_proposal(name, meant):
    text = problem_of(load_task, name)
    assert text == (f'{name}: is not a task, got {name!r}; expected a path, or one of {SHIPPED}. '
                    f'Did you mean {meant!r}?')


def test_a_name_that_is_like_none_gets_the_list():
    assert problem_of(load_task, 'kitchen sink') == (
        f"kitchen sink: is not a task, got 'kitchen sink'; expected a path, or one of {SHIPPED}")


@for_each('name', ['', '.', 'x' * 5000])
def test_names_that_are_none_are_refused(name):
    assert 'is not a task' in problem_of(load_task, name)


@for_each('name', ['nowhere.yaml', 'a/b', '../x.yml',
                   Path('no') / 'where.yaml', 'x' * 300 + '.yaml'])
def test_a_path_where_no_file_is_is_refused(name):
    assert problem_of(load_task, name) == f'{name}: cannot be found; expected a task file'


@pytest.mark.parametrize('name', ['config/tasks', '/tmp'])
def test_a_folder_is_called_that(name, tmp_path, monkeypatch):
    (tmp_path / 'config' / 'tasks').mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    assert problem_of(load_task, name) == f'{name}: is a folder; expected a task file'


def test_a_name_without_its_ending_gets_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / 'flat.yaml').write_text('format: 1\n')
    assert problem_of(load_task, 'flat') == (
        "flat: is not a shipped task; expected its file name. Did you mean 'flat.yaml'?")


def test_load_truth_finds_tasks_in_the_same_way():
    assert problem_of(load_truth, 'grid_wrld') == problem_of(load_task, 'grid_wrld')
    assert problem_of(load_truth, 'nowhere.yaml') == problem_of(load_task, 'nowhere.yaml')


# Reading.

@for_each('name', SHIPPED)
def test_every_shipped_task_can_be_read(name):
    task = load_task(name)
    assert isinstance(task, Task)
    assert task.world.name == name
    assert task.world.description
    assert len(task.names) == task.rewards.num_rewards == len(task.candidates.log_prior)
    assert np.exp(task.candidates.log_prior).sum() == pytest.approx(1.0)
    assert task.start.sum() == pytest.approx(1.0)
    assert len(set(task.names)) == len(task.names) or name == 'driver'  # weights may share one


@for_each('name', SHIPPED)
def test_reading_twice_gives_the_same_bytes(name):
    assert bytes_of(load_task(name)) == bytes_of(load_task(find_task(name)))


def test_a_small_task_is_read_with_all_its_values(written):
    task = load_task(written(
        SMALL + 'name: tidy up\ndescription: "  Which place?  "\n'
        'noise: {gamma_hat: 0.8, sigma_hat: 1e-3, likelihood: aggregated}\n'))
    assert task.world.name == 'tidy up'
    assert task.world.description == 'Which place?'
    assert task.world.mdp.discount == 0.5
    assert task.world.mdp.num_states == 5
    assert task.names == ('go to shelf', 'go to desk', 'go to (0, 1)')
    np.testing.assert_allclose(np.exp(task.candidates.log_prior), [0.25, 0.5, 0.25])
    np.testing.assert_array_equal(task.start, [1, 0, 0, 0, 0])
    assert task.noise.gamma_hat == 0.8
    assert task.noise.sigma_hat == 0.001
    assert task.noise.likelihood is Likelihood.AGGREGATED
    np.testing.assert_array_equal(task.rewards.dense(), [
        [0, 0, 1, 0, 0], [0, 0, 0, 0, 1], [0, 0, 0, 1, 0]])


def test_what_is_left_out_has_a_default(written):
    task = load_task(written(SMALL))
    assert task.world.name == 'some_task'
    assert task.world.description == ''
    assert (task.noise.gamma_hat, task.noise.sigma_hat) == (0.9, 0.1)
    assert task.noise.likelihood is Likelihood.EXACT


@pytest.mark.parametrize(('start', 'expected'), [
    ('anywhere', [0.2, 0.2, 0.2, 0.2, 0.2]), ('[desk]', [0, 0, 0, 0, 1]),
    ('[desk, [0, 0]]', [0.5, 0, 0, 0, 0.5]), ('[desk, desk]', [0, 0, 0, 0, 1])])
def test_the_start_of_a_task_goes_before_that_of_the_drawing(written, start, expected):
    np.testing.assert_allclose(load_task(written(SMALL + f'start: {start}\n')).start, expected)


def test_a_relative_path_gives_messages_with_that_path(written, monkeypatch):
    path = written(SMALL.replace('discount', 'discout'))
    monkeypatch.chdir(path.parent)
    assert problem_of(load_task, 'some_task.yaml').startswith('some_task.yaml:8: world.discout: ')
    assert problem_of(load_task, path).startswith(f'{path}:8: world.discout: ')


def test_a_map_is_looked_for_beside_the_task_file_not_in_the_working_folder(monkeypatch, tmp_path):
    path = find_task('room')
    monkeypatch.chdir(tmp_path)
    assert load_task(path).world.mdp.num_states > 0
    monkeypatch.chdir(path.parent)
    assert load_task('room.yaml').hash == load_task(path).hash


def test_a_task_file_may_be_a_link(written, tmp_path):
    os.symlink(written(SMALL), tmp_path / 'link.yaml')
    assert load_task(tmp_path / 'link.yaml').names == load_task(written(SMALL)).names


# The truth.

@for_each('name', SHIPPED)
def test_the_truth_of_a_shipped_task_is_one_of_its_hypotheses(name):
    task, truth = load_task(name), load_truth(name)
    assert isinstance(truth, Truth)
    assert task.names[truth.index] == truth.name
    np.testing.assert_array_equal(truth.reward, task.rewards.one(truth.index))


@pytest.mark.parametrize('wanted', ['go to desk', '1'])
def test_the_truth_is_named_or_numbered(written, wanted):
    truth = load_truth(written(SMALL + f'truth: {{hypothesis: {wanted}}}\n'))
    assert (truth.index, truth.name) == (1, 'go to desk')
    np.testing.assert_array_equal(truth.reward, [0, 0, 0, 0, 1])


def test_without_truth_there_is_a_task_but_no_teacher(written):
    path = written(SMALL)
    assert load_task(path).names
    assert problem_of(load_truth, path) == (
        f'{path}: truth: is missing; a simulated teacher needs it: add '
        '`truth: {hypothesis: NAME}`')


def test_a_wrong_truth_is_refused_by_both_in_the_same_words(written):
    path = written(SMALL + 'truth: {hypothesis: go to dsk}\n')
    assert problem_of(load_truth, path) == problem_of(load_task, path)


def test_changing_the_truth_changes_no_byte_of_the_task(written):
    tasks = [bytes_of(load_task(written(SMALL + truth))) for truth in (
        '', 'truth: {hypothesis: 0}\n', 'truth: {hypothesis: 2}\n',
        'truth: {hypothesis: go to desk}\n')]
    assert all(task == tasks[0] for task in tasks)


@pytest.mark.slow
@pytest.mark.parametrize('name', sorted(set(SHIPPED) - {'room'}))
def test_changing_the_truth_of_a_shipped_task_changes_no_byte_of_it(name, written):
    text = find_task(name).read_text()
    head, _, _ = text.partition('\ntruth:')
    original = bytes_of(load_task(name))
    for truth in ('', '\ntruth: {hypothesis: 0}\n', '\ntruth: {hypothesis: 3}\n'):
        assert bytes_of(load_task(written(head + truth))) == original
    assert load_truth(written(head + '\ntruth: {hypothesis: 3}\n')).index == 3


def test_details_are_read_and_change_no_byte_of_the_task(written):
    plain = load_task_file(written(SMALL))
    file = load_task_file(written(SMALL + 'details: >\n  By hand,\n  in 1995.\n'))
    assert (plain.details, file.details) == ('', 'By hand, in 1995.')
    assert bytes_of(file.task) == bytes_of(plain.task)
    assert file.task.hash == plain.task.hash


def test_descriptions_of_shipped_tasks_cite_nothing():
    for name in SHIPPED:
        description = load_task(name).world.description
        for word in ('paper', 'et al', 'ection', 'hypothes', 'reward', '19', '20'):
            assert word not in description.replace('20 x 20', '').replace('19 x 10', ''), name


def test_synonyms_are_read_and_change_neither_the_task_nor_its_plan(written):
    plain = load_task(written(SMALL))
    task = load_task(written(SMALL + 'synonyms: {desk: [table, Büro], go to shelf: [put away]}\n'))
    assert task.world.appearance.synonyms == {'desk': ('table', 'Büro'),
                                              'go to shelf': ('put away',)}
    assert plain.world.appearance.synonyms == {}
    assert (task.hash, task.content_hash) == (plain.hash, plain.content_hash)
    assert plan_key(task.world.mdp, task.rewards) == plan_key(plain.world.mdp, plain.rewards)
    assert tasks_that_fit('Buro', task) == (1,)
    assert tasks_that_fit('put it away', task) == (0,)


def test_the_truth_may_be_named_without_what_explains_the_name(written):
    text = """format: 1
world: {kind: random_mdp, states: 9, actions: 2, seed: 1}
hypotheses: {kind: random, count: 5, nonzero: 2, values: [-1, 1]}
truth: {hypothesis: random reward 3}
"""
    assert load_truth(written(text)).name.startswith('random reward 3: ')


def test_the_comparison_would_notice_a_change(written):
    original = bytes_of(load_task(written(SMALL)))
    for old, new in (('0.5', '0.6'), ('[1, 2, 1]', '[1, 1, 2]'), ('shelf, desk,', 'desk, shelf,'),
                     ('S.A', '.SA'), ('legend', 'slip: 0.1\n  legend')):
        assert old in SMALL
        changed = load_task(written(SMALL.replace(old, new, 1)))
        assert bytes_of(changed) != original, old
        assert changed.hash != original[0], old


def test_a_task_has_no_attribute_that_tells_the_truth():
    task = load_task('grid_world')
    assert not [name for name in (*vars(task), *vars(task.world)) if 'truth' in name]
