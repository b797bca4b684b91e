"""What a person is offered as an answer, and what is taken: no moves into walls."""

from __future__ import annotations

from dataclasses import replace

from gbs_irl_ros.core.answer_kind import Offer
from gbs_irl_ros.core.answers import ActionAnswer, Answer, EitherAnswer, offers
from gbs_irl_ros.core.errors import InvalidAnswerError
from gbs_irl_ros.core.questions import Question
from gbs_irl_ros.core.task_answers import TaskAnswer
from gbs_irl_ros.languages.speaking import marked, tr
from gbs_irl_ros.tasks.world import World
from gbs_irl_ros.teaching.keys import action_keys, unused_key

STAY_HERE = marked('stay here')
STAY_KEY = 'x'


def offered(question: Question, world: World) -> list[Offer]:
    """Return the answers to a question that one key or one button gives."""
    every = offers(question, world.appearance.action_names, action_keys(world))
    return [_named(offer, world) for offer in every
            if not isinstance(offer.answer, ActionAnswer) or _is_choice(offer.answer, world)]


def offer_in_words(text: str, question: Question, world: World) -> Offer | None:
    """
    Return the offered answer that somebody says in words, such as "yes" or "north".

    None if it is none of them. The name of a task is not one: it is said of the task as a whole,
    and fits all that contain it.
    """
    said = _plain(text)
    return next((offer for offer in offered(question, world)
                 if not isinstance(offer.answer, TaskAnswer)
                 and said == _plain(offer.label)), None)


def _plain(text: str) -> str:
    return text.strip(' .!?').casefold()


def check_offered(answer: Answer, world: World) -> None:
    """
    Raise if an answer names a move into a wall where that is not how one says "stay".

    Also if it is about something that does not exist.
    """
    answer.check_fits(world.mdp)
    if not isinstance(answer, (ActionAnswer, EitherAnswer)):
        return
    named = (answer.action,) if isinstance(answer, ActionAnswer) else answer.actions
    names, choices = world.appearance.action_names, world.choices[answer.state]
    for action in named:
        if not choices[action]:
            able = ', '.join(name for name, can in zip(names, choices, strict=True) if can)
            raise InvalidAnswerError(tr(
                '{action!r} leads into a wall {where}, so it is not taken as an answer; choose '
                'one of: {able}', action=names[action], where=world.where(answer.state),
                able=able))


def _is_choice(answer: ActionAnswer, world: World) -> bool:
    return bool(world.choices[answer.state, answer.action])


def _named(offer: Offer, world: World) -> Offer:
    """Return the offer of a move into a wall as what it means."""
    answer = offer.answer
    if not isinstance(answer, ActionAnswer) or world.appearance.cells is None \
            or not world.stays[answer.state, answer.action] \
            or world.rests[answer.action]:
        return offer
    return replace(offer, key=unused_key(world, STAY_KEY), label=tr(STAY_HERE), action=None)
