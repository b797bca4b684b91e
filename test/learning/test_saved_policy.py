"""A policy on disk: whole or refused."""

from __future__ import annotations

import errno
import json
import os
import re
import stat
import threading
from types import SimpleNamespace

import numpy as np
import pytest
from cases import for_each
from small_lessons import TASK, random_lesson
from waiting import patience

from gbs_irl_ros.core.errors import InvalidRecordError
from gbs_irl_ros.core.learner import Learner
from gbs_irl_ros.core.policy import Policy
from gbs_irl_ros.learning import json_files as module
from gbs_irl_ros.learning.json_files import NotSavedError
from gbs_irl_ros.learning.records import PolicyRecord
from gbs_irl_ros.learning.saved_policy import _checksum as checksum_of, load_policy, save_policy
from gbs_irl_ros.tasks import load_task, whole_files


@pytest.fixture
def path(tmp_path):
    return tmp_path / 'policy.json'


def record_of(sequence=7, final=True, stamp=5, num_actions=3, confidence=(0.5, 0.25, 1.0, 1 / 3),
              goals=(3,), never=(1, 2)):
    policy = Policy(np.array([1, 2, 5, 7], dtype=np.uint64), np.array(confidence),
                    np.array(goals, dtype=np.int64), num_actions, np.array(never, dtype=np.int64))
    return PolicyRecord('5e551017', sequence, TASK.hash, policy, final, stamp)


def content(record):
    policy = record.policy
    return (record.session, record.sequence, record.task_hash, record.final, record.stamp,
            policy.num_actions, policy.action_sets.tobytes(), policy.confidence.tobytes(),
            policy.goal_states.tobytes(), policy.never.tobytes())


def refusal(path):
    with pytest.raises(InvalidRecordError) as caught:
        load_policy(path)
    return str(caught.value)


def changed(path, **values):
    """Save a policy, then change the file."""
    save_policy(record_of(), path)
    path.write_text(json.dumps({**json.loads(path.read_text()), **values}))
    return path


class TestRoundTrip:
    @for_each('record', [
        record_of(), record_of(final=False), record_of(sequence=2**40 + 1, stamp=2**60),
        record_of(goals=()), record_of(never=()), record_of(num_actions=63),
        record_of(confidence=(0, 1, 1e-300, 0.1)),
    ], ids=lambda record: f'{record.sequence}')
    def test_what_is_saved_is_loaded_to_the_last_bit(self, path, record):
        save_policy(record, path)
        assert content(load_policy(path)) == content(record)
        assert load_policy(path).checksum == record.checksum

    def test_policies_with_as_many_actions_as_there_can_be(self, path):
        policy = Policy(np.array([1 << 63, 2**64 - 1], dtype=np.uint64), np.ones(2), np.array([0]),
                        64)
        record = PolicyRecord('s', 1, 'h', policy)
        save_policy(record, path)
        assert content(load_policy(path)) == content(record)

    def test_the_policy_of_a_lesson_is_the_same_after_saving(self, path, tmp_path):
        lesson = random_lesson(tmp_path / 'lesson.jsonl', 10, seed=1)
        record, _ = lesson.report(stamp=9)
        lesson.close()
        save_policy(record, path)
        assert content(load_policy(path)) == content(record)

    def test_the_policy_of_a_room_is_the_same_after_saving(self, path):
        task = load_task('room')
        record = PolicyRecord('s', 1, task.hash, Learner(task).policy)
        save_policy(record, path)
        assert content(load_policy(path)) == content(record)

    def test_text_is_kept_whatever_it_is(self, path):
        record = PolicyRecord('sé"\\\n', 1, 'ħ', record_of().policy)
        save_policy(record, path)
        assert content(load_policy(path)) == content(record)


