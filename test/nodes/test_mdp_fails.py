"""An mdp node that cannot plan says so, whatever the reason."""

from __future__ import annotations

import pytest

pytest.importorskip('rclpy', reason='needs ROS 2')

import rclpy
from waiting import wait_for

from gbs_irl_ros.nodes import mdp
from gbs_irl_ros.ros.diagnostics import Level


@pytest.fixture
def context(monkeypatch):
    rclpy.init()
    yield
    rclpy.shutdown()


@pytest.mark.parametrize(('error', 'words'), [
    (MemoryError('Unable to allocate 5.7 GiB'), 'there is not enough memory for it'),
    (OverflowError('too large'), 'OverflowError: too large')])
def test_it_does_not_plan_for_ever(context, monkeypatch, error, words, capfd):
    def fail(*given, **options):
        raise error

    monkeypatch.setattr(mdp, 'load_task', fail)
    said = []

    def logged():
        said.append(capfd.readouterr().err)
        return f'the task cannot be served: {words}' in ''.join(said)

    node = mdp.MdpNode()
    try:
        wait_for(logged, 'a word about it')
        assert node.health().level == Level.ERROR
        assert node.health().text == f'the task cannot be served: {words}'
    finally:
        node.destroy_node()
