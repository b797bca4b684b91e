"""The simulator node: a differential-drive robot on the cells of the task, without Gazebo."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from nav_msgs.msg import Odometry

from gbs_irl_ros import msg
from gbs_irl_ros.driving.cell_map import CellMap
from gbs_irl_ros.driving.pose import STOP, Limits, Pose, Velocity
from gbs_irl_ros.driving.simulated_motion import DifferentialDrive
from gbs_irl_ros.ros import names, qos
from gbs_irl_ros.ros.base_node import BaseNode
from gbs_irl_ros.ros.diagnostics import Health, Level
from gbs_irl_ros.ros.messages import task_conversions
from gbs_irl_ros.ros.parameters import ParameterError, parameter
from gbs_irl_ros.ros.robot.cmd_vel import CommandParameters, watch_cmd_vel
from gbs_irl_ros.ros.robot.odometry import odometry_to_msg
from gbs_irl_ros.ros.running import run_node
from gbs_irl_ros.tasks.world import World

STANDING_PERIOD_S = 0.1     # how often a robot that stands says so
LONGEST_STEP_S = 0.2    # after a pause of the machine the robot does not jump,
LONGEST_JUMP_S = 1.0    # nor far when /clock does


@dataclass(frozen=True)
class SimulatorParameters(CommandParameters):
    """Parameters of the simulator node."""

    rate: float = parameter(
        20.0, 'Steps per second; a robot that stands says so ten times a second at most.',
        low=1.0, high=1000.0, fixed=True)
    noise: float = parameter(
        0.05, 'Standard deviation of the velocities, as a share of the commanded ones.', low=0.0,
        high=1.0)
    odometry_noise: float = parameter(
        0.0, 'Standard deviation of the reported position [m].', low=0.0, high=10.0)
    top_speed: float = parameter(
        5.0, 'Speed that the simulated robot can reach [m/s].', low=0.01, high=100.0)
    top_turn: float = parameter(
        10.0, 'Rate of turn that the simulated robot can reach [rad/s].', low=0.01, high=100.0)
    cmd_vel_timeout: float = parameter(
        0.5, 'Stop when there was no command for this long [s].', low=0.05, high=10.0)
    start_state: int = parameter(-1, 'State to start in; -1: as the task says.', low=-1)
    odom_frame: str = parameter('odom', 'Frame of the odometry.')
    seed: int = parameter(
        0, 'Random seed of the noise, and of the start if the task leaves a choice.', low=0)


class SimulatorNode(BaseNode[SimulatorParameters]):
    """
    A robot in the plane, with walls where the task has them.

    It moves by the time that its odometry is stamped with: with use_sim_time by /clock, slower or
    faster than real time, and not at all while that stands still. How old a command is, it judges
    by the steady clock, always.

    Subscribes: world (World), cmd_vel (Twist or TwistStamped).
    Publishes: odom (nav_msgs/Odometry).
    Parameters: see SimulatorParameters.
    """

    def __init__(self, **node_options: Any) -> None:
        super().__init__('simulator', SimulatorParameters, **node_options)
        self._drive: DifferentialDrive | None = None
        self._pose: Pose | None = None
        self._velocity: Velocity = STOP
        self._world: World | None = None
        self._commanded_at = self._moved_at = self.steady()
        self._told_at = 0.0     # where it is
        self._moved_stamp = self.stamp()
        self._status_text = 'waiting for the task'
        self.declared.on_change(self._place_robot)
        self._publisher = self.create_publisher(Odometry, names.ODOM, qos.EVENTS)
        watch_cmd_vel(self, self._on_command)
        self.subscribe(msg.World, names.WORLD, self._on_world, qos.LATCHED)
        rate = self.parameters.rate if self.parameters is not None else SimulatorParameters.rate
        self.every(1.0 / rate, self._on_step_timer)

    def health(self) -> Health:
        """Return whether there is a robot."""
        return Health(Level.OK if self._pose is not None else Level.WARN, self._status_text)

    def _on_world(self, message: msg.World) -> None:
        world = task_conversions.world_from_msg(message)
        if self._world is None or world.hash != self._world.hash:
            self._world, self._drive, self._pose = world, None, None
            if self.parameters is not None:
                self._place_robot(self.parameters)

    def _place_robot(self, parameters: SimulatorParameters) -> None:
        """Put the robot at its start, or change how the one that is there drives."""
        if self._world is None:
            return
        drive = DifferentialDrive(CellMap(self._world), parameters.noise)
        if self._pose is None:
            start = self._start_state(self._world, parameters)
            self._rng = np.random.default_rng([parameters.seed, 1])
            self._pose = Pose(*drive.cells.centre(start), 0.0)
            self._status_text = f'the robot starts at {self._world.state_name(start)}'
            self.get_logger().info(self._status_text)
        self._drive = drive

    def _start_state(self, world: World, parameters: SimulatorParameters) -> int:
        if parameters.start_state >= world.mdp.num_states:
            raise ParameterError(f"parameter 'start_state' must be below {world.mdp.num_states}, "
                                 f'got {parameters.start_state}')
        if parameters.start_state >= 0:
            return parameters.start_state
        rng = np.random.default_rng([parameters.seed, 0])
        return int(rng.choice(world.mdp.num_states, p=world.start))

    def _on_command(self, velocity: Velocity) -> None:
        if self.parameters is not None:
            limits = Limits(self.parameters.top_speed, self.parameters.top_turn)
            self._velocity = limits.bounded(velocity.forward, velocity.turn)
            self._commanded_at = self.steady()

    def _on_step_timer(self) -> None:
        now, stamp = self.steady(), self.stamp()
        seconds = self._passed_s(now, stamp)
        self._moved_at, self._moved_stamp = now, stamp
        if self._drive is None or self._pose is None or self.parameters is None:
            return
        if now - self._commanded_at > self.parameters.cmd_vel_timeout:
            self._velocity = STOP
        if self._velocity.is_zero and now - self._told_at < STANDING_PERIOD_S:
            return
        self._told_at = now
        self._pose = self._drive.moved(self._pose, self._velocity, seconds, self._rng)
        spread = self.parameters.odometry_noise
        x, y = self._rng.normal((self._pose.x, self._pose.y), spread) if spread > 0.0 \
            else (self._pose.x, self._pose.y)
        self._publisher.publish(odometry_to_msg(
            Pose(float(x), float(y), self._pose.yaw), self._velocity, stamp=stamp,
            frame_id=self.parameters.odom_frame, child_frame_id=self.parameters.base_frame))

    def _passed_s(self, now: float, stamp: int) -> float:
        """Return for how long the robot has moved since the last step [s]."""
        if not self.get_clock().ros_time_is_active:
            return min(now - self._moved_at, LONGEST_STEP_S)
        if not self._moved_stamp:
            return 0.0      # this is the first time that /clock tells
        return min(max((stamp - self._moved_stamp) * 1e-9, 0.0), LONGEST_JUMP_S)


def main() -> None:
    """Run the node."""
    run_node(SimulatorNode)


if __name__ == '__main__':
    main()
