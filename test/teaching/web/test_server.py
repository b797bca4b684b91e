"""Many pages at once, slow ones and broken ones among them; and an end that is one."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import logging
import os
import socket
import threading
import time

import pytest
from aiohttp.http_websocket import WebSocketWriter
from served_page import (
    CLOSE,
    SECRET,
    TEXT,
    TOKEN,
    RawSocket,
    ServedPage,
    everything_from,
    parsed,
    request_bytes,
    threads_of_pages,
    wait_for,
)
from waiting import patience

from gbs_irl_ros.teaching.web import door, server
from gbs_irl_ros.teaching.web.board import Board
from gbs_irl_ros.teaching.web.commands import Command
from gbs_irl_ros.teaching.web.guard import Guard
from gbs_irl_ros.teaching.web.server import PageServer

LARGE = 'x' * 200_000
HUGE = 'x' * 8_000_000
QUICK_S = 6.0


def seconds(function):
    begun = time.monotonic()
    function()
    return time.monotonic() - begun


def ask(number, command='stop', **fields):
    return json.dumps({'do': command, 'number': number, 'with': fields})


class Sleepy(RawSocket):
    """A page on a phone that has gone to sleep: it reads nothing, and answers nothing."""

    def __init__(self, page):
        line = socket.socket()
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        line.settimeout(patience(20.0))
        line.connect((page.address, page.port))
        super().__init__(line)
        self.upgrade([('Host', page.host), ('Origin', page.origin)])
        assert self.status == 101
        before = page.server.num_pages
        self.send_token()
        wait_for(lambda: page.server.num_pages > before, 'the page to be let in')


def fill(page):
    """Show more than fits into the lines to the pages that sleep; return when they are full."""
    page.board.put('large', HUGE)
    lines = page.server._runner.server.connections
    wait_for(lambda: all(line.transport.get_write_buffer_size() for line in lines),
             'the lines to be full')


# ---- showing --------------------------------------------------------------------------------

async def test_ten_pages_get_every_section_and_never_an_older_one_after_a_newer_one(page):
    sections, most = [f'section{number}' for number in range(5)], 100

    def write(section):
        for number in range(most):
            page.board.put(section, number)

    async def watch():
        last = dict.fromkeys(sections, -1)
        async with page.live() as live:
            while min(last.values()) < most - 1:
                for section, number in (await live.receive_json())['now'].items():
                    if section in last:
                        assert number > last[section]
                        last[section] = number
        return last
    pages = [asyncio.ensure_future(watch()) for _ in range(10)]
    writers = [threading.Thread(target=write, args=(section,)) for section in sections]
    for writer in writers:
        writer.start()
    assert await asyncio.gather(*pages) == [dict.fromkeys(sections, most - 1)] * 10
    for writer in writers:
        writer.join()


async def test_a_page_gets_all_at_first_and_then_what_changes(page):
    page.board.put('robot', 1)
    async with page.live() as live:
        assert await live.receive_json() == {'now': {'secret': SECRET, 'robot': 1}}
        page.board.put('robot', 1)
        page.board.put('robot', 2)
        assert await live.receive_json() == {'now': {'robot': 2}}
        async with page.session() as session, session.get('/api/state') as response:
            assert await response.json() == {'secret': SECRET, 'robot': 2}


async def test_an_empty_board_is_an_empty_state():
    with ServedPage() as empty:
        empty.board._languages['en'].shown.clear()
        async with empty.session() as session, session.get('/api/state') as response:
            assert await response.json() == {}


async def test_a_slow_page_does_not_hold_up_the_others(page):
    with Sleepy(page):
        async with page.live() as live:
            await live.receive()
            for number in range(50):
                page.board.put('large', [number, LARGE])
                while (await live.receive_json())['now']['large'][0] < number:
                    pass
            begun = time.monotonic()
            await live.send_str(ask(1))
            assert (await live.receive_json())['result'] == 'stopped'
            assert time.monotonic() - begun < patience(QUICK_S)


def test_a_slow_page_gets_the_newest_in_the_end_and_not_all(page):
    with Sleepy(page) as slow:
        for number in range(300):
            page.board.put('large', [number, LARGE])
        seen = []
        while not seen or seen[-1] < 299:
            opcode, payload = slow.receive()
            assert opcode != CLOSE
            if opcode == TEXT:
                seen += [value[0] for name, value in json.loads(payload)['now'].items()
                         if name == 'large']
        assert seen == sorted(set(seen))
        assert len(seen) < 150


@pytest.mark.slow
def test_a_page_that_goes_to_sleep_is_forgotten_after_a_while(page, monkeypatch):
    monkeypatch.setattr(server, 'PING_EVERY_S', 0.2)
    with Sleepy(page):
        assert page.server.num_pages == 1
        wait_for(lambda: page.server.num_pages == 0, 'it to be forgotten')


def test_a_page_that_breaks_off_is_forgotten(page):
    for _ in range(5):
        with Sleepy(page):
            pass
    wait_for(lambda: page.server.num_pages == 0, 'the pages to be forgotten')


def test_the_number_of_open_pages_counts_those_with_the_token(page):
    assert page.server.num_pages == 0
    with page.raw_live(), Sleepy(page), Sleepy(page):
        assert page.server.num_pages == 2


def test_too_many_pages_are_refused_until_one_is_closed(page, monkeypatch):
    monkeypatch.setattr(server, 'MAX_SOCKETS', 3)
    with Sleepy(page), Sleepy(page):
        with Sleepy(page), RawSocket(page.connect()) as fourth:
            fourth.upgrade([('Host', page.host), ('Origin', page.origin)])
            assert fourth.status == 503
        wait_for(lambda: page.server.num_pages == 2, 'a free place')
        with Sleepy(page):
            assert page.server.num_pages == 3


def test_as_many_pages_as_are_allowed_can_be_open(page):
    with contextlib.ExitStack() as stack:
        for _ in range(server.MAX_SOCKETS):
            stack.enter_context(Sleepy(page))
        answer = page.ask('GET', '/api/live', [
            ('Origin', page.origin), ('Upgrade', 'websocket')])
        assert answer.status == 503
        assert json.loads(answer.body)['message'] == '50 pages are open already; close some'
        assert page.post('stop', {}).status == 200


def test_pages_that_come_at_the_same_time_are_counted_too(page, monkeypatch):
    monkeypatch.setattr(server, 'MAX_SOCKETS', 3)
    with contextlib.ExitStack() as stack:
        waiting = []
        for _ in range(6):
            live = stack.enter_context(RawSocket(page.connect()))
            live.upgrade([('Host', page.host), ('Origin', page.origin)])
            waiting.append(live)
        for live in waiting:
            if live.status == 101:
                live.send_token()
                live.receive()
        assert page.server.num_pages <= 3


# ---- those who only take up room ----------------------------------------------------------------

def test_sockets_without_the_key_take_no_place_of_those_with_it(page):
    with contextlib.ExitStack() as stack:
        for _ in range(2 * server.MAX_SOCKETS):
            stranger = stack.enter_context(RawSocket(page.connect()))
            stranger.upgrade([('Host', page.host), ('Origin', page.origin)])
            assert stranger.status == 101
        with Sleepy(page):
            assert page.server.num_pages == 1
        wait_for(lambda: len(page.server._upgraded) <= server.MAX_STRANGERS,
                 'the oldest of them to be closed')


def test_a_socket_that_does_not_send_the_key_is_closed(page, monkeypatch):
    monkeypatch.setattr(server, 'TOKEN_WITHIN_S', 0.1)
    with page.raw_live() as stranger:
        opcode, data = stranger.receive()
        assert (opcode, data[2:]) == (CLOSE, b'the key did not come in time')


def test_so_is_one_that_does_not_say_goodbye_either(page, monkeypatch):
    monkeypatch.setattr(server, 'TOKEN_WITHIN_S', 0.1)
    monkeypatch.setattr(server, 'GOODBYE_WITHIN_S', 0.1)
    with contextlib.ExitStack() as stack:
        strangers = [stack.enter_context(page.raw_live()) for _ in range(server.MAX_STRANGERS)]
        wait_for(lambda: not page.server._upgraded, 'all to be closed', deadline_s=4.0)
        for stranger in strangers:
            assert stranger.receive()[1][2:] == b'the key did not come in time'
            assert everything_from(stranger.line) == b''


HALF_OPEN = {
    'nothing': b'', 'half a line': b'GET / HT',
    'half a header': b'GET / HTTP/1.1\r\nHost: x\r\nA: b'}


@pytest.mark.parametrize('sent', HALF_OPEN.values(), ids=HALF_OPEN)
def test_the_page_is_answered_beside_three_hundred_connections_that_ask_nothing(page, sent):
    with contextlib.ExitStack() as stack:
        for _ in range(300):
            stack.enter_context(page.connect()).sendall(sent)
        with Sleepy(page):
            assert page.post('stop', {}).status == 200
            wait_for(lambda: len(page.server._runner.server.connections) <= door.MAX_QUIET + 1,
                     'the oldest of them to be closed')


def test_a_connection_that_asks_nothing_is_closed_after_a_while(page, monkeypatch):
    monkeypatch.setattr(door, 'QUIET_S', 0.2)
    with page.connect() as line, Sleepy(page):
        line.sendall(b'GET / HT')
        assert everything_from(line) == b''
        assert page.server.num_pages == 1       # it is quiet too, but it is a page


def test_so_is_one_that_asked_before(page, monkeypatch):
    monkeypatch.setattr(door, 'QUIET_S', 0.2)
    with page.connect() as line:
        line.sendall(request_bytes('GET', '/', [('Host', page.host)]))
        assert everything_from(line).startswith(b'HTTP/1.1 200 OK')


def test_so_is_one_that_was_looked_at_before_asyncio_had_connected_it(page, monkeypatch):
    monkeypatch.setattr(door, 'QUIET_S', 0.2)
    here, there = socket.socketpair()
    here.settimeout(patience(5.0))

    async def connected_late():
        made = page.server._door.admit()
        page.server._door.sweep_once()
        await page.server._loop.connect_accepted_socket(lambda: made, there)
    with here:
        asyncio.run_coroutine_threadsafe(connected_late(), page.server._loop).result()
        assert everything_from(here) == b''


def test_so_is_one_that_came_with_many_at_once(page, monkeypatch):
    monkeypatch.setattr(door, 'MAX_QUIET', 1)
    pairs = [socket.socketpair() for _ in range(3)]

    async def connected_late():
        made = [page.server._door.admit() for _ in pairs]
        for handler, (_, there) in zip(made, pairs, strict=True):
            await page.server._loop.connect_accepted_socket(
                lambda handler=handler: handler, there)
    with contextlib.ExitStack() as stack:
        for here, _ in pairs:
            stack.enter_context(here).settimeout(patience(door.QUIET_S - 1.0))
        asyncio.run_coroutine_threadsafe(connected_late(), page.server._loop).result()
        assert [everything_from(here) for here, _ in pairs[:2]] == [b'', b'']


def test_so_is_one_that_does_not_read_what_it_asked_for(page, monkeypatch):
    monkeypatch.setattr(door, 'QUIET_S', 0.1)
    monkeypatch.setattr(door, 'UNREAD_S', 0.1)
    page.board.put('much', HUGE)
    with socket.socket() as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        line.connect((page.address, page.port))
        line.sendall(request_bytes('GET', '/api/state', [
            ('Host', page.host), ('Authorization', f'Bearer {TOKEN}')]))
        wait_for(lambda: page.server._runner.server.requests_count, 'the question')
        wait_for(lambda: not page.server._runner.server.connections, 'the end of it')


def test_who_asks_at_once_is_answered_however_many_come_behind(page, monkeypatch):
    monkeypatch.setattr(door, 'MAX_QUIET', 1)
    monkeypatch.setattr(door, 'REQUEST_WITHIN_S', 30.0)
    with page.connect() as line, contextlib.ExitStack() as stack:
        for _ in range(20):
            stack.enter_context(page.connect())
        wait_for(lambda: len(page.server._runner.server.connections) == 21, 'all of them')
        line.sendall(request_bytes('GET', '/', [('Host', page.host), ('Connection', 'close')]))
        assert everything_from(line).startswith(b'HTTP/1.1 200 OK')
        monkeypatch.setattr(door, 'MOST_QUIET', 5)
        wait_for(lambda: len(page.server._runner.server.connections) <= 5, 'the oldest to go')


def test_a_command_that_takes_long_is_not_cut_off(page, monkeypatch):
    monkeypatch.setattr(door, 'QUIET_S', 0.05)
    answers = []
    asking = threading.Thread(target=lambda: answers.append(page.post('hang', {}).status))
    asking.start()
    assert page.hanging.acquire(timeout=patience(20.0))
    with page.connect() as line:
        everything_from(line)       # until this younger one has been closed
    page.release.set()
    asking.join()
    assert answers == [200]


def test_a_body_that_does_not_come_is_not_waited_for(page, monkeypatch):
    monkeypatch.setattr(server, 'BODY_WITHIN_S', 0.1)
    answer = parsed(page.exchange(request_bytes('POST', '/api/stop', [
        ('Host', page.host), ('Authorization', f'Bearer {TOKEN}'), ('Connection', 'close'),
        ('Content-Type', 'application/json'), ('Content-Length', '10')], b'{')))
    assert answer.status == 408
    assert json.loads(answer.body)['message'] == 'the command did not come in time'


def test_the_same_page_is_served_over_ip_version_6():
    try:
        six = ServedPage('::1')
    except OSError:
        pytest.skip('this machine has no IPv6')
    with six:
        assert six.ask().status == 200
        assert six.ask(host=f'localhost:{six.port}').status == 200
        assert six.ask(host=f'127.0.0.1:{six.port}').status == 403
        with six.raw_live() as live:
            live.send_token()
            assert SECRET.encode() in live.receive()[1]


# ---- commands -------------------------------------------------------------------------------

def hang(page, count):
    """Send commands that hang, over HTTP; return when as many as can be are under way."""
    threads = [threading.Thread(target=page.post, args=('hang', {})) for _ in range(count)]
    for thread in threads:
        thread.start()
    for _ in range(min(count, server.WORKERS)):
        assert page.hanging.acquire(timeout=patience(20.0))
    return threads


async def test_commands_that_hang_hold_up_neither_urgent_ones_nor_what_is_shown(page):
    threads = hang(page, 2 * server.WORKERS)
    assert seconds(lambda: page.post('stop', {})) < patience(QUICK_S)
    async with page.live() as live:
        await live.receive()
        for number in range(server.WORKERS):
            await live.send_str(ask(number, 'hang'))
        await live.send_str(ask(99))
        assert await live.receive_json() == {'reply': 99, 'status': 200, 'result': 'stopped'}
        page.board.put('robot', 1)
        assert await live.receive_json() == {'now': {'robot': 1}}
        page.release.set()
        replies = [await live.receive_json() for _ in range(server.WORKERS)]
        assert sorted(each['reply'] for each in replies) == list(range(server.WORKERS))
        assert {each['result'] for each in replies} == {'done at last'}
    for thread in threads:
        thread.join()


async def test_a_stop_passes_by_any_number_of_commands_of_the_same_page(page):
    async with page.live() as live:
        await live.receive()
        for number in range(server.MAX_COMMANDS + 1):
            await live.send_str(ask(number, 'hang'))
        await live.send_str(ask(99))
        too_much, stopped = [await asyncio.wait_for(live.receive_json(), 1.5) for _ in range(2)]
        assert (too_much['reply'], too_much['status']) == (server.MAX_COMMANDS, 429)
        assert too_much['message'] == 'too much at once: wait for what is being done'
        assert stopped['result'] == 'stopped'


async def test_commands_of_one_page_are_answered_as_they_end(page):
    async with page.live() as live:
        await live.receive()
        await live.send_str(ask(1, 'hang'))
        await live.send_str(ask(2, 'say', words='a', times=3))
        assert await live.receive_json() == {'reply': 2, 'status': 200, 'result': {'said': 'aaa'}}
        page.release.set()
        assert (await live.receive_json())['reply'] == 1


async def test_many_commands_of_many_pages_are_carried_out_once_each(page):
    async def send(name):
        async with page.live() as live:
            await live.receive()
            replies = []
            for first in range(0, 100, 20):
                for number in range(first, first + 20):
                    await live.send_str(ask(number, 'say', words=f'{name}-{number}'))
                replies += [(await live.receive_json())['reply'] for _ in range(20)]
            return sorted(replies)
    replies = await asyncio.gather(*(send(name) for name in range(10)))
    assert replies == [list(range(100))] * 10
    assert sorted(page.said) == sorted(
        (f'{name}-{number}', 1) for name in range(10) for number in range(100))


def test_a_page_that_leaves_while_its_command_is_under_way_does_no_harm(page, caplog):
    with Sleepy(page) as live:
        live.send(ask(1, 'hang'))
        assert page.hanging.acquire(timeout=patience(20.0))
    wait_for(lambda: page.server.num_pages == 0, 'the page to be gone')
    page.release.set()
    assert page.post('say', {'words': 'a'}).status == 200
    assert not caplog.records


def test_a_stop_over_http_that_hangs_is_answered_at_once_and_goes_on(page, monkeypatch, caplog):
    monkeypatch.setattr(server, 'URGENT_WITHIN_S', 0.1, raising=False)
    monkeypatch.setitem(page.server._commands, 'stop', Command(page._hang, urgent=True))
    response = page.post('stop', {})
    assert (response.status, json.loads(response.body)) == (
        504, {'message': 'stop is not confirmed yet; it is being repeated'})
    assert page.hanging.acquire(timeout=patience(20.0))
    page.release.set()
    assert page.post('stop', {}).status == 200
    assert page.post('break', {}).status == 500
    page.server.stop()
    gc.collect()
    assert [record.getMessage() for record in caplog.records] == ['exception in the command break']


async def test_a_page_that_leaves_while_aiohttp_compresses_does_no_harm(page, monkeypatch, caplog):
    begun, release, failed = threading.Semaphore(0), threading.Event(), threading.Semaphore(0)

    async def held_up(self, *given):
        begun.release()
        await asyncio.get_running_loop().run_in_executor(None, release.wait, patience(20.0))
        try:
            await compress_and_send(self, *given)
        except ConnectionError:
            failed.release()
            raise
    compress_and_send = WebSocketWriter._send_compressed_frame_async_locked
    monkeypatch.setattr(WebSocketWriter, '_send_compressed_frame_async_locked', held_up)
    try:
        async with page.live(compress=15) as live:
            await live.send_str(ask(1, 'say', words='word', times=20_000))
            assert await asyncio.to_thread(begun.acquire, timeout=patience(20.0))
            page.board.put('large', LARGE)
            assert await asyncio.to_thread(begun.acquire, timeout=patience(20.0))
        await asyncio.to_thread(wait_for, lambda: page.server.num_pages == 0, 'it to be gone')
    finally:
        release.set()
    for _ in ('its reply', 'what it was shown'):
        assert await asyncio.to_thread(failed.acquire, timeout=patience(20.0))
    await asyncio.to_thread(page.server.stop)
    gc.collect()
    assert [record.getMessage() for record in caplog.records] == []


# ---- beginning and end ----------------------------------------------------------------------

def test_the_end_tells_the_pages_and_comes_quickly():
    page = ServedPage()
    with page.raw_live() as live:
        live.send_token()
        live.receive()
        ended = threading.Thread(target=page.close)
        begun = time.monotonic()
        ended.start()
        opcode, payload = live.receive()
        assert opcode == CLOSE
        assert int.from_bytes(payload[:2], 'big') == 1001
        assert payload[2:] == b'the node ends'
        live.close()
        ended.join()
        assert time.monotonic() - begun < patience(QUICK_S)
    assert not threads_of_pages()


@pytest.mark.slow
@pytest.mark.filterwarnings('ignore:unclosed:ResourceWarning')      # see the test after next
@pytest.mark.parametrize('kind', [
    'nobody', 'asleep', 'asleep with much to read', 'without a token', 'half a request',
    'connected', 'a command that hangs'])
def test_the_end_is_quick_whoever_is_there(kind):
    page = ServedPage()
    threads = []
    with contextlib.ExitStack() as stack:
        if kind.startswith('asleep'):
            stack.enter_context(Sleepy(page))
            if 'much' in kind:
                fill(page)
        elif kind == 'without a token':
            stack.enter_context(page.raw_live())
        elif kind in ('half a request', 'connected'):
            line = stack.enter_context(page.connect())
            line.sendall(b'POST /api/say HTTP/1.1\r\nHost: a' if 'half' in kind else b'')
            wait_for(lambda: page.server._runner.server.connections, 'the connection')
        elif kind == 'a command that hangs':
            threads = hang(page, 1)
        assert seconds(page.server.stop) < patience(QUICK_S)
        assert not page.server._thread.is_alive()
        with pytest.raises(ConnectionRefusedError):
            page.connect().close()
        page.close()
    for thread in threads:
        thread.join()
    assert not threads_of_pages()
    gc.collect()


@pytest.mark.slow
@pytest.mark.filterwarnings('ignore:unclosed:ResourceWarning')
@pytest.mark.parametrize('much', [False, True],
                         ids=['little to read', 'much to read'])
def test_the_end_is_quick_with_many_pages_that_sleep(much):
    page = ServedPage()
    with contextlib.ExitStack() as stack:
        for _ in range(5):
            stack.enter_context(Sleepy(page))
        if much:
            fill(page)
        taken = seconds(page.close)
    gc.collect()
    assert taken < patience(QUICK_S)


@pytest.mark.slow
@pytest.mark.filterwarnings('ignore:unclosed:ResourceWarning')
def test_the_end_closes_the_line_of_a_page_that_sleeps():
    page = ServedPage()
    with Sleepy(page) as slow:
        fill(page)
        gc.collect()
        gc.disable()
        try:
            page.close()
            slow.line.settimeout(1.5)
            everything_from(slow.line)
        finally:
            gc.enable()
            gc.collect()


def test_a_command_of_a_page_that_outlives_the_server_ends_without_a_word(caplog):
    page = ServedPage()
    with Sleepy(page) as live:
        live.send(ask(1, 'hang'))
        assert page.hanging.acquire(timeout=patience(20.0))
        page.server.stop()
    page.close()
    gc.collect()
    assert [record.getMessage() for record in caplog.records
            if record.levelno >= logging.ERROR] == []


@pytest.mark.filterwarnings('ignore:unclosed:ResourceWarning')
def test_nothing_waits_on_when_the_server_has_ended():
    """Not a request that was refused and whose sender has gone, nor pages that sleep."""
    page = ServedPage()
    with Sleepy(page) as asking, Sleepy(page):
        asking.send(ask(1, 'hang'))
        assert page.hanging.acquire(timeout=patience(20.0))
        fill(page)
        with socket.create_connection((page.address, page.port)) as half:
            half.sendall(f'POST /api/say HTTP/1.1\r\nHost: {page.host}\r\n'
                         'Content-Length: 99\r\n\r\nthe first words'.encode())
            assert half.recv(1) == b'H'
        page.server.stop()
        assert asyncio.all_tasks(page.server._loop) == set()
    page.close()


@pytest.mark.slow
def test_a_command_over_http_that_outlives_the_server_ends_without_a_word(caplog):
    page = ServedPage()
    threads = hang(page, 1)
    page.server.stop()
    page.close()
    for thread in threads:
        thread.join()
    gc.collect()
    assert [record.getMessage() for record in caplog.records
            if record.levelno >= logging.ERROR] == []


def test_what_changes_after_the_end_does_no_harm():
    page = ServedPage()
    page.close()
    page.board.put('robot', 1)
    page.server.stop()
    assert page.server.num_pages == 0


def test_a_change_that_was_under_way_at_the_end_does_no_harm():
    page = ServedPage()
    page.close()
    page.server._wake_soon()


def test_a_server_that_was_never_started_can_be_stopped():
    idle = PageServer(Board(), {}, Guard(TOKEN))
    idle.stop()
    idle._loop.close()


def test_a_taken_port_is_an_oserror_and_leaves_nothing_behind(page):
    before = set(threading.enumerate())
    second = PageServer(Board(), {}, Guard(TOKEN))
    with pytest.raises(OSError, match='address already in use'):
        second.start('127.0.0.1', page.port)
    assert set(threading.enumerate()) == before
    assert second._loop.is_closed()
    assert page.ask().status == 200


def test_an_address_of_another_machine_is_an_oserror():
    other = PageServer(Board(), {}, Guard(TOKEN))
    with pytest.raises(OSError, match=r'requested address|could not bind'):   # 3.13
        other.start('192.0.2.1', 0)
    assert not threads_of_pages()


def test_a_port_that_cannot_be_leaves_nothing_behind_either():
    other = PageServer(Board(), {}, Guard(TOKEN))
    with pytest.raises((OSError, OverflowError), match='65535'):
        other.start('127.0.0.1', 65536)
    assert not threads_of_pages()


@pytest.mark.slow
def test_twenty_times_from_beginning_to_end_leaves_no_threads_and_no_files():
    def once():
        with ServedPage() as page, Sleepy(page):
            page.post('say', {'words': 'a'})
    once()
    gc.collect()
    threads, files = set(threading.enumerate()), len(os.listdir('/proc/self/fd'))
    for _ in range(20):
        once()
    assert set(threading.enumerate()) <= threads
    gc.collect()
    assert len(os.listdir('/proc/self/fd')) <= files
