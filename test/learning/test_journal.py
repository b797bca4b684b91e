"""The journal of a lesson: never wrong, only sometimes short, and then it says so."""

from __future__ import annotations

import errno
import fcntl
import json
import math
import os
import re
import stat
import subprocess
import sys
import zlib
from pathlib import Path
from types import SimpleNamespace

import hypothesis.strategies as some
import numpy as np
import pytest
from cases import for_each
from hypothesis import given, settings
from small_lessons import random_lesson
from waiting import patience

from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.learning import journal as module
from gbs_irl_ros.learning.events import EVENTS
from gbs_irl_ros.learning.journal import Journal, JournalError, decode, read_journal, rescued_file
from gbs_irl_ros.tasks import whole_files

ROOT = Path(__file__).parents[2]
MODEST = settings(deadline=None, derandomize=True, max_examples=25)
ENTRIES = [{'n': 0}, {'n': 1, 'text': 'a "line"\n of é'}, {'n': 2, 'deep': {'list': [1, None]}}]


def encode(entry, before=0):
    """Return the line of an entry that is the first, or follows one of that sum."""
    return module.encode(entry, before)[0]


def lines_of(entries, before=0):
    """Return the lines of entries, one after the other."""
    lines = b''
    for entry in entries:
        line, before = module.encode(entry, before)
        lines += line
    return lines


def sum_of(content):
    return decode(content, '').sum


@pytest.fixture
def path(tmp_path):
    return tmp_path / 'lesson.jsonl'


@pytest.fixture(scope='module')
def content(tmp_path_factory):
    """Return the bytes of a journal of a lesson in which everything happens."""
    path = tmp_path_factory.mktemp('lesson') / 'lesson.jsonl'
    random_lesson(path, 14, seed=1037).close()
    events = {entry['event'] for entry in read_journal(path)}
    # This world has no places, and nothing is known from before.
    assert events == set(EVENTS) - {'shown', 'invented', 'taught', 'met'}
    return path.read_bytes()


def with_os(monkeypatch, **replaced):
    """Give the journal, and nobody else, an operating system that behaves differently."""
    for each in (module, whole_files):
        monkeypatch.setattr(each, 'os', SimpleNamespace(**{**vars(os), **replaced}))


def with_fcntl(monkeypatch, flock):
    """Give the journal, and nobody else, locks that behave differently."""
    monkeypatch.setattr(module, 'fcntl', SimpleNamespace(**{**vars(fcntl), 'flock': flock}))


def raising(number):
    def fail(*args):
        raise OSError(number, os.strerror(number))
    return fail


def written(path, entries=ENTRIES):
    """Write a journal; return the bytes of its lines."""
    with Journal(path) as journal:
        for entry in entries:
            journal.append(entry)
    return path.read_bytes()


def entries_of(path):
    with Journal(path) as journal:
        return journal.entries


def asides(path):
    return sorted(path.parent.glob(f'{path.name}.*'))


def open_files():
    return len(os.listdir('/proc/self/fd'))


# One line.

def test_a_line_is_its_entry_with_the_checksum_of_all_so_far():
    assert encode({'n': 1}) == b'{"sum":"d44b3b7e","entry":{"n":1}}\n'      # as gzip has it
    second = b'{"sum":"%08x","entry":{"n":2}}\n' % zlib.crc32(b'{"n":1}{"n":2}')
    assert module.encode({'n': 2}, 0xd44b3b7e) == (second, zlib.crc32(b'{"n":1}{"n":2}'))


def test_a_checksum_keeps_its_leading_zeros():
    number = next(n for n in range(10_000) if zlib.crc32(b'{"n":%d}' % n) < 0x1000_0000)
    line = encode({'n': number})
    assert line.startswith(b'{"sum":"0')
    assert decode(line, '')[:2] == ([{'n': number}], len(line))


def test_decoding_tells_how_far_the_whole_lines_go():
    one, first = module.encode({'n': 1})
    two, second = module.encode({'n': 2}, first)
    assert decode(b'', '') == ([], 0, 0)
    assert decode(one + two, '') == ([{'n': 1}, {'n': 2}], len(one + two), second)
    assert decode(one + two[:-1], '') == ([{'n': 1}, {'n': 2}], len(one + two) - 1, second)
    assert decode(one + two[:-2], '') == ([{'n': 1}], len(one), first)
    assert decode(one + b'{', '') == ([{'n': 1}], len(one), first)


NUMBERS = some.integers() | some.floats(allow_nan=False, allow_infinity=False)
VALUES = some.recursive(
    some.none() | some.booleans() | NUMBERS | some.text(),
    lambda inner: some.lists(inner) | some.dictionaries(some.text(), inner), max_leaves=5)


