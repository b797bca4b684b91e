"""
What a user study tells, from its files: `study_csv.py [FILE.csv ...]`.

Without an argument it holds a short lesson first, as the learner does with `study:=P07`, and reads
the file of that. Nothing but the module csv is needed to read one.
"""

from __future__ import annotations

import csv
import sys
import tempfile
from pathlib import Path
from statistics import median

import numpy as np

from gbs_irl_ros.core import Learner, SimulatedTeacher
from gbs_irl_ros.learning.lesson import Lesson
from gbs_irl_ros.learning.records import AnswerRecord
from gbs_irl_ros.learning.study_file import StudyFile, study_path
from gbs_irl_ros.tasks import load_task, load_truth

TASK, CODE = 'grid_world', 'P07'
SECOND = 1_000_000_000      # stamps are nanoseconds


def hold_lesson(folder: Path) -> Path:
    """Return the file of a lesson with a simulated teacher, four seconds for each answer."""
    task = load_task(TASK)
    teacher = SimulatedTeacher.for_reward(task.world.mdp, load_truth(TASK).reward)
    lesson = Lesson.open(task, Learner(task, seed=3), folder / 'lesson.jsonl', stamp=SECOND,
                         settings={'study': CODE})
    study, rng, now = StudyFile(folder, CODE, print), np.random.default_rng(4), SECOND
    while (asked := lesson.ask(now)) is not None:
        study.write(lesson)
        now += 4 * SECOND
        lesson.take(AnswerRecord(asked.id, teacher.answer(asked.question, rng), 'example', now))
    study.write(lesson)
    lesson.close()
    return study_path(folder, CODE, lesson.session)


def summary(path: Path) -> str:
    """Return in a line how a lesson went."""
    with path.open(newline='', encoding='utf-8') as file:
        rows = list(csv.DictReader(file))
    answers = [row for row in rows if row['event'] == 'answered']
    times = [float(row['seconds']) for row in answers if row['interrupted'] == 'no']
    changed = sum(row['event'] in ('undone', 'revised') for row in rows)
    last = rows[-1]
    return (f'{last["code"]} taught {last["task"]}: {len(answers)} answers, '
            f'{f"{median(times):.1f} s each" if times else "not timed"}, {changed} changed; '
            f'{"done" if last["done"] == "yes" else "not done"}: {last["favourite"]}')


def main(*files: str) -> None:
    """Summarise these files, or that of a lesson that is held first."""
    with tempfile.TemporaryDirectory() as folder:
        for path in map(Path, files) if files else [hold_lesson(Path(folder))]:
            print(summary(path))


if __name__ == '__main__':
    main(*sys.argv[1:])
