"""One measurement run alone: its figures are printed and kept nowhere."""

from __future__ import annotations

import argparse
import inspect
import json
from collections.abc import Callable

from bench.peer_environment import PEER_PYTHON
from bench.results import Figures, rounded
from bench.session import Effort, Progress, Session


def run_alone(measure: Callable[[Session], Figures], needs_peers: bool = False) -> int:
    """Measure as the command line says, and print."""
    about = inspect.getdoc(inspect.getmodule(measure)) or ''
    parser = argparse.ArgumentParser(description=about.splitlines()[0])
    parser.add_argument('--effort', choices=[effort.value for effort in Effort], default='full')
    given = parser.parse_args()
    progress = Progress()
    peers = PEER_PYTHON if needs_peers and PEER_PYTHON.exists() else None
    if needs_peers and peers is None:
        progress.note('the peers are left out: `make bench ONLY=planning` installs them')
    figures = rounded(measure(Session(Effort(given.effort), progress, peers)))
    progress.clear()
    for key, value in figures.items():
        print(f'{key} = {json.dumps(value)}')
    return 0
