"""Every mistake in a task file is refused, at once, with the line, the key and what to do."""

from __future__ import annotations

import os
import re
import struct
import zlib

import pytest
from bad_files import FOLDER, NAMES, expected_lines, in_time, says
from cases import for_each

from gbs_irl_ros.tasks import TaskFileError, load_task, load_task_file
from gbs_irl_ros.tasks.files.yaml_tree import MAX_BYTES

GRID = """format: 1
world:
  kind: grid
  map: |
    ...
hypotheses: {kind: goals, goals: free}
"""
MAP = """format: 1
world: {kind: map, file: m.yaml, cell_size: 1.0}
hypotheses: {kind: goals, goals: free}
"""
MAP_FILE = 'image: %s\nresolution: 0.5\norigin: [0.0, 0.0, 0.0]\n'


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Work in an empty folder, so that messages name files without one."""
    folder = tmp_path / 'task'
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def refusal(name='task.yaml'):
    with in_time(), pytest.raises(TaskFileError) as caught:
        load_task(name)
    return str(caught.value)


def refusal_of(folder, content):
    data = content if isinstance(content, bytes) else content.encode()
    (folder / 'task.yaml').write_bytes(data)
    return refusal()


def refusal_of_image(folder, image, name='m.pgm'):
    (folder / name).write_bytes(image)
    (folder / 'm.yaml').write_text(MAP_FILE % name)
    return refusal_of(folder, MAP)


def pgm(width, height, greatest=255, pixels=b''):
    return f'P5\n{width} {height}\n{greatest}\n'.encode() + pixels


def png(width, height, rows, depth=8):
    def chunk(kind, data):
        return (struct.pack('>I', len(data)) + kind + data
                + struct.pack('>I', zlib.crc32(kind + data)))
    header = struct.pack('>IIBBBBB', width, height, depth, 0, 0, 0, 0)
    return (b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', header) + chunk(b'IDAT', zlib.compress(rows))
            + chunk(b'IEND', b''))


# The catalogue.

def test_the_catalogue_is_large_and_complete():
    assert len(NAMES) >= 400
    assert sorted(path.stem for path in FOLDER.glob('*.txt')) == NAMES


@pytest.mark.slow
@for_each('name', NAMES)
def test_a_bad_file_is_refused_with_exactly_these_lines(name, monkeypatch):
    monkeypatch.chdir(FOLDER)
    text = refusal(f'{name}.yaml')
    expected = expected_lines(name)
    assert says(text, expected), text + '\n--- expected:\n' + '\n'.join(expected)


@for_each('name', NAMES)
def test_an_expected_line_names_a_file_and_a_line_of_it_and_all_are_in_order(name):
    numbers = []
    for line in expected_lines(name):
        if re.fullmatch(r'\.\.\. and \d+ more', line):
            continue
        file, number = re.match(r'([\w./]+\.(?:yaml|pgm)):(\d+|\.\.\.)', line).groups()
        assert (FOLDER / file).is_file(), line
        if number != '...':
            assert 1 <= int(number) <= (FOLDER / file).read_text().count('\n') + 1, line
            numbers.append(int(number))
    assert numbers == sorted(numbers)


def test_the_catalogue_would_notice_another_text():
    assert says('a:1: b\na:2: c', ['a:1: b', 'a:2...'])
    assert not says('a:1: b', ['a:1: c'])
    assert not says('a:1: b\nmore', ['a:1: b'])
    assert not says('a:1: b', ['a:2...'])


# What cannot well be kept as a file that people open.

def test_a_byte_order_mark_is_no_mistake(here):
    (here / 'task.yaml').write_bytes(b'\xef\xbb\xbf' + GRID.encode())
    assert load_task('task.yaml').world.mdp.num_states == 3


def test_lines_may_end_as_on_windows(here):
    (here / 'task.yaml').write_bytes(GRID.replace('\n', '\r\n').encode())
    assert load_task('task.yaml').world.mdp.num_states == 3
    text = refusal_of(here, GRID.replace('...', '.x.').replace('\n', '\r\n'))
    assert text.startswith('task.yaml:5: world.map: cell (1, 0) is not known')


def test_a_file_that_is_not_utf_8_is_refused_with_the_line_and_the_byte(here):
    assert refusal_of(here, GRID.encode() + b'name: caf\xe9\n') == (
        'task.yaml:7: is not UTF-8 text, got the byte 0xe9; save the file as UTF-8')


def test_utf_16_is_refused(here):
    assert refusal_of(here, GRID.encode('utf-16')).startswith('task.yaml:1: is not UTF-8 text')


@for_each('character', ['\0', '\x07', '\x1b', '\x7f', '\ufffe'])
def test_a_control_character_is_refused_with_its_line(here, character):
    assert refusal_of(here, GRID + f'name: a{character}b\n') == (
        f'task.yaml:7: is not valid YAML: the character {character!r} is not allowed')


def test_the_line_of_a_control_character_is_right_behind_letters_of_several_bytes(here):
    text = refusal_of(here, '# ' + 'é' * 60 + '\n' + GRID + 'name: a\x07b\n' + '# end\n' * 30)
    assert text == "task.yaml:8: is not valid YAML: the character '\\x07' is not allowed"


def test_random_bytes_are_refused(here, rng):
    for _ in range(20):
        assert refusal_of(here, rng.bytes(200)).startswith('task.yaml:')


@pytest.mark.parametrize('size', [MAX_BYTES + 1, 2 * MAX_BYTES])
def test_a_file_that_is_too_large_is_refused_before_it_is_parsed(here, size):
    assert refusal_of(here, b'#' * size) == (
        f'task.yaml: is too large, got more than {MAX_BYTES} bytes; expected at most that')


def test_the_largest_file_is_read(here):
    (here / 'task.yaml').write_text(GRID + '#' * (MAX_BYTES - len(GRID)))
    assert load_task('task.yaml').world.mdp.num_states == 3


@for_each('content', ['[' * 500_000, '{a: ' * 200_000, '- ' * 100_000])
def test_enormous_nesting_is_refused(here, content):
    assert refusal_of(here, content) == (
        'task.yaml:1: is nested too deeply; expected at most 20 levels')


def test_nested_blocks_are_refused_with_the_line_that_is_too_deep(here):
    text = refusal_of(here, ''.join(' ' * depth + 'a:\n' for depth in range(300)))
    assert text == 'task.yaml:21: is nested too deeply; expected at most 20 levels'


def test_a_bomb_of_aliases_does_not_go_off(here):
    bomb = 'a0: &a0 [x]\n' + ''.join(
        f'a{i}: &a{i} [' + ', '.join([f'*a{i - 1}'] * 9) + ']\n' for i in range(1, 40))
    lines = refusal_of(here, bomb).split('\n')
    assert lines[0] == ("task.yaml:1: anchors and aliases are not allowed, got 'a0'; write the "
                        'value out')
    assert lines[-1] == '... and 59 more'


@pytest.mark.slow
def test_very_many_aliases_are_refused_in_time(here):
    assert len(refusal_of(here, 'a: &a x\nb: [' + '*a, ' * 100_000 + ']\n').split('\n')) == 2


@pytest.mark.slow
def test_very_many_unknown_keys_are_refused_in_time(here):
    lines = refusal_of(here, GRID + ''.join(f'k{i}: 1\n' for i in range(20_000))).split('\n')
    assert lines[-1] == '... and 19980 more'


@pytest.mark.slow
def test_very_many_states_are_refused_in_time(here):
    states = ', '.join(f's{i}' for i in range(30_000))
    text = refusal_of(here, f"""format: 1
