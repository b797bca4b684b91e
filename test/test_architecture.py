"""Imports go down only, from nodes to core; and most of the package knows no ROS."""

from __future__ import annotations

import ast
import collections
import subprocess
import sys
from pathlib import Path

import pytest
from cases import for_each
from waiting import patience

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / 'gbs_irl_ros'

# folder: the folders of ours that it may import
ALLOWED = {
    'languages': {'languages'},
    'starting': {'starting'},
    'core': {'languages', 'core'},
    'tasks': {'languages', 'core', 'tasks'},
    'learning': {'languages', 'core', 'tasks', 'learning'},
    'teaching': {'languages', 'core', 'tasks', 'learning', 'teaching'},
    'driving': {'languages', 'core', 'tasks', 'learning', 'driving'},
    'ros': {'languages', 'core', 'tasks', 'learning', 'teaching', 'driving', 'ros'},
    'nodes': {'languages', 'core', 'tasks', 'learning', 'teaching', 'driving', 'ros', 'launching',
              'starting', 'nodes'},
    'launching': {'languages', 'core', 'tasks', 'learning', 'starting', 'launching'},
    'experiments': {'languages', 'core', 'tasks', 'experiments'},
    'cli': {'languages', 'core', 'tasks', 'learning', 'teaching', 'driving', 'experiments',
            'starting', 'cli'},
}
ROS_FREE = set(ALLOWED) - {'ros', 'nodes', 'launching'}
ROS_WORDS = ('rclpy', 'rosidl', 'ament_index_python', 'builtin_interfaces', 'launch')
STANDARD_NAMES = sys.stdlib_module_names


def modules():
    return sorted(PACKAGE.rglob('*.py'))


def folder_of(path):
    parts = path.relative_to(PACKAGE).parts
    return parts[0] if len(parts) > 1 else None


def imports_of(path):
    """Yield every absolute name that a file imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f'{path} has a relative import'
            yield node.module
            yield from (f'{node.module}.{alias.name}' for alias in node.names)


def wrong_imports(path, folder):
    for name in imports_of(path):
        words = name.split('.')
        if words[0] == 'gbs_irl_ros' and len(words) > 1:
            is_ros = words[1] in ('msg', 'srv')
            is_wrong = not is_ros and words[1] not in ALLOWED[folder]
        else:
            is_ros = words[0].startswith(ROS_WORDS) or words[0].endswith(('_msgs', '_srvs'))
            is_wrong = False
        if is_wrong or (is_ros and folder in ROS_FREE):
            yield name


@pytest.mark.slow
@for_each('path', modules(), ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_imports_only_what_lies_below_it(path):
    folder = folder_of(path)
    if folder is None:
        assert path.name == '__init__.py', 'modules live in a folder'
        return
    assert list(wrong_imports(path, folder)) == []


def test_the_check_sees_every_kind_of_wrong_import(tmp_path):
    source = tmp_path / 'wrong.py'
    source.write_text("""
import rclpy
import geometry_msgs.msg
from gbs_irl_ros.nodes import learner
from gbs_irl_ros import msg
from gbs_irl_ros import tasks
from gbs_irl_ros.core import mdp
def late():
    from std_srvs.srv import Trigger
""")
    assert sorted(set(wrong_imports(source, 'core'))) == [
        'gbs_irl_ros.msg', 'gbs_irl_ros.nodes', 'gbs_irl_ros.nodes.learner', 'gbs_irl_ros.tasks',
        'geometry_msgs.msg', 'rclpy', 'std_srvs.srv', 'std_srvs.srv.Trigger']


def test_every_folder_has_a_rule():
    folders = {path.name for path in PACKAGE.iterdir() if path.is_dir()} - {'__pycache__'}
    assert folders == set(ALLOWED)


def built_messages(path):
    """Yield the messages of ours that a file fills with content; empty ones are fine."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) \
                and isinstance(node.func.value, ast.Name) and node.func.value.id == 'msg' \
                and (node.args or node.keywords):
            yield node.func.attr


