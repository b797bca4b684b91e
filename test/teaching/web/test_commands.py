"""What a page sends is checked whole before anything happens."""

from __future__ import annotations

import json
import math
import time

import pytest
from cases import for_each
from hypothesis import given, settings, strategies as st
from waiting import patience

from gbs_irl_ros.core.answers import KINDS, ActionAnswer, AllTheSameAnswer, DemonstrationAnswer
from gbs_irl_ros.teaching.web import commands
from gbs_irl_ros.teaching.web.commands import Command, RefusedError, read_json

HUGE = 10 ** 4000
DEEP = '[' * 30_000 + ']' * 30_000
FULL = Command(lambda **fields: fields, {'words': commands.text, 'times': commands.whole},
               {'answer': commands.answer, 'states': commands.wholes, 'steps': commands.steps})
LEAST = {'words': 'a', 'times': 0}


def refusal(function, *given_to_it):
    """Return why something is refused."""
    with pytest.raises(RefusedError) as caught:
        function(*given_to_it)
    assert caught.value.status == 400
    assert str(caught.value) == caught.value.message
    return caught.value.message


# ---- single fields --------------------------------------------------------------------------

@for_each(('check', 'value'), [
    (commands.text, 'a'), (commands.text, 'ä' * 200), (commands.text, '<b> 漢'),
    (commands.whole, 0), (commands.whole, 2 ** 32 - 1),
    (commands.wholes, []), (commands.wholes, [0, 7]), (commands.wholes, [1] * 1000),
    (commands.steps, []), (commands.steps, [[0, 1], [2, 3]]), (commands.steps, [[1, 2]] * 1000)])
def test_what_is_right_is_passed_on_as_it_is(check, value):
    assert check('it', value) == value


TEXT = 'it must be a text of 1 to 200 characters that can be shown'


@for_each('value', ['', 'a' * 201, 1, None, True, ['a'], {'a': 'b'}, b'a',
                    'a\0b', 'a\nb', 'a\ud800'])
def test_a_text_is_short_and_not_empty(value):
    assert refusal(commands.text, 'it', value) == TEXT


@for_each(('value', 'got'), [
    (-1, '-1'), (2 ** 32, '4294967296'), (1.0, '1.0'), (True, 'true or false'),
    (False, 'true or false'), (None, 'null'), ('1', 'a text'), ([1], 'a list'),
    ({}, 'an object'), (math.inf, 'inf'), (math.nan, 'nan')])
def test_a_whole_number_is_not_negative_and_fits_its_field(value, got):
    assert refusal(commands.whole, 'it', value) == (
        f'it must be a whole number from 0 on, got {got}')


@for_each('value', [0, 1, None, 'true', []])
def test_a_flag_is_true_or_false(value):
    assert commands.flag('it', True) is True
    assert refusal(commands.flag, 'it', value).startswith('it must be true or false, got ')


def test_a_number_of_4000_digits_is_refused_in_a_short_sentence():
    assert len(refusal(commands.whole, 'it', HUGE)) < 100


def test_an_answer_is_that_of_a_journal():
    assert commands.answer('answer', {'kind': 'action', 'state': 3, 'action': 1}) == (
        ActionAnswer(3, 1))
    assert commands.answer('answer', {'kind': 'demonstration', 'steps': [[3, 1]] * 1000}) == (
        DemonstrationAnswer(((3, 1),) * 1000))


@for_each(('value', 'message'), [
    (None, 'an answer must be an object, got None'),
    ({}, f'kind of an answer must be one of {sorted(KINDS)}, got None'),
    ({'kind': 'yes'}, f"kind of an answer must be one of {sorted(KINDS)}, got 'yes'"),
    ({'kind': 'action', 'state': 3},
     "an answer of kind 'action' must have the field 'action', got {'state': 3}"),
    ({'kind': 'action', 'state': 3, 'action': 1, 'by': 'me'},
     "an answer of kind 'action' has no field 'by'; expected ['state', 'action']"),
    ({'kind': 'action', 'state': 3, 'action': True}, 'action must be a whole number, got True'),
    ({'kind': 'reward', 'state': 3, 'reward': '1'}, "reward must be a number, got '1'"),
    ({'kind': 'later', 'question': {'kind': 'yes_no', 'state': 3}},
     'a yes/no question must name an action, got None'),
    ({'kind': 'demonstration', 'steps': []},
     'a demonstration must have at least one step, got none'),
    ({'kind': 'demonstration', 'steps': [[3, 1]] * 1001}, 'steps must be a list of at most 1000'),
    ({'kind': 'demonstration', 'steps': [[3, 1, 1]]},
     'steps[0] must be [state, action], got 3 numbers')])
