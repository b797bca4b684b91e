"""The tree has the right values and lines, and none of YAML's traps."""

from __future__ import annotations

import pytest
import yaml
from cases import for_each

from gbs_irl_ros.tasks.files.file_report import TaskFileError
from gbs_irl_ros.tasks.files.yaml_tree import MAX_DEPTH, read_tree


@pytest.fixture
def tree(tmp_path):
    def read(text):
        path = tmp_path / 'some.yaml'
        path.write_text(text, encoding='utf-8')
        return read_tree(path, 'shown.yaml')
    return read


@pytest.fixture
def problems(tree):
    def read(text):
        with pytest.raises(TaskFileError) as caught:
            tree(text)
        return list(caught.value.problems)
    return read


@for_each(('text', 'value'), [
    ('5', 5), ('-5', -5), ('+5', 5), ('010', 10), ('0', 0), ('-0', 0),
    ('1e-3', 0.001), ('1E3', 1000.0), ('1.5e+3', 1500.0), ('.5', 0.5), ('5.', 5.0), ('-.5', -0.5),
    ('1e400', float('inf')), ('-1e400', -float('inf')),
    ('true', True), ('false', False), ('null', None), ('~', None), ('', None),
])
def test_a_plain_word_is_read_as_the_number_or_flag_it_looks_like(tree, text, value):
    found = tree(f'key: {text}\n').value['key'].value
    assert found == value
    assert type(found) is type(value)


@for_each('text', [
    'no', 'yes', 'on', 'off', 'y', 'n', 'No', 'True', 'TRUE', 'False', 'Null', 'NULL',
    '.inf', '-.inf', '.nan', '.NaN', 'inf', 'nan', '0x1F', '0o17', '0b11', '1_000', '1:30',
    '2026-07-29', '2026-07-29 10:00:00', '1e', 'e5', '.', '--', '+', '1.2.3', '1e5.0', '٣', '=',
    '1' * 41, '<<',
])
def test_everything_else_stays_text(tree, text):
    assert tree(f'key: {text}\n').value['key'].value == text


@for_each('text', ['"5"', "'5'", '! 5', '|-\n  5', '>-\n  5'])
def test_a_quoted_number_is_text(tree, text):
    assert tree(f'key: {text}\n').value['key'].value == '5'


@for_each('text', ['"true"', "'null'", '"~"', '""'])
def test_a_quoted_flag_is_text(tree, text):
    assert tree(f'key: {text}\n').value['key'].value == text[1:-1]


def test_keys_are_always_text(tree):
    assert list(tree('1: a\n1e-3: b\ntrue: c\nnull: d\n~: e\n').value) == [
        '1', '1e-3', 'true', 'null', '~']


def test_plain_returns_the_values_without_lines(tree):
    text = 'a: [1, {b: 2.5, c: null}]\nd: {e: [], f: {}}\ng: text\n'
    assert tree(text).plain() == {
        'a': [1, {'b': 2.5, 'c': None}], 'd': {'e': [], 'f': {}}, 'g': 'text'}


def test_every_value_and_every_key_knows_its_line(tree):
    root = tree('# comment\nfirst: 1\n\nsecond:\n  - a\n  - {b: 1,\n     c: 2}\nthird: |\n  x\n')
    assert root.line == 2
    assert root.key_lines == {'first': 2, 'second': 4, 'third': 8}
    assert root.value['first'].line == 2
    second = root.value['second']
    assert [item.line for item in second.value] == [5, 6]
    assert second.value[1].key_lines == {'b': 6, 'c': 7}
    assert second.value[1].value['c'].line == 7
    assert root.value['third'].line == 8
    assert root.value['third'].value == 'x\n'


def test_keys_keep_their_order(tree):
    assert list(tree('z: 1\na: 2\nm: 3\n').value) == ['z', 'a', 'm']


@for_each('text', ['', '\n\n', '# nothing\n', '\ufeff', '\ufeff# nothing\n'])
def test_an_empty_file_is_null_in_line_1(tree, text):
    root = tree(text)
    assert root.value is None
    assert root.line == 1


