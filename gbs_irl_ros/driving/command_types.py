"""Whether those who send and take velocity commands mean the same type of message."""

from __future__ import annotations

from dataclasses import dataclass

TWIST, STAMPED = 'Twist', 'TwistStamped'
FULL_NAMES = {f'geometry_msgs/msg/{name}': name for name in (TWIST, STAMPED)}


@dataclass(frozen=True)
class CommandTypes:
    """
    The types on the topic of the commands: Twist or TwistStamped; what else is there is ignored.

    ROS connects equal types only, and says nothing of others.

    sent: by this node, which also listens to it.
    taken, given: that others subscribe to and publish.
    """

    sent: str
    taken: frozenset[str] = frozenset()
    given: frozenset[str] = frozenset()

    @property
    def mismatch(self) -> tuple[str, ...] | None:
        """Return the type sent, the one wanted, and stamped_cmd_vel for it; None if all fits."""
        if not self.taken or self.sent in self.taken:
            return None
        return self.sent, self._other, self._stamped

    @property
    def complaints(self) -> list[str]:
        """Return what a person should know, and can do about it."""
        lines = []
        if self.mismatch is not None:
            lines.append(f'nobody takes cmd_vel as {self.sent}, which is sent, but somebody as '
                         f'{self._other}: the robot will not move. Start the nodes with the '
                         f'parameter stamped_cmd_vel: {self._stamped}')
        if self.given - {self.sent}:
            lines.append(f'somebody sends {self._other} on cmd_vel, which is not seen here, as '
                         f'{self.sent} is expected: if that one drives the robot, it is not '
                         f'noticed. Let it send {self.sent}, or start the nodes with the '
                         f'parameter stamped_cmd_vel: {self._stamped}')
        return lines

    @property
    def _other(self) -> str:
        return STAMPED if self.sent == TWIST else TWIST

    @property
    def _stamped(self) -> str:
        return 'true' if self.sent == TWIST else 'false'
