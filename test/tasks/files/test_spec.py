"""Every kind of value: what it accepts, what it says, and that its JSON schema says the same."""

from __future__ import annotations

import re

import jsonschema
import pytest
from bad_files import FOLDER, NAMES
from cases import for_each

from gbs_irl_ros.tasks import TaskFileError, load_task, shipped_tasks
from gbs_irl_ros.tasks.files.file_report import Report
from gbs_irl_ros.tasks.files.spec import (
    INVALID,
    AnyOf,
    ByKind,
    Each,
    Field,
    Flag,
    Located,
    Number,
    Record,
    Table,
    Text,
    Whole,
)
from gbs_irl_ros.tasks.files.yaml_tree import read_tree
from gbs_irl_ros.tasks.task_file import HYPOTHESES, WORLDS, json_schema

COLOUR = Text(('red', 'green'))
POINT = Record({'x': Field(Number(), 'across'), 'y': Field(Number(), 'up', 0.0)})
SHAPE = ByKind({
    'disc': Record({'radius': Field(Number(above=0.0), 'how large')}),
    'box': Record({'sides': Field(Each(Number(), 2, 2), 'width and height')})})


@pytest.fixture
def read(tmp_path):
    """Return a function that gives what a spec makes of a text, and what it reports."""
    def reader(spec, text):
        path = tmp_path / 'some.yaml'
        path.write_text(text, encoding='utf-8')
        node = read_tree(path, 'f')
        report = Report('f')
        value = spec.read(node, 'key', report)
        try:
            report.raise_if_any()
        except TaskFileError as error:
            assert value is INVALID
            return value, list(error.problems)
        assert value is not INVALID
        return value, []
    return reader


GOOD = [
    (Number(), '5', 5.0), (Number(), '-1e-3', -0.001), (Number(0.0, 1.0), '1', 1.0),
    (Number(0.0, 1.0), '0', 0.0), (Number(above=0.0), '1e-9', 1e-9),
    (Number(below=1.0), '0.9', 0.9),
    (Whole(), '-7', -7), (Whole(1, 3), '1', 1), (Whole(1, 3), '3', 3),
    (Whole(), '9' * 30, int('9' * 30)),
    (Text(), 'word', 'word'), (Text(), '"5"', '5'), (Text(may_be_empty=True), '""', ''),
    (Text(longest=3), 'abc', 'abc'), (COLOUR, 'red', 'red'), (Text(), 'no', 'no'),
    (Flag(), 'true', True), (Flag(), 'false', False),
    (Each(Whole()), '[]', []), (Each(Whole()), '[1, 2]', [1, 2]),
    (Each(Whole(), 2, 2), '[1, 2]', [1, 2]),
    (Each(Each(Whole())), '[[1], []]', [[1], []]),
    (Table(Whole()), '{}', {}), (Table(Whole(), 1), '{a: 1, 2: 3}', {'a': 1, '2': 3}),
    (AnyOf([Whole(), Text()], 'either'), '5', 5),
    (AnyOf([Whole(), Text()], 'either'), 'five', 'five'),
    (AnyOf([Each(Whole(), 2, 2), Text()], 'either'), '[1, 2]', [1, 2]),
]
BAD = [
    (Number(), 'five', "must be a number, got 'five'; expected a number"),
    (Number(), 'true', 'must be a number, got True; expected a number'),
    (Number(), '', 'must be a number, got None; expected a number'),
    (Number(), '[1]', 'must be a number, got [1]; expected a number'),
    (Number(), '1e999', 'must be finite, got inf; expected a number'),
    (Number(), '-1e999', 'must be finite, got -inf; expected a number'),
    (Number(0.0, 1.0), '1.1', 'is out of range, got 1.1; expected a number at least 0 and at most '
                              '1'),
    (Number(above=0.0), '0', 'is out of range, got 0; expected a number above 0'),
    (Number(below=1.0), '1', 'is out of range, got 1; expected a number below 1'),
    (Number(at_least=-0.5), '-1', 'is out of range, got -1; expected a number at least -0.5'),
    (Whole(), '1.0', 'must be a whole number, got 1.0; expected a whole number'),
    (Whole(), 'true', 'must be a whole number, got True; expected a whole number'),
    (Whole(1, 3), '4', 'is out of range, got 4; expected a whole number at least 1 and at most 3'),
    (Whole(0, 2**32 - 1), '-1', 'is out of range, got -1; expected a whole number at least 0 and '
                                'at most 4294967295'),
    (Text(), '5', 'must be text, got 5; expected text (put it in quotes)'),
    (Text(), 'true', 'must be text, got True; expected text (put it in quotes)'),
    (Text(), '', 'must be text, got None; expected text'),
    (Text(), '[a]', "must be text, got ['a']; expected text"),
    (Text(), '""', "must not be empty, got ''; expected text"),
    (Text(longest=3), 'abcd', "is too long, got 'abcd'; expected at most 3 characters"),
    (Text(), '"a\\0"', "must not contain control characters, got 'a\\x00'; expected text without "
     'them'),
    (COLOUR, 'gren', "is not known, got 'gren'; expected one of ['red', 'green']. Did you mean "
                     "'green'?"),
    (COLOUR, 'blue', "is not known, got 'blue'; expected one of ['red', 'green']"),
    (COLOUR, '5', "must be text, got 5; expected one of ['red', 'green']"),
    (Flag(), 'yes', "must be a flag, got 'yes'; expected true or false"),
    (Flag(), '1', 'must be a flag, got 1; expected true or false'),
    (Each(Whole()), '5', 'must be a list, got 5; expected a list'),
    (Each(Whole()), '{a: 1}', "must be a list, got {'a': 1}; expected a list"),
    (Each(Whole(), 2, 2), '[1]', 'has a wrong number of entries, got 1; expected 2'),
    (Each(Whole(), 1), '[]', 'has a wrong number of entries, got 0; expected at least 1'),
    (Each(Whole(), 1, 2), '[1, 2, 3]', 'has a wrong number of entries, got 3; expected 1 to 2'),
    (Table(Whole()), '[1]', 'must be a mapping, got [1]; expected a mapping'),
    (Table(Whole(), 1), '{}', 'has too few entries, got {}; expected at least 1 entries'),
    (AnyOf([Whole(), Text()], 'either'), '[]', 'is wrong, got []; expected either'),
    (AnyOf([Whole(0), Text()], 'either'), '-1', 'is out of range, got -1; expected a whole number '
                                                'at least 0'),
    (POINT, '5', 'must be a mapping, got 5; expected a mapping with one of: x, y'),
    (SHAPE, 'disc', "must be a mapping, got 'disc'; expected a mapping with the key kind"),
]


