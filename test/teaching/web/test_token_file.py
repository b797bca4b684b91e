"""The key of a page: made once, readable by its owner alone, never replaced by half a one."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import threading

import pytest
from cases import for_each
from waiting import patience

from gbs_irl_ros.teaching.web import token_file
from gbs_irl_ros.teaching.web.token_file import PageKey, TokenFileError, load_key, save_key

TOKEN = 'x' * 32
NOBODY = 65534
as_root = pytest.mark.skipif(os.getuid() != 0, reason='only root can give a file away')
not_as_root = pytest.mark.skipif(os.getuid() == 0, reason='root may read and write everywhere')


@pytest.fixture
def path(tmp_path):
    return tmp_path / 'lessons' / 'page-lesson.json'


@pytest.fixture(params=[0o000, 0o022, 0o077, 0o277, 0o777], ids=oct)
def umask(request):
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def put(path, text, mode=0o600):
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    path.chmod(mode)


def mode_of(path):
    return stat.S_IMODE(path.stat().st_mode)


def refusal(path):
    with pytest.raises(TokenFileError) as caught:
        load_key(path)
    assert str(caught.value).startswith(f'{path}: ')
    return str(caught.value)


def test_a_key_is_made_and_found_again(path):
    key = load_key(path)
    assert key.port == 0
    assert len(key.token) == 32
    assert load_key(path) == key
    save_key(path, PageKey(key.token, 8472))
    assert load_key(path) == PageKey(key.token, 8472)
    assert os.listdir(path.parent) == [path.name]


def test_a_pipe_is_refused_without_waiting(path):
    path.parent.mkdir(exist_ok=True)
    os.mkfifo(path, 0o600)
    assert refusal(path) == f'{path}: is not a key of a page; remove the file: a new key is made'


def test_every_key_is_another(tmp_path):
    assert len({load_key(tmp_path / str(number)).token for number in range(50)}) == 50


def test_only_the_owner_can_read_it_whatever_the_umask(tmp_path, umask):
    path = tmp_path / 'page.json'
    load_key(path)
    assert mode_of(path) == 0o600
    save_key(path, PageKey(TOKEN, 1))
    assert mode_of(path) == 0o600


def test_it_can_never_be_read_by_others_not_even_while_it_is_written(path, monkeypatch):
    seen = []

    def dump(values, file):
        seen.append(stat.S_IMODE(os.fstat(file.fileno()).st_mode))
        file.write(json.dumps(values))
    monkeypatch.setattr(token_file.json, 'dump', dump)
    before = os.umask(0)
    try:
        load_key(path)
    finally:
        os.umask(before)
    assert seen == [0o600]


@for_each('mode', [0o640, 0o604, 0o644, 0o660, 0o666, 0o610, 0o777, 0o601])
def test_a_key_that_others_may_use_is_refused_and_one_is_told_what_to_do(path, mode):
    put(path, json.dumps({'token': TOKEN, 'port': 1}), mode)
    message = refusal(path)
    assert f'others may read the key of the page (owner {os.getuid()}, mode {mode:o})' in message
    assert message.endswith('expected mode 600. Remove the file: a new key is made')
    path.unlink()
    assert load_key(path).token != TOKEN


@for_each('mode', [0o600, 0o400, 0o700])
def test_a_key_that_only_its_owner_may_use_is_used(path, mode):
    put(path, json.dumps({'token': TOKEN, 'port': 1}), mode)
    assert load_key(path) == PageKey(TOKEN, 1)


@as_root
def test_the_key_of_another_user_is_refused(path):
    put(path, json.dumps({'token': TOKEN, 'port': 1}))
    os.chown(path, NOBODY, NOBODY)
    assert f'(owner {NOBODY}, mode 600)' in refusal(path)


def test_a_link_is_not_followed(path, tmp_path):
    put(tmp_path / 'other', json.dumps({'token': TOKEN, 'port': 1}))
    path.parent.mkdir()
    path.symlink_to(tmp_path / 'other')
    assert 'the key of the page cannot be read: ' in refusal(path)
    path.unlink()
    path.symlink_to(tmp_path / 'nowhere')
    refusal(path)
    assert not (tmp_path / 'nowhere').exists()


def test_a_link_in_the_place_of_the_key_is_replaced_not_written_through(path, tmp_path):
    other = tmp_path / 'other'
    other.write_text('mine')
    path.parent.mkdir()
    path.symlink_to(other)
    save_key(path, PageKey(TOKEN))
    assert other.read_text() == 'mine'
    assert load_key(path).token == TOKEN


def text_of(token=TOKEN, port=1, **more):
    return json.dumps({'token': token, 'port': port, **more})


GARBAGE = {
    'nothing': '', 'half': text_of()[:20], 'list': '[]', 'null': 'null', 'number': '7',
    'text': '"token"', 'no token': '{"port": 1}', 'no port': json.dumps({'token': TOKEN}),
    'short': text_of('x' * 23), 'empty': text_of(''), 'no text': text_of(None),
    'umlaut': text_of('ä' * 32), 'list as token': text_of(['x'] * 32),
    'port': text_of(port=65536), 'negative': text_of(port=-1), 'true': text_of(port=True),
    'float': text_of(port=1.0), 'text as port': text_of(port='1'), 'zeros': '\0' * 100}


@for_each('text', GARBAGE.values(), ids=GARBAGE)
def test_what_is_no_key_is_refused_and_one_is_told_what_to_do(path, text):
    put(path, text)
    assert refusal(path).endswith(
        'is not a key of a page; remove the file: a new key is made')
    assert path.read_text() == text


@pytest.mark.parametrize('text', [b'\xff\xfe\x80', b'[' * 100_000], ids=['bytes', 'nest'])
def test_bytes_that_are_no_text_are_no_key_either(path, text):
    put(path, text)
    refusal(path)


def test_a_folder_in_the_place_of_the_key_is_refused(path):
    path.mkdir(parents=True)
    refusal(path)


def test_a_folder_that_is_a_file_is_refused(tmp_path):
    (tmp_path / 'lessons').write_text('')
    message = refusal(tmp_path / 'lessons' / 'page.json')
    assert 'the key of the page cannot be read: ' in message
    assert 'Not a directory' in message


def test_a_folder_that_cannot_be_made_is_refused():
    with pytest.raises(TokenFileError, match='cannot be written'):
        load_key(token_file.Path('/proc/no-such-folder/page.json'))


@not_as_root
def test_a_folder_that_cannot_be_entered_is_refused(path):
    load_key(path)
    path.parent.chmod(0)
    try:
        assert 'Permission denied' in refusal(path)
    finally:
        path.parent.chmod(0o700)


@as_root
def test_a_user_is_told_about_a_folder_that_he_cannot_enter(tmp_path):
    """The same as an ordinary user, in a process of its own."""
    folder = tmp_path / 'lessons'
    folder.mkdir(mode=0o700)
    done = subprocess.run([sys.executable, '-c', (
        'import os, sys; from pathlib import Path\n'
        'from gbs_irl_ros.teaching.web import token_file\n'
        f'os.setgroups([]); os.setgid({NOBODY}); os.setuid({NOBODY})\n'
        'try: token_file.load_key(Path(sys.argv[1]))\n'
        'except token_file.TokenFileError as error: print(error)\n'), str(folder / 'page.json')],
        # Nobody may not write what measures coverage, either.
        env={name: value for name, value in os.environ.items() if 'COVERAGE' not in name},
        capture_output=True, text=True, timeout=patience(60))
    assert done.stdout.startswith(f'{folder}/page.json: the key of the page cannot be read: ')
    assert 'Permission denied' in done.stdout
    assert not done.stderr
    assert not list(folder.iterdir())


def test_a_failure_while_writing_leaves_the_old_key(path, monkeypatch):
    key = load_key(path)

    def full(values, file):
        file.write('{"tok')
        raise OSError(28, 'No space left on device')
    monkeypatch.setattr(token_file.json, 'dump', full)
    with pytest.raises(TokenFileError, match=r'cannot be written: .*No space left'):
        save_key(path, PageKey(TOKEN))
    assert load_key(path) == key


@pytest.mark.slow
def test_whoever_reads_meanwhile_sees_the_old_key_or_the_new_one(path):
    tokens = [each * 32 for each in 'ab']
    save_key(path, PageKey(tokens[0], 0))
    seen, problems, done = set(), [], threading.Event()

    def read():
        while not done.is_set():
            try:
                key = load_key(path)
                seen.add(key)
            except TokenFileError as error:
                problems.append(error)
    reader = threading.Thread(target=read)
    reader.start()
    for number in range(1, 500):
        save_key(path, PageKey(tokens[number % 2], number))
    done.set()
    reader.join()
    assert not problems
    assert len(seen) > 1
    assert all(key.token == tokens[key.port % 2] for key in seen)