def test_what_is_no_answer_is_refused(value, message):
    assert refusal(commands.answer, 'answer', value) == message


def test_a_long_answer_is_refused_in_a_short_sentence():
    assert len(refusal(commands.answer, 'answer', {'kind': 'x' * 10_000})) <= 400


@for_each(('value', 'message'), [
    (None, 'it must be a list of at most 1000'), ('12', 'it must be a list of at most 1000'),
    ({'0': 1}, 'it must be a list of at most 1000'),
    ([1] * 1001, 'it must be a list of at most 1000'),
    ([0, -1], 'it[1] must be a whole number from 0 on, got -1'),
    ([[0]], 'it[0] must be a whole number from 0 on, got a list')])
def test_a_list_of_whole_numbers_names_the_first_that_is_none(value, message):
    assert refusal(commands.wholes, 'it', value) == message


@for_each(('value', 'message'), [
    (7, 'it must be a list of at most 1000'),
    ([[1, 2]] * 1001, 'it must be a list of at most 1000'),
    ([[1, 2], 3], 'it[1] must be a list of at most 1000'),
    ([[1, 2], [3]], 'it[1] must be [state, action], got 1 numbers'),
    ([[1, 2, 3]], 'it[0] must be [state, action], got 3 numbers'),
    ([[]], 'it[0] must be [state, action], got 0 numbers'),
    ([[1, 2], [3, -4]], 'it[1][1] must be a whole number from 0 on, got -4'),
    ([['a', 2]], 'it[0][0] must be a whole number from 0 on, got a text')])
def test_steps_are_pairs_of_whole_numbers(value, message):
    assert refusal(commands.steps, 'it', value) == message


# ---- whole requests -------------------------------------------------------------------------

def test_the_fields_of_a_request_are_checked_and_no_others_appear():
    body = {'words': 'a', 'times': 2, 'answer': {'kind': 'all_the_same', 'state': 3},
            'states': [3], 'steps': [[4, 5]]}
    assert FULL.checked(body) == {**body, 'answer': AllTheSameAnswer(3)}
    assert FULL.checked(LEAST) == LEAST
    assert Command(lambda: None).checked({}) == {}


@for_each(('body', 'got'), [
    ([], 'a list'), ([['words', 'a']], 'a list'), ('words', 'a text'), (1, '1'), (None, 'null'),
    (True, 'true or false'), (0.5, '0.5')])
def test_a_request_must_be_an_object(body, got):
    assert refusal(FULL.checked, body) == f'the request must be a JSON object, got {got}'


@pytest.mark.parametrize('missing', ['words', 'times'])
def test_a_missing_field_is_named(missing):
    body = {name: value for name, value in LEAST.items() if name != missing}
    assert refusal(FULL.checked, body) == f'the field {missing!r} is missing'


def test_an_unknown_field_is_named_with_those_that_are_known():
    assert refusal(FULL.checked, {**LEAST, 'wrods': 1}) == (
        "unknown field 'wrods'; expected ['answer', 'states', 'steps', 'times', 'words']")
    assert refusal(Command(print).checked, {'self': 1}) == "unknown field 'self'; expected none"
    assert len(refusal(Command(print).checked, {'x' * 60_000: 1})) < 100


@for_each('name', ['__class__', 'run', 'Words', ' words', 'words\0', ''])
def test_no_name_but_the_exact_one_is_known(name):
    assert 'unknown field' in refusal(FULL.checked, {**LEAST, name: 1})


