"""From the `hypotheses` part of a task file to a set of rewards."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.core.hypotheses import normalised_log_prior, sparsity_prior
from gbs_irl_ros.core.rewards import Rewards
from gbs_irl_ros.tasks.files.file_report import Report, shown
from gbs_irl_ros.tasks.files.spec import Located
from gbs_irl_ros.tasks.hypothesis_sets import (
    HypothesisSet,
    feature_set,
    goal_set,
    num_choices,
    place_set,
    random_set,
)
from gbs_irl_ros.tasks.worlds.built_world import BuiltWorld

MAX_COMBINATIONS = 4096
MAX_ENTRIES = 20_000_000
MAX_SHAPED = 20_000_000


def read_hypotheses(values: Located, built: BuiltWorld, report: Report) -> HypothesisSet | None:
    """Return the rewards that may be meant, or None after a report."""
    return _READERS[values.kind](values, built, report)


def read_prior(values: Located, rewards: Rewards, report: Report) -> np.ndarray | None:
    """Return the log-prior ``[H]``, or None after a report."""
    if values.prior == 'uniform':
        return normalised_log_prior(None, rewards.num_rewards)
    if values.prior == 'sparsity':
        return normalised_log_prior(sparsity_prior(rewards), rewards.num_rewards)
    try:
        return normalised_log_prior(np.array(values.prior), rewards.num_rewards)
    except GbsIrlError:
        report.add(values.line_of('prior'), values.key_of('prior'),
                   f'must have one number per hypothesis, got {len(values.prior)}; expected '
                   f'{rewards.num_rewards}')
        return None


def place_states(place: Any, built: BuiltWorld, line: int, key: str,
                 report: Report) -> np.ndarray | None:
    """Return the states of a cell [column, row] or of a region, or None after a report."""
    if isinstance(place, str):
        if place in built.regions:
            return built.regions[place]
        report.add(line, key, f'is no region or state, got {place!r}; expected one of '
                              f'{shown(list(built.regions))}'
                              + report.did_you_mean(place, built.regions))
        return None
    if built.grid is None:
        report.add(line, key, f'there are no cells in this world, got {place}; expected a name')
        return None
    column, row = place
    rows, columns = built.grid.shape
    if column >= columns or row >= rows:
        report.add(line, key, f'cell ({column}, {row}) is outside the map, got {place}; expected '
                              f'[column, row] below [{columns}, {rows}]')
        return None
    state = built.grid.state_of_cell[row, column]
    if state < 0:
        report.add(line, key, f'cell ({column}, {row}) is a wall, got {place}; expected a free '
                              'cell')
        return None
    return np.array([state])


def place_name(place: Any) -> str:
    """Return how a place is called in the name of a hypothesis."""
    return place if isinstance(place, str) else f'({place[0]}, {place[1]})'


def _read_goals(values: Located, built: BuiltWorld, report: Report) -> HypothesisSet | None:
    goals = _named_goals(values, 'goals', values.goals, built, report)
    required = _named_goals(values, 'include', values.include, built, report)
    if values.value == 0.0:
        report.add(values.line_of('value'), values.key_of('value'),
                   'makes every action as good as another, got 0; expected another number')
    if goals is None or required is None or report:
        return None
    if values.shaped and built.grid is not None \
            and len(goals) * built.mdp.num_states * built.mdp.num_actions > MAX_SHAPED:
        report.add(values.line_of('shaped'), values.key_of('shaped'),
                   f'makes too many numbers, got {len(goals)} goals in {built.mdp.num_states} '
                   f'states; expected at most {MAX_SHAPED} for goals x states x actions')
        return None
    if values.shaped and built.grid is None:
        report.add(values.line_of('shaped'), values.key_of('shaped'),
                   'only grids can be shaped, got true; expected false')
        return None
    goals = {**goals, **required}
    if values.count is not None:
        if not len(required) <= values.count <= len(goals):
            report.add(values.line_of('count'), values.key_of('count'),
                       f'cannot be drawn, got {values.count}; expected {max(len(required), 1)} to '
                       f'{len(goals)}')
            return None
        goals = _drawn(goals, set(required), values.count, values.seed)
    return goal_set(built, goals, values.value, values.shaped)


def _named_goals(values: Located, field: str, places: Any, built: BuiltWorld,
                 report: Report) -> dict[str, np.ndarray] | None:
    key = values.key_of(field)
    if places == 'free':
        looks = built.appearance.state_names
        return {f'go to {looks[state] if looks else f"state {state}"}': np.array([state])
                for state in range(built.mdp.num_states)}
    if places == 'regions':
        if not built.regions:
            report.add(values.line_of(field), key,
                       'there are no regions in this world; name some, or use free')
            return None
        return {f'go to {name}': states for name, states in built.regions.items()}
    found = {}
    for number, place in enumerate(places):
        line = values.line_of(field, number)
        states = place_states(place, built, line, f'{key}[{number}]', report)
        name = f'go to {place_name(place)}'
        if name in found:
            report.add(line, f'{key}[{number}]', f'stands twice, got {shown(place)}')
        if states is not None:
            found[name] = states
    return None if report else found


def _drawn(goals: dict[str, np.ndarray], required: set[str], count: int,
           seed: int) -> dict[str, np.ndarray]:
    """Return so many of the goals, the required ones among them, in a drawn order."""
    rng = np.random.default_rng(seed)
    others = [name for name in goals if name not in required]
    names = [*required_in_order(goals, required),
             *rng.choice(others, count - len(required), replace=False)]
    return {str(names[i]): goals[str(names[i])] for i in rng.permutation(len(names))}


def required_in_order(goals: dict[str, np.ndarray], required: set[str]) -> list[str]:
    """Return the required names in the order of the goals: a set has none of its own."""
    return [name for name in goals if name in required]


def _read_places(values: Located, built: BuiltWorld, report: Report) -> HypothesisSet | None:
    fine = True
    for number, place in enumerate(values.places):
        fine = place_states(place, built, values.line_of('places', number),
                            f'{values.key_of("places")}[{number}]', report) is not None and fine
        if values.places.count(place) > 1:
            report.add(values.line_of('places', number), f'{values.key_of("places")}[{number}]',
                       f'stands twice, got {place!r}')
            fine = False
    for name in values.keep_off:
        if name in values.places and values.keep_off[name] == -values.value:
            report.add(values.line_of('keep_off', name), f'{values.key_of("keep_off")}.{name}',
                       f'cancels the value of the place itself, got {values.keep_off[name]}; '
                       'expected another number')
            fine = False
        fine = place_states(name, built, values.line_of('keep_off', name),
                            f'{values.key_of("keep_off")}.{name}', report) is not None and fine
    combinations = len(values.places) * 2 ** min(len(values.keep_off), 60)
    if combinations > MAX_COMBINATIONS:
        report.add(values.line_of('keep_off'), values.key_of('keep_off'),
                   f'makes too many combinations, got {len(values.places)} places and '
                   f'{len(values.keep_off)} regions; expected at most {MAX_COMBINATIONS} in all')
        fine = False
    return place_set(built, values.places, values.value, values.keep_off) if fine else None


def _read_features(values: Located, built: BuiltWorld, report: Report) -> HypothesisSet | None:
    known = [*built.features, *built.regions]
    fine = True
    choices: dict[str, list[float]] = {}
    ranges: dict[str, tuple[float, float]] = {}
    for name, weight in values.weights.items():
        line, key = values.line_of('weights', name), f'{values.key_of("weights")}.{name}'
        if name not in known:
            report.add(line, key, f'is no feature or region, got {name!r}; expected one of '
                                  f'{shown(known)}' + report.did_you_mean(name, known))
            fine = False
        elif isinstance(weight, list):
            choices[name] = weight
        elif getattr(weight, 'from') > weight.to:
            report.add(line, key, f'is an empty range, got from {getattr(weight, "from")} to '
                                  f'{weight.to}; expected from below to')
            fine = False
        else:
            ranges[name] = (getattr(weight, 'from'), weight.to)
    if values.include_own and fine:
        missing = [name for name in built.own_weights if name not in values.weights]
        if not built.own_weights or missing:
            report.add(values.line_of('include_own'), values.key_of('include_own'),
                       "the domain's own reward is no sum of these features, got true; expected "
                       + (f'also the features {missing}' if missing else 'false'))
            fine = False
    if not fine:
        return None
    possible = num_choices(choices, ranges)
    if possible == 0:
        report.add(values.line_of('weights'), values.key_of('weights'),
                   'makes no reward but zero, got only weights of 0; expected others too')
        return None
    if values.count > possible:
        report.add(values.line_of('count'), values.key_of('count'),
                   f'is more than there are different rewards, got {values.count}; expected at '
                   f'most {possible:.0f}')
        return None
    return feature_set(built, choices, ranges, values.count, values.seed, values.include_own)


def _read_random(values: Located, built: BuiltWorld, report: Report) -> HypothesisSet | None:
    own: Any = None
    if built.own is not None and not built.own.rewards.per_action:
        own = built.own.rewards.one(0)
    if values.include_own and own is None:
        report.add(values.line_of('include_own'), values.key_of('include_own'),
                   'this world has no reward on states of its own, got true; expected false')
        return None
    for name in ('nonzero', 'values'):
        if getattr(values, name) is None and own is None:
            report.add(values.line_of(name), values.key_of(name),
                       'is missing; expected it, because this world has no reward of its own to '
                       'take it from')
    if report:
        return None
    nonzero = values.nonzero
    if nonzero is None:
        nonzero = int(np.count_nonzero(own))
    if nonzero > built.mdp.num_states:
        report.add(values.line_of('nonzero'), values.key_of('nonzero'),
                   f'is more than there are states, got {nonzero}; expected at most '
                   f'{built.mdp.num_states}')
        return None
    low, high = values.values if values.values is not None else (own.min(), own.max())
    if low == high == 0.0:
        report.add(values.line_of('values'), values.key_of('values'),
                   'makes every action as good as another, got [0, 0]; expected a range')
        return None
    if values.count * nonzero > MAX_ENTRIES:
        report.add(values.line_of('count'), values.key_of('count'),
                   f'makes too many numbers, got {values.count} x {nonzero}; expected at most '
                   f'{MAX_ENTRIES} for count x nonzero')
        return None
    if low > high:
        report.add(values.line_of('values'), values.key_of('values'),
                   f'is an empty range, got [{low}, {high}]; expected [low, high]')
        return None
    included = len(built.own.names) if values.include_own and built.own else 0
    if values.count < included:
        report.add(values.line_of('count'), values.key_of('count'),
                   f'is too few, got {values.count}; expected at least {included}')
        return None
    return random_set(built, values.count, values.seed, nonzero, (low, high), values.include_own)


def _read_own(values: Located, built: BuiltWorld, report: Report) -> HypothesisSet | None:
    if built.own is None:
        report.add(values.line_of('kind'), values.key_of('kind'),
                   'this world has no rewards of its own, got own; expected another kind')
        return None
    return HypothesisSet(built.own.rewards, built.own.names)


def _read_explicit(values: Located, built: BuiltWorld, report: Report) -> HypothesisSet | None:
    mdp, actions = built.mdp, built.appearance.action_names
    per_action = any(entry.action is not None for reward in values.rewards for entry in reward.at)
    dense = np.zeros((len(values.rewards), mdp.num_states, mdp.num_actions))
    goals = np.zeros((len(values.rewards), mdp.num_states))
    names = [reward.name for reward in values.rewards]
    for index, reward in enumerate(values.rewards):
        key = f'{values.key_of("rewards")}[{index}]'
        if names.count(reward.name) > 1:
            report.add(values.line_of('rewards', index), f'{key}.name',
                       f'stands twice, got {reward.name!r}')
        for number, entry in enumerate(reward.at):
            line = reward.line_of('at', number)
            states = place_states(entry.place, built, line, f'{key}.at[{number}].place', report)
            column: Any = slice(None)
            if entry.action is not None:
                if entry.action not in actions:
                    report.add(line, f'{key}.at[{number}].action',
                               f'is no action, got {entry.action!r}; expected one of '
                               f'{list(actions)}' + report.did_you_mean(entry.action, actions))
                    continue
                column = actions.index(entry.action)
            if states is not None:
                dense[index, states, column] += entry.value
        for number, place in enumerate(reward.goals):
            states = place_states(place, built, reward.line_of('goals', number),
                                  f'{key}.goals[{number}]', report)
            if states is not None:
                goals[index, states] = 1.0
        if not report and not dense[index].any():
            report.add(values.line_of('rewards', index), f'{key}.at',
                       f'{reward.name!r} is 0 everywhere, which makes every action as good as '
                       'another; expected another value somewhere')
    if report:
        return None
    rewards = Rewards.from_dense(dense if per_action else dense[:, :, 0], mdp.num_actions)
    return HypothesisSet(rewards, tuple(names),
                         sparse.csr_matrix(goals) if goals.any() else None)


_READERS: dict[str, Callable[[Located, BuiltWorld, Report], HypothesisSet | None]] = {
    'goals': _read_goals,
    'places': _read_places,
    'features': _read_features,
    'random': _read_random,
    'own': _read_own,
    'explicit': _read_explicit,
}
