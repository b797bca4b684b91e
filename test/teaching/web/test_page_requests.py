"""Exactly the requests that may pass do: Host x Origin x method x token x content type."""

from __future__ import annotations

import gc
import gzip
import json
import os
import time
from dataclasses import replace

import aiohttp
import pytest
from cases import for_each
from request_matrix import ATTACKER, CHOICES, JSON, SAY, Sent, differences, requests
from served_page import BINARY, PING, PONG, SECRET, TOKEN, RawSocket, ServedPage, parsed, wait_for
from waiting import patience

from gbs_irl_ros.teaching.web import server
from gbs_irl_ros.teaching.web.guard import Guard

REQUESTS = int(os.environ.get('GBS_IRL_WEB_REQUESTS', '1500'))
SEED = int(os.environ.get('GBS_IRL_WEB_SEED', '1'))
@pytest.mark.slow
def test_exactly_the_predicted_requests_pass(same_page):
    sent = requests(REQUESTS, SEED)
    assert sum(each.may_pass() for each in sent) > 100      # else it would prove little
    assert differences(same_page, sent) == []


@pytest.mark.parametrize(('part', 'told_by'), [
    ('check_place', {'host', 'origin'}), ('check_header', {'token'}), ('check_token', {'token'})])
def test_the_detector_sees_a_guard_that_is_switched_off(page, monkeypatch, part, told_by):
    monkeypatch.setattr(Guard, part, lambda *_, **__: None)
    sent = [replace(Sent(method=method), **{name: each}) for method in ('state', 'say', 'live')
            for name in told_by for each in CHOICES[name]]
    found = differences(page, sent)
    assert found
    assert all(not each.may_pass() for each in found)


def test_the_detector_sees_a_guard_that_refuses_too_much(page, monkeypatch):
    monkeypatch.setattr(Guard, '_hosts', lambda *_: {page.host})
    assert Sent(host='localhost') in differences(page, [Sent(), Sent(host='localhost')])


def test_the_detector_sees_a_content_type_that_is_not_looked_at(page, monkeypatch):
    """A form of another page could then send commands without asking."""
    async def handle(self, request):
        body = json.loads(await request.read())
        return server.web.json_response(await self._run(request.match_info['command'], body))
    page.close()
    monkeypatch.setattr(server.PageServer, '_handle_command', handle)
    with ServedPage() as careless:
        assert differences(careless, [Sent(), Sent(kind='plain'), Sent(kind='form')]) == [
            Sent(kind='plain'), Sent(kind='form')]


# ---- single rules, and what is said ---------------------------------------------------------

def message(response):
    assert response.headers.get('Content-Type') == 'application/json; charset=utf-8'
    return json.loads(response.body)['message']


def test_a_name_that_was_made_to_point_here_is_refused(same_page):
    """DNS rebinding: the browser takes the attacker's page for one of this server."""
    host = f'{ATTACKER}:{same_page.port}'
    response = same_page.ask(headers=[('Origin', f'http://{host}')], host=host)
    assert response.status == 403
    assert message(response) == (
        f"this server is not called '{host}'; open the page at one of "
        f"['127.0.0.1:{same_page.port}', 'localhost:{same_page.port}', 'robot.local:"
        f"{same_page.port}']")


@for_each('origin', ['null', f'http://{ATTACKER}', 'https://127.0.0.1'])
def test_pages_of_others_are_refused_even_with_the_token(same_page, origin):
    response = same_page.post('say', SAY, ('Origin', origin))
    assert response.status == 403
    assert message(response) == f'pages of {origin!r} may not talk to this server'
    assert not response.headers.all('Access-Control-Allow-Origin')


def test_a_program_that_is_no_page_needs_no_origin(same_page):
    assert same_page.post('say', SAY).status == 200


@for_each('target', ['/api/live', '/api/liv%65', '/api/live?'])
def test_a_socket_without_an_origin_is_refused(same_page, target):
    with RawSocket(same_page.connect()) as live:
        live.upgrade([('Host', same_page.host), ('Authorization', f'Bearer {TOKEN}')], target)
        assert live.status == 403


def test_what_is_no_socket_is_told_so(same_page):
    response = same_page.ask('GET', '/api/live', [('Origin', same_page.origin)])
    assert response.status == 426
    assert message(response) == 'this is a WebSocket'


