"""
Planning by the compiled kernel: sweeps through the states, four rewards at a time.

The MDP is rewritten once for all rewards: strongly connected components one after another, those
that nothing leaves first, so that each is solved with all it leads to known; and staying in a
state solved for, since V = r + gamma (s V + ...) is V = (r + gamma ...) / (1 - gamma s).
"""

from __future__ import annotations

import ctypes
from weakref import WeakKeyDictionary

import numpy as np
from scipy import sparse

from gbs_irl_ros.core.mdp import Mdp
from gbs_irl_ros.core.planning import kernel
from gbs_irl_ros.core.rewards import Rewards

LANES = 4               # rewards that the kernel solves together
MAX_SWEEPS = 2_000      # of a component; then its policy is evaluated exactly
SWEEPS_BETWEEN = 200    # of a component, between two such evaluations
KEPT_ENTRIES = 1_000_000    # of the transitions: a larger MDP is rewritten each time

_kept: WeakKeyDictionary[Mdp, KernelPlanner] = WeakKeyDictionary()


class KernelPlanner:
    """An MDP as the kernel wants it."""

    def __init__(self, mdp: Mdp) -> None:
        self._component_start, self._state_of = _sweep_order(mdp)
        place_of = np.empty(mdp.num_states, dtype=np.int32)
        place_of[self._state_of] = np.arange(mdp.num_states, dtype=np.int32)
        rows = (self._state_of.astype(np.int64)[:, np.newaxis] * mdp.num_actions
                + np.arange(mdp.num_actions)).ravel()
        matrix = mdp.transitions[rows]
        lengths = np.diff(matrix.indptr)
        row_of_entry = np.repeat(np.arange(len(rows)), lengths)
        place_of_entry = row_of_entry // mdp.num_actions
        following = place_of[matrix.indices]
        stays = following == place_of_entry
        staying = np.bincount(row_of_entry, weights=np.where(stays, matrix.data, 0.0),
                              minlength=len(rows))
        self._gain = 1.0 / (1.0 - mdp.discount * staying)
        weight = np.where(stays, 0.0, mdp.discount * matrix.data * self._gain[row_of_entry])
        if mdp.successors is None:
            weight, following = weight[~stays], following[~stays]
            lengths = np.bincount(row_of_entry[~stays], minlength=len(rows))
        self._weight, self._next = np.ascontiguousarray(weight), np.ascontiguousarray(following)
        self._row_start = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
        self._world = kernel.World(
            mdp.num_states, mdp.num_actions, len(self._component_start) - 1,
            mdp.successors is not None, mdp.discount,
            kernel.address(self._row_start, np.int64), kernel.address(self._next, np.int32),
            kernel.address(self._weight, np.float64), kernel.address(self._gain, np.float64),
            kernel.address(self._component_start, np.int64),
            kernel.address(self._state_of, np.int32))

    def plan(self, table: RewardArrays, first: int, last: int, tie_tolerance: float,
             max_sweeps: int, outcome: Outcome, initial: np.ndarray | None = None, *,
             extrapolate: bool = True) -> None:
        """
        Solve rewards first .. last - 1 and write what is found into their part of the outcome.

        :param initial: ``[S, 2]``, V and m to start from.
        :param extrapolate: guess now and then what sweeps would arrive at; useless, and able to
            disturb, where the start is the value of a policy.
        """
        kernel.call('gbs_plan', self._world, table.structure,
                    initial if initial is None else np.ascontiguousarray(initial, dtype=float),
                    first, last, tie_tolerance, max_sweeps, extrapolate, outcome.part(first))


def planner_of(mdp: Mdp) -> KernelPlanner:
    """Return the planner of an MDP: a small one is kept, for those who plan again and again."""
    planner = _kept.get(mdp)
    if planner is None:
        planner = KernelPlanner(mdp)
        if mdp.transitions.nnz <= KEPT_ENTRIES:
            _kept[mdp] = planner
    return planner


class RewardArrays:
    """Rewards as the kernel wants them: by reward, and the features by column."""

    def __init__(self, rewards: Rewards) -> None:
        weights, features = rewards.weights, rewards.features
        self._weights = _arrays(weights)
        self._features = (None, None, None) if features is None \
            else _arrays(sparse.csc_matrix(features))
        self.structure = kernel.RewardTable(
            rewards.per_action, 0 if features is None else features.shape[0],
            *_addresses(self._weights), *_addresses(self._features))


class Outcome:
    """
    Room for what planning finds.

    bits: ``[S, H]`` or None. values: ``[H, S]`` or None.
    updates: ``[H]``, states updated. status: ``[H]``. where: ``[H]``, a state or -1.
    """

    def __init__(self, bits: np.ndarray | None, values: np.ndarray | None, count: int) -> None:
        self.bits, self.values = bits, values
        self.updates = np.zeros(count, dtype=np.int64)
        self.status = np.zeros(count, dtype=np.int64)
        self.where = np.full(count, -1, dtype=np.int64)

    def part(self, first: int) -> kernel.PlanResult:
        """Return the room from a reward on."""
        bits, values = self.bits, self.values
        return kernel.PlanResult(
            None if bits is None else bits.ctypes.data + first * bits.itemsize,
            0 if bits is None else bits.itemsize, 0 if bits is None else bits.shape[1],
            None if values is None else values.ctypes.data + first * values.strides[0],
            *(array.ctypes.data + 8 * first
              for array in (self.updates, self.status, self.where)))


def _sweep_order(mdp: Mdp) -> tuple[np.ndarray, np.ndarray]:
    """Return (where components begin ``[C + 1]``, the states in the order of sweeps ``[S]``)."""
    from scipy.sparse.csgraph import reverse_cuthill_mckee  # slow to import, and not always needed
    row_start = mdp.transitions.indptr.astype(np.int64)
    following = mdp.transitions.indices.astype(np.int32)
    component_of = np.empty(mdp.num_states, dtype=np.int64)
    count = ctypes.c_int64()
    kernel.call('gbs_components', mdp.num_states, mdp.num_actions, row_start, following,
                component_of, ctypes.addressof(count))
    sizes = np.bincount(component_of, minlength=count.value)
    # States that follow each other are near each other in this order, however they are numbered.
    state_of_entry = np.repeat(np.arange(mdp.num_states), np.diff(row_start[::mdp.num_actions]))
    graph = sparse.csr_matrix((np.ones(len(following)), (state_of_entry, following)),
                              shape=(mdp.num_states, mdp.num_states))
    nearby = reverse_cuthill_mckee(graph + graph.T, symmetric_mode=True)
    order = nearby[np.argsort(component_of[nearby], kind='stable')].astype(np.int32)
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]), order


def _arrays(matrix: sparse.spmatrix) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return (matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32),
            np.ascontiguousarray(matrix.data, dtype=np.float64))


def _addresses(arrays: tuple[np.ndarray | None, ...]) -> tuple[int | None, ...]:
    dtypes: tuple[type[np.generic], ...] = (np.int64, np.int32, np.float64)
    return tuple(map(kernel.address, arrays, dtypes))
