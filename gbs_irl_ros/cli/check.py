"""`gbs-irl check FILE`: whether it is right, and what it is."""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator
from time import process_time as processor_time
from typing import Any

import numpy as np
from scipy import sparse

from gbs_irl_ros.cli.progress import (
    ProgressLine,
    add_cache_option,
    add_task_arguments,
    compile_with_progress,
)
from gbs_irl_ros.cli.say import say
from gbs_irl_ros.core.hypotheses import Hypotheses
from gbs_irl_ros.core.learner import SupersetWarning
from gbs_irl_ros.core.noise import Likelihood
from gbs_irl_ros.core.planning import kernel
from gbs_irl_ros.core.theory.forecast import LESSONS, Outlook
from gbs_irl_ros.learning.defaults import usual_learner
from gbs_irl_ros.learning.sentences import claim, forecast_text
from gbs_irl_ros.tasks import Task, TaskFile, load_task_file
from gbs_irl_ros.tasks.promises import no_way_round, regions_within
from gbs_irl_ros.tasks.world import World

MAX_NAMES = 3
MAX_REGIONS = 12
FORECAST_S = 5.0    # of processor time, for simulated lessons
PROVED_PAIRS = 3_000_000    # a matter of seconds


def add_check(commands: Any) -> None:
    """Add the command to a parser."""
    parser = commands.add_parser('check', help='validate a task file and say what it is')
    add_task_arguments(parser)
    add_cache_option(parser)
    parser.add_argument('--prove', action='store_true',
                        help='prove the optimal actions of all tasks, not of some, where there '
                             'are very many')
    parser.set_defaults(run=check)


def check(given: argparse.Namespace) -> int:
    """Print what a task is; errors are raised."""
    file = load_task_file(given.file, allow_large=given.large)
    for label, text in _lines(file, given):
        say(f'{label:<12} {text}')
    say(f'{file.path}: OK')
    return 0


def _lines(file: TaskFile, given: argparse.Namespace) -> Any:
    """Yield (label, text), cheap ones first."""
    task, world, mdp = file.task, file.task.world, file.task.world.mdp
    yield 'task', world.name + (f': {world.description}' if world.description else '')
    if file.details:
        yield 'details', file.details
    kind = 'deterministic' if mdp.successors is not None else 'random transitions'
    yield 'world', (f'{mdp.num_states} states, {mdp.num_actions} actions '
                    f'({", ".join(world.appearance.action_names)}), {kind}, '
                    f'discount {mdp.discount:g}')
    layout = world.layout
    if layout is not None:
        yield 'cells', (f'{layout.shape[1]} x {layout.shape[0]} of {layout.cell_size:g} m, '
                        f'{mdp.num_states} of them free')
    starts = np.flatnonzero(world.start)
    yield 'start', 'anywhere' if len(starts) == mdp.num_states else _names(world, starts)
    regions = world.appearance.regions
    if regions and len(regions) <= MAX_REGIONS:
        yield 'regions', ', '.join(f'{name} ({len(states)} state{"s" * (len(states) != 1)})'
                                   for name, states in regions.items())
    unreachable = _unreachable(task)
    if unreachable:
        yield 'warning', f'cannot be reached from the start: {", ".join(unreachable)}'
    if kernel.library() is None:
        yield 'warning', kernel.description()
    hypotheses = compile_with_progress(task, cache=given.cache)
    names = '; '.join(hypotheses.name(i)
                      for i in range(min(hypotheses.num_rewards, MAX_NAMES)))
    more = '; ...' if hypotheses.num_rewards > MAX_NAMES else ''
    yield 'hypotheses', f'{hypotheses.num_rewards} rewards: {names}{more}'
    yield 'policies', f'{hypotheses.num_policies} different ones for these rewards'
    yield 'classes', f'{hypotheses.sets.num_classes} classes of states that answers tell apart'
    yield 'proof', _proved(hypotheses, everything=given.prove)
    yield from _said(hypotheses, world)
    yield 'noise', (f'right answers with probability {float(np.mean(task.noise.gamma_hat)):g}, '
                    f'likelihood {task.noise.likelihood.value}')
    if task.noise.likelihood is Likelihood.AGGREGATED and hypotheses.supersets:
        wide, narrow = (int(np.flatnonzero(hypotheses.policy_of_reward == policy)[0])
                        for policy in hypotheses.supersets[0])
        yield 'warning', (f'{len(hypotheses.supersets)} pairs of policies contain one another; '
                          f'{hypotheses.name(wide)!r} cannot be rejected if '
                          f'{hypotheses.name(narrow)!r} is meant: use likelihood: exact')
    yield 'questions', _expected(task)
    yield 'hash', task.hash[:16]
    yield 'truth', ('not given: only people can teach this task' if file.true_hypothesis is None
                    else f'given, for simulated teachers: {file.truth.name}')