@for_each(('spec', 'text', 'value'), GOOD)
def test_good_values_are_read(read, spec, text, value):
    found, problems = read(spec, text)
    assert problems == []
    assert found == value
    assert type(found) is type(value)


@for_each(('spec', 'text', 'problem'), BAD)
def test_bad_values_are_reported(read, spec, text, problem):
    assert read(spec, text)[1] == [f'f:1: key: {problem}']


@for_each(('spec', 'text'), [
    (Each(Whole()), '[1, a, 2, b]'), (Table(Whole()), '{o: 1, p: a, q: b}'),
    (Each(POINT), '[{x: 1}, {}, {x: a}]')])
def test_every_wrong_entry_is_reported(read, spec, text):
    assert len(read(spec, text)[1]) == 2


def test_entries_are_named_by_their_place(read):
    def keys(spec, text):
        return [line.split(': ')[1] for line in read(spec, text)[1]]
    assert keys(Each(POINT), '- {y: 1}\n- {x: 1, z: 2}\n') == ['key[0].x', 'key[1].z']
    assert keys(Table(Each(Whole())), 'a: [1, x]\nb: y\n') == ['key.a[1]', 'key.b']


def test_a_record_has_its_values_their_defaults_lines_and_keys(read):
    found, _ = read(POINT, 'x: 1\n')
    assert isinstance(found, Located)
    assert (found.x, found.y) == (1.0, 0.0)
    found, _ = read(Record({'a': Field(Each(Whole()), ''), 'b': Field(Whole(), '', None)}),
                    '# first\na:\n  - 1\n  - 2\n')
    assert found.line_of('a') == 3
    assert found.line_of('a', 1) == 4
    assert found.line_of('b') == 2       # left out: that of the record
    assert found.key_of('a') == 'key.a'
    assert found.b is None


def test_a_record_reports_all_unknown_missing_and_wrong_keys(read):
    assert read(POINT, 'z: 1\ny: up\nX: 2\n')[1] == [
        "f:1: key.z: is not known here, got 'z'; expected one of: x, y",
        'f:1: key.x: is missing; expected across',
        "f:2: key.y: must be a number, got 'up'; expected a number",
        "f:3: key.X: is not known here, got 'X'; expected one of: x, y"]


