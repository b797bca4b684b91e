"""Requests to the page with every Host, Origin, method, key and type: only those that may pass."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from unittest import mock

from request_matrix import differences, requests
from served_page import ServedPage

from gbs_irl_ros.teaching.web.guard import Guard
from soak.session import Claim, Control, Session

NAME = 'web'
SHARE = 4
REQUESTS = 60_000
BATCH = 500


def wrong(sent: list[Any], is_over: Callable[[], bool] = lambda: False) -> tuple[int, list[Any]]:
    """Send requests to a page; return how many, and those that were not answered as predicted."""
    found: list[Any] = []
    tried = 0
    with ServedPage() as page:
        while tried < len(sent) and not is_over():
            found += differences(page, sent[tried:tried + BATCH])
            tried += len(sent[tried:tried + BATCH])
    return tried, found


def control(part: str, what: str, sent: list[Any]) -> Control:
    """Return whether a guard without one of its checks is noticed."""
    with mock.patch.object(Guard, part, return_value=None):
        _, found = wrong(sent)
    return Control(what, bool(found), f'{len(found)} of {len(sent)} requests not as predicted')


def run(session: Session) -> list[Claim]:
    """Send requests until the time is over or there were enough."""
    few = requests(BATCH, session.seed)
    controls = (control('check_place', 'a page that does not look at Host and Origin', few),
                control('check_header', 'a page that does not look at the key', few))
    sent = requests(session.wanted(REQUESTS), session.seed)
    tried, found = wrong(sent, lambda: session.is_over)
    session.say(f'{tried} requests, {len(found)} not as predicted')
    passed = sum(each.may_pass() for each in sent[:tried])
    return [Claim('web.requests', 'exactly the requests that may pass do: Host × Origin × method '
                  '× key × type', tried, session.wanted(REQUESTS), 'requests',
                  f'{len(found)} not as predicted; {passed:,} were to pass', not found, controls,
                  {'found': [repr(each) for each in found[:20]]})]
