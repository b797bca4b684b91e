"""Random MDPs without any structure."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from gbs_irl_ros.core.mdp import Mdp
from gbs_irl_ros.tasks.world import Appearance
from gbs_irl_ros.tasks.worlds.built_world import BuiltWorld

KEYS = '1234567890wertyiopasdfghjkzxcvbnm'     # not q, u, l: quit, undo, later


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
    return BuiltWorld(Mdp(transitions, actions, discount), Appearance(names, keys))
