"""Tasks that the learner thinks of: they explain the answers, and are built as listed ones are."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from cases import for_each

from gbs_irl_ros.core import CAREFUL, ActionAnswer, Learner, SimulatedTeacher
from gbs_irl_ros.core.belief import Belief
from gbs_irl_ros.core.errors import InvalidPlaceError
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.tasks import Task, load_task
from gbs_irl_ros.tasks.growth import TO_NEW_TASKS, grown
from gbs_irl_ros.tasks.invention import MAX_IDEAS, Idea, Invention, addition_of, can_invent
from gbs_irl_ros.tasks.rejuvenation import rejuvenated

UNLISTED = 80       # a cell of room that no task is about: (9, 9)


@pytest.fixture(scope='module')
def room():
    task = load_task('room')
    task.compile()
    return task


def answered(task, reward, states, accuracy=1.0, **options):
    """Return a learner after answers of somebody who means this reward."""
    teacher = SimulatedTeacher.for_reward(task.world.mdp, reward, accuracy=accuracy)
    rng, learner = np.random.default_rng(0), Learner(task, caution=CAREFUL, **options)
    for state in states:
        learner = learner.tell(teacher.answer(Question(QuestionKind.ACTION, state), rng))
    return learner


@pytest.fixture(scope='module')
def misfit(room):
    """Return a learner that no listed task suits."""
    goal = np.eye(room.world.mdp.num_states)[UNLISTED]
    return answered(room, goal, [80, 79, 81, 70, 20, 36, 83, 80])


def test_what_is_meant_is_thought_of(room, misfit):
    assert misfit.nothing_fits
    invention = rejuvenated(room, misfit, (1,))
    assert UNLISTED in {idea.goal for idea in invention.ideas}
    assert invention.looked_at >= len(invention.ideas)
    candidates, left = grown(room, invention, 0.1)
    assert 'go to (9, 9)' in candidates.names[30:]
    task = Task(room.world, candidates, room.noise, began_as=room.hash)
    after = Learner(task, caution=replace(CAREFUL, none_of_these=left)).replay(misfit.answers)
    assert not after.nothing_fits
    assert task.hypotheses.name(after.most_probable_reward).startswith('go to (9, 9)')


def test_the_same_seed_has_the_same_ideas(room, misfit):
    assert rejuvenated(room, misfit, (1, 2)) == rejuvenated(room, misfit, (1, 2))
    assert rejuvenated(room, misfit, (1, 2)) != rejuvenated(room, misfit, (1, 3))
    assert rejuvenated(room, misfit, (1, 2)).seed == (1, 2)


def test_ideas_are_ordered_by_how_well_they_explain_the_answers(room, misfit):
    invention = rejuvenated(room, misfit, (1,))
    candidates, left = grown(room, invention, 0.1)
    planned = candidates.planned_after(room.hypotheses)
    belief = Belief.before_answers(planned, room.noise, CAREFUL)
    values = belief.log_likelihood(misfit.answers)
    assert np.all(np.diff(values[30:]) <= 1e-9)
    assert values[30] > values[:30].max()
    new = np.exp(candidates.log_prior[30:]) * (1.0 - left)
    assert new == pytest.approx(np.full(len(new), TO_NEW_TASKS * 0.1 / invention.looked_at))
    assert left + new.sum() + np.exp(candidates.log_prior[:30]).sum() * (1.0 - left) \
        == pytest.approx(1.0)


def test_the_likelihood_is_that_of_the_posterior(room, misfit):
    belief = Belief.before_answers(room.hypotheses, misfit.noise, CAREFUL)
    values = belief.log_likelihood(misfit.answers) + room.hypotheses.log_prior
    assert np.diff(values) == pytest.approx(np.diff(misfit.posterior.log_weights), abs=1e-9)


def test_a_word_for_a_region_is_kept_where_the_answers_speak_for_it(room):
    """Straight ahead over the kitchen is shorter, and answered against every time."""
    mdp, looks = room.world.mdp, room.world.appearance
    sofa = room.names.index('go to sofa')
    idea = Idea(sofa, region='kitchen', word='never')
    addition = addition_of(idea, room)
    assert addition.name == 'go to sofa, never over the kitchen'
    assert addition.never[looks.regions['kitchen']].all()
    assert addition.reward[looks.regions['kitchen']].max() < 0.0
    rather = addition_of(replace(idea, word='rather not'), room)
    assert not rather.never.any()
    assert (rather.reward[looks.regions['kitchen']] == -0.5).all()
    assert addition_of(Idea(room.names.index('go to kitchen'), region='kitchen', word='never'),
                       room) is None        # nobody could go there
    carpet = room.names.index('go to sofa, never over the carpet')
    assert addition_of(Idea(carpet, region='carpet', word='rather not'), room) is None
    assert len(addition.reward) == mdp.num_states


def test_weights_walk_on_a_grid(tmp_path):
    file = tmp_path / 'features.yaml'
    file.write_text("""
