"""What every test has that uses ROS in its own process."""

from __future__ import annotations

import pytest

from gbs_irl_ros.launching.own_domain import OwnDomain


@pytest.fixture(autouse=True)
def nowhere_else(tmp_path, monkeypatch):
    """Keep what ROS writes in the folder of the test."""
    monkeypatch.setenv('ROS_LOG_DIR', str(tmp_path / 'log'))
    monkeypatch.setenv('ROS_HOME', str(tmp_path / 'home'))


@pytest.fixture
def domain(monkeypatch):
    """The number of a ROS domain that no other test has."""
    taken = OwnDomain()
    monkeypatch.setenv('ROS_DOMAIN_ID', str(taken.number))
    yield taken.number
    taken.release()


@pytest.fixture
def bench(domain):
    """A place for nodes of this process; their callbacks run one after the other."""
    from in_process import Bench
    made = Bench(domain)
    yield made
    made.close()


@pytest.fixture
def parallel_bench(domain):
    """A place for nodes of this process, with several threads."""
    from in_process import Bench
    made = Bench(domain, parallel=True)
    yield made
    made.close()
