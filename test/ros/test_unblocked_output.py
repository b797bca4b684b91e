"""Output that holds nobody up, whoever does not read it."""

from __future__ import annotations

import os
import threading

import pytest
from waiting import wait_for

pytest.importorskip('rclpy', reason='needs ROS 2')

from gbs_irl_ros.ros import unblocked_output as module
from gbs_irl_ros.ros.unblocked_output import KEPT_BYTES, unblocked_output

LINE = b'a line of a log\n'


def test_what_is_written_arrives_in_order_and_all_of_it():
    reads, writes = os.pipe()
    other = os.dup(writes)
    with unblocked_output((writes, other)):
        for number in range(1000):
            os.write((writes, other)[number % 2], b'%d\n' % number)
    os.close(writes)
    os.close(other)
    with open(reads) as lines:
        assert [int(line) for line in lines] == list(range(1000))


def test_who_writes_does_not_wait_for_one_who_does_not_read():
    reads, writes = os.pipe()
    lost = 0
    with unblocked_output((writes,)):
        for _ in range(2 * KEPT_BYTES // len(LINE)):
            try:
                os.write(writes, LINE)
            except BlockingIOError:
                lost += 1
    assert lost > 0
    assert os.read(reads, len(LINE)) == LINE
    os.close(reads)         # the thread ends by that
    os.close(writes)
    wait_for(lambda: not threads(), 'the thread to end')


def test_one_who_has_gone_ends_nobody():
    reads, writes = os.pipe()
    os.close(reads)
    with unblocked_output((writes,)):
        for _ in range(10 * KEPT_BYTES // module.PIECE_BYTES):
            os.write(writes, LINE)
    os.close(writes)
    wait_for(lambda: not threads(), 'the thread to end')


def test_a_file_is_left_alone(tmp_path):
    with open(tmp_path / 'log', 'wb', buffering=0) as file, \
            unblocked_output((file.fileno(), 10**6)):
        file.write(LINE)
        assert (tmp_path / 'log').read_bytes() == LINE      # at once
        assert not threads()


def threads():
    return [each for each in threading.enumerate() if each.name == 'output']
