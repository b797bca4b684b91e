"""Weighted sums of features and regions, with drawn weights."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from scipy import sparse

from gbs_irl_ros.core.hypotheses import Candidates
from gbs_irl_ros.core.printable import ShortNumber
from gbs_irl_ros.core.rewards import Rewards
from gbs_irl_ros.tasks.cost import DENSE_ENTRY, DRAWN_WEIGHT, check_cost, planning_cost
from gbs_irl_ros.tasks.files.file_report import shown
from gbs_irl_ros.tasks.files.spec import AnyOf, Each, Field, Located, Number, Record, Table
from gbs_irl_ros.tasks.hypotheses.manners import manner
from gbs_irl_ros.tasks.worlds.built_world import COUNT, INCLUDE_OWN, PRIOR, SEED, BuiltWorld

MAX_TRIES = 100                # per reward that must differ from all others
MAX_LISTED_CHOICES = 200_000   # weights: up to here all are listed, and drawn without repetition

FIELDS = Record({
    'weights': Field(Table(AnyOf([
        Each(Number(), 1), Record({'from': Field(Number(), 'lowest'),
                                   'to': Field(Number(), 'highest')})],
        'a list of values, or a range {from: .., to: ..}'), 1),
        'feature or region: what its weight is drawn from'),
    'count': COUNT, 'include_own': INCLUDE_OWN, 'seed': SEED, 'prior': PRIOR})


def read(values: Located, built: BuiltWorld) -> Candidates:
    """Return the rewards."""
    known = [*built.features, *built.regions]
    choices: dict[str, list[float]] = {}
    ranges: dict[str, tuple[float, float]] = {}
    for name, weight in values.weights.items():
        if name not in known:
            values.refuse(f'is not a feature or region, got {name!r}; expected one of '
                          f'{shown(known)}' + values.report.did_you_mean(name, known),
                          'weights', name)
        elif isinstance(weight, list):
            choices[name] = weight
        else:
            ranges[name] = (getattr(weight, 'from'), weight.to)
            if ranges[name][0] > weight.to:
                values.refuse(f'is an empty range, got from {ranges[name][0]} to {weight.to}; '
                              'expected from below to', 'weights', name)
    missing = [name for name in built.own_weights if name not in values.weights]
    if values.include_own and not values.report and (missing or not built.own_weights):
        values.refuse("the domain's own reward is not a sum of these features, got true; expected "
                      + (f'also the features {missing}' if missing else 'false'), 'include_own')
    values.report.raise_if_any()
    possible = num_choices(choices, ranges)
    if possible == 0:
        values.refuse('makes only rewards of zero, got only weights of 0; expected others too',
                      'weights')
    elif values.count > possible:
        values.refuse(f'is more than there are different rewards, got {values.count}; expected at '
                      f'most {ShortNumber(possible):.0f}', 'count')
    values.report.raise_if_any()
    names, mdp = len(values.weights), built.mdp
    check_cost(values, 'count', planning_cost(mdp, values.count)
               + DRAWN_WEIGHT * (values.count * names)
               + DENSE_ENTRY * (names * mdp.num_states * mdp.num_actions),
               f'{values.count} rewards of {names} features in {mdp.num_states} states')
    return feature_rewards(built, choices, ranges, values.count, values.seed, values.include_own)


def feature_rewards(built: BuiltWorld, choices: Mapping[str, Sequence[float]],
                    ranges: Mapping[str, tuple[float, float]], count: int, seed: int,
                    include_own: bool) -> Candidates:
    """
    Return rewards that are weighted sums of features, with drawn weights, each different.

    Features are those of the domain, and regions (1 inside).

    :param choices: values a weight is drawn from, all equally likely.
    :param ranges: (low, high) a weight is drawn from uniformly.
    """
    names = [*choices, *ranges]
    per_action = bool(built.features) and any(name in built.features for name in names)
    columns = np.stack([_feature(built, name, per_action) for name in names])
    rng = np.random.default_rng(seed)
    own = tuple(built.own_weights.get(name, 0.0) for name in names) if include_own else None
    weights = dict.fromkeys([own] if own is not None else [])
    for drawn in _drawn_weights(choices, ranges, names, count, rng):
        if len(weights) == count:
            break
        if any(drawn):
            weights[drawn] = None
    rows = list(weights)
    order = rng.permutation(len(rows))      # the domain's own reward is anywhere among them
    said = [built.feature_words.get(name, f'the {name}') for name in names]
    named = [built.own.names[0] if built.own and rows[i] == own
             else manner(zip(said, rows[i], strict=True)) for i in order]
    rewards = Rewards(
        sparse.csr_matrix(np.array([rows[i] for i in order])), built.mdp.num_states,
        built.mdp.num_actions, per_action, sparse.csr_matrix(columns))
    return Candidates.of(built.mdp, rewards, names=named)


def num_choices(choices: Mapping[str, Sequence[float]],
                ranges: Mapping[str, tuple[float, float]]) -> float:
    """Return how many different weights that are not all zero can be drawn; inf with ranges."""
    if any(low < high for low, high in ranges.values()):
        return math.inf
    sets = [set(values) for values in choices.values()] + [{low} for low, _ in ranges.values()]
    return math.prod(len(values) for values in sets) - all(0.0 in values for values in sets)


def _drawn_weights(choices: Mapping[str, Sequence[float]],
                   ranges: Mapping[str, tuple[float, float]], names: Sequence[str], count: int,
                   rng: np.random.Generator) -> Iterator[tuple[float, ...]]:
    """Yield weights; where few are possible each of them once, in a drawn order."""
    total = num_choices(choices, ranges)
    if total <= MAX_LISTED_CHOICES:
        sets = [sorted(set(choices[name])) if name in choices else [ranges[name][0]]
                for name in names]
        listed = list(itertools.product(*sets))
        yield from (tuple(map(float, listed[i])) for i in rng.permutation(len(listed)))
    arrays = {name: np.array(values) for name, values in choices.items()}
    for _ in range(MAX_TRIES * count):
        yield tuple(float(rng.choice(arrays[name])) if name in choices
                    else float(rng.uniform(*ranges[name])) for name in names)


def _feature(built: BuiltWorld, name: str, per_action: bool) -> np.ndarray:
    """Return the column of a feature or of a region: ``[S]`` or ``[S * A]``."""
    actions = built.mdp.num_actions
    if name in built.features:
        column = built.features[name]
        return column if len(column) > built.mdp.num_states or not per_action \
            else np.repeat(column, actions)
    region = np.zeros(built.mdp.num_states)
    region[built.regions[name]] = 1.0
    return np.repeat(region, actions) if per_action else region
