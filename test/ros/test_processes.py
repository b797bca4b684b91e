"""Two nodes in two processes of the built package: a message and a service over Fast DDS."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip('rclpy', reason='needs ROS 2')

pytestmark = pytest.mark.ros

TEACHER = Path(__file__).parent / 'teacher_process.py'
ASKER = Path(__file__).parent / 'asker_process.py'
SHARED_MEMORY = Path('/dev/shm')


def shared_memory():
    return {path.name for path in SHARED_MEMORY.glob('*fast*')}


@pytest.fixture
def environment(tmp_path):
    """A ROS domain for this test process alone, on this machine only."""
    return {**os.environ, 'ROS_DOMAIN_ID': str(1 + os.getpid() % 100),
            'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST', 'ROS_LOG_DIR': str(tmp_path),
            'ROS_PYTHON_CHECK_FIELDS': '1', 'PYTHONUNBUFFERED': '1'}


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
    before = shared_memory()
    done = subprocess.run([sys.executable, ASKER], env=environment, cwd=tmp_path, timeout=60,
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert 'heartbeat: session asker, policy 0' in lines    # the message, heard by the teacher too
    assert 'answer to q-0: ActionAnswer(state=5, action=1)' in lines
    assert 'answer to q-1: RewardAnswer(state=6, reward=-1.0, action=None)' in lines
    assert 'answer to q-2: DontKnowAnswer' in lines

    teacher.send_signal(signal.SIGINT)
    assert teacher.wait(timeout=20) == 0
    output = teacher.stdout.read()
    assert 'Traceback' not in output, output
    assert shared_memory() <= before, 'shared memory is left behind'


@pytest.mark.parametrize('sign', [signal.SIGINT, signal.SIGTERM])
def test_nodes_end_cleanly_whenever_the_signal_comes(environment, tmp_path, sign):
    """It is sent while they are being made: some are hit before they spin, some in between."""
    nodes = [subprocess.Popen([sys.executable, TEACHER], env=environment, cwd=tmp_path,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
             for _ in range(4)]
    try:
        for node in nodes:
            assert 'ready' in node.stdout.readline()
            node.send_signal(sign)
        for node in nodes:
            assert node.wait(timeout=20) == 0, node.stdout.read()
            assert 'Traceback' not in node.stdout.read()
    finally:
        for node in nodes:
            node.kill()
            node.wait()
            node.stdout.close()


def test_messages_come_from_the_build_and_code_from_this_checkout():
    import gbs_irl_ros.msg

    import gbs_irl_ros.core
    root = Path(__file__).parents[2]
    assert Path(gbs_irl_ros.core.__file__).resolve().is_relative_to(root / 'gbs_irl_ros')
    assert 'site-packages/gbs_irl_ros/msg' in gbs_irl_ros.msg.__file__
