"""What has happened in a lesson: the sum of its journal's events, live and in replay."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from gbs_irl_ros.core.answers import Answer, DemonstrationAnswer, Unasked, check_answers
from gbs_irl_ros.core.errors import GbsIrlError, InvalidAnswerError
from gbs_irl_ros.core.pace import Pace
from gbs_irl_ros.core.questions import MAX_STEPS, Question, QuestionKind
from gbs_irl_ros.core.task_answers import (
    GoHereAnswer,
    NeverHereAnswer,
    OnTheWayAnswer,
    WordsAnswer,
)
from gbs_irl_ros.learning.answer_times import AnswerTimes
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
    event_from_json,
)
from gbs_irl_ros.learning.journal import Journal, JournalError
from gbs_irl_ros.learning.person import AnswerCount, AnswerTime, check_person, earlier_pace
from gbs_irl_ros.learning.records import (
    AnswerRecord,
    DemonstrationRecord,
    HistoryEntry,
    HistoryRecord,
    InventionRecord,
    PlaceRecord,
    QuestionRecord,
)
from gbs_irl_ros.learning.sentences import answer_words, sentence
from gbs_irl_ros.learning.taught import TaughtBelief
from gbs_irl_ros.tasks.growth import Step
from gbs_irl_ros.tasks.shown_place import Place, place_states
from gbs_irl_ros.tasks.task import Task
from gbs_irl_ros.tasks.world import World

MAX_REMEMBERED = 100       # entries in a history: more than a person scrolls through
MAX_STEPS_TOLD = 20        # of each demonstration in it
MAX_STATES_TOLD = 1000     # of each region in it, and tasks that words fit
TAUGHT_BY = 'an earlier lesson'

Given = AnswerRecord | DemonstrationRecord | PlaceRecord | InventionRecord
GROWTH = (PlaceRecord, InventionRecord)     # by which what may be meant grows


class LessonState:
    """
    What the events so far add up to. It changes by ``follow`` alone.

    session: of the lesson, however often it is opened; '' before it begins.
    person: who teaches, '' if that is not known. earlier_answers: of that person.
    taught: what it starts from, None if from nothing but the task.
    openings: how often it was opened.
    settings: those that it began with, or that it was changed to; {} if they are not known.
    paused: nothing is asked for the moment.
    settled: the teacher says that it is enough.
    asked: all questions, by id. given: what counts, by id, in order.
    known: the ids of all that ever came, in order.
    open_id: of the question that waits for its answer, '' if none does.
    heard_since: whether anything was learned since that was asked.
    earlier_times: how long that person took in earlier lessons. times: in this one.
    events: all of them, in order.
    """

    def __init__(self, task: Task) -> None:
        self._task = task
        self.session = ''
        self.person = ''
        self.earlier_answers: tuple[AnswerCount, ...] = ()
        self.earlier_times: tuple[AnswerTime, ...] = ()
        self.taught: TaughtBelief | None = None
        self.openings = 0
        self.settings: dict[str, Any] = {}
        self.paused = self.settled = False
        self.asked: dict[str, Asked] = {}
        self.given: dict[str, Given] = {}
        self.known: dict[str, None] = {}
        self.open_id = ''
        self.heard_since = False
        self.times = AnswerTimes()
        self.events: list[Event] = []
        self._shown: dict[str, Question] = {}       # unasked: what that would have answered

    @classmethod
    def of(cls, task: Task, journal: Journal) -> LessonState:
        """Return what the entries of a journal add up to; raise if they cannot have happened."""
        state = cls(task)
        for number, entry in enumerate(journal.entries, start=1):
            try:
                state.follow(event_from_json(entry))
            except GbsIrlError as error:
                raise JournalError(f'{journal.path}:{number}: {error}') from error
        return state

    @property
    def has_map(self) -> bool:
        """Tell whether the states have cells, so that places can be shown."""
        return self._task.has_map

    def question_of(self, question_id: str) -> Question:
        """Return what an id is about; raise if it was neither asked nor shown."""
        if question_id in self._shown:
            return self._shown[question_id]
        if question_id not in self.asked:
            raise InvalidAnswerError(
                f'no question with the id {question_id!r} was asked in this lesson '
                f'({self.session}); the answer is not used')
        return self.asked[question_id].question

    @property
    def answers(self) -> dict[str, Answer]:
        """Return the answers and demonstrations that count, by id."""
        return {known: record.answer for known, record in self.given.items()
                if not isinstance(record, GROWTH)}

    def pace(self, way: float) -> Pace:
        """
        Return how fast the person who teaches is, as far as is known.

        :param way: seconds that the robot takes for a step.
        """
        return earlier_pace(self.earlier_times, way).timed(self.times.seconds.values())

    @property
    def answer_numbers(self) -> list[int]:
        """Return the numbers of the answers, as a person counts all that was said and shown."""
        return [number for number, record in enumerate(self.given.values(), start=1)
                if not isinstance(record, GROWTH)]

    @property
    def places(self) -> tuple[Step, ...]:
        """Return the places that were shown, and what was invented, as far as that counts."""
        return tuple(step_of(record) for record in self.given.values()
                     if isinstance(record, GROWTH))

    @property
    def world(self) -> World:
        """Return the world of the task."""
        return self._task.world

    def marked_off(self, answers: Iterable[Answer]) -> np.ndarray:
        """
        Return the states that the teacher has marked as never to be entered.

        :param answers: as they are meant together.
        """
        states = [each.states for each in answers if isinstance(each, NeverHereAnswer)]
        places = [place for place in self.places if isinstance(place, Place) and place.keep_off]
        return np.unique(np.concatenate([
            np.empty(0, dtype=np.int64), *map(np.array, states),
            *(place_states(place, self._task.world) for place in places)]).astype(np.int64))

    def follow(self, event: Event) -> None:
        """Take in what happened; raise if it cannot have."""
        if not self.session and not isinstance(event, Began):
            raise JournalError('the journal does not say how the lesson began')
        if isinstance(event, Began):
            self._check_began(event)
            self.session = event.session
        elif isinstance(event, Met):
            self._meet(event)
        elif isinstance(event, TaughtBefore):
            self._start_from(event)
        elif isinstance(event, Opened):
            if self.openings == 0:
                self.settings = event.settings
            self.openings += 1
        elif isinstance(event, Changed):
            self.open_id, self.settings = '', event.settings
        elif isinstance(event, Withdrawn):
            self.question_of(event.id)
            self.open_id = ''
        elif isinstance(event, Asked):
            self._check_asked(event)
            self.asked[event.id] = event
            self.open_id, self.heard_since = event.id, False
        elif isinstance(event, Undone):
            if event.id != next(reversed(self.given), None):
                raise JournalError(f'{event.id!r} is not the last answer, so it cannot have been '
                                   'taken back')
            del self.given[event.id]
            self.open_id, self.settled = '', False
        elif isinstance(event, Paused):
            self.paused = event.paused
        elif isinstance(event, Settled):
            self.settled = event.settled
            self.open_id = '' if event.settled else self.open_id
        else:
            self._check_given(event)
            self.given[event.id] = event
            if isinstance(event, DemonstrationRecord):
                self._shown[event.id] = question_before(event.answer)
            self.settled = self.settled and not isinstance(event, GROWTH)
            self.known[event.id] = None
            self.heard_since = True
            if event.id == self.open_id:
                self.open_id = ''
        self.times.follow(event)
        self.events.append(event)

    def history(self, sequence: int, stamp: int) -> HistoryRecord:
        """Return what the teacher has said so far, the last of it, as a person scrolls back."""
        last = list(self.given.values())[-MAX_REMEMBERED:]
        return HistoryRecord(self.session, sequence, len(self.given),
                             tuple(self._told(record) for record in last), stamp)

    def _meet(self, event: Met) -> None:
        if self.person or self.openings:
            raise JournalError('who teaches is said only once, when a lesson begins')
        self.person, self.earlier_answers = check_person(event.person), event.answers
        self.earlier_times = event.times

    def _start_from(self, event: TaughtBefore) -> None:
        if self.taught is not None or self.known or self.asked:
            raise JournalError('a lesson can start from what was taught before only once, and '
                               'before anything else')
        self.taught, self.settled = event.belief, event.settled
        for number, place in enumerate(event.places):
            record = PlaceRecord(f'taught-{number}', place, TAUGHT_BY, event.stamp)
            self.given[record.id] = record
            self.known[record.id] = None

    def _told(self, record: Given) -> HistoryEntry:
        """Return how an answer or a demonstration is told: without most of its steps, if many."""
        if isinstance(record, GROWTH):
            return HistoryEntry(record, said=step_of(record).words)
        world, asked, short = self._task.world, self.asked.get(record.id), _short(record.answer)
        said = answer_words(record.answer, world) if short == record.answer \
            or not isinstance(short, DemonstrationAnswer) else f'{answer_words(short, world)}, …'
        question = None if asked is None else QuestionRecord(
            asked.id, self.session, asked.number, asked.question, sentence(asked.question, world))
        correction = isinstance(record, DemonstrationRecord) and record.correction
        return HistoryEntry(AnswerRecord(record.id, short, record.by, record.stamp), question,
                            correction, said)

    def _check_asked(self, event: Asked) -> None:
        number = len(self.asked)
        if (event.id, event.number) != (self.id_of(number), number):
            raise JournalError(f'question {number} must have the id {self.id_of(number)!r}, got '
                               f'number {event.number} with the id {event.id!r}')
        event.question.check_fits(self._task.world.mdp)

    def id_of(self, number: int) -> str:
        """Return the id of a question of this lesson."""
        return f'{self.session}-{number}'

    def _check_given(self, event: Given) -> None:
        """Raise unless this can have been said here: asked and new, or known and replaced."""
        if isinstance(event, Revised):
            if event.id not in self.answers:
                raise JournalError(f'there is no answer {event.id!r} to be replaced')
        elif event.id in self.known:
            raise JournalError(f'what has the id {event.id!r} was said before')
        if isinstance(event, (DemonstrationRecord, *GROWTH)):
            if event.id in self.asked:
                raise JournalError(f'what was shown unasked has the id {event.id!r} of a question')
        elif event.id not in self._shown:       # what was shown may become any answer
            check_answers(self.question_of(event.id), event.answer)

    def _check_began(self, event: Began) -> None:
        if self.session:
            raise JournalError('a lesson begins only once')
        if not self._task.is_known_as(event.task_hash):
            raise JournalError(
                f'this lesson is about task {event.task_name!r} ({event.task_hash[:12]}), not '
                f'about {self._task.world.name!r} ({self._task.hash[:12]})')


def step_of(record: PlaceRecord | InventionRecord) -> Step:
    """Return by what the set of tasks grows."""
    return record.place if isinstance(record, PlaceRecord) else record.invention


def question_before(said: Unasked) -> Question:
    """Return the question that something shown or said unasked would have answered."""
    if isinstance(said, DemonstrationAnswer):
        return Question(QuestionKind.DEMONSTRATION, said.steps[0][0],
                        steps=min(len(said.steps), MAX_STEPS))
    return Question(QuestionKind.PLACE, 0 if isinstance(said, WordsAnswer) else said.states[0])


def _short(answer: Answer) -> Answer:
    """Return an answer without most of its steps, states or tasks, if they are many."""
    if isinstance(answer, DemonstrationAnswer):
        return DemonstrationAnswer(answer.steps[:MAX_STEPS_TOLD])
    if isinstance(answer, WordsAnswer):
        return replace(answer, tasks=answer.tasks[:MAX_STATES_TOLD])
    if isinstance(answer, (GoHereAnswer, NeverHereAnswer, OnTheWayAnswer)):
        return replace(answer, states=answer.states[:MAX_STATES_TOLD])
    return answer
