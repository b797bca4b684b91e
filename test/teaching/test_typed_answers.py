"""Questions and answers in a terminal."""

from __future__ import annotations

import re

import hypothesis.strategies as some
import numpy as np
import pytest
from cases import for_each
from hypothesis import given, settings
from scipy import sparse
from small_lessons import LEFT, RIGHT, STAY, TASK, corridor_world

from gbs_irl_ros.core.answers import (
    ActionAnswer,
    AllTheSameAnswer,
    DemonstrationAnswer,
    DontKnowAnswer,
    LaterAnswer,
    RewardAnswer,
    YesNoAnswer,
)
from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.core.learner import Learner
from gbs_irl_ros.core.mdp import Mdp
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.tasks import load_task
from gbs_irl_ros.tasks.world import Appearance, Picture, World
from gbs_irl_ros.teaching.keys import HELP, QUIT, UNDO
from gbs_irl_ros.teaching.typed_answers import NON_ANSWERS, choices, help_text, parse, picture

DONT_KNOW, SAME, LATER = 'i', '=', 'l'
MODEST = settings(deadline=None, derandomize=True, max_examples=100)
ACTION, YES_NO, REWARD, DEMONSTRATION = QuestionKind
WORLD = corridor_world()
WITHOUT_KEYS = corridor_world(keys=('', '', ''))
QUESTIONS = (Question(ACTION, 3), Question(YES_NO, 3, RIGHT), Question(REWARD, 3),
             Question(REWARD, 3, LEFT), Question(DEMONSTRATION, 3, steps=2))


