from __future__ import annotations

import math

import pytest
from cases import for_each
from hand_made import MadeTables

from gbs_irl_ros.experiments.claims import LARGE, MEDIUM, SECTIONS, SMALL, Section, Tables, Verdict
from gbs_irl_ros.experiments.summary import write_table
from gbs_irl_ros.experiments.sweeps import BOUNDS, SWEEPS, TIMED

AGREES, PARTLY, DIFFERS = Verdict.AGREES, Verdict.PARTLY, Verdict.DIFFERS
CLAIMS = {claim.says: claim for section in SECTIONS for claim in section.claims}
GRID = ('reward_sparse', 'reward_anywhere')


@pytest.fixture
def made():
    return MadeTables()


def claim_of(words):
    """Return the claim that begins so."""
    found, = (claim for says, claim in CLAIMS.items() if says.startswith(words))
    return found


def each(table, experiments, method=None, **columns):
    """Return a change of several experiments."""
    return [(table, experiment, method, columns) for experiment in experiments]


# ---- every claim --------------------------------------------------------------------------------

@for_each('says', CLAIMS)
def test_every_claim_is_confirmed_where_everything_is_as_the_paper_says(says, made, tmp_path):
    assert CLAIMS[says].verdict(made.write(tmp_path)) is AGREES


@for_each('says', CLAIMS)
def test_every_claim_is_put_in_words_without_gaps(says, made, tmp_path):
    for name in SWEEPS:     # half of the trials never came there: that has words too
        made.change('results', name, questions_95=math.inf, questions_99=math.inf)
    text = CLAIMS[says].measured(made.write(tmp_path))
    assert text
    assert not text.endswith(('.', ' '))
    for wrong in ('nan', 'inf', '  ', '_', 'None'):
        assert wrong not in text


def test_claims_are_sentences_and_no_two_are_the_same():
    assert len(CLAIMS) == sum(len(section.claims) for section in SECTIONS)
    for says, claim in CLAIMS.items():
        assert says.endswith('.')
        assert says[0].isupper()
        assert not claim.because or claim.because.endswith('.')


