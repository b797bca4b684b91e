"""A first lesson: a robot on a grid learns from few answers which cell it should go to."""

from __future__ import annotations

import numpy as np

from gbs_irl_ros.core import CAREFUL, Learner, SimulatedTeacher
from gbs_irl_ros.tasks import load_task_file


def main() -> None:
    """Teach the task of a file that comes with the package."""
    file = load_task_file('grid_world')
    task, truth = file.task, file.truth
    # Careful: perhaps none of the listed tasks is meant, and the teacher's error rate is learned.
    learner = Learner(task, strategy='gbs', seed=1, caution=CAREFUL)
    teacher = SimulatedTeacher.for_reward(task.world.mdp, truth.reward, accuracy=0.9)
    rng = np.random.default_rng(2)
    while (question := learner.ask()) is not None:
        answer = teacher.answer(question, rng)
        learner = learner.tell(answer)
        best = task.names[learner.most_probable_reward]
        print(f'{len(learner.answers):2}. {question.kind.value:8} at state {question.state:3}: '
              f'{answer.kind:8} -> {best} ({learner.certainty:.0%} sure)')
    rate = learner.belief.error_rate('action')
    print(f'meant: {truth.name}; about {rate.mean:.0%} of the answers are wrong')


if __name__ == '__main__':
    main()
