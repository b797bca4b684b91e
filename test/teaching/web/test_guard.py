"""Who may talk to the server: exactly these hosts, these pages, this token."""

from __future__ import annotations

import pytest
from cases import for_each

from gbs_irl_ros.teaching.web.commands import RefusedError
from gbs_irl_ros.teaching.web.guard import Guard

TOKEN = 'abcdefghijklmnopqrstuvwxyz012345'
ATTACKER = 'attacker.example'
CALLED = ['127.0.0.1', 'localhost', '[::1]', '192.168.1.7', '[2001:db8::1]', '[fe80::1]',
          'robot.local', 'robot', '0.0.0.0', '[::]', '127.0.0.2', '[::ffff:127.0.0.1]',
          '[0:0:0:0:0:0:0:1]', '::1', '127.1', '2130706433', '0x7f.0.0.1', 'localhost.',
          'localhost.attacker.example', '127.0.0.1.attacker.example', ATTACKER, '',
          'user@localhost']
PORTS = ['', ':', ':80', ':8472', ':08472', ':8473', ':084', ':8472.', ':8472/', ':8472 ']
EVERY_HOST = [name + port for name in CALLED for port in PORTS]


def is_accepted(guard, hosts, origins, address, port, **more):
    statuses = []
    try:
        guard.check_place(hosts, origins, address, port, **more)
    except RefusedError as refusal:
        statuses.append(refusal.status)
    assert statuses in ([], [403])
    return not statuses


@for_each(('address', 'port', 'names', 'expected'), [
    ('127.0.0.1', 8472, [], {'127.0.0.1:8472', 'localhost:8472'}),
    ('127.0.0.2', 8472, [], {'127.0.0.2:8472', 'localhost:8472'}),
    ('::1', 8472, [], {'[::1]:8472', 'localhost:8472'}),
    ('::ffff:127.0.0.1', 8472, [], {'127.0.0.1:8472', 'localhost:8472'}),
    ('192.168.1.7', 8472, [], {'192.168.1.7:8472'}),
    ('192.168.1.7', 8472, ['robot.local'], {'192.168.1.7:8472', 'robot.local:8472'}),
    ('2001:db8::1', 8472, ['Robot'], {'[2001:db8::1]:8472', 'robot:8472'}),
    ('fe80::1%eth0', 8472, [], {'[fe80::1]:8472'}),
    ('127.0.0.1', 80, [], {'127.0.0.1:80', 'localhost:80', '127.0.0.1', 'localhost'}),
    ('192.168.1.7', 80, ['robot'], {'192.168.1.7:80', '192.168.1.7', 'robot:80', 'robot'}),
    ('::1', 80, [], {'[::1]:80', 'localhost:80', '[::1]', 'localhost'}),
    ('/run/a.socket', 8472, ['robot'], set()), ('', 80, ['robot'], set())])
def test_exactly_these_hosts_and_the_pages_of_these_are_accepted(address, port, names, expected):
    guard = Guard(TOKEN, names)
    assert {host for host in EVERY_HOST
            if is_accepted(guard, [host], [], address, port)} == expected
    own = min(expected, default='127.0.0.1:8472')
    for scheme in ('http', 'https', 'ws', 'file', ''):
        accepted = {host for host in EVERY_HOST if is_accepted(
            guard, [own], [f'{scheme}://{host}'], address, port)}
        assert accepted == (expected if scheme == 'http' else set())


@pytest.fixture
def guard():
    return Guard(TOKEN)


def test_names_are_the_same_in_capitals(guard):
    assert is_accepted(guard, ['LocalHost:8472'], ['HTTP://LOCALHOST:8472'], '127.0.0.1', 8472)
    assert is_accepted(Guard(TOKEN, ['ROBOT.local']), ['robot.LOCAL:1'], [], '127.0.0.1', 1)
    assert is_accepted(guard, ['[2001:DB8::A]:80'], [], '2001:db8::a', 80)


@for_each('hosts', [
    [], ['localhost:8472', 'localhost:8472'], ['localhost:8472', f'{ATTACKER}:8472'],
    ['localhost:8472,localhost:8472'], [' localhost:8472'], ['localhost:8472\0'],
    ['\udcff:8472'], ['x' * 100_000]])