class TestParse:
    @for_each(('typed', 'action'), [
        ('a', LEFT), ('d', RIGHT), ('x', STAY), ('A', LEFT), ('left', LEFT), ('RIGHT', RIGHT),
        ('st', STAY), ('r', RIGHT), ('Le', LEFT)])
    def test_an_action_is_its_key_its_name_or_the_beginning_of_it(self, typed, action):
        assert parse(typed, QUESTIONS[0], WORLD) == ActionAnswer(3, action)

    @for_each(('typed', 'action'), [('1', LEFT), ('3', STAY), ('left', LEFT)])
    def test_without_keys_it_may_be_the_digit_that_is_offered(self, typed, action):
        assert parse(typed, QUESTIONS[0], WITHOUT_KEYS) == ActionAnswer(3, action)

    @for_each('typed', ['y', 'Y', 'yes', 'Yes', 'n', 'N', 'no', 'NO'])
    def test_yes_and_no(self, typed):
        yes = typed.lower().startswith('y')
        assert parse(typed, QUESTIONS[1], WORLD) == YesNoAnswer(3, RIGHT, yes)

    @for_each(('typed', 'reward'), [
        ('1', 1.0), ('-0.5', -0.5), ('1e-3', 0.001), ('+2', 2.0)])
    def test_a_reward_is_a_number(self, typed, reward):
        assert parse(typed, QUESTIONS[2], WORLD) == RewardAnswer(3, reward)
        assert parse(typed, QUESTIONS[3], WORLD) == RewardAnswer(3, reward, LEFT)

    def test_a_demonstration_follows_the_world(self):
        assert parse('a left d x', QUESTIONS[4], WORLD) == DemonstrationAnswer(
            ((3, LEFT), (2, LEFT), (1, RIGHT), (2, STAY)))
        assert parse('d d', QUESTIONS[4], WORLD) == DemonstrationAnswer(((3, RIGHT), (4, RIGHT)))

    def test_a_demonstration_goes_where_a_step_most_likely_leads(self):
        matrix = sparse.csr_matrix(np.array([
            [0.4, 0.6, 0.0], [1.0, 0.0, 0.0],
            [0.0, 0.3, 0.7], [1.0, 0.0, 0.0],
            [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]))
        world = World('slippery', Mdp(matrix, 2, 0.9), np.full(3, 1 / 3),
                      Appearance(('on', 'back'), ('o', 'b')))
        assert parse('o o b', Question(DEMONSTRATION, 0, steps=3), world) == DemonstrationAnswer(
            ((0, 0), (1, 0), (2, 1)))

    @pytest.mark.parametrize('question', [QUESTIONS[0], QUESTIONS[4]], ids=repr)
    def test_all_the_same(self, question):
        assert parse(SAME, question, WORLD) == AllTheSameAnswer(3)

    @for_each('question', QUESTIONS, ids=repr)
    def test_whatever_is_asked_one_may_not_know_or_not_yet(self, question):
        assert parse(DONT_KNOW, question, WORLD) == DontKnowAnswer(question)
        assert parse(LATER, question, WORLD) == LaterAnswer(question)

    @for_each(('question', 'typed', 'text'), [
        (QUESTIONS[0], '', "no such action, got ''; expected one of ['a', 'd', 'x']"),
        (QUESTIONS[0], 'up', "no such action, got 'up'; expected one of ['a', 'd', 'x']"),
        (QUESTIONS[0], '0', "no such action, got '0'; expected one of ['a', 'd', 'x']"),
        (QUESTIONS[0], 'a a', "no such action, got 'a a'; expected one of ['a', 'd', 'x']"),
        (QUESTIONS[1], 'maybe', "not understood, got 'maybe'; expected y yes, n no"),
        (QUESTIONS[1], SAME, "not understood, got '='; expected y yes, n no"),
        (QUESTIONS[1], '', "not understood, got ''; expected y yes, n no"),
        (QUESTIONS[2], 'good', "not understood, got 'good'; expected a number"),
        (QUESTIONS[2], '1,5', "not understood, got '1,5'; expected a number"),
        (QUESTIONS[4], '', 'a demonstration must have at least one step, got none'),
        (QUESTIONS[4], 'a up', "no such action, got 'up'; expected one of ['a', 'd', 'x']"),
        (QUESTIONS[4], 'a =', "no such action, got '='; expected one of ['a', 'd', 'x']"),
        (QUESTIONS[0], HELP, "no such action, got '?'; expected one of ['a', 'd', 'x']")])
    def test_what_is_no_answer_is_explained(self, question, typed, text):
        with pytest.raises(GbsIrlError, match=re.escape(text)):
            parse(typed, question, WORLD)

    @for_each('typed', ['4', '99999999999999999999', '-1', '1.0', '²', '٣'])
    def test_a_number_that_is_no_action_is_explained(self, typed):
        with pytest.raises(GbsIrlError, match=re.escape(
                f"no such action, got {typed!r}; expected one of ['1', '2', '3']")):
            parse(typed, QUESTIONS[0], WITHOUT_KEYS)

    @for_each('typed', ['nan', 'inf', '-inf', '1e400'])
    def test_what_is_no_finite_number_is_refused_by_the_learner(self, typed):
        with pytest.raises(GbsIrlError, match='reward must be a finite number'):
            Learner(TASK).tell(parse(typed, QUESTIONS[2], WORLD))

    def test_the_beginning_of_two_names_is_neither(self):
        world = corridor_world(names=('step left', 'step right', 'stay'), keys=('', '', ''))
        assert parse('step r', QUESTIONS[0], world) == ActionAnswer(3, RIGHT)
        assert parse('sta', QUESTIONS[0], world) == ActionAnswer(3, STAY)
        with pytest.raises(GbsIrlError, match="no such action, got 'st'"):
            parse('st', QUESTIONS[0], world)

    def test_a_whole_name_comes_before_the_beginning_of_another(self):
        world = corridor_world(names=('go', 'go back', 'stay'))
        assert parse('go', QUESTIONS[0], world) == ActionAnswer(3, 0)

    def test_a_key_comes_before_a_name(self):
        world = corridor_world(names=('left', 'a', 'stay'))
        assert parse('a', QUESTIONS[0], world) == ActionAnswer(3, LEFT)

    def test_names_with_capitals_are_found(self):
        world = corridor_world(names=('Left', 'Right', 'Stay'), keys=('', '', ''))
        for typed in ('Right', 'right', 'RIGHT', 'Ri', 'ri'):
            assert parse(typed, QUESTIONS[0], world) == ActionAnswer(3, RIGHT)

    def test_keys_with_capitals_are_found(self):
        world = corridor_world(keys=('A', 'D', 'F1'))
        for typed, action in (('A', LEFT), ('a', LEFT), ('D', RIGHT), ('d', RIGHT), ('F1', STAY),
                              ('f1', STAY)):
            assert parse(typed, QUESTIONS[0], world) == ActionAnswer(3, action)
        assert parse('a D f1', QUESTIONS[4], world) == DemonstrationAnswer(
            ((3, LEFT), (2, RIGHT), (3, STAY)))

    def test_of_keys_that_differ_in_case_only_each_means_its_own(self):
        world = corridor_world(keys=('d', 'D', 'x'))
        assert parse('d', QUESTIONS[0], world) == ActionAnswer(3, LEFT)
        assert parse('D', QUESTIONS[0], world) == ActionAnswer(3, RIGHT)

    def test_where_some_actions_have_keys_the_others_have_digits(self):
        world = corridor_world(keys=('a', '', ''))
        for typed, action in (('a', LEFT), ('1', RIGHT), ('2', STAY)):
            assert parse(typed, QUESTIONS[0], world) == ActionAnswer(3, action)
        for typed in ('0', '3', '-1'):
            with pytest.raises(GbsIrlError, match=re.escape(
                    f"no such action, got {typed!r}; expected one of ['a', '1', '2']")):
                parse(typed, QUESTIONS[0], world)

    def test_a_number_longer_than_python_reads_is_explained(self):
        with pytest.raises(GbsIrlError, match='no such action'):
            parse('1' * 5000, QUESTIONS[0], WITHOUT_KEYS)

    @MODEST
    @given(some.text(max_size=12) | some.sampled_from(['a', 'l', 'y', '1e5', '=', 'd d']),
           some.sampled_from(QUESTIONS), some.sampled_from([WORLD, WITHOUT_KEYS]))
    def test_anything_else_is_an_answer_or_our_error(self, typed, question, world):
        try:
            answer = parse(typed, question, world)
        except GbsIrlError:
            return
        if not (isinstance(answer, RewardAnswer) and not np.isfinite(answer.reward)):
            answer.check_fits(world.mdp)


class TestChoices:
    def test_of_an_action(self):
        assert choices(QUESTIONS[0], WORLD) == (
            'a left, d right, x stay (key or word), = all the same')

    def test_without_keys_digits_are_shown(self):
        assert choices(QUESTIONS[0], WITHOUT_KEYS) == (
            '1 left, 2 right, 3 stay (key or word), = all the same')

    def test_of_a_yes_or_no(self):
        assert choices(QUESTIONS[1], WORLD) == 'y yes, n no'

    def test_of_a_reward(self):
        assert choices(QUESTIONS[2], WORLD) == (
            'a number: the more the better, 0 for neither good nor bad')

    def test_of_a_demonstration(self):
        assert choices(QUESTIONS[4], WORLD) == (
            'a left, d right, x stay (key or word); several with spaces between, '
            '= all the same')

    def test_of_none(self):
        keys = [part.split(' ')[0] for part in NON_ANSWERS.split(', ')]
        assert keys == [DONT_KNOW, LATER, UNDO, HELP, QUIT] == ['i', 'l', 'u', '?', 'q']

    @for_each('question', QUESTIONS, ids=repr)
    def test_help_lists_them_all(self, question):
        lines = help_text(question, WORLD).split('\n')
        assert lines[0] == choices(question, WORLD)
        assert [line.split()[0] for line in lines[1:]] == [DONT_KNOW, LATER, UNDO, QUIT]

    @for_each('keys', [
        ('a', 'd', 'x'), ('', '', ''), ('a', '', 'x'), ('A', '', 'X'), ('a', '', ''),
        ('2', '1', '0'), ('1', '', 'x'), ('l', 'u', 'q'), ('?', '=', '')])
    def test_whatever_is_offered_is_understood(self, keys):
        world = corridor_world(keys=keys)
        offered = choices(Question(ACTION, 3), world).split(' (')[0].split(', ')
        for action, choice in enumerate(offered):
            for typed in choice.split(' ', 1):      # a key and a name, or the name alone
                assert parse(typed, Question(ACTION, 3), world) == ActionAnswer(3, action)


CELLS = {'cell_size': 0.5, 'cells': np.column_stack([np.arange(5), np.zeros(5, int)]),
         'positions': np.column_stack([np.arange(5) * 0.5, np.zeros(5)])}


class TestPicture:
    def test_of_cells(self):
        world = corridor_world(picture=Picture.GRID, **CELLS)
        assert picture(world, 3).split('\n') == ['#######', '#...?.#', '#######', '? here']

    def test_of_regions(self):
        world = corridor_world(
            picture=Picture.GRID, regions={'door': np.array([0, 1])}, **CELLS)
        assert picture(world, 3).split('\n') == [
            '#######', '#dd.?.#', '#######', '? here, d door']
        assert picture(world, 0).split('\n')[1] == '#?d...#'

    def test_of_no_cells(self):
        assert picture(WORLD, 3).startswith('? cell 3')

    def test_of_the_room(self):
        world = load_task('room').world
        drawing = picture(world, 7)
        assert drawing.split('? here')[0].count('?') == 1
        assert 'k kitchen' in drawing
        assert 'S start' in drawing
