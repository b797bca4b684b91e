from __future__ import annotations

import io
import re
from dataclasses import asdict, replace

import joblib
import numpy as np
import pytest
from cases import for_each
from hand_made import facts_of, small

from gbs_irl_ros.core import Hypotheses
from gbs_irl_ros.core.theory.coherence import Coherence
from gbs_irl_ros.core.theory.neighbours import neighbourliness
from gbs_irl_ros.experiments import domain_facts as module
from gbs_irl_ros.experiments.built_problems import ThresholdCorridor, VoteCube
from gbs_irl_ros.experiments.domain_facts import DomainFacts, domain_facts, find_facts, known_facts
from gbs_irl_ros.experiments.domains import RandomMdps
from gbs_irl_ros.experiments.progress import Progress
from gbs_irl_ros.experiments.summary import read_table, write_table
from gbs_irl_ros.experiments.sweeps import SWEEPS
from gbs_irl_ros.experiments.trial import draw_trial, first_problem, run_trial

CORRIDOR = small('bound_corridor_9', domain=ThresholdCorridor(5), steps=1)
TINY = small('random_10x5', domain=RandomMdps(6, 3, count=12), steps=1)
MIXED = small('supersets', domain=RandomMdps(10, 3, low=-1.0, most=2, count=30), steps=1)


def without_time(facts):
    assert facts.seconds > 0.0
    return replace(facts, seconds=0.0)


# ---- the facts ----------------------------------------------------------------------------------

def test_the_facts_of_a_corridor_by_hand():
    assert without_time(domain_facts(CORRIDOR)) == DomainFacts(
        'bound_corridor_9', states=5, actions=2, rewards=4, policies=4, classes=5, one_action=1.0,
        c_low=-1.0, c_high=-1.0, neighbourly=1, supersets=0, seconds=0.0)


def test_the_facts_of_a_vote_cube_by_hand():
    # 4 policies, of which 2 or 3 take action 1: 6 + 4 states, and c* = (2 - 2) / 4.
    found = domain_facts(replace(CORRIDOR, domain=VoteCube(4, 2, 3)))
    assert (found.states, found.rewards, found.policies, found.classes) == (10, 4, 4, 10)
    assert found.c_low == found.c_high == pytest.approx(0.0, abs=1e-9)
    assert (found.neighbourly, found.supersets) == (1, 0)


def first_hypotheses(sweep):
    """Return the hypotheses of the first trial."""
    mdp, draw = draw_trial(sweep, 0, 0)
    return Hypotheses.from_rewards(mdp, draw.rewards, draw.prior)


@pytest.mark.parametrize('sweep', [TINY, MIXED], ids=lambda sweep: sweep.name)
def test_the_facts_of_random_mdps_are_those_of_the_core(sweep):
    found, hypotheses = domain_facts(sweep), first_hypotheses(sweep)
    sets = hypotheses.sets
    domain = sweep.domain
    assert (found.states, found.actions, found.rewards) == (
        domain.states, domain.actions, domain.count)
    assert (found.policies, found.classes) == (hypotheses.num_policies, sets.num_classes)
    assert found.c_low - 1e-9 <= hypotheses.coherence.upper
    assert hypotheses.coherence.lower <= found.c_high + 1e-9
    assert found.c_high - found.c_low <= module.TOLERANCE
    assert found.neighbourly == neighbourliness(sets)
    of_one = [bin(int(bits)).count('1') == 1 for bits in sets.bits.flat]
    assert found.one_action == pytest.approx(np.mean(of_one))
    policies = [sets.policy_sets(policy).astype(int) for policy in range(sets.num_policies)]
    contained = sum(bool(((wide & narrow) == narrow).all())
                    for a, wide in enumerate(policies) for b, narrow in enumerate(policies)
                    if a != b)
    assert found.supersets == contained


def test_costs_make_policies_that_contain_others():
    # Else nothing above says anything about them.
    assert domain_facts(MIXED).supersets > 0
    assert domain_facts(MIXED).one_action < 1.0


@pytest.mark.parametrize('sweep', [TINY, MIXED], ids=lambda sweep: sweep.name)
def test_the_facts_are_about_the_trial_that_is_run_first(sweep):
    # A line of times: experiment, mdp, trial, seed, method, policies, supersets, seconds.
    line = run_trial(sweep, 0).times.splitlines()[0].split(',')
    assert domain_facts(sweep).policies == int(line[5])


def test_facts_do_not_depend_on_the_run():
    assert without_time(domain_facts(TINY)) == without_time(domain_facts(TINY))


# ---- quick --------------------------------------------------------------------------------------

