"""Carries questions to the teacher's service, again if need be, and brings the answers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from gbs_irl_ros import msg, srv
from gbs_irl_ros.learning.records import QuestionRecord
from gbs_irl_ros.ros import names
from gbs_irl_ros.ros.base_node import BaseNode
from gbs_irl_ros.ros.messages import conversions

SAME_LINE_EVERY_S = 5.0
AFTER_A_REFUSAL_S = 0.25


class QuestionClient:
    """
    The client of the teacher's service.

    A teacher's node that was killed looks alive for 20 s and never answers, and a request sent to
    it is lost. So a question without an answer is sent again, with the same id: the teacher's node
    gives the same answer, or shows what it is showing already.
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
        self._future: Any = None
        self._sent_at = 0.0
        self._not_before = 0.0

    def carry(self, question: QuestionRecord | None) -> None:
        """Ask this from now on, and nothing else; None: nothing."""
        if question is not None and self._question is not None \
                and question.id == self._question.id:
            return      # under way, or waiting for its turn after a refusal
        self._drop()
        self._question = question
        self._not_before = 0.0
        if question is not None:
            self._send()

    def look_after(self, ask_again_s: float) -> None:
        """Send again what got no answer; to be called a few times a second."""
        if self._question is None:
            return
        now = self._node.steady()
        due = now >= self._not_before if self._future is None \
            else now - self._sent_at > ask_again_s
        if due:
            self._send()

    def _send(self) -> None:
        self._drop()
        assert self._question is not None
        if not self._client.service_is_ready():
            self._node.get_logger().info(
                'waiting for a teacher: start a demonstrator, teleop or gui node',
                throttle_duration_sec=SAME_LINE_EVERY_S, skip_first=True)
            return
        self._future = self._client.call_async(srv.QueryDemonstrator.Request(
            question=conversions.question_to_msg(self._question)))
        self._sent_at = self._node.steady()
        self._node.when_done(self._future, partial(self._on_response, self._question))

    def _drop(self) -> None:
        if self._future is not None:
            self._client.remove_pending_request(self._future)
            self._future = None

    def _on_response(self, question: QuestionRecord, future: Any) -> None:
        if future is not self._future:
            return      # it was sent again, or something else was asked meanwhile
        self._future = None
        self._not_before = self._node.steady() + AFTER_A_REFUSAL_S
        response = future.result()
        if response.ok:
            self._deliver(response.answer)
        else:
            self._node.get_logger().info(f'no answer yet: {response.message}',
                                         throttle_duration_sec=SAME_LINE_EVERY_S)
