"""Journals with right checksums and wrong contents, and with wrong bytes: read and replayed."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path

from small_lessons import corridor_task, random_lesson

from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.learning import journal
from gbs_irl_ros.learning.events import event_from_json
from gbs_irl_ros.learning.lesson_state import LessonState
from soak.choices import Choices, changed

TEXT = 'journals'
FAULT = 'gbs_irl_ros.learning.lesson_state.LessonState._check_began'
LESSONS = 12


@contextlib.contextmanager
def make(folder: Path) -> Iterator[Callable[[Choices], bool]]:
    """Give the function."""
    task = corridor_task()
    seeds = []
    for number in range(LESSONS):
        path = folder / f'lesson-{number}.jsonl'
        random_lesson(path, 8, seed=number).close()
        seeds.append(journal.read_journal(path))

    def feed(choose: Choices) -> bool:
        entries = list(choose.pick(seeds))
        for _ in range(1 + choose.below(2)):
            at = choose.below(len(entries))
            entries[at] = changed(entries[at], choose)
            if choose.chance(6):
                entries.insert(choose.below(len(entries)), choose.pick(entries))
            if choose.chance(6):
                del entries[choose.below(len(entries))]
        return replay(bent(entries, choose), task)
    yield feed


def bent(entries: list[object], choose: Choices) -> bytes:
    """Return the file of some entries, now and then with a wrong byte."""
    content, total = b'', 0
    for entry in entries:
        try:
            line, total = journal.encode(entry, total)      # type: ignore[arg-type]
        except (ValueError, UnicodeEncodeError):    # what no journal can be made to hold
            continue
        content += line
    if choose.chance(4) and content:
        at = choose.below(len(content))
        content = content[:at] + bytes([choose.below(256)]) + content[at + choose.below(3):]
    return content


def replay(content: bytes, task: object) -> bool:
    """Read a journal and follow it; return whether that could be done to the end."""
    try:
        entries = journal.decode(content, 'fuzzed').entries
        state = LessonState(task)       # type: ignore[arg-type]
        for entry in entries:
            state.follow(event_from_json(entry))
        json.dumps(list(state.given))
    except GbsIrlError:
        return False
    return True
