"""What a simulated teacher knows of the tasks that are listed."""

from __future__ import annotations

import numpy as np
import pytest
from cases import for_each

pytest.importorskip('rclpy', reason='needs ROS 2')

from gbs_irl_ros.core.answers import GoHereAnswer, NoneOfTheseAnswer, TaskAnswer
from gbs_irl_ros.core.boltzmann import BoltzmannTeacher
from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.core.whole_tasks import tasks_alike
from gbs_irl_ros.nodes.demonstrator import meant_among, teacher_of
from gbs_irl_ros.tasks import load_task_file

pytestmark = pytest.mark.ros


@for_each('name', ['room', 'grid_world', 'puddle_world'])
def test_it_says_which_task_and_which_place_it_means(name, rng):
    file = load_task_file(name)
    teacher, truth = teacher_of(file, accuracy=1.0), file.truth.index
    place = Question(QuestionKind.PLACE, 0)
    assert isinstance(answer := teacher.answer(place, rng), GoHereAnswer)
    assert answer.states[0] in file.task.goal_states(truth)
    hypotheses = file.task.compile()
    wrong = [task for task in range(hypotheses.num_rewards)
             if task not in tasks_alike(hypotheses, truth)][:2]
    which = Question(QuestionKind.TASK, 0, options=(*wrong, truth))
    assert teacher.answer(which, rng) == TaskAnswer(which, truth)
    neither = Question(QuestionKind.TASK, 0, options=tuple(wrong))
    assert teacher.answer(neither, rng) == NoneOfTheseAnswer(neither)


@for_each('name', ['room', 'driver', 'trap_world'])
def test_tasks_that_are_done_alike_are_meant_too(name):
    file = load_task_file(name)
    teacher, truth = teacher_of(file, accuracy=1.0), file.truth.index
    meant = tasks_alike(file.task.compile(), truth)
    options = tuple(dict.fromkeys([*sorted(meant)[:10], truth, *range(10)]))
    unlisted = file.task.candidates.num_rewards + 3
    found = meant_among(load_task_file(name), (*options, unlisted), teacher.optimal_sets)
    assert found & set(options) == meant & set(options)
    assert unlisted not in found
    assert meant_among(file, (unlisted,), teacher.optimal_sets) == frozenset()
    assert np.array_equal(np.flatnonzero(teacher.goals), np.sort(file.task.goal_states(truth)))


def test_teachers_are_chosen_by_name_with_options():
    file = load_task_file('puddle_world')
    teacher = teacher_of(file, 0.9, 0.0, 'boltzmann', {'eta': 2.0})
    assert isinstance(teacher, BoltzmannTeacher)
    assert (teacher.eta, teacher.accuracy) == (2.0, 0.9)
    assert teacher.goals is not None
    for options, text in (({'eta': 'high'}, 'could not convert|must be like'),
                          ({'beta': 1.0}, "teacher 'boltzmann' has no option 'beta'; it has \\["),
                          ({'eta': {}}, 'teacher_options must be like')):
        with pytest.raises(GbsIrlError, match=text):
            teacher_of(file, 0.9, 0.0, 'boltzmann', options)
    with pytest.raises(GbsIrlError, match=r"unknown teacher 'boltzman'; known: .*Did you mean"):
        teacher_of(file, 0.9, 0.0, 'boltzman')


def test_a_teacher_that_knows_values_alone_cannot_say_never():
    with pytest.raises(GbsIrlError, match=r"the teacher 'boltzmann' knows values alone, and "
                                          r"'.*' must never enter some states"):
        teacher_of(load_task_file('room'), 0.9, 0.0, 'boltzmann')
