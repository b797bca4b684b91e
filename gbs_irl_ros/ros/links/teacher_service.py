"""The service that every teacher's node has: questions to the question box, answers from it."""

from __future__ import annotations

from collections.abc import Callable

from gbs_irl_ros import srv
from gbs_irl_ros.learning.records import QuestionRecord
from gbs_irl_ros.ros import names
from gbs_irl_ros.ros.base_node import BaseNode, refused
from gbs_irl_ros.ros.messages import conversions
from gbs_irl_ros.teaching.question_box import QuestionBox


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
