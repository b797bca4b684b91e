"""What is known of a lesson, and told of it: all of it is read, nothing changed."""

from __future__ import annotations

from pathlib import Path

from gbs_irl_ros.core.answers import Answer
from gbs_irl_ros.core.learner import Learner
from gbs_irl_ros.core.theory.forecast import Outlook
from gbs_irl_ros.learning.journal import Journal
from gbs_irl_ros.learning.lesson_state import LessonState
from gbs_irl_ros.learning.records import (
    BeliefRecord,
    HistoryRecord,
    PolicyRecord,
    QuestionRecord,
    Status,
)
from gbs_irl_ros.learning.standing import Standing
from gbs_irl_ros.tasks.task import Task
from gbs_irl_ros.tasks.world import World

MAX_ACKNOWLEDGED = 1000    # ids in a belief: a teacher's node keeps far fewer waiting
SEQUENCES_PER_OPENING = 1 << 32


class LessonFacts:
    """
    What a lesson says of itself.

    learner: what is believed now.
    open_question: what the teacher is being asked, None if nothing.
    outlook: how simulated lessons like this one went, None as long as nobody has looked.
    """

    learner: Learner
    open_question: QuestionRecord | None
    outlook: Outlook | None
    _task: Task
    _journal: Journal
    _past: LessonState
    _reports: int
    _finished: bool | None

    @property
    def session(self) -> str:
        """Return the name of this lesson, the same however often it is opened."""
        return self._past.session

    @property
    def paused(self) -> bool:
        """Tell whether nothing is asked for the moment."""
        return self._past.paused

    @property
    def standing(self) -> Standing:
        """Return how the lesson stands."""
        return Standing(self.learner, self._past, self.open_question, self._finished,
                        self._journal.problem, self.outlook)

    @property
    def status(self) -> Status:
        """Return what is going on."""
        return self.standing.status

    @property
    def status_text(self) -> str:
        """Return what is going on, as a person reads it, and what to do next."""
        return self.standing.text

    @property
    def sequence(self) -> int:
        """Return the number of the last report; it rises even when the lesson is opened again."""
        return self._past.openings * SEQUENCES_PER_OPENING + self._reports

    @property
    def path(self) -> Path:
        """Where the journal is."""
        return self._journal.path

    @property
    def world(self) -> World:
        """Return the world it is about."""
        return self._task.world

    @property
    def num_questions(self) -> int:
        """How many questions were asked."""
        return len(self._past.asked)

    @property
    def acknowledged(self) -> tuple[str, ...]:
        """Return the ids of the last that are on disk, those that were taken back included."""
        return tuple(self._past.known)[-MAX_ACKNOWLEDGED:]

    @property
    def answers(self) -> dict[str, Answer]:
        """Return the answers and demonstrations that count, by id."""
        return self._past.answers

    def history(self, stamp: int) -> HistoryRecord:
        """Return what the teacher has said so far, the last of it."""
        return self._past.history(self.sequence, stamp)

    def report(self, stamp: int, certificate: str = '') -> tuple[PolicyRecord, BeliefRecord]:
        """Return what the robot may obey and what everybody may know, with a new number."""
        self._reports += 1
        standing = self.standing
        return (standing.policy(self._task.hash, self.sequence, stamp),
                standing.belief(self._task.hash, self.sequence, stamp, self.acknowledged,
                                certificate))
