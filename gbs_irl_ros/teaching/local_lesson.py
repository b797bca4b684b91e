"""A lesson in this very process, without ROS and without a robot."""

from __future__ import annotations

import tempfile
import time
import uuid
from collections.abc import Callable
from pathlib import Path

from gbs_irl_ros.core.answers import Answer, Unasked
from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.core.learner import Learner
from gbs_irl_ros.core.theory.forecast import Outlook
from gbs_irl_ros.languages.speaking import tr
from gbs_irl_ros.learning.beginning import FROM_NOTHING, Beginning
from gbs_irl_ros.learning.lesson import Lesson
from gbs_irl_ros.learning.records import AnswerRecord, DemonstrationRecord
from gbs_irl_ros.tasks.growth import with_places
from gbs_irl_ros.tasks.shown_place import Place
from gbs_irl_ros.tasks.task import Task
from gbs_irl_ros.tasks.translated import translated
from gbs_irl_ros.teaching.choices import check_offered
from gbs_irl_ros.teaching.lesson_snapshot import LessonSnapshot
from gbs_irl_ros.teaching.teacher_actions import TeacherActions, say_in_words


class LocalLesson(TeacherActions):
    """
    The teacher's actions on a lesson that is forgotten when it is closed; nothing waits.

    lesson: as the learner keeps it, with its journal in a folder that is removed at the end.
    """

    def __init__(self, task: Task, learner: Learner,
                 beginning: Beginning = FROM_NOTHING) -> None:
        self._task = task
        self._folder = tempfile.TemporaryDirectory(prefix='gbs_irl_lesson_')
        self.lesson = Lesson.open(task, learner, Path(self._folder.name) / 'lesson.jsonl',
                                  stamp=time.time_ns(), beginning=beginning)
        self._snapshot = self._look()

    def look_ahead(self, progress: Callable[[int, int], None]) -> None:
        """Work out how long the lesson will take, if it ends by itself."""
        learner = self.lesson.learner
        if learner.stop.wanted_certainty <= 1.0:
            self.lesson.outlook = Outlook.simulated(learner.replay(()), progress)
            self._snapshot = self._look()

    def __enter__(self) -> LocalLesson:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Forget the lesson."""
        self.lesson.close()
        self._folder.cleanup()

    def snapshot(self) -> LessonSnapshot:
        """Return what is going on now."""
        return self._snapshot

    def answer(self, question: str, answer: Answer) -> None:
        """Answer the question that is asked now."""
        check_offered(answer, self.lesson.world)
        self.lesson.take(AnswerRecord(question, answer, stamp=time.time_ns()))
        self._snapshot = self._look()

    def revise(self, question: str, answer: Answer) -> str:
        """Replace an earlier answer."""
        check_offered(answer, self.lesson.world)
        self.lesson.revise(AnswerRecord(question, answer, stamp=time.time_ns()))
        return self._done()

    def demonstrate(self, known_as: str, shown: Unasked) -> None:
        """Show or say something unasked."""
        self.lesson.watch(DemonstrationRecord(known_as, shown, stamp=time.time_ns()))
        self._snapshot = self._look()

    def show_place(self, known_as: str, place: Place) -> str:
        """Show a place: go here, never here, on the way."""
        planned = self.lesson.plan_place(place)
        self.lesson.show_place(known_as, planned, time.time_ns())
        self._done()
        return planned.told

    def say(self, known_as: str, text: str) -> str:
        """Say in words what is meant, or what the answer is; return what was understood."""
        assert self._snapshot.task is not None      # a lesson has one
        return say_in_words(self, known_as, text, self._snapshot.asked,
                            translated(self._snapshot.task))

    def invent(self) -> str:
        """Have the learner think of tasks that nobody listed."""
        planned = self.lesson.plan_invention()
        self.lesson.show_place(uuid.uuid4().hex, planned, time.time_ns())
        self._done()
        return planned.step.words

    def undo(self) -> str:
        """Take back the last answer, demonstration or place."""
        self.lesson.undo(time.time_ns())
        return self._done()

    def pause(self) -> str:
        """Ask nothing for the moment."""
        self.lesson.pause(True, time.time_ns())
        return self._done()

    def resume(self) -> str:
        """Ask again."""
        self.lesson.pause(False, time.time_ns())
        return self._done()

    def finish(self) -> str:
        """Ask nothing more: it is good enough."""
        self.lesson.finish(time.time_ns())
        return self._done()

    def ask_about(self, state: int) -> str:
        """Ask about a state next."""
        self.lesson.ask_about(state, time.time_ns())
        return self._done()

    def reset(self) -> str:
        """Raise: a new lesson is a new one of these."""
        raise GbsIrlError(tr('this lesson is not kept: quit, and begin another'))

    def go(self, over: str = '') -> str:
        """Raise: there is no robot."""
        raise GbsIrlError(tr('there is no robot here'))

    def stop(self) -> str:
        """Raise: there is no robot."""
        return self.go()

    def drive(self, action: int) -> None:
        """Raise: there is no robot."""
        self.go()

    def be_present(self) -> None:
        """Do nothing: there is no robot."""

    def halt(self) -> None:
        """Do nothing: there is no robot."""

    def record(self) -> None:
        """Raise: there is no robot."""
        self.go()

    def send_recorded(self, known_as: str) -> int:
        """Raise: there is no robot."""
        raise GbsIrlError(tr('there is no robot here'))

    def discard(self) -> None:
        """Do nothing: nothing was recorded."""

    def _done(self) -> str:
        self._snapshot = self._look()
        return ''

    def _look(self) -> LessonSnapshot:
        question = self.lesson.ask(time.time_ns())
        policy, belief = self.lesson.report(time.time_ns())
        return LessonSnapshot(
            task=with_places(self._task, belief.places), question=question, belief=belief,
            policy=policy, history=self.lesson.history(time.time_ns()), learner_lives=True)
