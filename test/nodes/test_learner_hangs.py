"""A learner that hangs gives no sign of life, whatever it hangs in; nor one whose file is gone."""

from __future__ import annotations

import os
import threading
import time
from types import SimpleNamespace

import pytest

pytest.importorskip('rclpy', reason='needs ROS 2')

from in_process import given
from lesson_fakes import FakeMdp, square_task
from ros_fixtures import domain, nowhere_else, parallel_bench  # noqa: F401
from std_srvs.srv import Trigger
from waiting import DEADLINE_S, patience, wait_for

from gbs_irl_ros import msg
from gbs_irl_ros.learning import journal
from gbs_irl_ros.learning.records import Status
from gbs_irl_ros.nodes.learner import LearnerNode
from gbs_irl_ros.ros import names, qos
from gbs_irl_ros.ros.messages import conversions

pytestmark = pytest.mark.ros


@pytest.fixture
def journals(tmp_path):
    return tmp_path / 'journals'


@pytest.fixture
def learner(parallel_bench, nowhere_else, journals):  # noqa: F811
    FakeMdp(parallel_bench, square_task('...', '...'))
    return parallel_bench.add(LearnerNode(
        context=parallel_bench.context,
        parameter_overrides=given(journal_dir=str(journals))))


@pytest.fixture
def beats(parallel_bench, learner):  # noqa: F811
    """Return when heartbeats came [s]."""
    came = []
    parallel_bench.node.create_subscription(
        msg.Heartbeat, names.HEARTBEAT, lambda _: came.append(time.monotonic()), qos.HEARTBEATS)
    wait_for(lambda: len(came) > 3, 'heartbeats')
    return came


def wait_for_silence(beats):
    wait_for(lambda: time.monotonic() - beats[-1] > 1.5, 'the heartbeats to end')


def hangs_until(gate, monkeypatch):
    """Have the disk of the journal hang; return when it began to, in a list."""
    begun = []

    def fsync(file):
        begun.append(time.monotonic())
        gate.wait(patience(DEADLINE_S))
        os.fsync(file)

    monkeypatch.setattr(journal, 'os', SimpleNamespace(**{**vars(os), 'fsync': fsync}))
    return begun


def test_it_does_not_beat_while_the_disk_hangs(
        parallel_bench, learner, beats, monkeypatch):  # noqa: F811
    gate = threading.Event()
    begun = hangs_until(gate, monkeypatch)
    pausing = threading.Thread(
        target=lambda: parallel_bench.call(Trigger, names.LEARNER_PAUSE))
    pausing.start()
    wait_for(lambda: begun, 'the learner to write')
    wait_for_silence(beats)
    assert beats[-1] - begun[0] < patience(0.5)
    gate.set()
    pausing.join()
    wait_for(lambda: beats[-1] > time.monotonic() - 0.2, 'heartbeats again')


def test_nor_while_another_thread_of_it_holds_the_lock(learner, beats):
    with learner.exclusive():
        begun = time.monotonic()
        wait_for_silence(beats)
        assert beats[-1] - begun < patience(0.5)
    wait_for(lambda: beats[-1] > time.monotonic() - 0.2, 'heartbeats again')


def test_nor_after_its_journal_was_deleted(
        parallel_bench, learner, beats, journals, capfd):  # noqa: F811
    beliefs = parallel_bench.listen(msg.Belief, names.BELIEF, qos.LATCHED)
    file, = journals.rglob('*.jsonl')
    file.unlink()
    wait_for(lambda: beliefs and conversions.belief_from_msg(beliefs[-1]).status is Status.FAILED,
             'the learner to notice')
    assert 'the journal was deleted or renamed' in beliefs[-1].status_text
    said = []
    wait_for(lambda: said.append(capfd.readouterr().err) or 'rename that to' in ''.join(said),
             'the learner to say what to do')
    wait_for_silence(beats)
    refused = parallel_bench.call(Trigger, names.LEARNER_PAUSE)
    assert not refused.success
    assert 'the journal was deleted or renamed' in refused.message
    assert parallel_bench.call(Trigger, names.LEARNER_RESET).success
    wait_for(lambda: said.append(capfd.readouterr().err)
             or f'{file}.rescued-1 holds an earlier lesson of this name' in ''.join(said),
             'a new lesson that mentions the old one')
