"""A policy on disk, to be run without any teacher: JSON, with its checksum."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from gbs_irl_ros.core.errors import GbsIrlError, InvalidRecordError
from gbs_irl_ros.core.policy import Policy
from gbs_irl_ros.learning.records import PolicyRecord
from gbs_irl_ros.tasks.whole_files import read_ordinary, replacing

FORMAT = 1
MOST_BYTES = 1 << 28     # that of a world with a million states has a fifth of that


class PolicyNotSavedError(GbsIrlError, OSError):
    """A policy could not be written to disk."""


def save_policy(record: PolicyRecord, path: Path) -> None:
    """Write a policy, for its owner alone; a file of that name is replaced whole or not at all."""
    policy = record.policy
    values: dict[str, Any] = {
        'format': FORMAT, 'session': record.session, 'sequence': record.sequence,
        'task_hash': record.task_hash, 'final': record.final, 'stamp': record.stamp,
        'num_actions': policy.num_actions, 'action_sets': policy.action_sets.tolist(),
        'confidence': policy.confidence.tolist(), 'goal_states': policy.goal_states.tolist()}
    values['checksum'] = _checksum(values)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path, private=True) as file:
            json.dump(values, file)
    except OSError as error:
        raise PolicyNotSavedError(
            f'{path}: the policy cannot be saved: {error.strerror}; it is in force all the same. '
            'Make room or fix the disk, then start the learner again') from error


def load_policy(path: Path) -> PolicyRecord:
    """Return a saved policy; raise with the reason if the file does not hold a whole one."""
    try:
        values = json.loads(read_ordinary(path, MOST_BYTES).decode())
    except OSError as error:
        raise InvalidRecordError(f'{path}: cannot be read: {error.strerror}; expected a policy '
                                 'that a learner saved') from error
    except (ValueError, RecursionError) as error:
        raise InvalidRecordError(f'{path}: is not a saved policy: {error}') from error
    try:
        return _checked(values)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        reason = f'{error.args[0]!r} is missing' if type(error) is KeyError else error
        raise InvalidRecordError(f'{path}: is not a saved policy: {reason}') from error


def _checked(values: Any) -> PolicyRecord:
    if not isinstance(values, dict):
        raise TypeError('it must be an object')
    if values['format'] != FORMAT:
        raise ValueError(f'its format must be {FORMAT}, got {values["format"]!r}')
    policy = Policy(np.array(values['action_sets'], dtype=np.uint64),
                    np.array(values['confidence'], dtype=np.float64),
                    np.array(values['goal_states'], dtype=np.int64), int(values['num_actions']))
    record = PolicyRecord(str(values['session']), int(values['sequence']),
                          str(values['task_hash']), policy, bool(values['final']),
                          int(values['stamp']))
    if values['checksum'] != _checksum(values):
        raise ValueError('its checksum does not fit: the file is damaged')
    return record


def _checksum(values: dict[str, Any]) -> str:
    """Return a SHA-256 over everything but itself."""
    content = {name: value for name, value in values.items() if name != 'checksum'}
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
