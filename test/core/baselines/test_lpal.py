"""LPAL: its linear program beside all deterministic policies, and a teacher who can be matched."""

from __future__ import annotations

from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.optimize
from worlds import corridor, random_mdp

from gbs_irl_ros.core.baselines import Shown, lpal
from gbs_irl_ros.core.baselines.lpal import best_visits, shown_visits
from gbs_irl_ros.core.errors import NotConvergedError
from gbs_irl_ros.core.planning.solver import policy_system


def test_a_route_that_is_cut_off_goes_on_with_its_last_pair():
    shown = Shown(corridor(3, discount=0.5), (((0, 1), (1, 1), (2, 1)),))
    np.testing.assert_allclose(shown_visits(shown), [[0, 1], [0, 0.5], [0, 0.25 + 0.125 / 0.5]])


def test_a_teacher_who_can_be_matched_is_matched():
    mdp = corridor(5)
    shown = Shown(mdp, (((1, 1), (2, 1), (3, 1), (4, 1)),))
    np.testing.assert_allclose(best_visits(shown).sum(axis=1), shown_visits(shown).sum(axis=1),
                               atol=1e-9)
    policy = lpal(shown).policy
    assert [policy.actions(state) for state in range(5)] == [(0, 1), (1,), (1,), (1,), (1,)]


def test_no_policy_is_nearer_to_the_teacher(rng):
    """Over features and their negatives, B is minus the largest difference of any."""
    for _ in range(4):
        mdp, features = random_mdp(rng, 4, 2), rng.normal(size=(3, 8))
        route = tuple((int(rng.integers(4)), int(rng.integers(2))) for _ in range(6))
        shown = Shown(mdp, (route,))
        teacher = features @ shown_visits(shown).ravel()
        visits = best_visits(shown, features)
        found = np.abs(features @ visits.ravel() - teacher).max()
        start = np.zeros(4)
        start[route[0][0]] = 1.0
        np.testing.assert_allclose(             # it is what some policy visits
            visits.sum(axis=1), start + 0.9 * (mdp.transitions.T @ visits.ravel()), atol=1e-9)
        policies = [np.identity(2)[list(each)] for each in product(range(2), repeat=4)]
        policies += list(rng.dirichlet(np.ones(2), (300, 4)))
        for policy in policies:
            of_states = np.linalg.solve(policy_system(mdp, policy).toarray().T, start)
            other = features @ (of_states[:, np.newaxis] * policy).ravel()
            assert np.abs(other - teacher).max() >= found - 1e-9


def test_a_program_without_a_solution_says_so(monkeypatch):
    monkeypatch.setattr(scipy.optimize, 'linprog', lambda *_, **__: SimpleNamespace(
        status=4, message='numerical difficulties'))
    with pytest.raises(NotConvergedError, match='without a solution: numerical difficulties'):
        lpal(Shown(corridor(3), (((0, 1),),)))
