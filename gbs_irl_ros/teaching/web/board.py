"""What all pages show now, as named sections; a slow page gets the newest, not all."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import Any

from gbs_irl_ros.teaching.lesson_snapshot import LessonSnapshot
from gbs_irl_ros.teaching.web.views import SECTIONS


class Board:
    """Safe to use from many threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sections: dict[str, tuple[int, str]] = {}     # name: version, JSON text
        self._version = 0
        self._drawn: dict[str, tuple[Any, ...]] = {}        # name: what it was computed from
        self._shown: LessonSnapshot | None = None
        self._on_change: Callable[[], None] = lambda: None

    def on_change(self, callback: Callable[[], None]) -> None:
        """Have a function called after each change, from the thread that made it."""
        self._on_change = callback

    def put(self, section: str, value: Any) -> None:
        """Show something in a section; the same as before changes nothing."""
        shown = json.dumps(value, allow_nan=False, separators=(',', ':'))
        with self._lock:
            if section in self._sections and self._sections[section][1] == shown:
                return
            self._version += 1
            self._sections[section] = (self._version, shown)
        self._on_change()

    def show(self, lesson: LessonSnapshot) -> None:
        """
        Bring all sections up to date; those that have never had anything to show are left out.

        Not from two threads at a time: the older snapshot could come last.
        """
        if self._shown is not None and lesson.is_like(self._shown):
            return
        self._shown = lesson
        for name, (parts, view) in SECTIONS.items():
            now = tuple(getattr(lesson, part) for part in parts)
            before = self._drawn.get(name)
            if parts and before is not None \
                    and all(one is other for one, other in zip(now, before, strict=True)):
                continue
            shown = view(lesson)
            self._drawn[name] = now
            if shown is not None or name in self._sections:
                self.put(name, shown)

    def news(self, since: int) -> tuple[int, str]:
        """Return the version now, and the sections changed since another as JSON; '' if none."""
        with self._lock:
            parts = [f'{json.dumps(name)}:{shown}'
                     for name, (version, shown) in self._sections.items() if version > since]
            return self._version, f'{{{",".join(parts)}}}' if parts else ''
