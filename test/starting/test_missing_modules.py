"""What a person types to get a Python module that is missing."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

from gbs_irl_ros.starting.missing_modules import how_to_install

ROOT = Path(__file__).parent.parent.parent
KEYS = set(re.findall(r'<(?:exec_)?depend>(.*?)<', (ROOT / 'package.xml').read_text()))
# Part of Python or of the package; what rclpy brings; and what the package can do without.
ELSEWHERE = sys.stdlib_module_names | {
    'gbs_irl_ros', 'ament_index_python', 'rosidl_runtime_py', 'nav2_msgs', 'tf2_msgs', 'tf2_ros',
    'gymnasium', 'pyarrow'}


def test_modules_of_python_have_a_package_of_the_system_and_one_of_pip():
    assert how_to_install('aiohttp') == (
        '`apt install python3-aiohttp` installs it (without ROS: `pip install aiohttp`)')
    assert how_to_install('PIL.Image') == (
        '`apt install python3-pil` installs it (without ROS: `pip install pillow`)')


def test_modules_of_ros_have_the_package_of_the_distribution_that_is_sourced(monkeypatch):
    monkeypatch.setenv('ROS_DISTRO', 'kilted')
    assert how_to_install('nav_msgs') == '`apt install ros-kilted-nav-msgs` installs it'
    monkeypatch.delenv('ROS_DISTRO')
    assert how_to_install('rclpy.node') == '`apt install ros-jazzy-rclpy` installs it'


def test_every_module_that_the_package_imports_is_a_dependency_of_the_package():
    """What is imported, as rosdep names it, is in package.xml: or rosdep would not install it."""
    undeclared = {}
    for path in (ROOT / 'gbs_irl_ros').rglob('*.py'):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) \
                else [node.module] if isinstance(node, ast.ImportFrom) else []
            for name in {name.partition('.')[0] for name in names} - ELSEWHERE:
                key = re.search(r'install (?:ros-\w+-)?(\S+)`', how_to_install(name))[1]
                if not {key, key.replace('-', '_')} & KEYS:
                    undeclared[name] = str(path.relative_to(ROOT))
    assert undeclared == {}
