"""Parameters of the learner, and the learner that they describe."""

from __future__ import annotations

import dataclasses
import json
import os
from pathlib import Path

import pytest
from cases import for_each

pytest.importorskip('rclpy', reason='needs ROS 2')

import rclpy
from in_process import given

from gbs_irl_ros.core.boltzmann import BoltzmannLikelihood
from gbs_irl_ros.core.caution import PAPER_MODE, Caution
from gbs_irl_ros.core.error_rates import RatePrior
from gbs_irl_ros.core.errors import GbsIrlError, InvalidNoiseError
from gbs_irl_ros.core.noise import Likelihood, NoiseModel
from gbs_irl_ros.core.queries import STRATEGIES
from gbs_irl_ros.core.queries.bits_per_second import ALL_KINDS, BitsPerSecondQuery
from gbs_irl_ros.core.questions import QuestionKind
from gbs_irl_ros.core.stop_conditions import LosesNothing
from gbs_irl_ros.core.stopping import NEVER, STOP_NAMES, StopRule
from gbs_irl_ros.core.theory.forecast import Outlook
from gbs_irl_ros.learning.defaults import usual_learner
from gbs_irl_ros.ros.learner_parameters import LearnerParameters
from gbs_irl_ros.ros.parameters import ParameterError, Parameters
from gbs_irl_ros.tasks import load_task

pytestmark = pytest.mark.ros

ROOM = load_task('room')
OTHER = load_task('trap_world')


def at_once(function, *given):
    """Call a function; nothing else of the node runs in these tests."""
    return function(*given)


