"""
How long a person takes to answer: what a question costs.

    kind             seconds at first
    action           3
    yes/no           2
    reward           6
    demonstration    2 + 1 for each step
    place            3: a tap on the map
    task             1.5 + 0.9 log2(m + 1) for a list of m (Hick 1952, Hyman 1953)
    this or that     5: two ways to look at
    confirm          2: yes or no
    words            6: a sentence

Measured times replace them: with n answers of a kind that took r times as long as that on average,
the next one is expected to take (PRIOR_ANSWERS + n r) / (PRIOR_ANSWERS + n) times as long, the
posterior mean of a factor that is 1 at first and as certain as PRIOR_ANSWERS answers make it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

from gbs_irl_ros.core.errors import InvalidOptionError
from gbs_irl_ros.core.named_enum import no_other_case
from gbs_irl_ros.core.questions import Question, QuestionKind

PRIOR_ANSWERS = 3.0
LONGEST = 10.0      # times as long as expected: who takes longer was doing something else
SHORTEST = 0.1
ACTION_S, YES_NO_S, REWARD_S, COMPARE_S, WORDS_S = 3.0, 2.0, 6.0, 5.0, 6.0
FIRST_STEP_S, STEP_S = 2.0, 1.0
LIST_S, LIST_BIT_S = 1.5, 0.9


def usual_seconds(question: Question) -> float:
    """Return how long people take to answer a question, before anything is known of them."""
    kind = question.kind
    if kind is QuestionKind.ACTION or kind is QuestionKind.PLACE:
        return ACTION_S
    if kind is QuestionKind.YES_NO or kind is QuestionKind.CONFIRM:
        return YES_NO_S
    if kind is QuestionKind.REWARD:
        return REWARD_S
    if kind is QuestionKind.DEMONSTRATION:
        return FIRST_STEP_S + STEP_S * question.steps
    if kind is QuestionKind.TASK:
        return LIST_S + LIST_BIT_S * math.log2(len(question.options) + 1)
    if kind is QuestionKind.COMPARE:
        return COMPARE_S
    return no_other_case(kind)


@dataclass(frozen=True)
class Pace:
    """
    How fast a person answers.

    measured: (kind of question, how many answers were timed, the sum of how many times as long as
        usual they took), each kind once.
    way: seconds that the robot takes for a step to the place it asks about; 0: it need not go.
    """

    measured: tuple[tuple[str, float, float], ...] = ()
    way: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, 'measured', tuple(sorted(
            (QuestionKind(kind).value, float(count), float(total))
            for kind, count, total in self.measured)))
        kinds = [kind for kind, _, _ in self.measured]
        if len(set(kinds)) < len(kinds):
            raise InvalidOptionError(f'measured must name each kind once, got {kinds}')
        for kind, count, total in self.measured:
            if not (count >= 0.0 and total >= 0.0 and math.isfinite(count + total)):
                raise InvalidOptionError(f'measured times of kind {kind!r} must be a count and a '
                                         f'sum that are not negative, got {(count, total)}')
        if not (math.isfinite(self.way) and self.way >= 0.0):
            raise InvalidOptionError(f'way must be finite and not negative, got {self.way}')

    def seconds(self, question: Question, steps: float = 0.0) -> float:
        """
        Return how long this person will take.

        :param steps: of the robot to the place it asks about.
        """
        return usual_seconds(question) * self.factor(question.kind) + self.way * steps

    def factor(self, kind: QuestionKind) -> float:
        """Return how many times as long as usual this person takes for questions of a kind."""
        for name, count, total in self.measured:
            if name == kind.value:
                return (PRIOR_ANSWERS + total) / (PRIOR_ANSWERS + count)
        return 1.0

    def timed(self, answered: Iterable[tuple[Question, float]]) -> Pace:
        """Return the pace after answers that took this many seconds each."""
        measured = {kind: (count, total) for kind, count, total in self.measured}
        for question, seconds in answered:
            count, total = measured.get(question.kind.value, (0.0, 0.0))
            ratio = min(max(seconds / usual_seconds(question), SHORTEST), LONGEST)
            measured[question.kind.value] = (count + 1.0, total + ratio)
        return replace(self, measured=tuple(
            (kind, count, total) for kind, (count, total) in measured.items()))
