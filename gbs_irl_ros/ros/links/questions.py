"""
Questions on their way to the teacher, and the answers back: both ends of query_demonstrator.

The learner's end is ``QuestionClient``; every teacher's node has the other, ``serve_questions``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gbs_irl_ros import msg, srv
from gbs_irl_ros.learning.records import QuestionRecord
from gbs_irl_ros.ros import names
from gbs_irl_ros.ros.base_node import BaseNode, refused
from gbs_irl_ros.ros.messages import conversions
from gbs_irl_ros.teaching.question_box import QuestionBox

SAME_LINE_EVERY_S = 5.0
AFTER_A_REFUSAL_S = 0.25
MAX_SENDINGS = 100      # of one question that are listened to


class QuestionClient:
    """
    The client of the teacher's service.

    A teacher's node that was killed looks alive for 20 s and never answers, and a request sent to
    it is lost. So a question without an answer is sent again, with the same id: the teacher's node
    gives the same answer, or shows what it is showing already. Whichever sending is answered first
    counts: a teacher may take longer than it takes to ask again.
    """

    def __init__(self, node: BaseNode, deliver: Callable[[msg.Answer], None]) -> None:
        """
        Create the client.

        :param deliver: called with each answer.
        """
        self._node = node
        self._deliver = deliver
        self._client = node.client(srv.QueryDemonstrator, names.QUERY_DEMONSTRATOR)
        self._question: QuestionRecord | None = None
        self._sent: list[Any] = []      # futures of the question, one for each sending
        self._sent_at = 0.0
        self._not_before = 0.0

    def carry(self, question: QuestionRecord | None) -> None:
        """Ask this from now on, and nothing else; None: nothing."""
        if question is not None and self._question is not None \
                and question.id == self._question.id:
            return      # under way, or waiting for its turn after a refusal
        self._drop(self._sent)
        self._question = question
        self._not_before = 0.0
        if question is not None:
            self._send()

    def look_after(self, ask_again_s: float) -> None:
        """Send again what got no answer; to be called a few times a second."""
        if self._question is None:
            return
        now = self._node.steady()
        if now - self._sent_at > ask_again_s if self._sent else now >= self._not_before:
            self._send()

    def _send(self) -> None:
        assert self._question is not None
        if not self._client.service_is_ready():
            self._node.get_logger().info(
                'waiting for a teacher: start a demonstrator, teleop or gui node',
                throttle_duration_sec=SAME_LINE_EVERY_S, skip_first=True)
            return
        future = self._client.call_async(srv.QueryDemonstrator.Request(
            question=conversions.question_to_msg(self._question)))
        self._sent_at = self._node.steady()
        self._sent.append(future)
        self._node.when_done(future, self._on_response)
        self._drop(self._sent[:-MAX_SENDINGS])

    def _drop(self, sent: list[Any]) -> None:
        """Listen no more to these sendings."""
        for future in sent:
            self._client.remove_pending_request(future)
        self._sent = self._sent[len(sent):]

    def _on_response(self, future: Any) -> None:
        if future not in self._sent:
            return      # something else was asked meanwhile
        self._sent.remove(future)
        self._not_before = self._node.steady() + AFTER_A_REFUSAL_S
        response = future.result()
        if response.ok:
            others = list(self._sent)
            self._deliver(response.answer)      # which may send the next question
            self._drop([each for each in others if each in self._sent])
        elif not self._sent:        # otherwise it was only replaced by the next sending
            self._node.get_logger().info(f'no answer yet: {response.message}',
                                         throttle_duration_sec=SAME_LINE_EVERY_S)


def serve_questions(node: BaseNode, question_box: QuestionBox,
                    why_not: Callable[[QuestionRecord], str] = lambda _: '') -> None:
    """
    Serve query_demonstrator (QueryDemonstrator).

    However often the learner asks again, one call waits and no more: a teacher may take his time.

    :param question_box: where a question waits for the teacher.
    :param why_not: returns why a question cannot be answered now, '' if it can; or raises.
    """
    def handle(request: srv.QueryDemonstrator.Request,
               response: srv.QueryDemonstrator.Response) -> srv.QueryDemonstrator.Response:
        question = conversions.question_from_msg(request.question)
        problem = why_not(question)
        if problem:
            return refused(response, problem)
        answer = question_box.ask(question)
        if answer is None:
            return refused(response, 'it was asked again, or another question took its place')
        response.ok, response.answer = True, conversions.answer_to_msg(answer)
        return response
    node.serve(srv.QueryDemonstrator, names.QUERY_DEMONSTRATOR, handle, parallel=True)
