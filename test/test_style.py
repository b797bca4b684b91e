"""Linters and types, as tests: one command checks everything."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from waiting import patience

ROOT = Path(__file__).parent.parent
CHECKED = ['gbs_irl_ros', 'scripts', 'launch', 'setup.py', 'tools']


def run(*command):
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=patience(300))
    return done.returncode, done.stdout + done.stderr


def existing():
    return [name for name in CHECKED if any((ROOT / name).rglob('*.py'))
            or (ROOT / name).is_file()]


def need(module):
    """Leave a check to `make test` where colcon runs the tests without its tool."""
    if importlib.util.find_spec(module) is None:
        pytest.skip(f'{module} is not installed; `make setup` gets it')


def test_ruff_finds_nothing():
    need('ruff')
    code, output = run(sys.executable, '-m', 'ruff', 'check', '.')
    assert code == 0, output


def test_types_are_complete_and_right():
    need('mypy')
    code, output = run(sys.executable, '-m', 'mypy')
    assert code == 0, output


@pytest.mark.parametrize('linter', ['ament_flake8', 'ament_pep257'])
def test_the_linters_of_ros_find_nothing(linter):
    if shutil.which(linter) is None:
        pytest.skip(f'{linter} is not installed (it comes with ROS 2)')
    code, output = run(linter, *existing())
    assert code == 0, output


def test_every_interface_is_built():
    cmake = (ROOT / 'CMakeLists.txt').read_text()
    files = {f'{kind}/{path.name}' for kind in ('msg', 'srv') for path in (ROOT / kind).iterdir()}
    assert files == set(re.findall(r'^\s+((?:msg|srv)/\S+)$', cmake, re.M))


def test_every_field_of_every_interface_has_a_comment():
    for kind in ('msg', 'srv'):
        for path in (ROOT / kind).iterdir():
            for line in path.read_text().splitlines():
                is_field = line.strip() and line.strip() != '---'
                assert not is_field or '#' in line, f'{path.name}: {line!r} is not explained'


def test_nothing_prints_but_the_command_line():
    for path in (ROOT / 'gbs_irl_ros').rglob('*.py'):
        if 'cli' in path.parts or 'experiments' in path.parts:
            continue
        assert not re.search(r'^\s*print\(', path.read_text(), re.M), path
