"""A line of text that a person types in a terminal: what is meant, in their own words."""

from __future__ import annotations

from collections.abc import Callable

from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.core.task_answers import MAX_TEXT
from gbs_irl_ros.languages.speaking import marked, tr
from gbs_irl_ros.teaching import keys
from gbs_irl_ros.teaching.terminal.bindings import Binding
from gbs_irl_ros.teaching.terminal.key_reader import BACKSPACE, ENTER, ESCAPE

SAY = marked('say')


class WordKeys:
    """
    Follows a person who types words.

    What was not understood, or could not be sent, is there again when typing begins again.

    is_on: keys are letters now. typed: as far as it is typed.
    """

    def __init__(self, send: Callable[[str, Callable[[], None]], str]) -> None:
        """
        Begin.

        :param send: takes the text, and what to call, from any thread, when it was understood;
            returns what to say meanwhile.
        """
        self.is_on = False
        self.typed = ''
        self._send = send
        self._understood = ''

    def begin(self) -> str:
        """Let keys be letters."""
        if self.typed == self._understood:
            self.typed = ''
        self.is_on = True
        return ''

    def bindings(self) -> list[Binding]:
        """Return the keys that are not letters."""
        return [Binding((), tr('your words'), _nothing, tr('type what you mean'), name='a-z'),
                Binding((ENTER,), tr(SAY), self._say, tr('say it')),
                Binding((BACKSPACE,), tr('back'), self._rub_out, tr('take the last letter back')),
                Binding((ESCAPE,), tr('cancel'), self._cancel, tr('say nothing'))]

    def takes(self, key: str) -> bool:
        """Take a key that is a letter; return whether it is one now."""
        if not self.is_on or len(key) != 1:
            return False
        self.typed = f'{self.typed}{key}'[:MAX_TEXT]
        return True

    def enter(self, text: str) -> str:
        """Say a line that was typed as a whole."""
        self.typed = text
        return self._say()

    def spoken(self, line: str) -> str | None:
        """Say what a line has behind a slash, or behind "say"; None if it begins otherwise."""
        begin, _, text = line.strip().partition(' ')
        if line.strip().startswith(keys.SAY) and line.strip() != keys.SAY:
            return self.enter(line.strip()[1:].strip())
        if begin.lower() in (SAY, tr(SAY)) and text:
            return self.enter(text.strip())
        return self.enter(line.strip()) if self.is_on else None

    def _say(self) -> str:
        text = ' '.join(self.typed.split())[:MAX_TEXT]
        if not text:
            raise GbsIrlError(tr('type what you mean first; then Enter'))
        self.is_on, self.typed = False, text
        return self._send(text, lambda: self._understand(text))

    def _understand(self, text: str) -> None:
        self._understood = text

    def _rub_out(self) -> str:
        self.typed = self.typed[:-1]
        return ''

    def _cancel(self) -> str:
        self.is_on = False
        return ''


def _nothing() -> str:
    return ''
