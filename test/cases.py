"""One test for many cases: a loop that runs them all and names those that fail."""

from __future__ import annotations

import contextlib
import copy
import functools
import inspect
import reprlib
from pathlib import Path

import numpy as np
import pytest

# A case that skips would leave out the ones behind it.
FAILURES = (Exception, pytest.fail.Exception, pytest.skip.Exception)
SHOWN = 10      # failed cases whose errors are printed

brief = reprlib.Repr()
brief.maxstring = brief.maxother = 80
brief.maxlist = brief.maxtuple = brief.maxdict = 8


def for_each(names, cases, ids=None):
    """
    Run a test, or every test of a class, once for each case, as one test.

    Takes the arguments of ``pytest.mark.parametrize`` and is stacked like it. All cases run; the
    error at the end names each one that failed, and its cause is the first failure. Fixtures are
    made once and shared by the cases, except that every case gets the same random numbers
    (``rng``), patches that are undone after it (``monkeypatch``), a folder of its own
    (``tmp_path``) and in such a folder whatever file is not there yet. Cheap cases only: what
    takes seconds, or would leave something behind in a fixture for the next case, is worth a test
    of its own. The test has its ``cases``.
    """
    wanted = [name.strip() for name in names.split(',')] if isinstance(names, str) else list(names)
    cases = list(cases)
    rows = [case.values if hasattr(case, 'values') and hasattr(case, 'marks')   # pytest.param
            else (case,) if isinstance(names, str) and len(wanted) == 1 else tuple(case)
            for case in cases]
    if not rows:
        raise ValueError(f'for_each({names!r}) has no cases')
    for row in rows:
        if len(row) != len(wanted):
            raise ValueError(f'for_each({names!r}): a case has {len(row)} values: {row!r}')
    labels = [_label(number, case, row, wanted, ids)
              for number, (case, row) in enumerate(zip(cases, rows, strict=True))]

    def decorate(test):
        if isinstance(test, type):
            for name, method in list(vars(test).items()):
                if name.startswith('test'):
                    setattr(test, name, decorate(method))
            return test
        signature = inspect.signature(test)

        def attempts(fixtures):
            """Give each case what it is called with; fail at the end if any did."""
            failed = []
            for number, (label, row) in enumerate(zip(labels, rows, strict=True)):
                given = dict(zip(wanted, row, strict=True))
                yield _attempt(fixtures, number, given, label, failed)
            if failed:
                raise AssertionError(_report(failed, len(rows))) from failed[0][1]

        if inspect.iscoroutinefunction(test):
            @functools.wraps(test)
            async def run(*args, **fixtures):
                for attempt in attempts(fixtures):
                    with attempt as own:
                        await test(*args, **own)
        else:
            @functools.wraps(test)
            def run(*args, **fixtures):
                for attempt in attempts(fixtures):
                    with attempt as own:
                        test(*args, **own)

        run.__signature__ = signature.replace(parameters=[
            parameter for name, parameter in signature.parameters.items() if name not in wanted])
        run.cases = cases
        return run
    return decorate


@contextlib.contextmanager
def _attempt(fixtures, number, row, label, failed):
    """Give what one case is called with; a failure is noted, and the next case runs."""
    try:
        with _fresh(fixtures, number) as own:
            yield {**own, **row}
    except FAILURES as error:
        failed.append((label, error))


@contextlib.contextmanager
def _fresh(fixtures, number):
    """Give the fixtures for one case: those that a case may use up are made for it."""
    own = dict(fixtures)
    with contextlib.ExitStack() as undone:
        for name, value in fixtures.items():
            if isinstance(value, np.random.Generator):
                own[name] = copy.deepcopy(value)
            elif name == 'monkeypatch':
                own[name] = undone.enter_context(pytest.MonkeyPatch.context())
            elif name == 'tmp_path':
                own[name] = value / f'case-{number}'
                own[name].mkdir(exist_ok=True)
            elif isinstance(value, Path) and not value.exists():
                own[name] = value.parent / f'case-{number}' / value.name
                own[name].parent.mkdir(parents=True, exist_ok=True)
        yield own


def _label(number, case, row, names, ids):
    """Return the words for a case in an error."""
    named = getattr(case, 'id', None) if hasattr(case, 'marks') else None
    if ids is not None and not callable(ids):
        named = list(ids)[number]
    if named:
        return str(named)
    shown = [(callable(ids) and ids(value)) or brief.repr(value) for value in row]
    return ', '.join(f'{name}={text}' for name, text in zip(names, shown, strict=True))


def _report(failed, total):
    lines = [f'{len(failed)} of {total} cases failed:']
    for label, error in failed[:SHOWN]:
        text = str(error).strip() or type(error).__name__
        kind = '' if isinstance(error, (AssertionError, pytest.fail.Exception)) \
            else f'{type(error).__name__}: '
        lines += [f'[{label}]', *(f'    {line}' for line in (kind + text).splitlines())]
    if len(failed) > SHOWN:
        lines.append('and ' + '; '.join(f'[{label}]' for label, _ in failed[SHOWN:]))
    return '\n'.join(lines)
