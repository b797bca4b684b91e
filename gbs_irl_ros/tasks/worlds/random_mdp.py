"""Random MDPs without any structure."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy import sparse

from gbs_irl_ros.core.mdp import Mdp
from gbs_irl_ros.tasks.cost import DRAWN_ROW, check_world
from gbs_irl_ros.tasks.files.spec import Field, Located, Record, Whole
from gbs_irl_ros.tasks.world import Appearance, World
from gbs_irl_ros.tasks.worlds.built_world import DISCOUNT, SEED, BuiltWorld

KEYS = '1234567890wertyiopasdfghjkzxcvbnm'     # not q, u, l: quit, undo, later
MAX_TRANSITIONS = 20_000_000

FIELDS = Record({
    'states': Field(Whole(1, 100_000), 'number of states', 50),
    'actions': Field(Whole(1, 64), 'number of actions', 5),
    'successors': Field(Whole(1), 'states that can follow an action', 3),
    'seed': SEED, 'discount': DISCOUNT})


def read(values: Located, folder: Path) -> BuiltWorld:
    """Return the world."""
    size = values.states * values.actions * min(values.successors, values.states)
    if size > MAX_TRANSITIONS:
        values.refuse(f'makes too many transitions, got {size}; expected at most '
                      f'{MAX_TRANSITIONS} (states x actions x successors)', 'states')
    elif values.successors > values.states:
        values.refuse(f'is too many, got {values.successors}; expected at most states = '
                      f'{values.states}', 'successors')
    values.report.raise_if_any()
    rows = values.states * values.actions
    check_world(values, 'states', values.states, values.actions, f'{values.states} states with '
                f'{values.actions} actions that lead to {values.successors} states each',
                ways=values.successors, more=DRAWN_ROW * rows)
    return build_random_mdp(values.states, values.actions, values.successors, values.seed,
                            values.discount)


def build_random_mdp(states: int, actions: int, successors: int, seed: int,
                     discount: float) -> BuiltWorld:
    """
    Build an MDP in which each action leads to a few random states.

    Their probabilities are drawn from a flat Dirichlet distribution. Few successors, because with
    dense transitions all actions do nearly the same and every method learns in a few questions.

    :param successors: how many states can follow an action.
    """
    rng = np.random.default_rng(seed)
    count = states * actions
    columns = np.stack([rng.choice(states, successors, replace=False) for _ in range(count)])
    probabilities = rng.dirichlet(np.ones(successors), count)
    transitions = sparse.csr_matrix(
        (probabilities.ravel(), columns.ravel(), np.arange(count + 1) * successors),
        shape=(count, states))
    names = tuple(f'action {action}' for action in range(actions))
    keys = tuple(KEYS[action] if action < len(KEYS) else '' for action in range(actions))
    mdp = Mdp(transitions, actions, discount)
    return BuiltWorld(World('random_mdp', mdp, mdp.checked_start(None), Appearance(names, keys)))
