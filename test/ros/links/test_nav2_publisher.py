"""What a finished lesson says to Nav2 where Nav2's messages are not installed."""

from __future__ import annotations

import sys

import pytest

pytest.importorskip('rclpy', reason='needs ROS 2')

from geometry_msgs.msg import PoseStamped
from lesson_fakes import square_task
from nav_msgs.msg import OccupancyGrid
from waiting import wait_for

from gbs_irl_ros.ros import names, qos
from gbs_irl_ros.ros.base_node import BaseNode, NodeParameters
from gbs_irl_ros.ros.links.nav2_publisher import WITHOUT_NAV2, Nav2Publisher

pytestmark = pytest.mark.ros


def test_without_nav2_msgs_one_sentence_says_so_and_the_rest_is_published(bench, monkeypatch):
    for name in ('nav2_msgs', 'nav2_msgs.msg'):
        monkeypatch.setitem(sys.modules, name, None)
    node, warned = bench.make(BaseNode, NodeParameters), []
    monkeypatch.setattr(node.get_logger(), 'warning', warned.append)
    publisher = Nav2Publisher(node)
    assert warned == [WITHOUT_NAV2]
    assert node.count_publishers(names.COSTMAP_FILTER_INFO) == 0
    world = square_task().world
    masks = bench.listen(OccupancyGrid, names.KEEPOUT_MASK, qos.LATCHED)
    goals = bench.listen(PoseStamped, names.LEARNED_GOAL, qos.LATCHED)
    publisher.show_world(world)
    wait_for(lambda: masks and goals, 'a mask and a goal')
    assert list(masks[-1].data) == [0] * 9
    assert goals[-1].header.frame_id == ''