class TestSaving:
    def test_only_its_owner_may_read_it(self, path):
        before = os.umask(0)
        try:
            save_policy(record_of(1), path)
        finally:
            os.umask(before)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600

    def test_missing_folders_are_made(self, tmp_path):
        path = tmp_path / 'a' / 'b' / 'policy.json'
        save_policy(record_of(), path)
        assert load_policy(path).sequence == 7

    def test_a_file_of_that_name_is_replaced(self, path):
        for sequence in (1, 2, 3):
            save_policy(record_of(sequence), path)
            assert load_policy(path).sequence == sequence
        assert os.listdir(path.parent) == ['policy.json']

    @for_each('fails', ['dump', 'fsync'])
    @for_each('before', [True, False], ids=['there was one', 'there was none'])
    def test_one_that_could_not_be_written_leaves_what_was_there(self, path, monkeypatch, fails,
                                                                 before):
        if before:
            save_policy(record_of(1), path)

        def half(values, file, **options):
            file.write(json.dumps(values)[:50])
            file.flush()
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        def fail(*args):
            raise OSError(errno.EIO, os.strerror(errno.EIO))

        if fails == 'dump':
            monkeypatch.setattr(module, 'json', SimpleNamespace(**{**vars(json), 'dump': half}))
        else:
            monkeypatch.setattr(whole_files, 'os', SimpleNamespace(**{**vars(os), 'fsync': fail}))
        with pytest.raises(NotSavedError, match=re.escape(
                f'{path}: the policy cannot be saved: ') + '(No space left on device|Input/output '
                'error); it is in force all the same. Make room or fix the disk, then start the '
                'learner again'):
            save_policy(record_of(2), path)
        monkeypatch.undo()
        assert os.listdir(path.parent) == (['policy.json'] if before else [])
        assert not before or load_policy(path).sequence == 1

    def test_it_is_on_disk_before_it_has_its_name(self, path, monkeypatch):
        seen = []

        def noted(file):
            os.fsync(file)
            seen.append((os.fstat(file).st_size, path.exists()))

        monkeypatch.setattr(whole_files, 'os', SimpleNamespace(**{**vars(os), 'fsync': noted}))
        save_policy(record_of(), path)
        assert seen[0] == (path.stat().st_size, False)

    def test_whoever_reads_meanwhile_sees_a_whole_one(self, path):
        save_policy(record_of(0), path)
        numbers, sequence, stop = [0], 0, threading.Event()

        def read():
            while not stop.is_set():
                numbers.append(load_policy(path).sequence)

        reader = threading.Thread(target=read, daemon=True)
        reader.start()
        try:
            while len(set(numbers)) < 15 and reader.is_alive():
                sequence += 1
                save_policy(record_of(sequence), path)
        finally:
            stop.set()
            reader.join(patience(20))
        assert not reader.is_alive()            # an error in it would fail this test
        assert load_policy(path).sequence == sequence
        assert numbers == sorted(numbers)
        assert len(set(numbers)) >= 15


class TestDamage:
    @for_each('seed', range(3))
    def test_a_flipped_bit_is_refused_or_changes_nothing(self, tmp_path, seed):
        """In every byte one bit; the others follow from the seeds, or from luck."""
        rng = np.random.default_rng([9, seed])
        path, damaged_path = tmp_path / 'policy.json', tmp_path / 'damaged.json'
        save_policy(record_of(), path)
        whole, wrong, refused = path.read_bytes(), [], 0
        for place in range(len(whole)):
            damaged = bytearray(whole)
            damaged[place] ^= 1 << rng.integers(8)
            damaged_path.unlink(missing_ok=True)
            damaged_path.write_bytes(damaged)
            try:
                fine = content(load_policy(damaged_path)) == content(record_of())
            except InvalidRecordError as error:
                fine = str(error).startswith(f'{damaged_path}: is not a saved policy: ')
                refused += 1
            if not fine:
                wrong.append(bytes(damaged[max(place - 20, 0):place + 5]))
        assert wrong == []
        assert refused > 0.95 * len(whole)

    def test_a_file_that_was_cut_anywhere_is_refused(self, path):
        save_policy(record_of(), path)
        whole = path.read_bytes()
        for cut in range(0, len(whole.rstrip()), 3):
            path.unlink()
            path.write_bytes(whole[:cut])
            assert refusal(path).startswith(f'{path}: is not a saved policy: ')

    def test_more_at_the_end_is_refused(self, path):
        save_policy(record_of(), path)
        whole = path.read_bytes()
        for more in (b'x', b'{}', whole, bytes(10)):
            path.write_bytes(whole + more)
            assert refusal(path).startswith(f'{path}: is not a saved policy: ')

    @for_each('change', [
        {'action_sets': [1, 2, 5, 3]}, {'confidence': [0.5, 0.25, 1.0, 0.33]},
        {'goal_states': [2]}, {'goal_states': []}, {'never': [1]}, {'session': 'other'},
        {'sequence': 8},
        {'task_hash': '0' * 64}, {'final': False}, {'num_actions': 4}, {'stamp': 6},
        {'final': 1}, {'sequence': '7'}, {'num_actions': 3.0}, {'format': 1.0},
        {'comment': 'mine'}, {'': None},
        {'checksum': '0' * 64}, {'checksum': None}, {'checksum': []}], ids=repr)
    def test_whatever_is_changed_the_checksum_tells(self, path, change):
        assert refusal(changed(path, **change)) == (
            f'{path}: is not a saved policy: its checksum does not fit: the file is damaged')

    def test_every_value_that_is_saved_is_changed_above(self, path):
        save_policy(record_of(), path)
        tried = TestDamage.test_whatever_is_changed_the_checksum_tells.cases
        assert set(json.loads(path.read_text())) <= {key for change in tried for key in change}

    def test_the_order_of_the_keys_and_the_spaces_do_not_matter(self, path):
        save_policy(record_of(), path)
        values = json.loads(path.read_text())
        path.write_text(json.dumps(dict(reversed(values.items())), indent=4))
        assert content(load_policy(path)) == content(record_of())

    def test_what_is_wrong_in_itself_is_told_before_the_checksum(self, path):
        """So a person who writes such a file learns what is missing first."""
        assert refusal(changed(path, format=2, checksum='')).endswith(
            'its format must be 1, got 2')
        assert refusal(changed(path, session='', checksum='')).endswith(
            'session must not be empty')


