"""How long lessons will take, worked out beside them."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from gbs_irl_ros.core.learner import Learner
from gbs_irl_ros.core.theory.forecast import Outlook


class LookingAhead:
    """Simulates lessons in threads of its own, once for whatever may be meant."""

    def __init__(self) -> None:
        self._known: dict[tuple[Any, ...], Outlook | None] = {}     # None: being worked out

    def outlook(self, learner: Learner) -> Outlook | None:
        """Return how lessons of a learner go, None if that is not known yet, or they never end."""
        if learner.stop.wanted_certainty > 1.0:
            return None
        hypotheses, noise = learner.task.hypotheses, learner.noise
        key = (hypotheses.num_rewards, hypotheses.names, hypotheses.log_prior.tobytes(),
               learner.task.start.tobytes(), np.asarray(noise.gamma_hat).tobytes(),
               noise.sigma_hat, noise.likelihood, repr(learner.strategy), repr(learner.stop),
               repr(learner.caution))
        if key not in self._known:
            self._known[key] = None
            threading.Thread(target=self._work_out, args=(key, learner.replay(())),
                             daemon=True).start()
        return self._known[key]

    def _work_out(self, key: tuple[Any, ...], learner: Learner) -> None:
        self._known[key] = Outlook.simulated(learner)
