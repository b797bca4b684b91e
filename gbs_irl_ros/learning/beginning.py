"""How a lesson begins: with nothing but its task, or with what is known from earlier lessons."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gbs_irl_ros.core.learner import Learner
from gbs_irl_ros.core.queries import make_strategy
from gbs_irl_ros.core.queries.bits_per_second import BitsPerSecondQuery
from gbs_irl_ros.learning.doubts import known_caution
from gbs_irl_ros.learning.events import Began, Event, Met, TaughtBefore
from gbs_irl_ros.learning.lesson_state import LessonState
from gbs_irl_ros.learning.person import Profile, earlier_counts
from gbs_irl_ros.learning.question_mix import DEFAULT_STEPS, QuestionMix, read_kinds
from gbs_irl_ros.learning.taught import load_taught
from gbs_irl_ros.learning.transfer import transferred
from gbs_irl_ros.learning.written_options import read_options
from gbs_irl_ros.tasks.task import Task


@dataclass(frozen=True)
class Beginning:
    """
    What a lesson that begins now is given; one that is opened again has it in its journal.

    taught: file with what was taught before, None for nothing.
    teacher: what is known of the person who teaches, None for nothing.
    """

    taught: Path | None = None
    teacher: Profile | None = None


FROM_NOTHING = Beginning()
KNOWS_KINDS = 'disliked_kinds'       # a setting of those who can choose the kind of each question


def first_events(past: LessonState, task: Task, learner: Learner, beginning: Beginning,
                 stamp: int) -> Iterator[Event]:
    """
    Yield what happens before a lesson is opened for the first time; each must happen at once.

    :param past: what has happened so far, which these events change.
    """
    if not past.session:
        yield Began(uuid.uuid4().hex[:12], task.hash, task.world.name, stamp)
    if past.openings:
        return
    teacher = beginning.teacher
    if teacher is not None and not past.person and (
            learner.caution.error_rates is not None or has_pace(learner)):
        yield Met(teacher.person, teacher.answers, stamp, teacher.times)
    if beginning.taught is not None and past.taught is None:
        start = transferred(load_taught(beginning.taught), learner, task)
        yield TaughtBefore(start.belief, start.places, start.settled, stamp)


def has_pace(learner: Learner) -> bool:
    """Tell whether a learner asks by what an answer costs the person."""
    return isinstance(learner.strategy, BitsPerSecondQuery)


def at_pace(learner: Learner, past: LessonState) -> Learner:
    """Return a learner that asks by how long this person takes, if it asks by that."""
    if not isinstance(learner.strategy, BitsPerSecondQuery):
        return learner
    pace = past.pace(learner.strategy.pace.way)
    return learner if pace == learner.strategy.pace \
        else replace(learner, strategy=replace(learner.strategy, pace=pace))


def as_begun(learner: Learner, asking: QuestionMix,
             settings: dict[str, Any]) -> tuple[Learner, QuestionMix]:
    """
    Return a learner, and what it asks, as the version that began a lesson would have had it.

    :param settings: of the lesson, {} if they are not known.
    """
    learner = replace(learner, caution=known_caution(settings, learner.caution)).replay(())
    if not settings or KNOWS_KINDS in settings or not has_pace(learner):
        return learner, asking
    strategy = make_strategy(settings.get('strategy', 'gbs'),
                             **read_options(settings.get('strategy_options', '')))
    return replace(learner, strategy=strategy), QuestionMix(
        read_kinds(settings.get('question_kinds', '')),
        settings.get('demonstration_steps', DEFAULT_STEPS))


def with_person(learner: Learner, past: LessonState) -> Learner:
    """Return a learner without answers that expects errors as often as this person made them."""
    rates = learner.caution.error_rates
    if rates is None or not past.earlier_answers:
        return learner
    earlier = earlier_counts(past.earlier_answers)
    caution = replace(learner.caution, error_rates=replace(rates, earlier=earlier))
    return replace(learner, caution=caution).replay(())