@for_each(('quick', 'most', 'expected'), [
    (True, 4, -1), (True, 5, 1), (False, 4, 1)])
def test_quick_does_not_look_for_neighbours_of_many_classes(monkeypatch, quick, most, expected):
    monkeypatch.setattr(module, 'MAX_CLASSES', most)
    assert domain_facts(CORRIDOR, quick).neighbourly == expected


@pytest.mark.parametrize(('quick', 'rounds'), [(True, module.QUICK_ROUNDS),
                                               (False, module.ROUNDS)])
def test_quick_solves_fewer_linear_programs(monkeypatch, quick, rounds):
    asked = []

    def recorded(sets, **options):
        asked.append(options)
        return Coherence(-0.5, 0.75)
    monkeypatch.setattr(module, 'coherence', recorded)
    found = domain_facts(CORRIDOR, quick)
    assert asked == [{'tolerance': module.TOLERANCE, 'max_rounds': rounds}]
    assert (found.c_low, found.c_high) == (-0.5, 0.75)
    assert module.QUICK_ROUNDS < module.ROUNDS


# ---- finding them -------------------------------------------------------------------------------

@pytest.fixture
def asked(monkeypatch):
    """A list of what is looked into, none of which takes any time."""
    calls = []

    def recorded(sweep, quick):
        calls.append((sweep.name, quick))
        return DomainFacts(**facts_of(sweep.name, classes=len(calls)))
    monkeypatch.setattr(module, 'domain_facts', recorded)
    return calls


def sweeps_of(*names):
    return [SWEEPS[name] for name in names]


def found_in(folder, *names, quick=False, said=None):
    return find_facts(sweeps_of(*names), folder, quick,
                      Progress(io.StringIO() if said is None else said))


def names_in(records):
    return [record['experiment'] for record in records]


@pytest.mark.slow
def test_facts_are_written_and_not_looked_for_again(tmp_path, asked):
    first = found_in(tmp_path, 'random_10x5', 'driver')
    assert asked == [('random_10x5', False), ('driver', False)]
    assert names_in(first) == ['random_10x5', 'driver']
    assert first == read_table(tmp_path / 'domains.csv')
    before = (tmp_path / 'domains.csv').read_bytes()
    assert found_in(tmp_path, 'random_10x5', 'driver') == first
    assert len(asked) == 2
    assert (tmp_path / 'domains.csv').read_bytes() == before


@pytest.mark.slow
def test_only_what_is_missing_is_found_and_only_what_is_asked_for_returned(tmp_path, asked):
    found_in(tmp_path, 'trap_world')
    found = found_in(tmp_path, 'driver', 'random_50x5')
    assert asked == [('trap_world', False), ('driver', False), ('random_50x5', False)]
    # in the order of the experiments, whoever came first
    assert names_in(found) == ['random_50x5', 'driver']
    assert names_in(read_table(tmp_path / 'domains.csv')) == [
        'random_50x5', 'trap_world', 'driver']
    known = found_in(tmp_path, 'driver', 'trap_world', 'random_50x5')
    assert names_in(known) == ['random_50x5', 'trap_world', 'driver']
    assert len(asked) == 3


def test_facts_of_experiments_that_are_no_more_are_dropped(tmp_path, asked):
    found_in(tmp_path, 'driver')
    path = tmp_path / 'domains.csv'
    write_table(path, [{**facts_of('gone'), 'settings': 's1'}, *read_table(path)])
    found_in(tmp_path, 'driver', 'supersets')
    assert asked == [('driver', False), ('supersets', False)]
    assert names_in(read_table(tmp_path / 'domains.csv')) == ['driver', 'supersets']


# ---- of what they are ---------------------------------------------------------------------------

def test_facts_of_a_domain_that_was_changed_are_found_anew(tmp_path):
    longer = replace(CORRIDOR, domain=ThresholdCorridor(7))
    for sweep in (CORRIDOR, longer, CORRIDOR):
        record, = find_facts([sweep], tmp_path, False, Progress(io.StringIO()))
        assert record['states'] == sweep.domain.length
        assert known_facts([sweep], tmp_path, False) == [record]
        assert read_table(tmp_path / 'domains.csv') == [record]
    assert known_facts([longer], tmp_path, False) == []


@pytest.mark.parametrize(('changes', 'looks'), [
    ({'domain': ThresholdCorridor(6)}, 2), ({'domain': VoteCube(5, 1, 2)}, 2),
    ({'domain': TINY.domain}, 2), ({'domain': ThresholdCorridor(5)}, 1), ({'seed': 2}, 1),
    ({'trials': 9, 'steps': 7, 'title': 'Other words', 'gamma': 0.8, 'num_mdps': 3}, 1)])
