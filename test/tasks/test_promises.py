"""Where every way leads over what must never be entered, that is said."""

from __future__ import annotations

import numpy as np
from cases import for_each

from gbs_irl_ros.core.learner import Learner
from gbs_irl_ros.core.routes import trespassed
from gbs_irl_ros.core.task_answers import WordsAnswer
from gbs_irl_ros.learning.records import BeliefRecord, Status
from gbs_irl_ros.tasks import load_task, shipped_tasks
from gbs_irl_ros.tasks.promises import no_way_round, regions_within, trespass, trespass_text
from gbs_irl_ros.teaching.lesson_snapshot import LessonSnapshot

CUT = """format: 1
world:
  kind: grid
  map: |
    ..rg.
    ..rpp
  legend: {r: rug, g: goal, p: path}
hypotheses: {kind: places, places: [goal], over: {rug: [free, never], path: [free, never]}}
"""


def cut(tmp_path):
    file = tmp_path / 'cut.yaml'
    file.write_text(CUT)
    return load_task(file)


def test_the_cells_are_those_behind_the_region(tmp_path):
    task = cut(tmp_path)
    index = task.names.index('go to goal, never over the rug')
    assert [task.world.state_name(state) for state in no_way_round(task.candidates, index)] == [
        '(0, 0)', '(1, 0)', '(0, 1)', '(1, 1)']
    assert len(no_way_round(task.candidates, task.names.index('go to goal'))) == 0
    assert len(no_way_round(load_task('grid_world').candidates, 3)) == 0


def test_regions_are_named_if_all_of_them_is_meant(tmp_path):
    world = cut(tmp_path).world
    assert regions_within(world, np.array([2, 7])) == ['rug']
    assert regions_within(world, np.array([2, 3])) == ['goal']


def test_a_way_over_it_is_said_and_any_other_is_not(tmp_path):
    task = cut(tmp_path)
    index = task.names.index('go to goal, never over the rug or the path')
    assert trespass_text(task, index, (0, 1, 2, 3)) == \
        'This goes over the rug: from (0, 0) there is no way that avoids it.'
    assert trespass_text(task, index, (1, 2, 7, 8, 3)) == \
        'This goes over the rug and the path: from (1, 0) there is no way that avoids it.'
    assert trespass_text(task, index, (4, 3)) == ''
    assert trespass_text(task, task.names.index('go to goal'), (0, 1, 2, 3)) == ''
    assert trespass_text(load_task('grid_world'), 0, (0, 1)) == ''


def test_a_teacher_is_told_about_the_task_that_is_believed_in(tmp_path):
    task = cut(tmp_path)
    index = task.names.index('go to goal, never over the rug')
    belief = BeliefRecord('s', 1, task.hash, Status.ASKING, '', np.full(4, 0.25), index, 0.25, 2.0,
                          0)
    assert LessonSnapshot(task, belief=belief).trespass((1, 2, 3)).startswith('This goes over the')
    assert LessonSnapshot(task).trespass((1, 2, 3)) == ''
    assert LessonSnapshot(belief=belief).trespass((1, 2, 3)) == ''


def test_what_has_to_be_allowed_is_asked_for_by_name(tmp_path):
    task = cut(tmp_path)
    task.compile()
    learner = Learner(task)
    only_rug, both = (learner.tell(WordsAnswer(name, (task.names.index(name),))).policy
                      for name in ('go to goal, never over the rug',
                                   'go to goal, never over the rug or the path'))
    asks = trespass(task.world, only_rug, trespassed(only_rug, task.world.mdp, 0), {})
    assert asks.question == ('There is no way to the goal that keeps off the rug. May I drive '
                             'over it this once?')
    assert asks.states == (2, 7)                # all of the rug, and nothing else
    assert trespassed(only_rug, task.world.mdp, 4) == trespassed(both, task.world.mdp, 2) == ()
    assert trespass(task.world, only_rug, (), {}) is None
    asks = trespass(task.world, both, (7,), {'corner': (7,)})
    assert 'keeps off the rug and the corner.' in asks.question
    assert asks.key != trespass(task.world, both, (7, 8), {}).key


@for_each('name', sorted(shipped_tasks()))
def test_the_shipped_tasks_can_keep_every_never(name):
    candidates = load_task(name).candidates
    if candidates.never is not None:
        for reward in range(candidates.num_rewards):
            assert len(no_way_round(candidates, reward)) == 0
