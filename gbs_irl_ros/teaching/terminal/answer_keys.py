"""The keys that answer what is asked: one each, a number, several steps, a place, a list."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial

from gbs_irl_ros.core.answer_kind import Offer
from gbs_irl_ros.core.answers import (
    ActionAnswer,
    Answer,
    ConfirmAnswer,
    DemonstrationAnswer,
    RewardAnswer,
    WrongHereAnswer,
    answer_naming,
    answer_to,
)
from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.core.questions import MAX_STEPS, Question, QuestionKind
from gbs_irl_ros.languages.speaking import figures, marked, tr
from gbs_irl_ros.tasks.layout import LEFT, RIGHT
from gbs_irl_ros.tasks.world import World
from gbs_irl_ros.teaching import keys
from gbs_irl_ros.teaching.choices import offered
from gbs_irl_ros.teaching.lesson_snapshot import LessonSnapshot
from gbs_irl_ros.teaching.paths import StatePath, shown_ways, walk
from gbs_irl_ros.teaching.reward_scale import reward_scale
from gbs_irl_ros.teaching.terminal.bindings import Binding
from gbs_irl_ros.teaching.terminal.key_reader import BACKSPACE, ENTER
from gbs_irl_ros.teaching.terminal.list_keys import ListKeys, entries
from gbs_irl_ros.teaching.terminal.several_keys import SeveralKeys
from gbs_irl_ros.teaching.terminal.view import ListMarks

SIGNS, DIGITS, POINT = '+-', '0123456789', '.'
MAX_DIGITS = 20
SHOW_INSTEAD = marked('{key} lets you point at a place: go here, never here, on the way')
LISTS = (QuestionKind.TASK, QuestionKind.PLACE)


class AnswerKeys:
    """
    Follows a person who answers, over several keys where one is not enough.

    number: as far as it is typed.
    """

    def __init__(self, answer: Callable[[str, Answer], None], *, typed: bool = False) -> None:
        """
        Begin.

        :param answer: takes the id of a question and the answer, as ``TeacherActions.answer``.
        :param typed: names can be typed, so an answer without a key is offered too.
        """
        self.number = ''
        self._answer, self._typed = answer, typed
        self._lesson = LessonSnapshot()
        self._steps: list[int] = []         # actions of a demonstration that is being given
        self._place: int | None = None      # on the route of a closing question, from 0
        self._list = ListKeys(self._tell)
        self._several = SeveralKeys(self._tell_actions)
        self._about = ''                    # id of the question that these belong to
        self._scale: tuple[Offer, ...] = ()     # of a reward question, as soon as it is known

    def see(self, lesson: LessonSnapshot) -> None:
        """Learn what is going on now."""
        before, self._lesson = self._lesson, lesson
        now = '' if lesson.asked is None else lesson.asked.id
        if now != self._about or lesson.task is not before.task:
            self._scale = self._scale_now()
        if now != self._about:
            self._about = now
            self.forget()

    def forget(self) -> None:
        """Give up what is typed or shown so far."""
        self.number, self._steps, self._place = '', [], None
        self._list.forget()
        self._several.forget()

    def bindings(self) -> list[Binding]:
        """Return the keys that answer now."""
        world, record = self._lesson.world, self._lesson.asked
        if world is None or record is None:
            return []
        question = record.question
        own = {QuestionKind.REWARD: self._reward_keys,
               QuestionKind.DEMONSTRATION: self._demonstration_keys,
               QuestionKind.CONFIRM: self._route_keys}.get(question.kind)
        offers = self._offers_now()
        if question.kind in LISTS:
            listed = entries(offers)
            return [*self._list.bindings(offers), *self._offered(
                [each for each in offers if each not in listed], world, question.state)]
        if question.kind is QuestionKind.ACTION:
            moves, named = self._moves(question, world)
            marking = self._several.bindings(moves, named)
            return marking if self._several.marked is not None else [
                *marking, *self._offered([each for each in offers if each.label not in named],
                                         world, question.state)]
        return [*(own(question, world) if own else ()),
                *self._offered(offers, world, question.state)]

    def send_number(self, typed: str) -> str:
        """Answer how good something is by a number."""
        record = self._lesson.asked
        assert record is not None
        self.number = typed
        return self._send_number(record.question)

    def send_choice(self, typed: str) -> str:
        """Answer by the number of an entry of a list."""
        return self._list.enter(typed, self._offers_now())

    def send_several(self, typed: str) -> str | None:
        """Answer by several actions, "north or east"; None if it is something else."""
        record, world = self._lesson.asked, self._lesson.world
        if record is None or world is None or record.question.kind is not QuestionKind.ACTION:
            return None
        return self._several.spoken(typed, *self._moves(record.question, world))

    def options(self) -> ListMarks | None:
        """Return the list to choose from, None if that is not the question."""
        record = self._lesson.asked
        return None if record is None or record.question.kind not in LISTS \
            else self._list.marks(self._offers_now())

    def compared(self) -> tuple[StatePath, ...]:
        """Return the two ways between which to choose, none if that is not the question."""
        record, world = self._lesson.asked, self._lesson.world
        if record is None or world is None or record.question.kind is not QuestionKind.COMPARE:
            return ()
        return tuple(shown_ways(world, record.question))

    def demonstrated(self) -> StatePath | None:
        """Return what is shown to the learner so far, None if nothing."""
        record, world = self._lesson.asked, self._lesson.world
        if record is None or world is None or not self._steps:
            return None
        return walk(world, record.question.state, self._steps)

    def to_confirm(self) -> StatePath | None:
        """Return the way that the robot would go, if that is the question."""
        record, world = self._lesson.asked, self._lesson.world
        if record is None or world is None or record.question.kind is not QuestionKind.CONFIRM:
            return None
        return shown_ways(world, record.question)[0]

    def pointed(self) -> int | None:
        """Return the state on that way that is pointed at, None if none is."""
        record = self._lesson.asked
        return None if record is None or self._place is None \
            else record.question.route[self._place][0]

    def _offered(self, offers: Iterable[Offer], world: World, state: int) -> list[Binding]:
        arrows: dict[int | None, str] = {
            action: arrow for arrow, action in keys.arrow_actions(world, state).items()}
        bound = [(tuple(key for key in (arrows.get(offer.action, ''), offer.key) if key), offer)
                 for offer in offers]
        return [Binding(own, offer.label, partial(self._tell, offer.answer), offer.about,
                        action=offer.action) for own, offer in bound if own or self._typed]

    def _moves(self, question: Question,
               world: World) -> tuple[list[Binding], dict[str, ActionAnswer]]:
        """Return the keys of the actions that can be chosen, and their answers by label."""
        moves = [each for each in self._offers_now() if isinstance(each.answer, ActionAnswer)]
        return (self._offered(moves, world, question.state),
                {each.label: each.answer for each in moves
                 if isinstance(each.answer, ActionAnswer)})

    def _offers_now(self) -> list[Offer]:
        record, world = self._lesson.asked, self._lesson.world
        if record is None or world is None:
            return []
        return sorted(offered(record.question, world), key=lambda offer: offer.answer.aside)

    def _reward_keys(self, question: Question, world: World) -> list[Binding]:
        typing = [Binding((key,), '', partial(self._type, key))
                  for key in (SIGNS + DIGITS + POINT if self.number else SIGNS)]
        if not self.number:
            marks = map(_with_value, self._scale)
            return [*self._offered(marks, world, question.state), *typing,
                    Binding((), tr('another number'), _nothing,
                            tr('a number of your own: its sign first'), name='+ -')]
        return [*typing,
                Binding((), tr('a number'), _nothing,
                        tr('type a number: the more the better, 0 for neither good nor bad'),
                        name='0-9 . -'),
                Binding((ENTER,), tr('send'), partial(self._send_number, question),
                        tr('send the number')),
                Binding((BACKSPACE,), tr('back'), self._rub_out,
                        tr('take the last digit back'))]

    def _scale_now(self) -> tuple[Offer, ...]:
        task, record = self._lesson.task, self._lesson.asked
        if task is None or record is None or record.question.kind is not QuestionKind.REWARD:
            return ()
        return reward_scale(task, record.question)

    def _demonstration_keys(self, question: Question, world: World) -> list[Binding]:
        place = walk(world, question.state, self._steps).states[-1]
        moves = action_bindings(world, place, self._step, typed=self._typed)
        return [*(move for move in moves if world.choices[place, move.action]),
                Binding((ENTER,), tr('send'), partial(self._send_steps, question, world),
                        tr('send the steps')),
                Binding((BACKSPACE,), tr('back'), self._step_back,
                        tr('take the last step back'))]

    def _route_keys(self, question: Question, world: World) -> list[Binding]:
        return [Binding((RIGHT,), tr('next place'), partial(self._point, question, 1),
                        tr('almost: point at the next place on the way')),
                Binding((LEFT,), tr('place before'), partial(self._point, question, -1),
                        tr('almost: point at the place before')),
                Binding((ENTER,), tr('wrong here'), partial(self._send_place, question),
                        tr('almost: in the place that is pointed at it is wrong'))]

    def _tell(self, answer: Answer, name: str = '') -> str:
        record, world = self._lesson.asked, self._lesson.world
        assert record is not None
        assert world is not None
        self._answer(record.id, answer)
        self.forget()
        said = tr('You said: {words}', words=name or answer.words(world.appearance.action_names))
        is_no = isinstance(answer, ConfirmAnswer) and not answer.yes
        return f'{said}. {tr(SHOW_INSTEAD, key=keys.PLACE)}' \
            if is_no and self._lesson.can_show_places else said

    def _tell_actions(self, actions: Sequence[int]) -> str:
        record, world = self._lesson.asked, self._lesson.world
        assert record is not None
        assert world is not None
        return self._tell(answer_naming(record.question, actions, world.mdp.num_actions))

    def _type(self, key: str) -> str:
        sign_first = key not in SIGNS or not self.number
        if sign_first and len(self.number) < MAX_DIGITS \
                and not (key == POINT and POINT in self.number):
            self.number += key
        return ''

    def _rub_out(self) -> str:
        self.number = self.number[:-1]
        return ''

    def _send_number(self, question: Question) -> str:
        try:
            value = float(self.number)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise GbsIrlError(tr('that is not a number yet, got {typed!r}; type one, such as '
                                 '-0.5, then Enter', typed=self.number))
        return self._tell(answer_to(question, RewardAnswer.kind, reward=value))

    def _step(self, action: int) -> str:
        if len(self._steps) >= MAX_STEPS:
            raise GbsIrlError(tr('a demonstration may have {most} steps; Enter sends them',
                                 most=MAX_STEPS))
        self._steps.append(action)
        return ''

    def _step_back(self) -> str:
        if not self._steps:
            raise GbsIrlError(tr('there is no step to take back'))
        self._steps.pop()
        return ''

    def _point(self, question: Question, step: int) -> str:
        last = len(question.route) - 1
        start = (-1 if step > 0 else last + 1) if self._place is None else self._place
        self._place = min(max(start + step, 0), last)
        return ''

    def _send_place(self, question: Question) -> str:
        if self._place is None:
            raise GbsIrlError(tr('point at a place on the way first, by the arrow keys left and '
                                 'right; then Enter says that it is wrong there'))
        return self._tell(answer_to(question, WrongHereAnswer.kind,
                                    place=question.route[self._place][0]))

    def _send_steps(self, question: Question, world: World) -> str:
        if not self._steps:
            raise GbsIrlError(tr('there is no step yet; show some, then Enter'))
        return self._tell(DemonstrationAnswer(
            walk(world, question.state, self._steps).steps))


def action_bindings(world: World, state: int, run: Callable[[int], str], *,
                    typed: bool = False) -> list[Binding]:
    """
    Return the keys of all actions in a state.

    :param typed: names can be typed, so an action without a key is there too.
    """
    arrows = {action: arrow for arrow, action in keys.arrow_actions(world, state).items()}
    found = []
    for action, (name, key) in enumerate(
            zip(world.appearance.action_names, keys.action_keys(world), strict=True)):
        own = tuple(each for each in (arrows.get(action, ''), key) if each)
        if own or typed:
            found.append(Binding(own, name, partial(run, action), action=action))
    return found


def _with_value(mark: Offer) -> Offer:
    assert isinstance(mark.answer, RewardAnswer)
    return replace(mark, label=f'{mark.label} ({figures(mark.answer.reward)})')


def _nothing() -> str:
    return ''