def test_a_record_with_many_keys_lists_only_some(read):
    many = Record({f'k{i}': Field(Whole(), '', 0) for i in range(20)})
    assert 'k11, ...' in read(many, 'nothing: 1\n')[1][0]


def test_a_required_field_has_no_default():
    assert Field(Whole(), '').required
    assert not Field(Whole(), '', None).required
    assert not Field(Whole(), '', 0).required


def test_kinds_have_different_keys(read):
    assert read(SHAPE, '{kind: disc, radius: 2}')[0].radius == 2.0
    assert read(SHAPE, '{kind: box, sides: [1, 2]}')[0].sides == [1.0, 2.0]
    assert read(SHAPE, '{kind: disc, sides: [1, 2]}')[1] == [
        "f:1: key.sides: is not known here, got 'sides'; expected one of: kind, radius",
        'f:1: key.radius: is missing; expected how large']
    assert read(SHAPE, '{radius: 2}')[1] == [
        "f:1: key.kind: is missing; expected one of ['disc', 'box']"]
    assert read(SHAPE, '{kind: disk}')[1] == [
        "f:1: key.kind: is not known, got 'disk'; expected one of ['disc', 'box']. Did you mean "
        "'disc'?"]


def test_a_choice_reports_the_option_that_looks_alike(read):
    spec = AnyOf([Text(('free',)), Each(Whole(0))], 'free, or numbers')
    assert read(spec, '[1, -1]')[1] == [
        'f:1: key[1]: is out of range, got -1; expected a whole number at least 0']
    assert read(spec, '{}')[1] == ['f:1: key: is wrong, got {}; expected free, or numbers']


def test_a_misspelt_word_of_a_choice_gets_a_proposal(read):
    spec = AnyOf([Text(('free',)), Each(Whole(0))], 'free, or numbers')
    assert read(spec, 'fre')[1][0].endswith("Did you mean 'free'?")


# The JSON schema.

def validator(schema):
    jsonschema.Draft7Validator.check_schema(schema)
    return jsonschema.Draft7Validator(schema)


@for_each(('spec', 'text', 'value'), GOOD)
def test_what_a_spec_accepts_its_schema_accepts(tmp_path, spec, text, value):
    (tmp_path / 'some.yaml').write_text(text, encoding='utf-8')
    assert validator(spec.schema()).is_valid(read_tree(tmp_path / 'some.yaml', 'f').plain())


@for_each(('spec', 'text'), [
    (spec, text) for spec, text, problem in BAD
    if text != '1.0' and not re.search('finite|control', problem)])     # which JSON cannot say
def test_what_a_spec_refuses_its_schema_refuses(tmp_path, spec, text):
    (tmp_path / 'some.yaml').write_text(text, encoding='utf-8')
    assert not validator(spec.schema()).is_valid(read_tree(tmp_path / 'some.yaml', 'f').plain())


def test_the_schema_of_the_format_is_a_schema():
    schema = json_schema()
    validator(schema)
    assert schema['title'] == 'gbs_irl_ros task file'
    assert schema['required'] == ['format', 'world', 'hypotheses']


@for_each('name', sorted(shipped_tasks()))
def test_every_shipped_task_fits_the_schema(name):
    tree = read_tree(shipped_tasks()[name], name)
    errors = [error.message for error in validator(json_schema()).iter_errors(tree.plain())]
    assert errors == []


@pytest.mark.slow
def test_what_the_schema_refuses_of_the_catalogue_the_reader_refuses_too():
    check = validator(json_schema())
    refused = []
    for name in NAMES:
        try:
            tree = read_tree(FOLDER / f'{name}.yaml', name)
        except TaskFileError:
            continue
        if not check.is_valid(tree.plain()):
            refused.append(name)
            with pytest.raises(TaskFileError):
                load_task(FOLDER / f'{name}.yaml')
    assert len(refused) > 200


def test_every_key_of_the_format_is_explained():
    for by_kind in (WORLDS, HYPOTHESES):
        for name, kind in by_kind.items():
            for key, item in kind.FIELDS.fields.items():
                assert item.about, f'{name}.{key}'


@pytest.mark.parametrize('by_kind', [WORLDS, HYPOTHESES])
def test_every_default_of_the_format_would_be_accepted(by_kind):
    for name, kind in by_kind.items():
        for key, item in kind.FIELDS.fields.items():
            if item.required or item.default is None:
                continue
            assert validator(item.of.schema()).is_valid(item.default), f'{name}.{key}'
