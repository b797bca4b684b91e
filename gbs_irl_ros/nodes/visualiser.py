"""The visualiser node: shows the lesson and the robot in RViz and Foxglove."""

from __future__ import annotations

from dataclasses import dataclass

from nav_msgs.msg import OccupancyGrid
from visualization_msgs.msg import MarkerArray

from gbs_irl_ros import msg
from gbs_irl_ros.core.errors import InvalidMdpError
from gbs_irl_ros.driving.cell_map import CellMap
from gbs_irl_ros.ros import names, qos
from gbs_irl_ros.ros.base_node import BaseNode
from gbs_irl_ros.ros.diagnostics import Health, Level
from gbs_irl_ros.ros.links.task_client import TaskClient
from gbs_irl_ros.ros.messages import conversions, rviz_markers
from gbs_irl_ros.ros.parameters import parameter
from gbs_irl_ros.ros.robot.backends import PoseParameters, make_pose_source
from gbs_irl_ros.ros.running import run_node
from gbs_irl_ros.tasks import Task

FETCH_PERIOD_S = 1.0


@dataclass(frozen=True)
class VisualiserParameters(PoseParameters):
    """Parameters of the visualiser node."""

    rate: float = parameter(
        10.0, 'How often the robot is drawn, per second.', low=0.1, high=100.0, fixed=True)


class VisualiserNode(BaseNode[VisualiserParameters]):
    """
    Draws tasks whose states have a place; others it leaves to the teaching page.

    Subscribes: world (World), policy (Policy), belief (Belief), question (Question), odom
    (nav_msgs/Odometry). Client of: get_task (GetTask).
    Publishes: map and reward_map (nav_msgs/OccupancyGrid), latched: the walls, and the reward
    that is expected so far as costs, 0 best to 98 worst; markers
    (visualization_msgs/MarkerArray): policy, goals, question, robot.
    Parameters: see VisualiserParameters.
    """

    def __init__(self) -> None:
        super().__init__('visualiser', VisualiserParameters)
        self._task: Task | None = None
        self._cells: CellMap | None = None
        self._status_text = 'waiting for the task'
        self._belief: msg.Belief | None = None
        self._policy: msg.Policy | None = None
        self._question: msg.Question | None = None
        self._has_moved = False     # since the robot was last drawn
        self._tasks = TaskClient(self, self._on_fetched_task)
        self._map = self.create_publisher(OccupancyGrid, names.MAP, qos.LATCHED)
        self._reward_map = self.create_publisher(OccupancyGrid, names.REWARD_MAP, qos.LATCHED)
        self._markers = self.create_publisher(MarkerArray, names.MARKERS, qos.PICTURES)
        self.subscribe(msg.World, names.WORLD, self._on_world, qos.LATCHED)
        self.subscribe(msg.Belief, names.BELIEF, self._on_belief, qos.LATCHED)
        self.subscribe(msg.Policy, names.POLICY, self._on_policy, qos.LATCHED)
        self.subscribe(msg.Question, names.QUESTION, self._on_question, qos.LATCHED)
        self._poses = make_pose_source(self, self._on_pose)
        self.every(FETCH_PERIOD_S, self._on_fetch_timer)
        if self.parameters is not None:
            self.every(1.0 / self.parameters.rate, self._on_robot_timer)

    def health(self) -> Health:
        """Return what is drawn."""
        return Health(Level.OK, self._status_text)

    def _on_world(self, message: msg.World) -> None:
        if self._task is not None and message.hash != self._task.hash:
            self._task = self._cells = None
        self._on_fetch_timer()

    def _on_fetch_timer(self) -> None:
        if self._task is None:
            self._tasks.fetch()

    def _on_fetched_task(self, task: Task) -> None:
        self._task = task
        try:
            self._cells = CellMap(task.world)
        except InvalidMdpError as error:
            self._status_text = str(error)
            return
        self._status_text = f'drawing task {task.world.name!r}'
        self._map.publish(rviz_markers.map_to_msg(task.world, self.stamp()))
        for kept, draw in ((self._belief, self._on_belief), (self._policy, self._on_policy),
                           (self._question, self._on_question)):
            if kept is not None:
                draw(kept)

    def _on_belief(self, message: msg.Belief) -> None:
        self._belief = message
        if self._cells is None:
            return
        belief = conversions.belief_from_msg(message)
        if belief.task_hash != self._task.hash:
            return
        reward = self._task.rewards.mixtures(belief.probabilities).by_state(0)
        self._reward_map.publish(
            rviz_markers.reward_map_to_msg(self._task.world, reward, self.stamp()))

    def _on_policy(self, message: msg.Policy) -> None:
        self._policy = message
        if self._cells is None:
            return
        record = conversions.policy_from_msg(message, self._task.world.mdp.num_actions)
        if record.task_hash == self._task.hash:
            self._markers.publish(rviz_markers.policy_to_msg(
                self._task.world, self._cells, record.policy, self.stamp()))

    def _on_question(self, message: msg.Question) -> None:
        self._question = message
        if self._cells is None:
            return
        question = conversions.question_from_msg(message) if message.id else None
        self._markers.publish(rviz_markers.question_to_msg(
            self._task.world, self._cells, question, self.stamp()))

    def _on_pose(self) -> None:
        self._has_moved = True

    def _on_robot_timer(self) -> None:
        pose = self._poses.pose
        if self._cells is not None and pose is not None and self._has_moved:
            self._markers.publish(rviz_markers.robot_to_msg(
                self._task.world, self._cells, pose, self.stamp()))
            self._has_moved = False


def main() -> None:
    """Run the node."""
    run_node(VisualiserNode)


if __name__ == '__main__':
    main()
