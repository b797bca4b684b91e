"""Requests to the page: any JSON as the body of any command, on a lesson that is going on."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from small_lessons import corridor_task

from gbs_irl_ros.core.learner import Learner
from gbs_irl_ros.teaching.local_lesson import LocalLesson
from gbs_irl_ros.teaching.web.commands import RefusedError, commands, read_json
from soak.choices import Choices, changed

TEXT = 'requests to the page'
FAULT = 'gbs_irl_ros.teaching.paths.walk'
SHOWN = {'known_as': 'shown', 'steps': [[0, 1], [1, 1]]}
RIGHT: dict[str, Any] = {
    'demonstrate': SHOWN, 'ask_about': {'state': 1}, 'way': {'states': [0, 3]},
    'walk': {'state': 0, 'actions': [1, 1]}, 'rehearse': {'state': 2}, 'drive': {'action': 1},
    'recorded': {'known_as': 'recorded'}}
LONGEST = 30        # answers, then the lesson begins again


class Page:
    """A page on a lesson."""

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        self._lesson = LocalLesson(corridor_task(), Learner(corridor_task()))
        self._commands = commands(self._lesson, self._lesson.snapshot, lambda *_: None)

    def send(self, choose: Choices) -> bool:
        """Send a command; return whether it was carried out."""
        if len(self._lesson.lesson.learner.answers) > LONGEST:
            self.close()
            self._begin()
        name = choose.pick(sorted(self._commands))
        try:
            fields = self._commands[name].checked(read_json(_text(self._body(name, choose))))
            json.dumps(self._commands[name].carry_out(fields), allow_nan=False)
        except RefusedError as refusal:
            if refusal.status >= 500 and refusal.status != 503:
                raise
            return False
        return True

    def close(self) -> None:
        """Forget the lesson."""
        self._lesson.__exit__()

    def _body(self, name: str, choose: Choices) -> Any:
        right = RIGHT.get(name, {})
        now = self._lesson.snapshot().question
        if name in ('answer', 'revise', 'offers') and now is not None:
            right = {'question': now.id}
            if name != 'offers':
                right['answer'] = {'kind': 'action', 'state': now.question.state, 'action': 1}
        return changed(right, choose) if choose.chance(2) else right


def _text(body: Any) -> str:
    try:
        return json.dumps(body)
    except (TypeError, ValueError):
        return '{'


@contextlib.contextmanager
def make(folder: Path) -> Iterator[Callable[[Choices], bool]]:
    """Give the function."""
    page = Page()
    try:
        yield page.send
    finally:
        page.close()
