"""`make demo` again and again: each time the task is learned, driven and judged."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

from rclpy.utilities import get_rmw_implementation_identifier

from gbs_irl_ros.launching.own_domain import OwnDomain
from soak import ROOT
from soak.lanes import at_once
from soak.session import Claim, Control, Session, spread
from soak.small_world import write_task

NAME = 'demos'
SHARE = 24
DEMOS = int(os.environ.get('DEMOS', '100'))
AT_ONCE = 3
LONGEST_S = 300.0


def demo(folder: Path, task: Path, *, kill: str = '') -> tuple[bool, str]:
    """
    Run a demonstration with fresh interpreters in a domain of its own.

    Return whether it succeeded, and what it said.

    :param kill: a node that is killed as soon as it runs.
    """
    domain = OwnDomain()
    try:
        environment = {**os.environ, 'ROS_DOMAIN_ID': str(domain.number),
                       'ROS_LOG_DIR': str(folder), 'ROS_HOME': str(folder)}
        process = subprocess.Popen(
            [sys.executable, ROOT / 'scripts' / 'demo', task, folder / 'demo.png'], cwd=folder,
            env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if kill:
            _kill(f'gbs_irl_ros.nodes.{kill}', f'ROS_LOG_DIR={folder}')
        try:
            said, _ = process.communicate(timeout=LONGEST_S)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
            said, _ = process.communicate(timeout=60.0)
            return False, f'it took longer than {LONGEST_S:g} s\n{said[-2000:]}'
    finally:
        domain.release()
    good = process.returncode == 0 and 'Traceback' not in said and (folder / 'demo.png').exists()
    return good, said[-2000:]


def _kill(module: str, mark: str) -> None:
    """Kill the process that runs a module, as soon as there is one."""
    ends_at = time.monotonic() + 60.0
    while time.monotonic() < ends_at:
        for folder in Path('/proc').iterdir():
            try:
                if folder.name.isdigit() and mark.encode() in (folder / 'environ').read_bytes() \
                        and module.encode() in (folder / 'cmdline').read_bytes():
                    os.kill(int(folder.name), signal.SIGKILL)
                    return
            except OSError:
                continue        # it has ended meanwhile, or is somebody else's
        time.sleep(0.05)


def run(session: Session) -> list[Claim]:
    """Run demonstrations until the time is over or there were enough."""
    task = write_task(session.folder)
    good, _ = demo(session.sub('control'), task, kill='judge')
    caught = Control('a demonstration whose judge is killed', not good,
                     'success' if good else 'no success')
    times: list[float] = []
    failures: list[str] = []
    begun = [0]
    lock = threading.Lock()

    def lane() -> None:
        while not session.is_over:
            with lock:
                if begun[0] >= session.wanted(DEMOS):
                    return
                begun[0] += 1
                folder = session.sub(f'demo-{begun[0]}')
            began = time.monotonic()
            good, said = demo(folder, task)
            times.append(time.monotonic() - began)
            if not good:
                failures.append(said)
            if len(times) % 10 == 0:
                session.say(f'{len(times)} demonstrations, {len(failures)} failed')
    at_once(*[lane] * AT_ONCE)
    facts = spread(times)
    return [Claim('demos.demos', '`make demo` succeeds each time', len(times),
                  session.wanted(DEMOS), 'demonstrations',
                  f'{len(failures)} failed; {get_rmw_implementation_identifier()}, {AT_ONCE} at a '
                  f'time, median {facts.get("median", 0.0):.0f} s', bool(times) and not failures,
                  (caught,), {**facts, 'failures': failures[:3]},
                  'no other middleware of ROS 2 Jazzy is on PyPI: looked for rmw_cyclonedds_cpp, '
                  'rmw_zenoh_cpp, rmw_connextdds')]
