"""Files that are on disk whole or not at all, whatever happens while they are written."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

UNFINISHED = '.tmp'     # how the name of a file ends that a killed process left behind


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
