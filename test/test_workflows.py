"""The files for a public forge: read-only, pinned, and nothing that the Makefile does not do."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

ROOT = Path(__file__).parent.parent
WORKFLOWS = {path.name: yaml.safe_load(path.read_text())
             for path in (ROOT / '.github' / 'workflows').glob('*.yml')}
JOBS = [(f'{name}: {job}', content) for name, workflow in WORKFLOWS.items()
        for job, content in workflow['jobs'].items()]
STEPS = [(job, step) for job, content in JOBS for step in content['steps']]


def test_there_is_a_check_of_every_change_and_a_soak():
    assert sorted(WORKFLOWS) == ['check.yml', 'soak.yml']


def test_nothing_can_be_written_with_what_a_job_is_given():
    assert [name for name, workflow in WORKFLOWS.items()
            if workflow['permissions'] != {'contents': 'read'}] == []
    assert [job for job, content in JOBS if 'permissions' in content] == []
    kept = [job for job, step in STEPS if 'checkout' in step.get('uses', '')
            and step['with']['persist-credentials'] is not False]
    assert kept == []


def test_actions_of_others_are_pinned_to_a_commit():
    used = [(job, step['uses']) for job, step in STEPS if 'uses' in step]
    assert used
    assert [each for each in used if not re.search(r'@[0-9a-f]{40}$', each[1])] == []


def test_jobs_end_and_run_commands_of_this_repository():
    makefile = (ROOT / 'Makefile').read_text()
    for job, content in JOBS:
        assert content['timeout-minutes'] <= 180, job
        commands = '\n'.join(step.get('run', '') for step in content['steps'])
        targets = re.findall(r'\bmake ([a-z-]+)', commands)
        assert targets or 'bash .ci/run' in commands or 'pip install .\n' in commands, job
        assert [each for each in targets if not re.search(rf'^{each}:', makefile, re.M)] == [], job
        if 'test' in targets:   # a missing browser or `ign` fails in CI, and .ci/run installs both
            assert content['env'] == {'CI': ''}, job


def test_the_same_pythons_as_the_set_up_supports():
    import sys
    sys.path.insert(0, str(ROOT / 'tools'))
    try:
        import setup_environment
    finally:
        sys.path.pop(0)
    oldest, newest = setup_environment.OLDEST_PYTHON, setup_environment.NEWEST_PYTHON
    assert WORKFLOWS['check.yml']['jobs']['pythons']['strategy']['matrix']['python'] == [
        f'3.{minor}' for minor in range(oldest[1], newest[1] + 1)]
    assert WORKFLOWS['check.yml']['jobs']['distributions']['strategy']['matrix']['distro'] == list(
        setup_environment.WHEEL_DISTROS)
    required = re.search(r"python_requires='>=3\.(\d+)'", (ROOT / 'setup.py').read_text())
    assert WORKFLOWS['check.yml']['jobs']['pip']['strategy']['matrix']['python'] == [
        f'3.{minor}' for minor in range(int(required[1]), newest[1] + 1)]
