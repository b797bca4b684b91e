"""Behavioural cloning and DAgger, whose policies can be written down."""

from __future__ import annotations

import numpy as np
from worlds import LEFT, RIGHT, corridor

from gbs_irl_ros.core.baselines import Dagger, Shown, cloned_policy


def test_cloning_takes_what_was_shown_most_often_and_anything_elsewhere():
    shown = Shown(corridor(4), (((0, 1), (1, 1), (1, 0), (1, 1)), ((2, 0),), ((2, 1),)))
    learned = cloned_policy(shown)
    assert learned.reward is None
    assert [learned.policy.actions(state) for state in range(4)] == [(1,), (1,), (0, 1), (0, 1)]


def test_the_first_round_follows_the_teacher(rng):
    first = Dagger(corridor(6)).after_round(1, 3, lambda state: RIGHT, rng)
    assert first.shown.routes == (((1, RIGHT), (2, RIGHT), (3, RIGHT)),)


def test_later_rounds_follow_the_learner_and_are_labelled_by_the_teacher(rng):
    """It was taught to go left by mistake; where that leads, it is told what is right."""
    wrong = Dagger(corridor(6), Shown(corridor(6), (tuple((s, LEFT) for s in range(6)),)))
    second = wrong.after_round(3, 5, lambda state: RIGHT, rng)
    assert second.shown.routes[1] == ((3, 1), (2, 1), (1, 1), (0, 1), (0, 1))
    assert second.learned.policy.actions(0) == (RIGHT,)                 # two against one
    assert second.learned.policy.actions(2) == (LEFT, RIGHT)            # one each


def test_it_learns_wherever_it_comes(rng):
    learner, goal = Dagger(corridor(9)), 6
    for start in range(9):
        learner = learner.after_round(start, 10,
                                      lambda state: RIGHT if state < goal else LEFT, rng)
    assert [learner.learned.policy.actions(state) for state in range(9)] \
        == [(RIGHT,)] * goal + [(LEFT,)] * (9 - goal)
    assert np.all(learner.shown.counts().sum(axis=1) > 0)