@for_each('headers', [
    [], [('Authorization', 'Bearer ' + 'x' * 32)], [('Cookie', f'token={TOKEN}')]])
@for_each('target', ['/api/state', '/api/', '/api/unknown', f'/api/state?{TOKEN}'])
def test_nothing_under_api_is_shown_without_the_token(same_page, target, headers):
    response = same_page.ask('GET', target, headers)
    assert response.status == 401
    assert 'open the address that the node has printed' in message(response)
    assert SECRET.encode() not in response.body


def test_a_command_called_live_needs_the_token_as_well(same_page):
    response = same_page.ask('POST', '/api/live', [
        ('Origin', same_page.origin), ('Content-Type', JSON), ('Content-Length', '2')], b'{}')
    assert response.status in (401, 405)


@for_each('kind', [
    'text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x',
    f'{JSON}; charset=utf-16', ''])
def test_commands_in_other_types_are_refused(same_page, kind):
    response = same_page.post('say', SAY, ('Content-Type', kind))
    assert response.status == 415
    assert message(response) == 'commands are sent as application/json'


@for_each(('command', 'body', 'status', 'why'), [
    ('unknown', {}, 404, "there is no command 'unknown'; expected one of ['break', 'hang', "),
    ('Say', SAY, 404, "there is no command 'Say'"),
    ('__class__', {}, 404, 'there is no command'),
    ('x' * 4000, {}, 404, "there is no command 'xxxx"),
    ('say', {**SAY, 'more': 1}, 400, "unknown field 'more'; expected ['times', 'words']"),
    ('say', {}, 400, "the field 'words' is missing"),
    ('say', {'words': 7}, 400, 'words must be a text of 1 to 200 characters'),
    ('say', [], 400, 'the request must be a JSON object, got a list'),
    ('say', b'', 400, 'the text is not JSON: Expecting value'),
    ('say', b'{"words": "a", "words": "b"}', 400, 'a key appears twice'),
    ('say', b'{"words": "a", "times": NaN}', 400, 'NaN is not JSON'),
    ('say', b'[' * 60_000, 400, 'nested too deeply'),
    ('say', b'\xff\xfe', 400, 'the text is not JSON'),
    ('refuse', {}, 409, 'not just now')])
def test_a_command_that_is_wrong_is_refused_with_the_reason(
        same_page, command, body, status, why):
    before = list(same_page.said)
    response = same_page.post(command, body)
    assert response.status == status
    assert why in message(response)
    assert len(response.body) < 400
    assert same_page.said == before


async def test_the_same_is_said_on_a_socket(same_page):
    cases = [('unknown', {}, 404, 'there is no command'), ('say', {}, 400, 'is missing'),
             ('say', {**SAY, 'x': 1}, 400, 'unknown field'), ('say', [], 400, 'JSON object'),
             ('refuse', {}, 409, 'not just now'), (['say'], {}, 404, 'there is no command'),
             (None, {}, 404, 'there is no command'), ('say', SAY, 200, None)]
    async with same_page.live() as live:
        assert SECRET in (await live.receive_json())['now'].values()
        for number, (command, body, status, why) in enumerate(cases):
            await live.send_json({'do': command, 'number': number, 'with': body})
            reply = await live.receive_json()
            assert reply['reply'] == number
            assert reply['status'] == status
            assert why is None or why in reply['message']
        assert reply['result'] == {'said': 'hello'}


@for_each('text', [
    '{}', '[]', 'null', '7', '""', '{"do": "say"}', '{"do": "say", "number": 1}',
    '{"do": "stop", "number": 1, "with": {}, "more": 1}', '{"do": "stop", "number": "1", '
    '"with": {}}', '{"do": "stop", "number": true, "with": {}}',
    '{"do": "stop", "number": 1.5, "with": {}}', '{"do": "stop", "number": null, "with": {}}',
    '{"do": "stop", "do": "stop", "number": 1, "with": {}}', '{"token": "x"}', '', 'stop',
    '[' * 30_000, '{"do": "stop", "number": NaN, "with": {}}', '\0'])
async def test_a_message_of_another_shape_is_refused_and_the_socket_goes_on(same_page, text):
    async with same_page.live() as live:
        await live.receive_json()
        await live.send_str(text)
        reply = await live.receive_json()
        assert reply['status'] == 400
        assert reply['reply'] is None
        await live.send_json({'do': 'stop', 'number': 2, 'with': {}})
        assert await live.receive_json() == {'reply': 2, 'status': 200, 'result': 'stopped'}


