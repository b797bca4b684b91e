"""The service that every teacher's node has: questions to the question box, answers from it."""

from __future__ import annotations

from collections.abc import Callable

from gbs_irl_ros import msg, srv
from gbs_irl_ros.learning.records import BeliefRecord, QuestionRecord
from gbs_irl_ros.ros import names, qos
from gbs_irl_ros.ros.base_node import BaseNode, refused
from gbs_irl_ros.ros.messages import conversions
from gbs_irl_ros.teaching.question_box import QuestionBox


class TeacherService:
    """
    Serves query_demonstrator and listens to belief for what has arrived.

    However often the learner asks again, one call waits and no more: a teacher may take his time.

    question_box: where the question waits for the teacher.
    """

    def __init__(self, node: BaseNode, why_not: Callable[[], str] = lambda: '',
                 on_belief: Callable[[BeliefRecord], None] = lambda _: None,
                 on_question: Callable[[QuestionRecord | None], None] = lambda _: None) -> None:
        """
        Create the service.

        :param why_not: returns why no question can be answered now, '' if one can.
        :param on_belief: called with each belief, after what it acknowledges is forgotten here.
        :param on_question: called with what is asked whenever that changes; it must be quick.
        """
        self.question_box = QuestionBox(on_question)
        self._why_not = why_not
        self._tell = on_belief
        node.subscribe(msg.Belief, names.BELIEF, self._on_belief, qos.LATCHED)
        node.serve(srv.QueryDemonstrator, names.QUERY_DEMONSTRATOR, self._handle_query,
                   parallel=True)

    def _on_belief(self, message: msg.Belief) -> None:
        belief = conversions.belief_from_msg(message)
        self.question_box.acknowledge(belief.acknowledged)
        self._tell(belief)

    def _handle_query(self, request: srv.QueryDemonstrator.Request,
                      response: srv.QueryDemonstrator.Response) -> srv.QueryDemonstrator.Response:
        question = conversions.question_from_msg(request.question)
        if self._why_not():
            return refused(response, self._why_not())
        answer = self.question_box.ask(question)
        if answer is None:
            return refused(response, 'it was asked again, or another question took its place')
        response.ok, response.answer = True, conversions.answer_to_msg(answer)
        return response
