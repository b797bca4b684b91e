"""What the command prints: no name in a file can play tricks on the terminal."""

from __future__ import annotations

import sys
from typing import TextIO

from gbs_irl_ros.core.printable import printable


def say(text: object = '', *, file: TextIO | None = None) -> None:
    """Print a text with all control characters but newlines made visible."""
    print(printable(text, longest=sys.maxsize), file=file or sys.stdout, flush=True)
