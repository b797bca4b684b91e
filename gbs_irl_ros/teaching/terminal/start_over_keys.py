"""Starting over in a terminal: one key asks for it, another one confirms it."""

from __future__ import annotations

from collections.abc import Callable

from gbs_irl_ros.languages.speaking import marked, tr
from gbs_irl_ros.teaching.terminal.bindings import Binding
from gbs_irl_ros.teaching.terminal.key_reader import ENTER, ESCAPE

START_OVER = marked('start over')
REALLY = marked('Start over? A new lesson begins. What you taught so far is kept on disk, but no '
                'longer used.')


class StartOverKeys:
    """
    Asks a person whether the lesson is to start over.

    is_on: it waits for yes or no.
    """

    def __init__(self, start_over: Callable[[], str]) -> None:
        """
        Begin.

        :param start_over: has it done, and returns what to say meanwhile.
        """
        self.is_on = False
        self._start_over = start_over

    def begin(self) -> str:
        """Ask."""
        self.is_on = True
        return tr(REALLY)

    def bindings(self) -> list[Binding]:
        """Return the keys that say yes or no."""
        return [Binding((ENTER,), tr(START_OVER), self._confirm, tr('begin a new lesson')),
                Binding((ESCAPE,), tr('cancel'), self._cancel, tr('continue with this lesson'))]

    def _confirm(self) -> str:
        self.is_on = False
        return self._start_over()

    def _cancel(self) -> str:
        self.is_on = False
        return ''
