"""What is asked in a terminal before it is done: one key asks for it, another one confirms it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from gbs_irl_ros.languages.speaking import marked, tr
from gbs_irl_ros.teaching.terminal.bindings import Binding
from gbs_irl_ros.teaching.terminal.key_reader import ENTER, ESCAPE

START_OVER = marked('start over')
REALLY = marked('Start over? A new lesson begins. What you taught so far is kept on disk, but no '
                'longer used.')

Do = Callable[[], str]      # returns what to say


class ConfirmKeys:
    """
    Asks a person whether something is to be done.

    is_on: it waits for yes or no.
    """

    def __init__(self) -> None:
        self.is_on = False
        self._bindings: list[Binding] = []

    def start_over(self, do: Do) -> str:
        """Ask whether the lesson is to start over."""
        return self._ask(
            tr(REALLY), Binding((ENTER,), tr(START_OVER), do, tr('begin a new lesson')),
            Binding((ESCAPE,), tr('cancel'), str, tr('continue with this lesson')))

    def drive_over(self, question: str, do: Do) -> str:
        """Ask whether the robot may enter this once what it never must."""
        return self._ask(
            question, Binding((ENTER,), tr('drive over it'), do, tr('drive over it this once')),
            Binding((ESCAPE,), tr('stay'), lambda: tr('The robot stays where it is.'),
                    tr('stay here, and teach another task')))

    def bindings(self) -> list[Binding]:
        """Return the keys that say yes or no."""
        return self._bindings

    def _ask(self, question: str, *choices: Binding) -> str:
        self.is_on = True
        self._bindings = [replace(choice, run=partial(self._done, choice.run))
                          for choice in choices]
        return question

    def _done(self, run: Do) -> str:
        self.is_on = False
        return run()