class TestRules:
    """Each is also what a node says that is started with such a value."""

    @for_each(('name', 'value', 'text'), [
        ('strategy', 'gsb', "parameter 'strategy': unknown value 'gsb'; known: ['active_s"),
        ('demonstration_steps', 0, "parameter 'demonstration_steps' must be in 1 .. 1000, got 0"),
        ('demonstration_steps', 1001, "parameter 'demonstration_steps' must be in 1 .. 1000"),
        ('likelihood', 'exakt', "parameter 'likelihood': unknown value 'exakt'; known: ["
                                "'aggregated', 'boltzmann', 'exact', 'single_action']. Did "
                                "you mean 'exact'?"),
        ('gamma_hat', 1.5, "parameter 'gamma_hat' must be in 0 .. 1, got 1.5"),
        ('gamma_hat', -0.1, "parameter 'gamma_hat' must be in 0 .. 1, got -0.1"),
        ('sigma_hat', -1.0, "parameter 'sigma_hat' must be at least 0, got -1.0"),
        ('none_of_these', 0.5, "parameter 'none_of_these' must be in 0 .. 0.4, got 0.5"),
        ('none_of_these', -0.1, "parameter 'none_of_these' must be in 0 .. 0.4, got -0.1"),
        ('learn_error_rate', 1.0, "parameter 'learn_error_rate' must be "),
        ('stop_condition', 'sure', "parameter 'stop_condition': unknown value 'sure'; known: ["),
        ('loss', 1.01, "parameter 'loss' must be in 0 .. 1, got 1.01"),
        ('certainty', 1.01, "parameter 'certainty' must be in 0 .. 1, got 1.01"),
        ('every_state', -1.5, "parameter 'every_state' must be in -1 .. 1, got -1.5"),
        ('max_answers', -1, "parameter 'max_answers' must be at least 0, got -1"),
        ('true_gamma', 2.0, "parameter 'true_gamma' must be in 0 .. 1, got 2.0"),
        ('seed', -1, "parameter 'seed' must be at least 0, got -1"),
        ('ask_again', 0.05, "parameter 'ask_again' must be in 0.1 .. 600, got 0.05"),
        ('lesson', 'a/b', "parameter 'lesson' must be usable as a file name: letters, digits, "
                          "spaces and \"_-.()\", got 'a/b'"),
        ('person', '../a', "parameter 'person': the name of a person must have 1 to 64 letters"),
        ('study', 'A B', "parameter 'study': the code of a participant must have 1 to 40 letters"),
        ('lesson', 'a' * 300, "parameter 'lesson' must be at most 150 bytes long, got 300"),
        ('lesson', '..', "parameter 'lesson' must be usable as a file name"),
        ('lesson', '.hidden', "parameter 'lesson' must be usable as a file name"),
        ('lesson', 'a\nb', "parameter 'lesson' must not contain control characters"),
        ('lesson', 'a\\b', "parameter 'lesson' must be usable as a file name"),
        ('question_kinds', 'acton', "unknown question kind 'acton'; known: ['action', 'compare', "
                                    "'confirm', 'demonstration', 'place', 'reward', 'task', "
                                    "'yes_no']. Did you mean 'action'?"),
        ('disliked_kinds', 'acton', "unknown question kind 'acton'"),
        ('disliked_kinds', 'confirm', "parameter 'disliked_kinds' must not name confirm; set "
                                      'closing_question to false'),
        ('disliked_kinds', 'action,yes_no,demonstration,place,task,compare',
         "parameter 'disliked_kinds' leaves no kind of question to ask, got 'action,yes_no,dem"),
        ('where', 'here', "parameter 'where': unknown value 'here'; known: ['anywhere', 'on_the"),
        ('seconds_per_step', -1.0, "parameter 'seconds_per_step' must be in 0 .. 3600, got -1.0"),
        ('strategy_options', 'pace=3', "parameter 'strategy_options' must not have 'pace'; use "
                                       "the parameter 'seconds_per_step'"),
        ('question_kinds', 'action;reward', "unknown question kind 'action;reward'"),
        ('strategy_options', 'c_hat=0.9', "strategy 'bits_per_second' has no option 'c_hat'"),
        ('strategy_options', 'c_hat', "parameter 'strategy_options' must be like \"c_hat=0.9\", "
                                      'several with commas, or JSON like \'{"c_hat": 0.9}\', '
                                      "got 'c_hat'"),
    ])
    def test_a_node_says_what_is_wrong(self, bench, name, value, text):
        node = bench.add(rclpy.create_node(
            'learner', context=bench.context, parameter_overrides=given(**{name: value})))
        parameters = Parameters(node, LearnerParameters, at_once)
        assert parameters.value is None
        assert text in parameters.problem

    @for_each('lesson', ['', '1', 'Monday (2)', 'a.b', 'ümlaut', '日本', '-x', '_'])
    def test_any_name_that_can_be_a_file_is_one(self, lesson):
        assert LearnerParameters(lesson=lesson).lesson == lesson

    def test_gbs_irl_check_forecasts_lessons_of_the_learner_as_it_is_by_default(self):
        """So page, log and `gbs-irl check` give the same figures."""
        node, check = LearnerParameters().make_learner(ROOM), usual_learner(ROOM)
        for name in ('strategy', 'stop', 'caution', 'seed', 'noise'):
            assert repr(getattr(node, name)) == repr(getattr(check, name)), name
        assert Outlook.simulated(node).lengths == Outlook.simulated(check).lengths

    def test_defaults_are_right(self):
        parameters = LearnerParameters()
        assert parameters.make_strategy() == BitsPerSecondQuery()
        assert parameters.asking().kinds == ()
        assert parameters.stop_rule() == StopRule(condition=LosesNothing(0.95))


def test_a_strategy_of_somebody_else_is_taken_once_it_is_registered(bench, monkeypatch):
    class Mine(STRATEGIES['gbs']):
        name = 'mine'

    def make(name):
        return Parameters(bench.add(rclpy.create_node(
            name, context=bench.context, parameter_overrides=given(strategy='mine'))),
            LearnerParameters, at_once)
    assert "parameter 'strategy': unknown value 'mine'" in make('before').problem
    monkeypatch.setitem(STRATEGIES, 'mine', Mine)
    assert make('after').value.make_strategy().name == 'mine'