@pytest.mark.slow
@MODEST
@given(some.lists(some.dictionaries(some.text(), VALUES, max_size=3), max_size=3))
def test_whatever_is_written_is_read(entries):
    lines = lines_of(entries)
    assert decode(lines, '')[:2] == (entries, len(lines))
    assert lines.count(b'\n') == len(entries)


@for_each('number', [math.nan, math.inf, -math.inf])
def test_what_is_no_number_is_refused_and_leaves_nothing(path, number):
    with Journal(path) as journal:
        with pytest.raises(ValueError, match='not JSON compliant'):
            journal.append({'reward': [number]})
        journal.append({'n': 1})
    assert entries_of(path) == [{'n': 1}]


def test_what_json_does_not_know_is_refused_and_leaves_nothing(path):
    with Journal(path) as journal:
        with pytest.raises(TypeError, match='not JSON serializable'):
            journal.append({'state': np.int64(3)})
        journal.append({'n': 1})
    assert entries_of(path) == [{'n': 1}]


# Opening.

def test_what_was_written_is_there_after_opening_again(path):
    written(path)
    assert entries_of(path) == ENTRIES
    assert read_journal(path) == ENTRIES


def test_a_new_journal_is_empty(path):
    with Journal(path) as journal:
        assert journal.entries == []
        assert journal.problem == ''
    assert path.read_bytes() == b''
    assert asides(path) == []


def test_only_the_owner_may_read_it(path):
    before = os.umask(0)
    try:
        written(path)
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_only_the_owner_may_read_what_is_kept_aside(path):
    before = os.umask(0)
    try:
        path.write_bytes(written(path)[:-5])
        assert entries_of(path) == ENTRIES[:-1]
    finally:
        os.umask(before)
    assert [stat.S_IMODE(aside.stat().st_mode) for aside in asides(path)] == [0o600]


def test_missing_folders_are_made(tmp_path):
    path = tmp_path / 'a' / 'b' / 'lesson.jsonl'
    written(path)
    assert entries_of(path) == ENTRIES
    written(tmp_path / 'a' / 'b' / 'other.jsonl')       # and it is no mistake if they are there


def test_a_journal_that_cannot_be_opened_says_why(tmp_path):
    with pytest.raises(JournalError, match=re.escape(
            f'{tmp_path}: the journal cannot be opened: Is a directory')):
        Journal(tmp_path)
    (tmp_path / 'file').write_text('')
    with pytest.raises(JournalError, match=r'file/lesson: the journal cannot be opened: '):
        Journal(tmp_path / 'file' / 'lesson')


def test_its_errors_are_ours_and_the_system_s():
    assert issubclass(JournalError, GbsIrlError)
    assert issubclass(JournalError, OSError)


TORN, UNENDED = b'{"sum":"', encode({'n': 0})[:-1]


@for_each(('beginning', 'fails'), [
    (None, 'open'), (None, 'flock'), (None, 'read'), (None, 'fsync'), (b'', 'fsync'),
    (encode({'n': 0}), 'fsync'), (TORN, 'open'), (TORN, 'write'), (TORN, 'ftruncate'),
    (TORN, 'fsync'), (UNENDED, 'write'), (UNENDED, 'fsync')])
def test_a_disk_that_fails_at_opening_is_our_error_with_the_file(path, monkeypatch, beginning,
                                                                 fails):
    if beginning is not None:
        path.write_bytes(beginning)
    before, failing = open_files(), raising(errno.EIO)
    with monkeypatch.context() as broken:
        if fails == 'flock':
            with_fcntl(broken, failing)
        elif fails == 'read':
            broken.setattr(module, 'open', lambda *args, **kwargs: failing(), raising=False)
        else:
            with_os(broken, **{fails: failing})
        with pytest.raises(JournalError, match=re.escape(
                f'{path}: the journal cannot be opened: {os.strerror(errno.EIO)}')):
            Journal(path)
    assert open_files() == before
    assert entries_of(path) == ([] if beginning in (None, b'', TORN) else [{'n': 0}])


def test_what_cannot_be_kept_aside_is_not_cut_off(path, monkeypatch):
    torn = written(path)[:-5]
    for fails in ('write', 'fsync'):
        path.write_bytes(torn)
        with monkeypatch.context() as broken:
            with_os(broken, **{fails: raising(errno.ENOSPC)})
            with pytest.raises(JournalError, match=os.strerror(errno.ENOSPC)):
                Journal(path)
        assert path.read_bytes() == torn
    assert entries_of(path) == ENTRIES[:-1]
    assert asides(path)[-1].read_bytes() == torn.splitlines(keepends=True)[-1]


