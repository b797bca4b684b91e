"""Requests to the page: Host x Origin x method x token x content type, and which may pass."""

from __future__ import annotations

import itertools
import json
import random
from dataclasses import dataclass, replace

from served_page import NAME, SECRET, TEXT, TOKEN, RawSocket

JSON = 'application/json'
ATTACKER = 'attacker.example'
SAY = {'words': 'hello'}

# ---- the matrix -----------------------------------------------------------------------------
# Each choice has a name, what is sent (PORT is put in), and whether it may pass.

HOSTS = {
    'own': (['127.0.0.1:PORT'], True), 'localhost': (['localhost:PORT'], True),
    'capitals': (['LOCALHOST:PORT'], True), 'extra': ([f'{NAME}:PORT'], True),
    'rebound': ([f'{ATTACKER}:PORT'], False), 'attacker': ([ATTACKER], False),
    'no port': (['127.0.0.1'], False), 'other port': (['127.0.0.1:1'], False),
    'other address': (['127.0.0.2:PORT'], False), 'any address': (['0.0.0.0:PORT'], False),
    'number': (['2130706433:PORT'], False), 'short': (['127.1:PORT'], False),
    'six': (['[::1]:PORT'], False), 'dot': (['localhost.:PORT'], False),
    'user': (['user@localhost:PORT'], False), 'prefix': ([f'localhost:PORT.{ATTACKER}'], False),
    'list': (['localhost:PORT, localhost:PORT'], False), 'empty': ([''], False),
    'none': ([], False), 'two': (['localhost:PORT', 'localhost:PORT'], False),
    'second': (['localhost:PORT', f'{ATTACKER}:PORT'], False)}
ORIGINS = {
    'own': (['http://127.0.0.1:PORT'], True), 'none': ([], None),   # None: not for a socket
    'localhost': (['http://localhost:PORT'], True), 'extra': ([f'http://{NAME}:PORT'], True),
    'capitals': (['HTTP://LocalHost:PORT'], True), 'null': (['null'], False),
    'empty': ([''], False), 'attacker': ([f'http://{ATTACKER}'], False),
    'rebound': ([f'http://{ATTACKER}:PORT'], False), 'https': (['https://127.0.0.1:PORT'], False),
    'slash': (['http://127.0.0.1:PORT/'], False), 'no port': (['http://127.0.0.1'], False),
    'other port': (['http://127.0.0.1:1'], False), 'no scheme': (['127.0.0.1:PORT'], False),
    'prefix': ([f'http://127.0.0.1:PORT.{ATTACKER}'], False), 'file': (['file://'], False),
    'two': (['http://127.0.0.1:PORT', 'http://127.0.0.1:PORT'], False),
    'second': (['http://127.0.0.1:PORT', 'null'], False)}
TOKENS = {      # headers, the first message of a socket, and whether each is right
    'right': ([('Authorization', f'Bearer {TOKEN}')], {'token': TOKEN}, True, True),
    'missing': ([], None, False, False),
    'wrong': ([('Authorization', 'Bearer ' + 'x' * len(TOKEN))], {'token': 'x'}, False, False),
    'begun': ([('Authorization', f'Bearer {TOKEN[:-1]}')], {'token': TOKEN[:-1]}, False, False),
    'longer': ([('Authorization', f'Bearer {TOKEN}x')], {'token': TOKEN + 'x'}, False, False),
    'long': ([('Authorization', 'Bearer ' + 'x' * 8000)], {'token': 'x' * 8000}, False, False),
    'too long': ([('Authorization', 'Bearer ' + 'x' * 20_000)], {'token': 'x' * 60_000}, False,
                 False),
    'empty': ([('Authorization', 'Bearer ')], {'token': ''}, False, False),
    'bare': ([('Authorization', TOKEN)], TOKEN, False, False),
    'small': ([('Authorization', f'bearer {TOKEN}')], {'Token': TOKEN}, False, False),
    'basic': ([('Authorization', f'Basic {TOKEN}')], {'token': [TOKEN]}, False, False),
    'twice': ([('Authorization', f'Bearer {TOKEN}')] * 2, [{'token': TOKEN}], False, False),
    'cookie': ([('Cookie', f'token={TOKEN}; key={TOKEN}')], {'cookie': TOKEN}, False, False),
    'header': ([('X-Token', TOKEN)], {'token': TOKEN, 'more': 1}, False, False),
    'query': ([], {'do': 'say', 'number': 1, 'with': SAY}, False, False)}
