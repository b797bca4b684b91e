"""What holds for every task that comes with the package; a new one is tested by being there."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from cases import for_each

from gbs_irl_ros.core import Learner, NoiseModel, SimulatedTeacher, StopRule
from gbs_irl_ros.core.hypotheses import Candidates
from gbs_irl_ros.core.metrics import policy_accuracy
from gbs_irl_ros.core.planning.certificate import SetCertificate
from gbs_irl_ros.tasks import Picture, load_task, load_truth, shipped_tasks

TASKS = sorted(shipped_tasks())
DRAWN = ('driver', 'puddle_world', 'random_mdp', 'trap_world')
SEEDS = (0, 1, 2)
PROVED_PAIRS = 800_000      # at most, for time's sake: 10 of the driver's 500 rewards


def spread(total, count):
    return np.unique(np.linspace(0, total - 1, min(count, total)).astype(int))


@cache
def task_of(name):
    """Loaded and planned for once."""
    return load_task(name)


@cache
def truth_of(name):
    return load_truth(name)


@cache
def teacher_of(name, gamma):
    return SimulatedTeacher.for_reward(task_of(name).world.mdp, truth_of(name).reward, gamma,
                                       never=truth_of(name).never)


def lesson(name, gamma, seed):
    """Teach until the learner is sure; return it with its accuracy."""
    teacher, rng = teacher_of(name, gamma), np.random.default_rng(seed)
    learner = Learner(task_of(name), 'gbs', seed=seed, noise=NoiseModel(0.9),
                      stop=StopRule(certainty=0.95, max_answers=60))
    while (question := learner.ask()) is not None:
        learner = learner.tell(teacher.answer(question, rng))
    return learner, policy_accuracy(learner.policy, teacher.optimal_sets)


def test_the_tasks_of_the_paper_are_there():
    assert {'driver', 'grid_world', 'grid_world_shaped', 'puddle_world', 'random_mdp',
            'trap_world'} <= set(TASKS)


@for_each(('name', 'states', 'actions', 'rewards'), [
    ('driver', 16_875, 5, 500), ('grid_world', 190, 4, 190), ('grid_world_shaped', 190, 4, 190),
    ('puddle_world', 400, 4, 500), ('puddle_world_lopes', 441, 4, 1250),
    ('random_mdp', 50, 5, 500), ('trap_world', 900, 4, 500)])
def test_a_task_of_the_paper_has_its_size(name, states, actions, rewards):
    task = task_of(name)
    assert task.world.mdp.num_states == states
    assert task.world.mdp.num_actions == actions
    assert task.rewards.num_rewards == rewards
    assert task.world.mdp.discount == 0.95


@for_each('name', DRAWN)
def test_the_true_reward_of_a_drawn_set_is_not_the_first(name):
    assert truth_of(name).index > 0


@for_each(('name', 'cell'), [
    ('grid_world', '(18, 0)'), ('grid_world_shaped', '(18, 0)'), ('puddle_world', '(19, 0)'),
    ('trap_world', '(29, 29)')])
def test_who_has_learned_a_goal_task_knows_where_it_ends(name, cell):
    learner, _ = lesson(name, 1.0, 0)
    names = task_of(name).world.appearance.state_names
    assert [names[state] for state in learner.policy.goal_states] == [cell]


def test_who_has_learned_the_room_knows_where_it_ends():
    learner, _ = lesson('room', 1.0, 0)
    at = task_of('room').world.appearance.positions[learner.policy.goal_states]
    assert len(at) > 0
    assert ((at >= [6.9, 0.9]) & (at <= [8.0, 1.5])).all()      # the desk


@pytest.mark.slow
def test_driving_never_ends():
    learner, _ = lesson('driver', 1.0, 0)
    assert len(learner.policy.goal_states) == 0


def test_shaping_does_not_change_the_policies():
    np.testing.assert_array_equal(
        task_of('grid_world').compile().sets.bits,
        task_of('grid_world_shaped').compile().sets.bits)


@for_each('name', TASKS)
class TestEveryTask:
    def test_loads_without_planning(self, name, monkeypatch):
        def refuse(*args, **options):
            raise AssertionError('planned while loading')

        monkeypatch.setattr(Candidates, 'planned', refuse)
        monkeypatch.setattr('gbs_irl_ros.core.hypotheses.solve', refuse)
        task = load_task(name)
        assert task.world.name == name
        assert task.world.description

    def test_has_greedy_sets_that_are_proved(self, name):
        hypotheses = task_of(name).hypotheses
        pairs = hypotheses.mdp.num_states * hypotheses.mdp.num_actions
        some = spread(hypotheses.num_rewards, max(1, PROVED_PAIRS // pairs))
        found = hypotheses.certificate(some)
        assert found == SetCertificate(found.pairs, undecided=0, refuted=0)
        assert 0 < found.pairs <= pairs * len(some)

    def test_loads_the_same_content_every_time(self, name):
        assert load_task(name).hash == task_of(name).hash

    def test_has_a_truth_among_its_hypotheses(self, name):
        task, truth = task_of(name), truth_of(name)
        assert task.names[truth.index] == truth.name
        np.testing.assert_array_equal(
            task.rewards.one(truth.index), truth.reward)
        assert np.any(truth.reward)

    def test_does_not_tell_the_learner_the_truth(self, name, tmp_path):
        path = shipped_tasks()[name]
        text = path.read_text()
        before, rest = text.split('\ntruth:', 1)
        other = tmp_path / path.name
        other.write_text(before + '\ntruth: {hypothesis: 0}\n' + rest.partition('\n')[2])
        if (path.parent / 'maps').is_dir():
            (tmp_path / 'maps').mkdir()
            for file in (path.parent / 'maps').iterdir():
                (tmp_path / 'maps' / file.name).write_bytes(file.read_bytes())
        assert load_truth(other).index == 0
        assert load_task(other).hash == task_of(name).hash

    def test_has_hypotheses_with_names_that_hardly_ever_are_the_same(self, name):
        names = task_of(name).names
        assert len(names) == task_of(name).rewards.num_rewards
        # Weights that differ little share a name.
        assert len(set(names)) == len(names) or (name == 'driver' and len(set(names)) > 400)
        assert all(names)

    def test_has_a_normalised_prior(self, name):
        prior = np.exp(task_of(name).candidates.log_prior)
        assert prior.sum() == pytest.approx(1.0)
        assert prior.min() > 0.0

    def test_starts_somewhere(self, name):
        start = task_of(name).start
        assert start.sum() == pytest.approx(1.0)
        assert start.min() >= 0.0

    def test_has_positions_where_there_is_geometry(self, name):
        world = task_of(name).world
        looks = world.appearance
        assert (looks.positions is not None) == (looks.picture in (Picture.GRID, Picture.MAP))
        if looks.positions is not None:
            assert looks.positions.shape == (world.mdp.num_states, 2)
            assert len(np.unique(looks.positions, axis=0)) == world.mdp.num_states
            assert looks.cell_size > 0.0

    def test_has_actions_with_different_names_and_keys(self, name):
        looks = task_of(name).world.appearance
        assert len(set(looks.action_names)) == task_of(name).world.mdp.num_actions
        assert len(set(looks.action_keys)) == task_of(name).world.mdp.num_actions
        assert all(looks.action_keys)

    def test_has_states_with_different_names(self, name):
        names = task_of(name).world.appearance.state_names
        assert len(names) in (0, task_of(name).world.mdp.num_states)
        assert len(set(names)) == len(names)

    def test_has_no_state_that_cannot_be_left(self, name):
        """A goal that absorbs would tell every learner which reward is true."""
        mdp = task_of(name).world.mdp
        here = np.repeat(np.arange(mdp.num_states), mdp.num_actions)
        staying = np.asarray(mdp.transitions[np.arange(len(here)), here]).reshape(
            mdp.num_states, mdp.num_actions)
        assert np.flatnonzero((staying > 1.0 - 1e-9).all(axis=1)).tolist() == []

    @pytest.mark.slow
    def test_has_no_reward_that_is_all_zero(self, name):
        assert task_of(name).rewards.num_nonzero().min() > 0

    @pytest.mark.slow
    def test_can_be_learned_from_a_teacher_without_errors(self, name):
        for seed in SEEDS:
            learner, accuracy = lesson(name, 1.0, seed)
            assert learner.certainty >= 0.95
            assert len(learner.answers) < 60
            assert accuracy >= 0.95

    def test_can_be_learned_from_a_teacher_who_errs(self, name):
        """A certainty of 95 % allows for a lesson that goes wrong."""
        accuracies = [lesson(name, 0.9, seed)[1] for seed in SEEDS]
        assert sorted(accuracies)[1] >= 0.9, accuracies

    def test_is_not_known_before_the_first_answer(self, name):
        """As it would be with the true reward first and ties of the MAP not broken at random."""
        first = {Learner(task_of(name), seed=seed).most_probable_reward for seed in range(20)}
        assert first != {truth_of(name).index}
