"""What can be asked."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

from gbs_irl_ros.core.errors import InvalidQuestionError
from gbs_irl_ros.core.mdp import Mdp, whole_number
from gbs_irl_ros.core.named_enum import NamedEnum

MAX_STEPS = 1000
MAX_OPTIONS = 30        # that a person is shown at a time
WORDS = {'route': 'a route', 'other_route': 'a second route'}
CONFIRM_REFUSED = ('questions of kind confirm are not chosen by a strategy: the learner asks them '
                   'before it stops, if its caution has closing_question')


class QuestionKind(NamedEnum):
    """The kinds of question."""

    ACTION = 'action'                   # what should I do here?
    YES_NO = 'yes_no'                   # is this action right here?
    REWARD = 'reward'                   # how good is this place, or this action here?
    DEMONSTRATION = 'demonstration'     # show me the next steps from here
    CONFIRM = 'confirm'                 # this is what I would do: is it what you mean?
    PLACE = 'place'                     # where should I go?
    TASK = 'task'                       # which of these do you mean?
    COMPARE = 'compare'                 # this way or that?


_BARE = (QuestionKind.ACTION, QuestionKind.REWARD, QuestionKind.DEMONSTRATION)


@dataclass(frozen=True)
class Question:
    """
    One question about a state.

    action: asked about in a yes/no question, and in a reward question where rewards depend on it.
    steps: how many are asked for in a demonstration; 1 otherwise.
    route: what is to be confirmed, or the first of two ways, (state, action) pairs of which the
        first is at ``state``; none in other questions.
    other_route: the second of two ways, likewise.
    options: the states or the numbers of the tasks to choose from; of a place none: anywhere.
    labels: what the options are called, in the same order, or none. For a person only: questions
        that differ in nothing else are the same.
    """

    kind: QuestionKind
    state: int
    action: int | None = None
    steps: int = 1
    route: tuple[tuple[int, int], ...] = field(default=(), metadata={'optional': True})
    other_route: tuple[tuple[int, int], ...] = field(default=(), metadata={'optional': True})
    options: tuple[int, ...] = field(default=(), metadata={'optional': True})
    labels: tuple[str, ...] = field(default=(), compare=False, metadata={'optional': True})

    def __post_init__(self) -> None:
        if self.kind in _BARE and self.action is None and type(self.steps) is int \
                and self.steps == 1 and self.route == () and self.other_route == () \
                and self.options == () and self.labels == ():
            return          # nearly all questions are such, and a robot asks many
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
        for name in ('route', 'other_route'):
            object.__setattr__(self, name, tuple(
                (state, action) for state, action in getattr(self, name)))
        self._check_route('route', (QuestionKind.CONFIRM, QuestionKind.COMPARE))
        self._check_route('other_route', (QuestionKind.COMPARE,))
        self._check_options()

    def check_fits(self, mdp: Mdp) -> None:
        """Raise unless the state, the action and all places exist."""
        mdp.check_state(self.state, InvalidQuestionError)
        if self.action is not None:
            mdp.check_action(self.action, InvalidQuestionError)
        for state, action in (*self.route, *self.other_route):
            mdp.check_state(state, InvalidQuestionError, 'state of the route')
            mdp.check_action(action, InvalidQuestionError, 'action of the route')
        if self.kind is QuestionKind.PLACE:
            for state in self.options:
                mdp.check_state(state, InvalidQuestionError, 'state of a place')

    def label(self, place: int) -> str:
        """Return what an option is called."""
        return self.labels[place] if self.labels \
            else f'{self.kind.value} {self.options[place]}'

    def _check_route(self, name: str, kinds: tuple[QuestionKind, ...]) -> None:
        route = getattr(self, name)
        if self.kind not in kinds:
            if route:
                raise InvalidQuestionError(
                    f'a question of kind {self.kind.value} must not have {WORDS[name]}, '
                    f'got {list(route)}')
        elif not 1 <= len(route) <= MAX_STEPS or route[0][0] != self.state:
            raise InvalidQuestionError(
                f'the {name} of a question must have 1 .. {MAX_STEPS} steps and begin in state '
                f'{self.state}, got {len(route)} steps'
                + (f' from state {route[0][0]}' if route else ''))

    def _check_options(self) -> None:
        options, labels = tuple(self.options), tuple(self.labels)
        object.__setattr__(self, 'options', options)
        object.__setattr__(self, 'labels', labels)
        least = {QuestionKind.PLACE: 0, QuestionKind.TASK: 1}.get(self.kind)
        if least is None:
            if options:
                raise InvalidQuestionError(f'a question of kind {self.kind.value} must not have '
                                           f'options, got {list(options)}')
        elif not least <= len(options) <= MAX_OPTIONS or len(set(options)) < len(options):
            raise InvalidQuestionError(
                f'a question of kind {self.kind.value} must have {least} .. {MAX_OPTIONS} '
                f'different options, got {list(options)}')
        for option in options:
            if whole_number('option', option, InvalidQuestionError) < 0:
                raise InvalidQuestionError(f'an option must not be negative, got {option}')
        if labels and len(labels) != len(options):
            raise InvalidQuestionError(
                f'labels must be none or one for each of the {len(options)} options, '
                f'got {len(labels)}')


@lru_cache(1 << 12)
def action_question(state: int) -> Question:
    """Return the question what to do in a state; most are, and making one takes a while."""
    return Question(QuestionKind.ACTION, state)
