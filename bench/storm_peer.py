"""Storm's sparse engine as a peer of bench/peers.py: runs in the Python of the peers."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import stormpy
from scipy import sparse
from stormpy.datastructures import SparseMatrixBuilder
from stormpy.environments import MinMaxMethod
from stormpy.models import SparseMdp, SparseModelComponents, SparseRewardModel, StateLabeling

TRIALS = 2
METHODS = (MinMaxMethod.TOPOLOGICAL, MinMaxMethod.VALUE_ITERATION, MinMaxMethod.POLICY_ITERATION,
           MinMaxMethod.OPTIMISTIC_VALUE_ITERATION)


class StormModel:
    """
    Discounted total reward of an MDP, by whichever of its methods is fastest for the problem.

    A model of Storm has its rewards in it, so one is made for each of them. Only the check counts:
    ``solve`` says how long it took.
    """

    def __init__(self, transitions: sparse.csr_matrix, num_actions: int, discount: float,
                 value_error: float, trials: list[np.ndarray]) -> None:
        self._states, self._actions = transitions.shape[1], num_actions
        self._matrix = _matrix(transitions, num_actions)
        self._labels = StateLabeling(self._states)
        self._labels.add_label('init')
        self._labels.add_label_to_state('init', 0)
        self._formula = stormpy.parse_properties(f'R{{"r"}}max=? [ Cdiscount={discount!r} ]')[0]
        self._environment = stormpy.Environment()
        self._solver = self._environment.solver().min_max()
        self._solver.precision = stormpy.Rational(value_error)
        self._solver.relative_termination_criterion = False
        taken: dict[Any, float] = {}
        for method in METHODS * TRIALS:
            self._solver.method = method
            seconds = sum(self.solve(reward)[2] for reward in trials)
            taken[method] = min(seconds, taken.get(method, seconds))
        best = min(METHODS, key=lambda method: taken[method])
        self._solver.method = best
        self.about = best.name.lower().replace('_', ' ')

    def solve(self, reward: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
        """Return (V*, policy, seconds of the check alone)."""
        rewards = {'r': SparseRewardModel(optional_state_action_reward_vector=reward.tolist())}
        model = SparseMdp(SparseModelComponents(
            transition_matrix=self._matrix, state_labeling=self._labels, reward_models=rewards))
        started = time.perf_counter()
        found = stormpy.model_checking(model, self._formula, extract_scheduler=True,
                                       environment=self._environment)
        seconds = time.perf_counter() - started
        scheduler = found.get_scheduler()
        policy = [scheduler.get_choice(state).get_deterministic_choice()
                  for state in range(self._states)]
        return np.array(found.get_value_vector()), np.array(policy), seconds


def _matrix(transitions: sparse.csr_matrix, num_actions: int) -> Any:
    builder = SparseMatrixBuilder(rows=0, columns=transitions.shape[1], entries=0,
                                  force_dimensions=False, has_custom_row_grouping=True,
                                  row_groups=0)
    transitions.sort_indices()
    starts = transitions.indptr.tolist()
    columns, values = transitions.indices.tolist(), transitions.data.tolist()
    for row in range(transitions.shape[0]):
        if row % num_actions == 0:
            builder.new_row_group(row)
        for entry in range(starts[row], starts[row + 1]):
            builder.add_next_value(row, columns[entry], values[entry])
    return builder.build()