def test_facts_are_found_anew_where_the_first_trial_is_another(tmp_path, asked, changes, looks):
    changed = replace(CORRIDOR, **changes)
    for sweep in (CORRIDOR, changed, changed):
        find_facts([sweep], tmp_path, False, Progress(io.StringIO()))
    assert len(asked) == looks


def test_facts_of_quick_mode_are_not_taken_for_the_others_nor_the_others_for_them(tmp_path,
                                                                                  asked):
    for number, quick in enumerate((True, False, True), start=1):
        assert known_facts(sweeps_of('driver'), tmp_path, quick) == []
        found, = found_in(tmp_path, 'driver', quick=quick)
        assert asked[-1] == ('driver', quick)
        assert found['classes'] == number       # of this look, and not of one before
        assert found_in(tmp_path, 'driver', quick=quick) == [found]
        assert len(asked) == number
        assert read_table(tmp_path / 'domains.csv') == [found]


def test_facts_that_do_not_say_of_what_they_are_are_found_anew(tmp_path, asked):
    write_table(tmp_path / 'domains.csv', [facts_of('driver'), facts_of('supersets')])
    assert known_facts(sweeps_of('driver', 'supersets'), tmp_path, False) == []
    found_in(tmp_path, 'driver')
    assert asked == [('driver', False)]
    # The others are kept, and still nobody's.
    assert names_in(read_table(tmp_path / 'domains.csv')) == ['driver', 'supersets']
    assert names_in(known_facts(sweeps_of('driver', 'supersets'), tmp_path, False)) == ['driver']


def test_known_facts_are_those_of_the_sweeps_that_are_asked_for(tmp_path, asked):
    assert known_facts(sweeps_of('driver'), tmp_path, False) == []
    assert list(tmp_path.iterdir()) == []
    found_in(tmp_path, 'driver', 'random_10x5', 'supersets')
    found = known_facts(sweeps_of('supersets', 'random_10x5', 'trap_world'), tmp_path, False)
    assert names_in(found) == ['random_10x5', 'supersets']
    assert known_facts([], tmp_path, False) == []
    assert len(asked) == 3


@pytest.mark.slow
@pytest.mark.parametrize('quick', [False, True])
def test_every_experiment_has_a_mark_that_stays_a_word(tmp_path, asked, quick):
    found = found_in(tmp_path, *SWEEPS, quick=quick)
    assert names_in(found) == list(SWEEPS)
    # s: digits alone, or 12e4567, would come back as numbers
    assert all(re.fullmatch('s[0-9a-f]{12}', record['settings']) for record in found)
    problems = {first_problem(sweep) for sweep in SWEEPS.values()}
    assert len({record['settings'] for record in found}) == len(problems)


# ---- on the way ---------------------------------------------------------------------------------

def test_a_search_that_was_stopped_goes_on(tmp_path, asked, monkeypatch):
    find = module.domain_facts

    def stopped(sweep, quick):
        if sweep.name == 'driver':
            raise KeyboardInterrupt
        return find(sweep, quick)
    monkeypatch.setattr(module, 'domain_facts', stopped)
    names = ('random_10x5', 'driver', 'supersets')
    with joblib.parallel_config(n_jobs=1), pytest.raises(KeyboardInterrupt):
        found_in(tmp_path, *names)
    assert names_in(read_table(tmp_path / 'domains.csv')) == ['random_10x5']
    monkeypatch.setattr(module, 'domain_facts', find)
    assert names_in(found_in(tmp_path, *names)) == list(names)
    assert [name for name, _ in asked] == list(names)


def test_it_says_how_far_it_is(tmp_path, asked):
    found_in(tmp_path, 'driver')
    said = io.StringIO()
    found_in(tmp_path, 'driver', 'supersets', said=said)
    assert said.getvalue().splitlines() == [
        'paper: Coherence and neighbours: 2 experiments, going on after 1',
        'paper: Coherence and neighbours: 2 of 2 experiments, 0 s']


def test_joblib_decides_who_works(tmp_path):
    sweeps = [CORRIDOR, TINY]
    with joblib.parallel_config(backend='threading', n_jobs=2):
        found = find_facts(sweeps, tmp_path, False, Progress(io.StringIO()))
    assert names_in(found) == ['random_10x5', 'bound_corridor_9']
    for sweep in sweeps:
        record, = (record for record in found if record['experiment'] == sweep.name)
        expected = asdict(domain_facts(sweep))
        for key in set(expected) - {'seconds', 'experiment'}:
            assert record[key] == pytest.approx(expected[key], abs=1e-5), key
