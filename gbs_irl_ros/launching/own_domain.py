"""A ROS domain in which nobody else on this machine speaks."""

from __future__ import annotations

import errno
import socket
from pathlib import Path

from gbs_irl_ros.core.errors import GbsIrlError

# From the top, as people choose small numbers; ports of those above 100 are given to anybody.
DOMAINS = range(100, 0, -1)
NAME = '\0gbs_irl_ros.domain.{}'     # in the kernel, not in a folder
NETWORK = Path('/proc/self/net')     # of this network namespace
FIRST_PORT, PORTS = 7400, 250       # of domain 0, of each: what RTPS prescribes


class OwnDomain:
    """
    A domain that is free when it is taken, and nobody else's until it is released.

    A socket of a certain name tells all who take one in this way. Others, and what an interrupted
    program has left behind, are known by the ports at which nodes listen. Both are seen by exactly
    those whose nodes would be heard: all users and folders of the same network namespace.

    number: for ``ROS_DOMAIN_ID``.
    """

    def __init__(self) -> None:
        for number in DOMAINS:
            taken = _take(number)
            if taken is None:
                continue
            if number not in _domains_with_nodes():
                self.number, self._taken = number, taken
                return
            taken.close()
        raise GbsIrlError(f'the ROS domains {min(DOMAINS)} to {max(DOMAINS)} are all in use on '
                          'this machine; end what runs there, or set ROS_DOMAIN_ID')

    def release(self) -> None:
        """Let others have it; what was started in it must have ended."""
        self._taken.close()


def _take(number: int) -> socket.socket | None:
    """Return what holds a domain until it is closed, None if somebody else does."""
    holder = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    try:
        holder.bind(NAME.format(number))
    except OSError as error:
        holder.close()
        if error.errno != errno.EADDRINUSE:
            raise
        return None
    return holder


def _domains_with_nodes() -> set[int]:
    """Return the domains in which something listens on this machine."""
    listened = set()
    for table in ('udp', 'udp6'):
        try:
            lines = (NETWORK / table).read_text().splitlines()[1:]
        except OSError:
            continue        # without this protocol, or this kernel
        for line in lines:
            port = int(line.split()[1].rpartition(':')[2], 16)
            listened.add((port - FIRST_PORT) // PORTS)
    return listened
