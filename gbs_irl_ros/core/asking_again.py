"""What must not be asked again, and what is asked after a no."""

from __future__ import annotations

from collections.abc import Sequence

from gbs_irl_ros.core.answers import (
    ActionAnswer,
    AllTheSameAnswer,
    Answer,
    CompareAnswer,
    DontKnowAnswer,
    EitherAnswer,
    LaterAnswer,
    NoneOfTheseAnswer,
    TaskAnswer,
)
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.core.routes import refused_route

POSTPONED = 3   # "ask me later" means: after this many other answers


def closed_questions(answers: Sequence[Answer]) -> frozenset[Question]:
    """
    Return what the teacher could not answer, or wants to answer later, and what was answered.

    Where the teacher could not show steps, the robot does not ask for a single one either. A
    closing question is asked again in any case: only yeses end the lesson. A question about the
    task as a whole is not: somebody who has said which one it is has said so.
    """
    unknown = {answer.question for answer in answers if isinstance(answer, DontKnowAnswer)
               and answer.question.kind is not QuestionKind.CONFIRM}
    postponed = {answer.question for answer in answers[-POSTPONED:]
                 if isinstance(answer, (DontKnowAnswer, LaterAnswer))}
    chosen = {answer.question for answer in answers
              if isinstance(answer, (CompareAnswer, NoneOfTheseAnswer, TaskAnswer))}
    closed = unknown | postponed | chosen
    return frozenset(closed | {Question(QuestionKind.ACTION, question.state)
                               for question in closed
                               if question.kind is QuestionKind.DEMONSTRATION})


def question_after_no(answers: Sequence[Answer], closed: frozenset[Question]) -> Question | None:
    """
    Return what to ask after a no to a route: what to do where it would have ended.

    Where that was asked before or is closed, the place before it. None if the last answer was
    something else, or nothing on the route is left to ask.
    """
    asked = {answer.state for answer in answers
             if isinstance(answer, (ActionAnswer, AllTheSameAnswer, EitherAnswer))}
    for state, _ in reversed(refused_route(answers) or ()):
        question = Question(QuestionKind.ACTION, state)
        if state not in asked and question not in closed:
            return question
    return None
