"""How long answers take."""

from __future__ import annotations

import math

import pytest
from cases import for_each

from gbs_irl_ros.core.errors import GbsIrlError, InvalidOptionError
from gbs_irl_ros.core.pace import Pace, usual_seconds
from gbs_irl_ros.core.questions import Question, QuestionKind

ACTION = Question(QuestionKind.ACTION, 0)
ROUTE = ((0, 0),)


@for_each('question, seconds', [
    (ACTION, 3.0), (Question(QuestionKind.YES_NO, 0, 1), 2.0),
    (Question(QuestionKind.REWARD, 0), 6.0),
    (Question(QuestionKind.DEMONSTRATION, 0, steps=3), 5.0),
    (Question(QuestionKind.CONFIRM, 0, route=ROUTE), 2.0),
    (Question(QuestionKind.PLACE, 0), 3.0),
    (Question(QuestionKind.TASK, 0, options=(0, 1, 2)), 1.5 + 0.9 * 2.0),
    (Question(QuestionKind.COMPARE, 0, route=ROUTE, other_route=ROUTE), 5.0)], ids=repr)
def test_what_is_assumed_at_first(question, seconds):
    assert usual_seconds(question) == pytest.approx(seconds)
    assert Pace().seconds(question) == pytest.approx(seconds)


def test_every_kind_takes_some_time():
    assert {question.kind for question, _ in
            test_what_is_assumed_at_first.cases} == set(QuestionKind)


def test_measured_times_replace_it():
    pace = Pace().timed([(ACTION, 6.0)] * 3)
    assert pace.factor(QuestionKind.ACTION) == pytest.approx((3.0 + 6.0) / 6.0)
    assert pace.factor(QuestionKind.TASK) == 1.0
    much = Pace().timed([(ACTION, 6.0)] * 3000)
    assert much.seconds(ACTION) == pytest.approx(6.0, rel=2e-3)
    assert pace.timed([(ACTION, 6.0)]) == Pace().timed([(ACTION, 6.0)] * 4)
    assert hash(pace) == hash(Pace().timed([(ACTION, 6.0)] * 3))


def test_a_break_is_not_thinking():
    assert Pace().timed([(ACTION, 1e9)]).factor(QuestionKind.ACTION) == pytest.approx(13.0 / 4.0)
    assert Pace().timed([(ACTION, 0.0)]).factor(QuestionKind.ACTION) == pytest.approx(3.1 / 4.0)


def test_the_way_of_the_robot_counts():
    assert Pace(way=0.5).seconds(ACTION, 8.0) == pytest.approx(7.0)


@for_each('options, text', [
    ({'measured': (('action', -1.0, 2.0),)}, "of kind 'action' must be a count and a sum"),
    ({'measured': (('action', 1.0, math.inf),)}, "of kind 'action' must be a count and a sum"),
    ({'measured': (('action', 1.0, 1.0), ('action', 1.0, 1.0))}, 'must name each kind once'),
    ({'way': -1.0}, 'way must be finite and not negative, got -1.0'),
    ({'way': math.nan}, 'way must be finite and not negative, got nan')])
def test_what_cannot_be_a_pace(options, text):
    with pytest.raises(InvalidOptionError, match=text):
        Pace(**options)


def test_a_kind_that_does_not_exist():
    with pytest.raises(GbsIrlError, match='guess'):
        Pace((('guess', 1.0, 1.0),))
