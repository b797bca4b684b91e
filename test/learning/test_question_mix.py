"""Which question comes next, of the kinds that may be asked."""

from __future__ import annotations

import pytest
from cases import for_each
from small_lessons import ALL_KINDS, TASK

from gbs_irl_ros.core.answers import ActionAnswer, DontKnowAnswer
from gbs_irl_ros.core.caution import Caution
from gbs_irl_ros.core.errors import InvalidOptionError, UnknownNameError
from gbs_irl_ros.core.learner import Learner
from gbs_irl_ros.core.queries import STRATEGIES, make_strategy
from gbs_irl_ros.core.questions import MAX_STEPS, Question, QuestionKind
from gbs_irl_ros.core.stopping import NEVER, StopRule
from gbs_irl_ros.learning.question_mix import DEFAULT_STEPS, QuestionMix

ACTION, YES_NO, REWARD, DEMONSTRATION, CONFIRM, PLACE, TASKS, COMPARE = QuestionKind
SPECIALISTS = {YES_NO: 'gbs_binary', REWARD: 'gbs_reward'}


def learner_of(strategy='gbs', **options):
    return Learner(TASK, strategy, **{'stop': NEVER, **options})


def closed(learner, *kinds):
    """Return a learner whose teacher does not know any answer of these kinds."""
    for kind in kinds:
        asking = QuestionMix((kind,))
        while (question := asking.next_question(learner, 0)) is not None:
            learner = learner.tell(DontKnowAnswer(question))
    return learner


@for_each('strategy', sorted(STRATEGIES))
def test_without_kinds_the_learner_asks_as_it_would(strategy):
    learner = learner_of(strategy).tell(ActionAnswer(3, 1))
    for number in range(3):
        assert QuestionMix().next_question(learner, number, current_state=2) == learner.ask(2)


@for_each('kind', ALL_KINDS.kinds)
@for_each('strategy', sorted(STRATEGIES))
def test_whatever_the_strategy_the_kind_is_the_one_that_was_asked_for(strategy, kind):
    learner = learner_of(strategy)
    question = QuestionMix((kind,)).next_question(learner, 0, current_state=2)
    assert question.kind is kind
    question.check_fits(TASK.world.mdp)


def test_kinds_take_turns():
    learner = learner_of()
    asked = [ALL_KINDS.next_question(learner, number).kind for number in range(15)]
    assert asked == [*ALL_KINDS.kinds, *ALL_KINDS.kinds, ACTION]


def test_the_same_number_gives_the_same_question():
    learner = learner_of('random', seed=3)
    for number in range(4):
        assert len({ALL_KINDS.next_question(learner, number) for _ in range(5)}) == 1


def test_kinds_may_be_given_by_name_and_more_than_once():
    asking = QuestionMix(('action', 'action', 'reward'))
    assert asking.kinds == (ACTION, ACTION, REWARD)
    learner = learner_of()
    assert [asking.next_question(learner, number).kind for number in range(4)] == [
        ACTION, ACTION, REWARD, ACTION]


@pytest.mark.parametrize(('kind', 'strategy'), SPECIALISTS.items())
def test_some_kinds_are_chosen_by_strategies_of_their_own(kind, strategy):
    learner, specialist = (learner_of(name).tell(ActionAnswer(3, 1)) for name in ('gbs', strategy))
    assert QuestionMix((kind,)).next_question(learner, 0) == specialist.ask()
    assert QuestionMix((kind,)).next_question(specialist, 0) == specialist.ask()


@for_each('strategy', [
    *SPECIALISTS.values(), make_strategy('random', kind='reward'),
    make_strategy('random', kind='action+reward')])
def test_where_the_strategy_does_not_ask_for_actions_alone_gbs_does(strategy):
    learner, usual = (learner_of(name, seed=5) for name in (strategy, 'gbs'))
    assert QuestionMix((ACTION,)).next_question(learner, 0) == usual.ask()