TYPES = {
    'json': ([JSON], True), 'charset': ([f'{JSON}; charset=utf-8'], True),
    'capitals': (['Application/JSON;charset=UTF-8'], True),
    'plain': (['text/plain'], False), 'form': (['application/x-www-form-urlencoded'], False),
    'multipart': (['multipart/form-data; boundary=x'], False), 'none': ([], False),
    'other charset': ([f'{JSON}; charset=utf-16'], False), 'text json': (['text/json'], False),
    'hidden': ([f'text/plain; {JSON}'], False), 'more': ([f'{JSON}, text/plain'], False)}
METHODS = {     # method, target, what it would do if it passed
    'page': ('GET', '/', 'page'), 'file': ('GET', '/main.js', 'page'),
    'state': ('GET', '/api/state', 'state'), 'say': ('POST', '/api/say', 'say'),
    'live': ('GET', '/api/live', 'live'),
    'get say': ('GET', '/api/say', None), 'post page': ('POST', '/', None),
    'post live': ('POST', '/api/live', None), 'post state': ('POST', '/api/state', None),
    'put': ('PUT', '/api/say', None), 'patch': ('PATCH', '/api/say', None),
    'delete': ('DELETE', '/api/state', None), 'options': ('OPTIONS', '/api/say', None),
    'trace': ('TRACE', '/', None), 'unknown': ('POST', '/api/unknown', None),
    'encoded': ('POST', '/api%2Fsay', None), 'double': ('POST', '//api/say', None)}


@dataclass(frozen=True)
class Sent:
    """One request, by the names of its choices."""

    host: str = 'own'
    origin: str = 'own'
    token: str = 'right'
    kind: str = 'json'
    method: str = 'say'

    def may_pass(self):
        """Predict the verdict without asking the code that is tested."""
        what = METHODS[self.method][2]
        if what is None or not HOSTS[self.host][1]:
            return False
        origin = ORIGINS[self.origin][1]
        if not (origin if origin is not None else what != 'live'):
            return False
        if self.token == 'too long':        # aiohttp takes no header line of that length
            return False
        if what in ('state', 'say') and not TOKENS[self.token][2]:
            return False
        if what == 'live' and not TOKENS[self.token][3]:
            return False
        return what != 'say' or TYPES[self.kind][1]

    def passes(self, page):
        """Send it; return whether it did what it would do."""
        method, target, what = METHODS[self.method]
        port = str(page.port)
        headers = [*(('Host', each.replace('PORT', port)) for each in HOSTS[self.host][0]),
                   *(('Origin', each.replace('PORT', port)) for each in ORIGINS[self.origin][0]),
                   *TOKENS[self.token][0]]
        if self.token == 'query':
            target += f'?token={TOKEN}&key={TOKEN}&access_token={TOKEN}'
        said, seen = len(page.said), b''
        if what == 'live':
            seen = self._seen_live(page, headers, target)
        else:
            body = json.dumps(SAY).encode() if method in ('POST', 'PUT', 'PATCH') else b''
            headers += [*(('Content-Type', each) for each in TYPES[self.kind][0]),
                        ('Content-Length', str(len(body))), ('Connection', 'close')]
            response = page.ask_exactly(method, target, headers, body)
            seen = response.body if response.status < 300 else b''
        acted = len(page.said) > said
        shown = {'page': b'<html' in seen or b'import' in seen, 'say': acted}.get(
            what, SECRET.encode() in seen)
        assert what == 'say' or not acted
        return shown or SECRET.encode() in seen or acted

    def _seen_live(self, page, headers, target):
        with RawSocket(page.connect()) as live:
            live.upgrade([*headers], target)
            if live.status != 101:
                return b''
            first = TOKENS[self.token][1]
            live.send(json.dumps(first) if first is not None else '{}')
            opcode, payload = live.receive()
            return payload if opcode == TEXT else b''


CHOICES = {'host': HOSTS, 'origin': ORIGINS, 'token': TOKENS, 'kind': TYPES, 'method': METHODS}


def requests(count, seed):
    """Return those that differ from the good ones in one or two things, and many at random."""
    found = {Sent(method=method) for method in METHODS}
    for method, (name, choices) in itertools.product(
            ('page', 'state', 'say', 'live'), CHOICES.items()):
        found |= {replace(Sent(method=method), **{name: each}) for each in choices}
    rng = random.Random(seed)
    while len(found) < count:
        # Mostly right: else hardly any would pass, and a hole behind a first wall stay unseen.
        found.add(Sent(**{name: rng.choice(list(choices)) if rng.random() < 0.4
                          else getattr(Sent(), name) if name != 'method'
                          else rng.choice(['page', 'state', 'say', 'live'])
                          for name, choices in CHOICES.items()}))
    return sorted(found, key=repr)


def differences(page, sent):
    """Return what passed or did not against the prediction."""
    return [each for each in sent if each.passes(page) != each.may_pass()]