world:
  kind: mdp
  states: [{states}]
  actions: [go]
  transitions:
    - {{from: s0, action: go, to: {{s0: 1}}}}
hypotheses: {{kind: goals, goals: free}}
""")
    assert text.startswith('task.yaml:')


@pytest.mark.slow
def test_very_many_misspelt_states_are_refused_in_time(here):
    states = ', '.join(f's{i}' for i in range(3000))
    transitions = ''.join(f'    - {{from: z{i}, action: go, to: {{s0: 1}}}}\n'
                          for i in range(3000))
    text = refusal_of(here, f"""format: 1
world:
  kind: mdp
  states: [{states}]
  actions: [go]
  transitions:
{transitions}hypotheses: {{kind: goals, goals: free}}
""")
    assert text.split('\n')[0].startswith(
        "task.yaml:7: world.transitions[0].from: is not a state, got 'z0'; expected one of "
        "['s0', 's1', ")


def test_a_drawing_of_more_than_ten_thousand_characters_is_no_mistake(here):
    drawing = ('    ' + '.' * 120 + '\n') * 120
    (here / 'task.yaml').write_text(GRID.replace('    ...\n', drawing))
    loaded = load_task_file('task.yaml', allow_large=True)        # each of its cells is a goal
    assert loaded.task.world.mdp.num_states == 120 * 120


# Files that do not exist, and links.

@for_each('name', ['nowhere.yaml', 'a/b.yaml', 'x' * 300 + '.yaml', 'a\0b.yaml'])
def test_a_file_that_is_not_there_is_refused(here, name):
    assert refusal(name) == f'{name}: cannot be found; expected a task file'


def test_a_file_that_cannot_be_opened_is_refused(here, monkeypatch):
    (here / 'task.yaml').write_text(GRID)

    def refuse(*args, **kwargs):
        raise PermissionError(13, 'Permission denied')

    monkeypatch.setattr('pathlib.Path.open', refuse)
    assert refusal() == 'task.yaml: cannot be read: Permission denied'


def test_a_link_that_leads_to_itself_is_refused(here):
    (here / 'task.yaml').symlink_to('task.yaml')
    assert refusal() == 'task.yaml: cannot be found; expected a task file'


def test_a_map_behind_a_link_out_of_the_folder_is_refused(here):
    (here.parent / 'm.yaml').write_text(MAP_FILE % 'm.pgm')
    (here / 'm.yaml').symlink_to(here.parent / 'm.yaml')
    assert refusal_of(here, MAP) == (
        "task.yaml:2: world.file: must lie in the folder of the task file, got 'm.yaml'; expected "
        'a relative path below it')


def test_a_map_in_a_folder_that_is_a_link_out_of_the_folder_is_refused(here):
    (here.parent / 'elsewhere').mkdir()
    (here.parent / 'elsewhere' / 'm.yaml').write_text(MAP_FILE % 'm.pgm')
    (here / 'maps').symlink_to(here.parent / 'elsewhere')
    assert 'must lie in the folder of the task file' in refusal_of(
        here, MAP.replace('m.yaml', 'maps/m.yaml'))


def test_a_map_behind_a_link_inside_the_folder_is_no_mistake(here):
    (here / 'real.yaml').write_text(MAP_FILE % 'm.pgm')
    (here / 'm.yaml').symlink_to('real.yaml')
    (here / 'm.pgm').write_bytes(pgm(4, 4, pixels=b'\xff' * 16))
    (here / 'task.yaml').write_text(MAP)
    assert load_task('task.yaml').world.mdp.num_states == 4


def test_a_map_that_links_to_itself_is_refused(here):
    (here / 'm.yaml').symlink_to('m.yaml')
    assert refusal_of(here, MAP).startswith('task.yaml:2: world.file: ')


def test_an_image_behind_a_link_out_of_the_folder_is_refused(here):
    (here.parent / 'm.pgm').write_bytes(pgm(4, 4, pixels=b'\xff' * 16))
    (here / 'm.pgm').symlink_to(here.parent / 'm.pgm')
    (here / 'm.yaml').write_text(MAP_FILE % 'm.pgm')
    assert refusal_of(here, MAP) == (
        "m.yaml:1: image: must lie in the folder of the task file, got 'm.pgm'; expected a "
        'relative path below it')


def test_an_image_that_links_to_itself_is_refused(here):
    (here / 'm.pgm').symlink_to('m.pgm')
    (here / 'm.yaml').write_text(MAP_FILE % 'm.pgm')
    assert refusal_of(here, MAP).startswith('m.yaml:1: image: ')


def test_an_image_that_is_a_folder_is_refused(here):
    (here / 'm.pgm').mkdir()
    (here / 'm.yaml').write_text(MAP_FILE % 'm.pgm')
    assert refusal_of(here, MAP) == "m.yaml:1: image: is not an ordinary file, got 'm.pgm'"


@pytest.mark.skipif(os.name != 'posix', reason='needs named pipes')
def test_a_map_that_is_a_pipe_is_refused_without_waiting(here):
    os.mkfifo(here / 'm.yaml')
    assert 'cannot be found' in refusal_of(here, MAP)


@pytest.mark.skipif(os.name != 'posix', reason='needs named pipes')
def test_an_image_that_is_a_pipe_is_refused_without_waiting(here):
    os.mkfifo(here / 'm.pgm')
    (here / 'm.yaml').write_text(MAP_FILE % 'm.pgm')
    assert refusal_of(here, MAP) == "m.yaml:1: image: is not an ordinary file, got 'm.pgm'"


# Images.

@for_each(('width', 'height'), [(26_000, 1000), (10_000, 10_000), (50_000, 50_000),
                                (1_000_000, 1_000_000)])
@for_each('kind', ['pgm', 'png'])
def test_an_enormous_image_is_refused_by_its_header(here, kind, width, height):
    image = pgm(width, height) if kind == 'pgm' else png(width, height, b'')
    assert refusal_of_image(here, image, f'm.{kind}') == (
        f'm.yaml:1: image: is too large, got {width} x {height} pixels; expected at most '
        '25000000 in all')


@for_each('image', [
    b'', b'P5', b'hello', pgm(0, 5), pgm(-3, 5), pgm(2, 2, 0, b'0000'), pgm(8, 8, pixels=b'short'),
    pgm('9' * 50, 8), b'P2\n2 2\n255\n1 2 x 4\n', b'P2\n2 2\n255\n1 2 300 4\n',
    b'GIF89a\1\0\1\0\0\0\0;', b'\xff\xd8\xff\xe0',
], ids=lambda image: repr(image[:24]))
def test_a_corrupt_pgm_is_refused(here, image):
    assert refusal_of_image(here, image).startswith(
        "m.yaml:1: image: cannot be read as an image, got 'm.pgm': ")


@for_each('cut', range(0, 50, 4))
def test_a_png_that_was_cut_off_is_refused(here, cut):
    image = png(4, 4, (b'\0' + b'\xff' * 4) * 4)
    assert refusal_of_image(here, image[:cut], 'm.png').startswith('m.yaml:1: image: cannot be ')


@for_each('image', [png(0, 4, b''), png(4, 4, b'\0'), png(4, 4, b'', depth=7)])
def test_a_png_that_contradicts_itself_is_refused(here, image):
    assert refusal_of_image(here, image, 'm.png').startswith(
        "m.yaml:1: image: cannot be read as an image, got 'm.png': ")


def test_dark_pixels_of_16_bits_are_not_taken_for_free(here):
    dark = pgm(4, 4, 65_535, struct.pack('>H', 0x1000) * 16)
    assert refusal_of_image(here, dark)


def test_dark_pixels_of_16_bits_in_a_png_are_not_taken_for_free(here):
    dark = png(4, 4, (b'\0' + struct.pack('>H', 0x1000) * 4) * 4, depth=16)
    assert refusal_of_image(here, dark, 'm.png')


def test_unknown_pixels_of_a_raw_map_are_not_taken_for_free(here):
    (here / 'm.pgm').write_bytes(pgm(4, 4, pixels=b'\xff' * 16))     # raw: 255 is unknown
    (here / 'm.yaml').write_text(MAP_FILE % 'm.pgm' + 'mode: raw\n')
    assert refusal_of(here, MAP)
