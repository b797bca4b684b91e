"""What a teacher can say. Unasked demonstrations are the same answers without a question."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Union

import numpy as np

from gbs_irl_ros.core.errors import InvalidAnswerError
from gbs_irl_ros.core.mdp import Mdp
from gbs_irl_ros.core.questions import Question, QuestionKind


@dataclass(frozen=True)
class ActionAnswer:
    """In this state, do this."""

    state: int
    action: int

    def check_fits(self, mdp: Mdp) -> None:
        """Raise unless the state and the action exist."""
        _check_step(mdp, self.state, self.action)


@dataclass(frozen=True)
class YesNoAnswer:
    """In this state, this action is right (yes) or wrong (no)."""

    state: int
    action: int
    yes: bool

    def check_fits(self, mdp: Mdp) -> None:
        """Raise unless the state and the action exist."""
        _check_step(mdp, self.state, self.action)
        if not isinstance(self.yes, (bool, np.bool_)):
            raise InvalidAnswerError(f'yes must be True or False, got {self.yes!r}')


@dataclass(frozen=True)
class RewardAnswer:
    """This state, or this action in it, is worth so much."""

    state: int
    reward: float
    action: int | None = None

    def check_fits(self, mdp: Mdp) -> None:
        """Raise unless the state and the action exist and the reward is a number."""
        mdp.check_state(self.state, InvalidAnswerError)
        if self.action is not None:
            mdp.check_action(self.action, InvalidAnswerError)
        if not isinstance(self.reward, (int, float, np.floating, np.integer)) \
                or isinstance(self.reward, bool) or not _is_finite(self.reward):
            raise InvalidAnswerError(f'reward must be a finite number, got {self.reward!r}')


@dataclass(frozen=True)
class DemonstrationAnswer:
    """
    In each of these states, do this.

    steps: (state, action) pairs, at least one.
    """

    steps: tuple[tuple[int, int], ...]

    def __post_init__(self) -> None:
        steps = tuple(tuple(step) for step in self.steps)
        for number, step in enumerate(steps):
            if len(step) != 2:
                raise InvalidAnswerError(
                    f'every step must be a pair (state, action): step {number} is {step}')
        object.__setattr__(self, 'steps', steps)
        if not steps:
            raise InvalidAnswerError('a demonstration must have at least one step, got none')

    def check_fits(self, mdp: Mdp) -> None:
        """Raise unless all states and actions exist."""
        for number, (state, action) in enumerate(self.steps):
            mdp.check_state(state, InvalidAnswerError, f'state of step {number}')
            mdp.check_action(action, InvalidAnswerError, f'action of step {number}')


@dataclass(frozen=True)
class AllTheSameAnswer:
    """In this state every action is as good as another."""

    state: int

    def check_fits(self, mdp: Mdp) -> None:
        """Raise unless the state exists."""
        mdp.check_state(self.state, InvalidAnswerError)


@dataclass(frozen=True)
class DontKnowAnswer:
    """The teacher cannot say: no information, and the question is not asked again."""

    question: Question

    def check_fits(self, mdp: Mdp) -> None:
        """Raise unless the question is about something that exists."""
        self.question.check_fits(mdp)


@dataclass(frozen=True)
class LaterAnswer:
    """Ask something else first: no information, and the question waits."""

    question: Question

    def check_fits(self, mdp: Mdp) -> None:
        """Raise unless the question is about something that exists."""
        self.question.check_fits(mdp)


Answer = Union[ActionAnswer, YesNoAnswer, RewardAnswer, DemonstrationAnswer, AllTheSameAnswer,
               DontKnowAnswer, LaterAnswer]


def check_answers(question: Question, answer: Answer) -> None:
    """
    Raise unless an answer is one to this question.

    Steps may be shown instead of any other answer, from wherever the teacher likes.
    """
    if isinstance(answer, DemonstrationAnswer):
        return
    if isinstance(answer, (DontKnowAnswer, LaterAnswer)):
        fits = answer.question == question
    else:
        asked = question.kind, question.state, question.action
        fits = asked in {
            ActionAnswer: [(QuestionKind.ACTION, answer.state, None)],
            AllTheSameAnswer: [(QuestionKind.ACTION, answer.state, None),
                               (QuestionKind.DEMONSTRATION, answer.state, None)],
            YesNoAnswer: [(QuestionKind.YES_NO, answer.state, getattr(answer, 'action', None))],
            RewardAnswer: [(QuestionKind.REWARD, answer.state, getattr(answer, 'action', None))],
        }[type(answer)]
    if not fits:
        raise InvalidAnswerError(f'{answer} does not answer {question}')


def _is_finite(number: float) -> bool:
    try:
        return math.isfinite(number)
    except OverflowError:       # an int that no float can hold
        return False


def _check_step(mdp: Mdp, state: object, action: object) -> None:
    mdp.check_state(state, InvalidAnswerError)
    mdp.check_action(action, InvalidAnswerError)
