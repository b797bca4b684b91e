"""Files that are there whole or not at all."""

from __future__ import annotations

import errno
import os
import stat

import pytest
from cases import for_each

from gbs_irl_ros.tasks import whole_files
from gbs_irl_ros.tasks.whole_files import replacing, sync_folder


@pytest.fixture
def path(tmp_path):
    return tmp_path / 'file.txt'


def write(path, text, **options):
    with replacing(path, **options) as file:
        file.write(text)


def test_a_file_is_written_and_replaced(path):
    for text in ('one', 'two\r\nlines\n', 'ç → 漢'):
        write(path, text)
        assert path.read_bytes() == text.encode()
    assert os.listdir(path.parent) == [path.name]


def test_what_was_there_is_seen_until_all_is_written(path):
    write(path, 'old')
    with replacing(path) as file:
        file.write('new')
        file.flush()
        assert path.read_text() == 'old'
    assert path.read_text() == 'new'


@for_each('error', [ValueError('no'), OSError(errno.ENOSPC, 'full'),
                                   KeyboardInterrupt()])
def test_a_failure_leaves_what_was_there_and_nothing_else(path, error):
    def fail():
        with replacing(path) as file:
            file.write('ne')
            raise error

    write(path, 'old')
    with pytest.raises(type(error)):
        fail()
    assert path.read_text() == 'old'
    assert os.listdir(path.parent) == [path.name]


@for_each(('private', 'umask', 'mode'), [
    (True, 0o000, 0o600), (True, 0o277, 0o600), (False, 0o022, 0o644), (False, 0o077, 0o600)])
def test_a_private_file_is_its_owners_alone_from_the_beginning(path, private, umask, mode):
    before = os.umask(umask)
    try:
        with replacing(path, private=private) as file:
            assert stat.S_IMODE(os.fstat(file.fileno()).st_mode) == mode
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == mode


def test_a_link_in_the_place_of_the_unfinished_file_is_not_followed(path, tmp_path, monkeypatch):
    other = tmp_path / 'other'
    other.write_text('mine')
    monkeypatch.setattr(whole_files.secrets, 'token_hex', lambda size: 'guessed')
    (tmp_path / f'{path.name}.guessed{whole_files.UNFINISHED}').symlink_to(other)
    with pytest.raises(FileExistsError):
        write(path, 'secret', private=True)
    assert other.read_text() == 'mine'
    assert not path.exists()


def test_the_content_is_on_disk_before_it_has_its_name_and_the_name_after(path, monkeypatch):
    seen, fsync = [], os.fsync

    def noted(file):
        seen.append(('folder' if stat.S_ISDIR(os.fstat(file).st_mode) else 'file', path.exists()))
        fsync(file)
    monkeypatch.setattr(os, 'fsync', noted)
    write(path, 'text')
    assert seen == [('file', False), ('folder', True)]


def test_a_folder_that_cannot_be_synced_is_no_error_but_a_missing_one_is(tmp_path, monkeypatch):
    def fail(file):
        raise OSError(errno.EINVAL, 'Invalid argument')
    monkeypatch.setattr(os, 'fsync', fail)
    sync_folder(tmp_path)
    with pytest.raises(FileNotFoundError):
        sync_folder(tmp_path / 'nowhere')
