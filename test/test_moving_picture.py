"""The moving picture of README.md is of the lesson that the package gives now."""

from __future__ import annotations

import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).parent.parent
LARGEST = 400_000       # bytes


@pytest.mark.slow
def test_the_lesson_of_the_moving_picture_is_given_again():
    sys.path.insert(0, str(ROOT / 'tools'))
    try:
        import moving_picture
    finally:
        sys.path.remove(str(ROOT / 'tools'))
    task, first, turns = moving_picture.give_lesson()
    last = turns[-1].after
    drawn = moving_picture.draw(task, first, turns, moving_picture.drive(task, last))
    assert last.certainty > 0.95
    assert drawn == moving_picture.FILE.read_text(encoding='utf-8'), (
        'questions, answers or sentences are others than those of docs/lesson.svg: run '
        '`tools/ros-env python tools/moving_picture.py`, and look at it in a browser')
    parts = {element.tag.split('}')[1] for element in ElementTree.fromstring(drawn).iter()}
    assert 'script' not in parts        # a forge shows it as a picture
    assert len(drawn) < LARGEST
    assert '(docs/lesson.svg)' in (ROOT / 'README.md').read_text(encoding='utf-8')
