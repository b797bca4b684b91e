"""The secret of learner and controller: private, long enough, or refused with what to do."""

from __future__ import annotations

import os
import re

import pytest
from cases import for_each

from gbs_irl_ros.learning.shared_key import SharedKeyError, load_shared_key


@pytest.fixture
def path(tmp_path):
    return tmp_path / 'key'


def write(path, content, mode=0o600):
    path.write_bytes(content)
    path.chmod(mode)


def test_what_is_in_the_file_is_the_key(path):
    write(path, b'0123456789abcdef')
    assert load_shared_key(path) == b'0123456789abcdef'


def test_a_file_that_is_missing_says_how_to_make_one(path):
    with pytest.raises(SharedKeyError, match=re.escape(
            f'{path}: the key cannot be read: No such file or directory; make one by "openssl '
            f'rand -hex 32 > {path}; chmod 600 {path}"')):
        load_shared_key(path)


@for_each('mode', [0o644, 0o640, 0o604, 0o620])
def test_a_file_that_others_may_read_or_write_is_refused(path, mode):
    write(path, b'k' * 32, mode)
    with pytest.raises(SharedKeyError, match=re.escape(
            f'{path}: others may read the key (mode {mode:o}); expected mode 600')):
        load_shared_key(path)


@for_each('length', [0, 15, 4097])
def test_a_key_of_another_length_is_refused(path, length):
    write(path, b'k' * length)
    with pytest.raises(SharedKeyError, match='the key must have 16 to 4096 bytes, got '):
        load_shared_key(path)


def test_something_that_is_not_a_file_is_not_waited_for(path):
    os.mkfifo(path, 0o600)
    with pytest.raises(SharedKeyError, match='the key must have 16 to 4096 bytes, got 0'):
        load_shared_key(path)
