r"""
The journal of a lesson: an append-only file that is never wrong, only sometimes short.

One record a line: ``{"sum":"xxxxxxxx","entry":{...}}\n``, the sum being the CRC-32 of the bytes of
all entries up to and including this one: a line that is missing, doubled, moved or from another
journal is noticed like a flipped bit. Only lines missing at the end look like a shorter lesson.
Earlier versions wrote ``"crc"`` instead, the CRC-32 of the one entry. Such lines are still read in
front of the others; the first line written after them seals them.

A line is written by one ``write``. What must survive a power cut is followed by
``fsync`` before anybody counts on it. A process or a machine that dies while it writes leaves the
beginning of a line: that is cut off, and kept aside. Anything else that is wrong means that the
disk or somebody has changed the file, and it is not used. The same holds while it is in use: a
file that was deleted, renamed, replaced or cut is noticed before the next entry counts, and what
had been written is saved beside it.
"""

from __future__ import annotations

import errno
import fcntl
import glob
import json
import os
import re
import stat
import zlib
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.tasks.whole_files import sync_folder

LINE = re.compile(rb'\{"(crc|sum)":"([0-9a-f]{8})","entry":(\{.*\})\}', re.DOTALL)
ONLY_THE_OWNER = 0o600
MOST_BYTES = 1 << 30    # far more than a lesson has: 40,000 answers take 14 MB


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
        self._sum = 0                   # of the last line
        self._written_at = 0            # when it was last written [ns of the file's clock]
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
            if os.fstat(self._file).st_size > MOST_BYTES:
                raise JournalError(
                    f'{path}: the journal has more than {MOST_BYTES} bytes, which no lesson has; '
                    "move it away, or choose another name by the parameter 'lesson'")
            self._lock()
            self.entries = self._read()
            self._written_at = os.fstat(self._file).st_mtime_ns
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
        line, after = encode(entry, self._sum)
        self.check()
        try:
            _write(self._file, line)
            self._content += line
            self._sum, self._written_at = after, os.fstat(self._file).st_mtime_ns
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
            elif not self._is_as_written(own.st_mtime_ns):
                what = 'was changed by somebody else: it does not hold what was written'
            else:
                return
        self.is_taken_away = True
        self.problem = (f'{self.path}: the journal {what} while the learner was using it, so '
                        f'nothing more can be kept in it. {self._rescued()}')
        raise JournalError(self.problem)

    def _is_as_written(self, changed_at: int) -> bool:
        """Return whether the file has its content, which is read only if somebody wrote it."""
        if changed_at != self._written_at:
            if os.pread(self._file, len(self._content) + 1, 0) != self._content:
                return False
            self._written_at = changed_at
        return True

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

    def put_aside(self, label: str) -> Path:
        """
        Close the file and put a label behind its name; return the new name.

        What has its name now may be somebody else's: then it is left alone.
        """
        self.close()
        if self.is_taken_away:
            return self.path
        return self.path.rename(self.path.with_name(f'{self.path.stem}-{label}{self.path.suffix}'))

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
        entries, good, self._sum = decode(content, str(self.path))
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


class Decoded(NamedTuple):
    """
    What a file holds.

    length: how many bytes of it are whole lines.
    sum: of the last of them.
    """

    entries: list[dict[str, Any]]
    length: int
    sum: int


def encode(entry: dict[str, Any], before: int = 0) -> tuple[bytes, int]:
    """
    Return the line of an entry, and its sum.

    :param before: the sum of the line before.
    """
    body = json.dumps(entry, separators=(',', ':'), allow_nan=False).encode()
    after = zlib.crc32(body, before)
    return b'{"sum":"%08x","entry":%s}\n' % (after, body), after


def decode(content: bytes, name: str) -> Decoded:
    """Return what a file holds; raise if anything but the end of the last line is wrong."""
    entries: list[dict[str, Any]] = []
    start, chain = 0, _Chain()
    while start < len(content):
        end = content.find(b'\n', start)
        line = content[start:] if end < 0 else content[start:end]
        entry = chain.entry_of(line)
        if entry is None:
            if end < 0 and _is_torn(line):
                return Decoded(entries, start, chain.sum)
            raise JournalError(
                f'{name}:{len(entries) + 1}: the journal is damaged in the line that begins at '
                f'byte {start}: {line[:40]!r}; it was changed, or is not the line that was '
                'written here. Nothing from here on can be trusted: restore the file, or start '
                'another lesson')
        entries.append(entry)
        start += len(line) + 1
    return Decoded(entries, min(start, len(content)), chain.sum)


class _Chain:
    """
    Follows the lines of a journal from the first.

    sum: of the last line.
    """

    def __init__(self) -> None:
        self.sum = 0
        self._sealed = False        # from here on, every line has the sum of all before it

    def entry_of(self, line: bytes) -> dict[str, Any] | None:
        """Return the entry of the next line, None if it is damaged or does not belong here."""
        match = LINE.fullmatch(line)
        entry = None if match is None else _parsed(match.group(3))
        if match is None or entry is None:
            return None
        kind, said, body = match.groups()
        after = zlib.crc32(body, self.sum)
        if kind == b'crc' and (self._sealed or entry.get('format', 1) != 1):
            return None     # no version writes this here
        if int(said, 16) != (after if kind == b'sum' else zlib.crc32(body)):
            return None
        self.sum, self._sealed = after, kind == b'sum'
        return entry


def _is_torn(line: bytes) -> bool:
    """Return whether a line without an end is but the beginning of one."""
    # Where only the end is wrong, another byte is in its place.
    return not any(match and _parsed(match.group(3)) is not None
                   for match in (LINE.fullmatch(line), LINE.fullmatch(line[:-1])))


def _parsed(body: bytes) -> dict[str, Any] | None:
    try:
        entry: dict[str, Any] = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return entry


def _write(file: int, content: bytes | bytearray) -> None:
    """Write everything at once; raise if that failed, which means that the disk is full."""
    written = os.write(file, content)
    if written != len(content):
        raise OSError(errno.ENOSPC, f'only {written} of {len(content)} bytes could be written')


def rescued_file(path: Path) -> Path | None:
    """Return the last file in which a journal of this name was saved when it was taken away."""
    beside = path.parent.glob(f'{glob.escape(path.name)}.rescued-*')
    found = [(int(number), file) for file in beside
             if (number := file.name.rpartition('-')[2]).isdecimal()]
    return max(found)[1] if found else None


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
