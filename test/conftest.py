"""What all tests share."""

from __future__ import annotations

import importlib.abc
import os
import shutil
import signal
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

ROS_MODULES = {'rclpy', 'builtin_interfaces', 'std_msgs', 'geometry_msgs', 'rosidl_runtime_py'}


class NoRos(importlib.abc.MetaPathFinder):
    """Makes everything of ROS, our own messages included, impossible to import."""

    def find_spec(self, name, path=None, target=None):
        if name.split('.')[0] in ROS_MODULES or name in ('gbs_irl_ros.msg', 'gbs_irl_ros.srv'):
            raise ModuleNotFoundError(f'{name} is not to be imported here', name=name)


def pytest_addoption(parser):
    parser.addoption('--without-ros', action='store_true',
                     help='prove that the tests need no ROS by making it unimportable')


def pytest_configure(config):
    if config.getoption('--without-ros'):
        sys.meta_path.insert(0, NoRos())
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # Started in the background, where a shell ignores Ctrl-C; what tests start would, too.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if not hasattr(config, 'workerinput'):      # a worker of pytest-xdist has that of its parent
        keep_ros_on_this_machine()
        folder = own_caches()
        config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))


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
def planned(monkeypatch):
    """A list that grows whenever a task is planned for."""
    from gbs_irl_ros.core.hypotheses import Hypotheses
    calls, plan = [], Hypotheses.from_rewards

    def counted(*given, **options):
        calls.append(given)
        return plan(*given, **options)
    monkeypatch.setattr(Hypotheses, 'from_rewards', counted)
    return calls
