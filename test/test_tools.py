"""The tools around the tests: what fails by chance is found, what is not reached is said."""

from __future__ import annotations

import collections
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from waiting import patience

ROOT = Path(__file__).parent.parent
OPTION = "def pytest_addoption(parser):\n    parser.addoption('--part')\n"
BY_CHANCE = """
from pathlib import Path

COUNT = Path(__file__).with_name('count')

def test_that_always_passes():
    pass

def test_that_fails_in_the_second_round():
    COUNT.touch()
    COUNT.write_text(COUNT.read_text() + 'x')
    assert COUNT.read_text() != 'xx'
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / 'conftest.py').write_text(OPTION)
    (tmp_path / 'test_chance.py').write_text(BY_CHANCE)
    return tmp_path


def run(script, *arguments, folder=ROOT):
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith(('PYTEST_', 'COVERAGE_'))}
    return subprocess.run([sys.executable, ROOT / 'tools' / script, *arguments], cwd=folder,
                          env=environment, capture_output=True, text=True, timeout=patience(120))


def test_a_full_disk_is_said_before_anything_is_tried(monkeypatch):
    spec = importlib.util.spec_from_file_location('shared', ROOT / 'test' / 'conftest.py')
    shared = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(shared)
    usage = collections.namedtuple('usage', 'total used free')
    monkeypatch.setattr(shared.shutil, 'disk_usage', lambda _: usage(9 << 30, 9 << 30, 12 << 20))
    with pytest.raises(pytest.UsageError, match=(
            r'/somewhere has 12 MB left; the tests need 500 MB there\. Make room, or name another '
            'folder in TMPDIR')):
        shared.need_room(Path('/somewhere'))


class TestBillOfMaterials:
    @pytest.fixture
    def sbom(self):
        spec = importlib.util.spec_from_file_location('sbom', ROOT / 'tools' / 'sbom.py')
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    def test_it_is_up_to_date(self, sbom):
        assert sbom.SBOM.read_text() == sbom.bill_of_materials(), 'run `make sbom`'

    def test_it_has_everything_that_is_pinned_or_named_once(self, sbom):
        made = json.loads(sbom.SBOM.read_text())
        assert (made['bomFormat'], made['specVersion'], made['version']) == ('CycloneDX', '1.5', 1)
        references = [each['bom-ref'] for each in made['components']]
        assert len(set(references)) == len(references)
        assert made['dependencies'] == [{'ref': made['metadata']['component']['bom-ref'],
                                         'dependsOn': references}]
        lines = [line.split() for file in (ROOT / 'requirements').glob('*.txt')
                 for line in file.read_text().splitlines() if line[:1].isalpha()]
        assert len(lines) > 250
        for requirement, *_ in lines:
            name, _, version = requirement.rstrip(';').partition('==')
            name = name.partition('[')[0]       # without what is wanted of it besides
            assert f'pkg:pypi/{name.lower().replace("_", "-")}@{version}' in references
        for key in re.findall(r'<(?:exec_)?depend>(.*)<', (ROOT / 'package.xml').read_text()):
            assert f'rosdep:{key}' in references

    def test_a_package_that_is_added_changes_it(self, sbom, tmp_path):
        shutil.copytree(ROOT / 'requirements', tmp_path / 'requirements')
        shutil.copy(ROOT / 'package.xml', tmp_path)
        assert sbom.bill_of_materials(tmp_path) == sbom.bill_of_materials()
        with open(tmp_path / 'requirements' / 'lock.txt', 'a') as file:
            file.write('New_One==1.0 ; python_version < "3.11" \\\n    --hash=sha256:00\n')
        made = json.loads(sbom.bill_of_materials(tmp_path))
        (new,) = [each for each in made['components'] if each['name'] == 'new-one']
        assert new['purl'] == 'pkg:pypi/new-one@1.0'
        assert [each['value'] for each in new['properties']] == [
            'by another package', 'python_version < "3.11"']


def test_lines_that_no_test_reaches_are_said_and_too_few_are_a_failure():
    pytest.importorskip('coverage', reason='measures which lines are reached')
    done = run('coverage_run.py', '-q', '-p', 'no:cacheprovider', 'test/core/test_mdp.py')
    assert done.returncode == 2, done.stdout + done.stderr
    assert 'gbs_irl_ros/core/learner.py' in done.stdout
    assert 'is less than fail-under=90.0' in done.stdout


def test_what_fails_by_chance_is_named_with_how_often(folder):
    done = run('flaky.py', '--times', '3', '--load', '1', '--', 'test_chance.py', folder=folder)
    assert done.returncode == 1, done.stdout + done.stderr
    assert 'flaky: round 2: 2 tests, 1 failed' in done.stdout
    assert done.stdout.endswith(
        'flaky: 2 of 3 rounds were clean\n'
        '  1 of 3: test_chance.test_that_fails_in_the_second_round\n')


def test_rounds_without_a_failure_are_a_success(folder):
    done = run('flaky.py', '--times', '1', '--load', '0', '--', 'test_chance.py', folder=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith('flaky: 1 of 1 rounds were clean\n')


def test_where_nothing_ran_nothing_is_said_of_chance(folder):
    done = run('flaky.py', '--times', '5', '--load', '0', '--', '-k', 'nothing', folder=folder)
    assert done.returncode == pytest.ExitCode.NO_TESTS_COLLECTED
    assert 'nothing can be said of chance' in done.stderr
    assert done.stdout.count('flaky: round') == 2       # it stopped there
    wrong = run('flaky.py', '--times', '0', folder=folder)
    assert wrong.returncode == 2
    assert '--times must be at least 1' in wrong.stderr