@for_each(('first', 'code'), [
    ('{}', 4401), ('null', 4401), (json.dumps(TOKEN), 4401), ('{"token": "x"}', 4401),
    (json.dumps({'token': TOKEN, 'more': 1}), 4401), (json.dumps({'token': [TOKEN]}), 4401),
    (json.dumps({'do': 'stop', 'number': 1, 'with': {}}), 4401), (TOKEN, 4400), ('', 4400),
    ('[' * 30_000, 4400), ('{"token": "x", "token": "y"}', 4400)])
async def test_a_socket_whose_first_message_is_not_the_token_is_closed(same_page, first, code):
    async with same_page.live(first) as live:
        said = await live.receive()
        assert said.type is aiohttp.WSMsgType.CLOSE
        assert said.data == code
        assert TOKEN not in said.extra
        assert same_page.server.num_pages == 0


def test_a_first_message_in_bytes_is_refused(same_page):
    with same_page.raw_live() as live:
        live.send(json.dumps({'token': TOKEN}).encode(), BINARY)
        assert live.close_code() == 4401


def test_a_token_that_does_not_come_in_time_ends_the_socket(page, monkeypatch):
    monkeypatch.setattr(server, 'TOKEN_WITHIN_S', 0.2)
    with page.raw_live() as live:
        begun = time.monotonic()
        assert live.close_code() == 4401
        assert 0.1 < time.monotonic() - begun < patience(5.0)


@pytest.mark.slow
def test_pings_do_not_give_more_time_for_the_token(page, monkeypatch):
    monkeypatch.setattr(server, 'TOKEN_WITHIN_S', 0.3)
    with page.raw_live() as live:
        end = time.monotonic() + 1.5
        while time.monotonic() < end:
            live.send(b'', PING)
            opcode, payload = live.receive()
            if opcode != PONG:
                break
        assert int.from_bytes(payload[:2], 'big') == 4401


def test_a_message_in_bytes_ends_the_socket(same_page):
    with same_page.raw_live() as live:
        live.send_token()
        live.receive()
        live.send(json.dumps({'do': 'say', 'number': 1, 'with': SAY}).encode(), BINARY)
        assert live.close_code() == 1003


@for_each('frame', [
    b'\xf1\x80\0\0\0\0', b'\x83\x80\0\0\0\0', b'\x81\x82\0\0\0\0\xff\xff'],
    ids=['reserved bits', 'reserved opcode', 'no text'])
def test_a_broken_frame_ends_the_socket(same_page, frame):
    with same_page.raw_live() as live:
        live.send_token()
        live.receive()
        live.line.sendall(frame)
        assert live.close_code() in (1002, 1003, 1006, 1007)
    assert same_page.post('stop', {}).status == 200


# ---- sizes ----------------------------------------------------------------------------------

def test_a_body_is_as_large_as_allowed_and_no_larger(same_page):
    body = json.dumps(SAY).encode()
    for size, status in ((server.LARGEST_BODY - 1, 200), (server.LARGEST_BODY + 1, 413)):
        assert same_page.post('say', body.ljust(size)).status == status


def test_a_body_that_never_ends_is_refused(same_page):
    with same_page.connect() as line:
        line.sendall((f'POST /api/say HTTP/1.1\r\nHost: {same_page.host}\r\nContent-Type: {JSON}'
                      f'\r\nAuthorization: Bearer {TOKEN}\r\nTransfer-Encoding: chunked\r\n'
                      'Connection: close\r\n\r\n').encode())
        for _ in range(3):
            line.sendall(b'8000\r\n' + b' ' * 0x8000 + b'\r\n')
        assert parsed(line.recv(65536)).status == 413


def test_a_body_that_grows_when_it_is_unpacked_is_refused_soon(same_page):
    begun = time.monotonic()
    packed = gzip.compress(b' ' * 10_000_000)
    assert len(packed) < server.LARGEST_BODY
    assert same_page.post('say', packed, ('Content-Encoding', 'gzip')).status == 413
    assert time.monotonic() - begun < patience(5.0)


