"""A learner whose disk hangs while a file exists; it says so by another file."""

from __future__ import annotations

import os
import time
from pathlib import Path
from types import SimpleNamespace

from gbs_irl_ros.learning import journal
from gbs_irl_ros.nodes import learner

LOOK_EVERY_S = 0.01


def fsync(file: int) -> None:
    """Write to disk, when that works again."""
    hang = Path(os.environ['GBS_IRL_SOAK_HANG'])
    if hang.exists():
        hang.with_suffix('.begun').touch()      # its time says since when
    while hang.exists():
        time.sleep(LOOK_EVERY_S)
    os.fsync(file)


if __name__ == '__main__':
    journal.os = SimpleNamespace(**{**vars(os), 'fsync': fsync})    # type: ignore[assignment]
    learner.main()
