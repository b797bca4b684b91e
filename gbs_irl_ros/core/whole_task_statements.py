"""
Answers about a task as a whole as statements that are right or wrong under a policy.

With n right ones among K things that could be said, a teacher who is right says each of them with
probability 1/n, one who is wrong each of the others with 1/(K - n):

    go here            K: the places where tasks end, and one more for all that is none of them;
                       a region of several counts for all of them
    never here         K = 2: it is so, or not
    a task, none of    K: the tasks that are offered and "none of these"; right are those of the
    these              same name or the same policy, "none of these" if there are none
    a place, none of   the same for the places that are offered; of any place on the map, K as for
    these              "go here"
    this way or that   K = 3: the first, the second, either
    words              K: the tasks; those that the words fit are all said at once
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gbs_irl_ros.core.errors import InvalidAnswerError
from gbs_irl_ros.core.hypotheses import Hypotheses
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.core.said import Statement, truth_said
from gbs_irl_ros.core.task_answers import (
    EITHER_WAY,
    CompareAnswer,
    GoHereAnswer,
    NeverHereAnswer,
    NoneOfTheseAnswer,
    TaskAnswer,
    WordsAnswer,
)
from gbs_irl_ros.core.whole_tasks import (
    better_way,
    by_policy,
    ends_in,
    ends_in_each,
    keeps_off,
    named,
    named_by_words,
)


def statement_about(hypotheses: Hypotheses, answer: Any,
                    start: np.ndarray | None = None) -> Statement:
    """
    Return an answer about a whole task as a statement.

    :param start: ``[S]``, where the robot may start; None: anywhere.
    """
    rule = _RULES.get(type(answer))
    if rule is None:
        raise InvalidAnswerError(f'answer must be one about a whole task, got {answer!r}')
    return rule(hypotheses, answer, start)


def chosen_of(hypotheses: Hypotheses, question: Question) -> Statement:
    """
    Return everything that can be said to a question of many choices: ``[D, K]``.

    The last is "none of these", or "either way".
    """
    if question.kind is QuestionKind.COMPARE:
        return said_of_ways(hypotheses, better_way(hypotheses.mdp, hypotheses.rewards,
                                                   question.route, question.other_route))
    if question.kind is QuestionKind.TASK:
        right = np.stack([named(hypotheses, task) for task in question.options], axis=1)
    else:
        right = ends_in_each(hypotheses, question.options)
    return _choice(np.column_stack([right, ~right.any(axis=1)]))


def said_of_ways(hypotheses: Hypotheses, better: np.ndarray) -> Statement:
    """Return all answers to "this way or that?" for the better one under each reward ``[H]``."""
    return _choice(np.stack([by_policy(hypotheses, better == way)
                             for way in range(EITHER_WAY + 1)], axis=1))


def named_policy(hypotheses: Hypotheses, answer: Any) -> int | None:
    """Return the one policy that an answer names; None if it names none or several."""
    if not isinstance(answer, (TaskAnswer, GoHereAnswer, WordsAnswer)):
        return None
    right = np.flatnonzero(statement_about(hypotheses, answer).good)
    return int(right[0]) if len(right) == 1 else None


def _choice(right: np.ndarray) -> Statement:
    """Return all answers to a question for which of them are right: ``[D, K]``."""
    count = right.sum(axis=1, keepdims=True)
    others = right.shape[1] - count
    return Statement(np.where(others == 0, 0.0, right / np.maximum(count, 1)),
                     np.where(others == 0, 0.0, ~right / np.maximum(others, 1)),
                     np.where(others == 0, 1.0 / right.shape[1], np.zeros(right.shape)))


def _one_of(said: Statement, chosen: int) -> Statement:
    return Statement(*(part[:, chosen] for part in said))


def _go_here(hypotheses: Hypotheses, answer: GoHereAnswer, start: np.ndarray | None) -> Statement:
    right, places, inside = ends_in(hypotheses, answer.states)
    wrong = inside / max(places - 1, 1)
    return Statement(right.astype(float), np.where(right, 0.0, min(wrong, 1.0)),
                     np.zeros(right.shape))


def _never_here(hypotheses: Hypotheses, answer: NeverHereAnswer,
                start: np.ndarray | None) -> Statement:
    return truth_said(keeps_off(hypotheses, start, answer))


def _task(hypotheses: Hypotheses, answer: TaskAnswer, start: np.ndarray | None) -> Statement:
    return _one_of(chosen_of(hypotheses, answer.question),
                   answer.question.options.index(answer.task))


def _none_of_these(hypotheses: Hypotheses, answer: NoneOfTheseAnswer,
                   start: np.ndarray | None) -> Statement:
    return _one_of(chosen_of(hypotheses, answer.question), -1)


def _compare(hypotheses: Hypotheses, answer: CompareAnswer,
             start: np.ndarray | None) -> Statement:
    return _one_of(chosen_of(hypotheses, answer.question), answer.better)


def _words(hypotheses: Hypotheses, answer: WordsAnswer, start: np.ndarray | None) -> Statement:
    right = named_by_words(hypotheses, answer)
    count = int(right.sum())
    if count == len(right):
        return Statement(np.zeros(count), np.zeros(count), np.ones(count))
    return Statement(right / 1.0, ~right * (count / (len(right) - count)), np.zeros(right.shape))


_RULES: dict[type, Callable[[Hypotheses, Any, np.ndarray | None], Statement]] = {
    GoHereAnswer: _go_here,
    NeverHereAnswer: _never_here,
    TaskAnswer: _task,
    NoneOfTheseAnswer: _none_of_these,
    CompareAnswer: _compare,
    WordsAnswer: _words,
}
