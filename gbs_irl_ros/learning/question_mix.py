"""Which question comes next, of the kinds that may be asked; and how that is written."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gbs_irl_ros.core.errors import InvalidOptionError
from gbs_irl_ros.core.learner import Learner
from gbs_irl_ros.core.queries import usual_strategy
from gbs_irl_ros.core.questions import CONFIRM_REFUSED, MAX_STEPS, Question, QuestionKind

DEFAULT_STEPS = 3


@dataclass(frozen=True)
class QuestionMix:
    """
    The kinds of question, asked in turn.

    kinds: none: whatever the learner's strategy asks.
    steps: how many a demonstration is asked for.
    """

    kinds: tuple[QuestionKind, ...] = ()
    steps: int = DEFAULT_STEPS

    def __post_init__(self) -> None:
        object.__setattr__(self, 'kinds', tuple(QuestionKind(kind) for kind in self.kinds))
        if QuestionKind.CONFIRM in self.kinds:
            raise InvalidOptionError(CONFIRM_REFUSED)
        if not 1 <= self.steps <= MAX_STEPS:
            raise InvalidOptionError(
                f'steps must be in 1 .. {MAX_STEPS}, got {self.steps}')

    def next_question(self, learner: Learner, number: int,
                      current_state: int | None = None) -> Question | None:
        """
        Return a question of the kind whose turn it is, or of the next with something to ask.

        :param number: how many questions came before.
        """
        if not self.kinds:
            return learner.ask(current_state)
        for turn in range(len(self.kinds)):
            kind = self.kinds[(number + turn) % len(self.kinds)]
            question = self._question(learner, kind, current_state)
            if question is not None:
                return question
        return None

    def _question(self, learner: Learner, kind: QuestionKind,
                  current_state: int | None) -> Question | None:
        # Asked for where an action would be, unless the strategy asks for demonstrations itself.
        shown = kind is QuestionKind.DEMONSTRATION and learner.strategy.kinds != (kind,)
        wanted = QuestionKind.ACTION if shown else kind
        if learner.strategy.kinds != (wanted,):
            learner = replace(learner, strategy=usual_strategy(wanted))
        question = learner.ask(current_state)
        if question is not None and shown and question.kind is wanted:
            return Question(kind, question.state, steps=self.steps)
        return question


def read_kinds(text: str) -> tuple[QuestionKind, ...]:
    """Return the kinds of question that a text names, with commas between."""
    return tuple(QuestionKind(kind) for kind in filter(None, map(str.strip, text.split(','))))
