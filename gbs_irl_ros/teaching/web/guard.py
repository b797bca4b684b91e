"""
Who may talk to the page's server.

A page of a stranger, open in the same browser, can send requests here and can even make its own
name point here. So every request must name this server itself (Host), must come from its own page
if a page sent it (Origin), and must know the token, which no other page can read.
"""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Iterable

from gbs_irl_ros.teaching.web.commands import RefusedError

BEARER = 'Bearer '


class Guard:
    """The rules."""

    def __init__(self, token: str, names: Iterable[str] = ()) -> None:
        """
        Create the guard.

        :param names: under which the server may be called besides its address.
        """
        self._token = token
        self._names = tuple(name.lower() for name in names)

    def check_place(self, hosts: list[str], origins: list[str], address: str, port: int, *,
                    needs_origin: bool = False) -> None:
        """
        Raise unless a request is meant for this server and comes from its own page, if from one.

        :param hosts, origins: all values of these headers.
        :param address, port: where the request arrived.
        """
        known = self._hosts(address, port)
        if len(hosts) != 1 or hosts[0].lower() not in known:
            raise RefusedError(403, f'this server is not called {_shown(hosts)}; open the page '
                                    f'at one of {sorted(known)}')
        if needs_origin and not origins:
            raise RefusedError(403, 'the request does not say which page it comes from (Origin)')
        if origins and (len(origins) != 1 or origins[0].lower() not in
                        {f'http://{host}' for host in known}):
            raise RefusedError(403, f'pages of {_shown(origins)} may not talk to this server')

    def check_header(self, values: list[str]) -> None:
        """Raise unless the Authorization header holds the token."""
        if len(values) != 1 or not values[0].startswith(BEARER):
            raise RefusedError(401, 'the key is missing: open the address that the node has '
                                    'printed, which ends with it')
        self.check_token(values[0][len(BEARER):])

    def check_token(self, token: object) -> None:
        """Raise unless this is the token."""
        if not isinstance(token, str) or not hmac.compare_digest(
                token.encode('utf-8', 'surrogatepass'), self._token.encode()):
            raise RefusedError(401, 'the key is wrong: open the address that the node has printed')

    def _hosts(self, address: str, port: int) -> set[str]:
        """Return the Host headers of requests that arrive at an address of this machine."""
        try:
            number = ipaddress.ip_address(address.split('%')[0])
        except ValueError:
            return set()
        if isinstance(number, ipaddress.IPv6Address) and number.ipv4_mapped is not None:
            number = number.ipv4_mapped
        literal = f'[{number}]' if number.version == 6 else str(number)
        names = [literal, *self._names, *(['localhost'] if number.is_loopback else [])]
        with_port = {f'{name}:{port}' for name in names}
        return with_port | set(names) if port == 80 else with_port


def _shown(values: list[str]) -> str:
    return repr(values[0][:60]) if len(values) == 1 else f'{len(values)} things at once'
