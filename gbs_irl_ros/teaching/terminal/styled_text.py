"""Text with styles for a terminal: how wide it is, cut to fit, and as a terminal takes it."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from gbs_irl_ros.core.printable import printable

PLAIN, BOLD, FAINT, MARKED, WARNING = '', '1', '2', '1;7', '1;33'


@dataclass(frozen=True)
class Piece:
    """A part of a line in one style; control characters are made visible."""

    text: str
    style: str = PLAIN

    def __post_init__(self) -> None:
        if not self.text.isprintable():
            object.__setattr__(self, 'text', ''.join(
                each if each.isprintable() else ' ' for each in printable(self.text)))


Line = tuple[Piece, ...]


def line(text: str, style: str = PLAIN) -> Line:
    """Return a line in one style."""
    return (Piece(text, style),)


def plain(pieces: Line) -> str:
    """Return a line without its styles."""
    return ''.join(piece.text for piece in pieces)


def ansi(pieces: Line, *, styled: bool) -> str:
    """Return a line with the sequences that a terminal knows."""
    return ''.join(f'\x1b[{piece.style}m{piece.text}\x1b[0m' if piece.style and styled
                   else piece.text for piece in pieces)


def width(text: str) -> int:
    """Return how many columns a text takes."""
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(each) else
               2 if unicodedata.east_asian_width(each) in 'WF' else 1 for each in text)


def cut(pieces: Line, columns: int) -> Line:
    """Return as much of a line as fits."""
    kept: list[Piece] = []
    left = columns
    for piece in pieces:
        text = piece.text
        while width(text) > left:
            text = text[:-1]
        kept.append(Piece(text, piece.style))
        left -= width(text)
        if text != piece.text:
            break
    return tuple(kept)


def padded(pieces: Line, columns: int) -> Line:
    """Return a line that takes exactly so many columns."""
    fitting = cut(pieces, columns)
    return (*fitting, Piece(' ' * (columns - width(plain(fitting)))))


def ellipsis(text: str, columns: int) -> str:
    """Return a text that fits, with a sign if something of it is missing."""
    if width(text) <= columns:
        return text
    return plain(cut(line(text), max(columns - 1, 0))).rstrip() + ('…' if columns > 0 else '')


def wrapped(text: str, columns: int, most: int | None = None) -> list[str]:
    """Return a text in lines; the last one says if there is more than may be shown."""
    return flowed(text.split(), columns, ' ', most)


def flowed(parts: Iterable[str], columns: int, gap: str, most: int | None = None) -> list[str]:
    """Return parts set one behind the other in lines, no part cut if it fits into a line."""
    lines: list[str] = []
    for part in parts:
        if lines and width(lines[-1]) + len(gap) + width(part) <= columns:
            lines[-1] += gap + part
        else:
            lines.append(part)
    if most is not None and len(lines) > most:
        lines = [*lines[:most - 1], ellipsis(gap.join(lines[most - 1:]), columns)] if most else []
    return [ellipsis(each, columns) for each in lines]
