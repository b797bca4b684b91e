"""Regions to go to, with every choice of regions to keep off."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

import numpy as np
from scipy import sparse

from gbs_irl_ros.core.hypotheses import Candidates
from gbs_irl_ros.core.rewards import Rewards
from gbs_irl_ros.tasks.files.spec import Each, Field, Located, Number, Record, Table, Text
from gbs_irl_ros.tasks.worlds.built_world import PRIOR, BuiltWorld, place_states

MAX_COMBINATIONS = 4096

FIELDS = Record({
    'places': Field(Each(Text(), 1), 'regions that the robot may be sent to'),
    'value': Field(Number(above=0.0), 'reward there', 1.0),
    'keep_off': Field(Table(Number(below=0.0)),
                      'region: penalty; each may or may not matter to the teacher', {}),
    'prior': PRIOR})


def read(values: Located, built: BuiltWorld) -> Candidates:
    """Return a reward for each combination."""
    for number, place in enumerate(values.places):
        place_states(place, built, values, 'places', number)
        if values.places.count(place) > 1:
            values.refuse(f'appears twice, got {place!r}', 'places', number)
    for name, penalty in values.keep_off.items():
        if name in values.places and penalty == -values.value:
            values.refuse(f'cancels the value of the place itself, got {penalty}; expected '
                          'another number', 'keep_off', name)
        place_states(name, built, values, 'keep_off', name)
    if len(values.places) * 2 ** min(len(values.keep_off), 60) > MAX_COMBINATIONS:
        values.refuse(f'makes too many combinations, got {len(values.places)} places and '
                      f'{len(values.keep_off)} regions; expected at most {MAX_COMBINATIONS} in '
                      'all', 'keep_off')
    values.report.raise_if_any()
    return place_rewards(built, values.places, values.value, values.keep_off)


def place_rewards(built: BuiltWorld, places: Sequence[str], value: float,
                  keep_off: Mapping[str, float]) -> Candidates:
    """Return a reward for every place combined with every choice of regions to keep off."""
    names, rows, where = [], [], []
    for place in places:
        at_place = np.zeros(built.mdp.num_states)
        at_place[built.regions[place]] = 1.0
        for chosen in itertools.product((False, True), repeat=len(keep_off)):
            avoided = [name for name, off in zip(keep_off, chosen, strict=True) if off]
            row = np.zeros(built.mdp.num_states)
            for name in avoided:
                row[built.regions[name]] += keep_off[name]
            row[built.regions[place]] += value
            rows.append(row)
            where.append(at_place)
            names.append(f'go to {place}' + (
                ', keep off ' + ' and '.join(avoided) if avoided else ''))
    return Candidates.of(built.mdp, Rewards.from_dense(np.stack(rows), built.mdp.num_actions),
                         names=names, goals=sparse.csr_matrix(np.stack(where)))
