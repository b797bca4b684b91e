"""
Who takes up room at the page's server.

Anybody who can reach the port can open connections without knowing the key. So one on which
nothing is asked is closed after a few seconds, and of those there are never more than a limit: the
oldest makes room for the next. A page that is being used is not among them.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Iterator

from aiohttp import web

QUIET_S = 5.0           # a connection may be open without a request
MAX_QUIET = 100
SWEEP_EVERY_S = 0.5


class Door:
    """Lets connections in, and closes those that only wait."""

    def __init__(self, server: web.Server) -> None:
        self._server = server
        self._quiet: dict[web.RequestHandler, float] = {}       # since when; the oldest first

    def admit(self) -> web.RequestHandler:
        """Return what handles a new connection."""
        made = self._server()
        self._quiet[made] = time.monotonic()
        while len(self._quiet) > MAX_QUIET:
            self._close(next(iter(self._quiet)))
        return made

    @contextlib.contextmanager
    def asking(self, connection: web.RequestHandler) -> Iterator[None]:
        """Return a context in which a connection may take its time."""
        self._quiet.pop(connection, None)
        try:
            yield
        finally:
            if connection.transport is not None:
                self._quiet[connection] = time.monotonic()

    async def sweep(self) -> None:
        """Close what has been quiet for too long, again and again."""
        while True:
            await asyncio.sleep(SWEEP_EVERY_S)
            before = time.monotonic() - QUIET_S
            for connection, since in list(self._quiet.items()):
                if since < before or connection.transport is None:
                    self._close(connection)

    def _close(self, connection: web.RequestHandler) -> None:
        del self._quiet[connection]
        if connection.transport is not None:
            connection.transport.close()
