"""
Proof that greedy sets are right, by bounds on the values they were found with.

Let V be the values found and rho(x) = |max_a Q(x, a) - V(x)|, rounding included, what one more
step would change. Any W with

    W(x) >= rho(x) + gamma max_a sum_y P(y | x, a) W(y)        for all x

bounds the error: |V*(x) - V(x)| <= W(x), and Q* is off by at most gamma sum_y P(y | x, a) W(y).
The smallest such W is the optimal value of rho as a reward, found by the same planner and then
checked by that inequality. Unlike gamma / (1 - gamma) max_x rho(x) it falls with the distance from
all rewards as fast as the values do, so that actions can be told apart anywhere.

An action is optimal if V*(x) - Q*(x, a) is at most the tolerance of a tie (``solver``). The scale
of that, M(x), is between two bounds: |V| and the best value of |r|; where that is not enough, it
is computed exactly. A pair of a state and an action is undecided if the bounds say neither yes nor
no; it is refuted if they say the opposite of the set.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from gbs_irl_ros.core.mdp import Mdp
from gbs_irl_ros.core.planning.never import Never, restricted, ways_around
from gbs_irl_ros.core.planning.solver import TIE_TOLERANCE, evaluate, solve
from gbs_irl_ros.core.rewards import Rewards

BLOCK_ENTRIES = 8_000_000   # states * actions * rewards looked at together
MARGIN = 1e-2               # W is found with a discount nearer to 1: rounding cannot break it
EXACT_MARGIN = 1e-9         # of M, where it is computed exactly
ROUNDING = 2.0 ** -52
ROUNDED = 4                 # operations besides the sum over what follows


@dataclass(frozen=True)
class SetCertificate:
    """
    What could be proved of greedy sets.

    pairs: states and actions under all rewards.
    undecided: of them neither proved nor refuted.
    refuted: of them proved to be wrong.
    """

    pairs: int
    undecided: int
    refuted: int

    def __add__(self, other: SetCertificate) -> SetCertificate:
        return SetCertificate(self.pairs + other.pairs, self.undecided + other.undecided,
                              self.refuted + other.refuted)

    @property
    def is_proof(self) -> bool:
        """Whether all sets are proved to be right."""
        return self.undecided == self.refuted == 0


def certify_sets(mdp: Mdp, rewards: Rewards, optimal: np.ndarray,
                 never: Never | None = None) -> SetCertificate:
    """
    Return what can be proved of the greedy sets of all rewards.

    :param optimal: ``[S, H]``, the sets as bits.
    :param never: states to be avoided before all else; among the actions that do, as in ``solve``.
    """
    rewards.check_fits(mdp)
    total = SetCertificate(0, 0, 0)
    everything = np.ones((mdp.num_states, mdp.num_actions), dtype=bool)
    if never is None:
        return _certified(mdp, rewards, optimal, everything)
    for tasks, forbidden, goals in never.groups():
        allowed = ways_around(mdp, forbidden, goals).allowed if len(forbidden) else everything
        inside = restricted(mdp, rewards.rows(tasks), forbidden, allowed)
        total += _certified(*inside, optimal[:, tasks], allowed)
    return total


def _certified(mdp: Mdp, rewards: Rewards, optimal: np.ndarray,
               allowed: np.ndarray) -> SetCertificate:
    """Return the certificate of sets among the actions that are allowed."""
    total = SetCertificate(0, 0, 0)
    size = max(1, BLOCK_ENTRIES // allowed.size)
    for first in range(0, rewards.num_rewards, size):
        part = np.arange(first, min(first + size, rewards.num_rewards))
        is_in, is_out = _decided(mdp, rewards.rows(part))
        bits = optimal[:, part].astype(np.uint64)
        for action in range(mdp.num_actions):
            counts = allowed[:, action, np.newaxis]
            held = (bits >> np.uint64(action)) & np.uint64(1) == 1
            total += SetCertificate(
                int(counts.sum()) * len(part),
                int((counts & ~(is_in[:, action] | is_out[:, action])).sum()),
                int((counts & ((is_in[:, action] & ~held) | (is_out[:, action] & held))).sum()))
    return total


def _decided(mdp: Mdp, rewards: Rewards) -> tuple[np.ndarray, np.ndarray]:
    """Return two of ``[S, A, B]``: which actions are proved to be optimal, and not to be."""
    values = _values(mdp, rewards)                              # [S, B]
    gained = rewards.dense().T.reshape(mdp.num_states, -1, rewards.num_rewards)    # [S, 1 or A, B]
    quality = gained + _ahead(mdp, values)                      # [S, A, B]
    size = np.abs(gained) + _ahead(mdp, np.abs(values))
    terms = int(np.diff(mdp.transitions.indptr).max()) + ROUNDED
    rounding = terms * ROUNDING * size.max(axis=1)
    residual = np.abs(quality.max(axis=1) - values) + rounding
    error = _error_bounds(mdp, residual)
    highest = quality + _ahead(mdp, error) + rounding[:, np.newaxis]
    error = np.where(_exact_zeros(mdp, gained, values, highest), 0.0, error)
    doubt = _ahead(mdp, error) + rounding[:, np.newaxis]
    best = quality.max(axis=1, keepdims=True)
    gap, doubt = best - quality, doubt + np.take_along_axis(
        doubt, quality.argmax(axis=1)[:, np.newaxis], axis=1)
    doubt_above = np.maximum(doubt, _ahead(mdp, error) + error[:, np.newaxis] + rounding[
        :, np.newaxis])
    low = size.max(axis=1)
    mixed = (gained.min(axis=(0, 1)) < 0.0) & (gained.max(axis=(0, 1)) > 0.0)
    high = np.where(mixed, np.maximum(low, _largest_sizes(mdp, rewards)), low)
    is_in, is_out = _judged(gap, doubt, doubt_above, low, high)
    for reward in np.flatnonzero(~(is_in | is_out).all(axis=(0, 1)) & mixed):
        scale = _scale(mdp, gained[..., reward], quality[..., reward])
        one = slice(reward, reward + 1)
        is_in[..., one], is_out[..., one] = _judged(
            gap[..., one], doubt[..., one], doubt_above[..., one],
            (1.0 - EXACT_MARGIN) * scale, (1.0 + EXACT_MARGIN) * scale)
    return is_in, is_out


def _judged(gap: np.ndarray, doubt: np.ndarray, doubt_above: np.ndarray, low: np.ndarray,
            high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return which actions are optimal for certain, and which are not, if M is between two."""
    least, most = (TIE_TOLERANCE * scale[:, np.newaxis] for scale in (low, high))
    return gap + doubt_above <= least, gap - doubt > most


