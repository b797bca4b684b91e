"""Questions as a person reads them."""

from __future__ import annotations

from gbs_irl_ros.core.named_enum import no_other_case
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.tasks.world import World


def sentence(question: Question, world: World) -> str:
    """Return the question as a person reads it."""
    where = world.where(question.state)
    if question.kind is QuestionKind.ACTION:
        return f'What should I do {where}?'
    if question.kind is QuestionKind.YES_NO:
        action = world.appearance.action_names[question.action or 0]
        return f'Is it right to do "{action}" {where}?'
    if question.kind is QuestionKind.REWARD:
        if question.action is not None:
            return f'How good is "{world.appearance.action_names[question.action]}" {where}?'
        return f'How good is it {where}?'
    if question.kind is QuestionKind.DEMONSTRATION:
        steps = '1 step' if question.steps == 1 else f'{question.steps} steps'
        return f'Show me {steps}, starting {where}.'
    return no_other_case(question.kind)
