"""The server of the teaching page: files, commands, and a socket that shows what is going on."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import logging
import re
import threading
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from pathlib import Path
from typing import Any, TypeVar

from aiohttp import WSCloseCode, WSMsgType, web

from gbs_irl_ros.languages.catalogue import ENGLISH, catalogue, languages
from gbs_irl_ros.languages.speaking import in_language, language
from gbs_irl_ros.teaching.web.board import Board
from gbs_irl_ros.teaching.web.commands import Command, RefusedError, read_json
from gbs_irl_ros.teaching.web.door import BACKLOG, Door
from gbs_irl_ros.teaching.web.guard import Guard

LOG = logging.getLogger(__name__)
LIVE = '/api/live'
PAGE = Path(__file__).parent / 'page'
LARGEST_BODY = 64 * 1024
BODY_WITHIN_S = 5.0
URGENT_WITHIN_S = 1.0       # a request is answered: a STOP that nobody confirms goes on
MAX_SOCKETS = 50
MAX_STRANGERS = 20          # sockets from which the key has not come yet
MAX_COMMANDS = 32          # of one socket at the same time
TOKEN_WITHIN_S = 3.0
GOODBYE_WITHIN_S = 1.0      # from a socket that is being closed
PING_EVERY_S = 10.0
COMPRESSED_AT_ONCE = 4096   # characters: aiohttp does so up to 16,384 bytes
TICK_EVERY_S = 2.0          # a page counts longer silence as a lost connection
LAST_WAIT_S = 0.5           # for what is cancelled at the end
WORKERS, URGENT_WORKERS = 8, 2

TYPES = {'.html': 'text/html', '.css': 'text/css', '.js': 'text/javascript',
         '.json': 'application/json', '.svg': 'image/svg+xml',
         '.webmanifest': 'application/manifest+json'}
HEADERS = {
    'Content-Security-Policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    'X-Content-Type-Options': 'nosniff', 'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer', 'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin', 'Cache-Control': 'no-store'}
KEPT = {'Cache-Control': 'private, max-age=31536000, immutable'}

T = TypeVar('T')
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class PageServer:
    """
    Serves the page from a thread of its own.

    ``GET /`` and the page's files need no token; everything under ``/api`` does:
    ``GET /api/state`` returns all sections of the board, ``POST /api/COMMAND`` carries out a
    command, and ``/api/live`` is a WebSocket on which the sections come as they change and
    commands can be sent as ``{"do": COMMAND, "number": N, "with": {...}}``. Its first message is
    ``{"token": KEY, "language": CODE}``: texts come in that language, elsewhere in English.
    """

    def __init__(self, board: Board, commands: Mapping[str, Command], guard: Guard) -> None:
        self._board = board
        self._commands = dict(commands)
        self._guard = guard
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True, name='page')
        self._sockets: dict[web.WebSocketResponse, asyncio.Event] = {}
        self._upgraded: dict[web.WebSocketResponse, asyncio.Transport] = {}  # with a key or not
        self._strangers: dict[web.WebSocketResponse, asyncio.Transport] = {}    # the oldest first
        self._pools = {False: ThreadPoolExecutor(WORKERS, 'command'),
                       True: ThreadPoolExecutor(URGENT_WORKERS, 'urgent')}
        self._runner: web.AppRunner | None = None
        self._listening: asyncio.Server | None = None
        self.port = 0

    def start(self, address: str, port: int) -> None:
        """Listen; raise OSError if that cannot be. Port 0: any that is free."""
        self._thread.start()
        try:
            asyncio.run_coroutine_threadsafe(self._start(address, port), self._loop).result()
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Close all connections and end the thread."""
        if not self._thread.is_alive():
            return
        self._board.on_change(lambda: None)
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        for pool in self._pools.values():
            pool.shutdown(wait=False, cancel_futures=True)

    @property
    def num_pages(self) -> int:
        """Return how many pages are open."""
        return len(self._sockets)

    async def _start(self, address: str, port: int) -> None:
        app = web.Application(client_max_size=LARGEST_BODY, middlewares=[self._check])
        app.on_response_prepare.append(_add_headers)
        routes = {**page_files(), '/api/state': self._handle_state, LIVE: self._handle_live}
        for path, handler in routes.items():
            app.router.add_get(path, handler, expect_handler=self._expect)
        app.router.add_post('/api/{command}', self._handle_command, expect_handler=self._expect)
        # What is not HTTP is refused by aiohttp itself, which would print a traceback for it.
        logging.getLogger('aiohttp.server').setLevel(logging.CRITICAL)
        self._runner = web.AppRunner(app, handle_signals=False, shutdown_timeout=1.0,
                                     lingering_time=1.0, access_log=None)
        await self._runner.setup()
        assert self._runner.server is not None
        self._door = Door(self._runner.server)
        self._listening = await self._loop.create_server(
            self._door.admit, address, port, backlog=BACKLOG)
        self._sweeping = asyncio.ensure_future(self._door.sweep())
        self.port = self._listening.sockets[0].getsockname()[1]
        self._board.on_change(self._wake_soon)

    async def _stop(self) -> None:
        if self._listening is not None:
            self._listening.close()
        connections = dict(self._upgraded)
        await asyncio.gather(*(_goodbye(socket) for socket in connections))
        for transport in connections.values():
            transport.abort()       # a page that does not read would keep it open
        if self._runner is not None:
            await self._runner.cleanup()
        # Whatever still waits would be found, and complained about, when its memory is freed.
        waiting = asyncio.all_tasks() - {asyncio.current_task()}
        for task in waiting:
            task.cancel()
        if waiting:
            await asyncio.wait(waiting, timeout=LAST_WAIT_S)

    def _wake_soon(self) -> None:
        with contextlib.suppress(RuntimeError):     # the loop was closed just now
            self._loop.call_soon_threadsafe(self._wake)

    def _wake(self) -> None:
        for changed in self._sockets.values():
            changed.set()

    # ---- every request --------------------------------------------------------------------------

    @web.middleware
    async def _check(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        with self._door.asking(request.protocol):
            return await self._checked(request, handler)

    async def _checked(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            self._check_place(request)
            if request.path.startswith('/api/') and (request.path, request.method) != (
                    LIVE, 'GET'):
                self._guard.check_header(request.headers.getall('Authorization', []))
            return await handler(request)
        except RefusedError as refusal:
            return _refused(refusal)
        except web.HTTPException as error:
            response = _refused(RefusedError(error.status, error.reason))
            response.headers.extend({name: value for name, value in error.headers.items()
                                     if name == 'Allow'})
            return response

    def _check_place(self, request: web.Request) -> None:
        here = request.transport.get_extra_info('sockname') if request.transport else None
        if here is None:
            raise RefusedError(400, 'the connection is gone')
        self._guard.check_place(
            request.headers.getall('Host', []), request.headers.getall('Origin', []),
            str(here[0]), int(here[1]), needs_origin=request.path == LIVE)

    async def _expect(self, request: web.Request) -> web.Response | None:
        """Ignore the header Expect, for which aiohttp asks before everything else."""
        try:
            self._check_place(request)
        except RefusedError as refusal:
            return _refused(refusal)
        return None

    async def _handle_state(self, request: web.Request) -> web.Response:
        return web.Response(text=self._board.news(0)[1] or '{}', content_type='application/json')

    async def _handle_command(self, request: web.Request) -> web.Response:
        if request.headers.get('Content-Type', '').lower().replace(' ', '') not in (
                'application/json', 'application/json;charset=utf-8'):
            raise RefusedError(415, 'commands are sent as application/json')
        try:
            content = await asyncio.wait_for(request.read(), BODY_WITHIN_S)
        except asyncio.TimeoutError:
            raise RefusedError(408, 'the command did not come in time') from None
        name = request.match_info['command']
        running = _on_its_own(self._run(name, read_json(content)))
        urgent = name in self._commands and self._commands[name].urgent
        done, _ = await asyncio.wait([running], timeout=URGENT_WITHIN_S if urgent else None)
        if not done:
            raise RefusedError(504, f'{name} is not confirmed yet; it is being repeated')
        return web.Response(text=f'{{"result":{await running}}}', content_type='application/json')

    async def _run(self, name: object, body: Any, *, busy: bool = False) -> str:
        """
        Carry out a command; return its result as JSON.

        :param busy: only what is urgent is done.
        """
        command = self._commands.get(name) if isinstance(name, str) else None
        if command is None:
            raise RefusedError(404, f'there is no command {str(name)[:40]!r}; expected one of '
                               f'{sorted(self._commands)}')
        fields = command.checked(body)
        if busy and not command.urgent:
            raise RefusedError(429, 'too much at once: wait for what is being done')
        try:
            result = await self._loop.run_in_executor(
                self._pools[command.urgent], copy_context().run, command.carry_out, fields)
            return json.dumps(result, allow_nan=False)
        except RefusedError:
            raise
        except Exception as error:
            LOG.exception('exception in the command %s', name)
            raise RefusedError(500, f'{name} failed: {type(error).__name__}') from error

    # ---- the socket -----------------------------------------------------------------------------

    async def _handle_live(self, request: web.Request) -> web.StreamResponse:
        self._check_room()
        socket = web.WebSocketResponse(
            timeout=GOODBYE_WITHIN_S, heartbeat=PING_EVERY_S, max_msg_size=LARGEST_BODY)
        if request.transport is None or not socket.can_prepare(request).ok:
            raise RefusedError(426, 'this is a WebSocket')
        self._upgraded[socket] = self._strangers[socket] = request.transport
        while len(self._strangers) > MAX_STRANGERS:     # a page with the key sends it at once
            self._strangers.pop(next(iter(self._strangers))).abort()
        try:
            await socket.prepare(request)
            spoken = await self._check_first(socket)
            self._check_room()
            self._strangers.pop(socket, None)
            if spoken != ENGLISH:       # in a thread of its own: commands may hang
                await self._loop.run_in_executor(None, self._board.read_in, spoken)
            with in_language(spoken):
                await self._serve_page(socket)
        except RefusedError as refusal:
            await socket.close(code=4000 + refusal.status, message=refusal.message.encode()[:120])
        finally:
            del self._upgraded[socket]
            self._strangers.pop(socket, None)
        return socket

    def _check_room(self) -> None:
        """Raise if too many pages are open; those without the key do not count."""
        if len(self._sockets) >= MAX_SOCKETS:
            raise RefusedError(503, f'{MAX_SOCKETS} pages are open already; close some')

    async def _serve_page(self, socket: web.WebSocketResponse) -> None:
        changed = self._sockets[socket] = asyncio.Event()
        feeding = asyncio.ensure_future(self._feed(socket, changed))
        try:
            await self._hear(socket)
        finally:
            del self._sockets[socket]
            feeding.cancel()
            with contextlib.suppress(asyncio.CancelledError, ConnectionError):
                await feeding

    async def _check_first(self, socket: web.WebSocketResponse) -> str:
        """Return the language that the page is read in; raise unless it has the token."""
        try:
            message = await asyncio.wait_for(socket.receive(), TOKEN_WITHIN_S)
        except asyncio.TimeoutError:
            raise RefusedError(401, 'the key did not come in time') from None
        if message.type is not WSMsgType.TEXT:
            raise RefusedError(401, 'the first message must hold the key')
        first = read_json(message.data)
        if not isinstance(first, dict) or 'token' not in first \
                or not set(first) <= {'token', 'language'}:
            raise RefusedError(401, 'the first message must hold the key, may hold the language, '
                                    'and nothing else')
        self._guard.check_token(first['token'])
        wanted = first.get('language')
        return wanted if isinstance(wanted, str) and wanted in languages() else ENGLISH

    async def _feed(self, socket: web.WebSocketResponse, changed: asyncio.Event) -> None:
        """Send what has changed; while that is under way, more changes become one."""
        version = 0
        while True:
            version, news = self._board.news(version, language())
            if news:
                await _send(socket, f'{{"now":{news}}}')
            try:
                await asyncio.wait_for(changed.wait(), TICK_EVERY_S)
                changed.clear()
            except asyncio.TimeoutError:
                await _send(socket, '{"tick":1}')       # a page sees no pings, and a line may die

    async def _hear(self, socket: web.WebSocketResponse) -> None:
        running: set[asyncio.Task[None]] = set()
        try:
            async for message in socket:
                if message.type is not WSMsgType.TEXT:
                    await socket.close(code=WSCloseCode.UNSUPPORTED_DATA, message=b'text only')
                    break
                # It is read on whatever is being done: the next may be an urgent one.
                task = asyncio.ensure_future(self._obey(
                    socket, message.data, busy=len(running) >= MAX_COMMANDS))
                running.add(task)
                task.add_done_callback(running.discard)
        finally:
            for task in list(running):
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)

    async def _obey(self, socket: web.WebSocketResponse, text: str, *, busy: bool) -> None:
        number: int | None = None
        try:
            message = read_json(text)
            if not isinstance(message, dict) or set(message) != {'do', 'number', 'with'}:
                raise RefusedError(400, 'a message must have "do", "number" and "with"')
            if type(message['number']) is not int:
                raise RefusedError(400, 'number must be a whole number')
            number = message['number']
            result = await self._run(message['do'], message['with'], busy=busy)
            reply = f'{{"reply":{number},"status":200,"result":{result}}}'
        except RefusedError as refusal:
            reply = json.dumps({'reply': number, 'status': refusal.status,
                                'message': refusal.message})
        with contextlib.suppress(ConnectionError):     # it went away while this was done
            await _send(socket, reply)


def page_files() -> dict[str, Handler]:
    """Return a handler for each file of the page, all read once: no path comes from a URL."""
    files = {f'/{file.relative_to(PAGE).as_posix()}': (file.read_bytes(), TYPES[file.suffix])
             for file in sorted(PAGE.rglob('*')) if file.suffix in TYPES}
    index, kind = files.pop('/index.html')
    # Its scripts and styles are named by what is in them, so that a browser may keep them, and
    # what it has compiled of them, until they change.
    version = hashlib.sha256(b''.join(content for content, _ in files.values())).hexdigest()[:16]
    index = re.sub(rb'(href|src)="/', rb'\g<0>%s/' % version.encode(), index)
    return {'/': _sender(index, kind),
            **{path: _sender(*file) for path, file in files.items()},
            **{f'/{version}{path}': _sender(*file, KEPT) for path, file in files.items()},
            **language_files()}


def language_files() -> dict[str, Handler]:
    """Return a handler for the list of languages, and for each but English, which needs none."""
    known, kind = languages(), TYPES['.json']
    names = {code: catalogue(code).name for code in known}
    return {'/languages.json': _sender(json.dumps(names).encode(), kind),
            **{f'/languages/{code}.json': _sender(catalogue(code).as_json().encode(), kind)
               for code in known if code != ENGLISH}}


def _sender(content: bytes, kind: str, headers: Mapping[str, str] | None = None) -> Handler:
    async def send(request: web.Request) -> web.Response:
        response = web.Response(
            body=content, content_type=kind, charset='utf-8', headers=headers)
        response.enable_compression()
        return response
    return send


async def _send(socket: web.WebSocketResponse, text: str) -> None:
    """
    Send a message; whoever is cancelled while he waits here leaves no error behind.

    aiohttp compresses a large message in a task of its own, which it leaves alone when the sender
    is cancelled. If the page has gone by then, that task fails, and nobody would take note of it.
    """
    if len(text) <= COMPRESSED_AT_ONCE:
        await socket.send_str(text)
        return
    await asyncio.shield(_on_its_own(socket.send_str(text)))


def _on_its_own(work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
    """Have something done whose failure does no harm when nobody waits for it any more."""
    task = asyncio.ensure_future(work)
    task.add_done_callback(lambda done: done.cancelled() or done.exception())
    return task


async def _goodbye(socket: web.WebSocketResponse) -> None:
    with contextlib.suppress(Exception):
        await asyncio.wait_for(socket.close(
            code=WSCloseCode.GOING_AWAY, message=b'the node ends'), GOODBYE_WITHIN_S)


def _refused(refusal: RefusedError) -> web.Response:
    return web.json_response({'message': refusal.message}, status=refusal.status)


async def _add_headers(request: web.Request, response: web.StreamResponse) -> None:
    response.headers.update({**HEADERS, **response.headers})
    response.headers.pop('Server', None)
