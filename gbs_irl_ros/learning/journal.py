r"""
The journal of a lesson: an append-only file that is never wrong, only sometimes short.

One record a line: ``{"crc":"xxxxxxxx","entry":{...}}\n``, the CRC-32 being that of the bytes of
the entry. A line is written by one ``write``. What must survive a power cut is followed by
``fsync`` before anybody counts on it. A process or a machine that dies while it writes leaves the
beginning of a line: that is cut off, and kept aside. Anything else that is wrong means that the
disk or somebody has changed the file, and it is not used. The same holds while it is in use: a
file that was deleted, renamed, replaced or cut is noticed before the next entry counts, and what
had been written is saved beside it.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import re
import stat
import zlib
from pathlib import Path
from types import TracebackType
from typing import Any

from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.tasks.whole_files import sync_folder

LINE = re.compile(rb'\{"crc":"([0-9a-f]{8})","entry":(\{.*\})\}', re.DOTALL)
ONLY_THE_OWNER = 0o600


class JournalError(GbsIrlError, OSError):
    """The journal cannot be used, or no longer."""


class Journal:
    """
    A journal that is open for writing, and locked against a second writer.

    path: of the file, made if it does not exist, with its folders.
    entries: what it held when it was opened.
    problem: why nothing more can be written, '' if it can.
    is_taken_away: whether somebody has deleted, renamed, replaced or changed the file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.problem = ''
        self.is_taken_away = False
        self._content = bytearray()     # what the file holds, if nobody else has changed it
        try:
            _make_folder(path.parent)
            new = not path.exists()
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
                                 | os.O_NONBLOCK, ONLY_THE_OWNER)
        except OSError as error:
            raise JournalError(
                f'{path}: the journal cannot be opened: {error.strerror}') from error
        try:
            if not stat.S_ISREG(os.fstat(self._file).st_mode):
                raise JournalError(f'{path}: the journal must be an ordinary file, got something '
                                   "else; remove it, or choose another name by the parameter "
                                   "'lesson'")
            self._lock()
            self.entries = self._read()
            # What is read here counts from now on: also what a predecessor could not make durable.
            os.fsync(self._file)
            if new:
                sync_folder(path.parent)
        except BaseException as error:
            os.close(self._file)
            if not isinstance(error, OSError) or isinstance(error, JournalError):
                raise
            raise JournalError(
                f'{path}: the journal cannot be opened: {error.strerror}') from error

    def append(self, entry: dict[str, Any], *, durable: bool = True) -> None:
        """
        Write an entry; when this returns, it is on disk.

        After a failure the file may end in half a line: nothing more is written to it, ever.

        :param durable: False: it may be lost in a power cut, together with nothing before it.
        """
        line = encode(entry)
        self.check()
        try:
            _write(self._file, line)
            self._content += line
            if durable:
                os.fsync(self._file)
                self.check()        # else it would be on disk, but not under its name
        except JournalError:
            raise
        except OSError as error:
            self.problem = (
                f'{self.path}: the journal cannot be written: {error.strerror}; make room or '
                'fix the disk, then start the learner again')
            raise JournalError(self.problem) from error

    def check(self) -> None:
        """Raise unless all that was written is still in the file with this name."""
        if self.problem:
            raise JournalError(self.problem)
        own = os.fstat(self._file)
        try:
            named = os.stat(self.path)
        except OSError as error:
            what = 'was deleted or renamed' if error.errno == errno.ENOENT \
                else f'cannot be found: {error.strerror}'
        else:
            if (named.st_dev, named.st_ino) != (own.st_dev, own.st_ino):
                what = 'was replaced by another file'
            elif own.st_size != len(self._content):
                what = f'was changed by somebody else: it has {own.st_size} bytes, ' \
                       f'expected {len(self._content)}'
            else:
                return
        self.is_taken_away = True
        self.problem = (f'{self.path}: the journal {what} while the learner was using it, so '
                        f'nothing more can be kept in it. {self._rescued()}')
        raise JournalError(self.problem)

    def _rescued(self) -> str:
        """Save what was written beside the journal; return a sentence about it."""
        try:
            aside = _keep_aside(self.path, 'rescued', self._content)
        except OSError as error:
            return f'What it held could not be saved either: {error.strerror}'
        return f'What it held is saved in {aside}: rename that to {self.path.name}, then start ' \
               'the learner again'

    def close(self) -> None:
        """Release the file."""
        if self._file >= 0:
            os.close(self._file)    # and with it the lock
            self._file = -1
            self.problem = self.problem or f'{self.path}: the journal is closed'

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        self.close()

    def _lock(self) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise JournalError(
                f'{self.path}: another learner is using this journal; stop it, or give this one '
                "another name by the parameter 'lesson'") from None

    def _read(self) -> list[dict[str, Any]]:
        with open(self._file, 'rb', closefd=False) as file:
            content = file.read()
        entries, good = decode(content, str(self.path))
        self._content += content[:good]
        if good < len(content):     # the beginning of a line
            _keep_aside(self.path, 'torn', content[good:])
            os.ftruncate(self._file, good)
        elif content and not content.endswith(b'\n'):
            _write(self._file, b'\n')       # all of the last line but its end had been written
            self._content += b'\n'
        return entries


