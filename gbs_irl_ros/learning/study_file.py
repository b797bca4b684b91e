"""
A lesson of a user study as a CSV file: one row for each event of its journal.

All but the last columns follow from the journal alone. What was believed after an event is known
only to the learner that runs the lesson. So the file is made from the journal again after each
event, with the beliefs that it held before, and replaced as a whole: a learner that is killed at
any moment leaves a file without half a row, and the next one neither loses nor doubles one.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, TextIO

from gbs_irl_ros.core.answers import DemonstrationAnswer
from gbs_irl_ros.core.errors import InvalidRecordError
from gbs_irl_ros.core.printable import one_line
from gbs_irl_ros.learning.events import (
    Asked,
    Began,
    Changed,
    Event,
    Met,
    Opened,
    Paused,
    Revised,
    Settled,
    TaughtBefore,
    Undone,
    Withdrawn,
)
from gbs_irl_ros.learning.json_values import to_json
from gbs_irl_ros.learning.lesson import Lesson
from gbs_irl_ros.learning.records import (
    AnswerRecord,
    DemonstrationRecord,
    InventionRecord,
    PlaceRecord,
    Status,
)
from gbs_irl_ros.learning.standing import Standing
from gbs_irl_ros.tasks.whole_files import read_ordinary, replacing

FOLDER = 'studies'
CODE = re.compile(r'[A-Za-z0-9_-]{1,40}')
MOST_BYTES = 1 << 28
SECOND = 1_000_000_000
OF_THE_BELIEF = ('favourite', 'probability', 'certainty', 'done')
OF_THE_JOURNAL = ('code', 'lesson', 'task', 'number', 'stamp', 'event', 'question', 'kind',
                  'state', 'answer_kind', 'answer', 'seconds', 'interrupted')
COLUMNS = OF_THE_JOURNAL + OF_THE_BELIEF

Row = dict[str, str]


def check_code(code: str) -> str:
    """Return the code of a participant; raise unless it can be part of a file name."""
    if not CODE.fullmatch(code):
        raise InvalidRecordError(
            'the code of a participant must have 1 to 40 letters from a to z, digits, "_" and '
            f'"-", for it names a file, got {one_line(repr(code), longest=80)}')
    return code


class StudyRows:
    """
    The rows of a lesson. They grow by ``follow``, event by event.

    rows: by column; what is not known is missing.
    unchanged: how many of the last rows belong to what is believed now.
    """

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.unchanged = 0
        self._began: Began | None = None
        self._settings: dict[str, Any] = {}
        self._asked: dict[str, Asked] = {}
        self._last: Event | None = None

    @classmethod
    def of(cls, events: Iterable[Event]) -> StudyRows:
        """Return the rows of these events."""
        rows = cls()
        for event in events:
            rows.follow(event)
        return rows

    def follow(self, event: Event) -> None:
        """Add the row of what happened."""
        learned = not isinstance(event, (Asked, Withdrawn, Paused, Settled, Opened))
        if isinstance(event, Began):
            self._began = event
        elif isinstance(event, (Opened, Changed)):
            learned = event.settings != self._settings
            self._settings = event.settings
        elif isinstance(event, Asked):
            self._asked[event.id] = event
        row = {
            'code': str(self._settings.get('study', '')),
            'lesson': self._began.session if self._began else '',
            'task': self._began.task_name if self._began else '',
            'number': str(len(self.rows) + 1), 'event': _name(event), **self._about(event)}
        stamp = getattr(event, 'stamp', 0)      # to withdraw a question has no time of its own
        if stamp:
            row['stamp'] = datetime.fromtimestamp(stamp / SECOND, tz=timezone.utc).isoformat(
                timespec='milliseconds')
        self.rows.append(row)
        self.unchanged = 1 if learned else self.unchanged + 1
        self._last = event

    def _about(self, event: Event) -> Row:
        """Return which question and which answer it is about."""
        row: Row = {}
        asked = self._asked.get(getattr(event, 'id', ''))
        if asked is not None:
            row.update(question=str(asked.number + 1), kind=asked.question.kind.value,
                       state=str(asked.question.state))
        if isinstance(event, (AnswerRecord, DemonstrationRecord)):
            row.update(answer_kind=event.answer.kind, answer=_json(event.answer))
        elif isinstance(event, PlaceRecord):
            row.update(answer_kind='place', answer=_json(event.place))
        elif isinstance(event, InventionRecord):
            row.update(answer_kind='invention', answer=_json(event.invention))
        if asked is not None and isinstance(event, AnswerRecord) \
                and not isinstance(event, Revised) and event.stamp >= asked.stamp:
            row.update(seconds=f'{(event.stamp - asked.stamp) / SECOND:.3f}',
                       interrupted='no' if self._last is asked else 'yes')
        return row


def _json(value: object) -> str:
    return json.dumps(to_json(value), allow_nan=False)


def _name(event: Event) -> str:
    """Return what happened, in a word or two."""
    if isinstance(event, DemonstrationRecord):
        return 'corrected' if event.correction else 'demonstrated' \
            if isinstance(event.answer, DemonstrationAnswer) else 'said unasked'
    if isinstance(event, Paused):
        return 'paused' if event.paused else 'resumed'
    if isinstance(event, Settled):
        return 'good enough' if event.settled else 'asked for more'
    return NAMES[type(event)]


NAMES: dict[type[Event], str] = {
    Began: 'began', Met: 'person known', TaughtBefore: 'taught before', Opened: 'opened',
    Changed: 'settings changed', Asked: 'asked', Withdrawn: 'withdrawn', AnswerRecord: 'answered',
    PlaceRecord: 'place shown', InventionRecord: 'invented', Undone: 'undone', Revised: 'revised'}


def write_csv(rows: Iterable[Row], file: TextIO) -> None:
    """Write rows with the names of the columns above them."""
    writer = csv.DictWriter(file, COLUMNS, restval='', lineterminator='\n')
    writer.writeheader()
    writer.writerows(rows)


def study_path(folder: Path, code: str, session: str) -> Path:
    """
    Return the file of a lesson.

    :param folder: that of the lessons, see ``folders.lessons_folder``.
    """
    return folder / FOLDER / f'{check_code(code)}.{session}.csv'    # no code has a dot


class StudyFile:
    """The file of a participant's lesson. If it cannot be written, the lesson continues."""

    def __init__(self, folder: Path, code: str, warn: Callable[[str], object]) -> None:
        """
        Open nothing yet.

        :param folder: that of the lessons.
        :param warn: called with a sentence when the file cannot be written, once for each time.
        """
        self._folder, self._code, self._warn = folder, check_code(code), warn
        self._rows = StudyRows()
        self._written = 0
        self._is_warned = False

    def write(self, lesson: Lesson) -> None:
        """Add what has happened in the lesson since the last time."""
        path = study_path(self._folder, self._code, lesson.session)
        standing, rows = lesson.standing, self._rows.rows
        new = standing.past.events[len(rows):]
        for event in new:
            self._rows.follow(event)
        believed = _belief(standing)
        for row in rows[-min(self._rows.unchanged, len(new)):] if new else ():
            row.update(believed)
        if self._written == len(rows):
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if not self._written:
                _take_over(rows, path)
            with replacing(path, private=True) as file:
                write_csv(rows, file)
        except (OSError, UnicodeError) as error:
            if not self._is_warned:
                self._warn(f'{path}: the file of the study cannot be written: '
                           f'{getattr(error, "strerror", None) or error}; the lesson continues, '
                           'and its journal has all events. Make room or fix the disk')
            self._is_warned = True
            return
        self._written, self._is_warned = len(rows), False


def _belief(standing: Standing) -> Row:
    learner = standing.learner
    best = learner.most_probable_reward
    return {'favourite': standing.favourite,
            'probability': f'{learner.situation.posterior.probabilities[best]:.6f}',
            'certainty': f'{min(learner.certainty, 1.0):.6f}',
            'done': 'yes' if standing.status is Status.DONE else 'no'}


def _take_over(rows: list[Row], path: Path) -> None:
    """Give rows the beliefs which the file has for the same events."""
    try:
        text = read_ordinary(path, MOST_BYTES).decode()
    except (FileNotFoundError, UnicodeError):
        return
    try:
        before = {_key(row): row for row in csv.DictReader(io.StringIO(text, newline=''))}
    except csv.Error:       # somebody has changed it
        return
    for row in rows:
        known = before.get(_key(row))
        if known is not None:
            row.update({name: known.get(name) or row.get(name, '') for name in OF_THE_BELIEF})


def _key(row: Row) -> tuple[str, ...]:
    return tuple(row.get(name) or '' for name in OF_THE_JOURNAL)
