"""A person's side of a lesson over ROS: what is going on, and what the person can have done."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable

from gbs_irl_ros.core.answers import Answer, Unasked, check_answers
from gbs_irl_ros.core.errors import GbsIrlError, InvalidAnswerError
from gbs_irl_ros.core.stopping import DoneReason
from gbs_irl_ros.languages.speaking import tr
from gbs_irl_ros.learning.records import AnswerRecord, DemonstrationRecord, QuestionRecord, Status
from gbs_irl_ros.ros import names
from gbs_irl_ros.ros.base_node import BaseNode
from gbs_irl_ros.ros.links.demonstration_sender import DemonstrationSender
from gbs_irl_ros.ros.links.lesson_services import LessonServices
from gbs_irl_ros.ros.links.lesson_topics import NO_LESSON, LessonWatcher
from gbs_irl_ros.ros.links.person_drive import PersonDrive
from gbs_irl_ros.ros.links.questions import serve_questions
from gbs_irl_ros.ros.messages import conversions
from gbs_irl_ros.tasks.shown_place import Place
from gbs_irl_ros.tasks.translated import translated
from gbs_irl_ros.tasks.world import World
from gbs_irl_ros.teaching.choices import check_offered
from gbs_irl_ros.teaching.lesson_snapshot import LessonSnapshot
from gbs_irl_ros.teaching.question_box import QuestionBox
from gbs_irl_ros.teaching.teacher_actions import ServiceError, TeacherActions, say_in_words

ARRIVES_WITHIN_S = 3.0      # an answer, before it can be taken back


class TeacherLink(TeacherActions):
    """
    The teacher's actions over ROS, and the lesson as it is now.

    Actions that wait must not be called from a callback of the node.

    on_stop: called when the person has pressed STOP, under the lock of the node.

    Serves: query_demonstrator (QueryDemonstrator). Subscribes: world (World), belief (Belief),
    policy (Policy), history (History), heartbeat (Heartbeat), execution (Execution), odom
    (nav_msgs/Odometry). Publishes: demonstration (Demonstration), and what PersonDrive does.
    Client of: get_task (GetTask), learner/start, learner/pause, learner/finish, learner/undo,
    learner/reset, controller/stop (std_srvs/Trigger), controller/go (Go), learner/revise
    (Revise), learner/show_place (ShowPlace), ask_about (AskAbout).
    """

    def __init__(self, node: BaseNode, on_change: Callable[[], None],
                 why_not: Callable[[], str] = lambda: '') -> None:
        """
        Create what is needed of ROS.

        :param on_change: called when something may have changed, from any thread.
        :param why_not: returns why nobody can be asked now, '' if somebody can.
        """
        self._node, self._on_change, self._why_not = node, on_change, why_not
        self.driver = PersonDrive(node, self._on_new_controller, self._on_abandoned,
                                  self._minds_absence)
        self.on_stop: Callable[[], None] = lambda: None
        self._has_stopped = False       # STOP is the last that the person wanted of the robot
        self.question_box = QuestionBox(on_change)
        self.services = LessonServices(node)
        self.sender = DemonstrationSender(node)
        self.watcher = LessonWatcher(
            node, self._on_lesson, 'task', 'belief', 'policy', 'history', 'heartbeat')
        self._arrived = threading.Condition()
        self._belief_at = -math.inf     # when the last belief was heard
        serve_questions(node, self.question_box, self._check)

    @property
    def num_kept(self) -> int:
        """Return how many answers and demonstrations the learner has not acknowledged."""
        return self.question_box.num_kept + self.sender.num_kept

    def lesson(self) -> LessonSnapshot:
        """Return what is going on now; of one moment only under the lock of the node."""
        watcher, driver = self.watcher, self.driver
        task, belief, policy, pose = watcher.task, watcher.belief, watcher.policy, driver.pose
        if belief is not None and belief.status in (Status.WAITING, Status.FAILED):
            lives = self.services.is_there(names.LEARNER_UNDO)  # its heart beats only in a lesson
        else:
            lives = watcher.is_learner_heard
        fits = policy is not None and task is not None and policy.task_hash == task.hash
        return LessonSnapshot(
            task=task, question=self.question_box.question, belief=belief,
            policy=policy if fits else None, history=watcher.history, learner_lives=lives,
            execution=driver.execution,
            has_controller=self.services.is_there(names.CONTROLLER_STOP),
            pose=None if pose is None else (pose.x, pose.y, pose.yaw), robot=driver.state,
            driving=driver.is_driving, gave_up=driver.gave_up, corrects=driver.corrects,
            stops_without_page=self._minds_absence(),
            recorded=driver.steps if driver.recording else None, on_their_way=self.num_kept,
            no_task=watcher.no_task)

    def close(self) -> None:
        """Stop a robot that a person drives, and let a waiting question go."""
        self.halt()
        self.services.forget_stop()
        self.question_box.close()

    def _check(self, record: QuestionRecord) -> str:
        """Return why nobody can be asked now; raise if the question does not fit the task."""
        if self.watcher.world is not None:
            record.question.check_fits(self.watcher.world.mdp)
        return self._why_not()

    def _on_lesson(self, part: str) -> None:
        belief = self.watcher.belief
        if part == 'heartbeat':
            return      # it changes nothing but the time
        if part == 'world' and self.watcher.world is not None:
            self.driver.see_world(self.watcher.world)
        if part == 'belief' and belief is not None:
            self._belief_at = time.monotonic()
            self.question_box.acknowledge(belief.acknowledged)
            self.sender.acknowledge(belief.acknowledged)
            self.question_box.withdraw(belief.question_id)
            self._forget_unwanted()
            with self._arrived:
                self._arrived.notify_all()
        self._on_change()

    def _on_new_controller(self) -> None:
        """Stop a controller that has taken the place of the one that was stopped."""
        if self._has_stopped:
            self.services.stop(wait=False)

    def _minds_absence(self) -> bool:
        """Return whether a robot whose person is gone must stop."""
        belief, parameters = self.watcher.belief, self._node.parameters
        # One that was only good enough may have to ask on the way: somebody must be there.
        is_done = belief is not None and belief.status is Status.DONE \
            and belief.reason is not DoneReason.GOOD_ENOUGH
        wanted = getattr(parameters, 'stop_without_page', 'lesson')     # that of a page's node
        return wanted == 'always' or (wanted == 'lesson' and not is_done)

    def _on_abandoned(self) -> None:
        self._has_stopped = True
        self.services.stop(wait=False)

    def _forget_unwanted(self) -> None:
        """
        Let go of answers that the learner will never take: it asks something else by now.

        A learner that has just been restarted, and has no lesson yet, may still ask the same; and
        one that died after it had asked has not said so any more.
        """
        belief = self.watcher.belief
        if belief is None or belief.session == NO_LESSON:
            return
        if self.question_box.forget_unwanted(belief.question_id, self._belief_at):
            self._node.get_logger().warning(
                'an answer was not used: the learner no longer asks that question')

    # ---- what the teacher says ------------------------------------------------------------------

    def answer(self, question: str, answer: Answer) -> None:
        """Answer the question that is asked now; another id is refused."""
        answer.check_fits(self._world().mdp)
        check_offered(answer, self._world())
        self.question_box.answer(question, answer, self._node.get_name(), self._node.stamp())

    def revise(self, question: str, answer: Answer) -> str:
        """Replace an earlier answer."""
        check_answers(self.lesson().asked_before(question), answer)
        answer.check_fits(self._world().mdp)
        check_offered(answer, self._world())
        record = AnswerRecord(question, answer, self._node.get_name(), self._node.stamp())
        return self.services.call(names.LEARNER_REVISE, answer=conversions.answer_to_msg(record))

    def demonstrate(self, known_as: str, shown: Unasked) -> None:
        """Show or say something unasked; the same id again is the same."""
        shown.check_fits(self._world().mdp)
        self.sender.send(DemonstrationRecord(
            known_as, shown, self._node.get_name(), stamp=self._node.stamp()))

    def show_place(self, known_as: str, place: Place) -> str:
        """Show a place: go here, never here, on the way."""
        return self.services.call(names.LEARNER_SHOW_PLACE, id=known_as,
                                  place=conversions.place_to_msg(place),
                                  shown_by=self._node.get_name())

    def say(self, known_as: str, text: str) -> str:
        """Say in words what is meant, or what the answer is; return what was understood."""
        self._world()
        assert self.watcher.task is not None        # it came with the world
        return say_in_words(self, known_as, text, self.lesson().asked,
                            translated(self.watcher.task))

    def invent(self) -> str:
        """Have the learner think of tasks that nobody listed."""
        return self.services.call(names.LEARNER_INVENT)

    # ---- the lesson -----------------------------------------------------------------------------

    def undo(self) -> str:
        """Take back what was said or shown last, as soon as the learner has it."""
        self._forget_unwanted()
        with self._arrived:
            self._arrived.wait_for(lambda: not self.num_kept, ARRIVES_WITHIN_S)
            if self.question_box.num_kept:
                raise GbsIrlError(tr('the learner has not received your last answer yet, so it '
                                     'cannot take it back; try again in a moment'))
        return self.services.call(names.LEARNER_UNDO)

    def pause(self) -> str:
        """Ask nothing for the moment."""
        return self.services.call(names.LEARNER_PAUSE)

    def resume(self) -> str:
        """Ask again."""
        return self.services.call(names.LEARNER_START)

    def finish(self) -> str:
        """Ask nothing more: it is good enough."""
        return self.services.call(names.LEARNER_FINISH)

    def reset(self) -> str:
        """Begin a new lesson; the old one is kept on disk."""
        return self.services.call(names.LEARNER_RESET)

    def ask_about(self, state: int) -> str:
        """Have the learner ask about a state next."""
        return self.services.call(names.ASK_ABOUT, state=state)

    # ---- the robot ------------------------------------------------------------------------------

    def go(self, over: str = '') -> str:
        """Let the robot do what was learned, over what was asked for if that is allowed."""
        allowed = self._allowed(over) if over else ()
        self._has_stopped = False
        self.services.forget_stop()
        seen = self.driver.execution
        said = self.services.call(names.CONTROLLER_GO, stops=0 if seen is None else seen.stops,
                                  over=allowed)
        self.driver.person_started()
        return said

    def stop(self) -> str:
        """Stop the robot, whatever moves it."""
        with self._node.exclusive():        # no command of a timer may come behind
            was_driving, self._has_stopped = self.driver.is_driving, True
            self.on_stop()
            self.driver.halt()
        if was_driving and not self.services.is_there(names.CONTROLLER_STOP):
            return 'stopped'        # nobody else drives; whoever comes is stopped then
        return self.services.stop()

    def drive(self, action: int) -> None:
        """Drive the robot by one action."""
        asked_at = self._node.steady()
        with self._node.exclusive():
            self.driver.drive(
                self._world().mdp.check_action(action, InvalidAnswerError), asked_at)
            self._on_change()

    def be_present(self) -> None:
        """Let the robot that a person drives drive on: the person is still there."""
        self.driver.person_is_there()

    def halt(self) -> None:
        """Drive no further; a controller that drives is not stopped."""
        with self._node.exclusive():
            self.driver.halt()

    def record(self) -> None:
        """Record from now on what the robot does."""
        with self._node.exclusive():
            self.driver.start_recording()

    def send_recorded(self, known_as: str) -> int:
        """Send what was recorded as a demonstration; return how many steps it has."""
        with self._node.exclusive():
            shown = self.driver.stop_recording()
        if shown is None:
            raise GbsIrlError(tr('nothing was recorded: the robot did not move to another place'))
        self.demonstrate(known_as, shown)
        return len(shown.steps)

    def discard(self) -> None:
        """Forget what was recorded."""
        with self._node.exclusive():
            self.driver.stop_recording()

    # ---- inside ---------------------------------------------------------------------------------

    def _allowed(self, over: str) -> tuple[int, ...]:
        """Return what the robot may enter this once; raise if something else was asked for."""
        forbidden = self.lesson().forbidden
        if forbidden is None or forbidden.key != over:
            raise GbsIrlError(tr('what I would have to drive over is not what you have allowed '
                                 'any more; press Start again'))
        return forbidden.states

    def _world(self) -> World:
        if self.watcher.world is None:
            raise ServiceError(tr('the task is not known yet: is the mdp node running?'))
        return self.watcher.world