class TestKinds:
    ALL_BUT_TASK = tuple(kind for kind in ALL_KINDS if kind is not QuestionKind.TASK)

    @for_each(('given', 'among', 'in_turn'), [
        ({'disliked_kinds': 'task'}, ALL_BUT_TASK, ()),
        ({'question_kinds': 'place, task', 'disliked_kinds': ' task ,'}, ('place',), ()),
        ({'question_kinds': 'reward'}, ('reward',), ()),
        ({'strategy': 'gbs', 'question_kinds': 'place, action'}, None, ('place', 'action')),
        ({'strategy': 'gbs', 'question_kinds': 'place, action', 'disliked_kinds': 'place'}, None,
         ('action',)),
        ({'strategy': 'gbs', 'disliked_kinds': 'place'}, None, ())])
    def test_they_are_chosen_among_or_asked_in_turn(self, given, among, in_turn):
        parameters = LearnerParameters(**given)
        assert parameters.asking().kinds == tuple(map(QuestionKind, in_turn))
        assert getattr(parameters.make_strategy(), 'among', None) == (
            None if among is None else tuple(map(QuestionKind, among)))

    @for_each(('given', 'told'), [
        ({'strategy': 'gbs', 'disliked_kinds': 'action'},
         "parameter 'disliked_kinds' leaves no kind of question to ask, got 'action'"),
        ({'strategy': 'gbs', 'where': 'on_the_way'},
         "parameter 'where' does not fit the strategy 'gbs'; use 'bits_per_second'"),
        ({'strategy': 'information_gain', 'seconds_per_step': 2.0},
         "parameter 'seconds_per_step' does not fit the strategy 'information_gain'; use"),
        ({'strategy_options': 'where=here'},
         "parameter 'strategy_options' must not have 'where'; use the parameter 'where'")])
    def test_what_does_not_fit_is_refused(self, given, told):
        with pytest.raises(ParameterError, match=told):
            LearnerParameters(**given)

    def test_where_and_the_way_of_the_robot_reach_the_strategy(self):
        made = LearnerParameters(where='on_the_way', seconds_per_step=2.5).make_strategy()
        assert (made.where, made.pace.way) == ('on_the_way', 2.5)
        told = LearnerParameters(strategy='information_gain', where='on_the_way',
                                 strategy_options='kind=place, steps=2').make_strategy()
        assert (told.where, told.kind, told.steps) == ('on_the_way', QuestionKind.PLACE, 2)

    def test_options_may_be_true_or_false(self):
        for text in ('True', 'true'):
            assert LearnerParameters(
                strategy_options=f'what_matters={text}').make_strategy().what_matters is True


class TestStopConditions:
    @for_each('name', STOP_NAMES)
    def test_each_can_be_chosen_by_its_name_with_its_numbers(self, name):
        """Whatever number a condition has, a parameter sets it, or it is worked out."""
        rule = LearnerParameters(stop_condition=name, certainty=0.8, loss=0.2).stop_rule()
        assert rule.wanted_certainty == 0.8
        numbers = {} if rule.condition is None else dataclasses.asdict(rule.condition)
        assert numbers.pop('loss', 0.2) == 0.2
        assert set(numbers) - {'threshold'} <= {'certainty'}
        ended = LearnerParameters(stop_condition=name, certainty=0.8, seed=3).make_learner(ROOM)
        assert (numbers.get('threshold') is None) == (ended.stop == LearnerParameters(
            stop_condition=name, certainty=0.8).stop_rule())    # calibrated
        assert LearnerParameters(stop_condition=name, certainty=0.0).stop_rule() == NEVER

    def test_a_certainty_that_cannot_be_is_refused(self):
        with pytest.raises(GbsIrlError, match=r'certainty must be in \(0, 1\), got 1\.0'):
            LearnerParameters(certainty=1.0)
        assert LearnerParameters(stop_condition='certainty', certainty=1.0).stop_rule() \
            == StopRule(1.0)


