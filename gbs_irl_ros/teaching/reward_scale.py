"""A scale for "how good is this?": a few values to choose from, each with a word."""

from __future__ import annotations

import numpy as np

from gbs_irl_ros.core.answer_kind import Offer
from gbs_irl_ros.core.answers import RewardAnswer, answer_to
from gbs_irl_ros.core.questions import Question
from gbs_irl_ros.languages.speaking import marked, tr
from gbs_irl_ros.tasks.task import Task

MAX_MARKS = 7
DIGITS = 3          # of a value: rewards that differ less are one mark
NEITHER = marked('neither good nor bad')
# From nearly neutral to extreme, as many as are needed; and where they are more than three.
GOOD = marked(('a little good', 'good', 'very good', 'good ({number} of {count})'))
BAD = marked(('a little bad', 'bad', 'very bad', 'bad ({number} of {count})'))
CHOSEN = {0: (), 1: (1,), 2: (1, 2), 3: (0, 1, 2)}      # of the first three


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
    return [*_words(BAD, bad)[::-1], *[tr(NEITHER)] * int(np.sum(values == 0.0)),
            *_words(GOOD, good)]


def _words(scale: tuple[str, ...], count: int) -> list[str]:
    """Return this many words, from nearly neutral to extreme."""
    if count in CHOSEN:
        return [tr(scale[place]) for place in CHOSEN[count]]
    return [tr(scale[-1], number=number, count=count) for number in range(1, count + 1)]
