"""That nodes talk by sockets: the choice in the environment, and what a real process opens."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from cases import for_each
from waiting import patience

pytest.importorskip('rclpy', reason='needs ROS 2')

from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.ros import transport
from gbs_irl_ros.ros.transport import use_sockets

pytestmark = pytest.mark.ros

ROOT = Path(__file__).parents[2]
TEACHER = Path(__file__).parents[1] / 'launching' / 'teacher_process.py'
OURS = str(ROOT / 'config' / 'this_machine.xml')
SOCKETS = {'FASTDDS_BUILTIN_TRANSPORTS': 'UDPv4'}
THIS_MACHINE = {'ROS_AUTOMATIC_DISCOVERY_RANGE': 'SYSTEM_DEFAULT',
                'FASTRTPS_DEFAULT_PROFILES_FILE': OURS, 'FASTDDS_DEFAULT_PROFILES_FILE': OURS}
LOCALHOST = {'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST'}
SUBNET = {'ROS_AUTOMATIC_DISCOVERY_RANGE': 'SUBNET'}
LOOPBACK = '0100007F'       # 127.0.0.1 as the kernel lists it
FAST_DDS = 'rmw_fastrtps_cpp'
DEADLINE_S = 60.0


@for_each(('given', 'becomes'), [
    ({}, SOCKETS),
    (SUBNET, {**SUBNET, **SOCKETS}),
    (LOCALHOST, THIS_MACHINE),
    ({'ROS_LOCALHOST_ONLY': '1'}, THIS_MACHINE),
    ({'ROS_LOCALHOST_ONLY': '0'}, {'ROS_LOCALHOST_ONLY': '0', **SOCKETS}),
    ({**LOCALHOST, **SOCKETS}, {**THIS_MACHINE, **SOCKETS}),
    (THIS_MACHINE | LOCALHOST, THIS_MACHINE),       # a demonstration that a test has started
    ({**LOCALHOST, 'FASTRTPS_DEFAULT_PROFILES_FILE': ''}, THIS_MACHINE),
], ids=str)
def test_sockets_are_chosen(given, becomes):
    environment = dict(given)
    use_sockets(environment, FAST_DDS)
    assert environment == becomes
    use_sockets(environment, FAST_DDS)
    assert {**environment, **SOCKETS} == {**becomes, **SOCKETS}, 'once more changes nothing'


@for_each('given', [
    {'FASTDDS_BUILTIN_TRANSPORTS': 'LARGE_DATA'},
    {'FASTRTPS_DEFAULT_PROFILES_FILE': 'mine.xml'},
    {'FASTDDS_DEFAULT_PROFILES_FILE': 'mine.xml', **LOCALHOST},
], ids=str)
def test_who_has_chosen_is_left_alone(given):
    environment = dict(given)
    use_sockets(environment, FAST_DDS)
    assert environment == given


@pytest.mark.parametrize('given', [{}, LOCALHOST], ids=str)
def test_other_middlewares_are_left_alone(given):
    environment = dict(given)
    use_sockets(environment, 'rmw_cyclonedds_cpp')
    assert environment == given


def test_fast_dds_with_types_found_at_run_time_is_fast_dds_too():
    environment = {}
    use_sockets(environment, 'rmw_fastrtps_dynamic_cpp')
    assert environment == SOCKETS


def test_the_profile_is_looked_for_only_where_it_is_needed(monkeypatch):
    def nowhere():
        raise GbsIrlError('the folder config of gbs_irl_ros cannot be found')
    monkeypatch.setattr(transport, 'config_folder', nowhere)
    environment = {}
    use_sockets(environment, FAST_DDS)
    assert environment == SOCKETS
    with pytest.raises(GbsIrlError, match='cannot be found'):
        use_sockets(dict(LOCALHOST), FAST_DDS)


def test_peers_elsewhere_are_still_reached():
    environment = {**LOCALHOST, 'ROS_STATIC_PEERS': '192.0.2.7'}
    use_sockets(environment, FAST_DDS)
    assert environment == {**LOCALHOST, 'ROS_STATIC_PEERS': '192.0.2.7', **SOCKETS}


@pytest.fixture
def teacher_with(domain, tmp_path):
    """A function that starts a node with these settings, and those of the test run forgotten."""
    started = []

    def start(settings):
        inherited = {name: value for name, value in os.environ.items() if name not in THIS_MACHINE}
        process = subprocess.Popen([sys.executable, TEACHER], env={**inherited, **settings},
                                   cwd=tmp_path, stdout=subprocess.PIPE, text=True)
        started.append(process)
        assert 'ready' in process.stdout.readline()
        return process
    yield start
    for process in started:
        process.kill()
        process.wait()
        process.stdout.close()


def shared_memory(process):
    """Return what Fast DDS shares with other processes."""
    maps = Path(f'/proc/{process.pid}/maps').read_text()
    return set(re.findall(r'/dev/shm/\S*fast\S*', maps))


def listens_on(process):
    """Return the addresses of the UDP sockets of a process."""
    sockets = {os.readlink(link) for link in Path(f'/proc/{process.pid}/fd').iterdir()}
    rows = [line.split() for line in Path('/proc/net/udp').read_text().splitlines()[1:]]
    return {row[1].split(':')[0] for row in rows if f'socket:[{row[9]}]' in sockets}


def test_on_this_machine_a_node_listens_to_nobody_else(teacher_with):
    node = teacher_with(LOCALHOST)
    assert listens_on(node) == {LOOPBACK}
    assert shared_memory(node) == set()
    node.send_signal(signal.SIGINT)
    assert node.wait(patience(DEADLINE_S)) == 0


def test_a_node_that_reaches_further_shares_no_memory_either(teacher_with):
    alone = {'ROS_AUTOMATIC_DISCOVERY_RANGE': 'OFF'}        # a test reaches nobody
    assert shared_memory(teacher_with(alone)) == set()


def test_the_two_above_would_notice(teacher_with):
    node = teacher_with({'ROS_AUTOMATIC_DISCOVERY_RANGE': 'OFF',
                         'FASTDDS_BUILTIN_TRANSPORTS': 'DEFAULT'})
    assert shared_memory(node)
    assert listens_on(node) != {LOOPBACK}
    node.send_signal(signal.SIGINT)
    assert node.wait(patience(DEADLINE_S)) == 0, 'so that it takes its memory with it'