@pytest.mark.parametrize('before', [True, False], ids=['as the first', 'later'])
def test_a_message_that_is_too_large_ends_the_socket(same_page, before):
    with same_page.raw_live() as live:
        if not before:
            live.send_token()
            live.receive()
        live.send('x' * (server.LARGEST_BODY + 1))
        assert live.close_code() in (1009, 4401)
    wait_for(lambda: same_page.server.num_pages == 0, 'the socket to be gone')


async def test_a_packed_message_that_grows_ends_the_socket(same_page):
    async with same_page.live(compress=15) as live:
        await live.receive()
        await live.send_str('{' + ' ' * 10_000_000)
        said = await live.receive()
        assert said.type in (aiohttp.WSMsgType.CLOSE, aiohttp.WSMsgType.CLOSED)
        assert said.data in (1009, None)


# ---- methods --------------------------------------------------------------------------------

@for_each('target', ['/', '/main.js', '/api/state', '/api/say'])
@for_each('method', ['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE'])
def test_other_methods_are_not_allowed(same_page, method, target):
    response = same_page.ask(method, target, [('Authorization', f'Bearer {TOKEN}')])
    assert response.status == 405
    assert message(response) == 'Method Not Allowed'


def test_a_page_of_others_gets_no_leave_beforehand(same_page):
    """The browser asks before it sends JSON to another server: nobody may."""
    response = same_page.ask('OPTIONS', '/api/say', [
        ('Origin', f'http://{ATTACKER}'), ('Access-Control-Request-Method', 'POST'),
        ('Access-Control-Request-Headers', 'authorization,content-type')])
    assert response.status == 403
    assert not [name for name, _ in response.headers if name.lower().startswith('access-control')]


def test_head_shows_what_get_would_and_nothing_more(same_page):
    assert same_page.ask('HEAD', '/').status == 200
    response = same_page.ask('HEAD', '/api/state')
    assert response.status == 401
    assert not response.body


# ---- headers --------------------------------------------------------------------------------

EVERY_RESPONSE = {
    'page': ('GET', '/', [], 200), 'file': ('GET', '/style.css', [], 200),
    'packed': ('GET', '/main.js', [('Accept-Encoding', 'gzip')], 200),
    'head': ('HEAD', '/', [], 200), 'missing': ('GET', '/nothing', [], 404),
    'no key': ('GET', '/api/state', [], 401), 'no socket': (
        'GET', '/api/live', [('Origin', 'http://127.0.0.1:PORT')], 426),
    'method': ('PUT', '/', [], 405), 'page of others': ('GET', '/', [('Origin', 'null')], 403),
    'type': ('POST', '/api/say', [('Authorization', f'Bearer {TOKEN}')], 415),
    'state': ('GET', '/api/state', [('Authorization', f'Bearer {TOKEN}')], 200),
    'expectation': ('GET', '/', [('Expect', 'a miracle')], 200)}


PROTECTING = {
    'X-Content-Type-Options': 'nosniff', 'X-Frame-Options': 'DENY', 'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer', 'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Content-Security-Policy': server.HEADERS['Content-Security-Policy']}    # has its own test


def check_headers(headers):
    for name, value in PROTECTING.items():
        assert headers.all(name) == [value], name
    assert not headers.all('Server')
    assert not headers.all('Set-Cookie')
    assert not [name for name, _ in headers if name.lower().startswith('access-control')]


@for_each('name', EVERY_RESPONSE)
def test_every_response_has_the_headers_that_protect_the_page(same_page, name):
    method, target, headers, status = EVERY_RESPONSE[name]
    port = str(same_page.port)
    response = same_page.ask(
        method, target, [(each, value.replace('PORT', port)) for each, value in headers])
    assert response.status == status
    check_headers(response.headers)


@for_each(('command', 'body', 'status'), [
    ('say', SAY, 200), ('say', {}, 400), ('unknown', {}, 404), ('break', {}, 500),
    ('odd', {}, 500), ('say', b' ' * 70_000, 413)])
def test_the_answer_to_a_command_has_them_too(same_page, command, body, status):
    response = same_page.post(command, body)
    assert response.status == status
    check_headers(response.headers)


def test_the_upgrade_to_a_socket_has_them_too(same_page):
    with same_page.raw_live() as live:
        check_headers(live.headers)


BROKEN = {
    'no HTTP': b'hello\r\n\r\n', 'no method': b'FOO / HTTP/1.1\r\n\r\n',
    'header': b'GET / HTTP/1.1\r\nHo st: <script>\r\n\r\n',
    'two hosts': b'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n',
    'long': b'GET / HTTP/1.1\r\nHost: ' + b'x' * 9000 + b'\r\n\r\n',
    'star': b'GET * HTTP/1.1\r\nHost: a\r\n\r\n'}


