"""
LPAL: apprenticeship learning by one linear program.

Syed, Bowling and Schapire (2008), "Apprenticeship learning using linear programming": whatever
non-negative weights of the features (that sum to one) are meant, be at least as good as the
teacher. Over the discounted visits x(s, a) of a policy,

    max B   such that   B <= sum x phi_k - mu_k  for every feature k,
                        sum_a x(s', a) = start(s') + gamma sum P(s' | s, a) x(s, a),   x >= 0,

with mu the teacher's expected discounted features; then pi(a | s) = x(s, a) / sum_b x(s, b). As
weights may have either sign here, each feature comes with its negative, so that visits are matched
as closely as can be. A demonstration that is cut off is taken to go on where it ended. Solved by
HiGHS.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from gbs_irl_ros.core.baselines.shown import Learned, Shown, feature_matrix, policy_of_choices
from gbs_irl_ros.core.errors import NotConvergedError

UNVISITED = 1e-9        # share of all visits below which a state is not visited


def lpal(shown: Shown, features: Sequence[np.ndarray] | sparse.spmatrix | None = None
         ) -> Learned:
    """
    Learn a policy from demonstrations.

    It takes the most probable action of each state; in states that it does not come to from where
    they began, every action is as good as another.

    :param features: ``[F, S]`` or ``[F, S * A]``; one for each state if None.
    """
    visits = best_visits(shown, features)
    largest = visits.max(axis=1, keepdims=True)
    unvisited = largest < UNVISITED * visits.sum()
    return Learned(policy_of_choices((visits == largest) | unvisited))


def best_visits(shown: Shown, features: Sequence[np.ndarray] | sparse.spmatrix | None = None
                ) -> np.ndarray:
    """Return the discounted visits ``[S, A]`` that the linear program finds."""
    from scipy.optimize import linprog  # slow to import, and not needed by any node
    mdp, matrix = shown.mdp, feature_matrix(shown.mdp, features)
    size = mdp.num_states * mdp.num_actions
    start = np.zeros(mdp.num_states)
    for route in shown.routes:
        start[route[0][0]] += 1.0 / len(shown.routes)
    both = sparse.vstack([matrix, -matrix])
    below = sparse.hstack([-both, np.ones((both.shape[0], 1))])         # B - phi x <= -mu
    leaving = sparse.kron(sparse.identity(mdp.num_states), np.ones((1, mdp.num_actions)))
    flow = sparse.hstack([leaving - mdp.discount * mdp.transitions.T,
                          sparse.csr_matrix((mdp.num_states, 1))])
    found = linprog(
        np.append(np.zeros(size), -1.0), A_ub=below, b_ub=-(both @ shown_visits(shown).ravel()),
        A_eq=flow, b_eq=start, bounds=[(0.0, None)] * size + [(None, None)], method='highs')
    if found.status != 0:
        raise NotConvergedError(f'the linear program of LPAL ended without a solution: '
                                f'{found.message}')
    return np.asarray(found.x[:-1]).reshape(mdp.num_states, mdp.num_actions)


def shown_visits(shown: Shown) -> np.ndarray:
    """Return the mean discounted visits ``[S, A]``, each route going on with its last pair."""
    discount = shown.mdp.discount
    visits = shown.counts(discount)
    for route in shown.routes:
        visits[route[-1]] += discount ** len(route) / (1.0 - discount)
    return np.asarray(visits / len(shown.routes))
