"""Rewards with a few random entries that are not zero."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from gbs_irl_ros.core.hypotheses import Candidates
from gbs_irl_ros.core.rewards import Rewards
from gbs_irl_ros.tasks.cost import DRAWN_ROW, SPARSE_ENTRY, check_cost, planning_cost
from gbs_irl_ros.tasks.files.spec import Each, Field, Located, Number, Record, Whole
from gbs_irl_ros.tasks.hypotheses.manners import manner
from gbs_irl_ros.tasks.world import World
from gbs_irl_ros.tasks.worlds.built_world import COUNT, INCLUDE_OWN, PRIOR, SEED, BuiltWorld

MAX_ENTRIES = 20_000_000
RANDOM = 'random reward'    # with a number and where they are best and worst, their names
LONGEST_PLACE = 20          # characters; places with longer names go by their numbers

FIELDS = Record({
    'count': COUNT,
    'nonzero': Field(Whole(1), "entries that are not zero; as the domain's own if left out", None),
    'values': Field(Each(Number(), 2, 2), "[low, high]; as the domain's own if left out", None),
    'include_own': INCLUDE_OWN, 'seed': SEED, 'prior': PRIOR})


def read(values: Located, built: BuiltWorld) -> Candidates:
    """Return the rewards."""
    report, own = values.report, built.own
    if own is not None and own.rewards.per_action:
        own = None
    if values.include_own and own is None:
        values.refuse('this world has no reward on states of its own, got true; expected false',
                      'include_own')
        report.raise_if_any()
    for name in ('nonzero', 'values'):
        if getattr(values, name) is None and own is None:
            values.refuse('is missing; expected it, because this world has no reward of its own '
                          'to take it from', name)
    report.raise_if_any()
    first = np.zeros(1) if own is None else own.rewards.one(0)
    nonzero = int(np.count_nonzero(first)) if values.nonzero is None else values.nonzero
    low, high = (first.min(), first.max()) if values.values is None else values.values
    included = len(own.names) if values.include_own and own is not None else 0
    if nonzero > built.mdp.num_states:
        values.refuse(f'is more than there are states, got {nonzero}; expected at most '
                      f'{built.mdp.num_states}', 'nonzero')
    elif low == high == 0.0:
        values.refuse('makes every action as good as another, got [0, 0]; expected a range',
                      'values')
    elif values.count * nonzero > MAX_ENTRIES:
        values.refuse(f'makes too many numbers, got {values.count} x {nonzero}; expected at most '
                      f'{MAX_ENTRIES} for count x nonzero', 'count')
    elif low > high:
        values.refuse(f'is an empty range, got [{low}, {high}]; expected [low, high]', 'values')
    elif values.count < included:
        values.refuse(f'is too few, got {values.count}; expected at least {included}', 'count')
    report.raise_if_any()
    check_cost(values, 'count', planning_cost(built.mdp, values.count)
               + SPARSE_ENTRY * (values.count * nonzero) + DRAWN_ROW * values.count,
               f'{values.count} rewards with {nonzero} entries in {built.mdp.num_states} states')
    return random_rewards(built, values.count, values.seed, nonzero, (low, high),
                          values.include_own)


def random_rewards(built: BuiltWorld, count: int, seed: int, nonzero: int,
                   values: tuple[float, float], include_own: bool) -> Candidates:
    """
    Return rewards on states, each with this many entries that are not zero, at random states.

    :param values: (low, high) the entries are drawn from uniformly.
    :param include_own: the domain's own rewards are among them, at random places of the set.
    """
    rng = np.random.default_rng(seed)
    size = built.mdp.num_states
    included = built.own if include_own else None
    own = sparse.csr_matrix((0, size)) if included is None else included.rewards.weights
    drawn = count - own.shape[0]
    columns = np.concatenate([rng.choice(size, nonzero, replace=False) for _ in range(drawn)]
                             or [np.empty(0, dtype=np.int64)])
    entries = rng.uniform(*values, drawn * nonzero)
    random = sparse.csr_matrix((entries, columns, np.arange(drawn + 1) * nonzero),
                               shape=(drawn, size))
    names = [*(() if included is None else included.names),
             *_names(built.world, columns.reshape(drawn, nonzero),
                     entries.reshape(drawn, nonzero))]
    order = rng.permutation(count)
    matrix = sparse.csr_matrix(sparse.vstack([own, random], format='csr')[order])
    return Candidates.of(built.mdp, Rewards(matrix, size, built.mdp.num_actions),
                         names=[names[i] for i in order])


def _names(world: World, columns: np.ndarray, entries: np.ndarray) -> list[str]:
    """Return a name for each row of states and of their rewards."""
    rows = np.arange(len(entries))
    if not entries.size:
        return []
    best, worst = entries.argmax(axis=1), entries.argmin(axis=1)
    ends = zip(columns[rows, best].tolist(), entries[rows, best].tolist(),
               columns[rows, worst].tolist(), entries[rows, worst].tolist(), strict=True)
    return [f'{RANDOM} {number}: ' + manner([
        (_place(world, low), min(least, 0.0)), (_place(world, high), max(most, 0.0))])
        for number, (high, most, low, least) in enumerate(ends)]


def _place(world: World, state: int) -> str:
    name = world.state_name(state)
    return name if len(name) <= LONGEST_PLACE else f'state {state}'
