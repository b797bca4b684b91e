"""A scale for "how good is this?": a few values to choose from, each with a word."""

from __future__ import annotations

import numpy as np

from gbs_irl_ros.core.answer_kind import Offer
from gbs_irl_ros.core.answers import RewardAnswer, answer_to
from gbs_irl_ros.core.questions import Question
from gbs_irl_ros.tasks.task import Task

MAX_MARKS = 7
DIGITS = 3          # of a value: rewards that differ less are one mark
NEITHER = 'neither good nor bad'
WORDS = {1: ('{}',), 2: ('{}', 'very {}'), 3: ('a little {}', '{}', 'very {}')}


def reward_scale(task: Task, question: Question) -> tuple[Offer, ...]:
    """
    Return what a teacher may say to a reward question, lowest first; keys are places on the scale.

    These are rewards that the tasks have there: all, if they are few. Where all tasks agree, the
    best and the worst of anywhere are offered too.
    """
    here = task.rewards.column(question.state, question.action)
    values = _rounded(here)
    if len(values) == 1:
        values = np.append(values, _rounded(_extremes(task)))
    values = np.unique(np.append(values, 0.0))
    if len(values) > MAX_MARKS:
        values = _spread(values)
    return tuple(
        Offer(answer_to(question, RewardAnswer.kind, reward=float(value)), str(number), label)
        for number, (value, label) in enumerate(zip(values, _labels(values), strict=True), 1))


def _rounded(values: np.ndarray) -> np.ndarray:
    return np.unique([float(f'{value:.{DIGITS}g}') for value in values])


def _extremes(task: Task) -> np.ndarray:
    """Return the worst and the best reward that any task has anywhere."""
    rewards = task.rewards
    representatives, _ = rewards.column_groups
    everywhere = rewards.columns(representatives)
    return np.array([everywhere.min(), everywhere.max()])


def _spread(values: np.ndarray) -> np.ndarray:
    """Return those of many values that lie nearest to evenly spaced ones on each side of 0."""
    half = MAX_MARKS // 2
    wanted = [*np.linspace(min(values[0], 0.0), 0.0, half + 1),
              *np.linspace(0.0, max(values[-1], 0.0), half + 1)]
    return np.unique([values[np.argmin(np.abs(values - value))] for value in wanted])


def _labels(values: np.ndarray) -> list[str]:
    bad, good = int(np.sum(values < 0.0)), int(np.sum(values > 0.0))
    return [*_words('bad', bad)[::-1], *[NEITHER] * int(np.sum(values == 0.0)),
            *_words('good', good)]


def _words(word: str, count: int) -> list[str]:
    """Return this many words, from nearly neutral to extreme."""
    if count <= 3:
        return [pattern.format(word) for pattern in WORDS.get(count, ())]
    return [f'{word} ({number} of {count})' for number in range(1, count + 1)]
