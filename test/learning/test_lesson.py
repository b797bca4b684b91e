"""A lesson is the same lesson however often it is closed, killed and opened again."""

from __future__ import annotations

import dataclasses
import errno
import itertools
import os
import re
import shutil
from types import SimpleNamespace

import numpy as np
import pytest
from cases import for_each
from small_lessons import (
    ALL_KINDS,
    HAPPENINGS,
    LEFT,
    RIGHT,
    STAY,
    TASK,
    answer_to,
    corridor_task,
    corridor_world,
    do_something,
    open_lesson,
    random_lesson,
    shown,
)

from gbs_irl_ros.core.answers import (
    ActionAnswer,
    AllTheSameAnswer,
    ConfirmAnswer,
    DemonstrationAnswer,
    DontKnowAnswer,
    LaterAnswer,
    RewardAnswer,
    YesNoAnswer,
)
from gbs_irl_ros.core.caution import CAREFUL
from gbs_irl_ros.core.errors import (
    GbsIrlError,
    ImpossibleAnswerError,
    InvalidAnswerError,
    InvalidQuestionError,
)
from gbs_irl_ros.core.hypotheses import Candidates
from gbs_irl_ros.core.learner import Learner
from gbs_irl_ros.core.noise import NoiseModel
from gbs_irl_ros.core.questions import MAX_STEPS, Question, QuestionKind
from gbs_irl_ros.core.rewards import Rewards
from gbs_irl_ros.core.stopping import DEFAULT, NEVER, DoneReason, StopRule
from gbs_irl_ros.core.teacher import SimulatedTeacher
from gbs_irl_ros.core.theory.forecast import Forecast, Outlook
from gbs_irl_ros.learning import (
    journal as journal_module,
    lesson_facts,
    lesson_state as lesson_state_module,
)
from gbs_irl_ros.learning.events import (
    Asked,
    Began,
    Changed,
    Opened,
    Paused,
    Revised,
    Settled,
    Undone,
    Withdrawn,
    event_to_json,
)
from gbs_irl_ros.learning.journal import Journal, JournalError, read_journal
from gbs_irl_ros.learning.lesson import Lesson
from gbs_irl_ros.learning.lesson_facts import MAX_ACKNOWLEDGED, SEQUENCES_PER_OPENING
from gbs_irl_ros.learning.lesson_state import MAX_REMEMBERED, MAX_STEPS_TOLD
from gbs_irl_ros.learning.question_mix import QuestionMix
from gbs_irl_ros.learning.records import AnswerRecord, DemonstrationRecord, QuestionRecord, Status
from gbs_irl_ros.learning.rivals import rivals
from gbs_irl_ros.learning.sentences import answer_words, sentence
from gbs_irl_ros.tasks.task import Task


@pytest.fixture
def path(tmp_path):
    return tmp_path / 'lesson.jsonl'


@pytest.fixture
def lesson(path):
    return open_lesson(path)


def record_of(question, action=LEFT):
    return AnswerRecord(question.id, ActionAnswer(question.question.state, action), 'page', 7)


def answer(lesson, action=LEFT):
    """Answer the open question; return its id."""
    question = lesson.ask(2)
    assert lesson.take(record_of(question, action))
    return question.id


def revised(lesson, question_id, action):
    """Return another answer to a question that was answered."""
    return AnswerRecord(
        question_id, ActionAnswer(lesson.question_of(question_id).state, action))


def demonstration(number=0, *steps):
    return DemonstrationRecord(f'shown-{number}', DemonstrationAnswer(steps or ((0, LEFT),)))


def answer_until_it_knows(lesson, goal):
    """Answer as one who means this state, without errors, until there is no more question."""
    while (question := lesson.ask(2)) is not None:
        state = question.question.state
        lesson.take(record_of(question, RIGHT if state < goal else LEFT if state > goal else STAY))


def weights(lesson):
    return lesson.learner.posterior.log_weights


def events(path):
    return [entry['event'] for entry in read_journal(path)]


def report(lesson, stamp=9):
    return lesson.report(stamp, 'no certificate')


class Unchanged:
    """Asserts that nothing has happened, in the lesson and on disk."""

    def __init__(self, lesson, path):
        self._lesson, self._path = lesson, path

    def _state(self):
        lesson = self._lesson
        return (self._path.read_bytes(), lesson.learner, weights(lesson).tobytes(),
                lesson.answers, lesson.acknowledged, lesson.open_question, lesson.num_questions,
                lesson.sequence, lesson.paused, lesson.history(0))

    def __enter__(self):
        self._before = self._state()

    def __exit__(self, *error):
        assert self._state() == self._before


class TestBeginning:
    def test_a_lesson_begins_with_who_it_is_and_how_it_was_opened(self, path):
        lesson = open_lesson(path, stamp=5, settings={'strategy': 'gbs'})
        assert read_journal(path) == [
            {'event': 'began', 'session': lesson.session, 'task_hash': TASK.hash,
             'task_name': 'corridor', 'stamp': 5, 'format': 2},
            {'event': 'opened', 'stamp': 5, 'settings': {'strategy': 'gbs'}}]
        assert re.fullmatch('[0-9a-f]{12}', lesson.session)
        assert lesson.open_question is None
        assert lesson.num_questions == 0

    def test_it_keeps_its_name_and_two_lessons_have_two(self, path, tmp_path):
        first = open_lesson(path)
        first.close()
        again, other = open_lesson(path), open_lesson(tmp_path / 'other.jsonl')
        assert again.session == first.session != other.session
        assert events(path) == ['began', 'opened', 'opened']

    def test_it_starts_at_the_prior(self, path):
        task = corridor_task(prior=[1, 2, 3, 4, 5, 6])
        lesson = open_lesson(path, task)
        np.testing.assert_allclose(np.exp(weights(lesson)), np.arange(1, 7) / 21)

    def test_a_question_has_its_words_its_number_and_its_rivals(self, lesson):
        question = lesson.ask(2)
        asked = question.question
        assert question.id == f'{lesson.session}-0'
        assert (question.session, question.number) == (lesson.session, 0)
        assert question.sentence == sentence(asked, TASK.world)
        assert question.rivals == rivals(lesson.learner, asked)
        assert len(question.rivals) >= 2
        assert asked == lesson.learner.ask()

    def test_asking_again_gives_the_same_question_and_writes_nothing(self, lesson, path):
        question = lesson.ask(2)
        with Unchanged(lesson, path):
            assert lesson.ask(3) is question
            assert lesson.ask_about(question.question.state, 3) is question

    def test_the_current_state_reaches_the_learner(self, path):
        lesson = open_lesson(path, strategy='confidence')
        assert lesson.ask(2, current_state=1).question.state == 1

    def test_a_current_state_that_does_not_exist_is_refused(self, lesson, path):
        with Unchanged(lesson, path), pytest.raises(InvalidQuestionError, match='current_state'):
            lesson.ask(2, current_state=5)


