"""A page served on a free port of this machine, and clients that may be as odd as they like."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import socket
import struct
import threading
from collections import namedtuple

import aiohttp
from waiting import patience, wait_for

from gbs_irl_ros.teaching.web import commands
from gbs_irl_ros.teaching.web.board import Board
from gbs_irl_ros.teaching.web.commands import Command, RefusedError
from gbs_irl_ros.teaching.web.guard import Guard
from gbs_irl_ros.teaching.web.server import PageServer

DEADLINE_S = 20.0
TOKEN = 'a-token-of-a-test-that-nobody-guesses'
SECRET = 'shown-only-to-those-who-know-the-token'
NAME = 'robot.local'
TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10


def threads_of_pages():
    """Return the threads that servers have started."""
    return [thread for thread in threading.enumerate()
            if thread.name == 'page' or thread.name.startswith(('command', 'urgent'))]


class ServedPage:
    """
    A server with commands of all sorts.

    said: what the command say was called with. release: set, it lets all hanging commands go.
    """

    def __init__(self, address='127.0.0.1', port=0, names=(NAME,)):
        self.said = []
        self.hanging = threading.Semaphore(0)
        self.release = threading.Event()
        self.board = Board()
        self.board.put('secret', SECRET)
        self.guard = Guard(TOKEN, names)
        self.server = PageServer(self.board, {
            'say': Command(self._say, {'words': commands.text}, {'times': commands.whole}),
            'hang': Command(self._hang), 'break': Command(self._break),
            'refuse': Command(self._refuse), 'odd': Command(object),
            'stop': Command(lambda: 'stopped', urgent=True)}, self.guard)
        self.server.start(address, port)
        self.address, self.port = address, self.server.port
        self.host = f'[{address}]:{self.port}' if ':' in address else f'{address}:{self.port}'
        self.origin = f'http://{self.host}'
        self.url = f'{self.origin}/'

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.release.set()
        self.server.stop()
        wait_for(lambda: not [thread for thread in threads_of_pages()
                              if thread in self._own_threads()], 'the threads to end')

    def _own_threads(self):
        pools = [thread for pool in self.server._pools.values() for thread in pool._threads]
        return [self.server._thread, *pools]

    def _say(self, words, times=1):
        self.said.append((words, times))
        return {'said': words * times}

    def _hang(self):
        self.hanging.release()
        self.release.wait(patience(DEADLINE_S))
        return 'done at last'

    def _break(self):
        raise ValueError('something that nobody else should read')

    def _refuse(self):
        raise RefusedError(409, 'not just now')

    # ---- clients ----------------------------------------------------------------------------

    def session(self, **headers):
        """Return a client of aiohttp that knows the token."""
        return aiohttp.ClientSession(
            self.origin, headers={'Authorization': f'Bearer {TOKEN}', **headers},
            timeout=aiohttp.ClientTimeout(total=DEADLINE_S))

    @contextlib.asynccontextmanager
    async def live(self, first=None, **options):
        """Open a socket of aiohttp; send the token first, or something else."""
        headers = {'Origin': self.origin}
        async with aiohttp.ClientSession(self.origin, headers=headers) as session, \
                session.ws_connect('/api/live', **options) as page:
            await page.send_str(json.dumps({'token': TOKEN}) if first is None else first)
            yield page

    def connect(self):
        return socket.create_connection((self.address, self.port), DEADLINE_S)

    def exchange(self, sent):
        """Send bytes as they are; return all that comes back."""
        with self.connect() as line:
            line.sendall(sent)
            return everything_from(line)

    def ask(self, method='GET', target='/', headers=(), body=b'', host=None):
        """Send one request, with headers as a list of pairs; return the response."""
        named = [('Host', self.host if host is None else host), ('Connection', 'close'), *headers]
        return self.ask_exactly(method, target, named, body)

    def ask_exactly(self, method, target, headers, body=b''):
        return parsed(self.exchange(request_bytes(method, target, headers, body)))

    def post(self, command, values, *more, token=TOKEN):
        """Send a command; return the response."""
        body = values if isinstance(values, bytes) else json.dumps(values).encode()
        kind = [] if any(name == 'Content-Type' for name, _ in more) \
            else [('Content-Type', 'application/json')]
        return self.ask('POST', f'/api/{command}', [
            ('Authorization', f'Bearer {token}'), ('Content-Length', str(len(body))), *kind,
            *more], body)

    def raw_live(self, headers=None):
        """Return a socket without any library behind it; fail if it is not let in."""
        live = RawSocket(self.connect())
        live.upgrade(headers or [('Host', self.host), ('Origin', self.origin)])
        assert live.status == 101, live.status
        return live


Response = namedtuple('Response', 'status headers body')


class Headers(list):
    """Name and value of each, in order."""

    def all(self, name):
        return [value for each, value in self if each.lower() == name.lower()]

    def get(self, name, default=None):
        return (self.all(name) or [default])[0]


def request_bytes(method, target, headers, body=b''):
    lines = [f'{method} {target} HTTP/1.1', *(f'{name}: {value}' for name, value in headers)]
    return '\r\n'.join([*lines, '', '']).encode('utf-8', 'surrogateescape') + body


def everything_from(line):
    found = b''
    with contextlib.suppress(ConnectionResetError):
        while more := line.recv(65536):
            found += more
    return found


def parsed(found):
    """Return the last response in bytes; 100 Continue may come before it."""
    head, _, body = found.partition(b'\r\n\r\n')
    if head.startswith(b'HTTP/1.1 100'):
        return parsed(body)
    first, *lines = head.decode('latin-1').split('\r\n')
    headers = Headers(tuple(line.split(': ', 1)) for line in lines)
    return Response(int(first.split()[1]) if first else 0, headers, body)


class RawSocket:
    """A WebSocket by hand."""

    def __init__(self, line):
        self.line = line
        self._file = line.makefile('rb')

    def upgrade(self, headers, target='/api/live', method='GET'):
        key = base64.b64encode(os.urandom(16)).decode()
        self.line.sendall(request_bytes(method, target, [
            *headers, ('Upgrade', 'websocket'), ('Connection', 'Upgrade'),
            ('Sec-WebSocket-Key', key), ('Sec-WebSocket-Version', '13')]))
        head = b''
        while (line := self._file.readline()) not in (b'\r\n', b''):
            head += line
        answer = parsed(head.rstrip() + b'\r\n\r\n')
        self.status, self.headers = answer.status, answer.headers

    def send(self, data, opcode=TEXT):
        payload = data.encode('utf-8', 'surrogatepass') if isinstance(data, str) else data
        size = len(payload)
        length = bytes([0x80 | size]) if size < 126 else b'\xfe' + struct.pack('>H', size) \
            if size < 65536 else b'\xff' + struct.pack('>Q', size)
        self.line.sendall(bytes([0x80 | opcode]) + length + b'\0\0\0\0' + payload)

    def send_token(self, token=TOKEN):
        self.send(json.dumps({'token': token}))

    def receive(self):
        """Return opcode and payload of the next frame; (CLOSE, b'') at the end."""
        try:
            head = self._file.read(2)
            if len(head) < 2:
                return CLOSE, b''
            size = head[1] & 0x7f
            if size >= 126:
                size = int.from_bytes(self._file.read(2 if size == 126 else 8), 'big')
            return head[0] & 0x0f, self._file.read(size)
        except ConnectionResetError:
            return CLOSE, b''

    def close_code(self):
        """Return the code with which the other side ends; whatever comes before is passed by."""
        while True:
            opcode, payload = self.receive()
            if opcode == CLOSE:
                return int.from_bytes(payload[:2], 'big') if payload else 1006

    def close(self):
        self._file.close()
        self.line.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
