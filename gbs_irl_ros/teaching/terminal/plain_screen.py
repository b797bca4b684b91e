"""A lesson for a terminal that cannot draw: what is new is written below what is there."""

from __future__ import annotations

from gbs_irl_ros.teaching.terminal.screen import draw, given
from gbs_irl_ros.teaching.terminal.styled_text import plain
from gbs_irl_ros.teaching.terminal.view import View

COLUMNS = 79
RULE = '-' * COLUMNS


class PlainScreen:
    """Remembers what was written, so that nothing is written twice."""

    def __init__(self) -> None:
        self._whole: object = None
        self._small: object = None

    def news(self, view: View) -> list[str]:
        """Return the lines to write now: everything after a change of the subject."""
        situation = view.situation
        asked = situation.asked
        subject = (situation.status_text if asked is None else asked.id, situation.learner_lives,
                   view.helping, view.driving, _course(view.rehearsal))
        detail = (view.message, view.number, _course(view.demonstrated), situation.recorded)
        lines: list[str] = []
        if subject != self._whole:
            lines = [RULE, *(plain(each).rstrip() for each in draw(view, COLUMNS))]
        elif detail != self._small:
            lines = [*(plain(each) for each in given(view, COLUMNS)),
                     *([view.message] if view.message else [])]
        self._whole, self._small = subject, detail
        return lines


def _course(course: object) -> object:
    return getattr(course, 'states', None)
