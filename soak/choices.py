"""Decisions read from bytes: what is built of them is the same for the same bytes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

T = TypeVar('T')

WHOLES = (0, 1, 2, 3, 4, 7, 8, 9, 55, 127, 128, 255, 256, 65535, 65536, 2**31 - 1, 2**31,
          2**32 - 1, 2**32, 2**53, 2**63 - 1, 2**63, 2**64 - 1, 2**64, 10**30, -1, -2, -2**31,
          -2**63, -10**30)
REALS = (0.0, -0.0, 1.0, -1.0, 0.5, 1e-320, 1e-9, 0.1, 1e16, 1e300, 1e308, -1e308,
         float('inf'), float('-inf'), float('nan'), 1 / 3)
TEXTS = ('', ' ', 'a', 'id', 'played', 'x' * 300, 'x' * 5000, 'é', '\0', 'a\0b', '\n', '\x1b[2J',
         '\u202e', '\ud800', '\U0001f916', 'null', 'nan', '../x', '/', '.', '"', "'", '{}', '%s',
         '{0}', '\\', 'kind', 'action', 'f' * 64)


class Choices:
    """What a fuzzer decides; after the last byte, always the first option."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def below(self, limit: int) -> int:
        """Return a whole number from 0 to below a limit."""
        if limit <= 1:
            return 0
        size = 1 if limit <= 256 else 2 if limit <= 65536 else 4
        piece = self._data[self._at:self._at + size]
        self._at += size
        return int.from_bytes(piece, 'little') % limit

    def chance(self, one_in: int) -> bool:
        """Return True with a chance of one in this number."""
        return self.below(one_in) == one_in - 1

    def pick(self, options: Sequence[T]) -> T:
        """Return one of these."""
        return options[self.below(len(options))]

    def scalar(self) -> Any:
        """Return a value that JSON or YAML may hold."""
        kind = self.below(6)
        if kind == 0:
            return self.pick(WHOLES)
        if kind == 1:
            return self.pick(REALS)
        if kind == 2:
            return self.pick(TEXTS)
        if kind == 3:
            return self.pick((None, True, False))
        return self.below(12)

    def value(self, depth: int = 3) -> Any:
        """Return a value that may be a list or an object."""
        kind = self.below(8) if depth else 0
        if kind == 6:
            return [self.value(depth - 1) for _ in range(self.below(4))]
        if kind == 7:
            return {self.pick(TEXTS): self.value(depth - 1) for _ in range(self.below(4))}
        return self.scalar()


def changed(tree: Any, choose: Choices, depth: int = 6) -> Any:
    """Return a tree of lists and objects in which a few things are different."""
    if choose.chance(12):
        return choose.value(2)
    if isinstance(tree, dict) and depth:
        kept = {name: changed(value, choose, depth - 1) for name, value in tree.items()
                if not choose.chance(24)}
        if choose.chance(16):
            kept[choose.pick(TEXTS)] = choose.value(1)
        return kept
    if isinstance(tree, list) and depth:
        kept_items = [changed(value, choose, depth - 1) for value in tree
                      if not choose.chance(24)]
        if kept_items and choose.chance(16):
            kept_items.append(choose.pick(kept_items))
        return kept_items
    return tree
