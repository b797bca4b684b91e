"""Answers about a task as a whole: where it leads, what it keeps off, which one it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gbs_irl_ros.core.answer_kind import AnswerKind, Offer
from gbs_irl_ros.core.errors import InvalidAnswerError
from gbs_irl_ros.core.mdp import Mdp, whole_number
from gbs_irl_ros.core.printable import has_controls, one_line
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.languages.speaking import marked, tr

MAX_TEXT = 500      # characters that a teacher says at a time
FIRST_WAY, SECOND_WAY, EITHER_WAY = range(3)
OPTION_KEYS = '123456789'


@dataclass(frozen=True)
class _RegionAnswer(AnswerKind):
    """
    Something about a place or a region of the map. It may be said instead of any other answer.

    states: different ones, at least one.
    """

    states: tuple[int, ...]

    def __post_init__(self) -> None:
        states = tuple(self.states)
        object.__setattr__(self, 'states', states)
        if not states:
            raise InvalidAnswerError('a region must have at least one state, got none')
        if len(set(states)) < len(states):
            twice = Counter(states).most_common(1)[0][0]
            raise InvalidAnswerError(f'the states of a region must differ: {twice} appears twice')

    def check_fits(self, mdp: Mdp) -> None:
        """Raise unless all states exist."""
        for state in self.states:
            mdp.check_state(state, InvalidAnswerError, 'state of the region')


@dataclass(frozen=True)
class GoHereAnswer(_RegionAnswer):
    """The task ends in this region."""

    kind = 'go_here'
    fits = tuple(QuestionKind)
    given = ('states',)
    has_rate = True

    def words(self, action_names: Sequence[str]) -> str:
        """Return it as it is said."""
        return tr('go there')

    @classmethod
    def offers(cls, question: Question, action_names: Sequence[str],
               action_keys: Sequence[str]) -> list[Offer]:
        """Return one for each place that is offered."""
        if question.kind is not QuestionKind.PLACE:
            return []
        return [Offer(cls((state,)), key, label)
                for state, key, label in _keyed(question, question.options)]


@dataclass(frozen=True)
class NeverHereAnswer(_RegionAnswer):
    """On no way to where the task ends this region is entered."""

    kind = 'never_here'
    fits = tuple(QuestionKind)
    given = ('states',)
    has_rate = True

    def words(self, action_names: Sequence[str]) -> str:
        """Return it as it is said."""
        return tr('never go there')


@dataclass(frozen=True)
class OnTheWayAnswer(_RegionAnswer):
    """This region lies on the way."""

    kind = 'on_the_way'
    fits = tuple(QuestionKind)
    given = ('states',)

    def words(self, action_names: Sequence[str]) -> str:
        """Return it as it is said."""
        return tr('that is on the way')


@dataclass(frozen=True)
class TaskAnswer(AnswerKind):
    """
    Of the tasks that were offered, this one is meant.

    task: one of the options.
    """

    kind = 'task'
    fits = (QuestionKind.TASK,)
    given = ('task',)
    has_rate = True

    question: Question
    task: int

    def check_fits(self, mdp: Mdp) -> None:
        """Raise unless the task was offered."""
        self.question.check_fits(mdp)
        if self.task not in self.question.options:
            raise InvalidAnswerError(f'task must be one of {list(self.question.options)}, which '
                                     f'were offered, got {self.task}')

    def words(self, action_names: Sequence[str]) -> str:
        """Return the name of the task."""
        return self.question.label(self.question.options.index(self.task))

    @classmethod
    def offers(cls, question: Question, action_names: Sequence[str],
               action_keys: Sequence[str]) -> list[Offer]:
        """Return one for each task that is offered."""
        return [Offer(cls(question, task), key, label)
                for task, key, label in _keyed(question, question.options)]


@dataclass(frozen=True)
class NoneOfTheseAnswer(AnswerKind):
    """None of the places or tasks that were offered is meant."""

    kind = 'none_of_these'
    fits = (QuestionKind.PLACE, QuestionKind.TASK)
    by_key = (('0', marked('none of these'), marked('none of these: I mean something else'), {}),)

    question: Question

    def check_fits(self, mdp: Mdp) -> None:
        """Raise unless what was offered exists."""
        self.question.check_fits(mdp)

    def words(self, action_names: Sequence[str]) -> str:
        """Return it as it is said."""
        return tr('none of these')


@dataclass(frozen=True)
class CompareAnswer(AnswerKind):
    """
    Of two ways, this one is better.

    better: FIRST_WAY, SECOND_WAY or EITHER_WAY.
    """

    kind = 'compare'
    fits = (QuestionKind.COMPARE,)
    given = ('better',)
    has_rate = True
    by_key = (('1', marked('the first way'), '', {'better': FIRST_WAY}),
              ('2', marked('the second way'), '', {'better': SECOND_WAY}),
              ('=', marked('either way'), marked('either way: one is as good as the other'),
               {'better': EITHER_WAY}))

    question: Question
    better: int

    def check_fits(self, mdp: Mdp) -> None:
        """Raise unless both ways exist."""
        self.question.check_fits(mdp)
        if whole_number('better', self.better, InvalidAnswerError) not in (
                FIRST_WAY, SECOND_WAY, EITHER_WAY):
            raise InvalidAnswerError(
                f'better must be {FIRST_WAY} (the first way), {SECOND_WAY} (the second) or '
                f'{EITHER_WAY} (either), got {self.better}')

    def words(self, action_names: Sequence[str]) -> str:
        """Return it as it is said."""
        return tr(self.by_key[self.better][1])


@dataclass(frozen=True)
class WordsAnswer(AnswerKind):
    """
    What is meant, in the teacher's own words. It may be said instead of any other answer.

    text: as it was said.
    tasks: the numbers of those that these words fit best, as ``tasks.words`` finds them.
    """

    kind = 'words'
    fits = tuple(QuestionKind)
    given = ('text', 'tasks')
    has_rate = True

    text: str
    tasks: tuple[int, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, 'tasks', tuple(dict.fromkeys(self.tasks)))
        if not self.text.strip() or len(self.text) > MAX_TEXT or has_controls(self.text):
            raise InvalidAnswerError(
                f'text must have 1 to {MAX_TEXT} characters, none of them a control character, '
                f'got {one_line(repr(self.text), longest=80)}')
        if not self.tasks:
            raise InvalidAnswerError('words must fit at least one task, got none')

    def check_fits(self, mdp: Mdp) -> None:
        """Raise unless the numbers of the tasks are some."""
        for task in self.tasks:
            _check_task(task)

    def words(self, action_names: Sequence[str]) -> str:
        """Return the text."""
        return f'"{self.text}"'


def _keyed(question: Question, options: Sequence[int]) -> list[tuple[int, str, str]]:
    """Return (option, key, label): the first ones have a digit."""
    keys = [*OPTION_KEYS, *([''] * len(options))]
    return [(option, keys[place], question.label(place)) for place, option in enumerate(options)]


def _check_task(task: Any) -> None:
    if whole_number('task', task, InvalidAnswerError) < 0:
        raise InvalidAnswerError(f'the number of a task must not be negative, got {task}')
