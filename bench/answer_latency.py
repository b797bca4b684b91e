"""
How long a teacher waits for the next question: `tools/ros-env python bench/answer_latency.py`.

Starts the mdp and the learner node as processes and answers in this one, with the simulated
teacher, lesson after lesson. The time counts from the moment in which an answer is returned to
the middleware to that in which the next question arrives.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from std_srvs.srv import Trigger

from gbs_irl_ros import srv
from gbs_irl_ros.core import SimulatedTeacher
from gbs_irl_ros.core.records import AnswerRecord
from gbs_irl_ros.ros import conversions, names
from gbs_irl_ros.tasks import load_task, load_truth

WAIT_S = 120.0


class Teacher(Node):
    """Answers, and looks at the clock."""

    def __init__(self, task: str) -> None:
        super().__init__('bench_teacher')
        loaded, truth = load_task(task), load_truth(task)
        self._teacher = SimulatedTeacher.for_reward(loaded.world.mdp, truth.reward, 0.9)
        self._rng = np.random.default_rng(0)
        self._answered_at: float | None = None
        self.first_at: float | None = None
        self.latencies: list[float] = []
        self.create_service(srv.QueryDemonstrator, names.QUERY_DEMONSTRATOR, self._handle_query)

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

    def forget(self) -> None:
        """Do not count the time until the next question: a new lesson begins."""
        self._answered_at = None


def main() -> int:
    """Run lessons until there are enough answers; print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--task', default='driver')
    parser.add_argument('--answers', type=int, default=500)
    given = parser.parse_args()
    os.environ.setdefault('ROS_DOMAIN_ID', str(1 + os.getpid() % 100))
    os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
    rclpy.init()
    node, executor = Teacher(given.task), SingleThreadedExecutor()
    executor.add_node(node)
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        processes = [
            subprocess.Popen([sys.executable, '-m', f'gbs_irl_ros.nodes.{name}', '--ros-args',
                              '--log-level', 'warn', *more])
            for name, more in (
                ('mdp', ['-p', f'task:={given.task}']),
                ('learner', ['-p', f'journal_dir:={Path(folder)}', '-p', 'certainty:=0.999']))]
        reset = node.create_client(Trigger, 'learner/reset')
        try:
            last, at = 0, time.perf_counter()
            while len(node.latencies) < given.answers:
                executor.spin_once(timeout_sec=0.2)
                now = time.perf_counter()
                if len(node.latencies) != last:
                    last, at = len(node.latencies), now
                elif now - at > 1.0 and node.first_at is not None:
                    node.forget()       # the lesson is over
                    reset.call_async(Trigger.Request())
                    at = now
                elif now - at > WAIT_S:
                    print('no question came')
                    return 1
        finally:
            for process in processes:
                process.terminate()
            for process in processes:
                process.wait()
            rclpy.try_shutdown()
    times = 1000.0 * np.array(node.latencies)
    print(f'{given.task}: start to first question {node.first_at - started:.1f} s (planning '
          f'included); answer to next question, {len(times)} answers: median '
          f'{np.median(times):.1f} ms, p99 {np.percentile(times, 99):.1f} ms, '
          f'worst {times.max():.1f} ms')
    return 0


if __name__ == '__main__':
    sys.exit(main())
