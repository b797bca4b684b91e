"""
How experiments scale on a Dask cluster of this machine: `tools/ros-env python bench/scaling.py`.

Trials of GBS in the trap world, on 1, 2 and 4 workers of one thread each. Strong: the same trials
on more workers. Weak: as many trials for each worker. Workers have run a trial before the clock
starts, so that neither imports nor the world's plan count.
"""

from __future__ import annotations

import logging
import os
import sys
import tempfile
from functools import partial
from pathlib import Path

from bench.alone import run_alone
from bench.results import Figures
from bench.session import Effort, Session
from bench.timing import seconds

NAME = 'scaling'
ABOUT_S = {Effort.TINY: 10, Effort.QUICK: 20, Effort.FULL: 90}
WORKERS = (1, 2, 4)
STEPS = 20      # questions of a trial
ROUNDS = 3      # of which the shortest counts: whatever else the machine does only adds to it


def measure(session: Session) -> Figures:
    """Measure both; nothing where Dask is not installed."""
    try:
        from distributed import Client, LocalCluster  # what they are is not typed
    except ImportError:
        return {}
    logging.getLogger('distributed').setLevel(logging.ERROR)
    trials = session.pick(4, 24, 48)
    figures: Figures = {'scaling.trials': trials, 'scaling.cores': len(os.sched_getaffinity(0))}
    for workers in session.pick(WORKERS[:2], WORKERS, WORKERS):
        with tempfile.TemporaryDirectory() as folder, LocalCluster(        # type: ignore[no-untyped-call]
                n_workers=workers, threads_per_worker=1, processes=True, host='127.0.0.1',
                dashboard_address=None, local_directory=folder) as cluster, \
                Client(cluster):                        # type: ignore[no-untyped-call]
            _run(Path(folder) / 'first', 4 * workers)
            for kind, count in (('strong', trials), ('weak', trials // WORKERS[-1] * workers)):
                session.step(f'scaling: {count} trials on {workers} workers', 10)
                figures[f'scaling.{kind}_{workers}_s'] = min(
                    seconds(partial(_run, Path(folder) / f'{kind}_{number}', count))
                    for number in range(session.pick(1, 1, ROUNDS)))
    return figures


def _run(folder: Path, trials: int) -> None:
    import joblib

    from gbs_irl_ros.experiments import Experiment, Method, Progress, ShippedTask, Sweep
    sweep = Sweep('scaling', 'Scaling', ShippedTask('trap_world'), (Method('gbs', 'gbs'),),
                  trials=trials, steps=STEPS)
    folder.mkdir()
    with joblib.parallel_config(backend='dask'), open(os.devnull, 'w') as nowhere:
        Experiment(sweep, folder).run(Progress(nowhere))


if __name__ == '__main__':
    sys.exit(run_alone(measure))
