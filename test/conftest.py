"""What all tests share."""

from __future__ import annotations

import importlib.abc
import sys

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


@pytest.fixture
def rng():
    return np.random.default_rng(20130729)
