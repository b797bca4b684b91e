"""The service that every teacher's node has: questions to the desk, answers from it."""

from __future__ import annotations

from collections.abc import Callable

from gbs_irl_ros import msg, srv
from gbs_irl_ros.lessons.desk import Desk
from gbs_irl_ros.ros import conversions, names, qos
from gbs_irl_ros.ros.base_node import BaseNode, refused


class TeacherService:
    """
    Serves query_demonstrator and listens to belief for what has arrived.

    However often the learner asks again, one call waits and no more: a teacher may take his time.

    desk: where the question waits for the teacher.
    """

    def __init__(self, node: BaseNode, why_not: Callable[[], str] = lambda: '') -> None:
        """
        Create the service.

        :param why_not: returns why no question can be answered now, '' if one can.
        """
        self.desk = Desk()
        self._why_not = why_not
        node.subscribe(msg.Belief, names.BELIEF, self._on_belief, qos.LATCHED)
        node.serve(srv.QueryDemonstrator, names.QUERY_DEMONSTRATOR, self._handle_query,
                   parallel=True)

    def _on_belief(self, message: msg.Belief) -> None:
        self.desk.acknowledge(conversions.belief_from_msg(message).acknowledged)

    def _handle_query(self, request: srv.QueryDemonstrator.Request,
                      response: srv.QueryDemonstrator.Response) -> srv.QueryDemonstrator.Response:
        question = conversions.question_from_msg(request.question)
        if self._why_not():
            return refused(response, self._why_not())
        answer = self.desk.ask(question)
        if answer is None:
            return refused(response, 'it was asked again, or another question took its place')
        response.ok, response.answer = True, conversions.answer_to_msg(answer)
        return response
