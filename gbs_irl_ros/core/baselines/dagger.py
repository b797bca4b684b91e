"""
DAgger: the teacher names the right action wherever the learner comes by itself.

Ross, Gordon and Bagnell (2011), "A reduction of imitation learning and structured prediction to
no-regret online learning": in round i the policy

    pi_i = beta_i pi* + (1 - beta_i) pi^_i,    beta_1 = 1, beta_i = 0 after,

is followed for T steps (the parameter-free choice of their experiments), the teacher labels every
state on the way, all labels so far are put together, and pi^_(i+1) is cloned from them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gbs_irl_ros.core.baselines.behavioural_cloning import cloned_policy
from gbs_irl_ros.core.baselines.shown import Learned, Shown
from gbs_irl_ros.core.mdp import Mdp

Teacher = Callable[[int], int]


@dataclass(frozen=True, eq=False)
class Dagger:
    """
    What is known after some rounds.

    mdp: the world.
    shown: all labels so far; None before the first round.
    """

    mdp: Mdp
    shown: Shown | None = None

    @cached_property
    def learned(self) -> Learned | None:
        """Return what is cloned from the labels; None before the first round."""
        return None if self.shown is None else cloned_policy(self.shown)

    def after_round(self, start: int, steps: int, teacher: Teacher, rng: np.random.Generator
                    ) -> Dagger:
        """
        Follow the policy for some steps, have every state on the way labelled, and learn.

        :param start: the state to start from.
        :param teacher: says what is right in a state.
        """
        state, labels = self.mdp.check_state(start), []
        for _ in range(steps):
            right = teacher(state)
            labels.append((state, right))
            action = right if self.learned is None \
                else int(rng.choice(self.learned.policy.actions(state)))
            row = self.mdp.transitions[state * self.mdp.num_actions + action]
            state = int(rng.choice(row.indices, p=row.data / row.data.sum()))
        earlier = () if self.shown is None else self.shown.routes
        return Dagger(self.mdp, Shown(self.mdp, (*earlier, tuple(labels))))
