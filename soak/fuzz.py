"""Inputs nobody would write: whatever comes in, the package answers with an error of its own."""

from __future__ import annotations

import functools
import importlib
import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from soak import ROOT
from soak.session import Claim, Control, Session, interrupted

NAME = 'fuzz'
SHARE = 18
INPUTS = 1_000_000
CONTROL_INPUTS = 3000
TARGETS = ('messages', 'requests', 'journals', 'saved_policies', 'task_files')
WORKERS = os.cpu_count() or 2
GRACE_S = 120.0
LOOK_EVERY_S = 0.5          # whether Ctrl-C was pressed


def worked(target: str, seed: int, count: int, seconds: float, *options: str) -> dict[str, Any]:
    """Fuzz one target in a process of its own; return what it found."""
    with subprocess.Popen(
            [sys.executable, '-m', 'soak.fuzz_worker', target, '--seed', str(seed), '--count',
             str(count), '--seconds', str(seconds), *options],
            cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as worker:
        ends_at = time.monotonic() + seconds + GRACE_S
        while True:
            try:
                told, errors = worker.communicate(timeout=LOOK_EVERY_S)
                break
            except subprocess.TimeoutExpired:
                if interrupted.is_set() or time.monotonic() > ends_at:
                    worker.kill()
    if worker.returncode:
        return {'tried': 0, 'accepted': 0, 'slowest': 0.0, 'findings': [
            {'input': '', 'error': f'the process ended with code {worker.returncode}',
             'where': errors[-1500:]}]}
    found: dict[str, Any] = json.loads(told)
    return found


def target_of(name: str) -> Any:
    """Return the module of a target."""
    return importlib.import_module(f'soak.targets.{name}')


def control(target: str, seed: int) -> Control:
    """Return whether an exception inside the package is noticed."""
    found = worked(target, seed, CONTROL_INPUTS, 60.0, '--fault')
    errors = [finding['error'] for finding in found['findings']]
    name = target_of(target).FAULT.rsplit('.', 1)[1]
    return Control(f'a division by zero in {name} ({target})',
                   any('ZeroDivisionError' in error for error in errors),
                   f'{len(errors)} findings in {found["tried"]} inputs')


def run(session: Session) -> list[Claim]:
    """Fuzz all targets, several processes at a time."""
    wanted, targets = session.wanted(INPUTS), session.targets or TARGETS
    with ThreadPoolExecutor(WORKERS) as threads:
        caught = dict(zip(targets, threads.map(
            functools.partial(control, seed=session.seed), targets), strict=True))
        claims = []
        for number, target in enumerate(targets):
            seconds = session.left_s / (len(targets) - number)
            parts = list(threads.map(lambda lane, target=target, seconds=seconds: worked(
                target, session.seed + 1 + lane, -(-wanted // WORKERS), seconds),
                range(WORKERS)))
            claims.append(_claim(target_of(target).TEXT, target, parts, wanted,
                                 caught[target]))
            session.say(f'{target}: {claims[-1].run} inputs, {claims[-1].result}')
    return claims


def _claim(text: str, target: str, parts: list[dict[str, Any]], wanted: int,
           caught: Control) -> Claim:
    tried = sum(part['tried'] for part in parts)
    findings = [finding for part in parts for finding in part['findings']]
    slowest = max(part['slowest'] for part in parts)
    accepted = sum(part['accepted'] for part in parts)
    return Claim(
        f'fuzz.{target}', f'{text}: no exception but those of the package, each in less than 1 s',
        tried, wanted, 'inputs', f'{len(findings)} foreign exceptions; {accepted:,} accepted; '
        f'slowest {slowest:.2f} s', not findings, (caught,),
        {'findings': findings, 'accepted': accepted, 'slowest': slowest})
