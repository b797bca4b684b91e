"""A learner that writes every seventh answer twice."""

from __future__ import annotations

from typing import Any

from gbs_irl_ros.learning import journal
from gbs_irl_ros.nodes import learner

EVERY = 7
_append = journal.Journal.append
_seen = [0]


def append(self: journal.Journal, entry: dict[str, Any], *, durable: bool = True) -> None:
    """Write an entry, or two."""
    _append(self, entry, durable=durable)
    if entry.get('event') == 'answered':
        _seen[0] += 1
        if _seen[0] % EVERY == 0:
            _append(self, entry, durable=durable)


if __name__ == '__main__':
    journal.Journal.append = append     # type: ignore[method-assign]
    learner.main()
