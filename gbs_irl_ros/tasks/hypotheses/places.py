"""Regions to go to, with every choice of what may be driven over on the way."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence

import numpy as np
from scipy import sparse

from gbs_irl_ros.core.hypotheses import Candidates
from gbs_irl_ros.core.rewards import Rewards
from gbs_irl_ros.tasks.cost import DENSE_ENTRY, check_cost, planning_cost
from gbs_irl_ros.tasks.files.file_report import shown
from gbs_irl_ros.tasks.files.spec import AnyOf, Each, Field, Located, Number, Record, Table, Text
from gbs_irl_ros.tasks.worlds.built_world import PRIOR, BuiltWorld, place_states

MAX_COMBINATIONS = 4096
FREE, RATHER_NOT, NEVER = WORDS = ('free', 'rather not', 'never')
KEEP_OFF = 'keep off'       # a cost, as in files from before there were the words
RATHER_NOT_COST = 0.5
ONE_OR_MORE = 'free, rather not or never, or a list of these'

FIELDS = Record({
    'places': Field(Each(Text(), 1), 'regions that the robot may be sent to'),
    'value': Field(Number(above=0.0), 'reward there', 1.0),
    'over': Field(Table(AnyOf([Text(WORDS), Each(Text(WORDS), 1)], ONE_OR_MORE)),
                  f'region: what the teacher may think of driving over it: {ONE_OR_MORE}', {}),
    'rather_not': Field(Number(above=0.0), 'what a step costs on a region that is rather not',
                        RATHER_NOT_COST),
    'keep_off': Field(Table(Number(below=0.0)),
                      'region: penalty of a step, which may or may not matter to the teacher; '
                      'over says more', {}),
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
    over = {name: words if isinstance(words, list) else [words]
            for name, words in values.over.items()}
    for name, words in over.items():
        _check_words(values, built, name, words)
    if not values.report:
        _check_places_stay_open(values, built, over)
    many = math.prod(map(len, over.values())) * 2 ** min(len(values.keep_off), 60)
    if len(values.places) * many > MAX_COMBINATIONS:
        values.refuse(f'makes too many combinations, got {len(values.places)} places and '
                      f'{len(values.keep_off) + len(over)} regions; expected at most '
                      f'{MAX_COMBINATIONS} in all', 'over' if over else 'keep_off')
    values.report.raise_if_any()
    count = len(values.places) * many
    check_cost(values, 'places', planning_cost(built.mdp, count)
               + DENSE_ENTRY * (2 * count * built.mdp.num_states),
               f'{count} combinations in {built.mdp.num_states} states')
    return place_rewards(built, values.places, values.value, values.keep_off, over,
                         values.rather_not)


def _check_words(values: Located, built: BuiltWorld, name: str, words: Sequence[str]) -> None:
    """Report what is wrong with one region of `over`."""
    states = place_states(name, built, values, 'over', name)
    if name in values.keep_off:
        values.refuse('is listed under keep_off too; expected one of the two', 'over', name)
    for number, word in enumerate(words):
        if word in words[:number]:
            values.refuse(f'appears twice, got {word!r}', 'over', name, number)
    if words != [FREE] and len(states) == built.mdp.num_states:
        values.refuse(f'covers everything, got {len(states)} of {len(states)} states; expected a '
                      'region that the robot can keep off', 'over', name)
    for place in values.places:
        shared = np.intersect1d(states, built.regions.get(place, []))
        if RATHER_NOT in words and len(shared) and values.rather_not >= values.value:
            values.refuse(f'costs as much as the place {place!r} in it is worth, got '
                          f'{values.rather_not:g}; expected less than {values.value:g}',
                          'rather_not')


def _check_places_stay_open(values: Located, built: BuiltWorld,
                            over: Mapping[str, Sequence[str]]) -> None:
    """Report a place that the robot could never go to, because all of it is forbidden."""
    closing = [name for name, words in over.items() if NEVER in words]
    for place in values.places:
        states = built.regions[place]
        used = [name for name in closing if np.isin(states, built.regions[name]).any()]
        if np.isin(states, np.concatenate([[], *map(built.regions.__getitem__, used)])).all():
            values.refuse(f'covers the place {place!r}'
                          + (f' together with {", ".join(used[:-1])}' if used[1:] else '')
                          + f', where the robot could then never go, got {shown(over[used[-1]])}; '
                          'expected a region that leaves some of it, or another word than never',
                          'over', used[-1])


def place_rewards(built: BuiltWorld, places: Sequence[str], value: float,
                  keep_off: Mapping[str, float], over: Mapping[str, Sequence[str]] | None = None,
                  rather_not: float = RATHER_NOT_COST) -> Candidates:
    """
    Return a reward for every place combined with every choice of what to drive over.

    A region that must never be entered is worth as little as the place is worth much; that alone
    would not keep a robot off, so planning also avoids it before all else (``Candidates.never``).
    """
    choices = {**dict.fromkeys(keep_off, (FREE, KEEP_OFF)), **(over or {})}
    size = built.mdp.num_states
    names, rows, where, never = [], [], [], []
    for place in places:
        for words in itertools.product(*choices.values()):
            row, forbidden, at_place = np.zeros(size), np.zeros(size), np.zeros(size)
            for name, word in zip(choices, words, strict=True):
                row[built.regions[name]] -= {FREE: 0.0, RATHER_NOT: rather_not, NEVER: 0.0,
                                             KEEP_OFF: -keep_off.get(name, 0.0)}[word]
                if word == NEVER:
                    forbidden[built.regions[name]] = 1.0
            at_place[built.regions[place]] = 1.0
            at_place[forbidden > 0.0] = 0.0
            rows.append(np.where(forbidden > 0.0, -value, row + value * at_place))
            never.append(forbidden)
            where.append(at_place)
            names.append(_name(place, dict(zip(choices, words, strict=True))))
    forbids = any(map(np.any, never))
    return Candidates.of(
        built.mdp, Rewards.from_dense(np.stack(rows), built.mdp.num_actions), names=names,
        goals=sparse.csr_matrix(np.stack(where)),
        never=sparse.csr_matrix(np.stack(never)) if forbids else None)


def _name(place: str, words: Mapping[str, str]) -> str:
    """Return how a person says it."""
    parts = [f'go to {place}']
    for word in (NEVER, RATHER_NOT):
        regions = [f'the {name}' for name, given in words.items() if given == word]
        if regions:
            parts.append(f'{word} over ' + ' or '.join(regions))
    kept_off = [name for name, word in words.items() if word == KEEP_OFF]
    if kept_off:
        parts.append(f'{KEEP_OFF} ' + ' and '.join(kept_off))
    return ', '.join(parts)
