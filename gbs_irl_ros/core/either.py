"""
"Both of these are fine": how probable it is that a teacher names several actions of a state.

Let B be the k named actions, 2 <= k < A, and A_h(x) the n optimal ones of policy h. The teacher
means that every action of B is optimal. Somebody who is right names any k optimal actions, each
choice as likely as another; somebody who is wrong any other k:

    P(B | h, k) = gamma / C(n, k)                    if B is in A_h(x)
                  (1 - gamma) / (C(A, k) - C(n, k))  if not
                  1 / C(A, k)                        if n = A: it cannot be wrong

For k = 1 this is the exact likelihood of ``core.noise``. Where n < k nobody can be right, so what
is left is the chance to be wrong.

Where no listed task can be meant so, because none has all of B optimal there, the teacher is taken
to say that one of B is: C(A, k) - C(A - n, k) choices of k actions hold an optimal one, and take
the place of C(n, k).
"""

from __future__ import annotations

import math

import numpy as np

from gbs_irl_ros.core.answers import EitherAnswer
from gbs_irl_ros.core.hypotheses import Hypotheses
from gbs_irl_ros.core.said import Statement


def either_said(hypotheses: Hypotheses, answer: EitherAnswer) -> Statement:
    """Return how probable the answer is under each policy: ``[D]``."""
    sets, count = hypotheses.sets, len(answer.actions)
    bits = sets.sets_at(answer.state)
    named = bits.dtype.type(sum(1 << action for action in answer.actions))
    sizes = sets.pattern_sizes[sets.codes(bits)]
    ways = np.array([math.comb(size, count) for size in range(sets.num_actions + 1)], dtype=float)
    total = ways[-1]
    is_true, true_ways = (bits & named) == named, ways[sizes]
    if not is_true.any():
        is_true, true_ways = (bits & named) != 0, total - ways[sets.num_actions - sizes]
    cannot_err = true_ways == total
    return Statement(
        np.where(is_true & ~cannot_err, 1.0 / np.maximum(true_ways, 1.0), 0.0),
        np.where(is_true, 0.0, 1.0 / np.maximum(total - true_ways, 1.0)),
        np.where(cannot_err, 1.0 / total, 0.0))
