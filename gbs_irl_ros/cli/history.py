"""`gbs-irl history JOURNAL`: what happened in a lesson."""

from __future__ import annotations

import argparse
import io
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from gbs_irl_ros.cli.progress import add_large_option
from gbs_irl_ros.cli.say import say
from gbs_irl_ros.core.answers import DemonstrationAnswer
from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.learning.answer_times import AnswerTimes
from gbs_irl_ros.learning.events import (
    Asked,
    Began,
    Event,
    Met,
    Revised,
    TaughtBefore,
    Undone,
    event_from_json,
)
from gbs_irl_ros.learning.journal import JournalError, read_journal
from gbs_irl_ros.learning.records import (
    AnswerRecord,
    DemonstrationRecord,
    InventionRecord,
    PlaceRecord,
)
from gbs_irl_ros.learning.sentences import answer_words, sentence
from gbs_irl_ros.learning.study_file import StudyRows, write_csv
from gbs_irl_ros.tasks import Task, load_task

BILLION = 1_000_000_000


def add_history(commands: Any) -> None:
    """Add the command to a parser."""
    parser = commands.add_parser('history', help='what happened in a lesson, from its journal')
    parser.add_argument('journal', type=Path, help='the journal of a learner (.jsonl)')
    parser.add_argument('--task', metavar='FILE',
                        help='the task file, or its name; by default the one of that name')
    parser.add_argument('--csv', action='store_true',
                        help='as CSV, one row for each event, as in a user study (docs/study.md)')
    add_large_option(parser)
    parser.set_defaults(run=history)


def history(given: argparse.Namespace) -> int:
    """Print the events of a journal, also of one that a learner is writing."""
    events = _read(given.journal)
    if not events or not isinstance(events[0], Began):
        raise GbsIrlError(f'{given.journal}: is not a journal of a lesson: it does not say how '
                          'the lesson began')
    if given.csv:
        table = io.StringIO()
        write_csv(StudyRows.of(events).rows, table)
        say(table.getvalue().removesuffix('\n'))
        return 0
    began = events[0]
    task = load_task(given.task or began.task_name, allow_large=given.large)
    if not task.is_known_as(began.task_hash):
        raise GbsIrlError(
            f'{given.journal}: this lesson is about a task of another content '
            f'({began.task_hash[:12]}) than {given.task or began.task_name!r} has now '
            f'({task.hash[:12]}); give its file with --task')
    say(f'lesson {began.session} about {began.task_name}, begun {_time(began.stamp)}')
    asked: dict[str, Asked] = {}
    times = AnswerTimes()
    for event in events[1:]:
        times.follow(event)
        if isinstance(event, Asked):
            asked[event.id] = event
        line = _line(event, asked, task)
        if line:
            say(line)
    for kind, (count, seconds) in times.means().items():
        say(f'{count} timed answers to questions of kind {kind}: {seconds:.1f} s on average')
    return 0


def _read(path: Path) -> list[Event]:
    events = []
    for number, entry in enumerate(read_journal(path), start=1):
        try:
            events.append(event_from_json(entry))
        except GbsIrlError as error:
            raise JournalError(f'{path}:{number}: {error}') from error
    return events


def _line(event: Event, asked: dict[str, Asked], task: Task) -> str:
    """Return an event in words; '' for what a person need not know."""
    if isinstance(event, AnswerRecord):
        question = asked.get(event.id)
        about = sentence(question.question, task.world) if question else event.id
        number = f'{question.number + 1}. ' if question else ''
        again = 'replaced: ' if isinstance(event, Revised) else ''
        return f'{_time(event.stamp)}  {again}{number}{about} -- ' \
               f'{answer_words(event.answer, task.world)}'
    if isinstance(event, DemonstrationRecord):
        what = 'correction: ' if event.correction else 'demonstration: ' \
            if isinstance(event.answer, DemonstrationAnswer) else ''
        return f'{_time(event.stamp)}  {what}{answer_words(event.answer, task.world)}'
    if isinstance(event, PlaceRecord):
        return f'{_time(event.stamp)}  shown: {event.place.words}'
    if isinstance(event, InventionRecord):
        return f'{_time(event.stamp)}  {event.invention.words}'
    if isinstance(event, Met):
        return f'{_time(event.stamp)}  {event.person} teaches'
    if isinstance(event, TaughtBefore):
        return f'{_time(event.stamp)}  starts from what was taught in {event.belief.task!r}: ' \
               f'{event.belief.favourite.name}, {event.belief.favourite.probability:.0%}'
    if isinstance(event, Undone):
        question = asked.get(event.id)
        return f'{_time(event.stamp)}  taken back: ' \
               f'{f"{question.number + 1}." if question else event.id}'
    return ''


def _time(stamp: int) -> str:
    when = datetime.fromtimestamp(stamp / BILLION, tz=timezone.utc).astimezone()
    return when.strftime('%Y-%m-%d %H:%M:%S')
