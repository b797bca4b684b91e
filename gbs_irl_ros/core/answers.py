"""
The table of answers: everything that a teacher can say, each kind once.

A kind of answer is a class that is listed in ``Answer``. It says its name, which questions it
fits, which of its fields the teacher gives (the question has the others), its words, and the keys
and buttons that give it. Journals, messages, the page and the terminal read all that here; the
likelihood is in ``core.likelihoods``. What is shown or said unasked (``Unasked``) are the same
answers without a question.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Union, get_args

import numpy as np

from gbs_irl_ros.core.answer_kind import AnswerKind, Offer, check_bool, check_step, is_finite
from gbs_irl_ros.core.errors import InvalidAnswerError, UnknownNameError
from gbs_irl_ros.core.mdp import Mdp
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.core.task_answers import (
    CompareAnswer,
    GoHereAnswer,
    NeverHereAnswer,
    NoneOfTheseAnswer,
    OnTheWayAnswer,
    TaskAnswer,
    WordsAnswer,
)
from gbs_irl_ros.languages.speaking import figures, marked, tr

__all__ = [
    'ANSWER_KEYS', 'KINDS', 'RATED_KINDS', 'ActionAnswer', 'AllTheSameAnswer', 'Answer',
    'CompareAnswer', 'ConfirmAnswer', 'DemonstrationAnswer', 'DontKnowAnswer', 'EitherAnswer',
    'GoHereAnswer', 'LaterAnswer', 'NeverHereAnswer', 'NoneOfTheseAnswer', 'Offer',
    'OnTheWayAnswer', 'RewardAnswer', 'TaskAnswer', 'Unasked', 'WordsAnswer', 'WrongHereAnswer',
    'YesNoAnswer', 'answer_naming', 'answer_to', 'check_answers', 'offers', 'rated_kind']


@dataclass(frozen=True)
class ActionAnswer(AnswerKind):
    """In this state, do this."""

    kind = 'action'
    fits = (QuestionKind.ACTION,)
    given = ('action',)
    has_rate = True

    state: int
    action: int

    def check_fits(self, mdp: Mdp) -> None:
        """Raise unless the state and the action exist."""
        check_step(mdp, self.state, self.action)

    def words(self, action_names: Sequence[str]) -> str:
        """Return the name of the action."""
        return action_names[self.action]

    @classmethod
    def offers(cls, question: Question, action_names: Sequence[str],
               action_keys: Sequence[str]) -> list[Offer]:
        """Return one for each action."""
        return [Offer(cls(question.state, action), key, name, action=action)
                for action, (key, name) in enumerate(zip(action_keys, action_names, strict=True))]


@dataclass(frozen=True)
class YesNoAnswer(AnswerKind):
    """In this state, this action is right (yes) or wrong (no)."""

    kind = 'yes_no'
    fits = (QuestionKind.YES_NO,)
    given = ('yes',)
    has_rate = True
    by_key = (('y', marked('yes'), '', {'yes': True}), ('n', marked('no'), '', {'yes': False}))

    state: int
    action: int
    yes: bool

    def check_fits(self, mdp: Mdp) -> None:
        """Raise unless the state and the action exist."""
        check_step(mdp, self.state, self.action)
        check_bool('yes', self.yes)

    def words(self, action_names: Sequence[str]) -> str:
        """Return yes or no."""
        return tr('yes') if self.yes else tr('no')


@dataclass(frozen=True)
class RewardAnswer(AnswerKind):
    """This state, or this action in it, is worth this much."""

    kind = 'reward'
    fits = (QuestionKind.REWARD,)
    given = ('reward',)

    state: int
    reward: float
    action: int | None = None

    def check_fits(self, mdp: Mdp) -> None:
        """Raise unless the state and the action exist and the reward is a number."""
        mdp.check_state(self.state, InvalidAnswerError)
        if self.action is not None:
            mdp.check_action(self.action, InvalidAnswerError)
        if not isinstance(self.reward, (int, float, np.floating, np.integer)) \
                or isinstance(self.reward, bool) or not is_finite(self.reward):
            raise InvalidAnswerError(f'reward must be a finite number, got {self.reward!r}')

    def words(self, action_names: Sequence[str]) -> str:
        """Return the number."""
        return figures(self.reward, '.3g')


@dataclass(frozen=True)
class DemonstrationAnswer(AnswerKind):
    """
    In each of these states, do this. It may be shown instead of any other answer.

    steps: (state, action) pairs, at least one, from wherever the teacher likes.
    """

    kind = 'demonstration'
    fits = tuple(QuestionKind)
    given = ('steps',)
    has_rate = True

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

    def words(self, action_names: Sequence[str]) -> str:
        """Return the names of the actions."""
        return ', '.join(action_names[action] for _, action in self.steps)


@dataclass(frozen=True)
class AllTheSameAnswer(AnswerKind):
    """In this state every action is as good as another."""

    kind = 'all_the_same'
    fits = (QuestionKind.ACTION, QuestionKind.DEMONSTRATION)
    aside = True
    has_rate = True
    by_key = (('=', marked('any direction is fine'),
               marked('any direction is fine: every action is as good as another there'), {}),)

    state: int

    def check_fits(self, mdp: Mdp) -> None:
        """Raise unless the state exists."""
        mdp.check_state(self.state, InvalidAnswerError)

    def words(self, action_names: Sequence[str]) -> str:
        """Return it as it is said."""
        return tr('any direction is fine')


@dataclass(frozen=True)
class EitherAnswer(AnswerKind):
    """
    In this state, each of these is right.

    actions: different ones, at least two and not all that there are; kept in rising order.
    """

    kind = 'either'
    fits = (QuestionKind.ACTION,)
    given = ('actions',)
    has_rate = True

    state: int
    actions: tuple[int, ...]

    def __post_init__(self) -> None:
        actions = tuple(sorted(self.actions))
        object.__setattr__(self, 'actions', actions)
        if len(actions) < 2:
            raise InvalidAnswerError(
                f'an answer of kind {self.kind!r} must name at least two actions, '
                f'got {list(actions)}')
        if len(set(actions)) < len(actions):
            raise InvalidAnswerError(
                f'the actions of an answer of kind {self.kind!r} must differ, got {list(actions)}')

    def check_fits(self, mdp: Mdp) -> None:
        """Raise unless the state and the actions exist, and there are others."""
        for action in self.actions:
            check_step(mdp, self.state, action)
        if len(self.actions) == mdp.num_actions:
            raise InvalidAnswerError(
                f'an answer of kind {self.kind!r} must not name all {mdp.num_actions} actions: '
                f'that is {AllTheSameAnswer.kind!r}')

    def words(self, action_names: Sequence[str]) -> str:
        """Return the names of the actions."""
        *first, last = (action_names[action] for action in self.actions)
        return tr('{first} or {last}', first=', '.join(first), last=last)


@dataclass(frozen=True)
class DontKnowAnswer(AnswerKind):
    """The teacher cannot say: no information, and the question is not asked again."""

    kind = 'dont_know'
    fits = tuple(QuestionKind)
    aside = True
    by_key = (('i', marked("don't know"), marked('I do not know: this is not asked again'), {}),)

    question: Question

    def check_fits(self, mdp: Mdp) -> None:
        """Raise unless the question is about something that exists."""
        self.question.check_fits(mdp)

    def words(self, action_names: Sequence[str]) -> str:
        """Return it as it is said."""
        return tr("I don't know")


@dataclass(frozen=True)
class LaterAnswer(AnswerKind):
    """Ask something else first: no information, and the question waits."""

    kind = 'later'
    fits = tuple(QuestionKind)
    aside = True
    by_key = (('l', marked('later'), marked('ask me later: something else is asked first'), {}),)

    question: Question

    def check_fits(self, mdp: Mdp) -> None:
        """Raise unless the question is about something that exists."""
        self.question.check_fits(mdp)

    def words(self, action_names: Sequence[str]) -> str:
        """Return it as it is said."""
        return tr('ask me later')


@dataclass(frozen=True)
class ConfirmAnswer(AnswerKind):
    """What the robot would do is what is meant (yes) or not (no)."""

    kind = 'confirm'
    fits = (QuestionKind.CONFIRM,)
    given = ('yes',)
    by_key = (('y', marked('yes'), marked('yes: this is what I mean'), {'yes': True}),
              ('n', marked('no'), marked('no: I mean something else'), {'yes': False}))

    question: Question
    yes: bool

    def check_fits(self, mdp: Mdp) -> None:
        """Raise unless the route exists."""
        self.question.check_fits(mdp)
        check_bool('yes', self.yes)

    def words(self, action_names: Sequence[str]) -> str:
        """Return it as it is said."""
        return tr('yes, that is it') if self.yes else tr('no, not like that')


@dataclass(frozen=True)
class WrongHereAnswer(AnswerKind):
    """
    What the robot would do is almost right: in this place it is wrong.

    place: a state on the route that was to be confirmed.
    """

    kind = 'wrong_here'
    fits = (QuestionKind.CONFIRM,)
    given = ('place',)

    question: Question
    place: int

    def check_fits(self, mdp: Mdp) -> None:
        """Raise unless the route exists and the place is on it."""
        self.question.check_fits(mdp)
        if self.place not in dict(self.question.route):
            raise InvalidAnswerError(
                f'place must be a state of the route, got {self.place}; the route is '
                f'{[state for state, _ in self.question.route]}')

    def words(self, action_names: Sequence[str]) -> str:
        """Return it as it is said."""
        return tr('almost: not {action} there', action=action_names[self.action])

    @property
    def action(self) -> int:
        """Return what the robot would have done in that place."""
        return dict(self.question.route)[self.place]


Answer = Union[ActionAnswer, YesNoAnswer, RewardAnswer, DemonstrationAnswer, DontKnowAnswer,
               AllTheSameAnswer, LaterAnswer, ConfirmAnswer, WrongHereAnswer, GoHereAnswer,
               NeverHereAnswer, OnTheWayAnswer, TaskAnswer, NoneOfTheseAnswer, CompareAnswer,
               WordsAnswer, EitherAnswer]
Unasked = Union[DemonstrationAnswer, GoHereAnswer, NeverHereAnswer, OnTheWayAnswer, WordsAnswer]
KINDS: dict[str, type[Answer]] = {made.kind: made for made in get_args(Answer)}
RATED_KINDS = tuple(kind for kind, made in KINDS.items() if made.has_rate)
ANSWER_KEYS = frozenset(key for made in KINDS.values() for key, *_ in made.by_key)


def answer_to(question: Question, kind: str, **given: Any) -> Answer:
    """
    Return the answer of a kind to a question; raise if that kind does not answer it.

    :param given: what the teacher says; all else is as the question says.
    """
    if kind not in KINDS:
        raise UnknownNameError('kind of answer', kind, KINDS)
    return KINDS[kind].to(question, **given)


def answer_naming(question: Question, actions: Sequence[int], num_actions: int) -> Answer:
    """Return what a teacher says to whom each of these actions is right: one, several or all."""
    if len(actions) == 1:
        return answer_to(question, ActionAnswer.kind, action=actions[0])
    if len(actions) == num_actions:
        return answer_to(question, AllTheSameAnswer.kind)
    return answer_to(question, EitherAnswer.kind, actions=tuple(actions))


def check_answers(question: Question, answer: Answer) -> None:
    """Raise unless an answer is one to this question."""
    given = {name: getattr(answer, name) for name in answer.given}
    if question.kind not in answer.fits or answer_to(question, answer.kind, **given) != answer:
        raise InvalidAnswerError(f'{answer} does not answer {question}')


def rated_kind(answer: Answer) -> str | None:
    """
    Return the kind of answer whose error rate is that of this one; None: it has none to learn.

    Somebody who says "none of these" chooses from the same list as somebody who names one.
    """
    if isinstance(answer, NoneOfTheseAnswer):
        return TaskAnswer.kind if answer.question.kind is QuestionKind.TASK else GoHereAnswer.kind
    return answer.kind if answer.has_rate else None


def offers(question: Question, action_names: Sequence[str],
           action_keys: Sequence[str]) -> list[Offer]:
    """Return all answers to a question that one key or one button gives."""
    return [offer for made in KINDS.values() if question.kind in made.fits
            for offer in made.offers(question, action_names, action_keys)]