@pytest.mark.slow
def test_only_conversions_build_messages():
    conversions = PACKAGE / 'ros' / 'messages' / 'conversions.py'
    assert set(built_messages(conversions)) >= {'Policy', 'Question'}
    for path in modules():
        if path.name not in ('conversions.py', 'task_conversions.py'):
            assert list(built_messages(path)) == [], path
            assert not [name for name in imports_of(path)
                        if name.startswith('gbs_irl_ros.msg.')], path


def fields_read(path):
    """Yield the fields that a file reads of arguments that are messages of ours."""
    for function in ast.walk(ast.parse(path.read_text())):
        if not isinstance(function, ast.FunctionDef):
            continue
        messages = {given.arg for given in function.args.args
                    if given.annotation is not None
                    and ast.unparse(given.annotation).startswith('msg.')}
        for node in ast.walk(function):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) \
                    and node.value.id in messages:
                yield node.attr


@pytest.mark.slow
def test_only_conversions_read_messages():
    """Elsewhere at most the names of what it is about, by which it is converted or left alone."""
    messages = PACKAGE / 'ros' / 'messages'
    assert set(fields_read(messages / 'conversions.py')) >= {'status', 'reason'}
    for path in modules():
        if path.parent != messages:
            assert set(fields_read(path)) <= {'id', 'hash', 'task_hash'}, path


def test_no_module_is_named_like_one_of_the_standard_library():
    assert [path for path in modules() if path.stem in STANDARD_NAMES] == []


def test_no_module_is_a_drawer_for_everything():
    assert [path for path in modules() if path.stem in ('utils', 'common', 'helpers')] == []


def test_tests_mirror_the_package():
    """A test folder with no folder behind it is a leftover."""
    for folder in (ROOT / 'test').iterdir():
        if folder.is_dir() and not folder.name.startswith(('_', '.')):
            assert folder.name in {*ALLOWED, 'reliability', 'interfaces'}, \
                f'{folder} tests nothing'


@pytest.mark.slow
def test_the_fast_tests_pass_where_ros_cannot_be_imported():
    """The command of `make test-fast`, on one file that imports everything of the core."""
    done = run_fast('test/core/test_learner.py')
    assert done.returncode == 0, done.stdout[-3000:]


@pytest.mark.slow
def test_the_fast_part_knows_no_ros():
    assert run_fast('test/ros').returncode == pytest.ExitCode.NO_TESTS_COLLECTED
    tried = run_fast('--collect-only', '--doctest-modules', 'gbs_irl_ros/ros/base_node.py',
                     'test/core/test_learner.py')
    assert 'rclpy is not to be imported here' in tried.stdout, tried.stdout[-2000:]


def run_fast(*arguments):
    return subprocess.run(
        [sys.executable, '-m', 'pytest', '-q', '-p', 'no:cacheprovider', '--part', 'fast',
         *arguments], cwd=ROOT, capture_output=True, text=True, timeout=patience(300))


def test_no_two_files_of_tests_have_the_same_name():
    """Pytest imports them by that name alone, and refuses the second, but only in a whole run."""
    count = collections.Counter(path.name for path in (ROOT / 'test').rglob('test_*.py'))
    assert [name for name, times in count.items() if times > 1] == []


SLOW_TO_IMPORT = ('scipy.optimize', 'scipy.ndimage', 'scipy.stats', 'matplotlib')


def test_nothing_slow_is_imported_by_every_node():
    """Each takes a tenth of a second or more, at every start; a function may import it."""
    for path in modules():
        if folder_of(path) not in ('experiments', 'cli'):
            names = [name for node in ast.parse(path.read_text()).body
                     for name in ([each.name for each in node.names]
                                  if isinstance(node, ast.Import) else
                                  [f'{node.module}.{each.name}' for each in node.names]
                                  if isinstance(node, ast.ImportFrom) else [])]
            slow = [name for name in names if name.startswith(SLOW_TO_IMPORT)]
            assert slow == [], path