def read_journal(path: Path) -> list[dict[str, Any]]:
    """Return the entries of a journal that somebody else may be writing."""
    try:
        if path.exists() and not path.is_file():
            raise OSError(errno.EINVAL, 'it is not an ordinary file')
        content = path.read_bytes()
    except OSError as error:
        raise JournalError(f'{path}: the journal cannot be read: {error.strerror}') from error
    return decode(content, str(path))[0]


def encode(entry: dict[str, Any]) -> bytes:
    """Return the line of an entry."""
    body = json.dumps(entry, separators=(',', ':'), allow_nan=False).encode()
    return b'{"crc":"%08x","entry":%s}\n' % (zlib.crc32(body), body)


def decode(content: bytes, name: str) -> tuple[list[dict[str, Any]], int]:
    """
    Return the entries of a file, and how many bytes of it are whole lines.

    Raises if anything but the end of the last line is wrong.
    """
    entries: list[dict[str, Any]] = []
    start = 0
    while start < len(content):
        end = content.find(b'\n', start)
        line = content[start:] if end < 0 else content[start:end]
        entry = _entry(line)
        if entry is None:
            # A line that was being written has no end. One whose end alone is wrong was whole.
            if end < 0 and _entry(line[:-1]) is None:
                return entries, start
            raise JournalError(
                f'{name}:{len(entries) + 1}: the journal is damaged in the line that begins at '
                f'byte {start}: {line[:40]!r}; nothing after it can be trusted. Restore the file, '
                'or start another lesson')
        entries.append(entry)
        start += len(line) + 1
    return entries, min(start, len(content))


def _entry(line: bytes) -> dict[str, Any] | None:
    match = LINE.fullmatch(line)
    if match is None or int(match.group(1), 16) != zlib.crc32(match.group(2)):
        return None
    try:
        entry: dict[str, Any] = json.loads(match.group(2))
    except (ValueError, RecursionError):
        return None
    return entry


def _write(file: int, content: bytes | bytearray) -> None:
    """Write everything at once; raise if that failed, which means that the disk is full."""
    written = os.write(file, content)
    if written != len(content):
        raise OSError(errno.ENOSPC, f'only {written} of {len(content)} bytes could be written')


def _keep_aside(path: Path, kind: str, content: bytes | bytearray) -> Path:
    """Write a file beside the journal, replacing none; return its name."""
    number = 1
    while (aside := path.with_name(f'{path.name}.{kind}-{number}')).exists():
        number += 1
    opened = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, ONLY_THE_OWNER)
    try:
        _write(opened, content)
        os.fsync(opened)
    finally:
        os.close(opened)
    return aside


def _make_folder(folder: Path) -> None:
    missing = [parent for parent in (folder, *folder.parents) if not parent.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    for made in missing:
        sync_folder(made.parent)
