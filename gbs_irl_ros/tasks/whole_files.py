"""Files that are on disk whole or not at all, whatever happens while they are written."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

UNFINISHED = '.tmp'     # how the name of a file ends that a killed process left behind


def read_ordinary(path: Path, most_bytes: int) -> bytes:
    """
    Return the content of a file; raise OSError if it is none, or larger than this.

    Opening a pipe would wait for somebody who writes into it, perhaps for ever.
    """
    opened = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        about = os.fstat(opened)
        if not stat.S_ISREG(about.st_mode):
            raise OSError(errno.EINVAL, 'it is not an ordinary file', str(path))
        if about.st_size > most_bytes:
            raise OSError(errno.EFBIG, f'it has {about.st_size} bytes, expected at most '
                          f'{most_bytes}', str(path))
        with open(opened, 'rb', closefd=False) as file:
            return file.read(most_bytes)
    finally:
        os.close(opened)


@contextlib.contextmanager
def replacing(path: Path, *, private: bool = False) -> Iterator[TextIO]:
    """
    Open a file that takes the place of another when all was written; else that one stays.

    Anyone who reads meanwhile sees the file of before, or the new one. The folder must exist.

    :param private: only its owner may read it, whatever the umask.
    """
    beside = path.with_name(f'{path.name}.{secrets.token_hex(8)}{UNFINISHED}')
    opened = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW,
                     0o600 if private else 0o666)
    try:
        with os.fdopen(opened, 'w', encoding='utf-8', newline='') as file:
            if private:
                os.fchmod(opened, 0o600)
            yield file
            file.flush()
            os.fsync(opened)
        os.replace(beside, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(beside)
        raise
    with contextlib.suppress(OSError):      # it is there, and whole
        sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make a new name in a folder survive a power cut."""
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with contextlib.suppress(OSError):      # some file systems cannot, and need not
            os.fsync(opened)
    finally:
        os.close(opened)
