"""What was learned, in messages that Nav2 reads."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
from geometry_msgs.msg import PoseStamped
from nav_msgs.msg import OccupancyGrid

from gbs_irl_ros.ros.messages.conversions import stamp_to_msg
from gbs_irl_ros.ros.messages.fields import real, text
from gbs_irl_ros.ros.messages.rviz_markers import grid_to_msg
from gbs_irl_ros.tasks.keepout import FREE
from gbs_irl_ros.tasks.world import World

KEEPOUT_FILTER = 0


def mask_to_msg(world: World, mask: np.ndarray, stamp: int) -> OccupancyGrid:
    """Return a keep-out mask ``[S]`` as in ``tasks.keepout``; walls are free."""
    return grid_to_msg(world, mask, FREE, stamp)


def goal_to_msg(world: World, state: int | None, stamp: int) -> PoseStamped:
    """Return the middle of a state, in the direction of x; without a frame if there is none."""
    message = PoseStamped()
    message.header.stamp = stamp_to_msg(stamp)
    message.pose.orientation.w = 1.0
    positions = world.appearance.positions
    if state is not None and positions is not None:
        message.header.frame_id = text('frame_id', world.appearance.frame_id)
        message.pose.position.x = real('x', positions[state][0])
        message.pose.position.y = real('y', positions[state][1])
    return message


def filter_info_kind() -> Any:
    """Return the type CostmapFilterInfo, None where nav2_msgs is not installed."""
    try:
        return importlib.import_module('nav2_msgs.msg').CostmapFilterInfo
    except ImportError:
        return None


def filter_info_to_msg(world: World, mask_topic: str, stamp: int) -> Any:
    """Return what Nav2's KeepoutFilter must know of the mask; only where nav2_msgs is there."""
    message = filter_info_kind()()
    message.header.stamp = stamp_to_msg(stamp)
    message.header.frame_id = text('frame_id', world.appearance.frame_id)
    message.type = KEEPOUT_FILTER
    message.filter_mask_topic = text('filter_mask_topic', mask_topic)
    message.base, message.multiplier = 0.0, 1.0         # the values are those of the mask
    return message
