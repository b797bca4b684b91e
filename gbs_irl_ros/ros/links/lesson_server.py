"""The services of a lesson: what a person may have the learner do."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any, TypeVar

from std_srvs.srv import Trigger

from gbs_irl_ros import srv
from gbs_irl_ros.languages.speaking import tr
from gbs_irl_ros.learning.lesson import Lesson
from gbs_irl_ros.ros import names
from gbs_irl_ros.ros.base_node import BaseNode, accepted
from gbs_irl_ros.ros.messages import conversions

T = TypeVar('T')


class LessonServer:
    """
    Serves everything that changes a lesson at somebody's request.

    Serves: ~/start, ~/pause, ~/finish, ~/undo, ~/invent (std_srvs/Trigger), ~/revise (Revise),
    ~/show_place (ShowPlace), ask_about (AskAbout).
    """

    def __init__(self, node: BaseNode[Any], begun: Callable[[], Lesson],
                 advance: Callable[[Lesson], None]) -> None:
        """
        Begin to serve.

        :param begun: returns the lesson; raises if there is none.
        :param advance: asks what is to be asked next, and tells everybody.
        """
        self._node, self._begun, self._advance = node, begun, advance
        for name, handle in ((names.START, self._handle_start), (names.PAUSE, self._handle_pause),
                             (names.FINISH, self._handle_finish), (names.UNDO, self._handle_undo)):
            node.serve(Trigger, name, handle)
        node.serve(srv.Revise, names.REVISE, self._handle_revise)
        node.serve(srv.ShowPlace, names.SHOW_PLACE, self._handle_show_place, parallel=True)
        node.serve(Trigger, names.INVENT, self._handle_invent, parallel=True)
        node.serve(srv.AskAbout, names.ASK_ABOUT, self._handle_ask_about)

    def change(self, change: Callable[[Lesson], T]) -> T:
        """Change the lesson, then continue with it, or stop if it could not be written."""
        lesson = self._begun()
        try:
            return change(lesson)
        finally:
            self._advance(lesson)

    def _handle_start(self, request: Any, response: Any) -> Any:
        self.change(lambda lesson: lesson.pause(False, self._node.stamp()))
        return self._done(response)

    def _handle_pause(self, request: Any, response: Any) -> Any:
        self.change(lambda lesson: lesson.pause(True, self._node.stamp()))
        return self._done(response)

    def _handle_finish(self, request: Any, response: Any) -> Any:
        self.change(lambda lesson: lesson.finish(self._node.stamp()))
        return self._done(response)

    def _handle_undo(self, request: Any, response: Any) -> Any:
        undone = self.change(lambda lesson: lesson.undo(self._node.stamp()))
        self._node.get_logger().info(f'taken back: {undone}')
        return self._done(response)

    def _handle_revise(self, request: Any, response: Any) -> Any:
        self.change(lambda lesson: lesson.revise(conversions.answer_from_msg(
            request.answer, lesson.question_of(request.answer.id))))
        return accepted(response, f'{request.answer.id} is replaced')

    def _handle_show_place(self, request: Any, response: Any) -> Any:
        """Plan beside the lesson, which continues meanwhile; then allow for what was added."""
        with self._node.exclusive():
            lesson = self._begun()
            if request.id in lesson.acknowledged:
                return accepted(response, f'{request.id} is known already')
        planned = lesson.plan_place(conversions.place_from_msg(request.place))
        with self._node.exclusive():
            self.change(lambda current: current.show_place(
                request.id, planned, self._node.stamp(), request.shown_by))
            self._node.get_logger().info(
                f'{request.shown_by or "somebody"} shows: {planned.words}   '
                f'[{lesson.standing.belief_words}]')
        return accepted(response, planned.told)

    def _handle_invent(self, request: Any, response: Any) -> Any:
        """Think of other tasks beside the lesson, which continues; then allow for them."""
        with self._node.exclusive():
            lesson = self._begun()
        planned = lesson.plan_invention()
        with self._node.exclusive():
            self.change(lambda current: current.show_place(
                uuid.uuid4().hex, planned, self._node.stamp()))
            self._node.get_logger().info(planned.step.words)
        return accepted(response, tr(
            '{words}: these may be meant now', words=planned.step.words))

    def _handle_ask_about(self, request: Any, response: Any) -> Any:
        question = self.change(lambda lesson: lesson.ask_about(request.state, self._node.stamp()))
        response.question_id = question.id
        return self._done(response)

    def _done(self, response: Any) -> Any:
        return accepted(response, self._begun().status_text)
