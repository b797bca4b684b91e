"""
Task files of an earlier day are still read, and still mean the same.

``written_before`` holds copies of the shipped files and of those of docs/tasks.md, never to be
changed. Journals carry the hash of their task, so a hash that changes ends every lesson. Names of
hypotheses may become clearer, as those of weighted features and of random rewards have.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
from cases import for_each

from gbs_irl_ros.tasks import load_task, load_truth
from gbs_irl_ros.tasks.plans.plan_cache import plan_key

FOLDER = Path(__file__).parent / 'written_before'
EXPECTED = json.loads((FOLDER / 'expected.json').read_text())


def sha_256(*parts):
    return hashlib.sha256(b''.join(parts)).hexdigest()


def test_every_copy_has_its_expectations():
    assert {path.stem for path in FOLDER.glob('*.yaml')} == set(EXPECTED)


@for_each('name', sorted(EXPECTED))
def test_a_file_gives_the_same_task_as_before(name):
    expected, task = EXPECTED[name], load_task(FOLDER / f'{name}.yaml')
    looks = task.world.appearance
    assert task.world.name == expected['name']
    assert task.content_hash == expected['hash']
    assert plan_key(task.world.mdp, task.rewards, task.candidates.avoidance) == \
         expected['plan_key']
    assert sha_256('\n'.join([*task.names, *looks.state_names, *looks.action_names,
                              *looks.action_keys]).encode()) == expected['names']


@for_each('name', sorted(EXPECTED))
def test_a_file_gives_the_same_plan_as_before(name):
    planned = load_task(FOLDER / f'{name}.yaml').compile()
    assert sha_256(np.ascontiguousarray(planned.sets.bits).tobytes(),
                   planned.sets.class_of_state.tobytes(),
                   planned.policy_of_reward.tobytes()) == EXPECTED[name]['plan']


@for_each('name', sorted(name for name in EXPECTED if EXPECTED[name]['truth']))
def test_a_file_gives_the_same_truth_as_before(name):
    assert load_truth(FOLDER / f'{name}.yaml').name == EXPECTED[name]['truth']
