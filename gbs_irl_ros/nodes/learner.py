"""The learner node: asks the teacher what helps most, and tells everybody what it knows."""

from __future__ import annotations

import threading
import warnings
from pathlib import Path
from typing import Any

from std_srvs.srv import Trigger

from gbs_irl_ros import msg
from gbs_irl_ros.core.caution import PAPER_MODE
from gbs_irl_ros.core.errors import GbsIrlError, ImpossibleAnswerError
from gbs_irl_ros.languages.speaking import tr
from gbs_irl_ros.learning.doubts import error_rate
from gbs_irl_ros.learning.journal import rescued_file
from gbs_irl_ros.learning.lesson import Lesson
from gbs_irl_ros.learning.looking_ahead import LookingAhead
from gbs_irl_ros.learning.people import People
from gbs_irl_ros.learning.records import Status
from gbs_irl_ros.learning.sentences import (
    EARLIER_LESSON_TEXT,
    NOTHING_ASSUMED,
    PAPER_MODE_TEXT,
    RESCUED_TEXT,
    answer_words,
    forecast_text,
    sentence,
)
from gbs_irl_ros.learning.shared_key import load_shared_key
from gbs_irl_ros.learning.study_file import StudyFile
from gbs_irl_ros.ros import names, qos
from gbs_irl_ros.ros.base_node import BaseNode, accepted
from gbs_irl_ros.ros.diagnostics import Health, Level
from gbs_irl_ros.ros.executors import ParallelExecutor
from gbs_irl_ros.ros.learner_parameters import LearnerParameters
from gbs_irl_ros.ros.links.lesson_server import LessonServer
from gbs_irl_ros.ros.links.lesson_topics import LessonPublisher
from gbs_irl_ros.ros.links.questions import QuestionClient
from gbs_irl_ros.ros.links.task_client import TaskClient
from gbs_irl_ros.ros.messages import conversions, task_conversions
from gbs_irl_ros.ros.parameters import ParameterError
from gbs_irl_ros.ros.running import run_node
from gbs_irl_ros.tasks import Task

HEARTBEAT_PERIOD_S = 0.1
WATCH_PERIOD_S = 0.25
OF_A_WHOLE_LESSON = ('lesson', 'journal_dir', 'person', 'study')
HUNG_AFTER_S = 0.3          # busy for longer than this, it does not beat: it may hang for good