def _scale(mdp: Mdp, gained: np.ndarray, quality: np.ndarray) -> np.ndarray:
    """Return M ``[S, 1]`` of one reward, its policy evaluated exactly: slow, and seldom needed."""
    sizes = np.broadcast_to(np.abs(gained), quality.shape)
    policy = np.zeros(quality.shape)
    policy[np.arange(len(policy)), quality.argmax(axis=1)] = 1.0
    under = evaluate(mdp, sizes, policy)
    return (sizes + _ahead(mdp, under[:, np.newaxis])[..., 0]).max(axis=1)[:, np.newaxis]


def _values(mdp: Mdp, rewards: Rewards) -> np.ndarray:
    """V*, ``[S, B]``."""
    found = solve(mdp, rewards, keep_values=True, allow_vanishing=True).values
    assert found is not None
    return np.ascontiguousarray(found.T)


def _ahead(mdp: Mdp, values: np.ndarray) -> np.ndarray:
    """Return ``[S, A, B]``: gamma sum_y P(y | x, a) V(y) for ``[S, B]`` values."""
    return np.asarray(mdp.discount * (mdp.transitions @ values)).reshape(
        mdp.num_states, mdp.num_actions, -1)


def _exact_zeros(mdp: Mdp, gained: np.ndarray, values: np.ndarray,
                 highest: np.ndarray) -> np.ndarray:
    """
    Return ``[S, B]``: where V* is 0 for certain, which no bound by rounding errors can show.

    If it is possible to stay for ever among the states of value 0 without any reward, V* is not
    negative there; it is not positive if no reward is, or if everything that leads away, or gains
    something, is proved not to be worth it.

    :param highest: ``[S, A, B]``, an upper bound of Q*.
    """
    zero = values == 0.0
    stays = _ahead(mdp, (~zero).astype(float)) == 0.0           # [S, A, B]
    not_below = ((stays & (gained == 0.0)).any(axis=1) | ~zero).all(axis=0)
    worthless = ((stays & (gained <= 0.0)) | (highest <= 0.0)).all(axis=1)
    not_above = (gained <= 0.0).all(axis=(0, 1)) | (worthless | ~zero).all(axis=0)
    return np.asarray(zero & not_below & not_above)


def _error_bounds(mdp: Mdp, residual: np.ndarray) -> np.ndarray:
    """Return W ``[S, B]``; infinite for a reward of which it could not be proved to be one."""
    farther = Mdp(mdp.transitions, mdp.num_actions, mdp.discount + MARGIN * (1.0 - mdp.discount))
    bound = _values(farther, Rewards(sparse.csr_matrix(residual.T), mdp.num_states,
                                     mdp.num_actions))
    holds = (bound >= residual + _ahead(mdp, bound).max(axis=1)).all(axis=0)
    return np.where(holds, bound, np.inf)


def _largest_sizes(mdp: Mdp, rewards: Rewards) -> np.ndarray:
    """Return the best value of |r|, ``[S, B]``: no policy has a larger scale."""
    sizes = sparse.csr_matrix(np.abs(rewards.dense()))
    return _values(mdp, Rewards(sizes, mdp.num_states, mdp.num_actions, rewards.per_action))
