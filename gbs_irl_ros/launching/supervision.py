"""What follows when a process has ended: it is started again, or everything ends."""

from __future__ import annotations

from collections import deque

from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.starting.missing_modules import NODE_CANNOT_RUN

RESPAWN_DELAY_S = 1.0
MAX_ENDS, WITHIN_S = 5, 60.0        # as often as this within this time is a crash loop
LAST_LINES = 10                     # that are repeated when everything ends


class ProcessEndedError(GbsIrlError):
    """A process has ended without which the system cannot continue."""


class Supervision:
    """
    Remembers how often one process has ended, and what it said last.

    given_up: it has ended for good, and the others continue without it.
    """

    def __init__(self, name: str, *, respawn: bool, needed: bool = True) -> None:
        """
        Begin with a process that has never ended.

        :param respawn: whether it may be started again.
        :param needed: whether the others must end when it has ended for good.
        """
        self.given_up = False
        self._name = name
        self._respawn, self._needed = respawn, needed
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
        if code == NODE_CANNOT_RUN:
            return self._for_good(f'{self._name} cannot run here', list(self._last_lines)[-1:])
        if not self._respawn:
            return self._for_good(how, [])
        self._ended_at.append(now)
        if len(self._ended_at) == MAX_ENDS and now - self._ended_at[0] <= WITHIN_S:
            return self._for_good(f'{how}, the {MAX_ENDS}th time within {WITHIN_S:.0f} s: it is '
                                  'not started again', list(self._last_lines))
        return f'{how}; it is started again'

    def _for_good(self, what: str, last_lines: list[str]) -> str:
        self.given_up = not self._needed
        follows = 'the others continue without it' if self.given_up else 'ending the others'
        said = '. Its last lines:' if last_lines else ''
        text = '\n    '.join((f'{what}; {follows}{said}', *last_lines))
        if not self.given_up:
            raise ProcessEndedError(text)
        return text