class TestAnswers:
    def test_an_answer_is_bayes_rule(self, path):
        lesson = open_lesson(path, corridor_task(length=2, gamma_hat=0.8))
        question = lesson.ask_about(0, 2)
        assert lesson.take(record_of(question, RIGHT))
        # 0 (twice) stays or goes left there, 1 goes right: of two optimal actions each has half.
        np.testing.assert_allclose(np.exp(weights(lesson)), np.array([0.2, 0.8, 0.2]) / 1.2)

    def test_it_closes_the_question(self, lesson):
        first = lesson.ask(2)
        lesson.take(record_of(first))
        assert lesson.open_question is None
        second = lesson.ask(3)
        assert second.id == f'{lesson.session}-1'
        assert second.number == 1
        assert lesson.num_questions == 2
        assert lesson.answers == {first.id: ActionAnswer(first.question.state, LEFT)}

    def test_one_that_is_known_is_ignored(self, lesson, path):
        known = answer(lesson)
        lesson.ask(3)
        for again in (ActionAnswer(0, LEFT), ActionAnswer(4, RIGHT), AllTheSameAnswer(2)):
            with Unchanged(lesson, path):
                assert lesson.take(AnswerRecord(known, again)) is False

    def test_one_that_was_taken_back_is_ignored_too(self, lesson, path):
        known = answer(lesson)
        assert lesson.undo(3) == known
        with Unchanged(lesson, path):
            assert lesson.take(AnswerRecord(known, ActionAnswer(0, LEFT))) is False

    def test_one_to_a_question_that_was_never_asked_is_refused(self, lesson, path):
        lesson.ask(2)
        with Unchanged(lesson, path), pytest.raises(InvalidAnswerError, match=re.escape(
                f"no question with the id 'other-0' was asked in this lesson ({lesson.session}); "
                'the answer is not used')):
            lesson.take(AnswerRecord('other-0', ActionAnswer(0, LEFT)))

    @pytest.mark.parametrize(('unusable', 'text'), [
        (ActionAnswer(0, 3), r'action must be in 0 \.\. 2, got 3'),
        (ActionAnswer(5, 0), r'state must be in 0 \.\. 4, got 5'),
        (ActionAnswer(0, True), 'action must be a whole number, got True'),
        (DemonstrationAnswer(((0, 0), (0, 9))), r'action of step 1 must be in 0 \.\. 2, got 9'),
        (YesNoAnswer(0, 0, 'yes'), "yes must be True or False, got 'yes'"),
        (LaterAnswer(Question(QuestionKind.ACTION, 5)), r'state must be in 0 \.\. 4, got 5'),
        ('left', "answer must be one of core.answers, got 'left'")])
    def test_one_that_is_unusable_is_refused_and_changes_nothing(self, lesson, path, unusable,
                                                                 text):
        answer(lesson)
        question = lesson.ask(2)
        with Unchanged(lesson, path), pytest.raises(GbsIrlError, match=text):
            lesson.take(AnswerRecord(question.id, unusable))
        assert lesson.take(record_of(question))     # another try is welcome

    def test_one_that_is_impossible_is_refused_and_changes_nothing(self, path):
        lesson = open_lesson(path, corridor_task(gamma_hat=1.0))
        lesson.watch(demonstration(0, (3, RIGHT)))
        question = lesson.ask_about(2, 2)
        with Unchanged(lesson, path), pytest.raises(ImpossibleAnswerError, match='impossible'):
            lesson.take(record_of(question, LEFT))

    def test_an_earlier_question_may_still_be_answered(self, lesson):
        first = lesson.ask_about(0, 2)
        second = lesson.ask_about(1, 2)
        assert lesson.take(record_of(first))
        assert lesson.open_question is second
        assert lesson.take(record_of(second))

    def test_what_nobody_knows_is_not_asked_again(self, lesson):
        asked = set()
        for _ in range(5):
            question = lesson.ask(2)
            asked.add(question.question)
            lesson.take(AnswerRecord(question.id, DontKnowAnswer(question.question)))
        assert len(asked) == 5
        assert lesson.ask(2) is None

    def test_what_is_postponed_is_asked_later_with_another_id(self, lesson):
        postponed = lesson.ask(2)
        lesson.take(AnswerRecord(postponed.id, LaterAnswer(postponed.question)))
        between = []
        for action in (LEFT, RIGHT, LEFT):
            question = lesson.ask(2)
            between.append(question.question)
            lesson.take(record_of(question, action))
        assert postponed.question not in between
        again = lesson.ask_about(postponed.question.state, 3)
        assert (again.question, again.id) == (postponed.question, f'{lesson.session}-4')
        assert lesson.take(record_of(again))

    @pytest.mark.parametrize('other', [
        ActionAnswer(1, LEFT), AllTheSameAnswer(1), YesNoAnswer(2, LEFT, True),
        RewardAnswer(2, 1.0), RewardAnswer(2, 1.0, LEFT),
        DontKnowAnswer(Question(QuestionKind.ACTION, 1)),
        LaterAnswer(Question(QuestionKind.REWARD, 2)),
        DontKnowAnswer(Question(QuestionKind.DEMONSTRATION, 2))], ids=repr)
    def test_one_to_another_question_is_refused_and_changes_nothing(self, lesson, path, other):
        answer(lesson)
        question = lesson.ask_about(2, 2)
        with Unchanged(lesson, path), pytest.raises(InvalidAnswerError, match=re.escape(
                f'{other} does not answer {question.question}')):
            lesson.take(AnswerRecord(question.id, other))
        assert lesson.take(record_of(question))     # another try is welcome

    def test_what_is_unusable_is_told_before_what_does_not_fit(self, path):
        lesson = open_lesson(path, corridor_task(gamma_hat=1.0))
        lesson.watch(demonstration(0, (3, RIGHT)))
        question = lesson.ask_about(1, 2)
        for other, text in ((ActionAnswer(2, 3), 'action must be in'),
                            (ActionAnswer(2, LEFT), 'impossible'),
                            (ActionAnswer(2, RIGHT), 'does not answer')):
            with Unchanged(lesson, path), pytest.raises(GbsIrlError, match=text):
                lesson.take(AnswerRecord(question.id, other))

    def test_steps_may_be_shown_instead_of_any_other_answer(self, path):
        lesson = open_lesson(path, asking=ALL_KINDS)
        for kind in ALL_KINDS.kinds:
            question = lesson.ask(2)
            assert question.question.kind is kind
            assert lesson.take(AnswerRecord(question.id, demonstration().answer))
            assert lesson.open_question is None

    def test_where_steps_are_asked_for_all_may_be_the_same(self, path):
        lesson = open_lesson(path, asking=QuestionMix(('demonstration',)))
        question = lesson.ask(2)
        assert lesson.take(AnswerRecord(question.id, AllTheSameAnswer(question.question.state)))

    def test_no_answer_changes_no_belief_but_counts_as_known(self, lesson):
        before = weights(lesson).copy()
        question = lesson.ask(2)
        lesson.take(AnswerRecord(question.id, LaterAnswer(question.question)))
        np.testing.assert_allclose(weights(lesson), before, atol=1e-12)
        assert lesson.acknowledged == (question.id,)

    def test_an_id_leads_to_its_question(self, lesson):
        question = lesson.ask(2)
        answer(lesson)
        assert lesson.question_of(question.id) == question.question


class TestDemonstrations:
    def test_one_counts_as_much_as_answers_to_the_same_effect(self, lesson, tmp_path):
        other = open_lesson(tmp_path / 'other.jsonl')
        assert lesson.watch(demonstration(0, (2, LEFT), (1, LEFT)))
        for state in (2, 1):
            other.take(record_of(other.ask_about(state, 2)))
        np.testing.assert_allclose(weights(lesson), weights(other), atol=1e-12)

    def test_one_that_is_known_is_ignored(self, lesson, path):
        lesson.watch(demonstration())
        with Unchanged(lesson, path):
            assert lesson.watch(demonstration(0, (4, RIGHT))) is False

    def test_one_leaves_the_question_open(self, lesson):
        question = lesson.ask(2)
        lesson.watch(demonstration())
        assert lesson.open_question is question

    def test_one_that_ends_the_lesson_closes_the_question(self, path):
        lesson = open_lesson(path, stop=StopRule(max_answers=1))
        lesson.ask(2)
        lesson.watch(demonstration())
        assert lesson.open_question is None

    def test_one_with_the_id_of_a_question_is_refused(self, lesson, path):
        question = lesson.ask(2)
        wrong = DemonstrationRecord(question.id, DemonstrationAnswer(((0, LEFT),)))
        with Unchanged(lesson, path), pytest.raises(InvalidAnswerError, match=re.escape(
                f"must have an id of its own, got that of question '{question.id}'")):
            lesson.watch(wrong)

    def test_one_that_is_unusable_is_refused_and_changes_nothing(self, lesson, path):
        with Unchanged(lesson, path), pytest.raises(InvalidAnswerError, match='step 1 must be in'):
            lesson.watch(demonstration(0, (0, LEFT), (9, LEFT)))


class TestUndo:
    def test_it_takes_back_the_last_thing_bit_for_bit(self, lesson):
        states = [weights(lesson)]
        ids = []
        for number in range(4):
            ids.append(answer(lesson))
            states.append(weights(lesson))
            lesson.watch(demonstration(number))
            ids.append(f'shown-{number}')
            states.append(weights(lesson))
        for known in reversed(ids):
            states.pop()
            assert lesson.undo(3) == known
            assert np.array_equal(weights(lesson), states[-1])
        assert lesson.answers == {}

    def test_there_is_nothing_to_take_back_at_first(self, lesson, path):
        with Unchanged(lesson, path), pytest.raises(InvalidAnswerError, match='no answer to take'):
            lesson.undo(3)

    def test_the_same_is_asked_again_with_another_id(self, lesson):
        first = lesson.ask(2)
        lesson.take(record_of(first))
        lesson.ask(2)
        lesson.undo(3)
        assert lesson.open_question is None
        again = lesson.ask(4)
        assert again.question == first.question
        assert again.id == f'{lesson.session}-2'

    def test_after_it_a_lesson_opened_again_asks_what_this_one_would(self, lesson, tmp_path):
        answer(lesson)
        lesson.ask(2)
        lesson.undo(3)
        reopened = open_lesson(shutil.copy(lesson.path, tmp_path / 'copy.jsonl'))
        assert lesson.open_question is reopened.open_question is None
        again, live = reopened.ask(4), lesson.ask(4)
        assert (again.question, again.id) == (live.question, live.id)


class TestRevise:
    @pytest.mark.parametrize('index', [0, 2, 4])
    def test_it_is_what_would_have_been(self, lesson, index):
        ids = [answer(lesson) for _ in range(4)]
        lesson.watch(demonstration())
        ids.append('shown-0')
        told = list(lesson.answers.values())
        told[index] = YesNoAnswer(3, STAY, True) if ids[index] == 'shown-0' \
            else ActionAnswer(told[index].state, STAY)
        lesson.revise(AnswerRecord(ids[index], told[index]))
        assert list(lesson.answers.items()) == list(zip(ids, told, strict=True))
        expected = Learner(TASK, stop=NEVER).replay(told)
        assert np.array_equal(weights(lesson), expected.posterior.log_weights)

    def test_the_question_stays_open(self, lesson):
        known = answer(lesson)
        question = lesson.ask(2)
        lesson.revise(revised(lesson, known, RIGHT))
        assert lesson.open_question is question

    def test_the_question_is_closed_where_the_learner_knows_enough_then(self, path):
        lesson = open_lesson(path, corridor_task(gamma_hat=1.0), stop=DEFAULT)
        lesson.watch(demonstration(0, (2, RIGHT)))
        assert lesson.ask(2) is not None
        lesson.revise(AnswerRecord('shown-0', DemonstrationAnswer(((3, RIGHT),))))
        assert lesson.open_question is None

    def test_only_what_counts_can_be_replaced(self, lesson, path):
        known = [answer(lesson) for _ in range(5)]
        lesson.undo(3)
        for wrong in (known[-1], 'other-0'):
            with Unchanged(lesson, path), pytest.raises(InvalidAnswerError, match=re.escape(
                    f'no answer with the id {wrong!r} counts in this lesson, so none can be '
                    f'replaced; the last ids are {known[1:4]}')):
                lesson.revise(AnswerRecord(wrong, ActionAnswer(0, LEFT)))

    def test_an_unusable_answer_changes_nothing(self, lesson, path):
        known = answer(lesson)
        with Unchanged(lesson, path), pytest.raises(InvalidAnswerError, match='action must be in'):
            lesson.revise(AnswerRecord(known, ActionAnswer(0, 3)))

    def test_an_answer_to_another_question_changes_nothing(self, lesson, path):
        known, asked = answer(lesson), lesson.question_of(f'{lesson.session}-0')
        lesson.ask(3)
        for other in (ActionAnswer((asked.state + 1) % 5, LEFT), RewardAnswer(asked.state, 1.0),
                      LaterAnswer(Question(QuestionKind.YES_NO, asked.state, LEFT))):
            with Unchanged(lesson, path), pytest.raises(InvalidAnswerError, match=re.escape(
                    f'{other} does not answer {asked}')):
                lesson.revise(AnswerRecord(known, other))
        for fitting in (AllTheSameAnswer(asked.state), demonstration().answer,
                        DontKnowAnswer(asked)):
            lesson.revise(AnswerRecord(known, fitting))
            assert lesson.answers == {known: fitting}

    def test_what_was_shown_unasked_may_become_any_answer(self, lesson):
        lesson.watch(demonstration())
        for other in (RewardAnswer(1, 0.5), AllTheSameAnswer(4), YesNoAnswer(3, STAY, False)):
            lesson.revise(AnswerRecord('shown-0', other))
            assert lesson.answers == {'shown-0': other}

    def test_an_id_of_what_was_shown_unasked_leads_to_what_it_would_have_answered(self, lesson):
        lesson.watch(demonstration(0, (3, LEFT), (2, LEFT)))
        expected = Question(QuestionKind.DEMONSTRATION, 3, steps=2)
        assert lesson.question_of('shown-0') == expected
        lesson.revise(AnswerRecord('shown-0', DemonstrationAnswer(((1, STAY),))))
        assert lesson.question_of('shown-0') == expected
        lesson.undo(3)
        assert lesson.question_of('shown-0') == expected    # as with a question that was asked

    def test_what_was_shown_unasked_can_be_taken_back_in_the_middle_and_shown_again(
            self, lesson, path):
        first = answer(lesson)
        lesson.watch(demonstration(0, (3, RIGHT), (4, STAY)))
        last = answer(lesson, RIGHT)
        shown_first = lesson.answers
        before = weights(lesson)
        nothing = DontKnowAnswer(lesson.question_of('shown-0'))
        lesson.revise(AnswerRecord('shown-0', nothing))
        assert list(lesson.answers) == [first, 'shown-0', last]
        others = [shown_first[first], shown_first[last]]
        np.testing.assert_allclose(
            weights(lesson), Learner(TASK).replay(others).posterior.log_weights, atol=1e-12)
        lesson.revise(AnswerRecord('shown-0', shown_first['shown-0']))
        assert lesson.answers == shown_first
        assert np.array_equal(weights(lesson), before)
        lesson.close()
        again = open_lesson(path)
        assert np.array_equal(weights(again), before)
        again.revise(AnswerRecord('shown-0', DontKnowAnswer(again.question_of('shown-0'))))
        assert again.answers['shown-0'] == nothing

    def test_an_answer_by_the_id_of_what_was_shown_unasked_is_known_already(self, lesson, path):
        lesson.watch(demonstration())
        with Unchanged(lesson, path):
            assert lesson.take(AnswerRecord('shown-0', ActionAnswer(0, RIGHT))) is False

    def test_what_is_revised_is_undone_by_its_own_id(self, lesson):
        known = answer(lesson)
        before = Learner(TASK).posterior.log_weights
        lesson.revise(revised(lesson, known, RIGHT))
        assert lesson.undo(3) == known
        assert np.array_equal(weights(lesson), before)