def _proved(hypotheses: Hypotheses, *, everything: bool) -> str:
    """Return what could be proved of the optimal actions: of all tasks, or of some."""
    count, mdp = hypotheses.num_rewards, hypotheses.mdp
    fit = max(1, PROVED_PAIRS // (mdp.num_states * mdp.num_actions))
    some = np.arange(count) if everything or count <= fit \
        else np.unique(np.linspace(0, count - 1, fit).astype(int))
    found = hypotheses.certificate(some)
    text = (f'optimal actions: {found.undecided} of {found.pairs:,} pairs of a state and an '
            'action undecided')
    if found.refuted:
        text += f', {found.refuted} WRONG: please report this'
    return text if len(some) == count else f'{text} ({len(some)} of {count} rewards; all: --prove)'


def _said(hypotheses: Hypotheses, world: World) -> Iterator[tuple[str, str]]:
    """Yield what names promise and policies cannot keep, and what no question tells apart."""
    if hypotheses.never is not None:
        forced = [(index, states) for index in range(hypotheses.num_rewards)
                  if len(states := no_way_round(hypotheses, index))]
        yield 'never', (f'kept from every cell by all {_count(hypotheses)}' if not forced else
                        f'not kept from everywhere by {len(forced)} of {_count(hypotheses)}')
        for index, states in forced[:MAX_NAMES]:
            over = ' or '.join(f'the {name}' for name in regions_within(
                world, hypotheses.never[index].indices)) or 'what is forbidden'
            yield 'warning', (f'{hypotheses.name(index)!r}: from {_cells(len(states))} there is '
                              f'no way that avoids {over}: {_names(world, states)}')
    same = [np.flatnonzero(hypotheses.policy_of_reward == policy) for policy in np.flatnonzero(
        np.bincount(hypotheses.policy_of_reward) > 1)]
    for group in same[:MAX_NAMES]:
        names = ', '.join(repr(hypotheses.name(int(reward))) for reward in group[:MAX_NAMES])
        more = f' and {len(group) - MAX_NAMES} more' if len(group) > MAX_NAMES else ''
        yield 'warning', f'no question about what to do tells these apart: {names}{more}'
    if len(same) > MAX_NAMES:
        yield 'warning', f'there are {len(same) - MAX_NAMES} more such groups'


def _count(hypotheses: Hypotheses) -> str:
    count = int((np.diff(sparse.csr_matrix(hypotheses.never).indptr) > 0).sum())
    return '1 task that says it' if count == 1 else f'{count} tasks that say it'


def _cells(count: int) -> str:
    return '1 cell' if count == 1 else f'{count} cells'


def _names(world: World, states: np.ndarray) -> str:
    return ', '.join(world.state_name(int(state)) for state in states[:MAX_NAMES]) + (
        f' and {len(states) - MAX_NAMES} more' if len(states) > MAX_NAMES else '')


def _unreachable(task: Task) -> list[str]:
    """Return the regions, or the number of states, that cannot be reached from the start."""
    mdp = task.world.mdp
    count = mdp.num_states
    rows = np.repeat(np.arange(count * mdp.num_actions) // mdp.num_actions,
                     np.diff(mdp.transitions.indptr))
    links = sparse.csr_matrix((np.ones(len(rows)), (rows, mdp.transitions.indices)),
                              shape=(count, count))
    first = int(np.flatnonzero(task.world.start)[0])
    reached = sparse.csgraph.breadth_first_order(links, first, return_predecessors=False)
    missing = np.setdiff1d(np.arange(count), reached)
    if not len(missing):
        return []
    names = [name for name, states in task.world.appearance.regions.items()
             if len(states) and np.isin(states, missing).all()]
    return names[:MAX_REGIONS] or [f'{len(missing)} of {count} states']


def _expected(task: Task) -> str:
    """Return how many answers a lesson takes, with the settings that a learner has by default."""
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', SupersetWarning)    # said above
        learner = usual_learner(task)
    with ProgressLine('simulating lessons') as progress:
        ends_at = processor_time() + FORECAST_S
        outlook = Outlook.simulated(learner, progress, lambda: processor_time() > ends_at)
    number = len(outlook.lengths)
    if not number:
        return (f'{claim(learner.stop)} How many answers that takes is not known: no simulated '
                f'lesson has ended within {FORECAST_S:g} s')
    how = f'{LESSONS} simulated lessons' if number == LESSONS or outlook.is_endless \
        else f'{number} of {LESSONS} simulated lessons; the others did not end within ' \
             f'{FORECAST_S:g} s'
    return f'{forecast_text(outlook.whole, whole=True)} {claim(learner.stop)} ({how})'