class TestStrategyOptions:
    @for_each('strategy', sorted(STRATEGIES))
    def test_every_strategy_can_be_made_without_any(self, strategy):
        assert LearnerParameters(strategy=strategy).make_strategy().name == strategy

    @for_each(('options', 'c_hat'), [
        ('c_hat=0.5', 0.5), (' c_hat = 0.5 ', 0.5), ('c_hat=-0.5,', -0.5), ('c_hat=1e-1', 0.1),
        ('', 0.9), (' , ', 0.9), ('c_hat=0', 0), (' {"c_hat": 0.5}', 0.5), ('{}', 0.9)])
    def test_they_are_given_to_the_strategy(self, options, c_hat):
        strategy = LearnerParameters(strategy='gbs3', strategy_options=options).make_strategy()
        assert strategy.c_hat == c_hat

    @for_each('options', [
        'c_hat', 'c_hat=', '0.9', 'c_hat=high', 'c_hat="0.9"', 'c_hat=[0.9]', 'c_hat=0.9;',
        'c_hat=0.1=0.2', 'c_hat=None', 'c_hat=1+2j', 'c_hat=(0.9', 'c_hat=nan', 'c_hat=\0',
        'c_hat=' + '(' * 300, '{c_hat: 0.9}', '{"c_hat": 0.9', '{"c_hat": "high"}',
        '{"c_hat": ' + '[' * 100_000])
    def test_what_is_not_name_and_number_is_refused(self, options):
        with pytest.raises(ParameterError, match=r"'strategy_options' must be like "
                                                 r'"c_hat=0\.9", several .*, got'):
            LearnerParameters(strategy='gbs3', strategy_options=options)

    @for_each(('options', 'text'), [
        ('c_hat=2', r'c_hat must be in \(-1, 1\), got 2'),
        ('c_hat=1e999', r'c_hat must be in \(-1, 1\), got inf'),
        ('d_hat=0.5', r"strategy 'gbs3' has no option 'd_hat'; it has \['c_hat'\]"),
        ('=0.5', r"strategy 'gbs3' has no option ''; it has \['c_hat'\]"),
        ('c_hat=0.5, size=3', r"strategy 'gbs3' has no option 'size'")])
    def test_what_the_strategy_does_not_take_is_refused(self, options, text):
        with pytest.raises(GbsIrlError, match=text):
            LearnerParameters(strategy='gbs3', strategy_options=options)

    def test_nothing_is_ever_executed(self, tmp_path):
        made = tmp_path / 'made'
        with pytest.raises(ParameterError, match='must be like'):
            LearnerParameters(strategy='gbs3',
                              strategy_options=f'c_hat=open({str(made)!r}/ "w")')
        assert not made.exists()

    def test_a_number_with_too_many_signs_is_refused(self):
        with pytest.raises(GbsIrlError, match='strategy_options'):
            LearnerParameters(strategy='gbs3', strategy_options='c_hat=' + '-' * 5000 + '1')

    def test_a_count_that_is_not_whole_is_refused(self):
        with pytest.raises(GbsIrlError, match='size'):
            LearnerParameters(strategy='emg_shortlist', strategy_options='size=2.5') \
                .make_learner(ROOM).ask()


class TestQuestionKinds:
    @for_each(('text', 'kinds'), [
        ('', ()), ('action', ('action',)), ('action,yes_no', ('action', 'yes_no')),
        (' reward , demonstration ,', ('reward', 'demonstration')),
        ('action,action,reward', ('action', 'action', 'reward'))])
    def test_they_are_asked_in_turn(self, text, kinds):
        parameters = LearnerParameters(strategy='gbs', question_kinds=text, demonstration_steps=7)
        assert parameters.asking().kinds == tuple(QuestionKind(kind) for kind in kinds)
        assert parameters.asking().steps == 7


class TestStopRule:
    @for_each(('values', 'rule'), [
        ({'certainty': 0.5}, StopRule(0.5, None, None)),
        ({'certainty': 0.0}, StopRule(None, None, None)),
        ({'certainty': 0.0, 'every_state': 0.5}, StopRule(None, 0.5, None)),
        ({'every_state': 0.0}, StopRule(0.95, 0.0, None)),
        ({'every_state': -0.5}, StopRule(0.95, -0.5, None)),
        ({'every_state': -1.0, 'max_answers': 3}, StopRule(0.95, None, 3)),
        ({'certainty': 0.0, 'max_answers': 0}, StopRule(None, None, None))])
    def test_zero_or_minus_one_means_never(self, values, rule):
        assert LearnerParameters(stop_condition='certainty', **values).stop_rule() == rule


