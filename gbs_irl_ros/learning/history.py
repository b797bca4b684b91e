"""What was said in a lesson, as it is shown to a person who scrolls back."""

from __future__ import annotations

from gbs_irl_ros.core.answers import Answer, DemonstrationAnswer
from gbs_irl_ros.learning.events import Asked
from gbs_irl_ros.learning.records import (
    AnswerRecord,
    DemonstrationRecord,
    HistoryEntry,
    QuestionRecord,
)
from gbs_irl_ros.learning.sentences import sentence
from gbs_irl_ros.tasks.world import World

MAX_REMEMBERED = 100       # entries in a history: more than a person scrolls through
MAX_STEPS_TOLD = 20        # of each demonstration in it


def history_entry(record: AnswerRecord | DemonstrationRecord, asked: Asked | None, session: str,
                  world: World) -> HistoryEntry:
    """
    Return how an answer or a demonstration is told.

    :param asked: the question it answers; None: it was given unasked.
    """
    short = _in_short(record.answer)
    said = short.words(world.appearance.action_names) + ('' if short == record.answer else ', …')
    question = None if asked is None else QuestionRecord(
        asked.id, session, asked.number, asked.question, sentence(asked.question, world))
    correction = isinstance(record, DemonstrationRecord) and record.correction
    return HistoryEntry(AnswerRecord(record.id, short, record.by, record.stamp), question,
                        correction, said)


def _in_short(answer: Answer) -> Answer:
    """Return an answer without most of its steps, if it has many."""
    return DemonstrationAnswer(answer.steps[:MAX_STEPS_TOLD]) \
        if isinstance(answer, DemonstrationAnswer) else answer
