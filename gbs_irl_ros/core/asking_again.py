"""What must not be asked again, and what is asked after a no."""

from __future__ import annotations

from collections import Counter
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
    RewardAnswer,
    TaskAnswer,
    YesNoAnswer,
)
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.core.routes import refused_route

POSTPONED = 3   # "ask me later" means: after this many other answers
MAX_SHOWN = 10  # steps that anybody is asked to show
NOTHING: frozenset[Question] = frozenset()
_CLOSING = frozenset({AllTheSameAnswer, CompareAnswer, DontKnowAnswer, LaterAnswer,
                      NoneOfTheseAnswer, TaskAnswer})


def closed_questions(answers: Sequence[Answer], *, insists: bool = True) -> frozenset[Question]:
    """
    Return what the teacher could not answer, or wants to answer later, and what was answered.

    Where the teacher could not show steps, the robot does not ask for a single one either; where
    anything is as good as another, neither. A closing question is asked again in any case: only
    yeses end the lesson. A question about the task as a whole is not: somebody who has said which
    one it is has said so.

    :param insists: a question about a state may be asked as often as it tells something, as in
        the paper. If not, as many others come first as it has been answered: never twice running.
    """
    if insists and _CLOSING.isdisjoint(map(type, answers)):
        return NOTHING
    unknown = {answer.question for answer in answers if isinstance(answer, DontKnowAnswer)
               and answer.question.kind is not QuestionKind.CONFIRM}
    postponed = {answer.question for answer in answers[-POSTPONED:]
                 if isinstance(answer, (DontKnowAnswer, LaterAnswer))}
    chosen = {answer.question for answer in answers
              if isinstance(answer, (CompareAnswer, NoneOfTheseAnswer, TaskAnswer))}
    same = {question for answer in answers if isinstance(answer, AllTheSameAnswer)
            for question in _about_actions(answer.state)}
    closed = unknown | postponed | chosen | same
    if not insists:
        asked = [_about_state(answer) for answer in answers]
        closed |= {question for question, times in Counter(asked).items()
                   if question is not None and question in asked[-times:]}
    return frozenset(closed | {Question(QuestionKind.ACTION, question.state)
                               for question in closed
                               if question.kind is QuestionKind.DEMONSTRATION})


def _about_actions(state: int) -> list[Question]:
    """Return the questions that "all the same" answers."""
    return [Question(QuestionKind.ACTION, state), *(
        Question(QuestionKind.DEMONSTRATION, state, steps=steps)
        for steps in range(1, MAX_SHOWN + 1))]


def _about_state(answer: Answer) -> Question | None:
    """Return the question about a state that an answer answers, None for all others."""
    if isinstance(answer, (ActionAnswer, EitherAnswer)):
        return Question(QuestionKind.ACTION, answer.state)
    if isinstance(answer, YesNoAnswer):
        return Question(QuestionKind.YES_NO, answer.state, answer.action)
    return Question(QuestionKind.REWARD, answer.state, answer.action) \
        if isinstance(answer, RewardAnswer) else None


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
