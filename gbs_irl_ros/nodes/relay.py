"""The relay node: passes commands on to a base, and tells it to stand when none come."""

from __future__ import annotations

from dataclasses import dataclass

from gbs_irl_ros import msg
from gbs_irl_ros.driving.command_timeout import CommandTimeout
from gbs_irl_ros.driving.pose import STOP
from gbs_irl_ros.driving.stop_hold import StopHold
from gbs_irl_ros.learning.execution import ExecutionReason
from gbs_irl_ros.ros import names, qos
from gbs_irl_ros.ros.base_node import BaseNode
from gbs_irl_ros.ros.diagnostics import Health, Level
from gbs_irl_ros.ros.messages import conversions
from gbs_irl_ros.ros.parameters import parameter
from gbs_irl_ros.ros.robot.cmd_vel import (
    CmdVel,
    Command,
    CommandParameters,
    command_from_msg,
    watch_commands,
)
from gbs_irl_ros.ros.running import run_node

DEFAULT_TIMEOUT_S = 0.4
LOOK_EVERY_S = 1.0          # whether the base takes what is sent
LAST_COMMAND_S = 0.2        # how long the end of the node waits for its last command to be sent


@dataclass(frozen=True)
class RelayParameters(CommandParameters):
    """Parameters of the relay node."""

    timeout: float = parameter(
        DEFAULT_TIMEOUT_S, 'Tell the robot to stand when no command came for this long [s].',
        low=0.1, high=0.5, fixed=True)


class RelayNode(BaseNode[RelayParameters]):
    """
    Stands between those who drive and a base that would obey its last command for ever.

    It runs on the steady clock: a simulation that pauses or is slow changes nothing.

    Nor does anything get past it while a controller holds a STOP against others: there the robot
    really stands, whoever sends motion and however fast. When that ends is judged here, as there:
    others may say that it has ended, too.

    Subscribes: cmd_vel (Twist or TwistStamped), execution (Execution). Publishes: cmd_vel_out (the
    type of cmd_vel): each command as it is, and zeros at the start, at the end, while nobody
    commands and instead of motion while STOP holds.
    Parameters: see RelayParameters.
    """

    def __init__(self) -> None:
        super().__init__('relay', RelayParameters)
        self._out = CmdVel(self, names.CMD_VEL_OUT)
        self._timeout = CommandTimeout(DEFAULT_TIMEOUT_S if self.parameters is None
                                       else self.parameters.timeout)
        self._problem = self._mismatch = ''
        if self._out.topic == self.resolve_topic_name(names.CMD_VEL):
            self._problem = (f'nothing is passed on: commands would come from {self._out.topic} '
                             f'and go to the same topic; remap {names.CMD_VEL_OUT} to what the '
                             'base listens to')
            self.get_logger().error(self._problem)
            return
        self._hold = StopHold()
        self._executions = self.subscribe(
            msg.Execution, names.EXECUTION, self._on_execution, qos.ALL_STATES)
        watch_commands(self, self._on_command)
        self.every(self._timeout.period_s, self._on_timer)
        self.every(LOOK_EVERY_S, self._on_look_timer)

    def health(self) -> Health:
        """Return whether commands come."""
        if self._problem or self._mismatch:
            return Health(Level.ERROR, self._problem or self._mismatch)
        return Health(Level.OK, 'nobody drives: the robot is told to stand'
                      if self._timeout.is_silent(self.steady()) else 'commands are passed on')

    def finish(self) -> None:
        """Tell the robot to stand: this is the last that it hears of this node."""
        if not self._problem:
            self._out.send(STOP)
            self._out.flush(LAST_COMMAND_S)

    def _on_execution(self, message: msg.Execution) -> None:
        told = conversions.execution_from_msg(message)
        if told.reason is ExecutionReason.HELD:
            self._hold.see_held(told.held_s, self.steady())

    def _on_command(self, message: Command) -> None:
        velocity = command_from_msg(message)        # what is not finite is refused here
        if not velocity.is_zero:
            self.read_waiting(self._executions)     # a STOP may wait behind a flood of others
        now = self.steady()
        self._timeout.see_command(now)
        if not velocity.is_zero and self._hold.stops(now):
            self._out.send(STOP)
        else:
            self._out.forward(message)

    def _on_timer(self) -> None:
        if self._timeout.wants_zero(self.steady()):
            self._out.send(STOP)

    def _on_look_timer(self) -> None:
        """Notice a base that takes the other type of command: nothing else would say so."""
        found, before = self._out.types().mismatch, self._mismatch
        self._mismatch = '' if found is None else (
            f'whoever listens on {self._out.topic} takes {found[1]}, and is sent {found[0]}: '
            f'start the nodes with the parameter stamped_cmd_vel: {found[2]}')
        if self._mismatch and self._mismatch != before:
            self.get_logger().error(self._mismatch)


def main() -> None:
    """Run the node."""
    run_node(RelayNode)


if __name__ == '__main__':
    main()