def test_a_journal_that_cannot_be_read_says_why(path):
    with pytest.raises(JournalError, match=re.escape(
            f'{path}: the journal cannot be read: No such file or directory')):
        read_journal(path)


def not_a_file(path):
    return (f'{path}: the journal must be an ordinary file, got something else; remove it, or '
            "choose another name by the parameter 'lesson'")


def test_what_is_not_a_file_is_refused_at_once(path):
    os.mkfifo(path)     # nobody writes to it: reading would take for ever
    with pytest.raises(JournalError, match=re.escape(not_a_file(path))):
        Journal(path)
    with pytest.raises(JournalError, match=re.escape(
            f'{path}: the journal cannot be read: it is not an ordinary file')):
        read_journal(path)


def test_an_enormous_file_is_refused_before_it_is_read(path):
    path.touch()
    os.truncate(path, 6 << 30)      # takes no room on disk
    with pytest.raises(JournalError, match=re.escape(
            f'{path}: the journal has more than 1073741824 bytes, which no lesson has; move it '
            "away, or choose another name by the parameter 'lesson'")):
        Journal(path)


def test_a_file_that_was_only_touched_is_still_the_journal(path):
    with Journal(path) as journal:
        journal.append({'event': 'one'})
        later(path)
        journal.check()
        journal.append({'event': 'two'})
    assert entries_of(path) == [{'event': 'one'}, {'event': 'two'}]


# One writer at a time.

# For other processes: the journal without the rest of the package, which takes a second to import.
ALONE = """
import pathlib, sys, types
core = sys.modules['gbs_irl_ros.core'] = types.ModuleType('gbs_irl_ros.core')
core.__path__ = ['gbs_irl_ros/core']
from gbs_irl_ros.learning.journal import Journal, JournalError
path = pathlib.Path(sys.argv[1])
"""


def command(program, path):
    """Return how to run a program that has a journal at its hands; its folder must be ROOT."""
    return [sys.executable, '-c', ALONE + program, str(path)]


REFUSED = ('another learner is using this journal; stop it, or give this one another name by the '
           "parameter 'lesson'")


def test_a_second_opener_in_this_process_is_refused(path):
    with Journal(path) as journal:
        journal.append({'n': 1})
        before = open_files()
        for _ in range(3):
            with pytest.raises(JournalError, match=re.escape(f'{path}: {REFUSED}')):
                Journal(path)
        assert open_files() == before
        journal.append({'n': 2})
    assert entries_of(path) == [{'n': 1}, {'n': 2}]


def test_a_second_opener_in_another_process_is_refused(path):
    other = command('try:\n'
                    '    Journal(path)\n'
                    'except JournalError as error:\n'
                    '    sys.exit(str(error))\n', path)
    with Journal(path) as journal:
        journal.append({'n': 1})
        done = subprocess.run(other, cwd=ROOT, capture_output=True, text=True,
                              timeout=patience(60))
        assert (done.returncode, done.stderr.strip()) == (1, f'{path}: {REFUSED}')
    done = subprocess.run(other, cwd=ROOT, capture_output=True, text=True, timeout=patience(60))
    assert (done.returncode, done.stderr) == (0, '')


def test_one_who_is_refused_changes_nothing(path):
    content = written(path)
    with Journal(path):
        path.write_bytes(content + b'{"sum":"')     # as if the other one were writing just now
        with pytest.raises(JournalError, match='another learner is using this journal'):
            Journal(path)
        assert path.read_bytes() == content + b'{"sum":"'
        assert asides(path) == []


def test_closing_twice_is_no_error_and_releases_the_file(path):
    before = open_files()
    journal = Journal(path)
    journal.close()
    journal.close()
    assert open_files() == before
    Journal(path).close()


def test_nothing_is_written_to_a_closed_journal(path):
    journal = Journal(path)
    journal.append({'n': 1})
    journal.close()
    with pytest.raises(JournalError, match=re.escape(f'{path}: the journal is closed')):
        journal.append({'n': 2})
    assert journal.problem == f'{path}: the journal is closed'
    assert entries_of(path) == [{'n': 1}]


def test_others_may_read_while_it_is_written(path):
    with Journal(path) as journal:
        for count, entry in enumerate(ENTRIES):
            assert read_journal(path) == ENTRIES[:count]
            journal.append(entry)


def test_reading_half_a_line_gives_what_is_whole_and_changes_nothing(path):
    content = written(path)
    for cut in range(len(content) + 1):
        path.write_bytes(content[:cut])
        assert read_journal(path) == ENTRIES[:whole_lines(content, cut)]
        assert path.read_bytes() == content[:cut]
    assert asides(path) == []


# What is on disk when.

