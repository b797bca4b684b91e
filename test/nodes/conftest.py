"""What the tests of the nodes share: a graph of real processes."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip('rclpy', reason='needs ROS 2')

from graph import running_graph


def pytest_collection_modifyitems(items):
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.ros)


@pytest.fixture
def graph(tmp_path):
    """A graph on a ROS domain of its own; whatever was started is ended."""
    with running_graph(tmp_path) as made:
        yield made