class TestNoise:
    OF_THE_TASK = NoiseModel(0.8, 0.3, Likelihood.AGGREGATED)

    def test_without_any_setting_it_is_that_of_the_task(self):
        noise = LearnerParameters().noise(self.OF_THE_TASK)
        assert (noise.gamma_hat, noise.sigma_hat, noise.likelihood) == (
            0.8, 0.3, Likelihood.AGGREGATED)

    @for_each(('values', 'expected'), [
        ({'gamma_hat': 0.7}, (0.7, 0.3, Likelihood.AGGREGATED)),
        ({'sigma_hat': 2.0}, (0.8, 2.0, Likelihood.AGGREGATED)),
        ({'likelihood': 'exact'}, (0.8, 0.3, Likelihood.EXACT)),
        ({'gamma_hat': 0.7, 'sigma_hat': 2.0, 'likelihood': 'single_action'},
         (0.7, 2.0, Likelihood.SINGLE_ACTION))])
    def test_what_is_set_replaces_it(self, values, expected):
        noise = LearnerParameters(**values).noise(self.OF_THE_TASK)
        assert (noise.gamma_hat, noise.sigma_hat, noise.likelihood) == expected

    @for_each('likelihood', Likelihood)
    def test_every_likelihood_can_be_chosen(self, likelihood):
        assert LearnerParameters(likelihood=likelihood.value).noise(NoiseModel()).likelihood \
            is likelihood

    def test_a_likelihood_has_options(self):
        def likelihood(options):
            return LearnerParameters(likelihood='boltzmann', likelihood_options=options).noise(
                NoiseModel()).likelihood
        assert likelihood('') == BoltzmannLikelihood()
        assert likelihood('eta=2') == BoltzmannLikelihood(2.0)
        assert likelihood('{"eta": [1, 2.5]}') == BoltzmannLikelihood((1.0, 2.5))
        for options, text in (('eta', 'options must be like "c_hat=0.9"'),
                              ('beta=1', "has no option 'beta'"), ('eta=0', 'eta must be a posi'),
                              ('{"eta": {}}', "parameter 'likelihood_options' must be like")):
            with pytest.raises(GbsIrlError, match=text):
                likelihood(options)
        with pytest.raises(ParameterError, match="'likelihood_options' needs a likelihood, got "):
            LearnerParameters(likelihood_options='eta=2')
        boltzmann = LearnerParameters(likelihood='boltzmann', certainty=0.9)
        assert boltzmann.make_learner(load_task('grid_world')).ask() is not None
        with pytest.raises(GbsIrlError, match='what must never be entered has no value: use a'):
            boltzmann.make_learner(ROOM)

    def test_what_does_not_fit_the_task_is_refused(self):
        with pytest.raises(InvalidNoiseError, match=r'gamma_hat must be above .* got 0\.1'):
            LearnerParameters(gamma_hat=0.1).make_learner(ROOM)
        with pytest.raises(InvalidNoiseError, match='sigma_hat must be positive and finite'):
            LearnerParameters(sigma_hat=float('inf')).make_learner(ROOM)


def test_the_learner_is_as_they_say():
    learner = LearnerParameters(
        strategy='gbs3', strategy_options='c_hat=0.5', gamma_hat=0.85, certainty=0.5, seed=7,
        max_answers=9, true_gamma=0.75).make_learner(ROOM)
    assert learner.strategy.c_hat == 0.5
    assert learner.noise.gamma_hat == 0.85
    assert learner.stop == StopRule(None, None, 9, LosesNothing(0.5))
    assert (learner.seed, learner.true_gamma, learner.answers) == (7, 0.75, ())


PAPER = {'none_of_these': 0.0, 'learn_error_rate': False, 'closing_question': False}


@for_each(('values', 'caution'), [
    ({}, Caution(0.1, RatePrior(mean=0.1), closing_question=True)),
    (PAPER, PAPER_MODE), ({'likelihood': 'aggregated'}, PAPER_MODE),
    ({**PAPER, 'none_of_these': 0.3}, Caution(0.3)),
    ({**PAPER, 'closing_question': True}, Caution(closing_question=True)),
    ({**PAPER, 'learn_error_rate': True, 'gamma_hat': 0.8}, Caution(0.0, RatePrior(mean=0.2))),
    ({**PAPER, 'learn_error_rate': True, 'gamma_hat': 1.0}, Caution(0.0, RatePrior(mean=0.03)))])
