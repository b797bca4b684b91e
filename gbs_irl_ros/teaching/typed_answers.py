"""Questions and answers in a terminal: what is shown, and what may be typed."""

from __future__ import annotations

from gbs_irl_ros.core.answers import (
    KINDS,
    ActionAnswer,
    Answer,
    Offer,
    RewardAnswer,
    answer_to,
    offers,
)
from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.tasks.pictures.text_view import ASKED, legend, region_marks, world_as_text
from gbs_irl_ros.tasks.world import World
from gbs_irl_ros.teaching import keys
from gbs_irl_ros.teaching.paths import shown, walk

# What may be said to every question.
ASIDES = {key: about for kind in KINDS.values() if kind.aside and kind.fits == tuple(QuestionKind)
          for key, _, about, _ in kind.by_key}
NON_ANSWERS = ', '.join([*(f'{key} {about.split(":")[0]}' for key, about in ASIDES.items()),
                         f'{keys.UNDO} undo, {keys.HELP} help, {keys.QUIT} quit'])


def picture(world: World, state: int) -> str:
    """Return the world with its regions and the state that is asked about."""
    if world.layout is None:
        return world_as_text(world, {state: ASKED})
    drawing = world_as_text(world, {**region_marks(world), state: ASKED})
    return f'{drawing}\n{ASKED} here' + (f', {legend(world)}' if legend(world) else '')


def choices(question: Question, world: World) -> str:
    """Return what may be typed."""
    looks = world.appearance
    offered = ', '.join(f'{offer.key} {offer.label}' for offer in _offers(question, world)
                        if offer.answer.kind != ActionAnswer.kind and offer.key not in ASIDES)
    if question.kind is QuestionKind.YES_NO:
        return offered
    if question.kind is QuestionKind.REWARD:
        return 'a number: the more the better, 0 for neither good nor bad'
    listed = ', '.join(
        name if (key := _key(action, world)) == name else f'{key} {name}'
        for action, name in enumerate(looks.action_names))
    several = '; several with spaces between' if question.kind is QuestionKind.DEMONSTRATION \
        else ''
    return f'{listed} (key or word){several}, {offered}'


def help_text(question: Question, world: World) -> str:
    """Return everything that may be typed now, one a line."""
    return '\n'.join([
        choices(question, world),
        *(f'{key}  {about}' for key, about in ASIDES.items()),
        f'{keys.UNDO}  take the last answer back, as often as you like',
        f'{keys.QUIT}  quit'])


def parse(typed: str, question: Question, world: World) -> Answer:
    """Return the answer that was typed; raise with what to type if it is not one."""
    offered = _offers(question, world)
    for offer in offered:
        if typed and typed == offer.key:
            return offer.answer
    if question.kind is QuestionKind.REWARD:
        try:
            return answer_to(question, RewardAnswer.kind, reward=float(typed))
        except ValueError:
            raise GbsIrlError(f'not understood, got {typed!r}; expected a number') from None
    if question.kind is QuestionKind.ACTION:
        return answer_to(question, ActionAnswer.kind, action=_action(typed, world))
    if question.kind is QuestionKind.DEMONSTRATION:
        return shown(walk(world, question.state, [_action(word, world)
                                                  for word in typed.split()]))
    for offer in offered:
        if typed.lower() in (offer.key, offer.label):
            return offer.answer
    raise GbsIrlError(f'not understood, got {typed!r}; expected {choices(question, world)}')


def _offers(question: Question, world: World) -> list[Offer]:
    return offers(question, world.appearance.action_names, keys.action_keys(world))


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
