"""
What it is worth to let the learner think of tasks itself: lessons about what nobody listed.

The lessons of ``trust_lessons`` about a cell of `room` that no listed task goes to. Whenever
nothing fits ("none of these" is at least as probable as all that is listed), and with
``--after-no`` also after a no to a closing question, the teacher has the learner think of other
tasks, every three answers at most. Run it by `python -m gbs_irl_ros.experiments.inventions`.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from dataclasses import replace

import numpy as np

from gbs_irl_ros.core import Learner
from gbs_irl_ros.core.errors import InvalidPlaceError
from gbs_irl_ros.core.noise import CLOSING_ERROR
from gbs_irl_ros.core.routes import refused_route
from gbs_irl_ros.experiments.trust_lessons import MOST, TEACHER, TRUTH, WAYS, Lessons, Outcome
from gbs_irl_ros.tasks import Task
from gbs_irl_ros.tasks.growth import grown
from gbs_irl_ros.tasks.rejuvenation import rejuvenated

ERRORS = (0.02, 0.1, 0.2, 0.3)
WAY = 'defaults'
MOST_INVENTIONS = 8     # in one lesson
PAUSE = 3               # answers from one to the next


class InventingLessons(Lessons):
    """Lessons in which the learner thinks of tasks itself."""

    def run_inventing(self, number: int, error: float, *, after_no: bool) -> tuple[Outcome, int]:
        """Return how lesson ``number`` ends, and how often the learner thought."""
        meant = self.meant('place', np.random.default_rng([number, TRUTH]))
        teacher = replace(meant.teacher, accuracy=1.0 - error,
                          closing_accuracy=1.0 - CLOSING_ERROR)
        learner, task = self._learner(meant.listed, WAY, number), self._task
        count, last = 0, -PAUSE
        while True:
            given = len(learner.answers)
            wanted = learner.nothing_fits or (after_no and refused_route(learner.answers))
            if wanted and count < MOST_INVENTIONS and given >= last + PAUSE:
                learner, task = _invented(learner, task)
                count, last = count + 1, given
            question = learner.ask() if given < MOST else None
            if question is None:
                return self._outcome(learner, meant, WAYS[WAY]), count
            chance = np.random.default_rng([number, given, TEACHER])
            learner = learner.tell(teacher.answer(question, chance))


def _invented(learner: Learner, task: Task) -> tuple[Learner, Task]:
    """Return the learner after it has thought of other tasks, as it was if there are none."""
    try:
        step = rejuvenated(task, learner, (learner.seed, len(learner.answers)))
    except InvalidPlaceError:
        return learner, task
    candidates, left = grown(task, step, learner.caution.none_of_these)
    task = replace(task, candidates=candidates.planned_after(task.hypotheses), began_as=task.hash)
    return Learner(task, seed=learner.seed, stop=learner.stop, caution=replace(
        learner.caution, none_of_these=left)).replay(learner.answers), task


def row(error: float, ended: list[tuple[Outcome, int]]) -> str:
    """Return a line of the table."""
    ends = Counter(outcome.end for outcome, _ in ended)
    shares = ' | '.join(f'{ends[end] / len(ended):.1%}'
                        for end in ('right', 'wrong', 'none', 'open'))
    answers, times = np.mean([(outcome.answers, count) for outcome, count in ended], axis=0)
    return f'| {error:.0%} | {shares} | {answers:.1f} | {times:.1f} |'


def main(arguments: list[str] | None = None) -> int:
    """Run the lessons and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or '').strip().splitlines()[0])
    parser.add_argument('--lessons', type=int, default=100, help='of each row')
    parser.add_argument('--first', type=int, default=0, help='number of the first lesson')
    parser.add_argument('--errors', type=float, nargs='+', default=ERRORS)
    parser.add_argument('--after-no', action='store_true',
                        help='also after a no to a closing question')
    options = parser.parse_args(arguments)
    lessons = InventingLessons('room')
    print('| teacher errs in | right | wrong | "none" | open after 60 answers | answers '
          '| times it thought |\n|---|---|---|---|---|---|---|')
    for error in options.errors:
        print(row(error, [lessons.run_inventing(number, error, after_no=options.after_no)
                          for number in range(options.first, options.first + options.lessons)]),
              flush=True)
    return 0


if __name__ == '__main__':
    sys.exit(main())
