"""What a finished lesson says to Nav2: where not to drive, and where to go."""

from __future__ import annotations

from geometry_msgs.msg import PoseStamped
from nav_msgs.msg import OccupancyGrid

from gbs_irl_ros.learning.records import BeliefRecord, Status
from gbs_irl_ros.ros import names, qos
from gbs_irl_ros.ros.base_node import BaseNode
from gbs_irl_ros.ros.messages import nav2_messages
from gbs_irl_ros.tasks.keepout import Guidance, guidance, no_mask
from gbs_irl_ros.tasks.task import Task
from gbs_irl_ros.tasks.world import World

WITHOUT_NAV2 = ('costmap_filter_info is not published, because nav2_msgs is not installed: add '
                'it (ros-jazzy-nav2-msgs), or start costmap_filter_info_server of Nav2 with the '
                'parameters that `gbs-irl export` writes')


class Nav2Publisher:
    """
    Publishes what the most probable task says as long as the lesson is done, otherwise nothing.

    Publishes, all latched: keepout_mask (nav_msgs/OccupancyGrid): 100 never enter, 1 to 99
    undesirable, 0 free, everywhere 0 while the lesson is not done; learned_goal
    (geometry_msgs/PoseStamped), with an empty frame_id while there is none; costmap_filter_info
    (nav2_msgs/CostmapFilterInfo), where nav2_msgs is installed.
    """

    def __init__(self, node: BaseNode) -> None:
        self._node = node
        self._mask = node.create_publisher(OccupancyGrid, names.KEEPOUT_MASK, qos.LATCHED)
        self._goal = node.create_publisher(PoseStamped, names.LEARNED_GOAL, qos.LATCHED)
        kind = nav2_messages.filter_info_kind()
        self._info = None
        if kind is not None:
            self._info = node.create_publisher(kind, names.COSTMAP_FILTER_INFO, qos.LATCHED)
        else:
            node.get_logger().warning(WITHOUT_NAV2)
        self._told: tuple[str, int | None, tuple] | None = None

    def show_world(self, world: World) -> None:
        """Say of which world all this is; whatever was said before is withdrawn."""
        self._told = None
        self._publish(world, Guidance(no_mask(world), None))
        if self._info is not None:
            self._info.publish(nav2_messages.filter_info_to_msg(
                world, self._mask.topic_name, self._node.stamp()))

    def show_belief(self, task: Task, belief: BeliefRecord | None) -> None:
        """Say what was learned if the lesson is done; withdraw it if it is not."""
        is_done = belief is not None and belief.status is Status.DONE \
            and belief.task_hash == task.hash
        told = None if belief is None or not is_done \
            else (task.hash, belief.map_hypothesis, belief.places)
        if told == self._told:
            return      # a costmap reads the whole mask again whenever it comes
        self._told = told
        self._publish(task.world, Guidance(no_mask(task.world), None) if told is None
                      else guidance(task, told[1]))

    def _publish(self, world: World, said: Guidance) -> None:
        stamp = self._node.stamp()
        self._mask.publish(nav2_messages.mask_to_msg(world, said.mask, stamp))
        self._goal.publish(nav2_messages.goal_to_msg(world, said.goal, stamp))
