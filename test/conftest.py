"""What all tests share."""

from __future__ import annotations

import contextlib
import fcntl
import gc
import importlib.abc
import os
import shutil
import signal
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

HERE = Path(__file__).parent
# What tests of several folders share stands in the folder it is about.
sys.path += [str(HERE / folder)
             for folder in ('core', 'core/planning', 'languages', 'learning', 'nodes', 'ros',
                            'teaching/terminal')]
# What starts processes of ROS, browsers, installers or linters. `make test-system` runs it, and
# what is marked `slow` elsewhere; `make test-fast` runs everything else.
SYSTEM = ('ros', 'nodes', 'launching', 'reliability', 'test_bench.py', 'test_setup.py',
          'test_style.py', 'test_tools.py')
# What takes longest is begun first: nobody waits at the end for the one worker that has it.
FIRST = ('nodes/test_demo.py', 'test_setup.py', 'reliability', 'nodes/test_page_robot.py',
         'nodes/test_page_looks.py', 'nodes/test_page.py', 'nodes/test_teleop.py',
         'nodes/test_nav2.py', 'test_docs.py', 'test_style.py', 'test_examples.py',
         'test_bench.py', 'nodes', 'ros', 'launching', 'experiments', 'core', 'tasks')
ROOM_MB = 500       # that the tests need for their files
ROS_MODULES = {'rclpy', 'builtin_interfaces', 'std_msgs', 'geometry_msgs', 'rosidl_runtime_py'}


class NoRos(importlib.abc.MetaPathFinder):
    """Makes everything of ROS, our own messages included, impossible to import."""

    def find_spec(self, name, path=None, target=None):
        if name.split('.')[0] in ROS_MODULES or name in ('gbs_irl_ros.msg', 'gbs_irl_ros.srv'):
            raise ModuleNotFoundError(f'{name} is not to be imported here', name=name)


def pytest_addoption(parser):
    parser.addoption(
        '--part', choices=('fast', 'system'),
        help='run only what needs no ROS, which is made unimportable, no browser and little time '
             '(fast), or only the rest (system)')


def pytest_configure(config):
    if config.getoption('--part') == 'fast':
        sys.meta_path.insert(0, NoRos())
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # Started in the background, where a shell ignores Ctrl-C; what tests start would, too.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    # Workers take file after file, to share what its tests share, in the order of `begin_first`.
    config.option.loadscopereorder = False
    if not hasattr(config, 'workerinput'):      # a worker of pytest-xdist has that of its parent
        need_room(Path(tempfile.gettempdir()))
        keep_ros_on_this_machine()
        folder = own_caches()
        config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))


def pytest_ignore_collect(collection_path, config):
    """Leave out, without importing it, what does not belong to a fast run."""
    if config.getoption('--part') == 'fast' and is_system(collection_path):
        return True
    return None


def pytest_collection_modifyitems(config, items):
    part = config.getoption('--part')
    if part is not None:
        wanted, left_out = [], []
        for item in items:
            is_fast = not is_system(item.path) and item.get_closest_marker('slow') is None
            (wanted if is_fast == (part == 'fast') else left_out).append(item)
        config.hook.pytest_deselected(items=left_out)
        items[:] = wanted
    if hasattr(config, 'workerinput'):
        items.sort(key=lambda item: begin_first(item.path))


def begin_first(path):
    """Return the place of a file in the order in which workers take files."""
    return next((place for place, name in enumerate(FIRST) if path.is_relative_to(HERE / name)),
                len(FIRST))


def is_system(path):
    return path.is_relative_to(HERE) and path != HERE \
        and path.relative_to(HERE).parts[0] in SYSTEM


@pytest.hookimpl(hookwrapper=True)
def pytest_collection(session):
    """Look for no garbage in what is collected: it stays, and so do the modules of the tests."""
    gc.disable()
    with in_turn(session.config):
        yield
    gc.freeze()
    gc.enable()


@contextlib.contextmanager
def in_turn(config):
    """
    Let no more workers than there are processors collect at the same time.

    In a fresh checkout those that come first compile all modules, the others find them compiled.
    """
    worker = getattr(config, 'workerinput', None)
    if worker is None:
        yield
        return
    turn = int(worker['workerid'].removeprefix('gw')) % (os.cpu_count() or 1)
    with open(Path(os.environ['XDG_CACHE_HOME']) / f'turn-{turn}', 'w') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter):
    """Say at the end, in one line, what was not tested, and how it can be."""
    yield
    reasons = {report.longrepr[2].removeprefix('Skipped: ')
               for report in terminalreporter.stats.get('skipped', ())
               if isinstance(report.longrepr, tuple)}
    for reason in sorted(reason for reason in reasons if 'NOT TESTED' in reason):
        terminalreporter.write_line(reason, yellow=True, bold=True)


def need_room(folder):
    """Refuse to begin on a disk that is full, instead of failing in a hundred ways."""
    free_mb = shutil.disk_usage(folder).free >> 20
    if free_mb < ROOM_MB:
        raise pytest.UsageError(
            f'{folder} has {free_mb} MB left; the tests need {ROOM_MB} MB there. Make room, or '
            'name another folder in TMPDIR')


def keep_ros_on_this_machine():
    """Let all processes of this run listen on 127.0.0.1 alone."""
    from gbs_irl_ros.ros.transport import use_sockets
    os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
    use_sockets(os.environ, os.environ.get('RMW_IMPLEMENTATION') or 'rmw_fastrtps_cpp')


def own_caches():
    """
    Let all processes of this run keep their plans in a folder of it, not in the home.

    They share it: who finds a plan there need not plan. Other programs (Matplotlib, pip, a
    browser) go on with the caches that they have, or every run would begin by filling them.
    """
    home = Path(os.environ.get('XDG_CACHE_HOME') or Path.home() / '.cache')
    folder = Path(tempfile.mkdtemp(prefix='gbs_irl_test_caches-'))
    for other in home.iterdir() if home.is_dir() else ():
        if other.name != 'gbs_irl_ros':
            (folder / other.name).symlink_to(other)
    os.environ['XDG_CACHE_HOME'] = str(folder)
    return folder


@pytest.fixture
def rng():
    return np.random.default_rng(20130729)


@pytest.fixture
def foreign_interfaces(monkeypatch):
    """
    Messages of Nav2 and tf2 that this process, and what it starts, can import.

    A test names it before `graph`, which takes the environment as it is. They stay imported: what
    tests that they are missing puts None into ``sys.modules``.
    """
    from foreign_interfaces import python_folder
    if folder := python_folder():
        monkeypatch.syspath_prepend(folder)
        monkeypatch.setenv('PYTHONPATH', str(folder), prepend=os.pathsep)


@pytest.fixture
def planned(monkeypatch):
    """A list that grows whenever a task is planned for."""
    from gbs_irl_ros.core.hypotheses import Candidates
    calls, plan = [], Candidates.planned

    def counted(*given, **options):
        calls.append(given)
        return plan(*given, **options)
    monkeypatch.setattr(Candidates, 'planned', counted)
    return calls


@pytest.fixture
def plugins(tmp_path):
    """Return a folder in which packages with entry points are installed for one test."""
    from plugin_packages import plugin_folder
    with plugin_folder(tmp_path / 'plugins') as folder:
        yield folder
