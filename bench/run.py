"""
The whole benchmark: `make bench`, or some of it by `make bench ONLY=planning,ask QUICK=1`.

Each measurement writes its figures to bench/results.json when it is finished, those of QUICK=1 to
`.bench/quick.json`. Ends with the table of goals. The exit code says whether everything could be
measured, not whether every goal was met.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from bench import (
    answer_latency,
    ask,
    emg,
    growth,
    idle,
    machine,
    memory,
    planning,
    plots,
    scaling,
    startup,
)
from bench.goals import text_table
from bench.peer_environment import InstallError, install_peers
from bench.results import PUBLISHED, QUICK, read_results, update_results
from bench.session import Effort, Progress, Session

# Small processes first: what is measured later may leave memory behind.
MEASUREMENTS = {each.NAME: each for each in (
    memory, startup, planning, ask, emg, growth, scaling, answer_latency, idle)}


def main() -> int:
    """Measure, write, and print the table."""
    given = _arguments()
    progress, path = Progress(), QUICK if given.quick else PUBLISHED
    effort = Effort.QUICK if given.quick else Effort.FULL
    peers = None
    if planning.NAME in given.only:
        try:
            peers = install_peers(progress)
        except InstallError as error:
            print(f'bench: {error}', file=sys.stderr)
            return 1
    session = Session(effort, progress, peers)
    update_results(path, 'machine', machine.facts())
    try:
        failures = [name for number, name in enumerate(given.only)
                    if not _measured(session, path, name, f'{number + 1} of {len(given.only)}')]
    except KeyboardInterrupt:
        progress.note('interrupted; what was measured before is kept')
        return 130
    figures = read_results(path)
    progress.clear()
    print(f'\n{text_table(figures)}\n', flush=True)
    if given.quick:
        print('quick: sizes are smaller than those of the goals, so "yes" is a hint only')
    elif not failures:
        for written in plots.draw_all(figures):
            progress.note(f'wrote docs/{written}')
    if failures:
        print(f'bench: could not be measured, or not all of it: {", ".join(failures)}',
              file=sys.stderr)
    return 1 if failures else 0


def _measured(session: Session, path: Path, name: str, number: str) -> bool:
    """Take one measurement and write its figures; tell whether all of it could be measured."""
    measurement, progress = MEASUREMENTS[name], session.progress
    progress.note(f'{name}, {number}: about {measurement.ABOUT_S[session.effort]} s')
    started = time.monotonic()
    try:
        found = measurement.measure(session)
    except Exception as error:      # the other measurements are worth having
        # In place of the figures: those of an earlier run prove nothing about this one.
        found = {f'{name}.failure': f'{type(error).__name__}: {error}'}
    update_results(path, name, {f'{name}.effort': session.effort.value, **found})
    reasons = [value for key, value in found.items() if key.endswith('.failure')]
    for reason in reasons:
        progress.note(f'{name} could not be measured: {reason}')
    progress.note(f'{name}: {time.monotonic() - started:.0f} s')
    return not reasons


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or '').strip().splitlines()[0])
    parser.add_argument('--only', type=_names, default=list(MEASUREMENTS),
                        help=f'with commas between: {", ".join(MEASUREMENTS)}')
    parser.add_argument('--quick', action='store_true', help='smaller sizes, fewer rounds')
    return parser.parse_args()


def _names(text: str) -> list[str]:
    names = [name.strip() for name in text.split(',') if name.strip()]
    unknown = [name for name in names if name not in MEASUREMENTS]
    if unknown or not names:
        raise argparse.ArgumentTypeError(
            f'there is no measurement {unknown[0] if unknown else text!r}; '
            f'known: {", ".join(MEASUREMENTS)}')
    return [name for name in MEASUREMENTS if name in names]


if __name__ == '__main__':
    sys.exit(main())
