"""Text that may go to a terminal or into a log: it moves no cursor and hides nothing."""

from __future__ import annotations

import re

LONGEST = 10_000        # characters of one text that a person reads
LONGEST_NUMBER = 12

# Controls (C0, delete, C1), separators of lines and paragraphs, whatever turns the direction of
# writing, and halves of characters, which have no bytes.
CONTROLS = re.compile(
    '[\x00-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]')


def has_controls(text: str) -> bool:
    """Return whether a text has characters that a terminal would obey instead of showing them."""
    return CONTROLS.search(text) is not None


def printable(value: object, *, longest: int = LONGEST) -> str:
    r"""
    Return a text with all control characters but newlines made visible, as ``\x1b``.

    What is longer than a person reads is cut, and says so.
    """
    text = str(value)
    shown = CONTROLS.sub(_visible, text[:longest])
    if len(text) <= longest >= len(shown):
        return shown
    return f'{shown[:longest]} ... ({len(text)} characters)'


def one_line(value: object, *, longest: int = LONGEST) -> str:
    """Return a text as ``printable``, newlines made visible as well."""
    return printable(value, longest=longest).replace('\n', '\\n')


class ShortNumber(float):
    """A number that is shown as its format says, but in a few characters however large it is."""

    def __format__(self, spec: str) -> str:
        """Return 1.23 as ``.2f`` does, and 1e308 not as 309 digits."""
        shown = super().__format__(spec)
        return shown if len(shown) <= LONGEST_NUMBER else f'{float(self):g}'


def _visible(found: re.Match[str]) -> str:
    character = found.group()
    return character if character == '\n' else repr(character)[1:-1]
