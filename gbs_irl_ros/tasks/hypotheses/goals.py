"""Places to go to: a reward at each, nothing elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse

from gbs_irl_ros.core.hypotheses import Candidates
from gbs_irl_ros.core.rewards import Rewards
from gbs_irl_ros.tasks.cost import (
    DENSE_ENTRY,
    NAMED_STATE,
    PLACE_OF_GOAL,
    check_cost,
    planning_cost,
)
from gbs_irl_ros.tasks.files.file_report import shown
from gbs_irl_ros.tasks.files.spec import (
    AnyOf,
    Each,
    Field,
    Flag,
    Located,
    Number,
    Record,
    Text,
    Whole,
)
from gbs_irl_ros.tasks.worlds.built_world import (
    MAX_REWARDS,
    PLACE,
    PRIOR,
    SEED,
    BuiltWorld,
    place_name,
    place_states,
)
from gbs_irl_ros.tasks.worlds.cells import distances_to

MAX_SHAPED = 20_000_000

FIELDS = Record({
    'goals': Field(AnyOf([Text(('free', 'regions')), Each(PLACE, 1)],
                         'free, regions, or a list of places'),
                   'free: every free cell or state; regions: every region; or a list'),
    'value': Field(Number(), 'reward at the goal', 1.0),
    'count': Field(Whole(1, MAX_REWARDS), 'how many of them to draw; all if left out', None),
    'include': Field(Each(PLACE), 'places that are drawn in any case', []),
    'shaped': Field(Flag(), 'add a potential that tells the way (grids only)', False),
    'seed': SEED, 'prior': PRIOR})


def read(values: Located, built: BuiltWorld) -> Candidates:
    """Return a reward for each goal."""
    _check_cost(values, built)
    goals = _named_goals(values, 'goals', values.goals, built)
    required = _named_goals(values, 'include', values.include, built)
    if values.value == 0.0:
        values.refuse('makes every action as good as another, got 0; expected another number',
                      'value')
    values.report.raise_if_any()
    mdp, every = built.mdp, {**goals, **required}
    if values.shaped and built.grid is None:
        values.refuse('only grids can be shaped, got true; expected false', 'shaped')
    elif values.shaped and len(goals) * mdp.num_states * mdp.num_actions > MAX_SHAPED:
        values.refuse(f'makes too many numbers, got {len(goals)} goals in {mdp.num_states} '
                      f'states; expected at most {MAX_SHAPED} for goals x states x actions',
                      'shaped')
    elif values.count is not None and not len(required) <= values.count <= len(every):
        values.refuse(f'cannot be drawn, got {values.count}; expected {max(len(required), 1)} to '
                      f'{len(every)}', 'count')
    values.report.raise_if_any()
    if values.count is not None:
        every = _drawn(every, set(required), values.count, values.seed)
    return goal_rewards(built, every, values.value, values.shaped)


def _check_cost(values: Located, built: BuiltWorld) -> None:
    mdp, every = built.mdp, values.goals == 'free'
    found = mdp.num_states if every else len(built.regions) if values.goals == 'regions' \
        else len(values.goals)
    count = values.count or found + len(values.include)
    cost = planning_cost(mdp, count, goals=not values.shaped)
    cost += PLACE_OF_GOAL * (0 if values.shaped else count ** 2)
    cost += NAMED_STATE * (mdp.num_states if every else 0)
    cost += DENSE_ENTRY * (count * mdp.num_states * mdp.num_actions if values.shaped else 0)
    check_cost(values, 'count' if values.count else 'goals', cost,
               f'{count} goals in {mdp.num_states} states')


def goal_rewards(built: BuiltWorld, goals: Mapping[str, np.ndarray], value: float,
                 shaped: bool = False) -> Candidates:
    """
    Return one reward for each named set of states: the value there, 0 elsewhere.

    :param shaped: add gamma Phi(y) - Phi(x) with Phi minus the number of steps to the goal, which
        leaves every policy as it is (Ng et al. 1999) and tells the way in every state.
    """
    mdp = built.mdp
    columns = np.concatenate(list(goals.values()))
    offsets = np.cumsum([0, *(len(states) for states in goals.values())])
    where = sparse.csr_matrix((np.ones(len(columns)), columns, offsets),
                              shape=(len(goals), mdp.num_states))
    matrix = where * value
    if not shaped:
        return Candidates.of(mdp, Rewards(matrix, mdp.num_states, mdp.num_actions),
                             names=tuple(goals), goals=where)
    assert built.grid is not None       # the format allows shaping on grids only
    steps = np.minimum.reduceat(distances_to(built.grid, columns), offsets[:-1], axis=0)
    potential = -np.where(np.isfinite(steps), steps, mdp.num_states)        # [H, S]
    expected = (mdp.transitions @ potential.T).T.reshape(len(goals), mdp.num_states, -1)
    dense = matrix.toarray()[:, :, np.newaxis] + mdp.discount * expected \
        - potential[:, :, np.newaxis]
    return Candidates.of(mdp, Rewards.from_dense(dense, mdp.num_actions), names=tuple(goals),
                         goals=where)


def _named_goals(values: Located, field: str, places: Any,
                 built: BuiltWorld) -> dict[str, np.ndarray]:
    if places == 'free':
        return {f'go to {built.world.state_name(state)}': np.array([state])
                for state in range(built.mdp.num_states)}
    if places == 'regions':
        if not built.regions:
            values.refuse('there are no regions in this world; name some, or use free', field)
        return {f'go to {name}': states for name, states in built.regions.items()}
    found: dict[str, np.ndarray] = {}
    for number, place in enumerate(places):
        name = f'go to {place_name(place)}'
        if name in found:
            values.refuse(f'appears twice, got {shown(place)}', field, number)
        states = place_states(place, built, values, field, number)
        if len(states):
            found[name] = states
    return found


def _drawn(goals: dict[str, np.ndarray], required: set[str], count: int,
           seed: int) -> dict[str, np.ndarray]:
    """Return this many of the goals, the required ones among them, in a drawn order."""
    rng = np.random.default_rng(seed)
    names = [name for name in goals if name in required]
    others = [name for name in goals if name not in required]
    names += [str(name) for name in rng.choice(others, count - len(required), replace=False)]
    return {names[i]: goals[names[i]] for i in rng.permutation(len(names))}
