"""Any finite world, written out: its states, its actions, and where each of them leads."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from scipy import sparse

from gbs_irl_ros.core.mdp import ROW_SUM_TOLERANCE, Mdp
from gbs_irl_ros.tasks.cost import WRITTEN_ROW, check_world
from gbs_irl_ros.tasks.files.file_report import shown
from gbs_irl_ros.tasks.files.spec import AnyOf, Each, Field, Located, Number, Record, Table, Text
from gbs_irl_ros.tasks.world import Appearance, World
from gbs_irl_ros.tasks.worlds.built_world import DISCOUNT, BuiltWorld

ACTION = AnyOf([Text(), Record({
    'name': Field(Text(), 'how a person calls it'),
    'key': Field(Text(longest=10), 'the key that means it', ''),
})], 'a name, or a mapping with name and key')

FIELDS = Record({
    'states': Field(Each(Text(), 1), 'names of the states'),
    'actions': Field(Each(ACTION, 1, 64), 'the actions'),
    'transitions': Field(Each(Record({
        'from': Field(Text(), 'a state'),
        'action': Field(Text(), 'an action'),
        'to': Field(Table(Number(0.0, 1.0), 1), 'state: probability'),
    }), 1), 'where each action leads'),
    'positions': Field(Table(Each(Number(), 2, 2)), 'state: [x, y] [m]', {}),
    'discount': DISCOUNT})


def read(values: Located, folder: Path) -> BuiltWorld:
    """Return the world; every state is a region of its own name."""
    actions = [(action, '') if isinstance(action, str) else (action.name, action.key)
               for action in values.actions]
    names = [name for name, _ in actions]
    _check_unique(values, 'states', values.states, 'name')
    _check_unique(values, 'actions', names, 'name')
    _check_unique(values, 'actions', [key for _, key in actions if key], 'key')
    check_world(values, 'states', len(values.states), len(names), f'{len(values.states)} states '
                f'with {len(names)} actions', more=WRITTEN_ROW * (len(values.states) * len(names)))
    positions = _read_positions(values)
    transitions = _read_transitions(values, names)
    looks = Appearance(
        tuple(names), tuple(key for _, key in actions), state_names=tuple(values.states),
        positions=positions, regions={name: np.array([i]) for i, name in enumerate(values.states)})
    mdp = Mdp(transitions, len(names), values.discount)
    return BuiltWorld(World('mdp', mdp, mdp.checked_start(None), looks))


def _read_positions(values: Located) -> np.ndarray | None:
    if not values.positions:
        return None
    known = set(values.states)
    for state in values.positions:
        if state not in known:
            values.refuse(_unknown(values, state, values.states, 'a state'), 'positions', state)
    without = next((state for state in values.states if state not in values.positions), None)
    if without is not None and not values.report:
        values.refuse(f'must name every state or none, got none for {without!r}', 'positions')
        return None
    return np.array([values.positions.get(state, (0.0, 0.0)) for state in values.states])


def _read_transitions(values: Located, actions: list[str]) -> sparse.csr_matrix:
    """Return ``[S * A, S]``; raise if anything is wrong, here or before."""
    states = {state: i for i, state in enumerate(values.states)}
    matrix = sparse.lil_matrix((len(states) * len(actions), len(states)))
    given: dict[tuple[str, str], int] = {}
    report = values.report
    for number, entry in enumerate(values.transitions):
        source, action = getattr(entry, 'from'), entry.action
        if source not in states:
            entry.refuse(_unknown(values, source, states, 'a state'), 'from')
        if action not in actions:
            entry.refuse(_unknown(values, action, actions, 'an action'), 'action')
        for target in entry.to:
            if target not in states:
                entry.refuse(_unknown(values, target, states, 'a state'), 'to')
        total = sum(entry.to.values())
        if abs(total - 1.0) > ROW_SUM_TOLERANCE:
            entry.refuse(f'probabilities must sum to 1, got {total:.9g}', 'to')
        if (source, action) in given:
            values.refuse(f'{source!r} with {action!r} appears twice, first as entry '
                          f'{given[source, action]}', 'transitions', number)
        given[source, action] = number
        if not report:
            row = states[source] * len(actions) + actions.index(action)
            for target, probability in entry.to.items():
                matrix[row, states[target]] = probability
    missing = [(state, action) for state in values.states for action in actions
               if (state, action) not in given]
    if missing and not report:
        more = f' (and {len(missing) - 1} more)' if len(missing) > 1 else ''
        values.refuse(f'must say where every action leads, got nothing for {missing[0][0]!r} with '
                      f'{missing[0][1]!r}{more}', 'transitions')
    report.raise_if_any()
    return sparse.csr_matrix(matrix)


def _check_unique(values: Located, name: str, words: list[str], what: str) -> None:
    twice = next((word for word, count in Counter(words).items() if count > 1), None)
    if twice is not None:
        values.refuse(f'every {what} must appear once, got {twice!r} twice', name)


def _unknown(values: Located, word: str, known: Iterable[str], what: str) -> str:
    return (f'is not {what}, got {shown(word)}; expected one of {shown(list(known))}'
            + values.report.did_you_mean(word, known))
