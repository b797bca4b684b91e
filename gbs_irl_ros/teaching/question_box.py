"""
Where a question waits for the teacher, and answers for their acknowledgement.

A service response is not an acknowledgement: nobody tells the server whether it arrived. So an
answer stays here until the learner says that it has it, and a question that is asked again with
the same id gets the same answer again.

Locks are taken in the order node, question box, board: a thread that has one may take those
behind it, never those before it. So what is shown is computed under the node's lock
(``BaseNode.exclusive``), which may look into the question box and write on the board; and the
question box says that it has changed only after it has released its own lock.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator

from gbs_irl_ros.core.answers import Answer, answer_to, check_answers
from gbs_irl_ros.core.errors import InvalidAnswerError
from gbs_irl_ros.learning.records import AnswerRecord, QuestionRecord

MAX_KEPT = 1000     # answers that no learner has acknowledged
UNWANTED_AFTER_S = 5.0


class StaleQuestionError(InvalidAnswerError):
    """The answer is to a question that is not asked any more."""


class _Waiting:
    """A call that waits for an answer, and the answer as soon as there is one."""

    def __init__(self, question_id: str) -> None:
        self.question_id = question_id
        self.answer: AnswerRecord | None = None


class QuestionBox:
    """
    Passes one question at a time from the learner to the teacher; safe to use from many threads.

    The learner's side calls ``ask``, which waits; the teacher's side looks at ``question`` and
    calls ``answer``.
    """

    def __init__(self, on_change: Callable[[], None] = lambda: None) -> None:
        """
        Set up the question box.

        :param on_change: called after another question, or none, is asked; from the thread that
            changed it, which has released the question box by then.
        """
        self._on_change = on_change
        self._changed = threading.Condition()
        self._question: QuestionRecord | None = None
        self._waiting: _Waiting | None = None
        self._kept: dict[str, AnswerRecord] = {}
        self._kept_since: dict[str, float] = {}
        self._closed = False

    @property
    def question(self) -> QuestionRecord | None:
        """Return what the teacher is asked now."""
        with self._changed:
            return self._question

    @property
    def num_kept(self) -> int:
        """Return how many answers wait for an acknowledgement."""
        with self._changed:
            return len(self._kept)

    def ask(self, question: QuestionRecord) -> AnswerRecord | None:
        """
        Put a question before the teacher; return the answer.

        None: another question, or the same one by another call, has taken its place, or the
        question box was closed.
        """
        with self._changing():
            if question.id in self._kept or self._closed:
                return self._kept.get(question.id)
            self._question = question
            waiting = self._waiting = _Waiting(question.id)
        with self._changed:
            self._changed.wait_for(
                lambda: waiting.answer is not None or self._waiting is not waiting)
            return waiting.answer

    def wait_for_question(self, other_than: str = '',
                          timeout_s: float | None = None) -> QuestionRecord | None:
        """Return the open question as soon as there is one with another id; None if none came."""
        with self._changed:
            self._changed.wait_for(
                lambda: self._closed or (self._question is not None
                                         and self._question.id != other_than), timeout_s)
            question = self._question
            return None if question is None or question.id == other_than else question

    def answer(self, question_id: str, answer: Answer, by: str = '', stamp: int = 0) -> None:
        """Take the teacher's answer; raise unless it answers the question that is asked now."""
        with self._changing():
            if self._question is None or self._question.id != question_id:
                now = 'nothing' if self._question is None else repr(self._question.id)
                raise StaleQuestionError(
                    f'the question {question_id!r} is not asked any more, so the answer is not '
                    f'used; asked is {now}')
            check_answers(self._question.question, answer)
            given = {name: getattr(answer, name) for name in answer.given}
            answer = answer_to(self._question.question, answer.kind, **given)   # its own labels
            record = self._kept[question_id] = AnswerRecord(question_id, answer, by, stamp)
            self._kept_since[question_id] = time.monotonic()
            if self._waiting is not None:
                self._waiting.answer = record
            while len(self._kept) > MAX_KEPT:
                del self._kept[next(iter(self._kept))]
            self._question = None

    def withdraw(self, question_id: str) -> None:
        """Take away the question unless it is this one: the learner has moved on."""
        with self._changing():
            if self._question is not None and self._question.id != question_id:
                self._question = self._waiting = None

    def acknowledge(self, ids: tuple[str, ...]) -> None:
        """Forget the answers that the learner has."""
        with self._changed:
            for known in ids:
                self._kept.pop(known, None)

    def forget_unwanted(self, question_id: str, said_at: float,
                        older_than_s: float = UNWANTED_AFTER_S) -> int:
        """
        Forget answers to questions that the learner no longer asks; return how many.

        Only old ones, given before the learner said so: what it has said lately may be from before
        an answer was given, and one that died after its question has not said anything of it.

        :param question_id: what it asks now, '' if nothing.
        :param said_at: when it was heard to say so, on ``time.monotonic``.
        """
        with self._changed:
            before = min(time.monotonic() - older_than_s, said_at)
            unwanted = [known for known in self._kept if known != question_id
                        and self._kept_since.get(known, 0.0) < before]
            for known in unwanted:
                del self._kept[known]
            self._kept_since = {known: since for known, since in self._kept_since.items()
                                if known in self._kept}
            return len(unwanted)

    def close(self) -> None:
        """Let everybody who waits go."""
        with self._changing():
            self._closed = True
            self._question = self._waiting = None

    @contextlib.contextmanager
    def _changing(self) -> Iterator[None]:
        """Hold the lock, then wake those who wait, then say what has changed."""
        with self._changed:
            before = self._question
            yield
            self._changed.notify_all()
            is_news = self._question is not before
        if is_news:
            self._on_change()
