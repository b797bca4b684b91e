"""What the tests of the nodes share: a graph of real processes."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip('rclpy', reason='needs ROS 2')

from graph import Graph


def pytest_collection_modifyitems(items):
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.ros)


@pytest.fixture
def graph(tmp_path):
    """A graph on a ROS domain of its own; whatever was started is ended."""
    made = Graph(tmp_path)
    yield made
    made.close()
    for process in made.processes:
        # A process that is interrupted before it has begun ends in Python's own words.
        interrupted = process.output.rstrip().endswith('KeyboardInterrupt')
        assert interrupted or 'Traceback' not in process.output, \
            f'{process.name} said:\n{process.output}'