# Claim, verdict, and what has to be otherwise for it: all other numbers are as the paper says.
OTHERWISE = [
    ('Early on, GBS-IRL, IQBC', PARTLY, each('results', SMALL[:1], 'emg', accuracy_5=0.74)),
    ('Early on, GBS-IRL, IQBC', DIFFERS, each('results', SMALL, 'iqbc', accuracy_5=0.86)),
    ('Early on, GBS-IRL, IQBC', AGREES, each('results', SMALL, 'iqbc', accuracy_5=0.84)),
    ('GBS-IRL is slightly ahead', PARTLY, each('differences', SMALL[:1], 'emg', ahead_10=0.001)),
    ('GBS-IRL is slightly ahead', PARTLY, each('differences', SMALL, 'iqbc', ahead_5=0.001)),
    ('GBS-IRL is slightly ahead', PARTLY, each('differences', SMALL[1:], 'iqbc', ahead_10=-0.03)),
    ('GBS-IRL is slightly ahead', DIFFERS,
     each('differences', SMALL, 'emg', ahead_10=-0.05)
     + each('differences', SMALL, 'iqbc', ahead_5=-0.1)),
    ('In value the three', PARTLY, each('results', SMALL[:1], 'gbs', relative_loss_10=0.04)),
    ('In value the three', DIFFERS, each('results', SMALL, 'emg', relative_loss_10=0.16)),
    ('EMG takes many times', PARTLY,
     each('results', ('random_10x5',), 'emg', seconds_per_question=0.0024)),
    ('EMG takes many times', PARTLY,
     each('results', ('random_50x5',), 'emg', seconds_per_question=0.009)),
    ('EMG takes many times', DIFFERS, each('results', SMALL, 'emg', seconds_per_question=0.0024)),
    ('IQBC suffers more', PARTLY, each('differences', ('random_100x10',), 'iqbc', ahead_5=0.01)),
    ('IQBC suffers more', DIFFERS, each('differences', MEDIUM, 'iqbc', ahead_5=0.02)),
    # A lead of 0.02 more, with an uncertainty of sqrt(2) 0.015: chance may have done it.
    ('IQBC suffers more', DIFFERS, each('differences', MEDIUM, 'iqbc', ahead_5_ci=0.015)),
    ('IQBC suffers more', AGREES, each('differences', MEDIUM, 'iqbc', ahead_5_ci=0.014)),
    ('The same tendency', DIFFERS, each('differences', SMALL[1:], 'iqbc', ahead_5=0.011)),
    ('The same tendency', AGREES, each('differences', SMALL[1:], 'iqbc', ahead_5=0.014)),
    ('GBS-IRL itself hardly', AGREES, each('results', ('random_50x10',), questions_99=32.0)),
    ('GBS-IRL itself hardly', AGREES, each('results', MEDIUM[:3:2], questions_99=32.0)),
    ('GBS-IRL itself hardly', PARTLY, each('results', ('random_50x10',), questions_99=32.5)),
    ('GBS-IRL itself hardly', PARTLY, each('results', ('random_100x10',), questions_99=27.5)),
    ('GBS-IRL itself hardly', DIFFERS, each('results', MEDIUM[:3:2], questions_99=33.0)),
    ('GBS-IRL itself hardly', DIFFERS,
     each('results', ('random_50x10', 'random_100x10'), questions_99=math.inf)),
    # Where neither comes there nothing is known: inf - inf, which must not warn either.
    ('GBS-IRL itself hardly', PARTLY, each('results', MEDIUM[:2], questions_99=math.inf)),
    ('GBS-IRL itself hardly', DIFFERS, each('results', MEDIUM, questions_99=math.inf)),
    ('GBS-IRL and IQBC are very', PARTLY, each('differences', ('driver',), 'iqbc', ahead_20=-0.1)),
    ('GBS-IRL and IQBC are very', DIFFERS, each('differences', LARGE, 'iqbc', ahead_20=0.06)),
    ('The driver takes', AGREES, each('results', ('driver',), 'gbs', questions_99=13.0)),
    ('The driver takes', PARTLY, each('results', ('driver',), 'gbs', questions_99=14.0)),
    ('The driver takes', PARTLY, each('results', ('driver',), 'gbs', questions_99=4.0)),
    ('The driver takes', PARTLY, each('results', ('trap_world',), 'gbs', questions_99=40.0)),
    ('The driver takes', PARTLY, each('results', ('driver',), 'gbs', questions_99=20.0)),
    ('The driver takes', DIFFERS,
     each('results', ('driver', 'trap_world'), 'gbs', questions_99=40.0)),
    ('The driver takes', DIFFERS,
     each('results', ('driver', 'trap_world'), 'gbs', questions_99=math.inf)),
    ('Both methods single out', PARTLY, each('results', ('driver',), 'iqbc', accuracy_20=0.98)),
    ('Both methods single out', DIFFERS, each('results', LARGE, accuracy_20=0.99)),
    ('They do better here', DIFFERS, each('results', ('puddle_world',), 'gbs', questions_99=30.0)),
    ('They do better here', DIFFERS, each('results', ('random_50x5',), 'gbs', questions_99=20.0)),
    ('Actions, rewards and both', PARTLY,
     each('results', ('feedback',), 'reward', accuracy_100=0.35)),
    ('Actions, rewards and both', DIFFERS, each('results', ('feedback',), accuracy_100=0.3)),
    ('Unless rewards say very', PARTLY,
     each('differences', ('feedback',), 'reward', ahead_50=0.001)),
    ('Unless rewards say very', DIFFERS,
     each('differences', ('feedback',), 'reward', ahead_10=-0.1, ahead_50=-0.1)),
    ('With a sparse reward', PARTLY, each('results', GRID[:1], 'active', accuracy_50=0.9)),
    ('With a sparse reward', DIFFERS, each('results', GRID[:1], accuracy_50=0.95)),
    ('Active questions still', PARTLY, each('differences', GRID[:1], 'random', ahead_100=0.002)),
    ('Active questions still', DIFFERS, each('differences', GRID, 'random', ahead_100=-0.1)),
    ('With a shaped reward', AGREES, each('results', ('reward_shaped',), questions_95=10.0)),
    ('With a shaped reward', PARTLY,
     each('results', ('reward_shaped',), 'random', questions_95=10.5)),
    ('With a shaped reward', DIFFERS, each('results', ('reward_shaped',), questions_95=math.inf)),
    ('Theorem 2', AGREES, each('bounds', BOUNDS, 'gbs', highest_share=2.0)),
    ('Theorem 2', AGREES, each('bounds', BOUNDS, 'gbs1_cstar', highest_share=1.0)),
    ('Theorem 2', PARTLY, each('bounds', BOUNDS[:1], 'gbs1_cstar', highest_share=1.01)),
    ('Theorem 2', DIFFERS, each('bounds', BOUNDS, 'gbs1_cstar', highest_share=1.5)),
    ('With several optimal actions', PARTLY,
     each('results', ('supersets',), 'gbs', accuracy_100=0.9)),
    ('With several optimal actions', DIFFERS,
     each('results', ('supersets', 'driver_features'), 'gbs', accuracy_100=0.99)),
    ('Interesting domains', PARTLY, each('domains', ('trap_world',), neighbourly=1)),
    ('Interesting domains', PARTLY, each('domains', ('supersets',), c_high=0.99)),
    ('Interesting domains', DIFFERS,
     each('domains', (*SMALL, 'supersets'), c_high=0.9, neighbourly=1)),
]


