"""An answer that contradicts everything: the question is withdrawn, and the lesson continues."""

from __future__ import annotations

import pytest

pytest.importorskip('rclpy', reason='needs ROS 2')

from graph import PAPER
from in_process import given
from lesson_fakes import SOUTH, FakeMdp, square_task
from ros_fixtures import domain, nowhere_else, parallel_bench  # noqa: F401
from waiting import wait_for

from gbs_irl_ros import msg, srv
from gbs_irl_ros.learning.journal import read_journal
from gbs_irl_ros.nodes.learner import LearnerNode
from gbs_irl_ros.ros import names, qos

pytestmark = pytest.mark.ros

IMPOSSIBLE = 'the answer is impossible under every hypothesis left'


def test_a_question_with_an_impossible_answer_is_asked_again_under_another_id(
        parallel_bench, nowhere_else, tmp_path, capfd):  # noqa: F811
    """A teacher's node would give the same answer to the same id for ever."""
    asked = []

    def answer(request, response):
        asked.append(request.question.id)
        response.ok = len(asked) == 1       # all goals are in the first row: never south
        response.answer = msg.Answer(id=asked[-1], kind=msg.Answer.ACTION, action=SOUTH)
        return response

    parallel_bench.node.create_service(srv.QueryDemonstrator, names.QUERY_DEMONSTRATOR, answer)
    beliefs = parallel_bench.listen(msg.Belief, names.BELIEF, qos.LATCHED)
    FakeMdp(parallel_bench, square_task())
    parallel_bench.add(LearnerNode(
        context=parallel_bench.context,
        parameter_overrides=given(**PAPER, journal_dir=str(tmp_path), gamma_hat=1.0)))
    wait_for(lambda: len(set(asked)) > 1, 'the question under another id')
    wait_for(lambda: beliefs and beliefs[-1].question_id == asked[-1], 'the belief')
    assert beliefs[-1].answers == 0
    assert list(beliefs[-1].acknowledged) == []
    journal, = tmp_path.glob('*.jsonl')
    events = [entry['event'] for entry in read_journal(journal)]
    assert events == ['began', 'opened', 'asked', 'withdrawn', 'asked']
    said = []
    wait_for(lambda: said.append(capfd.readouterr().err) or IMPOSSIBLE in ''.join(said),
             'the reason to be logged')
