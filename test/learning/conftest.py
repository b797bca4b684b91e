"""What the tests of lessons share."""

from __future__ import annotations

import pytest
from small_lessons import close_lessons

from gbs_irl_ros.tasks import load_task


@pytest.fixture(scope='module')
def room():
    task = load_task('room')
    task.compile()
    return task


@pytest.fixture(autouse=True)
def _close_lessons():
    yield
    close_lessons()