@pytest.mark.slow
@for_each(('words', 'verdict', 'changes'), OTHERWISE)
def test_a_claim_is_judged_by_its_numbers(words, verdict, changes, tmp_path):
    made = MadeTables()
    for table, experiment, method, columns in changes:
        made.change(table, experiment, method, **columns)
    assert claim_of(words).verdict(made.write(tmp_path)) is verdict


def test_every_claim_can_be_wrong():
    differing = {words for words, verdict, _ in OTHERWISE if verdict is DIFFERS}
    assert {claim_of(words).says for words in differing} == set(CLAIMS)


# ---- in words -----------------------------------------------------------------------------------

@for_each(('words', 'text'), [
    ('Early on', 'accuracy after 5 questions, GBS / IQBC / EMG: 10 × 5: 0.800 / 0.800 / 0.800; '
                 '10 × 10: 0.800 / 0.800 / 0.800'),
    ('GBS-IRL is slightly ahead',
     'GBS ahead in accuracy after 5 and 10 questions: 10 × 5: of IQBC +0.010 ± 0.002 and '
     '+0.010 ± 0.002, of EMG +0.010 ± 0.002 and +0.020 ± 0.002; 10 × 10: of IQBC +0.030 ± 0.002 '
     'and +0.010 ± 0.002, of EMG +0.010 ± 0.002 and +0.020 ± 0.002'),
    ('EMG takes', 'time of a question, EMG over GBS: 10 × 5: 10.0 times; 10 × 10: 20.0 times; '
                  '50 × 5: 200.0 times'),
    ('The driver takes', 'median questions until accuracy stays at 0.99: puddle world: 15; '
                         'trap world: 20; driver: 10. Mean accuracy after 5, 10 and 20: '
                         'puddle world: 0.800 / 0.900 / 0.995; trap world: 0.800 / 0.900 / 0.995; '
                         'driver: 0.800 / 0.900 / 0.995'),
    ('With a sparse reward', 'accuracy after 20 and 50 questions: active 0.100 and 0.300; '
                             'random 0.100 and 0.300'),
    ('Actions, rewards', 'accuracy after 5, 20 and 100 random samples: actions 0.300 / 0.500 / '
                         '0.900; rewards 0.300 / 0.500 / 0.900; both 0.300 / 0.500 / 0.900'),
    ('Active questions', 'active ahead of random in accuracy after 50 and 100 questions: goal in '
                         'the corner +0.010 ± 0.002 and +0.010 ± 0.002; goal anywhere +0.010 ± '
                         '0.002 and +0.010 ± 0.002'),
    ('Theorem 2', 'questions until 5 % of the trials of version 1 are wrong, and until the bound '
                  'says so: corridor of 9 20 and 50; corridor of 33 20 and 50; corridor of 129 20 '
                  'and 50; cube 20 and 50'),
    ('With several', 'accuracy of GBS after 100 questions, aggregated / exact: random MDPs with '
                     'costs 1.000 / 1.000 (some policy contains the right one in 50 % of the '
                     'trials); driver, rivals of its features 1.000 / 1.000 (some policy contains '
                     'the right one in 50 % of the trials)')])