format: 1
name: rooms
world:
  kind: grid
  map: |
    a..b
    ....
    c..d
  legend: {a: red, b: green, c: blue, d: grey}
hypotheses:
  kind: features
  weights: {red: [0, 1], green: [0, 1], blue: [0, 1], grey: [0, 1]}
  count: 4
  seed: 1
noise: {gamma_hat: 0.9, sigma_hat: 0.1, likelihood: exact}
""")
    task = load_task(str(file))
    meant = np.zeros(12)
    meant[[0, 3]] = 0.3, 0.9
    learner = answered(task, meant, range(12))
    invention = rejuvenated(task, learner, (1,))
    assert all(len(idea.weights) == 4 for idea in invention.ideas)
    weights = np.array([idea.weights for idea in invention.ideas])
    assert weights.min() >= -1e-9
    assert weights.max() <= 1.0 + 1e-9
    assert np.round(weights * 10) == pytest.approx(weights * 10)
    candidates = grown(task, invention, 0.1).candidates
    grown_task = Task(task.world, candidates, task.noise, began_as=task.hash)
    values = Belief.before_answers(grown_task.hypotheses, task.noise, CAREFUL).log_likelihood(
        learner.answers)
    assert values[4:].max() > values[:4].max()
    assert ', but weights ' in candidates.names[4]


def test_without_goals_and_features_there_is_nothing_to_think_of():
    task = load_task('random_mdp')
    assert not can_invent(task.candidates)
    with pytest.raises(InvalidPlaceError, match="I cannot think of other tasks in 'random_mdp': "
                       'those that are listed are neither goals nor weighted features'):
        rejuvenated(task, Learner(task, caution=CAREFUL).tell(ActionAnswer(0, 0)), (1,))


@for_each(('idea', 'message'), [
    (Idea(30, 3), 'an idea is built on task 30; expected one of the 30 tasks there are'),
    (Idea(-1, 3), 'an idea is built on task -1'),
    (Idea(0, 95), 'the goal of an idea must be a state below 95, got 95'),
    (Idea(0, -2), 'the goal of an idea must be a state below 95, got -2'),
    (Idea(0, 3, 'moon', 'never'), "an idea says 'never' of the region 'moon'; expected one of"),
    (Idea(0, 3, 'toys', 'x'), "an idea says 'x' of the region 'toys'"),
    (Idea(0, weights=(1.0,)), 'an idea has 1 weights; expected finite ones for the 0 features'),
])
def test_ideas_that_cannot_be_built_are_refused(room, idea, message):
    with pytest.raises(InvalidPlaceError, match=re.escape(message)):
        grown(room, Invention((idea,), 1), 0.1)


@for_each(('ideas', 'looked_at', 'message'), [
    ((), 3, f'an invention must have 1 to {MAX_IDEAS} ideas, got 0'),
    ((Idea(0, 1),) * (MAX_IDEAS + 1), 99, f'ideas, got {MAX_IDEAS + 1}'),
    ((Idea(0, 1),) * 3, 2, 'looked_at must be at least the 3 ideas, got 2')])
def test_inventions_that_cannot_be(ideas, looked_at, message):
    with pytest.raises(InvalidPlaceError, match=re.escape(message)):
        Invention(ideas, looked_at)


def test_what_is_listed_already_adds_nothing(room):
    listed = Invention((Idea(0), Idea(1)), 5)
    with pytest.raises(InvalidPlaceError, match='adds no task to those that are listed'):
        grown(room, listed, 0.1)
