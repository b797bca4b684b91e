"""Lines of a logger, as a person reads them in one line of a screen."""

from __future__ import annotations

import re
from collections.abc import Sequence

# [WARN] [1712345678.901234567] [robot.teleop]: text
USUAL = re.compile(r'^\[(\w+)\] \[[\d.]+\] \[[^\]]*\]: ')


def headline(lines: Sequence[str]) -> str:
    """Return the first line that begins as a logger's, or else the last: of an exception."""
    for each in lines:
        if USUAL.match(each):
            return USUAL.sub(r'\1: ', each)
    return lines[-1] if lines else ''
