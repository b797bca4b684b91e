"""Every example runs, and says what its page says."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from waiting import patience

ROOT = Path(__file__).parent.parent


def run(name, *arguments, cwd=ROOT, **environment):
    done = subprocess.run([sys.executable, '-W', 'error', ROOT / 'examples' / name, *arguments],
                          cwd=cwd, capture_output=True, text=True, timeout=patience(120),
                          env={**os.environ, **environment})
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec('gymnasium') is None, reason='needs gymnasium')
def test_the_taxi_delivers_everybody_as_the_page_says():
    page = (ROOT / 'docs' / 'gymnasium.md').read_text()
    said = re.search(r'\$ python examples/gymnasium_taxi.py\n(.*?)```', page, re.S)
    assert run('gymnasium_taxi.py') == said[1]


@pytest.mark.slow
def test_a_first_lesson_ends_with_what_is_meant():
    said = run('first_lesson.py').splitlines()
    assert re.fullmatch(r' \d\. confirm  at state .* -> go to \(18, 0\) \(100% sure\)', said[-2])
    assert said[-1].startswith('meant: go to (18, 0); about ')


@pytest.mark.slow
def test_a_domain_of_ones_own_gives_a_table_and_a_figure(tmp_path):
    said = run('own_domain.py', tmp_path / 'windy', cwd=tmp_path).splitlines()
    assert [line.split(' | ')[1] for line in said[2:5]] == ['GBS-IRL', 'gbs softmax', 'random']
    assert said[-1] == 'windy_field.png results.csv differences.csv'
    assert (tmp_path / 'windy' / 'windy_field.png').stat().st_size > 10_000


@pytest.mark.slow
def test_a_journal_is_read_back():
    said = run('reading_a_journal.py').splitlines()
    assert said[0] == 'a lesson about grid_world'
    assert re.fullmatch(r'action at state \d+ after 5 s: go to \(18, 0\) \((9[5-9]|100)%\)',
                        said[-1])


@pytest.mark.slow
def test_the_file_of_a_study_is_summarised():
    assert re.fullmatch(
        r'P07 taught grid_world: \d+ answers, 4\.0 s each, 0 changed; done: go to \(18, 0\)\n',
        run('study_csv.py'))


@pytest.mark.slow
def test_the_package_with_a_strategy_can_be_installed_tested_and_compared(tmp_path):
    """By pip, without any network; nothing but its entry point says that it is there."""
    source, target = tmp_path / 'own_strategy', tmp_path / 'installed'
    shutil.copytree(ROOT / 'examples' / 'own_strategy', source)
    path = os.pathsep.join(filter(None, [str(target), os.environ.get('PYTHONPATH')]))

    def python(*arguments):
        done = subprocess.run([sys.executable, *arguments], cwd=tmp_path, capture_output=True,
                              text=True, timeout=patience(120),
                              env={**os.environ, 'PYTHONPATH': path})
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    python('-m', 'pip', 'install', '--quiet', '--no-index', '--no-deps', '--no-build-isolation',
           '--disable-pip-version-check', '--target', target, source)
    python('-m', 'pytest', '-q', '-p', 'no:cacheprovider', '-W', 'error', source / 'test')
    said = python('-W', 'error', source / 'compare.py', 'out', '2').splitlines()
    assert [line.split(' | ')[1] for line in said[2:11]] == 3 * ['GBS-IRL', 'gini', 'random']
    assert said[-1] == ('trap_world.png GoalGrid.png RandomMdps.png results.csv differences.csv')
    assert python('-m', 'gbs_irl_ros.cli.main', 'plugins') == 'gbs_irl_ros.strategies: gini: OK\n'


def test_every_example_is_on_the_page():
    page = (ROOT / 'examples' / 'README.md').read_text()
    found = [path.name for path in (ROOT / 'examples').iterdir()
             if path.name not in ('README.md', '__pycache__')]
    assert [name for name in found if f'({name}' not in page] == []