def test_numbers_in_words(words, text, made, tmp_path):
    assert claim_of(words).measured(made.write(tmp_path)) == text


def test_each_number_is_of_its_own_method_and_experiment(made, tmp_path):
    for number, method in enumerate(('gbs', 'iqbc', 'emg')):
        made.change('results', 'random_10x5', method, accuracy_5=0.1 + number / 100)
        made.change('results', 'random_10x10', method, relative_loss_10=0.5 + number / 100)
    tables = made.write(tmp_path)
    assert '10 × 5: 0.100 / 0.110 / 0.120;' in claim_of('Early on').measured(tables)
    assert '10 × 10: 0.500 / 0.510 / 0.520' in claim_of('In value').measured(tables)


def test_what_never_came_there_took_more_than_all_questions(made, tmp_path):
    made.change('results', 'trap_world', 'gbs', questions_99=math.inf)
    assert 'trap world: more than 100; driver: 10' in \
        claim_of('The driver takes').measured(made.write(tmp_path))


def test_a_coherence_is_told_as_a_number_or_an_interval(made, tmp_path):
    made.change('domains', 'driver', c_low=-0.5, c_high=0.125, neighbourly=60)
    made.change('domains', 'trap_world', c_low=0.495, c_high=0.504)
    text = claim_of('Interesting domains').measured(made.write(tmp_path))
    assert text.startswith('smallest k, c*: 10 × 5: 7, 0.25; ')
    assert text.endswith('trap world: 7, 0.50; driver: 60, in [-0.50, 0.12]; '
                         'random MDPs with costs: 7, 1.00')


# ---- numbers ------------------------------------------------------------------------------------

def test_a_number_is_found_by_experiment_method_and_column(made, tmp_path):
    made.change('results', 'driver', 'iqbc', accuracy_10=0.125, relative_loss_20=0.25,
                seconds_per_question=0.5, questions_95=7.0)
    made.change('differences', 'driver', 'random', ahead_50=-0.5, ahead_50_ci=0.125)
    made.change('domains', 'driver', classes=32)
    tables = made.write(tmp_path)
    assert tables.accuracy('driver', 'iqbc', 10) == 0.125
    assert tables.loss('driver', 'iqbc', 20) == 0.25
    assert tables.seconds('driver', 'iqbc') == 0.5
    assert tables.questions('driver', 'iqbc', 95) == 7.0
    assert tables.questions('driver') == 10.0
    assert tables.ahead('driver', 'random', 50) == (-0.5, 0.125)
    assert tables.number('domains', 'driver', 'classes') == 32.0
    assert tables.accuracy('driver', 'gbs', 10) == 0.9


@for_each(('wanted', 'text'), [
    (lambda t: t.accuracy('driver', 'emg', 5), 'results.csv has no accuracy_5 of driver, emg'),
    (lambda t: t.loss('nowhere', 'gbs', 10),
     'results.csv has no relative_loss_10 of nowhere, gbs'),
    (lambda t: t.questions('nowhere'), 'results.csv has no questions_99 of nowhere, gbs'),
    (lambda t: t.seconds('driver', 'emg'),
     'results.csv has no seconds_per_question of driver, emg'),
    (lambda t: t.ahead('driver', 'gbs', 5), 'differences.csv has no ahead_5 of driver, gbs'),
    (lambda t: t.number('supersets', 'nowhere', 'accuracy_with'),
     'supersets.csv has no accuracy_with of nowhere, gbs')])
def test_a_number_that_is_missing_is_named(wanted, text, made, tmp_path):
    with pytest.raises(KeyError) as caught:
        wanted(made.write(tmp_path))
    assert caught.value.args == (text,)


