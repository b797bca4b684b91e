"""What can be asked."""

from __future__ import annotations

from dataclasses import dataclass, field

from gbs_irl_ros.core.errors import InvalidQuestionError
from gbs_irl_ros.core.mdp import Mdp, whole_number
from gbs_irl_ros.core.named_enum import NamedEnum

MAX_STEPS = 1000
CONFIRM_REFUSED = ('questions of kind confirm are not chosen by a strategy: the learner asks them '
                   'before it stops, if its caution has closing_question')


class QuestionKind(NamedEnum):
    """The kinds of question."""

    ACTION = 'action'                   # what should I do here?
    YES_NO = 'yes_no'                   # is this action right here?
    REWARD = 'reward'                   # how good is this place, or this action here?
    DEMONSTRATION = 'demonstration'     # show me the next steps from here
    CONFIRM = 'confirm'                 # this is what I would do: is it what you mean?


@dataclass(frozen=True)
class Question:
    """
    One question about a state.

    action: asked about in a yes/no question, and in a reward question where rewards depend on it.
    steps: how many are asked for in a demonstration; 1 otherwise.
    route: what is to be confirmed, (state, action) pairs of which the first is at ``state``; none
        in other questions.
    """

    kind: QuestionKind
    state: int
    action: int | None = None
    steps: int = 1
    route: tuple[tuple[int, int], ...] = field(default=(), metadata={'optional': True})

    def __post_init__(self) -> None:
        object.__setattr__(self, 'kind', QuestionKind(self.kind))
        needs_action = self.kind is QuestionKind.YES_NO
        takes_action = self.kind in (QuestionKind.YES_NO, QuestionKind.REWARD)
        if needs_action and self.action is None:
            raise InvalidQuestionError('a yes/no question must name an action, got None')
        if self.action is not None and not takes_action:
            raise InvalidQuestionError(
                f'a question of kind {self.kind.value} must not name an action, '
                f'got {self.action}')
        whole_number('steps', self.steps, InvalidQuestionError)
        limit = MAX_STEPS if self.kind is QuestionKind.DEMONSTRATION else 1
        if not 1 <= self.steps <= limit:
            raise InvalidQuestionError(
                f'steps of a question of kind {self.kind.value} must be in 1 .. {limit}, '
                f'got {self.steps}')
        object.__setattr__(self, 'route', tuple((state, action) for state, action in self.route))
        self._check_route()

    def check_fits(self, mdp: Mdp) -> None:
        """Raise unless the state and the action exist."""
        mdp.check_state(self.state, InvalidQuestionError)
        if self.action is not None:
            mdp.check_action(self.action, InvalidQuestionError)
        for state, action in self.route:
            mdp.check_state(state, InvalidQuestionError, 'state of the route')
            mdp.check_action(action, InvalidQuestionError, 'action of the route')

    def _check_route(self) -> None:
        if self.kind is not QuestionKind.CONFIRM:
            if self.route:
                raise InvalidQuestionError(
                    f'a question of kind {self.kind.value} must not have a route, '
                    f'got {list(self.route)}')
        elif not 1 <= len(self.route) <= MAX_STEPS or self.route[0][0] != self.state:
            raise InvalidQuestionError(
                f'a route to be confirmed must have 1 .. {MAX_STEPS} steps and begin in state '
                f'{self.state}, got {len(self.route)} steps'
                + (f' from state {self.route[0][0]}' if self.route else ''))
