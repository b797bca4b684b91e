"""
What happened in a lesson, from its journal: `reading_a_journal.py [JOURNAL.jsonl]`.

Without an argument it holds a short lesson first and reads that. The journal has one JSON object
on each line; its `event` is what happened. The answers can be told to a learner again, so anything
that it believed at any time can be computed afterwards.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np

from gbs_irl_ros.core import Learner, SimulatedTeacher
from gbs_irl_ros.learning.events import Asked, Began, event_from_json
from gbs_irl_ros.learning.journal import read_journal
from gbs_irl_ros.learning.lesson import Lesson
from gbs_irl_ros.learning.records import AnswerRecord
from gbs_irl_ros.tasks import load_task, load_truth

TASK = 'grid_world'
SECOND = 1_000_000_000      # stamps are nanoseconds


def hold_lesson(path: Path) -> None:
    """Write the journal of a lesson with a simulated teacher, five seconds for each answer."""
    task = load_task(TASK)
    teacher = SimulatedTeacher.for_reward(task.world.mdp, load_truth(TASK).reward)
    lesson = Lesson.open(task, Learner(task, seed=3), path, stamp=0)
    rng, now = np.random.default_rng(4), 0
    while (asked := lesson.ask(now)) is not None:
        now += 5 * SECOND
        lesson.take(AnswerRecord(asked.id, teacher.answer(asked.question, rng), 'example', now))
    lesson.close()


def read(path: Path) -> None:
    """Print each question with its answer, how long that took, and what was believed then."""
    events = [event_from_json(entry) for entry in read_journal(path)]
    began = next(event for event in events if isinstance(event, Began))
    task = load_task(began.task_name)
    learner, asked = Learner(task), {}
    print(f'a lesson about {began.task_name}')
    for event in events:
        if isinstance(event, Asked):
            asked[event.id] = event
        elif isinstance(event, AnswerRecord):
            learner = learner.tell(event.answer)
            seconds = (event.stamp - asked[event.id].stamp) / SECOND
            print(f'{event.answer.kind} at state {asked[event.id].question.state} after '
                  f'{seconds:.0f} s: {task.names[learner.most_probable_reward]} '
                  f'({learner.certainty:.0%})')


def main(journal: str = '') -> None:
    """Read a journal, or that of a lesson that is held first."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(journal) if journal else Path(folder) / 'lesson.jsonl'
        if not journal:
            hold_lesson(path)
        read(path)


if __name__ == '__main__':
    main(*sys.argv[1:])
