"""Task files: their text is cut, spliced and sprinkled with what YAML takes amiss."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

from small_task_files import BASES, KEYS, SCALARS, TOKENS

from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.tasks.task_file import load_task_file
from soak import ROOT
from soak.choices import Choices

TEXT = 'task files'
FAULT = 'gbs_irl_ros.tasks.worlds.grid.read'
WORDS = (*TOKENS, *map(str, SCALARS), *KEYS)


@contextlib.contextmanager
def make(folder: Path) -> Iterator[Callable[[Choices], bool]]:
    """Give the function."""
    (folder / 'maps').symlink_to(ROOT / 'config' / 'tasks' / 'maps')
    path = folder / 'fuzzed.yaml'

    def feed(choose: Choices) -> bool:
        path.write_bytes(mutated(choose).encode('utf-8', 'surrogatepass'))
        try:
            load_task_file(path)
        except GbsIrlError:
            return False
        return True
    yield feed


def mutated(choose: Choices) -> str:
    """Return a task file with some mistakes."""
    text = choose.pick(BASES)
    for _ in range(1 + choose.below(2)):
        at = choose.below(len(text) + 1)
        way = choose.below(4)
        if way == 0:
            text = text[:at] + choose.pick(WORDS) + text[at:]
        elif way == 1:
            text = text[:at] + text[at + 1 + choose.below(8):]
        elif way == 2:
            lines = text.split('\n')
            lines.insert(choose.below(len(lines) + 1),
                         choose.pick(choose.pick(BASES).split('\n')))
            text = '\n'.join(lines)
        else:
            text = _with_other_value(text, choose)
    return text


def _with_other_value(text: str, choose: Choices) -> str:
    """Return the text with another value behind one of its colons."""
    places = [number for number, letter in enumerate(text) if letter == ':']
    if not places:
        return text
    at = choose.pick(places) + 1
    end = min((place for place in (text.find(mark, at) for mark in ',}]\n') if place >= 0),
              default=len(text))
    return f'{text[:at]} {choose.pick(WORDS)}{text[end:]}'
