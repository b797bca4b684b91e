"""The bytes of a keyboard as keys, however they are cut into pieces on their way."""

from __future__ import annotations

import codecs

from gbs_irl_ros.languages.speaking import marked, tr
from gbs_irl_ros.tasks.layout import DOWN, LEFT, RIGHT, UP

ENTER, BACKSPACE, ESCAPE, REDRAW = 'enter', 'backspace', 'escape', 'redraw'
# Keys that are not a character, as a person reads them.
SHOWN = marked({UP: '↑', DOWN: '↓', LEFT: '←', RIGHT: '→', ENTER: 'Enter',
                BACKSPACE: 'Backspace', ESCAPE: 'Esc', ' ': 'Space'})

_ARROWS = {'A': UP, 'B': DOWN, 'C': RIGHT, 'D': LEFT}
_CONTROL = {'\r': ENTER, '\n': ENTER, '\x7f': BACKSPACE, '\b': BACKSPACE, '\x0c': REDRAW}
_ESC = '\x1b'
_LONGEST = 32       # characters of a sequence; a longer one is none


def shown_key(key: str) -> str:
    """Return a key as a person reads it."""
    return tr(SHOWN[key]) if key in SHOWN else key


class KeyReader:
    """
    Turns bytes into keys: a printable character each, or one of the names above.

    Arrows are known in both modes of a terminal, ESC [ A and ESC O A. An escape may be a key or
    the beginning of a sequence whose rest is late: it is a key when ``flush`` is called before the
    rest comes, and the rest is still recognised, for a stray A would be taken for an answer.
    """

    def __init__(self, encoding: str = 'utf-8') -> None:
        self._decoder = codecs.getincrementaldecoder(encoding)('replace')
        self._begun = ''            # of a sequence, from its escape on
        self._after_escape = False  # an escape was taken for a key just now

    @property
    def is_waiting(self) -> bool:
        """Return whether an escape waits for what it means."""
        return self._begun == _ESC

    def feed(self, data: bytes) -> list[str]:
        """Return the keys that are complete with these bytes."""
        keys: list[str] = []
        for character in self._decoder.decode(data):
            keys += self._see(character)
        return keys

    def flush(self) -> list[str]:
        """Return the escape key if one was waiting for a sequence that did not come."""
        if not self.is_waiting:
            return []
        self._begun, self._after_escape = '', True
        return [ESCAPE]

    def _see(self, character: str) -> list[str]:
        if self._after_escape and character in '[O':
            self._begun = _ESC      # the rest of a sequence, late
        self._after_escape = False
        if self._begun:
            return self._go_on(character)
        if character == _ESC:
            self._begun = _ESC
            return []
        if character in _CONTROL:
            return [_CONTROL[character]]
        return [character] if character.isprintable() and character != '\ufffd' else []

    def _go_on(self, character: str) -> list[str]:
        """Take the next character of a sequence."""
        if character == _ESC:           # a new one: what was begun is over
            was_key = self._begun == _ESC
            self._begun = _ESC
            return [ESCAPE] if was_key else []
        if self._begun == _ESC and character not in '[O':
            self._begun = ''
            return [ESCAPE, *self._see(character)]
        begun, self._begun = self._begun, self._begun + character
        if begun in (_ESC, f'{_ESC}[') and character in '[O':
            return []                   # ESC [ [ A: a function key of the Linux console
        final = begun.endswith(('O', '[[')) or '@' <= character <= '~'
        if not final and len(self._begun) < _LONGEST:
            return []
        self._begun = ''
        return [_ARROWS[character]] if character in _ARROWS and not begun.endswith('[[') else []