class TestAskAbout:
    @for_each('kind, withdrawn', [
        (QuestionKind.ACTION, True), (QuestionKind.YES_NO, True), (QuestionKind.REWARD, False)])
    def test_steps_through_the_place_that_is_asked_about_answer_it(
            self, tmp_path, kind, withdrawn):
        lesson = open_lesson(tmp_path / 'lesson.jsonl', asking=QuestionMix((kind,)))
        question = lesson.ask(2)
        state = question.question.state
        lesson.watch(demonstration(0, ((state + 1) % 5, LEFT)))
        assert lesson.open_question is question
        lesson.watch(demonstration(1, ((state + 1) % 5, LEFT), (state, LEFT)))
        assert (lesson.open_question is None) == withdrawn

    @for_each('given', [DontKnowAnswer(Question(QuestionKind.ACTION, 2)), AllTheSameAnswer(2),
                        ActionAnswer(2, LEFT)])
    def test_what_was_answered_there_is_not_asked_again_but_something_that_helps(
            self, tmp_path, given):
        """A robot that is still not sure where it stands asks every other second."""
        lesson = open_lesson(tmp_path / 'lesson.jsonl', strategy='information_gain',
                             caution=dataclasses.replace(CAREFUL, none_of_these=0.0))
        first = lesson.ask_about(2, 3)
        assert lesson.take(AnswerRecord(first.id, given))
        another = lesson.ask_about(2, 4)
        assert another.question != first.question
        assert lesson.ask_about(2, 5) is another

    def test_where_no_other_question_is_left_it_says_so(self, lesson, path):
        for _ in range(5):
            question = lesson.ask(2)
            lesson.take(AnswerRecord(question.id, DontKnowAnswer(question.question)))
        with Unchanged(lesson, path), pytest.raises(InvalidQuestionError, match=re.escape(
                'you have answered what to do at cell 2, and no other question would tell more '
                'about the way from there')):
            lesson.ask_about(2, 3)

    def test_the_question_is_about_that_state_and_replaces_the_other(self, lesson):
        other = lesson.ask(2)
        question = lesson.ask_about(4, 3)
        assert question.question == Question(QuestionKind.ACTION, 4)
        assert question.id != other.id
        assert lesson.open_question is question
        assert lesson.ask(4) is question

    @for_each('then', ['nothing', 'start', 'answer', 'elsewhere', 'ordinary'])
    def test_good_enough_said_instead_of_an_answer_is_not_asked_again_at_once(
            self, tmp_path, then):
        """A robot that waits there would otherwise ask every other second."""
        lesson = open_lesson(tmp_path / 'lesson.jsonl')
        lesson.ask_about(4, 3)
        if then == 'ordinary':      # the lesson ends at another question
            lesson.withdraw(lesson.open_question.id)
            lesson.ask(4)
        lesson.finish(5)
        assert lesson.open_question is None
        if then == 'start':
            lesson.pause(False, 6)
        elif then == 'answer':
            lesson.watch(demonstration())
        elif then == 'elsewhere':
            lesson.ask_about(3, 6)
            lesson.finish(7)
        if then != 'nothing':
            assert lesson.ask_about(4, 8).question == Question(QuestionKind.ACTION, 4)
            return
        for _ in range(2):
            with pytest.raises(InvalidQuestionError, match=re.escape(
                    'instead of saying what to do at the end, you have said that this is good '
                    'enough: say it, or have more questions asked')):
                lesson.ask_about(4, 6)
            assert lesson.ask(7) is None

    def test_a_state_that_does_not_exist_is_refused(self, lesson, path):
        lesson.ask(2)
        for state, text in ((5, r'state must be in 0 \.\. 4, got 5'), (True, 'a whole number')):
            with Unchanged(lesson, path), pytest.raises(InvalidQuestionError, match=text):
                lesson.ask_about(state, 3)

    def test_a_lesson_that_is_over_can_still_ask_and_learn(self, path):
        lesson = open_lesson(path, stop=StopRule(max_answers=1))
        answer(lesson)
        assert lesson.ask(2) is None
        before = weights(lesson)
        assert lesson.take(record_of(lesson.ask_about(4, 3), RIGHT))
        assert not np.array_equal(weights(lesson), before)
        assert lesson.ask(4) is None

    def test_its_question_stays_open_when_a_lesson_that_is_over_is_opened_again(self, path):
        lesson = open_lesson(path, stop=StopRule(max_answers=1))
        answer(lesson)
        assert lesson.ask(2) is None
        question = lesson.ask_about(4, 3)
        lesson.close()
        again = open_lesson(path, stop=StopRule(max_answers=1))
        assert again.open_question is not None
        assert again.open_question.id == question.id
        assert again.ask(4) is again.open_question
        assert again.take(record_of(question, RIGHT))
        assert again.ask(5) is None

    def test_while_its_question_is_open_nothing_is_final(self, path):
        lesson = open_lesson(path, stop=StopRule(max_answers=1))
        answer(lesson)
        assert lesson.ask(2) is None
        assert report(lesson)[0].final
        question = lesson.ask_about(4, 3)
        for _ in range(2):
            policy, belief = report(lesson)
            assert not policy.final
            assert belief.status is lesson.status is Status.ASKING
            assert belief.status_text == question.sentence == 'What should I do at the end?'
            assert belief.question_id == question.id
            lesson.close()
            lesson = open_lesson(path, stop=StopRule(max_answers=1))
        assert lesson.take(record_of(question, RIGHT))
        assert lesson.ask(4) is None
        assert report(lesson)[0].final

    def test_its_question_goes_when_something_else_is_learned_in_a_lesson_that_is_over(
            self, path):
        lesson = open_lesson(path, stop=StopRule(max_answers=1))
        answer(lesson)
        lesson.ask_about(4, 3)
        lesson.watch(demonstration())
        assert lesson.open_question is None
        lesson.close()
        assert open_lesson(path, stop=StopRule(max_answers=1)).open_question is None


