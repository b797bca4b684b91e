"""
Who takes up room at the page's server.

Anybody who can reach the port can open connections without knowing the key. So one on which
nothing is asked is closed after a few seconds, and for longer than a moment there are never more
of them than a limit: the oldest makes room for the next. A page that is being used is not among
them.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import time
from collections.abc import Iterator

from aiohttp import web

QUIET_S = 5.0           # a connection may be open without a request
UNREAD_S = 5.0          # and is closed at the latest, whatever it has not read yet, after this
MAX_QUIET = 100
BACKLOG = 500           # connections that wait to be let in
REQUEST_WITHIN_S = 0.25     # however many there are: one that knows the key asks at once
MOST_QUIET = 500        # at any time; a process may have 1,024 files by default
SWEEP_EVERY_S = 0.5


class Door:
    """Lets connections in, and closes those that only wait."""

    def __init__(self, server: web.Server) -> None:
        self._server = server
        # Since when; the oldest first.
        self._quiet: dict[web.RequestHandler, float] = {}
        self._closing: dict[web.RequestHandler, float] = {}

    def admit(self) -> web.RequestHandler:
        """Return what handles a new connection; asyncio connects it in a moment."""
        made = self._server()
        self._quiet[made] = time.monotonic()
        self._make_room()
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
            self.sweep_once()

    def sweep_once(self) -> None:
        """Close what has been quiet for too long."""
        now = time.monotonic()
        for connection in _before(self._quiet, now - QUIET_S):
            self._close(connection)
        for connection in _before(self._closing, now - UNREAD_S):
            del self._closing[connection]
            if connection.transport is not None:
                connection.transport.abort()
        self._make_room()

    def _make_room(self) -> None:
        """Close the oldest; one that asyncio has not connected yet is closed by a later call."""
        count, asked_before = len(self._quiet), time.monotonic() - REQUEST_WITHIN_S
        oldest = list(itertools.islice(self._quiet.items(), max(0, count - MAX_QUIET)))
        for place, (connection, since) in enumerate(oldest):
            if connection.transport is not None and (
                    since < asked_before or place < count - MOST_QUIET):
                self._close(connection)

    def _close(self, connection: web.RequestHandler) -> None:
        del self._quiet[connection]
        if connection.transport is not None:
            connection.transport.close()        # as soon as all is sent
            self._closing[connection] = time.monotonic()


def _before(since: dict[web.RequestHandler, float], when: float) -> list[web.RequestHandler]:
    return [connection for connection, began in since.items() if began < when]
