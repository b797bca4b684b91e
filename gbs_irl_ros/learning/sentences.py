"""Questions and answers as a person says them."""

from __future__ import annotations

from gbs_irl_ros.core.answers import (
    ActionAnswer,
    AllTheSameAnswer,
    Answer,
    DemonstrationAnswer,
    DontKnowAnswer,
    RewardAnswer,
    YesNoAnswer,
)
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.tasks.world import Picture, World


def sentence(question: Question, world: World) -> str:
    """Return the question as a person reads it."""
    place = world.state_name(question.state)
    is_road = world.appearance.picture is Picture.ROAD      # its states are called "in the ..."
    where = place if is_road else f'at {place}'
    if question.kind is QuestionKind.ACTION:
        return f'What should I do {where}?'
    if question.kind is QuestionKind.YES_NO:
        action = world.appearance.action_names[question.action or 0]
        return f'Is it right to do "{action}" {where}?'
    if question.kind is QuestionKind.REWARD:
        if question.action is not None:
            return f'How good is "{world.appearance.action_names[question.action]}" {where}?'
        return f'How good is it {place}?' if is_road else f'How good is {place}?'
    steps = '1 step' if question.steps == 1 else f'{question.steps} steps'
    return f'Show me {steps}, starting {place}.' if is_road else f'Show me {steps} from {place}.'


def answer_text(answer: Answer, world: World) -> str:
    """Return the answer as a person would say it."""
    names = world.appearance.action_names
    if isinstance(answer, ActionAnswer):
        return names[answer.action]
    if isinstance(answer, YesNoAnswer):
        return 'yes' if answer.yes else 'no'
    if isinstance(answer, RewardAnswer):
        return f'{answer.reward:.3g}'
    if isinstance(answer, DemonstrationAnswer):
        return ', '.join(names[action] for _, action in answer.steps)
    if isinstance(answer, AllTheSameAnswer):
        return 'all the same'
    return "I don't know" if isinstance(answer, DontKnowAnswer) else 'ask me later'
