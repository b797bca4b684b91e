"""The visualiser node: shows the lesson and the robot in RViz and Foxglove."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from nav_msgs.msg import OccupancyGrid, Path
from visualization_msgs.msg import MarkerArray

from gbs_irl_ros.core.errors import InvalidMdpError
from gbs_irl_ros.driving.cell_map import CellMap
from gbs_irl_ros.driving.pose import Pose
from gbs_irl_ros.ros import names, qos
from gbs_irl_ros.ros.base_node import BaseNode
from gbs_irl_ros.ros.diagnostics import Health, Level
from gbs_irl_ros.ros.links.lesson_topics import LessonWatcher
from gbs_irl_ros.ros.links.nav2_publisher import Nav2Publisher
from gbs_irl_ros.ros.messages import rviz_markers
from gbs_irl_ros.ros.parameters import parameter
from gbs_irl_ros.ros.robot.backends import PoseParameters, make_pose_source
from gbs_irl_ros.ros.running import run_node
from gbs_irl_ros.tasks import Task
from gbs_irl_ros.tasks.world import World

ROBOTS_BETWEEN = qos.PICTURES.depth // 2


@dataclass(frozen=True)
class VisualiserParameters(PoseParameters):
    """Parameters of the visualiser node."""

    rate: float = parameter(
        10.0, 'How often the robot is drawn, per second.', low=0.1, high=100.0, fixed=True)
    task_map: bool = parameter(
        True, 'Publish the free cells and the walls on task_map.', fixed=True)
    for_nav2: bool = parameter(
        False, 'Publish what a finished lesson has taught for Nav2: keepout_mask, learned_goal '
        'and costmap_filter_info.', fixed=True)


class VisualiserNode(BaseNode[VisualiserParameters]):
    """
    Draws tasks whose states have a place; others it leaves to the teaching page.

    Subscribes: world (World), policy (Policy), belief (Belief), question (Question), and
    where the robot is, as pose_source says. Client of: get_task (GetTask).
    Publishes: task_map and reward_map (nav_msgs/OccupancyGrid), latched: the walls, and the reward
    that is expected so far as costs, 0 best to 98 worst; route (nav_msgs/Path), latched: what
    the robot would do, while it asks whether that is meant, otherwise empty; markers
    (visualization_msgs/MarkerArray): policy, goals, question, robot.
    With the parameter for_nav2 also what Nav2Publisher does. Parameters: see VisualiserParameters.
    """

    def __init__(self, **node_options: Any) -> None:
        super().__init__('visualiser', VisualiserParameters, **node_options)
        self._cells: CellMap | None = None
        self._status_text = 'waiting for the task'
        self._drawn: Pose | None = None     # where the robot was drawn last
        self._pictures: dict[str, MarkerArray] = {}     # the newest of each kind
        self._robots_drawn = 0      # since all pictures were last sent
        self._map = None
        if self.parameters is not None and self.parameters.task_map:
            self._map = self.create_publisher(OccupancyGrid, names.TASK_MAP, qos.LATCHED)
        self._nav2 = None
        if self.parameters is not None and self.parameters.for_nav2:
            self._nav2 = Nav2Publisher(self)
        self._reward_map = self.create_publisher(OccupancyGrid, names.REWARD_MAP, qos.LATCHED)
        self._route = self.create_publisher(Path, names.ROUTE, qos.LATCHED)
        self._markers = self.create_publisher(MarkerArray, names.MARKERS, qos.PICTURES)
        self._watcher = LessonWatcher(
            self, self._on_lesson, 'task', 'belief', 'policy', 'question')
        self._poses = make_pose_source(self, lambda: None)
        if self.parameters is not None:
            self.every(1.0 / self.parameters.rate, self._on_robot_timer)

    def health(self) -> Health:
        """Return what is drawn."""
        return Health(Level.OK, self._status_text)

    def _on_lesson(self, part: str) -> None:
        if part == 'world':
            self._draw_world(self._watcher.world)
        if self._cells is None:
            return
        for drawn, draw in (('belief', self._draw_reward), ('policy', self._draw_policy),
                            ('question', self._draw_question)):
            if part in ('world', drawn):
                draw(self._watcher.task)

    def _draw_world(self, world: World) -> None:
        self._cells = None
        self._pictures.clear()      # of the world before
        self._drawn = None
        try:
            self._cells = CellMap(world)
        except InvalidMdpError as error:
            self._status_text = str(error)
            return
        self._status_text = f'drawing task {world.name!r}'
        if self._map is not None:
            self._map.publish(rviz_markers.map_to_msg(world, self.stamp()))
        if self._nav2 is not None:
            self._nav2.show_world(world)

    def _draw_reward(self, task: Task) -> None:
        belief = self._watcher.belief
        if self._nav2 is not None:
            self._nav2.show_belief(task, belief)
        if belief is not None and belief.task_hash == task.hash \
                and len(belief.probabilities) == task.rewards.num_rewards:
            reward = task.rewards.mixtures(belief.probabilities).by_state(0)
            self._reward_map.publish(
                rviz_markers.reward_map_to_msg(task.world, reward, self.stamp()))

    def _draw_policy(self, task: Task) -> None:
        record = self._watcher.policy
        if record is not None and record.task_hash == task.hash:
            self._draw('policy', rviz_markers.policy_to_msg(
                task.world, self._cells, record.policy, self.stamp()))

    def _draw_question(self, task: Task) -> None:
        self._draw('question', rviz_markers.question_to_msg(
            task.world, self._cells, self._watcher.question, self.stamp()))
        self._route.publish(rviz_markers.route_to_msg(
            task.world, self._cells, self._watcher.question, self.stamp()))

    def _draw(self, kind: str, picture: MarkerArray) -> None:
        self._pictures[kind] = picture
        self._markers.publish(picture)

    def _on_robot_timer(self) -> None:
        pose = self._poses.pose
        if self._cells is not None and pose is not None and pose != self._drawn:
            self._markers.publish(rviz_markers.robot_to_msg(
                self._watcher.world, self._cells, pose, self.stamp()))
            self._drawn = pose
            self._robots_drawn += 1
        if self._robots_drawn >= ROBOTS_BETWEEN:
            # A moving robot would push the other pictures out of what a late reader is sent.
            self._robots_drawn = 0
            for picture in self._pictures.values():
                self._markers.publish(picture)


def main() -> None:
    """Run the node."""
    run_node(VisualiserNode)


if __name__ == '__main__':
    main()
