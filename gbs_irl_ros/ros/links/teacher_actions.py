"""All that a person who teaches can have done, called from threads that may wait."""

from __future__ import annotations

from gbs_irl_ros.core.answers import Answer, DemonstrationAnswer, check_answers
from gbs_irl_ros.core.errors import GbsIrlError, InvalidAnswerError
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.learning.records import AnswerRecord, DemonstrationRecord
from gbs_irl_ros.ros import names
from gbs_irl_ros.ros.base_node import BaseNode
from gbs_irl_ros.ros.links.demonstration_sender import DemonstrationSender
from gbs_irl_ros.ros.links.lesson_services import LessonServices, ServiceError
from gbs_irl_ros.ros.links.lesson_watcher import LessonWatcher
from gbs_irl_ros.ros.links.person_drive import PersonDrive
from gbs_irl_ros.ros.messages import conversions
from gbs_irl_ros.tasks import Task
from gbs_irl_ros.teaching import paths
from gbs_irl_ros.teaching.question_box import QuestionBox
from gbs_irl_ros.teaching.web import views


class TeacherActions:
    """One method for each thing; each raises with the reason if it cannot be done."""

    def __init__(self, node: BaseNode, watcher: LessonWatcher, question_box: QuestionBox,
                 sender: DemonstrationSender, driver: PersonDrive, remote: LessonServices) -> None:
        self._node, self._watcher, self._question_box = node, watcher, question_box
        self._sender, self._driver, self._remote = sender, driver, remote

    # ---- what the teacher says ------------------------------------------------------------------

    def answer(self, question: str, answer: Answer) -> None:
        """Answer the question that is asked now; another id is refused."""
        answer.check_fits(self._task().world.mdp)
        self._question_box.answer(question, answer, self._node.get_name(), self._node.stamp())

    def revise(self, question: str, answer: Answer) -> str:
        """Replace an earlier answer."""
        check_answers(self._asked_before(question), answer)
        answer.check_fits(self._task().world.mdp)
        record = AnswerRecord(question, answer, self._node.get_name(), self._node.stamp())
        return self._remote.call(names.LEARNER_REVISE, answer=conversions.answer_to_msg(record))

    def offers(self, question: str) -> list[views.View]:
        """Return what an earlier answer can be replaced by."""
        return views.offers_view(self._asked_before(question), self._task().world)

    def demonstrate(self, known_as: str, steps: list[list[int]]) -> None:
        """Show steps unasked; the same id again is the same demonstration."""
        self._show(known_as, DemonstrationAnswer(tuple((each[0], each[1]) for each in steps)))

    # ---- the lesson -----------------------------------------------------------------------------

    def undo(self) -> str:
        """Take back what was said last."""
        return self._remote.call(names.LEARNER_UNDO)

    def pause(self) -> str:
        """Ask nothing for the moment."""
        return self._remote.call(names.LEARNER_PAUSE)

    def start(self) -> str:
        """Go on asking."""
        return self._remote.call(names.LEARNER_START)

    def finish(self) -> str:
        """Ask nothing more: it is good enough."""
        return self._remote.call(names.LEARNER_FINISH)

    def reset(self) -> str:
        """Begin a new lesson; the old one is kept on disk."""
        return self._remote.call(names.LEARNER_RESET)

    def ask_about(self, state: int) -> str:
        """Have the learner ask about a state next."""
        return self._remote.call(names.ASK_ABOUT, state=state)

    # ---- ways -----------------------------------------------------------------------------------

    def way(self, states: list[int]) -> views.View:
        """Return the shortest way through these states."""
        world = self._task().world
        return views.course_view(paths.way_through(world, states), world)

    def walk(self, state: int, actions: list[int]) -> views.View:
        """Return where these actions lead."""
        world = self._task().world
        return views.course_view(paths.walk(world, state, actions), world)

    def rehearse(self, state: int | None = None) -> views.View:
        """Return what the robot would do from a state, or from where it is."""
        world, record = self._task().world, self._watcher.policy
        if record is None:
            raise GbsIrlError('nothing has been learned yet that could be shown')
        start = self._watcher.start_state() if state is None else state
        return views.course_view(paths.rehearse(world, record.policy, start), world)

    # ---- the robot ------------------------------------------------------------------------------

    def go(self) -> str:
        """Let the robot do what was learned."""
        return self._remote.call(names.CONTROLLER_ENABLE, data=True)

    def stop(self) -> str:
        """Stop the robot, whoever drives it."""
        with self._node.exclusive():        # no command of a timer may come behind
            was_driving = self._driver.is_driving
            self._driver.halt()
        if was_driving and not self._remote.is_there(names.CONTROLLER_STOP):
            return 'stopped'        # nobody else drives
        return self._remote.call(names.CONTROLLER_STOP)

    def drive(self, action: int) -> None:
        """Drive the robot on by one action."""
        with self._node.exclusive():
            self._driver.drive(self._task().world.mdp.check_action(action, InvalidAnswerError))
            self._watcher.show_robot()

    def record(self) -> None:
        """Record from now on what the robot does."""
        with self._node.exclusive():
            self._driver.start_recording()

    def recorded(self, known_as: str) -> int:
        """Show the learner what was recorded; return the number of steps."""
        with self._node.exclusive():
            shown = self._driver.stop_recording()
        if shown is None:
            raise GbsIrlError('nothing was recorded: the robot did not move to another place')
        self._show(known_as, shown)
        return len(shown.steps)

    def discard(self) -> None:
        """Forget what was recorded."""
        with self._node.exclusive():
            self._driver.stop_recording()

    # ---- inside ---------------------------------------------------------------------------------

    def _show(self, known_as: str, shown: DemonstrationAnswer) -> None:
        shown.check_fits(self._task().world.mdp)
        self._sender.send(DemonstrationRecord(
            known_as, shown, self._node.get_name(), stamp=self._node.stamp()))

    def _asked_before(self, known_as: str) -> Question:
        history = self._watcher.history
        for entry in () if history is None else history.entries:
            if entry.answer.id == known_as:
                return entry.question.question if entry.question is not None \
                    else Question(QuestionKind.DEMONSTRATION, 0)
        raise InvalidAnswerError(
            f'no answer {known_as!r} counts any more, so it cannot be replaced')

    def _task(self) -> Task:
        if self._watcher.task is None:
            raise ServiceError('the task is not known yet: is the mdp node running?')
        return self._watcher.task
