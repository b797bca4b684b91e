"""Pages that are open and look on."""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
from pathlib import Path

import aiohttp
from waiting import wait_for


class OpenPages:
    """
    Several pages that are open, each with a socket of its own.

    heard: how many changes each was shown.
    """

    def __init__(self, key_file: Path, count: int) -> None:
        self.heard = [0] * count
        self._key_file = key_file
        self._over = asyncio.Event()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Leave."""
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join()

    def _run(self) -> None:
        wait_for(lambda: json.loads(self._key_file.read_text())['port']
                 if self._key_file.exists() else None, 'the page')
        self._loop.run_until_complete(self._live())
        self._loop.close()

    async def _live(self) -> None:
        key = json.loads(self._key_file.read_text())
        origin = f'http://127.0.0.1:{key["port"]}'
        async with aiohttp.ClientSession(origin, headers={'Origin': origin}) as session:
            reading = [asyncio.ensure_future(self._look(session, key['token'], number))
                       for number in range(len(self.heard))]
            await self._over.wait()
            for task in reading:
                task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.gather(*reading)

    async def _look(self, session: aiohttp.ClientSession, token: str, number: int) -> None:
        async with session.ws_connect('/api/live') as live:
            await live.send_json({'token': token})
            async for message in live:
                self.heard[number] += '"now"' in message.data
