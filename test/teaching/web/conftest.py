"""What the tests of the page share: a server, and tests that are coroutines."""

from __future__ import annotations

import asyncio
import inspect

import pytest
from served_page import DEADLINE_S, ServedPage


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    """Run a coroutine in a loop of its own."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    given = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}

    async def in_time():
        await asyncio.wait_for(pyfuncitem.obj(**given), 3 * DEADLINE_S)
    asyncio.run(in_time())
    return True


@pytest.fixture
def page():
    """A page of its own."""
    with ServedPage() as served:
        yield served


@pytest.fixture(scope='module')
def same_page():
    """A page for tests that leave it as it was."""
    with ServedPage() as served:
        yield served
