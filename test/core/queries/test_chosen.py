"""A strategy of somebody else that chooses what cannot be asked is told so by its name."""

from __future__ import annotations

import pickle
import re
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import pytest
from cases import for_each
from worlds import threshold_corridor

from gbs_irl_ros.core import (
    STRATEGIES,
    Choice,
    DontKnowAnswer,
    Learner,
    Problem,
    QueryStrategy,
    check_strategy,
    choose_state,
    make_strategy,
)
from gbs_irl_ros.core.errors import InvalidOptionError, PluginError
from gbs_irl_ros.core.questions import Question, QuestionKind

PROBLEM = Problem(threshold_corridor(5))
ACTION = QuestionKind.ACTION


@dataclass(frozen=True)
class Chooses(QueryStrategy):
    """Does what it is told to."""

    name: ClassVar[str] = 'mine'
    what: Any = None

    def choose(self, situation, rng):
        return self.what(situation, rng) if callable(self.what) else self.what


def fails(situation, rng):
    return 1 / 0


def undefined(situation, rng):
    return choose_state(situation, np.full(situation.hypotheses.sets.num_classes, np.nan), rng)


def by_state_and_action(situation, rng):
    return choose_state(situation, situation.optimal_mass, rng)


FINE = np.zeros(5)
WRONG = {
    'a number': (3, 'must return a Choice or None, got int'),
    'no question': (Choice('here', FINE), 'chose a question that cannot be asked: '),
    'no such state': (Choice(Question(ACTION, 5), FINE),
                      'chose a question that cannot be asked: state must be in 0 .. 4, got 5'),
    'another kind': (Choice(Question(QuestionKind.REWARD, 1), FINE),
                     'chose a question of the kind reward, which is not among its kinds '
                     "['action']"),
    'closed': (Choice(Question(ACTION, 2), FINE),
               'chose a question that is closed: action at state 2; situation.open and '
               'open_classes say which are not'),
    'too few': (Choice(Question(ACTION, 1), np.zeros(4)),
                'must return utilities of shape (5,) or (5, 2), got (4,)'),
    'not a number': (Choice(Question(ACTION, 1), np.array([0, 1, 2, np.nan, 4])),
                     'returned utilities that are not numbers: that of state 3 is NaN'),
    'not a number, by action': (
        Choice(Question(ACTION, 1), np.array([[0, 1], [0, np.nan]] + 3 * [[0, 0]])),
        'returned utilities that are not numbers: that of state 1, action 1 is NaN'),
    'raises': (fails, 'failed: ZeroDivisionError: division by zero (*test_chosen.py:*)'),
    'utilities of classes': (undefined, 'failed: InvalidOptionError: utilities must be numbers, '
                                        'entry 0 of 5 is NaN (*test_chosen.py:*)'),
    'not by class': (by_state_and_action, (
        'failed: InvalidOptionError: choose_state takes one utility for each class of states, so '
        'of shape (5,), got (5, 2); choose_question takes them by state, or by state and action '
        '(*test_chosen.py:*)')),
}


@for_each('case', sorted(WRONG))
def test_the_cause_is_told_by_name(case):
    what, text = WRONG[case]
    learner = Learner(PROBLEM, Chooses(what)).tell(DontKnowAnswer(Question(ACTION, 2)))
    with pytest.raises(PluginError) as caught:
        learner.ask()
    pattern = re.escape(f"the strategy 'mine' ({__name__}.Chooses) {text}").replace(r'\*', '.*')
    assert re.match(pattern, str(caught.value)), str(caught.value)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_a_class_is_not_a_strategy():
    with pytest.raises(InvalidOptionError, match='strategy must be a name or a strategy, such'):
        Learner(PROBLEM, Chooses)


def test_nothing_to_ask_is_fine():
    assert Learner(PROBLEM, Chooses(None)).ask() is None


def test_a_good_choice_is_asked():
    good = Choice(Question(ACTION, 1), FINE)
    assert Learner(PROBLEM, Chooses(good)).choose() is good


# ---- the check that others call -----------------------------------------------------------------

@for_each('name', STRATEGIES.ours)
def test_our_own_strategies_pass_the_check(name):
    check_strategy(make_strategy(name))


def by_chance(situation, rng):
    own = np.random.default_rng()
    return choose_state(situation, own.random(situation.hypotheses.sets.num_classes), own)


@for_each(('what', 'text'), [
    (by_chance, r"the strategy 'mine' \(.*\), in a random world, after \d answers, asks something "
                'else with the same chance: '),
    (lambda situation, rng: None, r"the strategy 'mine' .* cannot be sent to another process: "),
    (fails, 'failed: ZeroDivisionError')], ids=['chance', 'not pickled', 'raises'])
def test_a_promise_that_is_broken_is_told(what, text):
    with pytest.raises(PluginError, match=text):
        check_strategy(Chooses(what))


@dataclass(frozen=True)
class Counts(QueryStrategy):
    """Remembers how often it was asked."""

    name: ClassVar[str] = 'counts'
    asked: list = field(default_factory=list)

    def choose(self, situation, rng):
        self.asked.append(1)
        return choose_state(situation, -situation.weighted_predictions, rng)


def test_a_strategy_that_changes_itself_is_told():
    with pytest.raises(PluginError, match=r"'counts' .* has changed itself or the situation"):
        check_strategy(Counts())