def test_another_strategy_keeps_asking_for_actions_in_its_own_way():
    for seed in range(10):
        learner = learner_of('random', seed=seed)
        assert QuestionMix((ACTION,)).next_question(learner, 0) == learner.ask()


def test_a_demonstration_is_asked_for_where_an_action_would_be():
    learner = learner_of().tell(ActionAnswer(3, 1))
    question = QuestionMix((DEMONSTRATION,), steps=7).next_question(learner, 0)
    assert question == Question(DEMONSTRATION, learner.ask().state, steps=7)


def test_a_demonstration_has_three_steps_unless_told_otherwise():
    assert DEFAULT_STEPS == 3
    assert QuestionMix((DEMONSTRATION,)).next_question(learner_of(), 0).steps == 3


def test_steps_concern_demonstrations_only():
    asking = QuestionMix((ACTION, YES_NO, REWARD), steps=7)
    assert [asking.next_question(learner_of(), number).steps for number in range(3)] == [1, 1, 1]


def test_the_current_state_reaches_the_strategy():
    learner = learner_of('confidence')
    for kind in (ACTION, DEMONSTRATION):
        assert QuestionMix((kind,)).next_question(learner, 0, current_state=1).state == 1


def test_a_kind_with_nothing_to_ask_is_left_out():
    learner = closed(learner_of(), ACTION)
    asking = QuestionMix((ACTION, YES_NO, DEMONSTRATION))
    assert [asking.next_question(learner, number).kind for number in range(3)] == [YES_NO] * 3


def test_when_no_kind_has_anything_to_ask_there_is_no_question():
    learner = closed(learner_of(), ACTION, YES_NO)
    asking = QuestionMix((ACTION, YES_NO, DEMONSTRATION))
    assert [asking.next_question(learner, number) for number in range(4)] == [None] * 4
    assert QuestionMix((ACTION, REWARD)).next_question(learner, 0).kind is REWARD


def test_what_cannot_be_shown_is_not_asked_for_again():
    learner, asking = learner_of(), QuestionMix((DEMONSTRATION,))
    asked = []
    while (question := asking.next_question(learner, 0)) is not None:
        asked.append(question.state)
        learner = learner.tell(DontKnowAnswer(question))
    assert sorted(asked) == [0, 1, 2, 3, 4]


def test_a_learner_that_knows_enough_asks_nothing_of_any_kind():
    learner = learner_of(stop=StopRule(max_answers=1)).tell(ActionAnswer(3, 1))
    assert [ALL_KINDS.next_question(learner, number) for number in range(4)] == [None] * 4


def test_asking_leaves_the_learner_as_it_was():
    learner = learner_of('random')
    for number in range(4):
        ALL_KINDS.next_question(learner, number)
    assert learner.strategy.name == 'random'
    assert learner.answers == ()


@for_each('steps', [0, -1, MAX_STEPS + 1])
def test_an_impossible_number_of_steps_is_refused(steps):
    with pytest.raises(InvalidOptionError, match=rf'steps must be in 1 \.\. 1000, got {steps}'):
        QuestionMix(steps=steps)


def test_an_unknown_kind_is_refused():
    with pytest.raises(UnknownNameError, match=r"unknown question kind 'acton'.*'action'"):
        QuestionMix(('acton',))


def test_the_closing_question_comes_whatever_the_kinds():
    """Where steps would be asked for, and not as one of the kinds in turn."""
    learner = Learner(TASK, stop=StopRule(certainty=0.5), caution=Caution(closing_question=True))
    for _ in range(3):
        for state, action in ((3, 1), (4, 2), (4, 2)):
            learner = learner.tell(ActionAnswer(state, action))
    for kinds in ((), (DEMONSTRATION,), (REWARD, YES_NO)):
        assert QuestionMix(kinds).next_question(learner, 0).kind is CONFIRM
    with pytest.raises(InvalidOptionError, match='questions of kind confirm are not chosen by'):
        QuestionMix((CONFIRM,))
