"""A policy on disk, to be run without any teacher: JSON, with its checksum."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from gbs_irl_ros.core.policy import Policy
from gbs_irl_ros.learning.json_files import read_json, write_json
from gbs_irl_ros.learning.records import PolicyRecord

FORMAT = 1
MOST_BYTES = 1 << 28     # that of a world with a million states has a fifth of that


def save_policy(record: PolicyRecord, path: Path) -> None:
    """Write a policy, for its owner alone; a file of that name is replaced whole or not at all."""
    policy = record.policy
    values: dict[str, Any] = {
        'format': FORMAT, 'session': record.session, 'sequence': record.sequence,
        'task_hash': record.task_hash, 'final': record.final, 'stamp': record.stamp,
        'num_actions': policy.num_actions, 'action_sets': policy.action_sets.tolist(),
        'confidence': policy.confidence.tolist(), 'goal_states': policy.goal_states.tolist(),
        'never': policy.never.tolist()}
    values['checksum'] = _checksum(values)
    write_json(path, values, 'the policy', 'it is in force all the same. Make room or fix the '
               'disk, then start the learner again', indent=None)


def load_policy(path: Path) -> PolicyRecord:
    """Return a saved policy; raise with the reason if the file does not hold a whole one."""
    with read_json(path, MOST_BYTES, 'a saved policy', 'a policy that a learner saved') as values:
        return _checked(values)


def _checked(values: Any) -> PolicyRecord:
    if not isinstance(values, dict):
        raise TypeError('it must be an object')
    if values['format'] != FORMAT:
        raise ValueError(f'its format must be {FORMAT}, got {values["format"]!r}')
    policy = Policy(np.array(values['action_sets'], dtype=np.uint64),
                    np.array(values['confidence'], dtype=np.float64),
                    np.array(values['goal_states'], dtype=np.int64), int(values['num_actions']),
                    # Earlier versions did not save it.
                    np.array(values.get('never', []), dtype=np.int64))
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
