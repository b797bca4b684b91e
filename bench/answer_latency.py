"""
How long a teacher waits for the next question: `tools/ros-env python bench/answer_latency.py`.

Starts the mdp and the learner node as processes and answers in this one, with the simulated
teacher, lesson after lesson. The time counts from the moment in which an answer is returned to
the middleware to that in which the next question arrives.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from rclpy.node import Node
from std_srvs.srv import Trigger

from bench.results import Figures
from bench.ros_graph import own_graph, running, spinning
from bench.session import Effort, Session
from gbs_irl_ros import msg, srv
from gbs_irl_ros.core import SimulatedTeacher
from gbs_irl_ros.learning.records import AnswerRecord
from gbs_irl_ros.ros import names, qos
from gbs_irl_ros.ros.messages import conversions
from gbs_irl_ros.tasks import load_task, load_truth

NAME = 'ros'
ABOUT_S = {Effort.TINY: 10, Effort.QUICK: 20, Effort.FULL: 90}
TASKS = ('room', 'trap_world', 'driver')
LONGEST_WAIT_S = 120.0
RIGHT = 0.9
MS = 1000.0


class NoQuestionError(RuntimeError):
    """The learner does not ask."""


class Teacher(Node):
    """
    Answers, and looks at the clock; begins a new lesson when one is over.

    first_at: when the first question came.
    latencies: from answers to next questions [s].
    """

    def __init__(self, task: str) -> None:
        super().__init__('bench_teacher')
        loaded, truth = load_task(task), load_truth(task)
        self._teacher = SimulatedTeacher.for_reward(loaded.world.mdp, truth.reward, RIGHT,
                                                    never=truth.never)
        self._rng = np.random.default_rng(0)
        self._answered_at: float | None = None
        self._reset = self.create_client(Trigger, names.LEARNER_RESET)
        self.first_at: float | None = None
        self.latencies: list[float] = []
        self.create_service(srv.QueryDemonstrator, names.QUERY_DEMONSTRATOR, self._handle_query)
        self.create_subscription(msg.Belief, names.BELIEF, self._on_belief, qos.LATCHED)

    def _handle_query(self, request: srv.QueryDemonstrator.Request,
                      response: srv.QueryDemonstrator.Response) -> srv.QueryDemonstrator.Response:
        now = time.perf_counter()
        if self._answered_at is not None:
            self.latencies.append(now - self._answered_at)
        elif self.first_at is None:
            self.first_at = now
        record = conversions.question_from_msg(request.question)
        response.ok = True
        response.answer = conversions.answer_to_msg(AnswerRecord(
            record.id, self._teacher.answer(record.question, self._rng)))
        self._answered_at = time.perf_counter()
        return response

    def _on_belief(self, belief: msg.Belief) -> None:
        if belief.status == msg.Belief.DONE:
            self._answered_at = None        # the time to the next lesson does not count
            self._reset.call_async(Trigger.Request())


@dataclass(frozen=True)
class Waits:
    """
    How long a teacher waited.

    first_s: from the start of the nodes to the first question, planning included.
    next_s: ``[N]``, from answers to next questions.
    """

    first_s: float
    next_s: np.ndarray


def waits(session: Session, task: str, answers: int) -> Waits:
    """Give lessons until there are enough answers."""
    with own_graph(), tempfile.TemporaryDirectory() as folder:
        teacher = Teacher(task)
        learner = {'journal_dir': folder, 'certainty': 0.999}
        started = time.perf_counter()
        with (spinning(teacher) as executor,
              running('mdp', {'task': task}, {'XDG_CACHE_HOME': folder}),
              running('learner', learner)):
            known, at = -1, started
            while len(teacher.latencies) < answers:
                executor.spin_once(timeout_sec=0.2)
                now = time.perf_counter()
                if len(teacher.latencies) // 50 != known // 50:
                    session.step(f'ros {task}: {len(teacher.latencies)} of {answers} answers')
                if len(teacher.latencies) != known:
                    known, at = len(teacher.latencies), now
                elif now - at > LONGEST_WAIT_S:
                    raise NoQuestionError(f'no question about {task} came in '
                                          f'{LONGEST_WAIT_S:.0f} s')
        assert teacher.first_at is not None
        return Waits(teacher.first_at - started, np.array(teacher.latencies))


def measure(session: Session, tasks: Sequence[str] = TASKS,
            answers: int | None = None) -> Figures:
    """Measure these tasks."""
    figures: Figures = {}
    for task in session.pick(tasks[:1], tasks, tasks):
        count = session.pick(10, 100, 500) if answers is None else answers
        found = waits(session, task, count)
        figures.update({
            f'ros.{task}.p50_ms': MS * float(np.median(found.next_s)),
            f'ros.{task}.p99_ms': MS * float(np.percentile(found.next_s, 99)),
            f'ros.{task}.worst_ms': MS * float(found.next_s.max()),
            f'ros.{task}.first_s': found.first_s, f'ros.{task}.answers': len(found.next_s)})
    return figures


def main() -> int:
    """Measure the tasks of the command line and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--task', action='append', help=f'default: {", ".join(TASKS)}')
    parser.add_argument('--answers', type=int, default=500)
    given = parser.parse_args()
    session, tasks = Session(), given.task or TASKS
    try:
        figures = measure(session, tasks, given.answers)
    except NoQuestionError as error:
        print(error)
        return 1
    session.progress.clear()
    for task in tasks:
        shown = {key: figures[f'ros.{task}.{key}']
                 for key in ('first_s', 'answers', 'p50_ms', 'p99_ms', 'worst_ms')}
        print('{}: start to first question {first_s:.1f} s (planning included); answer to next '
              'question, {answers} answers: median {p50_ms:.1f} ms, p99 {p99_ms:.1f} ms, '
              'worst {worst_ms:.1f} ms'.format(task, **shown))
    return 0


if __name__ == '__main__':
    sys.exit(main())
