"""
What a question of EMG costs, against one of GBS: `tools/ros-env python bench/emg.py`.

The paper's figure of computation times, per question: random MDPs of 10 states with 5 and 10
actions, and the puddle world, with 500 rewards each. Both strategies choose in the same lessons,
in turns; GBS decides what is asked.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bench.alone import run_alone
from bench.lesson import teacher_of
from bench.results import Figures
from bench.session import Effort, Session
from bench.timing import seconds
from gbs_irl_ros.core import NEVER, Learner
from gbs_irl_ros.tasks import Task, load_task

NAME = 'emg'
ABOUT_S = {Effort.TINY: 2, Effort.QUICK: 5, Effort.FULL: 20}
RANDOM_MDP = """
format: 1
name: random_mdp
world:
  kind: random_mdp
  states: {states}
  actions: {actions}
  successors: 3
  seed: {seed}
  discount: 0.95
hypotheses:
  kind: random
  count: {rewards}
  nonzero: 3
  values: [-1, 1]
  seed: {seed}
  prior: sparsity
noise: {{gamma_hat: 0.9, sigma_hat: 0.1, likelihood: exact}}
"""


@dataclass(frozen=True)
class World:
    """
    Where questions are asked.

    questions: of each lesson, of which there is one for each task.
    """

    name: str
    tasks: list[Task]
    questions: int


def measure(session: Session) -> Figures:
    """Measure all worlds."""
    figures: Figures = {}
    for world in _worlds(session):
        about = None
        gbs: list[float] = []
        emg: list[float] = []
        for number, task in enumerate(world.tasks):
            session.step(f'emg {world.name}: lesson {number + 1} of {len(world.tasks)}, '
                         f'{world.questions} questions', about)
            for gbs_s, emg_s in _lesson(task, world.questions, seed=number):
                gbs.append(gbs_s)
                emg.append(emg_s)
            about = sum(emg) / (number + 1)
        name = f'emg.{world.name}'
        figures.update({
            f'{name}.gbs_seconds': statistics.median(gbs),
            f'{name}.emg_seconds': statistics.median(emg),
            f'{name}.ratio': statistics.median(emg) / statistics.median(gbs),
            f'{name}.questions': len(emg)})
    return figures


def _worlds(session: Session) -> list[World]:
    mdps, questions = session.pick(1, 3, 10), session.pick(1, 3, 10)
    worlds = [World(f'random_10x{actions}',
                    [random_task(10, actions, session.pick(20, 500, 500), seed)
                     for seed in range(mdps)], questions) for actions in (5, 10)]
    if session.effort is not Effort.TINY:
        worlds.append(World('puddle_world', [load_task('puddle_world')], session.pick(1, 1, 3)))
    return worlds


def random_task(states: int, actions: int, rewards: int, seed: int) -> Task:
    """Return a small world of which nothing is known beforehand."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / 'random_mdp.yaml'
        file.write_text(RANDOM_MDP.format(states=states, actions=actions, rewards=rewards,
                                          seed=seed))
        return load_task(file)


def _lesson(task: Task, questions: int, seed: int) -> list[tuple[float, float]]:
    """Return the seconds of each question, (GBS, EMG)."""
    rng = np.random.default_rng(seed)
    teacher = teacher_of(task.hypotheses, int(rng.integers(task.hypotheses.num_rewards)))
    pupils = {name: Learner(task, strategy=name, seed=seed, stop=NEVER) for name in ('gbs', 'emg')}
    times = []
    for _ in range(questions):
        times.append((seconds(pupils['gbs'].ask), seconds(pupils['emg'].ask)))
        question = pupils['gbs'].ask()
        assert question is not None     # it never stops
        answer = teacher.answer(question, rng)
        pupils = {name: pupil.tell(answer) for name, pupil in pupils.items()}
    return times


if __name__ == '__main__':
    sys.exit(run_alone(measure))
