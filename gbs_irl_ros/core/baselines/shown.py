"""What a teacher has shown, and what a method makes of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from gbs_irl_ros.core.answers import ActionAnswer, Answer, DemonstrationAnswer
from gbs_irl_ros.core.errors import InvalidAnswerError, InvalidRewardsError
from gbs_irl_ros.core.mdp import Mdp
from gbs_irl_ros.core.planning.solver import solve
from gbs_irl_ros.core.policy import Policy
from gbs_irl_ros.core.rewards import Rewards

Pairs = tuple[tuple[int, int], ...]


@dataclass(frozen=True, eq=False)
class Shown:
    """
    Routes of pairs (state, action); an answer that names one action is a route of one pair.

    mdp: where it was shown.
    routes: each has one pair at least.
    """

    mdp: Mdp
    routes: tuple[Pairs, ...]

    def __post_init__(self) -> None:
        if not self.routes or not all(self.routes):
            raise InvalidAnswerError('nothing is shown: there must be a route, each with a step')
        for route in self.routes:
            for state, action in route:
                self.mdp.check_state(state, InvalidAnswerError)
                self.mdp.check_action(action, InvalidAnswerError)

    @classmethod
    def from_answers(cls, mdp: Mdp, answers: Iterable[Answer]) -> Shown:
        """Take what answers show; those of other kinds say nothing to these methods."""
        routes: list[Pairs] = []
        for answer in answers:
            if isinstance(answer, ActionAnswer):
                routes.append(((answer.state, answer.action),))
            elif isinstance(answer, DemonstrationAnswer):
                routes.append(tuple(answer.steps))
        return cls(mdp, tuple(routes))

    def counts(self, discount: float = 1.0) -> np.ndarray:
        """Return ``[S, A]``, how often each pair was shown, step t counting discount^t."""
        counts = np.zeros((self.mdp.num_states, self.mdp.num_actions))
        for route in self.routes:
            states, actions = np.array(route).T
            np.add.at(counts, (states, actions), discount ** np.arange(len(route)))
        return counts


@dataclass(frozen=True, eq=False)
class Learned:
    """
    What a method has learned.

    policy: in the world in which it was shown.
    reward: ``[S]`` or ``[S, A]``, with which it can plan elsewhere; None: it learns none.
    """

    policy: Policy
    reward: np.ndarray | None = None

    def policy_in(self, world: Mdp) -> Policy:
        """Return what to do in another world with the same states and actions."""
        return self.policy if self.reward is None else best_policy(world, self.reward)


def best_policy(mdp: Mdp, reward: np.ndarray) -> Policy:
    """Return the optimal policy for a reward ``[S]`` or ``[S, A]``."""
    found = solve(mdp, Rewards.from_dense(reward[np.newaxis], mdp.num_actions),
                  allow_vanishing=True)
    return policy_of_sets(found.greedy_bits[:, 0], mdp.num_actions)


def policy_of_sets(action_sets: np.ndarray, num_actions: int) -> Policy:
    """Return a policy with nothing said about how sure it is."""
    return Policy(action_sets, np.ones(len(action_sets)), np.array([]), num_actions)


def policy_of_choices(allowed: np.ndarray) -> Policy:
    """Return the policy that takes the actions ``[S, A]`` bool."""
    words = np.uint64(1) << np.arange(allowed.shape[1], dtype=np.uint64)
    return policy_of_sets(np.where(allowed, words, np.uint64(0)).sum(axis=1, dtype=np.uint64),
                          allowed.shape[1])


def feature_matrix(mdp: Mdp, features: Sequence[np.ndarray] | sparse.spmatrix | None
                   ) -> sparse.csr_matrix:
    """
    Return features as ``[F, S * A]``.

    :param features: ``[F, S]`` or ``[F, S * A]``; None: one for each state.
    """
    states, actions = mdp.num_states, mdp.num_actions
    given = sparse.identity(states, format='csr') if features is None \
        else sparse.csr_matrix(features, dtype=np.float64)
    if given.shape[1] == states * actions and actions > 1:
        return given
    if given.shape[1] != states:
        raise InvalidRewardsError(f'features must have S = {states} or S * A = {states * actions} '
                                  f'columns, got shape {given.shape}')
    return sparse.csr_matrix(given @ sparse.kron(sparse.identity(states), np.ones((1, actions))))


def as_reward(mdp: Mdp, columns: np.ndarray) -> np.ndarray:
    """Return a reward ``[S * A]`` as ``[S]`` where it does not depend on the action."""
    table = columns.reshape(mdp.num_states, mdp.num_actions)
    return table[:, 0] if (table == table[:, :1]).all() else table
