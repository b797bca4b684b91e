"""What every kind of answer must have: adding one and forgetting a part of it fails here."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path
from typing import get_type_hints

import numpy as np
import pytest
from cases import for_each

from gbs_irl_ros.core import CAREFUL, Learner, Problem
from gbs_irl_ros.core.answer_kind import AnswerKind
from gbs_irl_ros.core.answers import ANSWER_KEYS, KINDS, Answer, answer_to, check_answers, offers
from gbs_irl_ros.core.errors import GbsIrlError, InvalidAnswerError
from gbs_irl_ros.core.hypotheses import Hypotheses
from gbs_irl_ros.core.likelihoods import log_likelihood
from gbs_irl_ros.core.mdp import Mdp
from gbs_irl_ros.core.noise import NoiseModel
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.core.rewards import Rewards
from gbs_irl_ros.learning.events import event_from_json, event_to_json
from gbs_irl_ros.learning.json_values import answer_from_json, to_json
from gbs_irl_ros.learning.records import AnswerRecord
from gbs_irl_ros.teaching import keys

MESSAGE = (Path(__file__).parents[2] / 'msg' / 'Answer.msg').read_text()
NAMES, KEYS = ('left', 'right', 'stay'), ('a', 'd', 's')
LEFT, RIGHT, STAY = range(3)
MDP = Mdp.from_successors(
    np.array([[max(state - 1, 0), min(state + 1, 4), state] for state in range(5)]), 0.9)
QUESTIONS = {
    QuestionKind.ACTION: Question(QuestionKind.ACTION, 3),
    QuestionKind.YES_NO: Question(QuestionKind.YES_NO, 3, LEFT),
    QuestionKind.REWARD: Question(QuestionKind.REWARD, 3),
    QuestionKind.DEMONSTRATION: Question(QuestionKind.DEMONSTRATION, 3, steps=2),
    QuestionKind.CONFIRM: Question(QuestionKind.CONFIRM, 3, route=((3, RIGHT), (4, STAY))),
    QuestionKind.PLACE: Question(QuestionKind.PLACE, 3, options=(0, 4), labels=('bed', 'desk')),
    QuestionKind.TASK: Question(QuestionKind.TASK, 3, options=(1, 4), labels=('tidy', 'rest')),
    QuestionKind.COMPARE: Question(QuestionKind.COMPARE, 3, route=((3, RIGHT), (4, STAY)),
                                   other_route=((3, LEFT), (2, STAY)))}
GIVEN = {bool: True, float: 0.5, tuple[tuple[int, int], ...]: ((3, RIGHT), (4, STAY)),
         tuple[int, ...]: (3, 4), str: 'to the desk'}
PLACE = TASK = 4
# A number is typed, steps are walked, several actions marked, places pointed at, words written;
# others have a key.
TYPED = {'reward', 'demonstration', 'either', 'wrong_here', 'never_here', 'on_the_way', 'words'}
# It has a key where it was asked for.
KEYED = {'go_here': QuestionKind.PLACE}

every_kind = for_each('kind', KINDS)


def concrete_kinds(base):
    """Return the classes below this one that can be made."""
    below = {each for made in base.__subclasses__() for each in concrete_kinds(made)}
    return below or {base}


def given_for(kind: str) -> dict:
    """Return something that a teacher may give, by the types of the fields; ints are actions."""
    types = get_type_hints(KINDS[kind])
    actions = iter((RIGHT, STAY))
    return {name: PLACE if name in ('place', 'task') else (RIGHT, STAY) if name == 'actions'
            else next(actions) if types[name] is int else GIVEN[types[name]]
            for name in KINDS[kind].given}


def answers_of(kind: str) -> list[tuple[Question, Answer]]:
    return [(QUESTIONS[asked], answer_to(QUESTIONS[asked], kind, **given_for(kind)))
            for asked in KINDS[kind].fits]


def test_every_class_is_in_the_table():
    assert set(KINDS.values()) == set(concrete_kinds(AnswerKind))


def test_every_kind_of_question_is_tried_here():
    assert set(QUESTIONS) == set(QuestionKind)


@every_kind
def test_it_is_a_frozen_dataclass_of_what_is_given_and_what_the_question_says(kind):
    made = KINDS[kind]
    assert made.__dataclass_params__.frozen
    fields = {field.name for field in dataclasses.fields(made)}
    asked = {'question'} | {field.name for field in dataclasses.fields(Question)}
    assert set(made.given) <= fields
    assert fields - set(made.given) <= asked


@every_kind
def test_it_answers_the_questions_that_it_fits_and_no_others(kind):
    assert KINDS[kind].fits
    for asked, question in QUESTIONS.items():
        if asked in KINDS[kind].fits:
            check_answers(question, answer_to(question, kind, **given_for(kind)))
        else:
            with pytest.raises(InvalidAnswerError, match=(
                    f"an answer of kind '{kind}' does not fit a question of kind "
                    f"'{asked.value}'")):
                answer_to(question, kind, **given_for(kind))


@every_kind
def test_it_is_given_what_it_needs_and_nothing_else(kind):
    question = QUESTIONS[KINDS[kind].fits[0]]
    for given in ({**given_for(kind), 'mood': 1}, {'mood': 1}):
        with pytest.raises(InvalidAnswerError, match=(
                f"an answer of kind '{kind}' must be given .*, got .*'mood'")):
            answer_to(question, kind, **given)


@every_kind
def test_it_is_checked_against_the_world(kind):
    elsewhere = Mdp.from_successors(np.zeros((2, 3), dtype=int), 0.9)
    for _, answer in answers_of(kind):
        answer.check_fits(MDP)
        if kind == 'words':         # they are about tasks alone
            continue
        with pytest.raises(GbsIrlError, match=r'state.* must be in 0 \.\. 1, got 3'):
            answer.check_fits(elsewhere)


@every_kind
def test_it_has_a_likelihood(kind):
    goals = Rewards.from_dense(np.eye(5), MDP.num_actions)
    hypotheses = Hypotheses.from_rewards(MDP, goals)
    for _, answer in answers_of(kind):
        assert np.all(log_likelihood(hypotheses, NoiseModel(), answer) <= 0.0)
        careful = Learner(Problem(hypotheses), caution=CAREFUL).tell(answer)
        assert np.isfinite(careful.certainty)


def test_it_has_words_of_its_own():
    words = {kind: answers_of(kind)[0][1].words(NAMES) for kind in KINDS}
    assert all(words.values())
    assert len(set(words.values())) == len(KINDS), words


@every_kind
def test_it_comes_back_from_the_journal_and_from_the_page(kind):
    for _, answer in answers_of(kind):
        values = json.loads(json.dumps(to_json(answer)))
        assert values['kind'] == kind
        assert answer_from_json(values) == answer
        record = AnswerRecord('s-0', answer, 'page', 5)
        assert event_from_json(json.loads(json.dumps(event_to_json(record)))) == record


def test_each_has_a_constant_of_its_own_and_its_fields_in_the_message():
    constants = dict(re.findall(r'^uint8 ([A-Z_]+)=(\d+)', MESSAGE, re.M))
    assert set(constants) == {kind.upper() for kind in KINDS}
    assert len(set(constants.values())) == len(KINDS)
    fields = set(re.findall(r'^\S+ (\w+) +#', MESSAGE, re.M))
    assert {name for made in KINDS.values() for name in made.given} <= fields


@every_kind
def test_a_person_can_give_it(kind):
    for asked in KINDS[kind].fits:
        offered = [offer for offer in offers(QUESTIONS[asked], NAMES, KEYS)
                   if offer.answer.kind == kind]
        assert bool(offered) != (kind in TYPED or KEYED.get(kind, asked) is not asked)
        for offer in offered:
            check_answers(QUESTIONS[asked], offer.answer)
            assert offer.key
            assert offer.label


@for_each('question', QUESTIONS.values())
def test_no_key_means_two_answers_or_something_else(question):
    offered = [offer.key for offer in offers(question, NAMES, KEYS)]
    assert len(set(offered)) == len(offered)
    assert not set(KEYS) & keys.RESERVED
    assert not ANSWER_KEYS & keys.COMMANDS
    assert ANSWER_KEYS <= keys.RESERVED | keys.DIGITS       # no action is asked for with a digit