class Spy:
    """Notes what the journal asks of the operating system, in order."""

    def __init__(self, monkeypatch):
        self.calls = []
        with_os(monkeypatch, write=self._noted('write', os.write),
                fsync=self._noted('fsync', os.fsync), ftruncate=self._noted('cut', os.ftruncate))
        with_fcntl(monkeypatch, self._noted('lock', fcntl.flock))

        def opened(*args, **kwargs):
            self.calls.append('read')
            return open(*args, **kwargs)

        monkeypatch.setattr(module, 'open', opened, raising=False)

    def _noted(self, name, function):
        def noted(file, *rest):
            what = ' folder' if stat.S_ISDIR(os.fstat(file).st_mode) \
                else ' aside' if '.torn-' in os.readlink(f'/proc/self/fd/{file}') else ''
            self.calls.append(name + what)
            return function(file, *rest)
        return noted

    def since(self):
        calls, self.calls = self.calls, []
        return calls


def test_an_entry_is_one_write_and_then_on_disk(path, monkeypatch):
    with Journal(path) as journal:
        spy = Spy(monkeypatch)
        journal.append({'text': 'long ' * 10_000})
        assert spy.since() == ['write', 'fsync']


def test_what_need_not_be_durable_is_not_waited_for(path, monkeypatch):
    with Journal(path) as journal:
        spy = Spy(monkeypatch)
        journal.append({'n': 1}, durable=False)
        assert spy.since() == ['write']
        journal.append({'n': 2})
        assert spy.since() == ['write', 'fsync']
    assert entries_of(path) == [{'n': 1}, {'n': 2}]


def test_a_new_file_is_on_disk_before_its_name(path, monkeypatch):
    spy = Spy(monkeypatch)
    Journal(path).close()
    assert spy.since() == ['lock', 'read', 'fsync', 'fsync folder']


def test_what_was_there_is_on_disk_before_anybody_counts_on_it(path, monkeypatch):
    """The one who wrote it may have died before it was."""
    written(path)
    spy = Spy(monkeypatch)
    Journal(path).close()
    assert spy.since() == ['lock', 'read', 'fsync']


def test_the_names_of_new_folders_are_on_disk_too(tmp_path, monkeypatch):
    spy = Spy(monkeypatch)
    Journal(tmp_path / 'a' / 'b' / 'lesson.jsonl').close()
    assert spy.since() == ['fsync folder'] * 2 + ['lock', 'read', 'fsync', 'fsync folder']


def test_a_folder_that_cannot_be_synced_is_no_error(path, monkeypatch):
    def only_files(file):
        if stat.S_ISDIR(os.fstat(file).st_mode):
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))

    with_os(monkeypatch, fsync=only_files)
    written(path)
    assert entries_of(path) == ENTRIES


def test_a_torn_line_is_cut_off_for_good(path, monkeypatch):
    path.write_bytes(written(path)[:-5])
    spy = Spy(monkeypatch)
    assert entries_of(path) == ENTRIES[:-1]
    assert spy.since() == ['lock', 'read', 'write aside', 'fsync aside', 'cut', 'fsync']


def test_a_missing_end_of_a_line_is_mended_for_good(path, monkeypatch):
    path.write_bytes(written(path)[:-1])
    spy = Spy(monkeypatch)
    assert entries_of(path) == ENTRIES
    assert spy.since() == ['lock', 'read', 'write', 'fsync']


# When somebody takes the file away.

def replaced_by_a_copy(path):
    copy = path.with_name('copy')
    copy.write_bytes(path.read_bytes())
    copy.rename(path)


def cut(path):
    os.truncate(path, path.stat().st_size - 5)


def lengthened(path):
    with open(path, 'ab') as file:
        file.write(b'x')


