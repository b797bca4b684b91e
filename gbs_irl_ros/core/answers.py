"""
The table of answers: everything that a teacher can say, each kind once.

A kind of answer is a class that is listed in ``Answer``. It says its name, which questions it
fits, which of its fields the teacher gives (the question has the others), its words, and the keys
and buttons that give it. Journals, messages, the page and the terminal read all that here; the
likelihood is in ``core.likelihoods``. Unasked demonstrations are the same answers without a
question.
"""

from __future__ import annotations

import dataclasses
import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Union, get_args

import numpy as np

from gbs_irl_ros.core.errors import InvalidAnswerError, UnknownNameError
from gbs_irl_ros.core.mdp import Mdp
from gbs_irl_ros.core.questions import Question, QuestionKind


@dataclass(frozen=True)
class Offer:
    """
    An answer that one key or one button gives.

    label: short, for a list of keys. about: what it means; '' if the label says that.
    action: the one that the answer names, for its arrow means the answer too; None: none.
    """

    answer: Answer
    key: str
    label: str
    about: str = ''
    action: int | None = None


class _Kind(ABC):
    """
    What every kind of answer says of itself.

    kind: its name in journals and on the page; in capitals, its constant in msg/Answer.
    fits: the kinds of question that it answers.
    given: the fields that the teacher gives, each also a field of msg/Answer. The others are
        those of the question, or, if called so, the question.
    aside: the teacher would rather not say; shown less prominently than the others.
    has_rate: it is right or wrong, and how often it is wrong can be learned.
    by_key: answers with a key of their own: (key, label, about, fields given).
    """

    kind: ClassVar[str]
    fits: ClassVar[tuple[QuestionKind, ...]]
    given: ClassVar[tuple[str, ...]] = ()
    aside: ClassVar[bool] = False
    has_rate: ClassVar[bool] = False
    by_key: ClassVar[tuple[tuple[str, str, str, dict[str, Any]], ...]] = ()

    @abstractmethod
    def check_fits(self, mdp: Mdp) -> None:
        """Raise unless it is about what exists."""

    @abstractmethod
    def words(self, action_names: Sequence[str]) -> str:
        """Return the answer as a person would say it."""

    @classmethod
    def offers(cls, question: Question, action_names: Sequence[str],
               action_keys: Sequence[str]) -> list[Offer]:
        """Return the answers of this kind to a question that one key or button gives."""
        return [Offer(answer_to(question, cls.kind, **given), key, label, about)
                for key, label, about, given in cls.by_key]


@dataclass(frozen=True)
class ActionAnswer(_Kind):
    """In this state, do this."""

    kind = 'action'
    fits = (QuestionKind.ACTION,)
    given = ('action',)
    has_rate = True

    state: int
    action: int

    def check_fits(self, mdp: Mdp) -> None:
        """Raise unless the state and the action exist."""
        _check_step(mdp, self.state, self.action)

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
class YesNoAnswer(_Kind):
    """In this state, this action is right (yes) or wrong (no)."""

    kind = 'yes_no'
    fits = (QuestionKind.YES_NO,)
    given = ('yes',)
    has_rate = True
    by_key = (('y', 'yes', '', {'yes': True}), ('n', 'no', '', {'yes': False}))

    state: int
    action: int
    yes: bool

    def check_fits(self, mdp: Mdp) -> None:
        """Raise unless the state and the action exist."""
        _check_step(mdp, self.state, self.action)
        _check_bool('yes', self.yes)

    def words(self, action_names: Sequence[str]) -> str:
        """Return yes or no."""
        return 'yes' if self.yes else 'no'


@dataclass(frozen=True)
class RewardAnswer(_Kind):
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
                or isinstance(self.reward, bool) or not _is_finite(self.reward):
            raise InvalidAnswerError(f'reward must be a finite number, got {self.reward!r}')

    def words(self, action_names: Sequence[str]) -> str:
        """Return the number."""
        return f'{self.reward:.3g}'


@dataclass(frozen=True)
class DemonstrationAnswer(_Kind):
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
class AllTheSameAnswer(_Kind):
    """In this state every action is as good as another."""

    kind = 'all_the_same'
    fits = (QuestionKind.ACTION, QuestionKind.DEMONSTRATION)
    aside = True
    has_rate = True
    by_key = (('=', 'all the same', 'all the same: every action is as good as another there', {}),)

    state: int

    def check_fits(self, mdp: Mdp) -> None:
        """Raise unless the state exists."""
        mdp.check_state(self.state, InvalidAnswerError)

    def words(self, action_names: Sequence[str]) -> str:
        """Return it as it is said."""
        return 'all the same'


