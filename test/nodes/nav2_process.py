"""
A stand-in for Nav2 in a process of its own: the action NavigateToPose, and commands on cmd_vel.

It has one goal at a time: a new one replaces the old one, which ends as aborted, as with Nav2. The
parameter ``mood`` says what it does with goals: drive, reject, abort, be silent, or stop short.
"""

from __future__ import annotations

import math
import signal
import time

import rclpy
from geometry_msgs.msg import Twist
from nav2_msgs.action import NavigateToPose
from nav_msgs.msg import Odometry
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.executors import MultiThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from gbs_irl_ros.driving.drive import towards
from gbs_irl_ros.driving.pose import Limits, Pose
from gbs_irl_ros.ros.robot.cmd_vel import velocity_to_msg
from gbs_irl_ros.ros.robot.odometry import odometry_from_msg, yaw_from_msg

PERIOD_S = 0.05
LIMITS = Limits(0.5, 3.0)
TOLERANCE = 0.25        # [m], Nav2's own


class StandIn(Node):
    """Prints what happens to each goal."""

    def __init__(self):
        super().__init__('nav2')
        self.declare_parameter('mood', 'drive')
        self._pose, self._current = None, None
        self._commands = self.create_publisher(Twist, 'cmd_vel', 10)
        group = ReentrantCallbackGroup()
        self.create_subscription(Odometry, 'odom', self._on_odom, 10, callback_group=group)
        self._server = ActionServer(
            self, NavigateToPose, 'navigate_to_pose', self._execute, callback_group=group,
            goal_callback=self._on_goal, cancel_callback=lambda _: CancelResponse.ACCEPT)

    @property
    def mood(self):
        return self.get_parameter('mood').value

    def _on_odom(self, message):
        self._pose = odometry_from_msg(message)[0]

    def _on_goal(self, request):
        where = request.pose.pose.position
        print(f'{self.mood} {where.x:.1f} {where.y:.1f} '
              f'{yaw_from_msg(request.pose.pose.orientation):.2f} {request.pose.header.frame_id}')
        return GoalResponse.REJECT if self.mood == 'reject' else GoalResponse.ACCEPT

    def _execute(self, handle):
        self._current = handle
        goal = handle.request.pose.pose.position
        while rclpy.ok():
            if self._current is not handle:
                handle.abort()
                return self._ended('replaced')
            if handle.is_cancel_requested:
                self._commands.publish(Twist())
                handle.canceled()
                return self._ended('cancelled')
            if self.mood == 'abort':
                handle.abort()
                return self._ended('aborted', 208, 'no valid path found')
            pose = self._pose or Pose(0.0, 0.0, 0.0)
            left = math.dist((pose.x, pose.y), (goal.x, goal.y))
            if self.mood == 'short' or left < TOLERANCE:
                self._commands.publish(Twist())
                handle.succeed()
                return self._ended('succeeded')
            if self.mood == 'drive':
                self._commands.publish(velocity_to_msg(
                    towards(pose, (goal.x, goal.y), LIMITS)))
                handle.publish_feedback(NavigateToPose.Feedback(distance_remaining=left))
            time.sleep(PERIOD_S)        # the rhythm of its loop; nothing is waited for
        return NavigateToPose.Result()

    def _ended(self, how, code=0, why=''):
        print(how)
        return NavigateToPose.Result(error_code=code, error_msg=why)


def main():
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    signal.signal(signal.SIGINT, signal.SIG_DFL)        # it ends at once, whatever it does
    executor = MultiThreadedExecutor(4)
    executor.add_node(StandIn())
    executor.spin()


if __name__ == '__main__':
    main()
