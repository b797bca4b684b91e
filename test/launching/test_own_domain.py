"""A ROS domain of one's own: whoever speaks or may speak on this machine is not heard."""

from __future__ import annotations

import errno
import os
import socket
import subprocess
import sys

import pytest
from cases import for_each

from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.launching import own_domain
from gbs_irl_ros.launching.own_domain import DOMAINS, FIRST_PORT, PORTS, OwnDomain

NAME = f'\0gbs_irl_ros.test.{os.getpid()}.{{}}'     # that no other run takes
TAKE = ('from gbs_irl_ros.launching import own_domain;'
        f'own_domain.NAME = {NAME!r};'
        'domain = own_domain.OwnDomain(); print(domain.number, flush=True); input()')


@pytest.fixture
def only(monkeypatch):
    """The number of the only domain that can be taken: held against other runs, free for us."""
    held = OwnDomain()
    monkeypatch.setattr(own_domain, 'DOMAINS', [held.number])
    monkeypatch.setattr(own_domain, 'NAME', NAME)
    yield held.number
    held.release()


def assert_in_use(number):
    with pytest.raises(GbsIrlError, match=(
            f'^the ROS domains {number} to {number} are all in use on this machine; end what runs '
            'there, or set ROS_DOMAIN_ID$')):
        OwnDomain()


def test_a_domain_is_nobody_elses_until_it_is_released(only):
    mine = OwnDomain()
    assert mine.number == only
    assert_in_use(only)
    mine.release()
    OwnDomain().release()


def test_another_process_in_another_folder_has_another_domain(monkeypatch, tmp_path):
    """A second run of the tests, say; one that is killed keeps nothing."""
    monkeypatch.setattr(own_domain, 'NAME', NAME)
    mine = OwnDomain()
    other = subprocess.Popen(
        [sys.executable, '-c', TAKE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env={'PYTHONPATH': os.pathsep.join(sys.path), 'TMPDIR': str(tmp_path)})
    number = int(other.stdout.readline())
    assert number != mine.number
    assert number in DOMAINS
    assert own_domain._take(number) is None
    other.kill()
    other.communicate()
    own_domain._take(number).close()
    mine.release()


@for_each('family', [socket.AF_INET, socket.AF_INET6])
def test_a_domain_in_which_something_listens_is_not_taken(only, family):
    """What a run that was killed has left behind, or nodes that somebody started by hand."""
    with socket.socket(family, socket.SOCK_DGRAM) as left_behind:
        left_behind.bind(('', FIRST_PORT + PORTS * only + 11))
        assert_in_use(only)
    OwnDomain().release()


@pytest.mark.ros
def test_the_ports_of_a_node_are_those_that_are_looked_for(only):
    rclpy = pytest.importorskip('rclpy', reason='needs ROS 2')
    context = rclpy.Context()
    rclpy.init(context=context, domain_id=only)
    node = rclpy.create_node('somebody', context=context)
    assert_in_use(only)
    node.destroy_node()
    rclpy.shutdown(context=context)


def test_another_failure_is_not_taken_for_a_domain_in_use(monkeypatch):
    monkeypatch.setattr(own_domain, 'NAME', '\0' + 200 * 'x')
    with pytest.raises(OSError, match='path too long') as raised:
        OwnDomain()
    assert raised.value.errno != errno.EADDRINUSE


def test_without_a_table_of_ports_only_what_was_taken_is_known(only, monkeypatch, tmp_path):
    monkeypatch.setattr(own_domain, 'NETWORK', tmp_path)
    assert own_domain._domains_with_nodes() == set()
    OwnDomain().release()