@for_each('text', ['---\na: 1\n', 'a: 1\n...\n', '%YAML 1.1\n---\na: 1\n',
                   '{"a": 1}', 'a: 1', '\ufeffa: 1\n', 'a: 1\r\n'])
def test_ways_to_write_the_same_document(tree, text):
    assert tree(text).plain() == {'a': 1}


def test_letters_of_every_language_are_read(tree):
    assert tree('名前: "Küche 😀"\n').plain() == {'名前': 'Küche 😀'}


def test_every_second_key_is_reported_with_the_line_of_the_first(problems):
    assert problems('a: 1\nb: {c: 1, c: 2}\na: 2\na: 3\n') == [
        'shown.yaml:2: c: appears twice, first in line 2',
        'shown.yaml:3: a: appears twice, first in line 1',
        'shown.yaml:4: a: appears twice, first in line 1']


def test_the_same_key_in_two_mappings_is_no_mistake(tree):
    assert tree('a: {x: 1}\nb: {x: 2}\n').plain() == {'a': {'x': 1}, 'b': {'x': 2}}


def test_keys_that_only_look_the_same_as_numbers_differ(tree):
    assert tree('1: a\n1.0: b\n01: c\n').plain() == {'1': 'a', '1.0': 'b', '01': 'c'}


@for_each('text', ['a: &x 1\n', 'a: *x\n', '&x a: 1\n', '*x : 1\n', '&x\na: 1\n',
                   '- &x [1]\n', 'a: &x\n', '<<: *x\n'])
def test_anchors_and_aliases_are_refused_wherever_they_stand(problems, text):
    found = problems(text)
    assert any("anchors and aliases are not allowed, got 'x'; write the value out" in line
               for line in found)
    assert all(line.startswith('shown.yaml:1: ') for line in found)


@for_each('text', ['!!str 5', '!!int "5"', '!mine {}', '!!python/name:os.system []',
                   '!<tag:x> 5', '!!set {}', '!!binary abc', '!!merge x'])
def test_tags_are_refused(problems, text):
    assert problems(f'a: {text}\n')[0].startswith('shown.yaml:1: tags are not allowed, got ')


def test_a_second_document_is_refused(problems):
    assert problems('a: 1\n---\nb: 2\n') == [
        'shown.yaml:2: there must be one document only, got a second one']


def test_the_deepest_nesting_is_read_and_one_more_is_refused(tree, problems):
    def nested(depth):
        return '[' * depth + ']' * depth
    assert tree(nested(MAX_DEPTH + 1)).line == 1
    assert problems(nested(MAX_DEPTH + 2)) == [
        f'shown.yaml:1: is nested too deeply; expected at most {MAX_DEPTH} levels']


def test_the_slow_parser_builds_the_same_tree(tree, monkeypatch):
    text = '# a\na: [1, 1e-3, no, "x", {b: c}]\nd: |\n  e\n\nf:\n  - g\n'
    fast = tree(text)
    monkeypatch.setattr('gbs_irl_ros.tasks.files.yaml_tree.LOADER', yaml.SafeLoader)
    assert tree(text) == fast


@for_each('text', ['a: "b\n', 'a: [1\n', 'a: b: c\n', '\ta: 1\n', 'a: \x07\n',
                   '- a\nb: 1\n', 'a: @b\n', '%YAML 2.0\n---\na: 1\n', '"a\n'])
def test_the_slow_parser_gives_a_task_file_error_too(problems, monkeypatch, text):
    monkeypatch.setattr('gbs_irl_ros.tasks.files.yaml_tree.LOADER', yaml.SafeLoader)
    assert problems(text)[0].startswith('shown.yaml:')
    assert ': is not valid YAML: ' in problems(text)[0]


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    with pytest.raises(TaskFileError) as caught:
        read_tree(tmp_path / 'nowhere.yaml', 'shown.yaml')
    assert str(caught.value) == 'shown.yaml: cannot be read: No such file or directory'
