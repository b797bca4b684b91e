"""
Behavioural cloning: do what was shown most often, state by state.

    pi(s) = argmax_a c(s, a),

the maximum-likelihood policy of a table (Pomerleau 1991, "Efficient training of artificial neural
networks for autonomous navigation", with a network in place of the table). It knows nothing of
states where nothing was shown: there every action is as good as another.
"""

from __future__ import annotations

from gbs_irl_ros.core.baselines.shown import Learned, Shown, policy_of_choices


def cloned_policy(shown: Shown) -> Learned:
    """Learn the actions that were shown most often, all of them where there are several."""
    counts = shown.counts()
    return Learned(policy_of_choices(counts == counts.max(axis=1, keepdims=True)))
