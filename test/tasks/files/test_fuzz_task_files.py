"""Whatever stands in a task file, there is a task or a TaskFileError, and soon."""

from __future__ import annotations

import copy
import json

import jsonschema
import pytest
import yaml
from bad_files import in_time
from cases import for_each
from hypothesis import HealthCheck, Phase, given, note, settings, strategies as st
from small_task_files import BASES, KEYS, SCALARS, TOKENS

from gbs_irl_ros.tasks import Task, TaskFileError, find_task, load_task
from gbs_irl_ros.tasks.task_file import json_schema

TREES = [json.loads(json.dumps(yaml.safe_load(text))) for text in BASES]
SHIPPED = [find_task('grid_world').read_text(), find_task('room').read_text()]
FAST = {'deadline': None, 'derandomize': True, 'database': None,
        'phases': (Phase.explicit, Phase.generate),
        'suppress_health_check': [HealthCheck.too_slow, HealthCheck.data_too_large]}
SCHEMA = jsonschema.Draft7Validator(json_schema())


@pytest.fixture(scope='module')
def folder(tmp_path_factory):
    """Return a folder with the map of the shipped room in it."""
    path = tmp_path_factory.mktemp('fuzz')
    (path / 'maps').mkdir()
    for name in ('room.yaml', 'room.pgm'):
        (path / 'maps' / name).write_bytes((find_task('room').parent / 'maps' / name).read_bytes())
    return path


def accepted(folder, content):
    """Tell whether a file is a task; raise if it is neither that nor refused as it should be."""
    path = folder / 'task.yaml'
    path.write_bytes(content)
    refusal = None
    try:
        with in_time():
            task = load_task(path)
    except TaskFileError as error:
        refusal = error
    if refusal is None:
        assert isinstance(task, Task)
        return True
    lines = str(refusal).split('\n')
    assert len(lines) == min(len(refusal.problems), 21), 'a problem is one line'
    assert all(line.startswith(str(folder)) for line in lines[:20])
    return False


@st.composite
def changed_texts(draw):
    text = draw(st.sampled_from(BASES * 3 + SHIPPED))
    for _ in range(draw(st.integers(1, 4))):
        lines = text.split('\n')
        at, line = draw(st.integers(0, len(text))), draw(st.integers(0, len(lines) - 1))
        change = draw(st.integers(0, 8))
        if change <= 2:                         # a token put in, or instead of something
            end = at + (0 if change == 0 else draw(st.integers(1, 6)))
            text = text[:at] + draw(st.sampled_from(TOKENS)) + text[end:]
            continue
        if change == 3:
            text = text[:at]
            continue
        if change == 4:
            del lines[line]
        elif change == 5:
            lines.insert(draw(st.integers(0, len(lines))), lines[line])
        elif change == 6:
            other = draw(st.integers(0, len(lines) - 1))
            lines[line], lines[other] = lines[other], lines[line]
        elif change == 7:
            lines[line] = ' ' * draw(st.integers(0, 5)) + lines[line].lstrip()
        else:
            key, colon, _ = lines[line].partition(':')
            lines[line] = key + colon + ' ' + draw(st.sampled_from(TOKENS))
        text = '\n'.join(lines)
    return text


def containers(value):
    """Yield every list and mapping in a value."""
    if isinstance(value, (dict, list)):
        yield value
        for inner in value.values() if isinstance(value, dict) else value:
            yield from containers(inner)


VALUES = st.recursive(
    st.sampled_from(SCALARS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner,
                                                                max_size=3), max_leaves=4)


def like(value):
    if isinstance(value, (dict, list)):
        return st.just(value)
    numbers = (int, float)
    return st.sampled_from([other for other in SCALARS if type(other) is type(value)
                            or (isinstance(value, numbers) and isinstance(other, numbers))])


@st.composite
def changed_trees(draw):
    tree = copy.deepcopy(draw(st.sampled_from(TREES)))
    for _ in range(draw(st.integers(1, 3))):
        places = [(part, key) for part in containers(tree)
                  for key in (part if isinstance(part, dict) else range(len(part)))]
        where, key = draw(st.sampled_from(places))
        change = draw(st.integers(0, 12))
        if change >= 5:                 # another value of the same kind gets past the first checks
            where[key] = draw(like(where[key]))
        elif change == 0:
            del where[key]
        elif change == 1 and isinstance(where, dict):
            where[draw(st.sampled_from(KEYS))] = where.pop(key)
        elif change == 2 and isinstance(where, dict):
            where[draw(st.sampled_from(KEYS))] = draw(VALUES)
        elif change == 2:
            where.append(copy.deepcopy(where[key]))
        else:
            where[key] = draw(VALUES)
    return tree


@for_each('number', range(len(BASES)))
def test_what_is_mutated_is_a_task(folder, number):
    assert accepted(folder, BASES[number].encode())


@pytest.mark.slow
@settings(max_examples=500, **FAST)
@given(text=changed_texts())
def test_changed_characters_and_lines_give_a_task_or_a_task_file_error(folder, text):
    note(text)
    accepted(folder, text.encode())


@pytest.mark.slow
@settings(max_examples=500, **FAST)
@given(tree=changed_trees())
def test_changed_values_give_a_task_or_a_task_file_error_and_the_schema_agrees(folder, tree):
    text = json.dumps(tree, ensure_ascii=False)
    note(text)
    is_task = accepted(folder, text.encode())
    if is_task:
        problems = [error.message for error in SCHEMA.iter_errors(tree)]
        assert problems == [], 'the schema refuses what the reader accepts'


@settings(max_examples=100, **FAST)
@given(content=st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
def test_anything_at_all_is_refused(folder, content):
    assert not accepted(folder, content)


@pytest.mark.slow
@settings(max_examples=120, **FAST)
@given(data=st.data())
def test_a_changed_map_gives_a_task_or_a_task_file_error(folder, data):
    original = b'P5\n8 8\n255\n' + b'\xfe' * 64
    image = bytearray(original)
    for _ in range(data.draw(st.integers(0, 3))):
        image[data.draw(st.integers(0, 12))] = data.draw(st.sampled_from(b'P0123569 \n-#\0\xff'))
    lines = ['image: m.pgm', 'resolution: 0.5', 'origin: [0, 0, 0]', 'occupied_thresh: 0.65',
             'free_thresh: 0.25', 'negate: 0', 'mode: trinary']
    for _ in range(data.draw(st.integers(0, 2))):
        line = data.draw(st.integers(0, len(lines) - 1))
        key, colon, _ = lines[line].partition(':')
        lines[line] = key + colon + ' ' + data.draw(st.sampled_from(TOKENS))
    (folder / 'm.pgm').write_bytes(image[:data.draw(st.sampled_from([5, 11, 20, 75]))])
    (folder / 'm.yaml').write_bytes('\n'.join(lines).encode())
    note(f'{bytes(image[:13])} {lines}')
    accepted(folder, b'format: 1\nworld: {kind: map, file: m.yaml, cell_size: 0.5}\n'
                     b'hypotheses: {kind: goals, goals: free}\n')