class TestErrors:
    def test_a_file_that_is_not_there(self, path):
        assert refusal(path) == (f'{path}: cannot be read: No such file or directory; expected a '
                                 'policy that a learner saved')

    def test_what_is_not_a_file(self, tmp_path, path):
        os.mkfifo(path)     # nobody writes to it: reading would take for ever
        for each in (tmp_path, path):
            assert refusal(each) == (f'{each}: cannot be read: it is not an ordinary file; '
                                     'expected a policy that a learner saved')

    def test_an_enormous_file_is_refused_before_it_is_read(self, path):
        path.touch()
        os.truncate(path, 6 << 30)      # takes no room on disk
        assert refusal(path) == (
            f'{path}: cannot be read: it has 6442450944 bytes, expected at most 268435456; '
            'expected a policy that a learner saved')

    @for_each('text', [b'', b'hello', b'{"format": 1', b'\xff\xfe', b'\0', b'{]'])
    def test_something_that_is_no_json(self, path, text):
        path.write_bytes(text)
        assert refusal(path).startswith(f'{path}: is not a saved policy: ')

    @for_each('text', ['[]', '7', 'null', '"policy"', 'NaN'])
    def test_something_that_is_no_object(self, path, text):
        path.write_text(text)
        assert refusal(path) == f'{path}: is not a saved policy: it must be an object'

    @for_each('depth', [500, 900, 100_000])
    def test_enormous_nesting(self, path, depth):
        path.write_text('[' * depth)
        assert refusal(path).startswith(f'{path}: is not a saved policy: ')
        for key in ('session', 'action_sets', 'comment'):
            text = changed(path, **{key: 'here'}).read_text()
            path.write_text(text.replace('"here"', '[' * depth + ']' * depth))
            assert refusal(path).startswith(f'{path}: is not a saved policy: ')

    @for_each('number', [0, 2, '1', None, [1]])
    def test_another_format(self, path, number):
        assert refusal(changed(path, format=number)) == (
            f'{path}: is not a saved policy: its format must be 1, got {number!r}')

    @for_each('key', [
        'format', 'session', 'sequence', 'task_hash', 'final', 'stamp', 'num_actions',
        'action_sets', 'confidence', 'goal_states', 'checksum'])
    def test_a_missing_key(self, path, key):
        save_policy(record_of(), path)
        values = json.loads(path.read_text())
        assert key in values
        del values[key]
        path.write_text(json.dumps(values))
        assert refusal(path) == f"{path}: is not a saved policy: '{key}' is missing"

    def test_every_key_that_is_saved_is_tried_here(self, path):
        save_policy(record_of(), path)
        tried = TestErrors.test_a_missing_key.cases
        assert sorted(json.loads(path.read_text())) == sorted([*tried, 'never'])

    def test_a_policy_of_an_earlier_version_has_no_never(self, path):
        save_policy(record_of(never=()), path)
        values = json.loads(path.read_text())
        del values['never'], values['checksum']
        path.write_text(json.dumps({**values, 'checksum': checksum_of(values)}))
        assert content(load_policy(path)) == content(record_of(never=()))

    @for_each(('change', 'text'), [
        ({'action_sets': [0, 2, 5, 7]}, 'action sets must hold actions 0 .. 2 and not be empty'),
        ({'action_sets': [8, 2, 5, 7]}, 'that of state 0 is 1000'),
        ({'action_sets': [-1, 2, 5, 7]}, ''), ({'action_sets': [2**70, 2, 5, 7]}, ''),
        ({'action_sets': [1, 2, 5]}, 'a policy needs one action set and one confidence per state'),
        ({'action_sets': None}, ''), ({'action_sets': 'left'}, ''), ({'action_sets': [[1]]}, ''),
        ({'confidence': [2, 0, 0, 0]}, 'confidence must be in [0, 1]: that of state 0 is 2.0'),
        ({'confidence': [float('nan'), 0, 0, 0]}, 'that of state 0 is nan'),
        ({'confidence': {}}, ''), ({'goal_states': [4]}, 'goal states must be in 0 .. 3'),
        ({'goal_states': [-1]}, 'goal states must be in 0 .. 3'), ({'goal_states': [None]}, ''),
        ({'num_actions': 0}, ''), ({'num_actions': -5}, ''), ({'num_actions': 'x'}, ''),
        ({'num_actions': 10**30}, ''), ({'num_actions': None}, ''), ({'session': ''}, 'session'),
        ({'task_hash': ''}, 'task_hash must not be empty'), ({'sequence': 'x'}, ''),
        ({'sequence': []}, ''), ({'sequence': float('inf')}, ''), ({'stamp': {}}, '')], ids=repr)
    def test_values_that_make_no_policy(self, path, change, text):
        assert re.match(rf'{re.escape(str(path))}: is not a saved policy: .*{re.escape(text)}',
                        refusal(changed(path, **change)))
