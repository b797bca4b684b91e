"""
How the nodes reach each other: by sockets, never by shared memory.

Fast DDS puts the messages for a process of the same machine into memory that both share, under
locks that both take. A process that hangs, or is stopped, while it holds one hangs everybody who
writes to it: a controller could not even tell the robot to stop. Measured with two processes, one
of them stopped about 110 times for 0.4 s: one call of ``publish`` in the other took 399 ms with
shared memory, none more than 6 ms with sockets.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from pathlib import Path

from gbs_irl_ros.learning.folders import config_folder

TRANSPORTS = 'FASTDDS_BUILTIN_TRANSPORTS'
# The name in Fast DDS 2 (Jazzy) and in Fast DDS 3 (Kilted).
PROFILES = ('FASTRTPS_DEFAULT_PROFILES_FILE', 'FASTDDS_DEFAULT_PROFILES_FILE')
RANGE = 'ROS_AUTOMATIC_DISCOVERY_RANGE'
LOCALHOST_ONLY = 'ROS_LOCALHOST_ONLY'       # the older way to say LOCALHOST
STATIC_PEERS = 'ROS_STATIC_PEERS'
OURS = 'this_machine.xml'


def use_sockets(environment: MutableMapping[str, str], middleware: str) -> None:
    """
    Choose the transport in the environment of a process that has not started ROS yet.

    Who brings a profile, or names the transports, is left alone. With the range LOCALHOST ROS
    adds shared memory whatever the transports, and listens on all addresses: our profile, which
    listens on 127.0.0.1 only, takes its place, unless there are peers elsewhere.

    :param environment: changed in place.
    :param middleware: in use, such as rmw_fastrtps_cpp; others than Fast DDS are left alone.
    """
    if not middleware.startswith('rmw_fastrtps'):
        return
    if any(Path(environment.get(name) or OURS).name != OURS for name in PROFILES):
        return
    local = environment.get(LOCALHOST_ONLY) == '1' or environment.get(RANGE) == 'LOCALHOST'
    if local and not environment.get(STATIC_PEERS):
        environment.pop(LOCALHOST_ONLY, None)
        environment[RANGE] = 'SYSTEM_DEFAULT'
        for name in PROFILES:
            environment[name] = str(config_folder() / OURS)
    else:
        environment.setdefault(TRANSPORTS, 'UDPv4')