@for_each('sent', BROKEN.values(), ids=BROKEN)
def test_a_broken_request_is_refused_and_the_next_one_is_served(same_page, sent):
    assert parsed(same_page.exchange(sent)).status == 400
    assert same_page.ask().status == 200


@for_each('sent', BROKEN.values(), ids=BROKEN)
def test_the_answer_to_a_broken_request_is_plain_text(same_page, sent):
    """It is aiohttp's own: no browser sends such requests, and none would run this."""
    assert parsed(same_page.exchange(sent)).headers.get('Content-Type').startswith('text/plain')


def test_the_policy_allows_own_files_only(same_page):
    policy = dict(part.strip().split(' ', 1) for part in
                  same_page.ask().headers.get('Content-Security-Policy').split(';'))
    assert policy == {
        'default-src': "'none'", 'script-src': "'self'", 'style-src': "'self'",
        'img-src': "'self'", 'connect-src': "'self'", 'manifest-src': "'self'",
        'base-uri': "'none'", 'form-action': "'none'", 'frame-ancestors': "'none'",
        'require-trusted-types-for': "'script'", 'trusted-types': "'none'"}


MARK = 'zzmarkzz'


@for_each(('method', 'target', 'headers'), [
    ('GET', f'/{MARK}', []), ('GET', f'/?{MARK}={MARK}', []), ('GET', f'/%0d%0aX-{MARK}:1', []),
    ('GET', f'/api/{MARK}', [('Authorization', f'Bearer {MARK}')]),
    ('POST', f'/api/{MARK}', [('Authorization', f'Bearer {TOKEN}'), ('Content-Type', JSON)]),
    ('GET', '/', [('Origin', f'http://{MARK}')]), ('GET', '/', [('Cookie', f'{MARK}={MARK}')]),
    ('GET', '/', [('X-Forwarded-Host', MARK), ('Referer', MARK), ('X-Request-Id', MARK)]),
    ('GET', '/', [('Accept-Encoding', MARK), ('Accept-Language', MARK), ('Range', MARK)]),
    ('GET', '/', [('Expect', MARK)])])
def test_no_header_of_a_response_repeats_what_was_sent(same_page, method, target, headers):
    response = same_page.ask(method, target, headers)
    assert MARK not in repr(response.headers).lower()
    assert response.status >= 400 or MARK.encode() not in response.body


def test_a_host_is_not_repeated_in_a_header(same_page):
    assert MARK not in repr(same_page.ask(host=MARK).headers)


def test_a_host_of_others_is_refused_before_anything_else(same_page):
    response = same_page.ask(host=ATTACKER, headers=[('Expect', '<script>')])
    assert response.status == 403
    assert b'<script>' not in response.body


# ---- exceptions -----------------------------------------------------------------------------

async def test_a_command_that_fails_says_so_but_not_what_is_inside(same_page, caplog):
    response = same_page.post('break', {})
    assert response.status == 500
    assert message(response) == 'break failed: ValueError'
    async with same_page.live() as live:
        await live.receive()
        await live.send_json({'do': 'break', 'number': 1, 'with': {}})
        assert await live.receive_json() == {
            'reply': 1, 'status': 500, 'message': 'break failed: ValueError'}
    assert 'something that nobody else should read' in caplog.text     # but the log knows


def test_a_result_that_is_no_json_is_a_fault_without_details(same_page):
    response = same_page.post('odd', {}, ('Accept', 'text/html'))
    assert response.status == 500
    assert b'Traceback' not in response.body
    assert b'object' not in response.body


async def test_a_result_that_is_no_json_is_answered_on_a_socket_too(same_page):
    async with same_page.live() as live:
        await live.receive()
        await live.send_json({'do': 'odd', 'number': 1, 'with': {}})
        await live.send_json({'do': 'stop', 'number': 2, 'with': {}})
        # Stopping is urgent: it may be answered first.
        replies = {each['reply']: each for each in [await live.receive_json() for _ in range(2)]}
        gc.collect()    # a task that died is reported now, not in the middle of another test
        assert replies[1]['status'] == 500
        assert replies[2]['status'] == 200
