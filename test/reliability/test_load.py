"""Taught as fast as it goes before ten pages: memory and handles stay, the heart beats."""

from __future__ import annotations

import functools

import pytest

pytest.importorskip('rclpy', reason='needs ROS 2')

from waiting import patience

from soak import load
from soak.lanes import at_once
from soak.teachers import PersonAtThePage

pytestmark = pytest.mark.ros
SEED = 20130729
ANSWERS = 400           # the first ones fill caches
LONGEST_S = 40.0
GROWTH_MB = 5.0


@pytest.fixture(scope='module')
def lessons(tmp_path_factory):
    """A lesson at a page beside nine others, and one of a learner with faults."""
    sound, faulty = at_once(
        functools.partial(load.busy_lesson, tmp_path_factory.mktemp('sound'), SEED, ANSWERS,
                          patience(LONGEST_S), load.PAGES, person=PersonAtThePage),
        functools.partial(load.busy_lesson, tmp_path_factory.mktemp('faulty'), SEED, ANSWERS,
                          patience(LONGEST_S), learner='soak.controls.leaky_learner'))
    return sound, faulty


def test_a_lesson_leaves_no_traces_in_any_node_and_its_heart_beats_on_time(lessons):
    sound, _ = lessons
    assert sound.answers > ANSWERS / 2
    assert max(sound.grown().values()) < GROWTH_MB, sound.grown()
    assert max(sound.handles().values()) <= load.HANDLES, sound.handles()
    assert max(sound.own_gaps) < patience(load.GAP_S)
    assert min(sound.shown) > 100


def test_a_learner_that_keeps_and_opens_more_and_more_and_stumbles_is_noticed(lessons):
    _, faulty = lessons
    assert faulty.grown()['learner'] > GROWTH_MB
    assert faulty.handles()['learner'] > load.HANDLES
    assert max(faulty.gaps) > 0.4       # five beats are left out
