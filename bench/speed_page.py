"""The part of docs/speed.md that is written from bench/results.json, so that it cannot drift."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from bench.goals import markdown_table
from bench.limits_page import limits, scaling
from bench.results import ROOT, Figures
from bench.tables import MISSING, Format, getter, number, table

PAGE = ROOT / 'docs' / 'speed.md'
BEGIN = '<!-- written by bench/plots.py from bench/results.json: begin -->'
END = '<!-- end -->'
NOTHING = 'Nothing has been measured yet: `make bench` does, and fills this in.'
PLANNED = ('puddle_world', 'trap_world', 'driver', 'driver_sparse')
ASKED = ('random_10x5', 'random_50x5', 'puddle_world', 'trap_world', 'driver', 'grid')
TAUGHT = ('room', 'trap_world', 'driver')
CURVES = ('planning_states', 'planning_actions', 'planning_hypotheses', 'ask_states',
          'ask_actions', 'ask_hypotheses', 'ask_live')
PEERS = {'quantecon': 'QuantEcon', 'mdptoolbox': 'mdptoolbox', 'storm': 'Storm'}


def write_page(figures: Figures, page: Path = PAGE) -> None:
    """Replace what stands between the markers."""
    before, _, rest = page.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    if not rest or not after:
        raise ValueError(f'{page.name} must have the lines {BEGIN!r} and {END!r}')
    page.write_text(f'{before}{BEGIN}\n{section(figures)}\n{END}{after}')


def section(figures: Figures) -> str:
    """Return what stands between the markers."""
    if not figures:
        return NOTHING
    parts = [_machine(figures), '## Goals', markdown_table(figures),
             '## Planning', _planning(figures), _picture('planning', 'Planning times'),
             '## Questions', _questions(figures), _picture('emg', 'EMG against GBS'),
             '## Growth', _growth(figures), _picture('growth', 'Growth curves'),
             '## Starting, and answers over ROS', _starting(figures), _latencies(figures),
             '## At rest', _idle(figures), '## The limit', limits(figures),
             '## Experiments on a cluster', scaling(figures)]
    return '\n\n'.join(parts)


def _machine(figures: Figures) -> str:
    here, peers = getter(figures, 'machine'), getter(figures, 'planning.versions')
    return (f'Measured on {here("cores")} cores ({here("processor")}), with Python '
            f'{here("python")}, numpy {here("numpy")}, scipy {here("scipy")}; peers: QuantEcon '
            f'{peers("quantecon")} with numba {peers("numba")}, mdptoolbox-hiive '
            f'{peers("mdptoolbox")}, Storm (stormpy) {peers("storm")}.')


def _planning(figures: Figures) -> str:
    seconds, times, whole = number(3, ' s'), number(1, ' ×'), number(0)
    head = ('', 'states × actions', 'rewards', 'ours', 'on one core', 'without kernel',
            'QuantEcon', 'mdptoolbox', 'Storm', 'ratio to QuantEcon', 'on one core',
            'ratio to Storm', 'on one core')
    body, checks = [], []
    for task in PLANNED:
        get = getter(figures, f'planning.{task}')
        body.append((task, f'{get("states", whole)} × {get("actions", whole)}',
                     f'{get("rewards", whole)}: {get("about")}',
                     *(get(f'{name}seconds', seconds)
                       for name in ('', 'one_thread_', 'numpy_', 'quantecon_', 'mdptoolbox_',
                                    'storm_')),
                     *(get(f'{cores}ratio_{peer}', times) for peer in ('quantecon', 'storm')
                       for cores in ('', 'one_thread_'))))
        checks.append(f'{get("differing_sets")} of {get("checked_sets", whole)} ({task})')
    driver = getter(figures, 'planning.driver')
    return (table(head, body) + '\n\nmdptoolbox solved a sample '
            f'of {driver("mdptoolbox_sample")} rewards, the path without the kernel one of '
            f'{driver("numpy_sample")} for the driver, Storm one of {driver("storm_sample")}; '
            'their times are scaled to all. Greedy sets '
            f'that differ from those of the exact solver: {", ".join(checks)}. '
            + ' '.join(_agreement(figures, peer, name) for peer, name in PEERS.items()))


def _agreement(figures: Figures, peer: str, name: str) -> str:
    """Return how far a peer agrees with us, over all tasks."""
    def over_tasks(key: str, join: Callable[[list[float]], float], shown: Format) -> str:
        found = [figures[f'planning.{task}.{peer}_{key}'] for task in PLANNED
                 if f'planning.{task}.{peer}_{key}' in figures]
        return shown(join(found)) if found else MISSING
    whole = number(0)
    return (f'Of {over_tasks("checked_actions", sum, whole)} actions of {name}, '
            f'{over_tasks("actions_outside", sum, whole)} are outside our sets; its values differ '
            f'from ours by {over_tasks("value_difference", max, "{:.1e}".format)} at most.')


def _questions(figures: Figures) -> str:
    ms, mb, grid = number(2, ' ms'), number(0, ' MB'), getter(figures, 'ask.grid')
    head = ('', 'next question', 'p99', 'first question', 'plain numpy', 'ratio', 'memory')
    body = []
    for task in ASKED:
        get = getter(figures, f'ask.{task}')
        body.append((task, *(get(key, ms) for key in ('ms', 'p99_ms', 'first_ms', 'numpy_ms')),
                     get('ratio_numpy', number(1, ' ×')),
                     getter(figures, f'memory.{task}')('mb', mb)))
    return (table(head, body)
            + f'\n\nThe grid has {grid("size")}. Plain numpy would need 32 GB there; it was '
            f'compared on {grid("compared_size")}, where ours took {grid("compared_ms", ms)}. '
            'Memory is the most that a process had which planned and asked a first question; '
            f'importing alone takes {getter(figures, "memory.nothing")("mb", mb)}.')


def _growth(figures: Figures) -> str:
    body = []
    for name in CURVES:
        get, curve = getter(figures, f'growth.{name}'), figures.get(f'growth.{name}.curve')
        sizes = MISSING if not curve else f'{curve[0][0]:,} to {curve[-1][0]:,}'
        body.append((name, f'{sizes} {get("axis")}', get('fitted_from', number(0)),
                     get('exponent', number(2))))
    gain = getter(figures, 'growth.ask_live')('gain', number(1, ' times'))
    return (table(('', 'from, to', 'fitted from', 'exponent'), body)
            + '\n\n`ask_live`: ten hypotheses have all the mass, however many there are. With the '
            f'most hypotheses, a question takes {gain} as long where all of them have some.')


def _starting(figures: Figures) -> str:
    seconds = number(2, ' s')
    head = ('', 'first start', 'second start', 'of which load and plan', 'node, first',
            'node, second')
    keys = ('first_s', 'second_s', 'second_load_s', 'node_first_s', 'node_second_s')
    body = []
    for task in (*PLANNED[:3], 'room'):
        get = getter(figures, f'startup.{task}')
        body.append((task, *(get(key, seconds) for key in keys)))
    return (table(head, body) + '\n\nA start is a fresh process until its hypotheses are there, '
            'or the mdp node until its task has arrived at another node. Importing alone takes '
            f'{getter(figures, "startup")("import_s", seconds)}; a process that only imports '
            f'rclpy and makes a node, {getter(figures, "startup")("rclpy_s", seconds)}.')


def _latencies(figures: Figures) -> str:
    body = []
    for task in TAUGHT:
        get = getter(figures, f'ros.{task}')
        body.append((task, *(get(key, number(1, ' ms'))
                             for key in ('p50_ms', 'p99_ms', 'worst_ms'))))
    return table(('answer to next question', 'median', 'p99', 'worst'), body)


def _idle(figures: Figures) -> str:
    percent = number(1, ' %')
    body = []
    for where, teacher in (('terminal', 'teleop'), ('page', 'gui')):
        get = getter(figures, f'idle.{where}')
        body.append((where, *(get(f'{node}_percent', percent) for node in (
            teacher, 'controller', 'simulator', 'visualiser', 'learner', 'mdp', 'all'))))
    return table(('of one core, while waiting', "teacher's node", 'controller', 'simulator',
                   'visualiser', 'learner', 'mdp', 'all'), body)


def _picture(name: str, about: str) -> str:
    return f'![{about}](speed/{name}.png)'