@for_each('others', [[], [
    {'experiment': 'driver', 'method': 'iqbc', 'accuracy_100': 0.5},
    {'experiment': 'trap_world', 'method': 'gbs', 'accuracy_100': 0.5}]])
def test_a_column_that_is_missing_is_named_in_the_same_way(others, tmp_path):
    # What a run of fewer questions writes, alone and beside others of more.
    write_table(tmp_path / 'results.csv',
                [{'experiment': 'driver', 'method': 'gbs', 'accuracy_5': 0.5}, *others])
    assert Tables(tmp_path).accuracy('driver', 'gbs', 5) == 0.5
    with pytest.raises(KeyError) as caught:
        Tables(tmp_path).accuracy('driver', 'gbs', 100)
    assert caught.value.args == ('results.csv has no accuracy_100 of driver, gbs',)


@for_each('says', CLAIMS)
def test_a_claim_without_numbers_is_an_error_and_not_a_verdict(says, tmp_path):
    with pytest.raises(KeyError, match=r'\.csv has no '):
        CLAIMS[says].verdict(Tables(tmp_path))
    with pytest.raises(KeyError, match=r'\.csv has no '):
        CLAIMS[says].measured(Tables(tmp_path))


def test_a_table_is_read_once(made, tmp_path):
    tables = made.write(tmp_path)
    before = tables.accuracy('driver', 'gbs', 5)
    (tmp_path / 'results.csv').unlink()
    assert tables.accuracy('driver', 'gbs', 5) == before


# ---- verdicts and sections ----------------------------------------------------------------------

@for_each(('parts', 'expected'), [
    ((True,), AGREES), ((False,), DIFFERS), ((True, True), AGREES), ((True, False), PARTLY),
    ((False, True), PARTLY), ((False, False), DIFFERS), ((True, True, False), PARTLY),
    ((False, False, True), PARTLY), ((False,) * 3, DIFFERS), ((True,) * 3, AGREES)])
def test_a_verdict_of_parts(parts, expected):
    assert Verdict.of(*parts) is expected


def named_by(section):
    begin = 'make paper ONLY='
    assert section.command.startswith(begin)
    return section.command.removeprefix(begin).split(',')


@for_each('section', SECTIONS, ids=lambda section: section.title)
def test_the_command_of_a_section_names_experiments_that_exist(section):
    names = named_by(section)
    assert [name for name in names if name not in SWEEPS] == []
    assert len(set(names)) == len(names)
    assert [figure for figure in section.figures if figure in SWEEPS and figure not in names] == []


def test_every_experiment_is_part_of_a_section():
    assert {name for section in SECTIONS for name in named_by(section)} == set(SWEEPS)


def test_the_command_makes_what_figures_of_several_experiments_show():
    assert Section('', ('bound',), ()).command == f'make paper ONLY={",".join(BOUNDS)}'
    assert Section('', ('likelihoods', 'bound'), ()).command == (
        f'make paper ONLY=supersets,driver_features,{",".join(BOUNDS)}')
    assert Section('', ('driver_features', 'likelihoods'), ()).command == (
        'make paper ONLY=driver_features,supersets')
    assert Section('', ('time',), ()).command == f'make paper ONLY={",".join(TIMED)}'
    assert Section('', ('driver', 'time'), ()).command == (
        f'make paper ONLY=driver,{",".join(TIMED[:-1])}')


def test_time_has_a_section_of_its_own():
    # Else the command for the small MDPs would run the large domains too.
    section, = (section for section in SECTIONS if 'time' in section.figures)
    assert section.title == 'Computing time'
    assert section.figures == ('time',)
    assert section.claims == (claim_of('EMG takes many times'),)
    assert {*SMALL, 'random_50x5'} <= set(TIMED)        # of which it speaks
    assert SECTIONS[0].command == f'make paper ONLY={",".join(SMALL)}'


def test_groups_of_experiments_are_all_there_are_of_their_kind():
    assert {name for name in SWEEPS if name.startswith('bound_')} == set(BOUNDS)
    assert {name for name in SWEEPS if name.startswith('random_')} == {*SMALL, *MEDIUM}
    assert {*LARGE, *TIMED} <= set(SWEEPS)
