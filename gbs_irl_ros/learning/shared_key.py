"""A secret that learner and controller share, by which a robot knows its own learner."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from gbs_irl_ros.core.errors import GbsIrlError

LEAST_BYTES, MOST_BYTES = 16, 4096


class SharedKeyError(GbsIrlError):
    """The file with the key cannot be used."""


def load_shared_key(path: Path) -> bytes:
    """Return the key in a file that nobody but its owner may read."""
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK), 'rb') as file:
            mode, key = os.fstat(file.fileno()).st_mode, file.read(MOST_BYTES + 1)
    except OSError as error:
        raise SharedKeyError(f'{path}: the key cannot be read: {error.strerror}; make one by '
                             f'"openssl rand -hex 32 > {path}; chmod 600 {path}"') from error
    if stat.S_IMODE(mode) & 0o077:
        raise SharedKeyError(f'{path}: others may read the key (mode {stat.S_IMODE(mode):o}); '
                             f'expected mode 600: "chmod 600 {path}"')
    if not LEAST_BYTES <= len(key) <= MOST_BYTES:
        raise SharedKeyError(f'{path}: the key must have {LEAST_BYTES} to {MOST_BYTES} bytes, '
                             f'got {len(key)}; make one by "openssl rand -hex 32"')
    return key
