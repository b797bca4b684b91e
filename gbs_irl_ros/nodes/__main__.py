"""Runs a node as its executable does: ``python -m gbs_irl_ros.nodes NAME --ros-args ...``."""

import sys

from gbs_irl_ros.nodes import run

run(sys.argv.pop(1))
