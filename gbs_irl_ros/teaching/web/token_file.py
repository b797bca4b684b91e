"""The key to the page of a lesson: in a file that only its owner can read."""

from __future__ import annotations

import json
import os
import secrets
import stat
from dataclasses import dataclass
from pathlib import Path

from gbs_irl_ros.tasks.whole_files import replacing

TOKEN_BYTES = 24
LARGEST = 4096          # bytes that are read of a file


class TokenFileError(Exception):
    """The file cannot be used."""


@dataclass(frozen=True)
class PageKey:
    """
    What makes a page reachable again after its node was restarted.

    token: who knows it may teach. port: on which it was last served, 0 if never.
    """

    token: str
    port: int = 0


def load_key(path: Path) -> PageKey:
    """Return the key in a file, which is made if there is none."""
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK),
                       'rb') as file:
            about, content = os.fstat(file.fileno()), file.read(LARGEST)
    except FileNotFoundError:
        key = PageKey(secrets.token_urlsafe(TOKEN_BYTES))
        save_key(path, key)
        return key
    except OSError as error:
        raise TokenFileError(f'{path}: the key of the page cannot be read: {error}. Remove it: a '
                             'new key is made') from None
    if about.st_uid != os.getuid() or stat.S_IMODE(about.st_mode) & 0o077:
        raise TokenFileError(
            f'{path}: others may read the key of the page (owner {about.st_uid}, mode '
            f'{stat.S_IMODE(about.st_mode):o}); expected mode 600. Remove the file: a new key '
            'is made')
    return _parsed(path, content)


def save_key(path: Path, key: PageKey) -> None:
    """Write a key; anyone who reads meanwhile sees the old one or the new one."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path, private=True) as file:
            json.dump({'token': key.token, 'port': key.port}, file)
    except OSError as error:
        raise TokenFileError(f'{path}: the key of the page cannot be written: {error}') from None


def _parsed(path: Path, content: bytes) -> PageKey:
    try:
        values = json.loads(content)
        token, port = values['token'], values['port']
        if not isinstance(token, str) or len(token) < TOKEN_BYTES or not token.isascii() \
                or type(port) is not int or not 0 <= port < 65536:
            raise ValueError
    except (ValueError, KeyError, TypeError, RecursionError):
        raise TokenFileError(
            f'{path}: is not a key of a page; remove the file: a new key is made') from None
    return PageKey(token, port)
