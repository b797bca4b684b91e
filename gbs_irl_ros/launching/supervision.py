"""What follows when a process has ended: it is started again, or everything ends."""

from __future__ import annotations

from collections import deque

from gbs_irl_ros.core.errors import GbsIrlError

RESPAWN_DELAY_S = 1.0
MAX_ENDS, WITHIN_S = 5, 60.0        # as often as this within this time is a crash loop
LAST_LINES = 10                     # that are repeated when everything ends


class ProcessEndedError(GbsIrlError):
    """A process has ended without which the system cannot continue."""


class Supervision:
    """Remembers how often one process has ended, and what it said last."""

    def __init__(self, name: str, *, respawn: bool) -> None:
        """:param respawn: whether it may be started again."""
        self._name = name
        self._respawn = respawn
        self._ended_at: deque[float] = deque(maxlen=MAX_ENDS)
        self._last_lines: deque[str] = deque(maxlen=LAST_LINES)

    def hear(self, text: str) -> None:
        """Remember what the process has said."""
        self._last_lines.extend(line for line in text.splitlines() if line.strip())

    def see_end(self, code: int, now: float) -> str:
        """
        Return what is done about an end; raise if everything must end, too.

        :param code: exit code, or the negative number of a signal.
        :param now: of a steady clock [s].
        """
        how = f'{self._name} has ended with exit code {code}'
        if not self._respawn:
            raise ProcessEndedError(f'{how}; ending the others')
        self._ended_at.append(now)
        if len(self._ended_at) == MAX_ENDS and now - self._ended_at[0] <= WITHIN_S:
            raise ProcessEndedError('\n    '.join((
                f'{how}, the {MAX_ENDS}th time within {WITHIN_S:.0f} s: it is not started again; '
                'ending the others. Its last lines:', *self._last_lines)))
        return f'{how}; it is started again'
