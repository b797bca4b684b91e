"""
What is known of a person who teaches: how many answers were right, and how long they took.

Whether an answer was right is judged by what is believed at the end of its lesson, so counts have
fractions. They are the prior of the error rates in the next lesson (``core.error_rates``), and the
times that of what each kind of question costs (``core.pace``). One file for each person has it,
who may read, change or delete it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import TypeVar

import numpy as np

from gbs_irl_ros.core.answers import RATED_KINDS
from gbs_irl_ros.core.errors import InvalidRecordError
from gbs_irl_ros.core.learner import Learner
from gbs_irl_ros.core.pace import Pace
from gbs_irl_ros.core.printable import has_controls, one_line
from gbs_irl_ros.core.questions import QuestionKind
from gbs_irl_ros.learning.json_files import read_json, write_json
from gbs_irl_ros.learning.json_values import object_from_json, to_json

__all__ = ['AnswerCount', 'AnswerTime', 'Profile', 'load_profile', 'person_file', 'save_profile']

FORMAT = 1
FOLDER = 'people'
MOST_BYTES = 1 << 20
MAX_LESSONS = 20        # that are remembered, the last ones: people change
MAX_COUNT = 100_000     # answers of a lesson
MAX_TEXT = 100
NAME = re.compile(r'\w[\w .()-]{0,63}')
DIGITS = 6


@dataclass(frozen=True)
class AnswerCount:
    """How many answers of a kind were right and wrong in a lesson, as far as is known."""

    session: str
    kind: str
    right: float
    wrong: float

    def __post_init__(self) -> None:
        _check_text('session', self.session)
        if self.kind not in RATED_KINDS:
            raise InvalidRecordError(
                f'kind must be one of {sorted(RATED_KINDS)}, got {self.kind!r}')
        for what, count in (('right', self.right), ('wrong', self.wrong)):
            if not 0.0 <= count <= MAX_COUNT:
                raise InvalidRecordError(f'{what} must be in [0, {MAX_COUNT}], got {count}')


@dataclass(frozen=True)
class AnswerTime:
    """
    How long the answers to a kind of question took in a lesson.

    count: of answers that were timed. total: how many times as long as usual, added up.
    """

    session: str
    kind: str
    count: float
    total: float

    def __post_init__(self) -> None:
        _check_text('session', self.session)
        kinds = [kind.value for kind in QuestionKind]
        if self.kind not in kinds:
            raise InvalidRecordError(f'kind must be one of {kinds}, got {self.kind!r}')
        for what, number in (('count', self.count), ('total', self.total)):
            if not 0.0 <= number <= MAX_COUNT:
                raise InvalidRecordError(f'{what} must be in [0, {MAX_COUNT}], got {number}')


@dataclass(frozen=True)
class Profile:
    """
    What is known of a person.

    answers: of earlier lessons, the oldest first. times: how long they took.
    """

    person: str
    answers: tuple[AnswerCount, ...] = ()
    updated: str = 'never'
    format: int = FORMAT
    times: tuple[AnswerTime, ...] = field(default=(), metadata={'optional': True})

    def __post_init__(self) -> None:
        check_person(self.person)
        _check_text('updated', self.updated)
        if self.format != FORMAT:
            raise InvalidRecordError(f'its format must be {FORMAT}, got {self.format}')
        for name, entries, kinds in (('answers', self.answers, len(RATED_KINDS)),
                                     ('times', self.times, len(QuestionKind))):
            most = MAX_LESSONS * kinds
            if len(entries) > most:
                raise InvalidRecordError(
                    f'{name} must have at most {most} entries, got {len(entries)}')

    def with_lesson(self, session: str, learner: Learner, stamp: int,
                    pace: Pace | None = None) -> Profile:
        """
        Return it with the answers of a lesson instead of what was known of that lesson.

        :param pace: of this lesson alone, None if that is not known.
        """
        counts = learner.belief.answer_counts
        own = [AnswerCount(session, kind, round(right, DIGITS), round(wrong, DIGITS))
               for kind, (right, wrong) in sorted(counts.items())]
        timed = [AnswerTime(session, kind, round(count, DIGITS), round(total, DIGITS))
                 for kind, count, total in (pace or Pace()).measured]
        return Profile(self.person, _last(self.answers, session, own),
                       datetime.fromtimestamp(stamp // 10**9, timezone.utc).isoformat(),
                       times=_last(self.times, session, timed))


Entry = TypeVar('Entry', AnswerCount, AnswerTime)


def _last(entries: tuple[Entry, ...], session: str, own: list[Entry]) -> tuple[Entry, ...]:
    """Return the entries of the last lessons; of this one its own alone."""
    kept = [each for each in entries if each.session != session] + own
    last = list(dict.fromkeys(each.session for each in kept))[-MAX_LESSONS:]
    return tuple(each for each in kept if each.session in last)


def check_person(name: str) -> str:
    """Return the name of a person; raise unless it can be that of a file."""
    if not NAME.fullmatch(name):
        raise InvalidRecordError(
            'the name of a person must have 1 to 64 letters, digits, spaces and "_-.()", and '
            f'begin with a letter or a digit, got {one_line(repr(name), longest=80)}')
    return name


def person_file(folder: Path, name: str) -> Path:
    """
    Return the file of a person.

    :param folder: that of the lessons, see ``folders.lessons_folder``.
    """
    return folder / FOLDER / f'{check_person(name)}.json'


def load_profile(path: Path, name: str) -> Profile:
    """Return what is known of a person, nothing if there is no file; raise if that is damaged."""
    try:
        path.stat()
    except FileNotFoundError:
        return Profile(name)
    except OSError:
        pass                    # reading it says what is wrong
    with read_json(path, MOST_BYTES, 'the profile of a person') as values:
        profile: Profile = object_from_json(Profile, 'a profile', values)
        if profile.person != name:
            raise InvalidRecordError(f'it is about {profile.person!r}, expected {name!r}')
    return profile


def save_profile(profile: Profile, path: Path) -> None:
    """Write it, for its owner alone; a file of that name is replaced whole or not at all."""
    write_json(path, to_json(profile), f'what is known of {profile.person!r}',
               'make room or fix the disk')


def earlier_counts(answers: tuple[AnswerCount, ...]) -> dict[str, tuple[float, float]]:
    """Return how many answers of each kind were right and wrong in all lessons together."""
    totals: dict[str, np.ndarray] = {}
    for count in answers:
        totals[count.kind] = totals.get(count.kind, 0.0) + np.array([count.right, count.wrong])
    return {kind: (float(right), float(wrong)) for kind, (right, wrong) in totals.items()}


def earlier_pace(times: tuple[AnswerTime, ...], way: float) -> Pace:
    """
    Return how long answers of each kind took in all lessons together.

    :param way: seconds that the robot takes for a step.
    """
    totals: dict[str, tuple[float, float]] = {}
    for time in times:
        count, total = totals.get(time.kind, (0.0, 0.0))
        totals[time.kind] = (count + time.count, total + time.total)
    return Pace(tuple((kind, count, total) for kind, (count, total) in totals.items()), way)


def _check_text(what: str, text: str) -> None:
    if not 0 < len(text) <= MAX_TEXT or has_controls(text):
        raise InvalidRecordError(f'{what} must have 1 to {MAX_TEXT} characters, none of them a '
                                 f'control character, got {one_line(repr(text), longest=80)}')
