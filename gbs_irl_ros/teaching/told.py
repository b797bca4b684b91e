"""
What a learner says, in the language that is spoken here.

Its messages are codes and data, and the sentences that they make in English. For a person who
reads another language the sentences are made again, of the same codes and data.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from gbs_irl_ros.core.answers import DemonstrationAnswer
from gbs_irl_ros.core.questions import QuestionKind
from gbs_irl_ros.core.stopping import DoneReason
from gbs_irl_ros.languages.catalogue import ENGLISH
from gbs_irl_ros.languages.recognising import said_again
from gbs_irl_ros.languages.speaking import language, tr
from gbs_irl_ros.learning.lesson_state import step_of
from gbs_irl_ros.learning.records import (
    AnswerRecord,
    BeliefRecord,
    HistoryEntry,
    QuestionRecord,
    Rival,
    Status,
)
from gbs_irl_ros.learning.sentences import answer_words, done_text, sentence
from gbs_irl_ros.tasks.task import Task
from gbs_irl_ros.tasks.translated import said_name
from gbs_irl_ros.tasks.world import World

CUT = ', …'         # behind an answer of which only the beginning is told


def question_text(record: QuestionRecord, world: World | None) -> str:
    """Return a question as a person reads it."""
    return record.sentence if world is None or language() == ENGLISH \
        else sentence(record.question, world)


def said_text(entry: HistoryEntry, world: World | None) -> str:
    """Return what the teacher said."""
    if world is None or language() == ENGLISH:
        return entry.said
    if not isinstance(entry.answer, AnswerRecord):
        return step_of(entry.answer).words
    answer = entry.answer.answer
    is_cut = isinstance(answer, DemonstrationAnswer) and entry.said.endswith(CUT)
    return f'{answer_words(answer, world)}{CUT if is_cut else ""}'


@lru_cache(maxsize=8)
def relabelled(record: QuestionRecord | None, task: Task) -> QuestionRecord | None:
    """Return a question whose options and rivals are called as the task calls them."""
    if record is None:
        return None
    question, names = record.question, task.candidates.names
    if question.labels and question.kind is QuestionKind.TASK:
        labels = tuple(names[option] if option < len(names) else label for option, label
                       in zip(question.options, question.labels, strict=True))
    else:
        labels = tuple(map(tr, question.labels))        # names of places
    rivals = tuple(replace(rival, name=said_name(rival.name), answer=said_name(rival.answer))
                   for rival in record.rivals)
    return replace(record, question=replace(question, labels=labels), rivals=rivals)


def rival_text(rival: Rival) -> str:
    """Return what a task would answer: a name, or one of the answers of the catalogue."""
    return tr(rival.answer)


def status_text(belief: BeliefRecord) -> str:
    """Return what the learner says of itself: why it is done, or what is wrong."""
    if language() == ENGLISH or belief.status is not Status.DONE:
        return said_again(belief.status_text, said_name)
    return _why_done(belief)


def _why_done(belief: BeliefRecord) -> str:
    reason = belief.reason if belief.reason is not DoneReason.NO_REASON \
        else DoneReason.NOTHING_TO_ASK
    return done_text(reason, belief.reason_value)


def claim_text(belief: BeliefRecord) -> str:
    """Return what the stop rule promises; in other languages, with what it was reached."""
    if language() == ENGLISH or not belief.claim:
        return belief.claim
    why = _why_done(belief)
    return f'{why[:1].upper()}{why[1:]}.'