class LearnerNode(BaseNode[LearnerParameters]):
    """
    Runs a lesson. It is the client of the teacher's service and never waits for it.

    Subscribes: world (World), demonstration (Demonstration), execution (Execution).
    Publishes: policy (Policy), belief (Belief), question (Question) and history (History),
    latched; heartbeat (Heartbeat).
    Client of: get_task (GetTask), query_demonstrator (QueryDemonstrator).
    Serves: ~/start, ~/pause, ~/finish, ~/undo, ~/reset (std_srvs/Trigger), ~/revise (Revise),
    ~/show_place (ShowPlace), ~/invent (Trigger), ask_about (AskAbout).
    Parameters: see LearnerParameters.
    """

    def __init__(self, **node_options: Any) -> None:
        super().__init__('learner', LearnerParameters, **node_options)
        self._task: Task | None = None
        self._lesson: Lesson | None = None
        self._study: StudyFile | None = None
        self._problem = ''                  # why there is no lesson although there is a task
        self._said = ''
        self._current_state: int | None = None
        self._certificate = NOTHING_ASSUMED
        self._ahead = LookingAhead()
        self._publisher = LessonPublisher(self)
        self._load_key()
        self._tasks = TaskClient(self, self._on_fetched_task)
        self._courier = QuestionClient(self, self._on_answer)
        self.subscribe(msg.World, names.WORLD, self._on_world, qos.LATCHED)
        self.subscribe(msg.Demonstration, names.DEMONSTRATION, self._on_demonstration, qos.EVENTS)
        self.subscribe(msg.Execution, names.EXECUTION, self._on_execution, qos.LATCHED)
        self._server = LessonServer(self, self._begun_lesson, self._advance)
        self.serve(Trigger, names.RESET, self._handle_reset)
        self.declared.on_change(self._on_parameters)
        self.every(WATCH_PERIOD_S, self._on_watch_timer)
        self.every(HEARTBEAT_PERIOD_S, self._on_heartbeat_timer, parallel=True)

    def health(self) -> Health:
        """Return how the lesson goes."""
        lesson = self._lesson
        if lesson is None:
            return Health(Level.ERROR if self._problem else Level.WARN,
                          self._problem or self._tasks.status_text)
        failed, rate = lesson.status is Status.FAILED, error_rate(lesson.learner)
        level = Level.ERROR if failed else Level.WARN if lesson.learner.nothing_fits else Level.OK
        return Health(level, lesson.status_text, {
            'session': lesson.session, 'questions': lesson.num_questions,
            'answers': len(lesson.learner.answers),
            'certainty': f'{lesson.learner.certainty:.3f}',
            'none of these': f'{lesson.learner.none_of_these:.3f}',
            'error rate of the teacher': f'{rate:.3f}' if rate >= 0.0 else 'not estimated'})

    def finish(self) -> None:
        """Release the journal."""
        with self.exclusive():
            if self._lesson is not None:
                self._lesson.close()

    def _load_key(self) -> None:
        """Take the key, if one is given; a robot that wants it obeys nobody without it."""
        file = self.get_parameter('key_file').value     # also while another parameter is wrong
        if not file:
            return
        try:
            self._publisher.key = load_shared_key(Path(str(file)).expanduser())
        except GbsIrlError as error:
            self.get_logger().error(f'heartbeats are not signed: {error}')

    # ---- the lesson -----------------------------------------------------------------------------

    def _on_world(self, message: msg.World) -> None:
        world = task_conversions.world_from_msg(message)
        if self._task is not None and world.hash != self._task.hash:
            self.get_logger().warning(
                f'the mdp node now serves another task, {world.name!r}; this lesson continues '
                f'with {self._task.world.name!r}. Call ~/reset to learn the new one')
        elif self._task is None:
            self._tasks.fetch()

    def _on_fetched_task(self, task: Task) -> None:
        self._task = task
        if self.parameters is not None:
            self._open_lesson(task, self.parameters)

    def _open_lesson(self, task: Task, parameters: LearnerParameters) -> None:
        try:
            with warnings.catch_warnings(record=True) as raised:
                warnings.simplefilter('always')
                learner = parameters.make_learner(task)
            for each in raised:
                self.get_logger().warning(str(each.message))
            if parameters.is_careful and learner.caution == PAPER_MODE:
                self.get_logger().info(PAPER_MODE_TEXT.format(learner.noise.likelihood.value))
            path = parameters.journal_path(task, self.get_namespace())
            self._lesson = Lesson.open(
                task, learner, path, stamp=self.stamp(), asking=parameters.asking(),
                settings=parameters.settings(),
                beginning=parameters.beginning(self._people(parameters).known(parameters.person)))
        except GbsIrlError as error:
            self._problem = str(error)
            self.get_logger().error(f'the lesson cannot begin: {error}')
            self._publish()
            return
        self._problem = ''
        self._study = None
        if parameters.study:
            self._study = StudyFile(parameters.people_folder, parameters.study,
                                    lambda line: self.get_logger().warning(line))
        if self._lesson.is_of_earlier_version:
            self.get_logger().info(EARLIER_LESSON_TEXT)
        known = len(self._lesson.learner.answers)
        self.get_logger().info(
            f'{"a new lesson" if not known else f"the lesson continues after {known} answers"}, '
            f'kept in {path}')
        if not known and (rescued := rescued_file(path)) is not None:
            self.get_logger().warning(RESCUED_TEXT.format(rescued, path.name))
        self._advance(self._lesson)

    def _people(self, parameters: LearnerParameters) -> People:
        return People(parameters.people_folder, self.get_logger().warning)

    def _on_parameters(self, parameters: LearnerParameters) -> None:
        if self._task is None:
            return
        if self._lesson is None:
            self._open_lesson(self._task, parameters)
            return
        before = self.parameters
        if before is not None and any(getattr(parameters, name) != getattr(before, name)
                                      for name in OF_A_WHOLE_LESSON):
            raise ParameterError(
                f'{", ".join(map(repr, OF_A_WHOLE_LESSON))} cannot be changed in the middle of a '
                'lesson; start the learner again')
        learner = parameters.make_learner(self._task)
        self._server.change(lambda lesson: lesson.use(
            learner, parameters.asking(), self.stamp(), parameters.settings()))

    def _begun_lesson(self) -> Lesson:
        if self._lesson is None:
            raise GbsIrlError(tr('there is no lesson yet: {why}',
                                 why=self._problem or self._tasks.status_text))
        return self._lesson

    def _advance(self, lesson: Lesson) -> None:
        """Ask what is to be asked next, and tell everybody."""
        before = lesson.status
        if before is not Status.FAILED:
            try:
                lesson.ask(self.stamp(), self._current_state)
            except GbsIrlError as error:        # what is known is told all the same
                self.get_logger().error(f'nothing can be asked: {error}')
        asking = lesson.status is Status.ASKING
        self._courier.carry(lesson.open_question if asking else None)
        self._look_ahead(lesson)
        self._publish()
        self._log_status(lesson)
        if self.parameters is not None:
            self._people(self.parameters).remember(lesson, self.stamp())
        if self._study is not None:
            self._study.write(lesson)
        if lesson.status is Status.DONE and before is not Status.DONE \
                and lesson.learner.true_gamma is not None:
            self._certificate = 'the guarantee is being worked out'
            threading.Thread(target=self._certify, args=(lesson,), daemon=True).start()

    def _look_ahead(self, lesson: Lesson) -> bool:
        """Tell how long a lesson takes as soon as this is known; return whether that is new."""
        before, lesson.outlook = lesson.outlook, self._ahead.outlook(lesson.learner)
        if lesson.outlook is None or lesson.outlook is before:
            return False
        self.get_logger().info('how long a lesson takes: '
                               + forecast_text(lesson.outlook.whole, whole=True))
        return True

    def _log_status(self, lesson: Lesson) -> None:
        """Say what is going on, once: why nothing is asked, or that nothing fits."""
        misfit = lesson.learner.nothing_fits and lesson.status in (Status.ASKING, Status.STUCK)
        text = lesson.standing.misfit_text if misfit else lesson.status_text
        if text == self._said or (lesson.status is Status.ASKING and not misfit):
            return
        self._said = text
        if lesson.status is Status.FAILED:      # rclpy wants a line of its own for each level
            self.get_logger().error(text)
        elif misfit:
            self.get_logger().warning(text)
        else:
            self.get_logger().info(text)

    def _certify(self, lesson: Lesson) -> None:
        """Work out the guarantee, which may take a while, when there is nothing else to do."""
        learner = lesson.learner
        certificate = str(learner.certificate)
        with self.exclusive():
            if self._lesson is lesson and lesson.learner is learner and self.context.ok():
                self._certificate = certificate
                self._publish()

    def _publish(self) -> None:
        lesson = self._lesson
        if lesson is None:
            self._publisher.publish_no_lesson(self._problem or self._tasks.status_text,
                                              failed=bool(self._problem))
        else:
            self._publisher.publish(
                lesson, self._certificate if lesson.status is Status.DONE else '')

    # ---- what the teacher says ------------------------------------------------------------------

    def _on_answer(self, message: msg.Answer) -> None:
        self._server.change(lambda lesson: self._take(lesson, message))

    def _take(self, lesson: Lesson, message: msg.Answer) -> None:
        record = conversions.answer_from_msg(message, lesson.question_of(message.id))
        try:
            taken = lesson.take(record)
        except ImpossibleAnswerError:
            # The teacher's node would give the same answer to the same id for ever.
            lesson.withdraw(record.id)
            raise
        if taken:
            asked = lesson.question_of(record.id)
            self.get_logger().info(
                f'{lesson.num_questions}. {sentence(asked, lesson.world)} -- '
                f'{answer_words(record.answer, lesson.world)}   '
                f'[{lesson.standing.belief_words}]')

    def _on_demonstration(self, message: msg.Demonstration) -> None:
        self._server.change(lambda lesson: self._watch(lesson, message))

    def _watch(self, lesson: Lesson, message: msg.Demonstration) -> None:
        record = conversions.demonstration_from_msg(message)
        if lesson.watch(record):
            self.get_logger().info(
                f'{"correction" if record.correction else record.answer.kind.replace("_", " ")} '
                f'by {record.by or "somebody"}: {answer_words(record.answer, lesson.world)}   '
                f'[{lesson.standing.belief_words}]')

    def _on_execution(self, message: msg.Execution) -> None:
        execution = conversions.execution_from_msg(message)
        self._current_state = execution.state
        self._publisher.challenge = execution.challenge

    # ---- beginning again ------------------------------------------------------------------------

    def _handle_reset(self, request: Any, response: Any) -> Any:
        """Begin again, with whatever task is served now; the old lesson is kept beside."""
        if self._lesson is not None:
            self._courier.carry(None)
            self.get_logger().info(f'a new lesson; the last is kept in {self._lesson.put_aside()}')
        self._lesson = self._task = None
        self._problem, self._certificate = '', NOTHING_ASSUMED
        self._publish()
        self._tasks.fetch()
        return accepted(response, self._tasks.status_text)

    # ---- timers ---------------------------------------------------------------------------------

    def _on_watch_timer(self) -> None:
        """Ask again for what was lost, the task or an answer; and tell what was said."""
        if self._task is None:
            self._tasks.fetch()
            if self._tasks.status_text != self._said:
                self._said = self._tasks.status_text
                self.get_logger().info(self._said)
                self._publish()
        elif self.parameters is not None:
            self._courier.look_after(self.parameters.ask_again)
        if self._lesson is not None:
            self._check_journal(self._lesson)
            if self._lesson.outlook is None and self._look_ahead(self._lesson):
                self._publish()
            self._publisher.publish_history(self._lesson)

    def _check_journal(self, lesson: Lesson) -> None:
        """Notice a journal that was taken away, also when nothing is written to it."""
        if lesson.status is Status.FAILED:
            return
        try:
            lesson.check_journal()
        finally:
            if lesson.status is Status.FAILED:
                self._advance(lesson)

    def _on_heartbeat_timer(self) -> None:
        lesson = self._lesson
        if lesson is not None and lesson.status is not Status.FAILED \
                and self.busy_for() <= HUNG_AFTER_S:
            self._publisher.beat(lesson)


def main() -> None:
    """Run the node."""
    run_node(LearnerNode, executor=ParallelExecutor)


if __name__ == '__main__':
    main()
