"""How long the teacher took for each answer, from the events of a lesson."""

from __future__ import annotations

from typing import get_args

from gbs_irl_ros.core.answers import DontKnowAnswer, LaterAnswer, Unasked
from gbs_irl_ros.core.pace import Pace
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.learning.events import Asked, Event, Revised, Undone
from gbs_irl_ros.learning.records import AnswerRecord

BILLION = 1_000_000_000
READING_S = 0.5         # nobody reads a question faster: whoever answers sooner is a program
SHOWN_KINDS = (QuestionKind.PLACE, QuestionKind.DEMONSTRATION)      # answered by what may be shown


class AnswerTimes:
    """
    Adds up by ``follow``, event by event.

    A question during which anything else happened is left out: the lesson was opened again or
    paused, or something was said unasked, taken back or replaced. The first answer counts, also
    if it is replaced later; one that is taken back does not.

    seconds: of each answer, by the id of its question.
    """

    def __init__(self) -> None:
        self.seconds: dict[str, tuple[Question, float]] = {}
        self._open: Asked | None = None

    @property
    def pace(self) -> Pace:
        """Return how fast the teacher is, by this lesson alone."""
        return Pace().timed(self.seconds.values())

    def follow(self, event: Event) -> None:
        """Take in what happened."""
        asked, self._open = self._open, event if isinstance(event, Asked) else None
        if isinstance(event, Undone):
            self.seconds.pop(event.id, None)
        elif isinstance(event, AnswerRecord) and not isinstance(event, Revised) \
                and asked is not None and asked.id == event.id and _is_timed(asked, event):
            seconds = (event.stamp - asked.stamp) / BILLION
            if seconds >= READING_S:
                self.seconds[event.id] = (asked.question, seconds)

    def means(self) -> dict[str, tuple[int, float]]:
        """Return of each kind of question how many answers were timed, and their mean [s]."""
        kinds: dict[str, list[float]] = {}
        for question, seconds in self.seconds.values():
            kinds.setdefault(question.kind.value, []).append(seconds)
        return {kind: (len(each), sum(each) / len(each)) for kind, each in kinds.items()}


def _is_timed(asked: Asked, given: AnswerRecord) -> bool:
    """Tell whether an answer is one of the kind that was asked for."""
    if isinstance(given.answer, DontKnowAnswer | LaterAnswer):
        return False
    return asked.question.kind in SHOWN_KINDS or not isinstance(
        given.answer, get_args(Unasked))
