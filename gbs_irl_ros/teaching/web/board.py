"""
What all pages show now, as named sections; a slow page gets the newest, not all.

Each language that a page is read in has sections of its own.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import Any

from gbs_irl_ros.languages.catalogue import ENGLISH
from gbs_irl_ros.languages.speaking import in_language
from gbs_irl_ros.teaching.lesson_snapshot import LessonSnapshot
from gbs_irl_ros.teaching.web.views import SECTIONS


class _Sections:
    """The sections in one language."""

    def __init__(self) -> None:
        self.shown: dict[str, tuple[int, str]] = {}     # name: version, JSON text
        self.drawn: dict[str, tuple[Any, ...]] = {}     # name: what it was computed from


class Board:
    """Safe to use from many threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._drawing = threading.RLock()       # taken before the other one
        self._languages = {ENGLISH: _Sections()}
        self._version = 0
        self._shown: LessonSnapshot | None = None
        self._on_change: Callable[[], None] = lambda: None

    def on_change(self, callback: Callable[[], None]) -> None:
        """Have a function called after each change, from the thread that made it."""
        self._on_change = callback

    def put(self, section: str, value: Any, language: str = ENGLISH) -> None:
        """Show something in a section; the same as before changes nothing."""
        shown = json.dumps(value, allow_nan=False, separators=(',', ':'))
        with self._lock:
            sections = self._languages[language].shown
            if section in sections and sections[section][1] == shown:
                return
            self._version += 1
            sections[section] = (self._version, shown)
        self._on_change()

    def show(self, lesson: LessonSnapshot) -> None:
        """
        Bring all sections up to date; those that have never had anything to show are left out.

        Not from two threads at a time: the older snapshot could come last.
        """
        with self._drawing:
            if self._shown is not None and lesson.is_like(self._shown):
                return
            self._shown = lesson
            for language in list(self._languages):
                self._draw(lesson, language)

    def read_in(self, language: str) -> None:
        """Show everything in this language, too, from now on."""
        with self._drawing:
            if language in self._languages:
                return
            with self._lock:
                self._languages[language] = _Sections()
            if self._shown is not None:
                self._draw(self._shown, language)

    def news(self, since: int, language: str = ENGLISH) -> tuple[int, str]:
        """Return the version now, and the sections changed since another as JSON; '' if none."""
        with self._lock:
            parts = [f'{json.dumps(name)}:{shown}' for name, (version, shown)
                     in self._languages[language].shown.items() if version > since]
            return self._version, f'{{{",".join(parts)}}}' if parts else ''

    def _draw(self, lesson: LessonSnapshot, language: str) -> None:
        sections = self._languages[language]
        for name, (parts, view) in SECTIONS.items():
            now = tuple(getattr(lesson, part) for part in parts)
            before = sections.drawn.get(name)
            if parts and before is not None \
                    and all(one is other for one, other in zip(now, before, strict=True)):
                continue
            with in_language(language):
                shown = view(lesson.spoken())
            sections.drawn[name] = now
            if shown is not None or name in sections.shown:
                self.put(name, shown, language)
