"""What the machine allows, and what a cluster would: the last two parts of docs/speed.md."""

from __future__ import annotations

import csv

from bench.results import ROOT, Figures
from bench.tables import MISSING, getter, number, table

ASKED = ('random_10x5', 'random_50x5', 'puddle_world', 'trap_world', 'driver', 'grid')
PLANNED = ('puddle_world', 'trap_world', 'driver', 'driver_sparse')
WORKERS = (1, 2, 4)
RUNS = ROOT / 'docs' / 'paper' / 'runs.csv'
RUN_CORES = 2           # of the machine that these times are of
NODES, CORES = 1000, 2  # of a cluster that nobody here has
ENTRY_BYTES = 12        # of a transition: where it leads, and how likely
LANES = 4               # rewards that share reading it
OVERHEAD_S = 1e-3       # that Dask's scheduler spends on a task, by its documentation


def limits(figures: Figures) -> str:
    """Return bytes and operations per question and per planned reward."""
    machine = getter(figures, 'machine')
    fast = figures.get('machine.all_cores_gb_per_s')
    body = []
    for world in ASKED:
        get = getter(figures, f'ask.{world}')
        read = figures.get(f'ask.{world}.bytes')
        least = MISSING if not (fast and read) else f'{read / fast / 1e6:.3f} ms'
        body.append((world, get('sets_bytes', _size), get('bytes', _size),
                     get('additions', number(0)), least, get('ms', number(3, ' ms'))))
    asked = table(('question', 'sets', 'read', 'additions, all sets', 'reading alone', 'measured'),
                  body)
    body = []
    for world in PLANNED:
        get = getter(figures, f'planning.{world}')
        updates, entries, taken, rewards = (
            figures.get(f'planning.{world}.{key}') for key in (
                'updates_per_reward', 'entries_per_state', 'one_thread_seconds', 'rewards'))
        if updates and entries and taken and rewards:
            work, each = 2.0 * updates * entries, taken / rewards
            read = updates * entries * (ENTRY_BYTES / LANES + 8)
            cells = (f'{updates:,.0f}', f'{work / 1e6:,.2f} million', _size(read),
                     f'{1e3 * each:.3f} ms', f'{work / each / 1e9:.2f}',
                     f'{read / each / 1e9:.1f} GB/s')
        else:
            cells = (MISSING,) * 6
        body.append((world, *cells))
    planned = table(('planned reward, one core', 'states updated', 'operations', 'bytes', 'time',
                     'thousand million operations/s', 'bytes/s'), body)
    return (f'Memory is read and written at {machine("one_core_gb_per_s", number(1, " GB/s"))} by '
            f'one core and {machine("all_cores_gb_per_s", number(1, " GB/s"))} by all '
            "(STREAM's add).\n\n" + asked
            + '\n\nWhere neighbouring states have almost the same sets, as in grids, only what '
            'changes from one to the next is read and added up; "additions" is what all sets '
            'would take, four policies at a time. Small worlds are far from any limit of memory: '
            'there a question is Python.\n\n' + planned
            + '\n\nBytes count every transition, shared by four rewards, and the value it leads '
            'to, as if no cache held them. More than the memory gives means that caches do; '
            'goals of deterministic worlds are searched for and update nothing.')


def scaling(figures: Figures) -> str:
    """Return how experiments scale here, and what that makes of the paper on a cluster."""
    get = getter(figures, 'scaling')
    strong, weak = ({workers: figures.get(f'scaling.{kind}_{workers}_s') for workers in WORKERS}
                    for kind in ('strong', 'weak'))
    body = []
    for workers in WORKERS:
        cells = [MISSING] * 5
        if strong[1] and strong[workers]:
            gain = strong[1] / strong[workers]
            cells[:3] = [f'{strong[workers]:.2f} s', f'{gain:.2f} ×', f'{gain / workers:.0%}']
        if weak[1] and weak[workers]:
            cells[3:] = [f'{weak[workers]:.2f} s', f'{weak[1] / weak[workers]:.0%}']
        body.append((str(workers), *cells))
    return (table(('workers', 'same trials', 'faster', 'efficiency', 'as many for each',
                   'efficiency'), body)
            + f'\n\n{get("trials", number(0))} trials of GBS in the trap world, 20 questions '
            f'each, on a Dask cluster of this machine, which has {get("cores")} cores: four '
            f'workers share them. {cluster_run()}')


def cluster_run() -> str:
    """Return what the experiments behind docs/paper.md would take on a large cluster."""
    with RUNS.open() as file:
        runs = list(csv.DictReader(file))
    seconds = 60.0 * sum(float(run['minutes']) for run in runs)
    trials = sum(int(run['trials']) for run in runs)
    longest = max(runs, key=lambda run: float(run['minutes']) / int(run['trials']))
    trial = 60.0 * RUN_CORES * float(longest['minutes']) / int(longest['trials'])
    shared, told = seconds * RUN_CORES / (NODES * CORES), trials * OVERHEAD_S
    return (f"\n\nThe rows behind [the paper's figures](paper.md) took {seconds:,.0f} s on "
            f'{RUN_CORES} cores for {trials:,} trials. On {NODES:,} nodes of {CORES} cores each '
            f'(a calculation, not a measurement) that work is {shared:.1f} s for each core. The '
            f'longest trials, of {longest["experiment"]}, take {trial:.1f} s and cannot be '
            f'divided; handing out the trials one by one takes a scheduler about {told:.0f} s at '
            f'1 ms each. So the whole would take about {max(shared, trial, told):.0f} s and the '
            'start of the workers: beyond about '
            f'{seconds * RUN_CORES / max(trial, told):,.0f} cores the scheduler and the longest '
            'trial set the pace, not the number of nodes. Experiments must then be run at once '
            'instead of one after another, which `Study` and `make paper` do not do.')


def _size(count: float) -> str:
    for unit in ('bytes', 'kB', 'MB'):
        if count < 1000:
            return f'{count:.0f} {unit}' if unit == 'bytes' else f'{count:.1f} {unit}'
        count /= 1000
    return f'{count:.2f} GB'
