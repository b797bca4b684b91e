"""Simulated teachers by name: ours, and those of others."""

from __future__ import annotations

from dataclasses import is_dataclass
from typing import Any, TypeVar

import numpy as np

from gbs_irl_ros.core.answers import Answer
from gbs_irl_ros.core.errors import PluginError
from gbs_irl_ros.core.mdp import Mdp
from gbs_irl_ros.core.questions import Question
from gbs_irl_ros.core.registry import Registry, made, origin, told
from gbs_irl_ros.core.teacher import SimulatedTeacher

Teacher = TypeVar('Teacher', bound=type[SimulatedTeacher])


def _wrong(teacher: Any) -> str | None:
    name = getattr(teacher, 'name', None)
    if isinstance(teacher, type) and issubclass(teacher, SimulatedTeacher) \
            and is_dataclass(teacher) and isinstance(name, str) and name:
        return None
    return ('a teacher must be a dataclass that is derived from SimulatedTeacher and has a name, '
            f'got {teacher!r}')


TEACHERS: Registry[type[SimulatedTeacher]] = Registry(
    'teacher', 'gbs_irl_ros.teachers', _wrong, lambda teacher: teacher.name)


def register_teacher(teacher: Teacher) -> Teacher:
    """
    Add a teacher to ``TEACHERS``, so that it can be named wherever one is chosen by name.

    Also a decorator: put it above ``@dataclass(frozen=True, eq=False)``.
    """
    TEACHERS.register(getattr(teacher, 'name', ''), teacher)
    return teacher


register_teacher(SimulatedTeacher)


def make_teacher(name: str, mdp: Mdp, reward: np.ndarray, optimal_sets: np.ndarray,
                 accuracy: float = 0.9, sigma: float = 0.0, **options: Any) -> SimulatedTeacher:
    """
    Return the teacher of that name.

    :param optimal_sets: ``[S]``, the greedy sets of the reward as bits.
    :param options: the fields that it has besides those of ``SimulatedTeacher``.
    """
    return made(TEACHERS[name], 'teacher', options, mdp, reward, optimal_sets, accuracy, sigma,
                base=SimulatedTeacher)


def answer_of(teacher: SimulatedTeacher, question: Question, rng: np.random.Generator) -> Answer:
    """Return what a teacher says; raise PluginError, with its name, if one of others fails."""
    if TEACHERS.is_ours(teacher.name):
        return teacher.answer(question, rng)
    name = f'the teacher {teacher.name!r} ({origin(teacher)})'
    try:
        answer = teacher.answer(question, rng)
        answer.check_fits(teacher.mdp)
    except Exception as error:
        raise PluginError(f'{name} failed: {told(error)}') from error
    return answer
