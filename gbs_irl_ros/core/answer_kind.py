"""What every kind of answer has; the kinds themselves are in ``core.answers``."""

from __future__ import annotations

import dataclasses
import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gbs_irl_ros.core.errors import InvalidAnswerError
from gbs_irl_ros.core.mdp import Mdp
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.languages.speaking import tr

if TYPE_CHECKING:
    from gbs_irl_ros.core.answers import Answer


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


class AnswerKind(ABC):
    """
    What every kind of answer says of itself.

    kind: its name in journals and on the page; in capitals, its constant in msg/Answer.
    fits: the kinds of question that it answers.
    given: the fields that the teacher gives, each also a field of msg/Answer. The others are
        those of the question, or, if called so, the question.
    aside: the teacher would rather not say; shown less prominently than the others.
    has_rate: it is right or wrong, and how often it is wrong can be learned.
    by_key: answers with a key of their own: (key, label, about, fields given), in English.
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
    def to(cls, question: Question, **given: Any) -> Any:
        """
        Return an answer of this kind to a question; raise if it does not answer that.

        :param given: what the teacher says; all else is as the question says.
        """
        if question.kind not in cls.fits:
            raise InvalidAnswerError(f'an answer of kind {cls.kind!r} does not fit a question of '
                                     f'kind {question.kind.value!r}')
        if set(given) != set(cls.given):
            raise InvalidAnswerError(f'an answer of kind {cls.kind!r} must be given '
                                     f'{list(cls.given)}, got {sorted(given)}')
        asked = {field.name: question if field.name == 'question'
                 else getattr(question, field.name)
                 for field in dataclasses.fields(cls)    # type: ignore[arg-type]
                 if field.name not in given}
        return cls(**asked, **given)

    @classmethod
    def offers(cls, question: Question, action_names: Sequence[str],
               action_keys: Sequence[str]) -> list[Offer]:
        """Return the answers of this kind to a question that one key or button gives."""
        return [Offer(cls.to(question, **given), key, tr(label), tr(about))
                for key, label, about, given in cls.by_key]


def is_finite(number: float) -> bool:
    try:
        return math.isfinite(number)
    except OverflowError:       # an int that no float can hold
        return False


def check_bool(name: str, value: object) -> None:
    if not isinstance(value, (bool, np.bool_)):
        raise InvalidAnswerError(f'{name} must be True or False, got {value!r}')


def check_step(mdp: Mdp, state: object, action: object) -> None:
    if type(state) is int and type(action) is int and 0 <= action < mdp.num_actions \
            and 0 <= state < mdp.num_states:
        return          # nearly always, and a lesson has many
    mdp.check_state(state, InvalidAnswerError)
    mdp.check_action(action, InvalidAnswerError)
