"""Two nodes in two processes of the built package: a message and a service over Fast DDS."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from waiting import patience

pytest.importorskip('rclpy', reason='needs ROS 2')

pytestmark = pytest.mark.ros

TEACHER = Path(__file__).parent / 'teacher_process.py'
ASKER = Path(__file__).parent / 'asker_process.py'
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
DEADLINE_S = 60.0


@pytest.fixture
def environment(domain):
    """A ROS domain for this test alone, on this machine only."""
    return {**os.environ, 'ROS_PYTHON_CHECK_FIELDS': '1', 'PYTHONUNBUFFERED': '1'}


@pytest.fixture
def teacher(environment, tmp_path):
    process = subprocess.Popen([sys.executable, TEACHER], env=environment, cwd=tmp_path,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    yield process
    if process.poll() is None:
        process.kill()
    process.wait()
    process.stdout.close()


def test_a_question_is_answered_in_another_process(teacher, environment, tmp_path):
    done = subprocess.run([sys.executable, ASKER], env=environment, cwd=tmp_path,
                          timeout=patience(2 * DEADLINE_S), capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert 'heartbeat: session asker, policy 0' in lines    # the message, heard by the teacher too
    assert 'answer to q-0: ActionAnswer(state=5, action=1)' in lines
    assert 'answer to q-1: RewardAnswer(state=6, reward=-1.0, action=None)' in lines
    assert 'answer to q-2: DontKnowAnswer' in lines

    teacher.send_signal(signal.SIGINT)
    assert teacher.wait(patience(DEADLINE_S)) == 0
    output = teacher.stdout.read()
    assert 'Traceback' not in output, output


def test_nodes_end_cleanly_whenever_the_signal_comes(environment, tmp_path):
    """It is sent while they are being made: some are hit before they spin, some in between."""
    nodes = [(number, subprocess.Popen(
        [sys.executable, TEACHER, *options], env=environment, cwd=tmp_path,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True))
        for number in SIGNALS for options in ([], ['parallel'])]
    try:
        for number, node in nodes:
            assert 'ready' in node.stdout.readline()
            node.send_signal(number)
        for number, node in nodes:
            code, output = node.wait(patience(DEADLINE_S)), node.stdout.read()
            assert (number, code) == (number, 0), output
            assert 'Traceback' not in output
            assert output.count('finish while ROS is alive') == 1
    finally:
        for _, node in nodes:
            node.kill()
            node.wait()
            node.stdout.close()


def test_messages_come_from_the_build_and_code_from_this_checkout():
    import gbs_irl_ros.msg

    import gbs_irl_ros.core
    root = Path(__file__).parents[2]
    assert Path(gbs_irl_ros.core.__file__).resolve().is_relative_to(root / 'gbs_irl_ros')
    assert 'site-packages/gbs_irl_ros/msg' in gbs_irl_ros.msg.__file__
