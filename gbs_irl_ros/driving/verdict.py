"""Whether a robot learned and did what was meant, with the true reward in hand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gbs_irl_ros.core.metrics import ValueLossMeter, policy_accuracy
from gbs_irl_ros.core.planning.never import ways_around
from gbs_irl_ros.core.policy import Policy
from gbs_irl_ros.tasks import Task, Truth

ROUNDING = 1e-9     # of the largest return that the rewards allow
ENOUGH = 0.95       # share of the optimal return that counts as having learned the task


@dataclass(frozen=True)
class Verdict:
    """
    How it went.

    accuracy: share of the states, and of the policy's actions there, that are right.
    earned, optimal: average return of the learned and of the best policy, from the start.
    rounding: how far the two may differ by the rounding of numbers alone.
    reached: whether the robot ended where the true task is accomplished; None if it has no such
        place, or no robot drove.
    trespassed: whether it drove over what must never be entered, although there was a way round.
    """

    accuracy: float
    earned: float
    optimal: float
    reached: bool | None
    rounding: float = 0.0
    trespassed: bool = False

    @property
    def learned(self) -> bool:
        """Whether the policy earns nearly as much as the best one."""
        slack = (1.0 - ENOUGH) * abs(self.optimal) + self.rounding
        return self.earned >= self.optimal - slack

    @property
    def passed(self) -> bool:
        """Whether the task was learned, and done where it can be done."""
        return self.learned and self.reached is not False and not self.trespassed

    def __str__(self) -> str:
        return (f'policy accuracy {self.accuracy:.1%}; it earns {self.earned:.4g} of '
                f'{self.optimal:.4g} on average from the start')


def judge(task: Task, truth: Truth, policy: Policy, path: Sequence[int]) -> Verdict:
    """
    Return the verdict on a policy and on the states that a robot went through under it.

    :param path: none if no robot drove.
    """
    meter = ValueLossMeter(task.world.mdp, truth.reward, truth.never)
    start = task.start
    if len(path):
        start = np.zeros(task.world.mdp.num_states)
        start[path[0]] = 1.0
    goals = task.goal_states(truth.index)
    reached = None if not len(path) or not len(goals) else bool(path[-1] in goals)
    return Verdict(policy_accuracy(policy, meter.optimal_sets),
                   meter.expected_return(policy, start), meter.optimal_return(start), reached,
                   ROUNDING * float(np.abs(truth.reward).max()) / (1.0 - task.world.mdp.discount),
                   _trespassed(task, truth, path))


def _trespassed(task: Task, truth: Truth, path: Sequence[int]) -> bool:
    if truth.never is None or not len(path):
        return False
    forbidden, goals = truth.never.states.indices, truth.never.goals.indices
    fewest = ways_around(task.world.mdp, forbidden, goals).entries[path[0]]
    return bool(fewest == 0 and np.isin(path[1:], forbidden).any())
