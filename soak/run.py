"""
The whole soak: `make soak MINUTES=30`, or some of it by `make soak ONLY=kills,stops MINUTES=5`.

Each part has a share of the time; what it leaves goes to those after it. The report is in
`.soak/reliability_report.json`. A run of all parts over at least half an hour, or one with
PUBLISH=1, also goes into soak/reliability_report.json and docs/reliability.md. The exit code is 0
if every claim held and every control was caught.
"""

from __future__ import annotations

import argparse
import importlib
import os
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from preloaded import end_forked

from gbs_irl_ros.ros.transport import use_sockets
from soak import report
from soak.fuzz import TARGETS
from soak.session import Claim, Session, interrupted, say

# Those that measure times first, while nothing is left over from others.
PARTS = ('stops', 'kills', 'losses', 'forgeries', 'floods', 'load', 'fuzz', 'parameters',
         'web', 'demos')
PUBLISHED_MINUTES = 30.0
DEFAULT_SEED = 20130729
INTERRUPTED = 130           # exit code


def main() -> int:
    """Run the parts, write the report."""
    given = _arguments()
    os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
    use_sockets(os.environ, os.environ.get('RMW_IMPLEMENTATION') or 'rmw_fastrtps_cpp')
    signal.signal(signal.SIGINT, _interrupt)    # also in the background
    publish = given.publish or (
        given.minutes >= PUBLISHED_MINUTES and set(given.only) == set(PARTS))
    folder = Path(tempfile.mkdtemp(prefix='gbs_irl_soak-'))
    os.environ['XDG_CACHE_HOME'] = str(folder / 'cache')
    say(f'{", ".join(given.only)}; {given.minutes:g} minutes, seed {given.seed}')
    try:
        _run_all(given, folder, publish)
    except KeyboardInterrupt:
        end_forked()
        shutil.rmtree(folder, ignore_errors=True)
        os._exit(INTERRUPTED)       # threads that still wait for nodes are not waited for
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    found = report.read(report.LATEST)
    if publish:
        report.write_page(report.read(report.PUBLISHED))
    for name in given.only:
        for claim in found['parts'][name]['claims']:
            say(f'{claim["verdict"]}: {claim["text"]}: {claim["run"]} {claim["unit"]}; '
                f'{claim["result"]} {claim["note"]}')
    return 0 if report.is_good(found, given.only) else 1


def _interrupt(number: int, frame: Any) -> None:
    """End every part: its threads see that the time is up, and what it made is removed."""
    interrupted.set()
    say('interrupted: what is under way ends; the report has the parts that were finished')
    raise KeyboardInterrupt


def _run_all(given: argparse.Namespace, folder: Path, publish: bool) -> None:
    modules = {name: importlib.import_module(f'soak.{name}') for name in given.only}
    ends_at = time.monotonic() + 60.0 * given.minutes
    left = list(modules)
    while left:
        name = left.pop(0)
        shares = modules[name].SHARE + sum(modules[other].SHARE for other in left)
        own_s = max(0.0, ends_at - time.monotonic()) * modules[name].SHARE / shares
        part = _run_part(modules[name], Session(
            given.seed, time.monotonic() + own_s, folder / name, name, given.scale,
            tuple(given.targets)))
        for path in (report.LATEST, *([report.PUBLISHED] if publish else [])):
            report.update(path, name, part)


def _run_part(module: Any, session: Session) -> dict[str, Any]:
    session.folder.mkdir()
    session.say('begins')
    began = time.monotonic()
    try:
        claims = module.run(session)
    except Exception as error:      # the other parts are worth having
        traceback.print_exc()
        claims = [Claim(f'{session.name}.error', f'the part {session.name} can be run', 0, 1,
                        'runs', f'{type(error).__name__}: {error}'[:500], passed=False)]
    shutil.rmtree(session.folder, ignore_errors=True)
    return {'seed': session.seed, 'seconds': round(time.monotonic() - began, 1),
            'load': report.load(), 'claims': [claim.to_json() for claim in claims]}


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or '').strip().splitlines()[0])
    parser.add_argument('--minutes', type=float, default=PUBLISHED_MINUTES)
    parser.add_argument('--only', type=_names, default=list(PARTS),
                        help=f'with commas between: {", ".join(PARTS)}')
    parser.add_argument('--seed', type=int, default=DEFAULT_SEED)
    parser.add_argument('--scale', type=float, default=1.0,
                        help='how much to try, as a share of what is published')
    parser.add_argument('--targets', type=lambda text: _known(text, TARGETS, 'target'),
                        default=[], help=f'of fuzz: {", ".join(TARGETS)}')
    parser.add_argument('--publish', action='store_true', help='replace the published report')
    return parser.parse_args()


def _names(text: str) -> list[str]:
    return _known(text, PARTS, 'part')


def _known(text: str, known: Sequence[str], what: str) -> list[str]:
    names = [name.strip() for name in text.split(',') if name.strip()]
    unknown = [name for name in names if name not in known]
    if unknown or not names:
        raise argparse.ArgumentTypeError(
            f'there is no {what} {unknown[0] if unknown else text!r}; known: {", ".join(known)}')
    return [name for name in known if name in names]


if __name__ == '__main__':
    sys.exit(main())
