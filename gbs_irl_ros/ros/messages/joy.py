"""What a joystick says, out of its message."""

from __future__ import annotations

from sensor_msgs.msg import Joy

from gbs_irl_ros.core.errors import InvalidRecordError

MOST = 1000     # axes or buttons


def joy_from_msg(message: Joy) -> tuple[list[float], list[int]]:
    """Return the axes and the buttons; raise if no joystick can have as many."""
    for name, values in (('axes', message.axes), ('buttons', message.buttons)):
        if len(values) > MOST:
            raise InvalidRecordError(f'a joystick must have at most {MOST} {name}, got '
                                     f'{len(values)}')
    return list(message.axes), list(message.buttons)
