"""What a learner keeps in a JSON file: written whole and for its owner alone, read with care."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gbs_irl_ros.core.errors import GbsIrlError, InvalidRecordError
from gbs_irl_ros.core.printable import one_line
from gbs_irl_ros.tasks.whole_files import read_ordinary, replacing

LONGEST_REASON = 500    # characters of an error


class NotSavedError(GbsIrlError, OSError):
    """Something could not be written to disk."""


def write_json(path: Path, values: Any, what: str, advice: str, indent: int | None = 2) -> None:
    """
    Write a file; one of that name is replaced whole or not at all.

    :param what: the file holds, as in "the policy".
    :param advice: how to get it saved after all.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path, private=True) as file:
            json.dump(values, file, indent=indent, allow_nan=False)
            file.write('\n')
    except OSError as error:
        raise NotSavedError(
            f'{path}: {what} cannot be saved: {error.strerror}; {advice}') from error


@contextlib.contextmanager
def read_json(path: Path, most_bytes: int, what: str, expected: str = '') -> Iterator[Any]:
    """
    Read a file; what is wrong with its values, found in the ``with`` block, is said with its name.

    :param what: the file should be, as in "a saved policy".
    :param expected: said where there is no such file.
    """
    try:
        content = read_ordinary(path, most_bytes)
    except OSError as error:
        ending = f'; expected {expected}' if expected else ''
        raise InvalidRecordError(f'{path}: cannot be read: {error.strerror}{ending}') from error
    try:
        yield json.loads(content.decode())
    except (KeyError, TypeError, ValueError, OverflowError, RecursionError) as error:
        reason = f'{error.args[0]!r} is missing' if type(error) is KeyError \
            else one_line(error, longest=LONGEST_REASON)
        raise InvalidRecordError(f'{path}: is not {what}: {reason}') from error
