"""Whoever says nothing gets the same task everywhere."""

from __future__ import annotations

import argparse
import re
import subprocess
from pathlib import Path

import yaml

from gbs_irl_ros.cli.ask import add_ask
from gbs_irl_ros.launching.process_table import ARGUMENTS
from gbs_irl_ros.tasks import shipped_tasks
from gbs_irl_ros.tasks.task_file import DEFAULT_TASK

ROOT = Path(__file__).parents[2]


def of_make():
    """Return the value of TASK as make itself sees it."""
    # `make --print-data-base` prints the variables of the Makefile; nothing is run.
    told = subprocess.run(['make', '-pnq', '-f', 'Makefile', 'help'], cwd=ROOT, text=True,
                          capture_output=True, timeout=60, env={'PATH': '/usr/bin:/bin'}).stdout
    return re.search(r'^TASK = (.*)$', told, re.M)[1]


def of_parameter_files():
    """Return the task of each node in config/params.yaml; other tests compare these with nodes."""
    content = yaml.safe_load((ROOT / 'config' / 'params.yaml').read_text())
    return {node: block['ros__parameters']['task'] for node, block in content.items()
            if 'task' in block['ros__parameters']}


def of_the_command():
    """Return what `gbs-irl ask` teaches without a word more."""
    parser = argparse.ArgumentParser()
    add_ask(parser.add_subparsers())
    return parser.parse_args(['ask']).file


def test_make_the_launch_file_the_nodes_and_the_command_have_one_default_task():
    launched, = [each.default for each in ARGUMENTS if each.name == 'task']
    found = {'make': of_make(), 'launch file': launched, 'gbs-irl ask': of_the_command(),
             **of_parameter_files()}
    assert len(found) == 6
    assert found == dict.fromkeys(found, DEFAULT_TASK)
    assert DEFAULT_TASK in shipped_tasks()
