"""
A lesson: a learner, the journal it is built from, and the question that is open.

Everything that happens is checked first, then written, then believed. So a lesson that is killed
at any moment and opened again is the same lesson: the same posterior, bit for bit, and the same
question with the same id.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from gbs_irl_ros.core.answers import DemonstrationAnswer, check_answers
from gbs_irl_ros.core.errors import (
    GbsIrlError,
    InvalidAnswerError,
    InvalidPlaceError,
    InvalidQuestionError,
)
from gbs_irl_ros.core.learner import Learner
from gbs_irl_ros.core.queries.information_gain import ON_THE_WAY
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.languages.speaking import tr
from gbs_irl_ros.learning.as_meant import Said, as_meant, named_task
from gbs_irl_ros.learning.beginning import (
    FROM_NOTHING,
    Beginning,
    as_begun,
    at_pace,
    first_events,
    with_person,
)
from gbs_irl_ros.learning.events import (
    Asked,
    Changed,
    Event,
    Opened,
    Paused,
    Revised,
    Settled,
    Undone,
    Withdrawn,
    event_to_json,
)
from gbs_irl_ros.learning.growth import GrowingTask, PlannedStep
from gbs_irl_ros.learning.journal import Journal, JournalError
from gbs_irl_ros.learning.labels import labelled
from gbs_irl_ros.learning.lesson_facts import LessonFacts
from gbs_irl_ros.learning.lesson_state import GROWTH, LessonState, step_of
from gbs_irl_ros.learning.meaning import Understood
from gbs_irl_ros.learning.question_mix import QuestionMix
from gbs_irl_ros.learning.records import AnswerRecord, DemonstrationRecord, QuestionRecord
from gbs_irl_ros.learning.rivals import rivals
from gbs_irl_ros.learning.sentences import sentence
from gbs_irl_ros.tasks.growth import Step
from gbs_irl_ros.tasks.shown_place import Place
from gbs_irl_ros.tasks.task import Task

LIKELY = 0.5        # from here on a task is what is spoken of, even if it was not named
WHAT_TO_DO = (QuestionKind.ACTION, QuestionKind.YES_NO, QuestionKind.DEMONSTRATION)


class Lesson(LessonFacts):
    """
    One lesson: what happens in it.

    is_of_earlier_version: it was begun by one that did not know all of a learner's caution.
    """

    def __init__(self, task: Task, learner: Learner, journal: Journal, *, stamp: int,
                 asking: QuestionMix | None = None, settings: dict[str, Any] | None = None,
                 beginning: Beginning = FROM_NOTHING) -> None:
        """
        Open a lesson, beginning it if the journal is empty.

        One that an earlier version began continues as it would have then.

        :param learner: without any answers; those of the journal are told to it.
        :param settings: what to remember of how it was opened.
        :param beginning: what a lesson that begins now is given.
        """
        self.asking = asking or QuestionMix()
        self.open_question = None
        self.outlook = None
        self._task = task
        self._journal = journal
        self._reports = 0
        self._finished = None       # None: not looked since the last change
        self._asked_about = ('', -1)    # the last question for a robot on its way, and its place
        self._left_at: int | None = None    # the place, if the teacher said that this is enough
        self._past = LessonState.of(task, journal)
        for event in first_events(self._past, task, learner, beginning, stamp):
            self._record(event)
        begun, self.asking = as_begun(learner, self.asking, self._past.settings)
        self.is_of_earlier_version = (begun.caution, begun.strategy) != (
            learner.caution, learner.strategy)
        learner = self._plain = with_person(begun, self._past)
        self._growing = GrowingTask(task, self._past.taught)
        try:
            self.learner = self._taught(learner)
        except GbsIrlError as error:
            raise JournalError(f'{journal.path}: its answers do not fit the settings of the '
                               f'learner: {error}') from error
        self._record(Opened(stamp, settings or {}))
        self._reopen_question()

    @classmethod
    def open(cls, task: Task, learner: Learner, path: Path, *, stamp: int,
             asking: QuestionMix | None = None, settings: dict[str, Any] | None = None,
             beginning: Beginning = FROM_NOTHING) -> Lesson:
        """Open the lesson of a file, which is made if there is none."""
        journal = Journal(path)
        try:
            return cls(task, learner, journal, stamp=stamp, asking=asking, settings=settings,
                       beginning=beginning)
        except BaseException:
            journal.close()
            raise

    # ---- what happens ---------------------------------------------------------------------------

    def ask(self, stamp: int, current_state: int | None = None) -> QuestionRecord | None:
        """Return the open question, opening one if there is none; None: it knows enough."""
        if self.open_question is None and self.paused:
            self._finished = self._past.settled or self.learner.stop_reason is not None
        elif self.open_question is None:
            enough = self._past.settled and not self.learner.nothing_fits
            question = None if enough else self.asking.next_question(
                at_pace(self.learner, self._past), len(self._past.asked), current_state)
            self._finished = question is None
            if question is not None:
                self._open(question, stamp)
        return self.open_question

    def ask_about(self, state: int, stamp: int) -> QuestionRecord:
        """
        Return a question about this state, which is now the open one.

        Where the teacher could not say what to do there, or has just said it, another question
        that helps to find the way from there. Raises if there is none, while nothing fits, as a
        robot that is sure of nothing would ask for ever, and where the teacher has said instead of
        an answer that this is good enough, until something else is said or asked for.
        """
        state = self._task.world.mdp.check_state(state, InvalidQuestionError)
        self._check_something_fits()
        if state == self._left_at:
            raise InvalidQuestionError(tr(
                'instead of saying what to do {where}, you have said that this is good enough: '
                'say it, or have more questions asked', where=self.world.where(state)))
        self._left_at = None
        wanted = labelled(self._question_at(state), self.learner, self.world)
        if self.open_question is None or self.open_question.question != wanted:
            self._open(wanted, stamp)
        assert self.open_question is not None
        self._asked_about = self.open_question.id, state
        return self.open_question

    def question_of(self, question_id: str) -> Question:
        """Return what an id is about; raise if it was neither asked nor shown."""
        return self._past.question_of(question_id)

    def take(self, record: AnswerRecord) -> bool:
        """Believe an answer; return False if it is known already. Raise if it is unusable."""
        question = self.question_of(record.id)
        if record.id in self._past.known:
            return False
        learner = self.learner.tell(record.answer)
        check_answers(question, record.answer)
        self._record(record)
        self._believe(self._together(learner), closes=record.id)
        return True

    def watch(self, record: DemonstrationRecord) -> bool:
        """
        Believe what was shown or said unasked; return False if it is known already.

        After what is said of the whole task another question may be better than the open one, and
        steps through the place that is asked about answer it.
        """
        if record.id in self._past.known:
            return False
        if record.id in self._past.asked:
            raise InvalidAnswerError(
                f'a demonstration must have an id of its own, got that of question {record.id!r}')
        learner = self.learner.tell(record.answer)
        self._record(record)
        self._believe(self._together(learner))
        if not isinstance(record.answer, DemonstrationAnswer) or self._is_shown(record.answer):
            self._withdraw()
        return True

    def plan_place(self, place: Place) -> PlannedStep | Understood:
        """
        Return what a place says, or plan for the tasks that it adds; raise if it is of no use.

        It changes nothing, and may run beside everything else: it takes longer than a question.
        """
        named = named_task(self._said, self.learner.task.hypotheses, self.world)
        if named is None and self.learner.certainty >= LIKELY:
            named = self.learner.most_probable_reward
        return self._growing.planned(place, self.learner, self._plain, self._past.places, named)

    def plan_invention(self) -> PlannedStep:
        """Think of other tasks and plan for them, beside everything else as ``plan_place``."""
        return self._growing.imagined(self.learner, self._plain, self._past.places)

    def show_place(self, known_as: str, planned: PlannedStep | Understood, stamp: int,
                   by: str = '') -> bool:
        """Believe a place, or allow for the tasks that it adds; return False if it is known."""
        if known_as in self._past.known:
            return False
        if isinstance(planned, Understood):
            self.watch(planned.record(known_as, by, stamp))
        else:
            self._grow(known_as, planned, stamp, by)
        if self.open_question is not None:      # others are rivals now
            self.open_question = self._question_record(self._past.asked[self.open_question.id])
        return True

    def withdraw(self, question_id: str) -> None:
        """Ask this no longer; if it is chosen again, it gets another id."""
        if self.open_question is not None and self.open_question.id == question_id:
            self._withdraw()

    def undo(self, stamp: int) -> str:
        """Take back the last answer, demonstration or place; return its id."""
        last = next(reversed(self._past.given), '')
        if isinstance(self._past.given.get(last), GROWTH):
            learner = self._taught(self._plain, self._past.places[:-1])
        else:
            learner = self.learner.undo()
        self._record(Undone(last, stamp))
        self.open_question = None
        self._believe(self._together(learner))
        return last

    def revise(self, record: AnswerRecord) -> None:
        """Replace an earlier answer."""
        if record.id not in self.answers:
            raise InvalidAnswerError(
                f'no answer with the id {record.id!r} counts in this lesson, so none can be '
                f'replaced; the last ids are {list(self.answers)[-3:]}')
        learner = self.learner.revise(list(self.answers).index(record.id), record.answer)
        if record.id in self._past.asked:
            check_answers(self.question_of(record.id), record.answer)
        self._record(Revised(record.id, record.answer, record.by, record.stamp))
        self._believe(self._together(learner))

    def use(self, learner: Learner, asking: QuestionMix, stamp: int,
            settings: dict[str, Any] | None = None) -> None:
        """Go on with other settings: a learner without answers, and other kinds of question."""
        learner = with_person(learner, self._past)
        taught = self._taught(learner)
        self._record(Changed(stamp, settings or {}))
        self.asking, self.open_question, self._plain = asking, None, learner
        self._believe(taught)

    def pause(self, paused: bool, stamp: int) -> None:
        """Stop asking for the moment, or resume, even if it was enough."""
        if paused != self.paused:
            self._record(Paused(paused, stamp))
        if not paused:
            self._left_at = None
            if self._past.settled:
                self._settle(False, stamp)

    def finish(self, stamp: int) -> None:
        """
        Ask nothing more: the teacher says that this is good enough.

        Raises while nothing fits: nobody means what the robot would do.
        """
        self._check_something_fits()
        if self.paused:
            self._record(Paused(False, stamp))
        if not self._past.settled or self.open_question is not None:
            asked_about, state = self._asked_about
            if self.open_question is not None and self.open_question.id == asked_about:
                self._left_at = state
            self._settle(True, stamp)

    def check_journal(self) -> None:
        """Raise unless everything that counts is still on disk under its name."""
        self._journal.check()

    def close(self) -> None:
        """Release the journal."""
        self._journal.close()

    def put_aside(self) -> Path:
        """Close the lesson and rename its journal, to begin another; return the new name."""
        return self._journal.put_aside(self.session)

    # ---- inside ---------------------------------------------------------------------------------

    def _check_something_fits(self) -> None:
        if self.learner.nothing_fits:
            raise GbsIrlError(self.standing.misfit_text)

    def _is_shown(self, shown: DemonstrationAnswer) -> bool:
        """Tell whether what to do at the place of the open question has just been shown."""
        return self.open_question is not None \
            and self.open_question.question.kind in WHAT_TO_DO \
            and self.open_question.question.state in {state for state, _ in shown.steps}

    def _question_at(self, state: int) -> Question:
        """Return what to ask of the way from a state: never what was answered already."""
        what_to_do = Question(QuestionKind.ACTION, state)
        if what_to_do not in self.learner.situation.closed:
            return what_to_do
        learner = at_pace(self.learner, self._past)
        strategy: Any = learner.strategy
        if hasattr(strategy, 'where'):
            learner = replace(learner, strategy=replace(strategy, where=ON_THE_WAY))
        another = self.asking.next_question(learner, len(self._past.asked), state)
        if another is None:
            raise InvalidQuestionError(tr(
                'you have answered what to do {where}, and no other question would tell more '
                'about the way from there', where=self.world.where(state)))
        return another

    def _taught(self, plain: Learner, places: tuple[Step, ...] | None = None) -> Learner:
        """Return a learner of the listed tasks with what places add, and all answers."""
        shown = self._past.places if places is None else places
        return self._together(self._growing.learner(plain, shown).replay(self.answers.values()))

    @property
    def _said(self) -> list[Said]:
        return [step_of(record) if isinstance(record, GROWTH) else record.answer
                for record in self._past.given.values()]

    def _together(self, learner: Learner) -> Learner:
        """Return a learner that takes all that counts as it is meant together."""
        meant = as_meant(self._said, learner.task.hypotheses, self.world)
        return learner if learner.answers == meant else learner.replay(meant)

    def _grow(self, known_as: str, planned: PlannedStep, stamp: int, by: str) -> None:
        if known_as in self._past.asked:
            raise InvalidPlaceError(
                f'a place must have an id of its own, got that of question {known_as!r}')
        learner = planned.caught_up(tuple(self.answers.values()), self._past.places, self._plain)
        self._record(planned.record(known_as, by, stamp))
        self._believe(self._together(learner))

    def _settle(self, settled: bool, stamp: int) -> None:
        self._record(Settled(settled, stamp))
        self._finished = None
        if settled:
            self._withdraw()

    def _open(self, question: Question, stamp: int) -> None:
        number, question = len(self._past.asked), labelled(question, self.learner, self.world)
        asked = Asked(self._past.id_of(number), number, question, stamp)
        # Not durable: the next answer is, and with it everything before it.
        self._record(asked, durable=False)
        self.open_question = self._question_record(asked)
        self._finished = False

    def _reopen_question(self) -> None:
        """Ask again what was open when the lesson was last closed, with the same id."""
        past = self._past
        if past.open_id and not (past.heard_since and self.learner.stop_reason is not None):
            self.open_question = self._question_record(past.asked[past.open_id])
            self._finished = False

    def _question_record(self, asked: Asked) -> QuestionRecord:
        return QuestionRecord(
            asked.id, self.session, asked.number, asked.question,
            sentence(asked.question, self.world), rivals(self.learner, asked.question))

    def _believe(self, learner: Learner, closes: str = '') -> None:
        self.learner = learner
        self._finished = self._left_at = None
        if self.open_question is None:
            return
        if self.open_question.id == closes:
            self.open_question = None
        elif learner.stop_reason is not None:
            self._withdraw()

    def _withdraw(self) -> None:
        """Wait no longer for the answer to the open question, if there is one."""
        if self.open_question is not None:
            withdrawn, self.open_question = self.open_question.id, None
            self._record(Withdrawn(withdrawn), durable=False)

    def _record(self, event: Event, *, durable: bool = True) -> None:
        self._journal.append(event_to_json(event), durable=durable)
        self._past.follow(event)