def test_a_wrong_field_is_refused_even_if_it_is_optional():
    assert refusal(FULL.checked, {**LEAST, 'answer': None}) == (
        'an answer must be an object, got None')


# ---- JSON -----------------------------------------------------------------------------------

@for_each(('text', 'value'), [
    ('{"a": [1, 2.5, "x", null, true]}', {'a': [1, 2.5, 'x', None, True]}),
    (b'"\xc3\xa4"', 'ä'), (' 1 ', 1), ('-0', 0), ('1e3', 1000.0)])
def test_json_is_read(text, value):
    assert read_json(text) == value


@for_each(('text', 'why'), [
    ('', 'Expecting value'), (b'', 'Expecting value'), ('{', 'Expecting property name'),
    ('{}{}', 'Extra data'), ("{'a': 1}", 'Expecting property name'), ('{"a": 1,}', ''),
    ('[1 2]', 'Expecting'), ('"\n"', 'Invalid control character'), ('01', 'Extra data'),
    (b'\xff\xfe\xfa', "can't decode"), (b'"\xe4"', "can't decode"), ('undefined', ''),
    ('\ufeff{}', 'BOM'),
    ('NaN', 'NaN is not JSON'), ('[Infinity]', 'Infinity is not JSON'),
    ('{"a": -Infinity}', '-Infinity is not JSON'),
    ('{"a": 1, "a": 1}', 'a key appears twice'),
    ('[{"b": {"a": 1, "\\u0061": 2}}]', 'a key appears twice'),
    ('1' * 5000, 'Exceeds the limit')])
def test_what_is_no_json_or_an_ambiguous_one_is_refused(text, why):
    message = refusal(read_json, text)
    assert message.startswith('the text is not JSON: ')
    assert why in message
    assert len(message) <= 122


@for_each('text', [DEEP, DEEP.encode(), '{"a":' * 10_000 + '1' + '}' * 10_000])
def test_a_deep_nest_is_refused_at_once(text):
    begun = time.monotonic()
    assert refusal(read_json, text) == 'the JSON text is nested too deeply'
    assert time.monotonic() - begun < patience(1.0)


# ---- whatever is sent -----------------------------------------------------------------------

TOKENS = st.sampled_from([
    '{', '}', '[', ']', ',', ':', '"', '\\', '"words"', '"times"', '"steps"', '"weight"', '1',
    '-', '.', 'e', '1e999', 'NaN', '-Infinity', 'null', 'true', '\\ud800', '\0', ' ', '\n', 'ä',
    '9' * 4400, '[' * 2000, '{"a":' * 2000, '\ufeff', '0'])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
    | st.sampled_from([HUGE, -HUGE, 2 ** 32, 'a' * 300]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner,
                                                                max_size=3), max_leaves=6)
BODIES = st.one_of(
    st.binary(max_size=60), st.lists(TOKENS, max_size=12).map(''.join),
    st.dictionaries(st.sampled_from([*FULL.needed, *FULL.optional, 'other']), VALUES).map(
        json.dumps),
    VALUES.map(json.dumps))


@pytest.mark.slow
@settings(deadline=None, derandomize=True, database=None, max_examples=400)
@given(BODIES)
def test_whatever_is_sent_is_checked_fields_or_a_refusal_and_soon(body):
    begun = time.thread_time()
    refused, fields = None, {}
    try:
        fields = FULL.checked(read_json(body))
    except RefusedError as error:
        refused = error
    if refused is not None:
        assert refused.status == 400
        assert 0 < len(refused.message) < 250
    else:
        assert set(FULL.needed) <= set(fields) <= {*FULL.needed, *FULL.optional}
        assert 0 < len(fields['words']) <= 200
        assert math.isfinite(fields.get('weight', 0.0))
        assert all(0 <= each < 2 ** 32 for each in [fields['times'], *fields.get('states', [])])
        assert all(len(step) == 2 for step in fields.get('steps', []))
    assert time.thread_time() - begun < 1.0