def test_the_learner_is_as_careful_as_they_say(values, caution):
    made = LearnerParameters(**values).make_learner(ROOM).caution
    assert made.none_of_these == caution.none_of_these
    assert made.closing_question == caution.closing_question
    assert (made.error_rates is None) == (caution.error_rates is None)
    assert made.error_rates is None \
        or made.error_rates.mean == pytest.approx(caution.error_rates.mean)


def test_without_a_bound_of_the_real_chance_there_is_none():
    assert LearnerParameters(true_gamma=0.0).make_learner(ROOM).true_gamma is None


class TestJournalPath:
    def test_it_is_in_the_home_of_ros(self, monkeypatch, tmp_path):
        monkeypatch.setenv('ROS_HOME', str(tmp_path))
        assert LearnerParameters().journal_path(ROOM, '/') \
            == tmp_path / 'gbs_irl' / f'room-{ROOM.hash[:12]}.jsonl'

    @pytest.mark.parametrize('home', [None, ''])
    def test_which_is_dot_ros_unless_it_is_set(self, monkeypatch, home):
        if home is None:
            monkeypatch.delenv('ROS_HOME')
        else:
            monkeypatch.setenv('ROS_HOME', home)
        assert LearnerParameters().journal_path(ROOM, '/').parent \
            == Path.home() / '.ros' / 'gbs_irl'

    def test_or_in_the_folder_that_is_given(self, tmp_path):
        parameters = LearnerParameters(journal_dir=str(tmp_path))
        assert parameters.journal_path(ROOM, '/').parent == tmp_path
        assert LearnerParameters(journal_dir='~/mine').journal_path(ROOM, '/').parent \
            == Path(os.path.expanduser('~/mine'))

    @for_each(('namespace', 'folder'), [
        ('/', '.'), ('', '.'), ('/robot', 'robot'), ('/fleet/one', 'fleet/one')])
    def test_every_namespace_has_a_folder(self, tmp_path, namespace, folder):
        parameters = LearnerParameters(journal_dir=str(tmp_path))
        assert parameters.journal_path(ROOM, namespace).parent == tmp_path / folder

    def test_lessons_tasks_and_namespaces_never_share_one(self, tmp_path):
        paths = {LearnerParameters(journal_dir=str(tmp_path), lesson=lesson)
                 .journal_path(task, namespace)
                 for lesson in ('', 'one', 'two') for task in (ROOM, OTHER)
                 for namespace in ('/', '/robot', '/other')}
        assert len(paths) == 18

    def test_the_same_lesson_of_the_same_task_goes_on(self, tmp_path):
        parameters = LearnerParameters(journal_dir=str(tmp_path), lesson='one')
        again = LearnerParameters(journal_dir=str(tmp_path), lesson='one', strategy='gbs1')
        assert parameters.journal_path(ROOM, '/') \
            == again.journal_path(load_task('room'), '/') \
            == tmp_path / f'one-{ROOM.hash[:12]}.jsonl'

    def test_each_participant_of_a_study_has_a_lesson_of_their_own(self, tmp_path):
        given = {'journal_dir': str(tmp_path), 'study': 'P07'}
        assert LearnerParameters(**given).journal_path(ROOM, '/') \
            == tmp_path / f'room-P07-{ROOM.hash[:12]}.jsonl'
        assert LearnerParameters(**given, lesson='one').journal_path(ROOM, '/') \
            == tmp_path / f'one-{ROOM.hash[:12]}.jsonl'

    def test_a_lesson_that_began_before_places_counted_goes_on(self, tmp_path):
        parameters = LearnerParameters(journal_dir=str(tmp_path), lesson='one')
        old = tmp_path / f'one-{ROOM.content_hash[:12]}.jsonl'
        new = parameters.journal_path(ROOM, '/')
        old.touch()
        assert old != new
        assert parameters.journal_path(ROOM, '/') == old
        new.touch()
        assert parameters.journal_path(ROOM, '/') == new


def test_settings_are_all_of_them_and_can_be_written_to_a_journal():
    settings = LearnerParameters(lesson='one').settings()
    assert set(settings) == {field.name for field in dataclasses.fields(LearnerParameters)}
    assert json.loads(json.dumps(settings)) == settings
    assert settings['lesson'] == 'one'
