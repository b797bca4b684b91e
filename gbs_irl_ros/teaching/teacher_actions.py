"""What a teacher can have done, the same on the page and in the terminal."""

from __future__ import annotations

from typing import Protocol

from gbs_irl_ros.core.answers import Answer, Unasked
from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.core.task_answers import WordsAnswer
from gbs_irl_ros.languages.speaking import tr
from gbs_irl_ros.learning.records import QuestionRecord
from gbs_irl_ros.learning.sentences import words_understood_text
from gbs_irl_ros.tasks.shown_place import Place
from gbs_irl_ros.tasks.task import Task
from gbs_irl_ros.tasks.words import tasks_that_fit
from gbs_irl_ros.teaching.choices import offer_in_words


class ServiceError(GbsIrlError):
    """The learner or the controller could not be reached, or said no."""


class TeacherActions(Protocol):
    """
    What a teacher can have done; what cannot be done raises a GbsIrlError that says why.

    Those that return a text may wait for the learner or the robot, and return what they say. The
    others are done at once.
    """

    def answer(self, question: str, answer: Answer) -> None:
        """Answer the question that is asked now; another id is refused."""

    def revise(self, question: str, answer: Answer) -> str:
        """Replace an earlier answer."""

    def demonstrate(self, known_as: str, shown: Unasked) -> None:
        """Show or say something unasked; the same id again is the same."""

    def show_place(self, known_as: str, place: Place) -> str:
        """Show a place: go here, never here, on the way; the same id again is the same place."""

    def say(self, known_as: str, text: str) -> str:
        """Say in words what is meant, or what the answer is; return what was understood."""

    def invent(self) -> str:
        """Have the learner think of tasks that nobody listed."""

    def undo(self) -> str:
        """Take back the last answer, demonstration or place, as soon as the learner has it."""

    def pause(self) -> str:
        """Ask nothing for the moment."""

    def resume(self) -> str:
        """Ask again."""

    def finish(self) -> str:
        """Ask nothing more: it is good enough."""

    def reset(self) -> str:
        """Begin a new lesson; the old one is kept on disk."""

    def ask_about(self, state: int) -> str:
        """Have the learner ask about a state next."""

    def go(self, over: str = '') -> str:
        """
        Let the robot do what was learned.

        :param over: the key of what it may enter this once although it never must (``Trespass``).
        """

    def stop(self) -> str:
        """Stop the robot, whatever moves it."""

    def drive(self, action: int) -> None:
        """Drive the robot by one action."""

    def be_present(self) -> None:
        """Let the robot that a person drives drive on: the person is still there."""

    def halt(self) -> None:
        """Drive no further; a controller that drives is not stopped."""

    def record(self) -> None:
        """Record from now on what the robot does."""

    def send_recorded(self, known_as: str) -> int:
        """Send what was recorded as a demonstration; return how many steps it has."""

    def discard(self) -> None:
        """Forget what was recorded."""


def say_in_words(act: TeacherActions, known_as: str, text: str, asked: QuestionRecord | None,
                 task: Task) -> str:
    """
    Answer what is asked, or say what is meant; return what was understood.

    Raises if the words are not an answer, and fit no task, or all of them.
    """
    offer = None if asked is None else offer_in_words(text, asked.question, task.world)
    if offer is not None and asked is not None:
        act.answer(asked.id, offer.answer)
        return tr('You said: {words}.', words=offer.label)
    words = WordsAnswer(text, tasks_that_fit(text, task))
    act.demonstrate(known_as, words)
    return words_understood_text([task.candidates.name(number) for number in words.tasks])
