"""
What a page can have done: commands with fields that are checked before anything happens.

Something new to do is an entry in ``commands``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, get_args

from gbs_irl_ros.core.answers import Answer, DemonstrationAnswer, Unasked
from gbs_irl_ros.core.errors import GbsIrlError, InvalidAnswerError
from gbs_irl_ros.core.printable import has_controls
from gbs_irl_ros.core.task_answers import MAX_TEXT
from gbs_irl_ros.languages.speaking import tr
from gbs_irl_ros.learning.json_values import answer_from_json
from gbs_irl_ros.tasks.facets import facets_of
from gbs_irl_ros.tasks.shown_place import Place
from gbs_irl_ros.tasks.task import Task
from gbs_irl_ros.tasks.world import World
from gbs_irl_ros.teaching import paths
from gbs_irl_ros.teaching.lesson_snapshot import LessonSnapshot
from gbs_irl_ros.teaching.question_box import StaleQuestionError
from gbs_irl_ros.teaching.teacher_actions import ServiceError, TeacherActions
from gbs_irl_ros.teaching.web.views import View, course_view, offers_view

LARGEST_WHOLE = 2 ** 32 - 1
LONGEST_TEXT = 200
LONGEST_REFUSAL = 400   # of an answer that is none
MAX_ITEMS = 1000

Check = Callable[[str, Any], Any]


class RefusedError(Exception):
    """
    A command that is not carried out.

    status: as in HTTP. message: what is wrong, as a person reads it.
    """

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


@dataclass(frozen=True)
class Command:
    """
    One thing that a page can have done.

    run: called with the fields in a thread of its own; what it returns is sent back.
    needed, optional: the fields, each with its check.
    urgent: it must not wait for others.
    """

    run: Callable[..., Any]
    needed: Mapping[str, Check] = field(default_factory=dict)
    optional: Mapping[str, Check] = field(default_factory=dict)
    urgent: bool = False

    def carry_out(self, fields: Mapping[str, Any]) -> Any:
        """Return what it returns; raise in terms of HTTP why it is not carried out."""
        try:
            return self.run(**fields)
        except StaleQuestionError as error:
            raise RefusedError(409, str(error)) from None
        except ServiceError as error:
            raise RefusedError(503, str(error)) from None
        except GbsIrlError as error:
            raise RefusedError(422, str(error)) from None

    def checked(self, body: Any) -> dict[str, Any]:
        """Return the fields of a request; raise if one is wrong, missing or unknown."""
        if not isinstance(body, dict):
            raise RefusedError(400, f'the request must be a JSON object, got {_kind(body)}')
        known = {**self.needed, **self.optional}
        for name in body:
            if name not in known:
                raise RefusedError(400, f'unknown field {str(name)[:40]!r}; expected '
                                   f'{sorted(known) or "none"}')
        for name in self.needed:
            if name not in body:
                raise RefusedError(400, f'the field {name!r} is missing')
        return {name: known[name](name, value) for name, value in body.items()}


def commands(act: TeacherActions, lesson: Callable[[], LessonSnapshot],
             name_place: Callable[[World, tuple[int, ...], str], None]) -> dict[str, Command]:
    """
    Return what a page can have done, by name.

    :param name_place: keeps what a person calls some states.
    """
    def offers_before(question: str) -> list[View]:
        now = lesson().spoken()
        return offers_view(now.asked_before(question), _known_task(now).world)

    def demonstrate(known_as: str, steps: list[list[int]]) -> None:
        act.demonstrate(known_as, DemonstrationAnswer(tuple((each[0], each[1])
                                                            for each in steps)))

    def tell(known_as: str, answer: Answer) -> None:
        if not isinstance(answer, get_args(Unasked)):
            raise InvalidAnswerError(f'{answer.kind!r} can only be said to a question')
        act.demonstrate(known_as, answer)

    def mind(known_as: str, region: str, manner: str) -> None:
        task = _known_task(lesson().spoken())
        facets = facets_of(task.candidates, task.world)
        if facets is None:
            raise InvalidAnswerError(tr('this task has no regions to drive over'))
        act.demonstrate(known_as, facets.minding(region, manner))

    def show_place(known_as: str, **place: Any) -> str:
        return act.show_place(known_as, Place(**place))

    def way(states: list[int]) -> View:
        world = _known_task(lesson().spoken()).world
        return course_view(paths.way_through(world, states), world)

    def walk(state: int, actions: list[int]) -> View:
        world = _known_task(lesson().spoken()).world
        return course_view(paths.walk(world, state, actions), world)

    def rehearse(state: int | None = None) -> View:
        now = lesson().spoken()
        world = _known_task(now).world
        if now.policy is None:
            raise GbsIrlError(tr('nothing has been learned yet that could be shown'))
        start = now.start_state if state is None else state
        course = paths.rehearse(world, now.policy.policy, start,
                                before=now.action if state is None else None)
        return {**course_view(course, world), 'warning': now.trespass(course.states)}

    def call_it(states: list[int], name: str = '') -> None:
        name_place(_known_task(lesson()).world, tuple(states), name)

    said = {'question': text, 'answer': answer}
    return {
        'answer': Command(act.answer, said), 'revise': Command(act.revise, said),
        'offers': Command(offers_before, {'question': text}),
        'demonstrate': Command(demonstrate, {'known_as': text, 'steps': steps}),
        'show_place': Command(show_place, {
            'known_as': text, 'keep_off': flag, 'column': whole, 'row': whole,
            'last_column': whole, 'last_row': whole}, {'on_the_way': flag}),
        'tell': Command(tell, {'known_as': text, 'answer': answer}),
        'mind': Command(mind, {'known_as': text, 'region': text, 'manner': text}),
        'say': Command(act.say, {'known_as': text, 'text': words}),
        'invent': Command(act.invent),
        'ask_about': Command(act.ask_about, {'state': whole}),
        'name_place': Command(call_it, {'states': wholes}, {'name': text}),
        'way': Command(way, {'states': wholes}),
        'walk': Command(walk, {'state': whole, 'actions': wholes}),
        'rehearse': Command(rehearse, {}, {'state': whole}),
        'drive': Command(act.drive, {'action': whole}),
        'be_present': Command(act.be_present, urgent=True),
        'record': Command(act.record),
        'recorded': Command(act.send_recorded, {'known_as': text}),
        'discard': Command(act.discard),
        'undo': Command(act.undo), 'pause': Command(act.pause), 'start': Command(act.resume),
        'finish': Command(act.finish), 'reset': Command(act.reset),
        'go': Command(act.go, {}, {'over': text}),
        'stop': Command(act.stop, urgent=True)}


def _known_task(lesson: LessonSnapshot) -> Task:
    if lesson.task is None:
        raise ServiceError(tr('the task is not known yet: is the mdp node running?'))
    return lesson.task


def read_json(text: str | bytes) -> Any:
    """Return the value of a JSON text; raise if it is not JSON, or ambiguous."""
    try:
        return json.loads(text, object_pairs_hook=_without_doubles, parse_constant=_no_constant)
    except RecursionError:
        raise RefusedError(400, 'the JSON text is nested too deeply') from None
    except ValueError as error:     # of JSON, of UTF-8, of numbers with too many digits
        raise RefusedError(400, f'the text is not JSON: {str(error)[:100]}') from None


def text(name: str, value: Any) -> str:
    """Check a short text."""
    if not isinstance(value, str) or not 0 < len(value) <= LONGEST_TEXT \
            or not value.isprintable():
        raise RefusedError(
            400, f'{name} must be a text of 1 to {LONGEST_TEXT} characters that can be shown')
    return value


def words(name: str, value: Any) -> str:
    """Check what a teacher says."""
    if not isinstance(value, str) or not 0 < len(value) <= MAX_TEXT or not value.strip() \
            or has_controls(value):
        raise RefusedError(400, f'{name} must be 1 to {MAX_TEXT} characters in one line')
    return value


def whole(name: str, value: Any) -> int:
    """Check a number of something."""
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= LARGEST_WHOLE:
        raise RefusedError(400, f'{name} must be a whole number from 0 on, got {_kind(value)}')
    return value


def flag(name: str, value: Any) -> bool:
    """Check what is so or not."""
    if not isinstance(value, bool):
        raise RefusedError(400, f'{name} must be true or false, got {_kind(value)}')
    return value


def wholes(name: str, value: Any) -> list[int]:
    """Check a list of numbers of something."""
    return [whole(f'{name}[{place}]', each) for place, each in enumerate(_list(name, value))]


def steps(name: str, value: Any) -> list[list[int]]:
    """Check a list of [state, action] pairs."""
    pairs = [wholes(f'{name}[{place}]', each) for place, each in enumerate(_list(name, value))]
    for place, pair in enumerate(pairs):
        if len(pair) != 2:
            raise RefusedError(
                400, f'{name}[{place}] must be [state, action], got {len(pair)} numbers')
    return pairs


def answer(name: str, value: Any) -> Answer:
    """Check an answer, written as in a journal."""
    if isinstance(value, dict) and 'steps' in value:
        steps('steps', value['steps'])
    try:
        return answer_from_json(value)
    except GbsIrlError as error:
        raise RefusedError(400, str(error)[:LONGEST_REFUSAL]) from None


def _list(name: str, value: Any) -> list[Any]:
    if not isinstance(value, list) or len(value) > MAX_ITEMS:
        raise RefusedError(400, f'{name} must be a list of at most {MAX_ITEMS}')
    return value


def _kind(value: Any) -> str:
    names = {dict: 'an object', list: 'a list', str: 'a text', bool: 'true or false',
             type(None): 'null'}
    return names.get(type(value), repr(value)[:40])


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError('a key appears twice')
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(f'{name} is not JSON')