def overwritten(path):
    """Change a byte in the middle, some time after it was written."""
    with open(path, 'r+b') as file:
        file.seek(path.stat().st_size // 2)
        file.write(b'#')
    later(path)


def later(path):
    about = path.stat()
    os.utime(path, ns=(about.st_atime_ns, about.st_mtime_ns + 10_000_000))


TAKEN_AWAY = {
    'was deleted or renamed': [Path.unlink, lambda path: path.rename(path.with_name('elsewhere'))],
    'was replaced by another file': [replaced_by_a_copy],
    'was changed by somebody else: it has ': [
        cut, lengthened, lambda path: os.truncate(path, 0)],
    'was changed by somebody else: it does not hold what was written': [overwritten],
}


def taken_away():
    return [(what, take) for what, takes in TAKEN_AWAY.items() for take in takes]


@for_each('what, take', taken_away())
def test_a_file_that_was_taken_away_is_noticed_and_what_it_held_is_saved(tmp_path, what, take):
    path = tmp_path / 'lesson.jsonl'
    with Journal(path) as journal:
        for entry in ENTRIES:
            journal.append(entry)
        content = path.read_bytes()
        take(path)
        for durable in (False, True):
            with pytest.raises(JournalError, match=re.escape(
                    f'{path}: the journal {what}')) as raised:
                journal.append({'n': 3}, durable=durable)
        assert (f'What it held is saved in {path}.rescued-1: rename that to lesson.jsonl, then '
                'start the learner again') in str(raised.value) == journal.problem
    saved = tmp_path / 'lesson.jsonl.rescued-1'
    assert saved.read_bytes() == content
    assert rescued_file(path) == saved
    assert stat.S_IMODE(saved.stat().st_mode) == 0o600
    saved.replace(path)
    assert entries_of(path) == ENTRIES


def test_the_last_of_the_files_that_were_saved_is_found(path):
    assert rescued_file(path) is None
    for name in ('torn-3', 'rescued-2', 'rescued-10', 'rescued-x'):
        path.with_name(f'{path.name}.{name}').touch()
    path.with_name('other.jsonl.rescued-11').touch()
    assert rescued_file(path) == path.with_name(f'{path.name}.rescued-10')


def test_closing_does_not_hide_what_was_wrong(path):
    with Journal(path) as journal:
        path.unlink()
        with pytest.raises(JournalError, match='was deleted or renamed'):
            journal.check()
    assert journal.is_taken_away
    assert 'was deleted or renamed' in journal.problem


def test_a_file_that_is_taken_away_while_an_entry_is_written_does_not_count(path, monkeypatch):
    """It would be on disk, but nobody would find it."""
    with Journal(path) as journal:
        def sync(file):
            path.unlink()
            os.fsync(file)

        with monkeypatch.context() as patched:
            with_os(patched, fsync=sync)
            with pytest.raises(JournalError, match='was deleted or renamed'):
                journal.append({'n': 0})
    assert read_journal(path.with_name('lesson.jsonl.rescued-1')) == [{'n': 0}]


def test_what_cannot_be_saved_is_said(path, monkeypatch):
    with Journal(path) as journal:
        path.unlink()
        with_os(monkeypatch, open=raising(errno.EROFS))
        with pytest.raises(JournalError, match=re.escape(
                'What it held could not be saved either: Read-only file system')):
            journal.append({'n': 0})


def test_a_folder_that_cannot_be_searched_is_said(path, monkeypatch):
    with Journal(path) as journal:
        with_os(monkeypatch, stat=raising(errno.EACCES))
        with pytest.raises(JournalError, match='the journal cannot be found: Permission denied'):
            journal.check()


def test_without_a_look_at_the_file_answers_would_be_lost(path, monkeypatch):
    """A control: what the check is for."""
    monkeypatch.setattr(Journal, 'check', lambda journal: None)
    with Journal(path) as journal:
        path.unlink()
        journal.append({'n': 0})        # counts, and is nowhere
    assert not path.exists()


# When the disk fails.

CANNOT = ('the journal cannot be written: {}; make room or fix the disk, then start the learner '
          'again')


def short(count):
    def write(file, line):
        return os.write(file, line[:count])
    return write


FAILURES = {
    'disk full': ({'write': raising(errno.ENOSPC)}, os.strerror(errno.ENOSPC), 0),
    'nothing was written': ({'write': short(0)}, 'only 0 of 35 bytes could be written', 0),
    'a short write': ({'write': short(12)}, 'only 12 of 35 bytes could be written', 12),
    'all but the end': ({'write': short(34)}, 'only 34 of 35 bytes could be written', 34),
    'sync failed': ({'fsync': raising(errno.EIO)}, os.strerror(errno.EIO), 35),
}


@for_each('name', FAILURES)
def test_a_failure_is_told_and_nothing_is_written_after_it(path, monkeypatch, name):
    replaced, reason, reached_disk = FAILURES[name]
    entry = {'n': 3}
    assert len(encode(entry)) == 35
    before = written(path)
    with Journal(path) as journal:
        with monkeypatch.context() as broken:
            with_os(broken, **replaced)
            with pytest.raises(JournalError, match=re.escape(f'{path}: {CANNOT.format(reason)}')):
                journal.append(entry)
        after = path.read_bytes()
        assert after == before + encode(entry, sum_of(before))[:reached_disk]
        for durable in (True, False, True):         # the disk works again: too late
            with pytest.raises(JournalError, match=re.escape(f'{path}: {CANNOT.format(reason)}')):
                journal.append({'n': 4}, durable=durable)
        assert journal.problem == f'{path}: {CANNOT.format(reason)}'
        assert path.read_bytes() == after
    # What had reached the disk is there: nothing that was promised is missing.
    assert entries_of(path) == ENTRIES + ([entry] if reached_disk >= 34 else [])
    written(path, [{'n': 5}])
    assert entries_of(path)[-1] == {'n': 5}


def test_without_durability_a_failing_sync_is_not_noticed_at_once_but_by_the_next(path,
                                                                                  monkeypatch):
    with Journal(path) as journal:
        with_os(monkeypatch, fsync=raising(errno.EIO))
        journal.append({'n': 1}, durable=False)
        with pytest.raises(JournalError, match=os.strerror(errno.EIO)):
            journal.append({'n': 2})


def test_a_disk_that_really_is_full(path):
    """The limit on file sizes makes the system write less than it is asked to, then refuse."""
    program = (
        'import resource\n'
        'resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n'
        'journal, count = Journal(path), 0\n'
        'try:\n'
        '    while True:\n'
        '        journal.append({"n": count})\n'
        '        count += 1\n'
        'except JournalError as error:\n'
        '    print(count, error)\n')
    done = subprocess.run(command(program, path), cwd=ROOT, timeout=patience(60),
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    count, text = done.stdout.split(' ', 1)
    assert re.search(r'cannot be written: only \d+ of 36 bytes could be written', text)
    assert path.stat().st_size == 1000
    assert entries_of(path) == [{'n': n} for n in range(int(count))]
    assert int(count) == (1000 - 10 * 35) // 36 + 10


# When the end is missing.

def whole_lines(content, cut):
    """Return how many lines are whole; one that lacks only its newline is."""
    ends = [place for place, byte in enumerate(content) if byte == ord('\n')]
    return sum(cut >= end for end in ends)


def places(content):
    """Return where to harm a file: everywhere near the ends of lines, here and there elsewhere."""
    ends = [place for place, byte in enumerate(content) if byte == ord('\n')]
    return [place for place in range(len(content))
            if place % 11 == 0 or any(abs(place - end) <= 2 for end in ends)]


def test_truncation_at_any_byte_leaves_exactly_the_whole_records(content):
    entries = decode(content, '')[0]
    for cut in range(len(content) + 1):
        found, good, _ = decode(content[:cut], '')
        assert found == entries[:whole_lines(content, cut)], cut
        assert good in (cut, content.rfind(b'\n', 0, cut) + 1), cut


def test_after_truncation_it_goes_on_behind_the_last_whole_record(tmp_path, content, monkeypatch):
    with_os(monkeypatch, fsync=lambda file: None)       # hundreds of them would take a while
    entries = decode(content, '')[0]
    torn_ones = 0
    for cut in [*places(content), len(content)]:
        path = tmp_path / f'{cut}.jsonl'
        path.write_bytes(content[:cut])
        whole = whole_lines(content, cut)
        torn = content[:cut].split(b'\n')[-1] if cut and whole == content[:cut].count(b'\n') \
            else b''
        with Journal(path) as journal:
            assert journal.entries == entries[:whole], cut
            journal.append({'after': cut})
        kept = asides(path)
        if torn:
            torn_ones += 1
            assert [aside.name for aside in kept] == [f'{path.name}.torn-1']
            assert kept[0].read_bytes() == torn, cut
        else:
            assert kept == [], cut
        assert path.read_bytes() == lines_of([*entries[:whole], {'after': cut}]), cut
    assert torn_ones > 5 * len(entries)


def test_what_is_torn_off_never_replaces_what_was_before(path):
    content = written(path)
    for count in range(3):
        path.write_bytes(content[:-4 - count])
        assert entries_of(path) == ENTRIES[:-1]
    last = content.splitlines(keepends=True)[-1]
    assert [aside.name for aside in asides(path)] == [
        f'lesson.jsonl.torn-{number}' for number in (1, 2, 3)]
    assert [aside.read_bytes() for aside in asides(path)] == [last[:-4], last[:-5], last[:-6]]


def test_zeros_at_the_end_are_torn_off(path):
    """Some file systems leave them after a power cut: the length was there before the bytes."""
    content = written(path)
    path.write_bytes(content + bytes(100))
    assert entries_of(path) == ENTRIES
    assert path.read_bytes() == content
    assert asides(path)[0].read_bytes() == bytes(100)


# When something is wrong elsewhere.

def damage_of(content, flip, read, name='journal', where=None):
    """
    Return what is wrong with how each flipped byte is read: nothing, one hopes.

    :param read: from bytes to entries.
    :param name: of the file, as errors must give it.
    :param where: which bytes to flip; None: all.
    """
    entries, starts = decode(content, '')[0], [0]
    starts += [place + 1 for place, byte in enumerate(content) if byte == ord('\n')]
    found = []
    for place in range(len(content)) if where is None else where:
        damaged = bytearray(content)
        damaged[place] ^= flip
        line = max(number for number, start in enumerate(starts) if start <= place)
        try:
            got = read(bytes(damaged))
        except JournalError as error:
            if not str(error).startswith(f'{name}:{line + 1}: the journal is damaged in the line '
                                         f'that begins at byte {starts[line]}: '):
                found.append((place, str(error)))
        else:
            found.append((place, 'the same entries' if got == entries else got))
    return found


@for_each('flip', [0x01, 0x08, 0x20, 0x40, 0x80, 0xff])
def test_any_flipped_bit_is_refused_with_its_line(content, flip):
    assert damage_of(content, flip, lambda damaged: decode(damaged, 'journal')[0]) == []


@pytest.mark.parametrize('flip', [0x01, 0x80])
def test_a_journal_with_a_flipped_bit_is_not_opened_and_not_changed(path, content, flip):
    def read(damaged):
        path.write_bytes(damaged)
        try:
            return entries_of(path)
        finally:
            assert path.read_bytes() == damaged
            assert asides(path) == []

    before = open_files()
    assert damage_of(content, flip, read, str(path), places(content)) == []
    assert open_files() == before


def test_without_the_checksum_flipped_bits_would_be_believed(content, monkeypatch):
    """A control: the tests above find wrong entries where there are any."""
    def trusting(chain, line):
        match = module.LINE.fullmatch(line)
        try:
            return None if match is None else json.loads(match.group(3))
        except ValueError:
            return None

    monkeypatch.setattr(module._Chain, 'entry_of', trusting)
    found = damage_of(content, 0x01, lambda damaged: decode(damaged, 'journal')[0])
    wrong = [place for place, got in found if isinstance(got, list)]
    assert len(wrong) > len(content) // 4


def test_without_the_check_of_the_end_a_flipped_last_newline_would_lose_an_entry(content):
    """Another control: a reader that cuts off whatever has no end."""
    def careless(damaged):
        return decode(damaged[:damaged.rfind(b'\n') + 1], 'journal')[0]

    lost = damage_of(content, 0x01, careless)
    assert [place for place, got in lost] == [len(content) - 1]
    assert len(lost[0][1]) == content.count(b'\n') - 1


@for_each(('wrong', 'line', 'byte'), [
    (b'', 2, 35), (b'nonsense', 2, 35), (b'{"n":1}', 2, 35),
    (encode({'n': 1})[:-1] + b' ', 2, 35), (encode({'n': 1})[:-1] * 2, 2, 35),
    (encode({'n': 1}).replace(b'"sum"', b'"SUM"')[:-1], 2, 35)])
def test_a_wrong_line_in_the_middle_is_refused(path, wrong, line, byte):
    content = encode({'n': 0}) + wrong + b'\n' + encode({'n': 2})
    path.write_bytes(content)
    with pytest.raises(JournalError, match=re.escape(
            f'{path}:{line}: the journal is damaged in the line that begins at byte {byte}: '
            f'{wrong[:40]!r}; it was changed, or is not the line that was written here. Nothing '
            'from here on can be trusted: restore the file, or start another lesson')):
        Journal(path)
    assert path.read_bytes() == content
    with pytest.raises(JournalError, match=re.escape(f'{path}:{line}: ')):
        read_journal(path)


def test_a_missing_piece_in_the_middle_is_refused(content):
    rng = np.random.default_rng(4)
    ends = [place + 1 for place, byte in enumerate(content) if byte == ord('\n')]
    pieces = [sorted(rng.integers(0, len(content) - 1, 2)) for _ in range(300)]
    pieces += [(first, last - 1) for first in [0, *ends] for last in ends[:-1] if first < last]
    for first, last in pieces:
        short = content[:first] + content[last + 1:]
        with pytest.raises(JournalError, match='the journal is damaged in the line'):
            decode(short, 'journal')


def with_checksum(body, before=0):
    return b'{"sum":"%08x","entry":%s}\n' % (zlib.crc32(body, before), body)


@for_each('body', [b'{nonsense}', b'{"n":1}}', b'{"n":"\xff"}', b"{'n':1}",
                                  b'{"n":1,}', b'{}{}'])
def test_an_entry_that_is_no_json_is_refused_even_if_its_checksum_fits(path, body):
    line = with_checksum(body, zlib.crc32(b'{"n":0}'))
    content = encode({'n': 0}) + line
    path.write_bytes(content)
    for read in (Journal, read_journal):
        with pytest.raises(JournalError, match=re.escape(
                f'{path}:2: the journal is damaged in the line that begins at byte 35: '
                f'{line[:-1][:40]!r}; it was changed, or is not the line that was written here')):
            read(path)
    assert path.read_bytes() == content


def test_an_entry_of_enormous_nesting_is_refused_even_if_its_checksum_fits(path):
    path.write_bytes(with_checksum(b'{"n":%s%s}' % (b'[' * 100_000, b']' * 100_000)))
    with pytest.raises(JournalError, match=rf'{re.escape(str(path))}:1: the journal is damaged'):
        read_journal(path)


def test_some_other_file_is_refused_and_not_changed(path):
    path.write_text('# a diary\n\nDear diary\n')
    with pytest.raises(JournalError, match=rf'{re.escape(str(path))}:1: the journal is damaged'):
        Journal(path)
    assert path.read_text() == '# a diary\n\nDear diary\n'


# Crashes.

@for_each('seed', range(4))
def test_crashes_of_the_process_lose_nothing_that_was_written(tmp_path, seed):
    """A list of what was written is the model; a process dies while it writes the next line."""
    rng = np.random.default_rng([1, seed])
    path, known, crashes = tmp_path / 'lesson.jsonl', [], 0
    for life in range(40):
        with Journal(path) as journal:
            assert journal.entries == known
            for _ in range(rng.integers(0, 5)):
                entry = {'n': len(known), 'noise': rng.bytes(rng.integers(0, 30)).hex()}
                journal.append(entry, durable=bool(rng.integers(2)))
                known.append(entry)
        entry = {'n': len(known), 'life': life}
        line = encode(entry, sum_of(path.read_bytes()))
        reached = int(rng.choice([0, len(line) - 2, len(line) - 1, len(line),
                                  rng.integers(len(line))]))
        with open(path, 'ab') as file:
            file.write(line[:reached])
        crashes += 0 < reached < len(line) - 1
        if reached >= len(line) - 1:
            known.append(entry)
    assert entries_of(path) == known
    assert len(asides(path)) == crashes > 5


@for_each('seed', range(4))
def test_power_cuts_lose_nothing_that_was_promised(tmp_path, seed):
    """The disk keeps all that was synced, and any beginning of what was written after that."""
    rng = np.random.default_rng([2, seed])
    path, known, promised = tmp_path / 'lesson.jsonl', [], 0
    lost = 0
    for _ in range(40):
        with Journal(path) as journal:
            assert journal.entries == known
            size = safe = path.stat().st_size
            for _ in range(rng.integers(0, 6)):
                durable = bool(rng.integers(2))
                journal.append(entry := {'n': int(rng.integers(10**9))}, durable=durable)
                known.append(entry)
                size = path.stat().st_size
                if durable:
                    safe, promised = size, len(known)
        os.truncate(path, rng.integers(safe, size + 1))
        survived = read_journal(path)
        assert survived == known[:len(survived)]
        assert len(survived) >= promised
        lost += len(known) - len(survived)
        known = survived
        promised = len(known)       # read back by a learner: the next entry syncs it
    assert lost > 5                 # else nothing was tried


WRITER = """
journal = Journal(path)
count = len(journal.entries)
while True:
    journal.append({'n': count})
    count += 1
    sys.stdout.write(f'{count}\\n')
    sys.stdout.flush()
"""


def test_what_was_promised_is_there_after_kill_9(path):
    promised = 0
    for lines in (1, 40, 7):
        with subprocess.Popen(command(WRITER, path), cwd=ROOT, text=True,
                              stdout=subprocess.PIPE) as writer:
            for _ in range(lines):
                promised = int(writer.stdout.readline())
            writer.kill()
            said = [line for line in writer.stdout if line.endswith('\n')]
            promised = int(said[-1]) if said else promised
        entries = entries_of(path)
        assert entries == [{'n': n} for n in range(len(entries))]
        assert promised <= len(entries) <= promised + 1
    assert promised >= 48


def test_the_lock_ends_with_the_process(path):
    """So a learner that was killed can be started again at once."""
    program = WRITER.replace('while True:', 'for _ in range(1):') + '\nsys.stdin.read()\n'
    with subprocess.Popen(command(program, path), cwd=ROOT, text=True, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as holder:
        assert holder.stdout.readline() == '1\n'
        with pytest.raises(JournalError, match='another learner is using this journal'):
            Journal(path)
        holder.kill()
        holder.wait(patience(60))
        assert entries_of(path) == [{'n': 0}]


def test_the_file_is_not_inherited_by_programs_that_are_started(path):
    """Else a child that outlives the learner would keep the journal locked."""
    with Journal(path) as journal:
        assert fcntl.fcntl(journal._file, fcntl.F_GETFD) & fcntl.FD_CLOEXEC