class TestOpeningAgain:
    def assert_the_same(self, one, other):
        assert np.array_equal(weights(one), weights(other))
        assert one.learner.answers == other.learner.answers
        assert list(one.answers.items()) == list(other.answers.items())
        assert one.acknowledged == other.acknowledged
        assert one.session == other.session
        assert one.num_questions == other.num_questions
        assert one.learner.most_probable_reward == other.learner.most_probable_reward
        assert one.paused == other.paused
        histories = [lesson.history(9) for lesson in (one, other)]
        assert histories[0].entries == histories[1].entries
        assert histories[0].total == histories[1].total == len(one.answers)
        open_ones = [lesson.open_question for lesson in (one, other)]
        for field in ('id', 'session', 'number', 'question', 'sentence'):
            assert len({getattr(question, field, None) for question in open_ones}) == 1

    @pytest.mark.slow
    @for_each('seed', range(4))
    def test_at_any_moment_it_is_the_same_bit_for_bit(self, path, tmp_path, seed):
        """The lesson itself goes on unharmed; a copy of its journal is opened at every point."""
        rng = np.random.default_rng([5, seed])
        options = {'strategy': ['gbs', 'random'][seed % 2],
                   'stop': [NEVER, StopRule(max_answers=8)][seed // 2]}
        live = random_lesson(path, 0, **options)
        happened, opened = [], []
        silent = 0
        for number in range(120):
            happened.append(do_something(live, rng, number))
            copy = tmp_path / f'copy-{number}.jsonl'
            shutil.copy(path, copy)
            again = open_lesson(copy, asking=ALL_KINDS, **options)
            self.assert_the_same(live, again)
            assert again.sequence > live.sequence
            opened.append(live.open_question is not None)
            if live.open_question is not None:
                assert again.ask(number) is again.open_question
                assert (again.status, again.status_text) == (live.status, live.status_text)
            elif live.status is not Status.ASKING:      # it has looked, and found it enough
                assert again.ask(number) is None
                assert (again.status, again.status_text) == (live.status, live.status_text)
            silent += live.paused or live._past.settled
            for one, other in zip(report(live), report(again), strict=True):
                assert (one.session, one.task_hash) == (other.session, other.task_hash)
            again.close()
        assert set(happened) >= set(HAPPENINGS)
        assert ('nothing' in happened) == (options['stop'] is not NEVER)
        assert 5 < sum(opened) < 110
        assert 4 < silent < 60      # tried, and not all the time
        assert live.num_questions > 10

    def test_a_question_that_was_closed_because_enough_was_known_stays_closed(self, path):
        """Even where something else that was said has made the learner doubt again."""
        lesson = open_lesson(path, stop=StopRule(0.9))
        lesson.ask(2)
        lesson.watch(demonstration(0, (0, RIGHT), (1, RIGHT), (2, RIGHT), (3, STAY)))
        assert lesson.open_question is None
        assert lesson.learner.stop_reason is not None
        lesson.watch(demonstration(1, (3, LEFT), (2, LEFT)))
        assert lesson.open_question is None
        assert lesson.learner.stop_reason is None
        lesson.close()
        assert open_lesson(path, stop=StopRule(0.9)).open_question is None

    @pytest.mark.slow
    @for_each('seed', range(4))
    def test_a_lesson_in_pieces_is_one_that_was_never_interrupted(self, tmp_path, seed):
        """The same happens in two lessons; one of them is closed and opened again all the time."""
        streams = [np.random.default_rng([6, seed]) for _ in range(2)]
        paths = [tmp_path / name for name in ('whole.jsonl', 'pieces.jsonl')]
        for path in paths:
            random_lesson(path, 0).close()
        whole, pieces = (open_lesson(path, asking=ALL_KINDS) for path in paths)
        for number in range(30):
            did = [do_something(lesson, rng, number)
                   for lesson, rng in zip((whole, pieces), streams, strict=True)]
            assert did[0] == did[1]
            if did[0] in ('ask', 'answer', 'ask_about', 'pause'):   # it has looked just now
                assert (whole.status, whole.status_text) == (pieces.status, pieces.status_text)
            pieces.close()
            pieces = open_lesson(paths[1], asking=ALL_KINDS)
            self.assert_the_same(whole, pieces)
        without = [[entry for entry in read_journal(path) if entry['event'] != 'opened']
                   for path in paths]
        assert without[0] == without[1]

    def test_a_journal_that_was_cut_anywhere_is_a_lesson(self, path, tmp_path):
        """Every beginning of a lesson is a lesson: so a kill at any moment leaves one."""
        random_lesson(path, 25, seed=8).close()
        lines = path.read_bytes().splitlines(keepends=True)
        assert len(lines) > 20
        for count in range(len(lines) + 1):
            copy = tmp_path / f'{count}.jsonl'
            copy.write_bytes(b''.join(lines[:count]) + b'{"sum":"0')
            lesson = open_lesson(copy, asking=ALL_KINDS)
            report(lesson)
            if lesson.ask(2) is not None:
                answer_is = answer_to(lesson.open_question.question, np.random.default_rng(count))
                assert lesson.take(AnswerRecord(lesson.open_question.id, answer_is))
            lesson.close()

    def test_an_answered_question_is_not_opened_again(self, path):
        lesson = open_lesson(path)
        answer(lesson)
        lesson.close()
        assert open_lesson(path).open_question is None

    def test_the_answer_to_the_open_question_may_come_after_opening_again(self, path):
        lesson = open_lesson(path)
        question = lesson.ask(2)
        lesson.close()
        again = open_lesson(path)
        assert again.take(record_of(question))
        assert again.open_question is None
        assert again.take(record_of(question)) is False

    def test_a_question_is_not_opened_again_where_the_lesson_is_over(self, path):
        lesson = open_lesson(path)
        lesson.ask(2)
        lesson.watch(demonstration())
        lesson.close()
        again = open_lesson(path, stop=StopRule(max_answers=1))
        assert again.open_question is None
        assert again.ask(3) is None

    def test_other_settings_give_another_posterior_from_the_same_answers(self, path):
        lesson = open_lesson(path)
        answer(lesson)
        told = tuple(lesson.answers.values())
        lesson.close()
        sure = NoiseModel(0.99)
        again = open_lesson(path, noise=sure)
        assert np.array_equal(
            weights(again), Learner(TASK, noise=sure).replay(told).posterior.log_weights)

    def test_settings_under_which_the_answers_are_impossible_are_refused_with_the_file(self, path):
        lesson = open_lesson(path)
        for action in (LEFT, RIGHT):
            lesson.watch(demonstration(action, (2, action)))
        lesson.close()
        before = path.read_bytes()
        with pytest.raises(JournalError, match=(
                rf'{re.escape(str(path))}: its answers do not fit the settings of the learner: '
                '.*impossible')):
            open_lesson(path, noise=NoiseModel(1.0))
        assert path.read_bytes() == before
        open_lesson(path).close()               # and nobody keeps it locked


class TestJournalsThatDoNotFit:
    def journal_of(self, path, *entries):
        with Journal(path) as journal:
            for entry in entries:
                journal.append(entry)

    def test_another_task_s_journal_is_refused_and_left_alone(self, path):
        other = corridor_task(length=6, name='another corridor')
        open_lesson(path, other).close()
        before = path.read_bytes()
        with pytest.raises(JournalError, match=re.escape(
                f"{path}:1: this lesson is about task 'another corridor' ({other.hash[:12]}), "
                f"not about 'corridor' ({TASK.hash[:12]})")):
            open_lesson(path)
        assert path.read_bytes() == before
        open_lesson(path, other).close()        # and nobody keeps it locked

    def test_a_journal_of_another_format_is_refused(self, path):
        began = Began('s', TASK.hash, 'corridor', 1, format=3)
        self.journal_of(path, event_to_json(began))
        with pytest.raises(JournalError, match=re.escape(
                f'{path}:1: the format of this journal is 3; expected one of [1, 2]')):
            open_lesson(path)

    def test_a_format_with_more_in_it_is_refused_as_one(self, path):
        began = event_to_json(Began('s', TASK.hash, 'corridor', 1, format=3))
        self.journal_of(path, {**began, 'language': 'en'})
        with pytest.raises(JournalError, match=re.escape(
                f'{path}:1: the format of this journal is 3; expected one of [1, 2]')):
            open_lesson(path)

    def test_a_lesson_begins_only_once(self, path):
        began = event_to_json(Began('s', TASK.hash, 'corridor', 1))
        self.journal_of(path, began, event_to_json(Opened(1, {})), began)
        with pytest.raises(JournalError, match=re.escape(
                f'{path}:3: a lesson begins only once')):
            open_lesson(path)

    def test_something_else_with_checksums_is_refused_with_its_line(self, path):
        began = event_to_json(Began('s', TASK.hash, 'corridor', 1))
        self.journal_of(path, began, {'event': 'forgotten'})
        with pytest.raises(JournalError, match=rf"{re.escape(str(path))}:2: event must be one of "
                                               r".*, got 'forgotten'"):
            open_lesson(path)

    def test_taking_back_what_was_never_said_is_refused_with_its_line(self, path):
        began = event_to_json(Began('s', TASK.hash, 'corridor', 1))
        self.journal_of(path, began, event_to_json(Undone('s-0', 1)))
        with pytest.raises(JournalError, match=re.escape(
                f"{path}:2: 's-0' is not the last answer, so it cannot have been taken back")):
            open_lesson(path)

    def test_taking_back_twice_is_refused_with_its_line(self, path):
        began = event_to_json(Began('s', TASK.hash, 'corridor', 1))
        self.journal_of(path, began, event_to_json(demonstration()),
                        *[event_to_json(Undone('shown-0', 1))] * 2)
        with pytest.raises(JournalError, match=re.escape(
                f"{path}:4: 'shown-0' is not the last answer, so it cannot have been taken "
                'back')):
            open_lesson(path)

    def test_an_answer_that_is_unusable_is_refused_with_the_file(self, path):
        began = event_to_json(Began('s', TASK.hash, 'corridor', 1))
        asked = event_to_json(Asked('s-0', 0, Question(QuestionKind.ACTION, 0), 1))
        self.journal_of(path, began, asked, {
            'event': 'answered', 'id': 's-0', 'by': '', 'stamp': 1,
            'answer': {'kind': 'action', 'state': 0, 'action': 3}})
        with pytest.raises(JournalError, match=re.escape(
                f'{path}: its answers do not fit the settings of the learner: action must be in')):
            open_lesson(path)

    @for_each('entry', [
        Opened(1, {}), Changed(1, {}), Asked('s-0', 0, Question(QuestionKind.ACTION, 0), 1),
        AnswerRecord('s-0', ActionAnswer(0, LEFT)), demonstration(),
        Undone('s-0', 1), Revised('s-0', ActionAnswer(0, LEFT)), Withdrawn('s-0'),
        Paused(True, 1), Settled(True, 1)],
        ids=lambda entry: type(entry).__name__)
    def test_a_journal_that_does_not_say_whose_it_is_is_refused(self, path, entry):
        """The first entry says the task: without it, another task's lesson would be believed."""
        self.journal_of(path, event_to_json(entry),
                        event_to_json(Began('s', TASK.hash, 'corridor', 1)))
        before = path.read_bytes()
        with pytest.raises(JournalError, match=re.escape(
                f'{path}:1: the journal does not say how the lesson began')):
            open_lesson(path)
        assert path.read_bytes() == before


class TestWhenTheDiskFails:
    """Checked first, then written, then believed: what is not written is not believed."""

    ACTS = (
        ('take', lambda lesson: lesson.take(record_of(lesson.open_question))),
        ('watch', lambda lesson: lesson.watch(demonstration(9))),
        ('undo', lambda lesson: lesson.undo(3)),
        ('revise', lambda lesson: lesson.revise(
            revised(lesson, next(iter(lesson.answers)), RIGHT))),
        ('ask_about', lambda lesson: lesson.ask_about(4, 3)),
        ('pause', lambda lesson: lesson.pause(True, 3)),
        ('finish', lambda lesson: lesson.finish(3)),
        ('use', lambda lesson: lesson.use(Learner(TASK, seed=3), ALL_KINDS, 3)))

    @pytest.mark.parametrize(('name', 'act'), ACTS, ids=[name for name, _ in ACTS])
    def test_nothing_is_believed_that_could_not_be_written(self, lesson, path, monkeypatch, name,
                                                           act):
        answer(lesson)
        lesson.ask_about(2, 2)

        def full(file, line):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        asking = lesson.asking
        monkeypatch.setattr(journal_module, 'os', SimpleNamespace(**{**vars(os), 'write': full}))
        with Unchanged(lesson, path), pytest.raises(JournalError, match='cannot be written'):
            act(lesson)
        monkeypatch.undo()
        with Unchanged(lesson, path), pytest.raises(JournalError, match='cannot be written'):
            act(lesson)         # the disk has room again: too late
        assert lesson.asking is asking
        _, belief = report(lesson)
        assert belief.status is lesson.status is Status.FAILED
        assert belief.status_text == lesson.status_text
        assert re.search('lesson.jsonl: the journal cannot be written: No space left',
                         belief.status_text)

    def test_no_question_is_open_that_could_not_be_written(self, lesson, path, monkeypatch):
        def full(file, line):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        monkeypatch.setattr(journal_module, 'os', SimpleNamespace(**{**vars(os), 'write': full}))
        with Unchanged(lesson, path), pytest.raises(JournalError, match='cannot be written'):
            lesson.ask(2)

    def test_answers_are_waited_for_and_questions_are_not(self, lesson, monkeypatch):
        synced = []
        monkeypatch.setattr(journal_module, 'os', SimpleNamespace(
            **{**vars(os), 'fsync': synced.append}))
        for act, count in (
                (lambda: lesson.ask(2), 0), (lambda: lesson.ask_about(3, 2), 0),
                (lambda: answer(lesson), 1), (lambda: lesson.watch(demonstration()), 1),
                (lambda: lesson.revise(AnswerRecord('shown-0', ActionAnswer(0, LEFT))), 1),
                (lambda: lesson.undo(3), 1),
                (lambda: lesson.use(Learner(TASK), QuestionMix(), 3), 1),
                (lambda: lesson.pause(True, 3), 1), (lambda: lesson.pause(True, 3), 0),
                (lambda: lesson.pause(False, 3), 1), (lambda: lesson.ask(3), 0),
                (lambda: lesson.finish(3), 1), (lambda: lesson.finish(3), 0)):
            synced.clear()
            act()
            assert len(synced) == count


class TestReports:
    def test_they_say_what_is_believed(self, lesson):
        answer(lesson)
        question = lesson.ask(2)
        policy, belief = report(lesson)
        learner = lesson.learner
        assert policy.policy is learner.policy
        assert (policy.task_hash, policy.session, policy.stamp) == (TASK.hash, lesson.session, 9)
        assert (belief.task_hash, belief.session, belief.stamp) == (TASK.hash, lesson.session, 9)
        assert (belief.status, belief.status_text) == (Status.ASKING, question.sentence)
        np.testing.assert_array_equal(belief.probabilities, learner.posterior.probabilities)
        assert belief.map_hypothesis == learner.most_probable_reward
        assert belief.map_probability == pytest.approx(learner.certainty)
        assert belief.entropy == pytest.approx(learner.entropy)
        assert belief.answers == 1
        assert belief.question_id == question.id
        assert belief.acknowledged == lesson.acknowledged == (f'{lesson.session}-0',)
        assert belief.certificate == 'no certificate'

    def test_policy_and_belief_have_the_same_number(self, lesson):
        policy, belief = report(lesson)
        assert policy.sequence == belief.sequence == lesson.sequence

    def test_numbers_rise_with_reports_and_openings(self, path):
        numbers = []
        for opening in range(4):
            lesson = open_lesson(path)
            for _ in range(opening):
                numbers.append(report(lesson)[0].sequence)
            lesson.use(Learner(TASK), QuestionMix(), 3)
            numbers += [report(lesson)[1].sequence for _ in range(2)]
            answer(lesson)
            lesson.undo(3)
            numbers.append(report(lesson)[1].sequence)
            lesson.close()
        assert all(earlier < later for earlier, later in itertools.pairwise(numbers))
        assert numbers[0] == SEQUENCES_PER_OPENING + 1
        assert numbers[-1] == 4 * SEQUENCES_PER_OPENING + 6
        assert max(numbers) < 2**63

    def test_numbers_rise_after_a_kill_that_lost_the_last_opening(self, path):
        """Openings are durable, so a number that was seen is never given twice."""
        lesson = open_lesson(path)
        lesson.ask(2)
        seen = report(lesson)[0].sequence
        content = path.read_bytes()
        lesson.close()
        path.write_bytes(content[:content.rindex(b'{"sum":"') + 20])
        assert open_lesson(path).sequence > seen

    def test_reporting_writes_nothing(self, lesson, path):
        before = path.read_bytes()
        report(lesson)
        assert path.read_bytes() == before

    def test_what_was_taken_back_is_acknowledged_all_the_same(self, lesson):
        first = answer(lesson)
        lesson.watch(demonstration())
        lesson.undo(3)
        second = answer(lesson)
        lesson.undo(3)
        assert report(lesson)[1].acknowledged == (first, 'shown-0', second)
        assert report(lesson)[1].answers == 1

    def test_only_the_last_ids_are_acknowledged(self, path, monkeypatch):
        assert MAX_ACKNOWLEDGED == 1000
        monkeypatch.setattr(lesson_facts, 'MAX_ACKNOWLEDGED', 10)
        lesson = open_lesson(path)
        for number in range(25):
            lesson.watch(demonstration(number))
        expected = tuple(f'shown-{number}' for number in range(15, 25))
        assert report(lesson)[1].acknowledged == expected
        lesson.close()
        again = open_lesson(path)
        assert again.acknowledged == expected
        assert again.watch(demonstration(3)) is False       # known, if not mentioned any more

    def test_as_many_as_a_thousand_are(self, path):
        entries = [{'event': 'demonstrated', 'id': f'shown-{number}', 'by': '', 'stamp': 1,
                    'correction': False, 'answer': {'kind': 'demonstration', 'steps': [[0, 0]]}}
                   for number in range(1005)]
        with Journal(path) as journal:
            journal.append(event_to_json(Began('s', TASK.hash, 'corridor', 1)))
            for entry in entries:
                journal.append(entry, durable=False)
        acknowledged = report(open_lesson(path))[1].acknowledged
        assert len(acknowledged) == 1000
        assert acknowledged[::999] == ('shown-5', 'shown-1004')

    @for_each('seed', range(3))
    def test_one_can_be_made_at_every_moment(self, path, seed):
        """Whatever happens, and however sure the learner is."""
        rng = np.random.default_rng([7, seed])
        stop = [NEVER, DEFAULT, StopRule(0.9, max_answers=12)][seed]
        lesson = open_lesson(path, asking=ALL_KINDS, stop=stop)
        for number in range(60):
            do_something(lesson, rng, number)
            policy, belief = report(lesson)
            assert policy.policy.num_states == 5
            assert 0.0 <= belief.map_probability <= 1.0
            assert belief.question_id == (
                lesson.open_question.id if lesson.open_question else '')
            assert belief.forecast is None or belief.forecast.fewest >= 0

    def test_one_can_be_made_when_nothing_else_is_possible_any_more(self, path):
        lesson = open_lesson(path, corridor_task(gamma_hat=1.0))
        lesson.watch(demonstration(0, (3, RIGHT), (4, STAY)))
        _, belief = report(lesson)
        assert belief.map_probability == 1.0
        assert belief.entropy == 0.0

    def test_one_can_be_made_where_rounding_exceeds_what_can_be(self, tmp_path):
        """Many equal shares, all for the same policy, may sum to a little more than 1."""
        world, exceeded = corridor_world(), 0
        for count in range(2, 21):
            dense = np.zeros((count + 1, 5))
            dense[:-1, 0] = range(1, count + 1)
            dense[-1, 4] = 1.0
            task = Task(world, Candidates.of(world.mdp, Rewards.from_dense(dense, 3)),
                        NoiseModel(1.0))
            lesson = open_lesson(tmp_path / f'{count}.jsonl', task)
            lesson.watch(demonstration(0, (2, LEFT)))
            exceeded += lesson.learner.certainty > 1.0 and lesson.learner.entropy < 0.0
            _, belief = report(lesson)
            assert belief.map_probability <= 1.0
            assert belief.map_probability == pytest.approx(1.0)
            assert belief.entropy == pytest.approx(0.0, abs=1e-9)
            lesson.close()
        assert exceeded > 0


class TestTheEnd:
    def test_a_policy_is_final_when_there_is_no_more_question(self, path):
        lesson = open_lesson(path, stop=DEFAULT)
        answer_until_it_knows(lesson, goal=3)
        policy, belief = report(lesson)
        assert policy.final
        assert belief.forecast == Forecast(0, 0, 0)
        assert belief.question_id == ''
        assert TASK.hypotheses.name(belief.map_hypothesis) == 'go to 3'
        assert belief.map_probability >= 0.95

    def test_before_it_is_not(self, path):
        lesson = open_lesson(path, stop=DEFAULT)
        assert not report(lesson)[0].final
        lesson.ask(2)
        assert not report(lesson)[0].final

    @for_each('act', [
        lambda lesson: lesson.undo(3), lambda lesson: lesson.watch(demonstration(9, (0, LEFT))),
        lambda lesson: lesson.revise(revised(lesson, next(iter(lesson.answers)), LEFT)),
        lambda lesson: lesson.use(Learner(TASK, stop=NEVER), QuestionMix(), 3)],
        ids=['undo', 'watch', 'revise', 'use'])
    def test_whatever_happens_after_it_is_not_final_before_the_next_ask(self, path, act):
        lesson = open_lesson(path, stop=DEFAULT)
        answer_until_it_knows(lesson, goal=3)
        act(lesson)
        assert not report(lesson)[0].final
        lesson.ask(4)
        assert report(lesson)[0].final == (lesson.open_question is None)

    def test_it_is_final_again_after_opening_and_asking_again(self, path):
        lesson = open_lesson(path, stop=DEFAULT)
        answer_until_it_knows(lesson, goal=3)
        lesson.close()
        again = open_lesson(path, stop=DEFAULT)
        assert again.ask(3) is None
        assert report(again)[0].final

    def test_taking_back_the_last_answer_goes_on(self, path):
        lesson = open_lesson(path, stop=DEFAULT)
        answer_until_it_knows(lesson, goal=3)
        lesson.undo(3)
        assert lesson.ask(4) is not None

    def test_what_is_expected_is_that_of_lessons_like_this_one(self, path):
        lesson = open_lesson(path, stop=DEFAULT)
        lesson.ask(2)
        assert report(lesson)[1].forecast is None       # nobody has looked
        lesson.outlook = Outlook.simulated(lesson.learner)
        assert report(lesson)[1].forecast == lesson.outlook.whole
        answer(lesson)
        lesson.ask(3)
        assert report(lesson)[1].forecast.likely >= 1


class TestStanding:
    """What is going on, in a word and in a sentence."""

    def status_text(self, lesson):
        return lesson.status, lesson.status_text

    def test_from_the_beginning_to_the_end(self, path):
        lesson = open_lesson(path, stop=DEFAULT)
        assert self.status_text(lesson) == (Status.ASKING, 'about to ask')
        lesson.ask(2)
        assert self.status_text(lesson) == (Status.ASKING, 'What should I do at cell 2?')
        answer_until_it_knows(lesson, goal=3)
        name, share = lesson.standing.favourite, round(lesson.learner.certainty, 2)
        assert self.status_text(lesson) == (Status.DONE, f'done: I know: {name} ({share:.0%})')
        lesson.undo(3)
        assert self.status_text(lesson) == (Status.ASKING, 'about to ask')
        lesson.close()
        assert self.status_text(lesson) == (Status.FAILED, f'{path}: the journal is closed')

    def test_when_there_is_nothing_left_to_ask(self, lesson):
        while (question := lesson.ask(2)) is not None:
            lesson.take(AnswerRecord(question.id, DontKnowAnswer(question.question)))
        assert self.status_text(lesson) == (Status.DONE, 'done: there is nothing left to ask')
        assert report(lesson)[0].final

    def test_a_pause(self, lesson, path):
        lesson.pause(True, 1)
        with Unchanged(lesson, path):
            assert lesson.ask(2) is None
        assert self.status_text(lesson) == (Status.PAUSED, 'paused: call ~/start to resume')
        policy, belief = report(lesson)
        assert not policy.final
        assert (belief.status, belief.reason) == (Status.PAUSED, DoneReason.NO_REASON)
        lesson.pause(False, 1)
        assert lesson.ask(2) is not None
        assert lesson.status is Status.ASKING

    def test_answers_and_demonstrations_count_in_a_pause(self, lesson):
        question = lesson.ask(2)
        lesson.pause(True, 1)
        assert lesson.take(record_of(question))
        assert lesson.watch(demonstration())
        assert len(lesson.answers) == 2
        assert lesson.ask(2) is None

    def test_a_pause_in_a_lesson_that_is_over(self, path):
        lesson = open_lesson(path, stop=DEFAULT)
        answer_until_it_knows(lesson, goal=3)
        lesson.pause(True, 1)
        assert lesson.ask(3) is None
        assert lesson.status is Status.PAUSED
        assert report(lesson)[0].final          # it knows enough, asking or not
        lesson.pause(False, 4)
        assert lesson.ask(5) is None
        assert lesson.standing.done_reason == (DoneReason.CERTAINTY, lesson.learner.certainty)

    def test_a_pause_leaves_the_question_open(self, lesson):
        question = lesson.ask(2)
        lesson.pause(True, 3)
        assert lesson.open_question is question
        lesson.pause(False, 4)
        assert lesson.ask(5) is question

    def test_a_pause_is_written_once_and_so_is_its_end(self, lesson, path):
        with Unchanged(lesson, path):
            lesson.pause(False, 3)
        lesson.pause(True, 4)
        with Unchanged(lesson, path):
            lesson.pause(True, 5)
        lesson.pause(False, 6)
        with Unchanged(lesson, path):
            lesson.pause(False, 7)
        assert read_journal(path)[2:] == [{'event': 'paused', 'paused': True, 'stamp': 4},
                                          {'event': 'paused', 'paused': False, 'stamp': 6}]

    def test_the_favourite_is_named(self, path):
        lesson = open_lesson(path, stop=DEFAULT)
        answer_until_it_knows(lesson, goal=4)
        assert lesson.standing.favourite == 'go to 4'
        assert lesson.world is TASK.world
        assert lesson.path == path


class TestGoodEnough:
    """The teacher says that nothing more need be asked."""

    DONE = (Status.DONE, 'done: the teacher says that this is good enough')

    def status_text(self, lesson):
        return lesson.status, lesson.status_text

    def assert_done(self, lesson, stamp=5):
        assert lesson.ask(stamp) is None
        assert self.status_text(lesson) == self.DONE
        policy, belief = report(lesson)
        assert policy.final
        assert (belief.status, belief.status_text, belief.question_id) == (*self.DONE, '')
        assert belief.forecast == Forecast(0, 0, 0)
        assert belief.reason is DoneReason.GOOD_ENOUGH

    def finished(self, path, **options):
        """Return a lesson with an answer and a demonstration that is finished."""
        lesson = open_lesson(path, **options)
        answer(lesson)
        lesson.watch(demonstration())
        lesson.ask(3)
        lesson.finish(4)
        return lesson

    def test_nothing_more_is_asked_and_the_policy_is_final(self, path):
        lesson = self.finished(path)
        self.assert_done(lesson)
        assert lesson.learner.stop_reason is None

    def test_it_changes_no_belief(self, lesson):
        answer(lesson)
        before = lesson.learner
        lesson.finish(3)
        lesson.ask(4)
        assert lesson.learner is before

    def test_it_may_be_so_from_the_beginning(self, lesson):
        lesson.finish(2)
        self.assert_done(lesson)
        assert lesson.num_questions == 0

    def test_the_open_question_is_withdrawn(self, lesson, path):
        question = lesson.ask(2)
        lesson.finish(3)
        assert lesson.open_question is None
        assert read_journal(path)[-2:] == [{'event': 'settled', 'settled': True, 'stamp': 3},
                                           {'event': 'withdrawn', 'id': question.id}]

    def test_the_answer_that_was_on_its_way_counts_all_the_same(self, lesson):
        question = lesson.ask(2)
        lesson.finish(3)
        assert lesson.take(record_of(question))
        assert list(lesson.answers) == [question.id]
        self.assert_done(lesson)

    def test_starting_asks_again_with_another_id(self, lesson, path):
        question = lesson.ask(2)
        lesson.finish(3)
        self.assert_done(lesson)
        lesson.pause(False, 4)
        assert self.status_text(lesson) == (Status.ASKING, 'about to ask')
        assert not report(lesson)[0].final
        again = lesson.ask(5)
        assert (again.question, again.number) == (question.question, 1)
        assert lesson.status is Status.ASKING
        assert events(path)[-4:] == ['settled', 'withdrawn', 'settled', 'asked']

    def test_taking_back_asks_again(self, path):
        lesson = self.finished(path)
        self.assert_done(lesson)
        assert lesson.undo(5) == 'shown-0'
        assert self.status_text(lesson) == (Status.ASKING, 'about to ask')
        assert lesson.ask(6) is not None
        assert not report(lesson)[0].final

    def test_where_nothing_can_be_taken_back_it_stays_enough(self, lesson, path):
        lesson.finish(2)
        self.assert_done(lesson)
        with Unchanged(lesson, path), pytest.raises(InvalidAnswerError, match='no answer to take'):
            lesson.undo(3)
        self.assert_done(lesson)

    @for_each('act', [
        lambda lesson: lesson.watch(demonstration(9, (0, LEFT))),
        lambda lesson: lesson.revise(revised(lesson, next(iter(lesson.answers)), RIGHT)),
        lambda lesson: lesson.revise(AnswerRecord(
            'shown-0', DontKnowAnswer(lesson.question_of('shown-0')))),
        lambda lesson: lesson.use(Learner(TASK, stop=NEVER), QuestionMix(), 3)],
        ids=['watch', 'revise', 'take back', 'use'])
    def test_whatever_else_is_said_it_stays_enough(self, path, act):
        lesson = self.finished(path)
        lesson.ask(5)
        act(lesson)
        self.assert_done(lesson)

    def test_a_person_may_still_ask_and_then_it_is_enough_again(self, path):
        lesson = self.finished(path)
        self.assert_done(lesson)
        for state in (4, 1):
            question = lesson.ask_about(state, 5)
            assert lesson.ask(6) is question
            assert self.status_text(lesson) == (Status.ASKING, question.sentence)
            assert not report(lesson)[0].final
            before = weights(lesson)
            assert lesson.take(record_of(question, RIGHT))
            assert not np.array_equal(weights(lesson), before)
            self.assert_done(lesson)

    def test_what_a_person_asked_stays_open_when_the_lesson_is_opened_again(self, path):
        lesson = self.finished(path)
        question = lesson.ask_about(4, 5)
        lesson.close()
        again = open_lesson(path)
        assert again.ask(6).id == question.id
        assert again.status is Status.ASKING
        assert again.take(record_of(question, RIGHT))
        self.assert_done(again)

    def test_it_ends_a_pause(self, lesson, path):
        question = lesson.ask(2)
        lesson.pause(True, 3)
        lesson.finish(4)
        assert not lesson.paused
        assert lesson.open_question is None
        self.assert_done(lesson)
        assert read_journal(path)[-3:] == [
            {'event': 'paused', 'paused': False, 'stamp': 4},
            {'event': 'settled', 'settled': True, 'stamp': 4},
            {'event': 'withdrawn', 'id': question.id}]
        lesson.close()
        again = open_lesson(path)
        assert not again.paused
        self.assert_done(again)

    def test_a_pause_after_it_is_one_and_its_end_asks_again(self, path):
        lesson = self.finished(path)
        self.assert_done(lesson)
        lesson.pause(True, 5)
        assert lesson.ask(6) is None
        assert lesson.status is Status.PAUSED
        lesson.pause(False, 7)
        assert lesson.ask(8) is not None
        assert lesson.status is Status.ASKING

    def test_it_ends_a_pause_even_if_it_was_enough_before(self, path):
        lesson = self.finished(path)
        lesson.pause(True, 5)
        lesson.finish(6)
        self.assert_done(lesson)

    def test_saying_so_twice_writes_it_once(self, path):
        lesson = self.finished(path)
        with Unchanged(lesson, path):
            lesson.finish(5)
            assert lesson.ask(6) is None

    def test_why_the_learner_stops_is_told_first(self, path):
        lesson = open_lesson(path, stop=StopRule(max_answers=1))
        answer(lesson)
        lesson.finish(3)
        assert lesson.ask(4) is None
        assert self.status_text(lesson) == (
            Status.DONE, 'done: as many answers were given as were asked for: 1')

    @for_each(('acts', 'status'), [
        ('', Status.ASKING), ('pause', Status.PAUSED), ('pause start', Status.ASKING),
        ('pause undo', Status.PAUSED), ('pause ask_about', Status.PAUSED),
        ('pause use', Status.PAUSED), ('pause finish', Status.DONE),
        ('pause answer finish undo', Status.ASKING), ('finish', Status.DONE),
        ('finish start', Status.ASKING), ('finish undo', Status.ASKING),
        ('finish start finish', Status.DONE), ('finish pause', Status.PAUSED),
        ('finish pause start', Status.ASKING), ('finish ask_about', Status.ASKING),
        ('finish ask_about answer', Status.DONE), ('finish watch', Status.DONE),
        ('finish use', Status.DONE)])
    def test_opened_again_after_all_that_it_is_the_same_bit_for_bit(self, path, tmp_path, acts,
                                                                    status):
        lesson = open_lesson(path)
        question = lesson.ask_about(2, 2)
        lesson.take(record_of(question))
        lesson.watch(demonstration())
        lesson.ask(3)
        for number, act in enumerate(acts.split()):
            {'pause': lambda stamp: lesson.pause(True, stamp),
             'start': lambda stamp: lesson.pause(False, stamp),
             'finish': lesson.finish, 'undo': lesson.undo,
             'ask_about': lambda stamp: lesson.ask_about(4, stamp),
             'answer': lambda stamp: lesson.take(record_of(lesson.open_question, RIGHT)),
             'watch': lambda stamp: lesson.watch(demonstration(stamp, (3, LEFT))),
             'use': lambda stamp: lesson.use(Learner(TASK, stop=NEVER), QuestionMix(), stamp),
             }[act](10 + number)
        again = open_lesson(shutil.copy(path, tmp_path / 'copy.jsonl'))
        TestOpeningAgain().assert_the_same(lesson, again)
        asked, asked_again = lesson.ask(20), again.ask(20)
        TestOpeningAgain().assert_the_same(lesson, again)
        assert (asked is None) == (asked_again is None)
        assert self.status_text(lesson) == self.status_text(again)
        assert lesson.status is status
        is_enough = status is Status.DONE or acts == 'finish pause'     # asking or not
        assert report(lesson)[0].final == report(again)[0].final == is_enough


class TestHistory:
    def test_at_first_there_is_none(self, lesson):
        lesson.ask(2)
        history = lesson.history(3)
        assert (history.session, history.sequence) == (lesson.session, lesson.sequence)
        assert (history.total, history.entries, history.stamp) == (0, (), 3)

    def test_what_was_said_stands_there_in_its_order_and_its_words(self, lesson):
        asked = [lesson.ask_about(state, 2) for state in (1, 4)]
        lesson.take(record_of(asked[1], RIGHT))
        steps = DemonstrationAnswer(((3, LEFT), (2, STAY)))
        lesson.watch(DemonstrationRecord('shown', steps, 'teleop', True, 8))
        lesson.take(AnswerRecord(asked[0].id, AllTheSameAnswer(1), 'robot', 9))
        last, shown_, first = lesson.history(3).entries
        assert last.answer == record_of(asked[1], RIGHT)
        assert last.question == dataclasses.replace(asked[1], rivals=())
        assert last.question.sentence == 'What should I do at the end?'
        assert (last.said, last.correction) == ('right', False)
        assert shown_.answer == AnswerRecord('shown', steps, 'teleop', 8)
        assert (shown_.question, shown_.said, shown_.correction) == (None, 'left, stay', True)
        assert first.answer == AnswerRecord(asked[0].id, AllTheSameAnswer(1), 'robot', 9)
        assert (first.question.sentence, first.said) == (
            'What should I do at cell 1?', 'any direction is fine')

    def test_a_correction_is_told_from_a_demonstration(self, lesson):
        for number, correction in enumerate((True, False, True)):
            lesson.watch(dataclasses.replace(demonstration(number), correction=correction))
        assert [entry.correction for entry in lesson.history(3).entries] == [True, False, True]

    def test_asking_is_not_saying(self, lesson):
        lesson.ask(2)
        lesson.ask_about(3, 2)
        lesson.pause(True, 3)
        lesson.finish(3)
        assert lesson.history(3).total == 0

    def test_i_do_not_know_is_something_said(self, lesson):
        question = lesson.ask(2)
        lesson.take(AnswerRecord(question.id, DontKnowAnswer(question.question)))
        question = lesson.ask(2)
        lesson.take(AnswerRecord(question.id, LaterAnswer(question.question)))
        assert [entry.said for entry in lesson.history(3).entries] == [
            "I don't know", 'ask me later']

    def test_what_is_revised_keeps_its_place_and_its_question(self, lesson):
        known = [answer(lesson) for _ in range(3)]
        before = lesson.history(3).entries
        again = dataclasses.replace(revised(lesson, known[1], STAY), by='robot', stamp=8)
        lesson.revise(again)
        after = lesson.history(3)
        assert after.total == 3
        assert (after.entries[0], after.entries[2]) == (before[0], before[2])
        assert after.entries[1] == dataclasses.replace(before[1], answer=again, said='stay')

    def test_what_was_shown_unasked_and_is_revised_keeps_its_place(self, lesson):
        first = answer(lesson)
        lesson.watch(demonstration(0, (3, LEFT)))
        last = answer(lesson)
        for other, said in ((DontKnowAnswer(lesson.question_of('shown-0')), "I don't know"),
                            (DemonstrationAnswer(((1, STAY), (1, LEFT))), 'stay, left')):
            lesson.revise(AnswerRecord('shown-0', other, 'page', 8))
            entries = lesson.history(3).entries
            assert [entry.answer.id for entry in entries] == [first, 'shown-0', last]
            assert entries[1].answer == AnswerRecord('shown-0', other, 'page', 8)
            assert (entries[1].question, entries[1].said) == (None, said)

    def test_what_is_taken_back_is_not_in_it(self, lesson):
        known = answer(lesson)
        before = lesson.history(3)
        lesson.watch(demonstration())
        assert lesson.history(3).total == 2
        lesson.undo(3)
        assert lesson.history(3) == before
        assert lesson.undo(3) == known
        assert lesson.history(3).total == 0

    def test_its_number_is_that_of_the_last_report(self, lesson):
        answer(lesson)
        for _ in range(3):
            policy, belief = report(lesson)
            assert lesson.history(3).sequence == policy.sequence == belief.sequence
            assert lesson.history(3).total == belief.answers

    def test_it_writes_nothing_and_changes_nothing(self, lesson, path):
        answer(lesson)
        with Unchanged(lesson, path):
            lesson.history(3)

    @for_each('count', [9, 10, 11, 25])
    def test_only_the_last_are_told_and_how_many_there_are(self, path, monkeypatch, count):
        assert MAX_REMEMBERED == 100
        monkeypatch.setattr(lesson_state_module, 'MAX_REMEMBERED', 10)
        lesson = open_lesson(path)
        for number in range(count):
            lesson.watch(demonstration(number))
        expected = [f'shown-{number}' for number in range(max(0, count - 10), count)]
        for _ in range(2):
            history = lesson.history(3)
            assert history.total == count
            assert [entry.answer.id for entry in history.entries] == expected
            lesson.close()
            lesson = open_lesson(path)
        lesson.undo(3)
        history = lesson.history(3)
        assert history.total == count - 1
        assert history.entries[-1].answer.id == f'shown-{count - 2}'
        assert len(history.entries) == min(count - 1, 10)

    def test_as_many_as_a_hundred_are(self, path):
        with Journal(path) as journal:
            journal.append(event_to_json(Began('s', TASK.hash, 'corridor', 1)))
            for number in range(103):
                journal.append(event_to_json(demonstration(number)), durable=False)
        history = open_lesson(path).history(3)
        assert (history.total, len(history.entries)) == (103, 100)
        assert [entry.answer.id for entry in history.entries][::99] == ['shown-3', 'shown-102']

    @for_each('seed', range(3))
    def test_whatever_happens_it_is_what_counts(self, path, seed):
        rng = np.random.default_rng([9, seed])
        lesson = open_lesson(path, asking=ALL_KINDS)
        longest = 0
        for number in range(60):
            do_something(lesson, rng, number)
            history = lesson.history(number)
            longest = max(longest, history.total)
            assert {entry.answer.id: entry.answer.answer for entry in history.entries} \
                == lesson.answers
            assert [entry.answer.id for entry in history.entries] == list(lesson.answers)
            assert history.total == len(lesson.learner.answers)
            for entry in history.entries:
                assert entry.said == answer_words(entry.answer.answer, TASK.world)
                assert (entry.question is None) == entry.answer.id.startswith('shown-')
                if entry.question is not None:
                    asked = lesson.question_of(entry.answer.id)
                    assert entry.question == QuestionRecord(
                        entry.answer.id, lesson.session, entry.question.number, asked,
                        sentence(asked, TASK.world))
                    assert entry.answer.id.endswith(f'-{entry.question.number}')
        assert longest > 5
        lesson.close()
        again = open_lesson(path, asking=ALL_KINDS).history(number)
        assert (again.session, again.total, again.entries, again.stamp) == (
            history.session, history.total, history.entries, history.stamp)


class TestWithdrawing:
    def test_a_question_that_is_withdrawn_is_asked_under_another_id(self, path):
        lesson = open_lesson(path)
        first = lesson.ask(2)
        lesson.withdraw('another')
        assert lesson.ask(3) == first
        lesson.withdraw(first.id)
        second = lesson.ask(4)
        assert (second.question, second.id != first.id) == (first.question, True)


class TestPuttingAside:
    def test_its_journal_is_kept_under_another_name_and_another_lesson_may_begin(self, path):
        lesson = open_lesson(path)
        answer(lesson)
        before = path.read_bytes()
        kept = lesson.put_aside()
        assert kept == path.with_name(f'lesson-{lesson.session}.jsonl')
        assert kept.read_bytes() == before
        assert not path.exists()
        other = open_lesson(path)
        assert other.session != lesson.session
        assert other.answers == {}
        again = open_lesson(kept)               # and the old one can be taken up again
        assert again.session == lesson.session
        assert again.answers == lesson.answers

    @pytest.mark.parametrize('replaced', [False, True])
    def test_what_was_taken_away_is_left_alone(self, path, replaced):
        lesson = open_lesson(path)
        answer(lesson)
        path.unlink()
        if replaced:
            path.write_text("somebody else's")
        with pytest.raises(JournalError, match=r'was deleted or renamed|was replaced'):
            lesson.check_journal()
        assert lesson.put_aside() == path
        assert 'saved in' in lesson.status_text
        assert [file.name for file in path.parent.glob('lesson-*')] == []
        assert not replaced or path.read_text() == "somebody else's"

    def test_after_it_the_lesson_is_closed(self, lesson):
        question = lesson.ask(2)
        lesson.put_aside()
        with pytest.raises(JournalError, match='the journal is closed'):
            lesson.take(record_of(question))
        assert lesson.answers == {}


class TestOtherSettings:
    def test_what_was_said_counts_under_them(self, lesson):
        answer(lesson)
        lesson.watch(demonstration())
        told = tuple(lesson.answers.values())
        sure = Learner(TASK, 'random', seed=3, noise=NoiseModel(0.99))
        lesson.use(sure, QuestionMix(('yes_no',)), 3, {'strategy': 'random'})
        assert np.array_equal(weights(lesson), sure.replay(told).posterior.log_weights)
        assert lesson.learner.strategy.name == 'random'
        assert lesson.open_question is None
        again = Learner(TASK, stop=NEVER)
        lesson.use(again, QuestionMix(('yes_no',)), 3)
        assert lesson.ask(4).question.kind is QuestionKind.YES_NO

    def test_they_are_remembered(self, lesson, path):
        lesson.use(Learner(TASK), QuestionMix(), 3, {'strategy': 'gbs3'})
        assert read_journal(path)[-1] == {
            'event': 'changed', 'stamp': 3, 'settings': {'strategy': 'gbs3'}}

    def test_they_are_no_opening(self, lesson, path):
        before = report(lesson)[0].sequence
        lesson.use(Learner(TASK), QuestionMix(), 3)
        assert lesson.sequence == before
        assert report(lesson)[0].sequence == before + 1
        lesson.close()
        assert open_lesson(path).sequence == 2 * SEQUENCES_PER_OPENING

    def test_after_them_nothing_is_open_in_a_lesson_opened_again_either(self, lesson, path):
        asked = lesson.ask(2)
        lesson.use(Learner(TASK), QuestionMix(('yes_no',)), 3)
        lesson.close()
        again = open_lesson(path, asking=QuestionMix(('yes_no',)))
        assert again.open_question is None
        question = again.ask(4)
        assert question.question.kind is QuestionKind.YES_NO
        assert question.number == 1
        assert again.take(record_of(asked))     # whoever still has the old one may answer it
        assert again.open_question is question

    def test_settings_that_cannot_be_used_change_nothing(self, path):
        lesson = open_lesson(path)
        for action in (LEFT, RIGHT):
            lesson.watch(demonstration(action, (2, action)))
        lesson.ask(2)
        with Unchanged(lesson, path), pytest.raises(ImpossibleAnswerError):
            lesson.use(Learner(TASK, noise=NoiseModel(1.0)), ALL_KINDS, 3)
        assert lesson.asking == QuestionMix()


class TestKindsInTurn:
    def test_every_kind_is_asked_in_its_turn(self, path):
        lesson = open_lesson(path, asking=ALL_KINDS)
        rng = np.random.default_rng(2)
        asked = []
        for number in range(2 * len(ALL_KINDS.kinds)):
            question = lesson.ask(number)
            asked.append(question.question)
            lesson.take(AnswerRecord(question.id, answer_to(question.question, rng)))
        assert [question.kind for question in asked] == list(ALL_KINDS.kinds) * 2
        assert {question.steps for question in asked
                if question.kind is QuestionKind.DEMONSTRATION} == {2}

    def test_the_turn_goes_on_after_opening_again(self, path):
        kinds = []
        for number in range(2 * len(ALL_KINDS.kinds)):
            lesson = open_lesson(path, asking=ALL_KINDS)
            question = lesson.ask(number)
            kinds.append(question.question.kind)
            lesson.take(AnswerRecord(
                question.id, answer_to(question.question, np.random.default_rng(number))))
            lesson.close()
        assert kinds == list(ALL_KINDS.kinds) * 2

    @for_each(('strategy', 'kind'), [
        ('gbs', QuestionKind.ACTION), ('gbs_binary', QuestionKind.YES_NO),
        ('gbs_reward', QuestionKind.REWARD)])
    def test_without_kinds_the_strategy_asks_what_it_asks(self, path, strategy, kind):
        lesson = open_lesson(path, strategy=strategy)
        rng = np.random.default_rng(1)
        for number in range(6):
            question = lesson.ask(number)
            assert question.question.kind is kind
            lesson.take(AnswerRecord(question.id, answer_to(question.question, rng)))


def test_a_room_can_be_taught_from_beginning_to_end(path):
    """A real task, errors and all, opened again after every answer."""
    from gbs_irl_ros.core.teacher import SimulatedTeacher
    from gbs_irl_ros.tasks import load_task, load_truth
    task, truth = load_task('room'), load_truth('room')
    teacher = SimulatedTeacher.for_reward(task.world.mdp, truth.reward, 0.9,
                                          never=truth.never)
    rng = np.random.default_rng(2)
    whole = Learner(task)
    while True:
        lesson = open_lesson(path, task, stop=DEFAULT)
        assert np.array_equal(weights(lesson), whole.posterior.log_weights)
        question = lesson.ask(2)
        if question is None:
            break
        assert question.question == whole.ask()
        said = teacher.answer(question.question, rng)
        lesson.take(AnswerRecord(question.id, said, 'robot', 3))
        whole = whole.tell(said)
        lesson.close()
    policy, belief = report(lesson)
    assert policy.final
    assert task.hypotheses.name(belief.map_hypothesis) == 'go to desk, never over the carpet'
    assert 4 <= belief.answers <= 60
    lesson.close()


def test_what_happened_cannot_be_changed_from_outside(lesson):
    answer(lesson)
    lesson.answers.clear()
    assert len(lesson.answers) == 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        lesson.ask(2).number = 7


def test_two_lessons_cannot_share_a_journal(lesson, path):
    with pytest.raises(JournalError, match='another learner is using this journal'):
        open_lesson(path)


def test_unasked_steps_are_told_apart_by_their_ids(lesson):
    rng = np.random.default_rng(3)
    for number in range(5):
        assert lesson.watch(shown(number, rng))
    assert lesson.acknowledged == tuple(f'shown-{number}' for number in range(5))


class TestAtTheEdge:
    def test_a_demonstration_longer_than_any_question_is_believed(self, lesson, path):
        long = DemonstrationRecord('long', DemonstrationAnswer(((0, LEFT),) * (MAX_STEPS + 1)))
        assert lesson.watch(long)
        lesson.close()
        assert list(open_lesson(path).answers) == ['long']

    def test_only_its_beginning_is_told(self, lesson):
        lesson.watch(DemonstrationRecord('long', DemonstrationAnswer(((0, LEFT),) * 500)))
        entry = lesson.history(1).entries[0]
        assert len(entry.answer.answer.steps) == MAX_STEPS_TOLD
        assert entry.said == 'left, ' * MAX_STEPS_TOLD + '…'

    def test_what_is_over_and_paused_is_final_when_opened_again(self, path):
        for _ in range(2):
            lesson = open_lesson(path, stop=StopRule(max_answers=1))
            if not lesson.answers:
                answer(lesson)
                lesson.ask(2)
                lesson.pause(True, 3)
            lesson.ask(4)
            assert report(lesson)[0].final
            lesson.close()

    def test_a_kill_right_after_good_enough_does_not_ask_again(self, lesson, path, tmp_path):
        lesson.ask(2)
        lesson.finish(3)
        copy = tmp_path / 'copy.jsonl'
        lines = path.read_bytes().splitlines(keepends=True)
        copy.write_bytes(b''.join(lines[:-1]))      # the withdrawal is not waited for
        again = open_lesson(copy)
        assert again.ask(4) is None
        assert again.status is Status.DONE

    def test_good_enough_also_withdraws_what_was_asked_since(self, lesson):
        lesson.finish(2)
        lesson.ask(3)
        lesson.ask_about(4, 3)
        lesson.finish(4)
        assert lesson.ask(5) is None
        assert lesson.status is Status.DONE


class TestTheClosingQuestion:
    @staticmethod
    def careful(path):
        """Open a lesson that ends with a yes only."""
        learner = Learner(TASK, stop=StopRule(certainty=0.95), caution=CAREFUL)
        return Lesson.open(TASK, learner, path, stamp=1)

    def teach(self, lesson, most=40):
        """Answer for the place at the end of the corridor, never wrongly, up to a route."""
        teacher = SimulatedTeacher.for_hypothesis(TASK.hypotheses, 4, 1.0)
        for number in range(most):
            asked = lesson.ask(number)
            if asked.question.kind is QuestionKind.CONFIRM:
                return asked
            answer = teacher.answer(asked.question, np.random.default_rng(number))
            lesson.take(AnswerRecord(asked.id, answer))
        raise AssertionError(f'no route to confirm after {most} answers')

    def test_only_two_yeses_end_the_lesson_and_it_is_the_same_when_opened_again(self, path):
        lesson = self.careful(path)
        asked = self.teach(lesson)
        assert lesson.status is Status.ASKING
        assert 'Is this what you mean?' in asked.sentence
        assert not lesson.report(5)[0].final
        lesson.close()
        lesson = self.careful(path)
        assert lesson.ask(50).question == asked.question
        assert lesson.open_question.id == asked.id
        lesson.take(AnswerRecord(asked.id, ConfirmAnswer(asked.question, yes=True)))
        another = lesson.ask(51)
        assert another.question.kind is QuestionKind.CONFIRM
        assert another.question.state != asked.question.state
        lesson.take(AnswerRecord(another.id, ConfirmAnswer(another.question, yes=True)))
        assert lesson.ask(52) is None
        assert lesson.status is Status.DONE
        assert lesson.report(53)[0].final
        lesson.undo(54)
        assert lesson.ask(55).question == another.question
        lesson.close()

    def test_after_a_no_it_continues_and_where_nothing_fits_nothing_is_to_be_obeyed(self, path):
        lesson = self.careful(path)
        self.teach(lesson)
        for number in range(100, 160):
            asked = lesson.ask(number)
            if asked is None:
                break
            answer = ConfirmAnswer(asked.question, yes=False) \
                if asked.question.kind is QuestionKind.CONFIRM \
                else ActionAnswer(asked.question.state, LEFT if asked.question.state else RIGHT)
            lesson.take(AnswerRecord(asked.id, answer))
        policy, belief = lesson.report(200)
        assert belief.reason is DoneReason.NONE_OF_THESE
        assert belief.none_of_these >= 0.95
        assert belief.map_probability <= 0.05
        assert abs(belief.probabilities.sum() - 1.0) < 1e-9
        assert not policy.final
        assert policy.policy.confidence.max() <= 0.05
        assert 'None of the 6 tasks I know explains your answers' in lesson.status_text
        lesson.close()
