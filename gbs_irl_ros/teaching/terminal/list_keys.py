"""The keys that choose from a numbered list: its number, or moving to an entry and Enter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from gbs_irl_ros.core.answer_kind import Offer
from gbs_irl_ros.core.answers import Answer
from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.core.task_answers import GoHereAnswer, TaskAnswer
from gbs_irl_ros.languages.speaking import tr
from gbs_irl_ros.tasks.layout import DOWN, UP
from gbs_irl_ros.teaching.terminal.bindings import Binding
from gbs_irl_ros.teaching.terminal.key_reader import BACKSPACE, ENTER
from gbs_irl_ros.teaching.terminal.view import ListMarks

DIGITS = '0123456789'


def entries(offers: Sequence[Offer]) -> list[Offer]:
    """Return those of the answers to a question that a list of them shows."""
    return [each for each in offers if isinstance(each.answer, (TaskAnswer, GoHereAnswer))]


class ListKeys:
    """
    Follows a person who chooses from a list.

    Of a list with a key for every entry that key answers at once. Numbers of more than one digit
    are typed and sent by Enter.

    chosen: the entry that is moved to, from 0; None: none yet.
    """

    def __init__(self, tell: Callable[[Answer, str], str]) -> None:
        """
        Begin.

        :param tell: gives an answer of this name to the question; returns what to say then.
        """
        self._tell = tell
        self.forget()

    def forget(self) -> None:
        """Give up what is chosen so far."""
        self.chosen: int | None = None
        self._typed = ''

    def marks(self, offers: Sequence[Offer]) -> ListMarks:
        """Return what is to be drawn."""
        found = entries(offers)
        return ListMarks(tuple(each.label for each in found), self.chosen, self._typed, tuple(
            each.answer.states[0] for each in found if isinstance(each.answer, GoHereAnswer)))

    def bindings(self, offers: Sequence[Offer]) -> list[Binding]:
        """Return the keys that choose."""
        found = entries(offers)
        if not found:
            return []
        is_long = not all(each.key for each in found)
        own = [Binding((each.key,) if each.key and not is_long else (), each.label,
                       partial(self._tell, each.answer, each.label), listed=True)
               for each in found]
        typing = [Binding((key,), '', partial(self._type, key, found))
                  for key in (DIGITS if self._typed else DIGITS[1:])]
        numbers = f'1-{len(found)}' if len(found) > 1 else '1'
        return [*(typing if is_long else ()), *own,
                Binding((), tr('choose'), _nothing,
                        tr('choose by the number, then Enter') if is_long
                        else tr('choose by the number'), name=numbers),
                Binding((UP,), '', partial(self._move, -1, found)),
                Binding((DOWN,), tr('move'), partial(self._move, 1, found),
                        tr('move through the list'), name='↑ ↓'),
                Binding((ENTER,), tr('send'), partial(self._send, found),
                        tr('answer with what is chosen')),
                *([Binding((BACKSPACE,), tr('back'), self._rub_out,
                           tr('take the last digit back'))]
                  if self._typed else [])]

    def enter(self, typed: str, offers: Sequence[Offer]) -> str:
        """Choose by a number that was typed as a line."""
        found = entries(offers)
        self._typed = typed
        self._look(found)
        return self._send(found)

    def _type(self, key: str, found: Sequence[Offer]) -> str:
        self._typed = f'{self._typed}{key}'[:len(str(len(found)))]
        self._look(found)
        return ''

    def _look(self, found: Sequence[Offer]) -> None:
        """Move to the number that is typed, if it is there."""
        number = int(self._typed or 0)
        self.chosen = number - 1 if 1 <= number <= len(found) else None

    def _rub_out(self) -> str:
        self._typed, self.chosen = self._typed[:-1], None
        return ''

    def _move(self, step: int, found: Sequence[Offer]) -> str:
        start = (-1 if step > 0 else len(found)) if self.chosen is None else self.chosen
        self.chosen, self._typed = min(max(start + step, 0), len(found) - 1), ''
        return ''

    def _send(self, found: Sequence[Offer]) -> str:
        if self.chosen is None:
            raise GbsIrlError(
                tr('choose first: a number from 1 to {last}, or the arrow keys up and down, got '
                   '{typed}; then Enter', last=len(found), typed=self._typed) if self._typed
                else tr('choose first: a number from 1 to {last}, or the arrow keys up and down; '
                        'then Enter', last=len(found)))
        return self._tell(found[self.chosen].answer, found[self.chosen].label)


def _nothing() -> str:
    return ''
