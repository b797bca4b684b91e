"""What the tests of the shared code of the nodes share."""

from __future__ import annotations

import pytest
from ros_fixtures import bench, domain, nowhere_else, parallel_bench  # noqa: F401


@pytest.fixture
def said(capfd):
    """A function that returns everything that was logged so far."""
    heard = []

    def everything():
        heard.append(capfd.readouterr().err)
        return ''.join(heard)
    return everything
