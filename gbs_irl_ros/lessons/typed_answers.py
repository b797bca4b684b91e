"""Questions and answers in a terminal: what is shown, and what may be typed."""

from __future__ import annotations

import numpy as np

from gbs_irl_ros.core.answers import (
    ActionAnswer,
    AllTheSameAnswer,
    Answer,
    DemonstrationAnswer,
    DontKnowAnswer,
    LaterAnswer,
    RewardAnswer,
    YesNoAnswer,
)
from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.tasks.text_view import ASKED, cell_layout, legend, region_marks, world_as_text
from gbs_irl_ros.tasks.world import World

DONT_KNOW, LATER, SAME, UNDO, QUIT = '?', 'l', '=', 'u', 'q'
COMMANDS = (DONT_KNOW, LATER, SAME, UNDO, QUIT)
NON_ANSWERS = '? I do not know, l ask me later, u undo, q stop'


def picture(world: World, state: int) -> str:
    """Return the world with its regions and the state that is asked about."""
    if cell_layout(world) is None:
        return world_as_text(world, {state: ASKED})
    drawing = world_as_text(world, {**region_marks(world), state: ASKED})
    return f'{drawing}\n{ASKED} here' + (f', {legend(world)}' if legend(world) else '')


def choices(question: Question, world: World) -> str:
    """Return what may be typed."""
    looks = world.appearance
    if question.kind is QuestionKind.YES_NO:
        return 'y yes, n no'
    if question.kind is QuestionKind.REWARD:
        return 'a number: the more the better, 0 for neither good nor bad'
    listed = ', '.join(
        name if (shown := _key(action, world)) == name else f'{shown} {name}'
        for action, name in enumerate(looks.action_names))
    several = '; several with spaces between' if question.kind is QuestionKind.DEMONSTRATION \
        else f', {SAME} all the same'
    return f'{listed} (key or word){several}'


def parse(typed: str, question: Question, world: World) -> Answer:
    """Return the answer that was typed; raise with what to type if it is none."""
    state = question.state
    if typed == DONT_KNOW:
        return DontKnowAnswer(question)
    if typed == LATER:
        return LaterAnswer(question)
    if question.kind is QuestionKind.YES_NO and typed.lower() in ('y', 'yes', 'n', 'no'):
        return YesNoAnswer(state, question.action or 0, typed.lower() in ('y', 'yes'))
    if question.kind is QuestionKind.REWARD:
        try:
            return RewardAnswer(state, float(typed), question.action)
        except ValueError:
            raise GbsIrlError(f'not understood, got {typed!r}; expected a number') from None
    if typed == SAME and question.kind is QuestionKind.ACTION:
        return AllTheSameAnswer(state)
    if question.kind is QuestionKind.ACTION:
        return ActionAnswer(state, _action(typed, world))
    if question.kind is QuestionKind.DEMONSTRATION:
        return DemonstrationAnswer(_walk(state, typed.split(), world))
    raise GbsIrlError(f'not understood, got {typed!r}; expected {choices(question, world)}')


def _walk(state: int, words: list[str], world: World) -> tuple[tuple[int, int], ...]:
    """Return the steps of these actions, each leading where it most likely does."""
    steps = []
    for word in words:
        action = _action(word, world)
        steps.append((state, action))
        row = world.mdp.transitions[state * world.mdp.num_actions + action]
        state = int(row.indices[np.argmax(row.data)])
    return tuple(steps)


def _action(word: str, world: World) -> int:
    looks = world.appearance
    if word in looks.action_keys and word:
        return looks.action_keys.index(word)
    keys, names = ([each.lower() for each in table]
                   for table in (looks.action_keys, looks.action_names))
    typed = word.lower()
    for table in (keys, names):
        if typed and typed in table:
            return table.index(typed)
    begun = [name for name in names if typed and name.startswith(typed)]
    if len(begun) == 1:
        return names.index(begun[0])
    offered = [_key(action, world) for action in range(world.mdp.num_actions)]
    if word in offered:
        return offered.index(word)
    raise GbsIrlError(f'no such action, got {word!r}; expected one of {offered}')


def _key(action: int, world: World) -> str:
    """Return what to type for an action: its key, its number, or its name if those are taken."""
    looks = world.appearance
    key = looks.action_keys[action]
    if key and key not in COMMANDS:
        return key
    number = str(action)
    return number if not key and number not in looks.action_keys else looks.action_names[action]