def test_no_host_two_hosts_and_strange_hosts_are_refused(guard, hosts):
    assert not is_accepted(guard, hosts, [], '127.0.0.1', 8472)


@for_each('origins', [
    ['null'], [''], [f'http://{ATTACKER}:8472'], [f'http://{ATTACKER}'],
    ['http://localhost:8472/'], ['http://localhost:8472', 'http://localhost:8472'],
    ['http://localhost:8472', 'null'], ['http://localhost:8472 http://127.0.0.1:8472'],
    ['http://user@localhost:8472'], ['http://localhost:8472@attacker.example'],
    ['http:localhost:8472'], ['localhost:8472'], ['*'], ['\udcff'],
    ['http://localhost:8472' + 'x' * 100_000]])
def test_any_other_origin_is_refused(guard, origins):
    assert not is_accepted(guard, ['localhost:8472'], origins, '127.0.0.1', 8472)


def test_the_page_may_be_open_under_one_name_and_ask_under_the_other(guard):
    assert is_accepted(guard, ['localhost:8472'], ['http://127.0.0.1:8472'], '127.0.0.1', 8472)


def test_a_socket_must_say_which_page_opens_it(guard):
    where = (['localhost:8472'], [], '127.0.0.1', 8472)
    assert is_accepted(guard, *where)
    assert not is_accepted(guard, *where, needs_origin=True)
    assert is_accepted(guard, ['localhost:8472'], ['http://localhost:8472'], '127.0.0.1', 8472,
                       needs_origin=True)


def test_the_refusals_say_what_to_do_in_few_words(guard):
    with pytest.raises(RefusedError, match=r"this server is not called 'attacker\.example:8472'; "
                       r"open the page at one of \['127\.0\.0\.1:8472', 'localhost:8472'\]"):
        guard.check_place([f'{ATTACKER}:8472'], [], '127.0.0.1', 8472)
    with pytest.raises(RefusedError, match='called 2 things at once'):
        guard.check_place(['a', 'b'], [], '127.0.0.1', 8472)
    with pytest.raises(RefusedError, match=r"pages of 'http://attacker\.example' may not talk"):
        guard.check_place(['localhost:8472'], [f'http://{ATTACKER}'], '127.0.0.1', 8472)
    with pytest.raises(RefusedError, match=r'which page it comes from \(Origin\)'):
        guard.check_place(['localhost:8472'], [], '127.0.0.1', 8472, needs_origin=True)
    with pytest.raises(RefusedError) as caught:
        guard.check_place(['x' * 100_000], [], '127.0.0.1', 8472)
    assert len(caught.value.message) < 200


def test_the_right_header_holds_the_token(guard):
    guard.check_header([f'Bearer {TOKEN}'])


@for_each('values', [
    [], [''], [TOKEN], [f'bearer {TOKEN}'], [f'Basic {TOKEN}'], [f'Bearer{TOKEN}'],
    [f'Bearer {TOKEN}', f'Bearer {TOKEN}'], [f' Bearer {TOKEN}']])
def test_a_header_of_another_kind_holds_no_key(guard, values):
    with pytest.raises(RefusedError, match='the key is missing: open the address') as caught:
        guard.check_header(values)
    assert caught.value.status == 401


@for_each('token', [
    '', TOKEN[:-1], TOKEN + 'x', TOKEN.upper(), f' {TOKEN}', f'{TOKEN}\0', 'x' * 1_000_000, 'ä',
    '\udcff'])
def test_any_other_token_is_wrong_and_is_not_repeated(guard, token):
    for check in (guard.check_token, lambda it: guard.check_header([f'Bearer {it}'])):
        with pytest.raises(RefusedError, match='the key is wrong: open the address') as caught:
            check(token)
        assert caught.value.status == 401
        assert TOKEN not in caught.value.message
        assert len(caught.value.message) < 100


@for_each('token', [None, 1, True, [TOKEN], {'token': TOKEN}, TOKEN.encode()])
def test_a_token_is_a_text(guard, token):
    with pytest.raises(RefusedError, match='the key is wrong'):
        guard.check_token(token)