@dataclass(frozen=True)
class DontKnowAnswer(_Kind):
    """The teacher cannot say: no information, and the question is not asked again."""

    kind = 'dont_know'
    fits = tuple(QuestionKind)
    aside = True
    by_key = (('i', "don't know", 'I do not know: this is not asked again', {}),)

    question: Question

    def check_fits(self, mdp: Mdp) -> None:
        """Raise unless the question is about something that exists."""
        self.question.check_fits(mdp)

    def words(self, action_names: Sequence[str]) -> str:
        """Return it as it is said."""
        return "I don't know"


@dataclass(frozen=True)
class LaterAnswer(_Kind):
    """Ask something else first: no information, and the question waits."""

    kind = 'later'
    fits = tuple(QuestionKind)
    aside = True
    by_key = (('l', 'later', 'ask me later: something else is asked first', {}),)

    question: Question

    def check_fits(self, mdp: Mdp) -> None:
        """Raise unless the question is about something that exists."""
        self.question.check_fits(mdp)

    def words(self, action_names: Sequence[str]) -> str:
        """Return it as it is said."""
        return 'ask me later'


@dataclass(frozen=True)
class ConfirmAnswer(_Kind):
    """What the robot would do is what is meant (yes) or not (no)."""

    kind = 'confirm'
    fits = (QuestionKind.CONFIRM,)
    given = ('yes',)
    by_key = (('y', 'yes', 'yes: this is what I mean', {'yes': True}),
              ('n', 'no', 'no: I mean something else', {'yes': False}))

    question: Question
    yes: bool

    def check_fits(self, mdp: Mdp) -> None:
        """Raise unless the route exists."""
        self.question.check_fits(mdp)
        _check_bool('yes', self.yes)

    def words(self, action_names: Sequence[str]) -> str:
        """Return it as it is said."""
        return 'yes, that is it' if self.yes else 'no, not like that'


@dataclass(frozen=True)
class WrongHereAnswer(_Kind):
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
        return f'almost: not {action_names[self.action]} there'

    @property
    def action(self) -> int:
        """Return what the robot would have done in that place."""
        return dict(self.question.route)[self.place]


Answer = Union[ActionAnswer, YesNoAnswer, RewardAnswer, DemonstrationAnswer, DontKnowAnswer,
               AllTheSameAnswer, LaterAnswer, ConfirmAnswer, WrongHereAnswer]
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
    made = KINDS[kind]
    if question.kind not in made.fits:
        raise InvalidAnswerError(f'an answer of kind {kind!r} does not fit a question of kind '
                                 f'{question.kind.value!r}')
    if set(given) != set(made.given):
        raise InvalidAnswerError(f'an answer of kind {kind!r} must be given {list(made.given)}, '
                                 f'got {sorted(given)}')
    asked = {field.name: question if field.name == 'question' else getattr(question, field.name)
             for field in dataclasses.fields(made) if field.name not in given}
    make: Any = made
    answer: Answer = make(**asked, **given)
    return answer


def check_answers(question: Question, answer: Answer) -> None:
    """Raise unless an answer is one to this question."""
    given = {name: getattr(answer, name) for name in answer.given}
    if question.kind not in answer.fits or answer_to(question, answer.kind, **given) != answer:
        raise InvalidAnswerError(f'{answer} does not answer {question}')


def offers(question: Question, action_names: Sequence[str],
           action_keys: Sequence[str]) -> list[Offer]:
    """Return all answers to a question that one key or one button gives."""
    return [offer for made in KINDS.values() if question.kind in made.fits
            for offer in made.offers(question, action_names, action_keys)]


def _is_finite(number: float) -> bool:
    try:
        return math.isfinite(number)
    except OverflowError:       # an int that no float can hold
        return False


def _check_bool(name: str, value: object) -> None:
    if not isinstance(value, (bool, np.bool_)):
        raise InvalidAnswerError(f'{name} must be True or False, got {value!r}')


def _check_step(mdp: Mdp, state: object, action: object) -> None:
    mdp.check_state(state, InvalidAnswerError)
    mdp.check_action(action, InvalidAnswerError)
