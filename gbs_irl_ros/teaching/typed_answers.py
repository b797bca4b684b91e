"""Questions and answers in a terminal: what is shown, and what may be typed."""

from __future__ import annotations

from gbs_irl_ros.core.answers import (
    ActionAnswer,
    AllTheSameAnswer,
    Answer,
    DontKnowAnswer,
    LaterAnswer,
    RewardAnswer,
    YesNoAnswer,
)
from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.tasks.pictures.text_view import (
    ASKED,
    cell_layout,
    legend,
    region_marks,
    world_as_text,
)
from gbs_irl_ros.tasks.world import World
from gbs_irl_ros.teaching import keys
from gbs_irl_ros.teaching.paths import shown, walk

NON_ANSWERS = (f'{keys.DONT_KNOW} I do not know, {keys.LATER} ask me later, {keys.UNDO} undo, '
               f'{keys.HELP} help, {keys.QUIT} quit')


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
        name if (key := _key(action, world)) == name else f'{key} {name}'
        for action, name in enumerate(looks.action_names))
    several = '; several with spaces between' if question.kind is QuestionKind.DEMONSTRATION \
        else ''
    return f'{listed} (key or word){several}, {keys.SAME} all the same'


def help_text(question: Question, world: World) -> str:
    """Return everything that may be typed now, one a line."""
    return '\n'.join([
        choices(question, world),
        f'{keys.DONT_KNOW}  I do not know: this is not asked again',
        f'{keys.LATER}  ask me later: something else is asked first',
        f'{keys.UNDO}  take the last answer back, as often as you like',
        f'{keys.QUIT}  quit'])


def parse(typed: str, question: Question, world: World) -> Answer:
    """Return the answer that was typed; raise with what to type if it is none."""
    state = question.state
    if typed == keys.DONT_KNOW:
        return DontKnowAnswer(question)
    if typed == keys.LATER:
        return LaterAnswer(question)
    if question.kind is QuestionKind.YES_NO and typed.lower() in ('y', 'yes', 'n', 'no'):
        return YesNoAnswer(state, question.action or 0, typed.lower() in ('y', 'yes'))
    if question.kind is QuestionKind.REWARD:
        try:
            return RewardAnswer(state, float(typed), question.action)
        except ValueError:
            raise GbsIrlError(f'not understood, got {typed!r}; expected a number') from None
    if typed == keys.SAME and question.kind in (QuestionKind.ACTION, QuestionKind.DEMONSTRATION):
        return AllTheSameAnswer(state)
    if question.kind is QuestionKind.ACTION:
        return ActionAnswer(state, _action(typed, world))
    if question.kind is QuestionKind.DEMONSTRATION:
        return shown(walk(world, state, [_action(word, world) for word in typed.split()]))
    raise GbsIrlError(f'not understood, got {typed!r}; expected {choices(question, world)}')


def _action(word: str, world: World) -> int:
    """Return the action of a key, of a name or of the beginning of one name only."""
    looks = world.appearance
    own = [key if key.lower() not in keys.RESERVED else '' for key in looks.action_keys]
    tables = [list(keys.action_keys(world)), own, list(looks.action_names)]
    for alike in (str, str.lower):
        for table in tables:
            found = [action for action, each in enumerate(table) if each
                     and alike(each) == alike(word)]
            if found:
                return found[0]
    begun = [action for action, name in enumerate(looks.action_names)
             if word and name.lower().startswith(word.lower())]
    if len(begun) == 1:
        return begun[0]
    offered = [_key(action, world) for action in range(world.mdp.num_actions)]
    raise GbsIrlError(f'no such action, got {word!r}; expected one of {offered}')


def _key(action: int, world: World) -> str:
    """Return what to type for an action: its key, or its name if all keys are taken."""
    return keys.action_keys(world)[action] or world.appearance.action_names[action]
