"""Sets of rewards that a teacher may mean, drawn from a seed where they are drawn at all."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from gbs_irl_ros.core.rewards import Rewards
from gbs_irl_ros.tasks.worlds.built_world import BuiltWorld
from gbs_irl_ros.tasks.worlds.grid import distances_to

MAX_TRIES = 100                # per reward that must differ from all others
MAX_LISTED_CHOICES = 200_000   # weights: up to here all are listed, and drawn without repetition


@dataclass(frozen=True, eq=False)
class HypothesisSet:
    """
    Rewards with their names, and where each counts as accomplished.

    goals: sparse ``[H, S]`` or None.
    """

    rewards: Rewards
    names: tuple[str, ...]
    goals: sparse.csr_matrix | None = None


def goal_set(built: BuiltWorld, goals: Mapping[str, np.ndarray], value: float,
             shaped: bool = False) -> HypothesisSet:
    """
    Return one reward for each named set of states: the value there, 0 elsewhere.

    :param shaped: add gamma Phi(y) - Phi(x) with Phi minus the number of steps to the goal, which
        leaves every policy as it is (Ng et al. 1999) and tells the way in every state.
    """
    mdp = built.mdp
    columns = np.concatenate(list(goals.values()))
    offsets = np.cumsum([0, *(len(states) for states in goals.values())])
    matrix = sparse.csr_matrix((np.full(len(columns), value), columns, offsets),
                               shape=(len(goals), mdp.num_states))
    where = sparse.csr_matrix((np.ones(len(columns)), columns, offsets), shape=matrix.shape)
    if not shaped:
        return HypothesisSet(Rewards(matrix, mdp.num_states, mdp.num_actions), tuple(goals), where)
    assert built.grid is not None       # the format allows shaping on grids only
    steps = np.minimum.reduceat(distances_to(built.grid, columns), offsets[:-1], axis=0)
    potential = -np.where(np.isfinite(steps), steps, mdp.num_states)        # [H, S]
    expected = (mdp.transitions @ potential.T).T.reshape(len(goals), mdp.num_states, -1)
    dense = matrix.toarray()[:, :, np.newaxis] + mdp.discount * expected \
        - potential[:, :, np.newaxis]
    return HypothesisSet(Rewards.from_dense(dense, mdp.num_actions), tuple(goals), where)


def place_set(built: BuiltWorld, places: Sequence[str], value: float,
              keep_off: Mapping[str, float]) -> HypothesisSet:
    """Return a reward for every place combined with every choice of regions to keep off."""
    names, rows, where = [], [], []
    for place in places:
        for chosen in itertools.product((False, True), repeat=len(keep_off)):
            avoided = [name for name, off in zip(keep_off, chosen, strict=True) if off]
            row = np.zeros(built.mdp.num_states)
            for name in avoided:
                row[built.regions[name]] += keep_off[name]
            row[built.regions[place]] += value
            at_place = np.zeros(built.mdp.num_states)
            at_place[built.regions[place]] = 1.0
            rows.append(row)
            where.append(at_place)
            names.append(f'go to {place}' + (
                ', keep off ' + ' and '.join(avoided) if avoided else ''))
    return HypothesisSet(Rewards.from_dense(np.stack(rows), built.mdp.num_actions), tuple(names),
                         sparse.csr_matrix(np.stack(where)))


def feature_set(built: BuiltWorld, choices: Mapping[str, Sequence[float]],
                ranges: Mapping[str, tuple[float, float]], count: int, seed: int,
                include_own: bool) -> HypothesisSet:
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
    shown = [built.own.names[0] if built.own and rows[i] == own
             else ', '.join(f'{name} {weight:g}' for name, weight in
                            zip(names, rows[i], strict=True) if weight) for i in order]
    return HypothesisSet(
        Rewards(sparse.csr_matrix(np.array([rows[i] for i in order])), built.mdp.num_states,
                built.mdp.num_actions, per_action, sparse.csr_matrix(columns)),
        _told_apart(shown))


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
    for _ in range(MAX_TRIES * count):
        yield tuple(float(rng.choice(choices[name])) if name in choices
                    else float(rng.uniform(*ranges[name])) for name in names)


def _told_apart(names: Sequence[str]) -> tuple[str, ...]:
    """Return names that differ: those that stand twice get a number."""
    seen: Counter[str] = Counter()
    result = []
    for name in names:
        seen[name] += 1
        result.append(name if seen[name] == 1 else f'{name} ({seen[name]})')
    return tuple(result)


def random_set(built: BuiltWorld, count: int, seed: int, nonzero: int,
               values: tuple[float, float], include_own: bool) -> HypothesisSet:
    """
    Return rewards on states with so many entries that are not zero, at random places.

    :param values: (low, high) the entries are drawn from uniformly.
    :param include_own: the domain's own rewards are among them, at random places of the set.
    """
    rng = np.random.default_rng(seed)
    size = built.mdp.num_states
    own = built.own.rewards.weights if include_own and built.own else \
        sparse.csr_matrix((0, size))
    drawn = count - own.shape[0]
    columns = np.concatenate([rng.choice(size, nonzero, replace=False) for _ in range(drawn)]
                             or [np.empty(0, dtype=np.int64)])
    entries = rng.uniform(*values, drawn * nonzero)
    random = sparse.csr_matrix((entries, columns, np.arange(drawn + 1) * nonzero),
                               shape=(drawn, size))
    names = [*(built.own.names if own.shape[0] and built.own else ()),
             *(f'random reward {i}' for i in range(drawn))]
    order = rng.permutation(count)
    matrix = sparse.csr_matrix(sparse.vstack([own, random], format='csr')[order])
    return HypothesisSet(Rewards(matrix, size, built.mdp.num_actions),
                         tuple(names[i] for i in order))


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
