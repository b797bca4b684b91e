"""
A joystick as a small keyboard: its directions and buttons press the keys that answer and drive.

While the dead-man button is held, directions drive; otherwise they answer. What a button means at
a moment is what its key means in the terminal, so answers come from the same table. It knows no
ROS: states of the joystick come in, what they mean is done by ``TeacherActions``.
"""

from __future__ import annotations

import math
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields

from gbs_irl_ros.core.errors import GbsIrlError, InvalidRecordError
from gbs_irl_ros.core.questions import QuestionKind
from gbs_irl_ros.languages.speaking import marked, tr, tr_count
from gbs_irl_ros.tasks.layout import DOWN, LEFT, RIGHT, UNIT, UP
from gbs_irl_ros.teaching import keys
from gbs_irl_ros.teaching.lesson_snapshot import LessonSnapshot
from gbs_irl_ros.teaching.teacher_actions import TeacherActions
from gbs_irl_ros.teaching.terminal.answer_keys import AnswerKeys
from gbs_irl_ros.teaching.terminal.bindings import bound_to
from gbs_irl_ros.teaching.terminal.key_reader import BACKSPACE, ENTER
from gbs_irl_ros.teaching.told import question_text

SILENCE_S = 0.5         # without a word from the joystick nothing drives
REPEAT_S = 0.4          # a direction that is held for this long drives on
NEVER = 1e12            # [s]
CENTRED = 0.6           # share of the dead zone below which a stick is back in the middle
NONE = -1               # number of an axis or a button that there is not
LAST = 63               # number of the last axis or button that a joystick may have
YES, NO, DONT_KNOW = 'yes', 'no', 'dont_know'
STOP, UNDO, RECORD, DEAD_MAN = 'stop', 'undo', 'record', 'dead_man'
# What a button presses: the first of these keys that means something now.
ANSWERS = {YES: ('y', ENTER), NO: ('n', BACKSPACE), DONT_KNOW: ('i',)}
# What these are called, and directions.
NAMES = marked({YES: 'yes', NO: 'no', DONT_KNOW: "I don't know", UP: 'up', DOWN: 'down',
                LEFT: 'left', RIGHT: 'right'})
OF_LIST = {NO: ('0',)}          # none of these
OF_ACTIONS = {YES: (ENTER, keys.SEVERAL)}       # begins to mark several, and sends them
OF_WAYS = {LEFT: ('1',), RIGHT: ('2',), UP: ('=',), DOWN: ('=',)}
OF_KINDS: dict[QuestionKind, Mapping[str, Sequence[str]]] = {
    QuestionKind.TASK: OF_LIST, QuestionKind.PLACE: OF_LIST,
    QuestionKind.COMPARE: OF_WAYS, QuestionKind.ACTION: OF_ACTIONS}

Background = Callable[[Callable[[], str], bool], None]


@dataclass(frozen=True)
class JoyLayout:
    """
    Which axis and which button means what, counted from 0; -1: none.

    By default an Xbox controller as `joy` reports it: left stick and cross of directions, left and
    up positive; A yes, B stop, X no, Y "I don't know", LB dead-man, RB record, Back undo.
    """

    stick_horizontal: int = 0
    stick_vertical: int = 1
    cross_horizontal: int = 6
    cross_vertical: int = 7
    yes: int = 0
    stop: int = 1
    no: int = 2
    dont_know: int = 3
    dead_man: int = 4
    record: int = 5
    undo: int = 6
    dead_zone: float = 0.5

    def __post_init__(self) -> None:
        for named in (self.axes, self.buttons):
            seen: dict[int, str] = {}
            for name, number in named.items():
                if number != NONE and number in seen:
                    raise InvalidRecordError(f'{name} must differ from {seen[number]}, got '
                                             f'{number} for both')
                seen[number] = name
        for name in (STOP, DEAD_MAN):
            if getattr(self, name) == NONE:
                raise InvalidRecordError(f'{name} must be a button, got {NONE}: nobody may drive '
                                         'without it')

    @property
    def axes(self) -> dict[str, int]:
        """Return the numbers of the axes by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)
                if field.name.startswith(('stick_', 'cross_'))}

    @property
    def buttons(self) -> dict[str, int]:
        """Return the numbers of the buttons by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)
                if field.name not in self.axes and field.name != 'dead_zone'}


class JoyState:
    """
    What is held now, and what of it is new.

    held: the buttons by name. pressed: those of them that are new. direction: '' if none.
    turned: whether the direction is new.
    """

    def __init__(self, layout: JoyLayout) -> None:
        self._layout = layout
        self.forget()

    def forget(self) -> None:
        """Count what is held when the next word comes as held before: it presses nothing."""
        self.held: frozenset[str] = frozenset()
        self.pressed: frozenset[str] = frozenset()
        self.direction = ''
        self.turned = False
        self._is_first = True

    def see(self, axes: Sequence[float], buttons: Sequence[int]) -> None:
        """Take in what the joystick says; raise if it is not what the layout expects."""
        numbers = self._checked('axis', 'axes', self._layout.axes, axes)
        down = self._checked('button', 'buttons', self._layout.buttons, buttons)
        held = frozenset(name for name, value in down.items() if value)
        direction = self._direction(numbers)
        self.pressed = frozenset() if self._is_first else held - self.held
        self.turned = bool(direction) and direction != self.direction and not self._is_first
        self.held, self.direction, self._is_first = held, direction, False

    def _checked(self, one: str, many: str, wanted: dict[str, int],
                 given: Sequence[float]) -> dict[str, float]:
        found = {}
        for name, number in wanted.items():
            if number >= len(given):
                raise InvalidRecordError(f'the joystick has {len(given)} {many}, but {name} is '
                                         f'{one} {number}; set the parameter joy_{name}, -1 for '
                                         'none')
            found[name] = 0.0 if number == NONE else float(given[number])
            if not math.isfinite(found[name]):
                raise InvalidRecordError(f'{one} {number} of the joystick ({name}) must be a '
                                         f'finite number, got {found[name]}')
        return found

    def _direction(self, axes: dict[str, float]) -> str:
        for part in ('cross', 'stick'):
            left, up = axes[f'{part}_horizontal'], axes[f'{part}_vertical']
            zone = self._layout.dead_zone * (CENTRED if self.direction else 1.0)
            if max(abs(left), abs(up)) >= zone:
                if abs(left) > abs(up):
                    return LEFT if left > 0.0 else RIGHT
                return UP if up > 0.0 else DOWN
        return ''


class JoystickTeacher:
    """
    Follows a person's joystick.

    Not to be used from several threads at a time. All times are of a steady clock [s].
    """

    def __init__(self, act: TeacherActions, lesson: Callable[[], LessonSnapshot],
                 in_background: Background, say: Callable[[str], None]) -> None:
        """
        Begin.

        :param lesson: returns what is going on now.
        :param in_background: takes a call that may wait, and whether it is urgent.
        :param say: takes what the person should know.
        """
        self._act, self._lesson = act, lesson
        self._in_background, self._say = in_background, say
        self._answers = AnswerKeys(act.answer)
        self._state = JoyState(JoyLayout())
        self._drives = False        # the dead-man button is held, and nobody has stopped the robot
        self._heard_at = -math.inf
        self._repeat_at = math.inf
        self._is_held = False       # the direction, for so long that it has driven on
        self._has_driven = False    # since the dead-man button was pressed

    def configure(self, layout: JoyLayout) -> None:
        """Use another layout."""
        self.let_go()
        self._state = JoyState(layout)

    def see(self, axes: Sequence[float], buttons: Sequence[int], now: float) -> None:
        """Do what the joystick says; raise if it cannot be understood."""
        if now - self._heard_at > SILENCE_S:
            self.let_go()
            self._state.forget()    # a button held since before it was silent is not pressed now
        self._state.see(axes, buttons)
        self._heard_at = now
        if STOP in self._state.pressed:
            self._stop()
        self._hold(DEAD_MAN in self._state.pressed, DEAD_MAN in self._state.held)
        for name in sorted(self._state.pressed & {*ANSWERS, UNDO, RECORD}):
            self._try(lambda name=name: self._press(name))      # type: ignore[misc]
        if self._drives:
            self._drive_on(now)
        elif self._state.turned and DEAD_MAN not in self._state.held:
            self._try(lambda: self._answer((self._state.direction,), self._state.direction))

    def check(self, now: float) -> None:
        """Stop a robot whose joystick is silent."""
        if self._drives and now - self._heard_at > SILENCE_S:
            self.let_go()
            self._say(tr('The joystick was not heard for {seconds:g} s: the robot was stopped',
                         seconds=SILENCE_S))

    def let_go(self) -> None:
        """Drive no further until the dead-man button is pressed again."""
        if self._drives:
            self._drives = False
            self._act.halt()

    # ---- driving --------------------------------------------------------------------------------

    def _hold(self, is_pressed: bool, is_held: bool) -> None:
        if is_pressed and STOP not in self._state.held:
            self._drives, self._has_driven = True, False
            self._repeat_at = math.inf
        elif not is_held:
            self.let_go()

    def _drive_on(self, now: float) -> None:
        self._act.be_present()
        lesson = self._lesson()
        if lesson.gave_up and self._has_driven:
            self.let_go()           # it was stopped: by STOP, or by what is in its way
            self._say(tr('{why}. Press the dead-man button again to drive', why=lesson.gave_up))
            return
        if not self._state.direction:
            if self._is_held:
                self._act.halt()
            self._is_held, self._repeat_at = False, math.inf
        elif self._state.turned or self._repeat_at == math.inf or now >= self._repeat_at:
            self._is_held = now >= self._repeat_at and not self._state.turned
            could = self._try(lambda: self._drive(lesson, self._state.direction))
            self._repeat_at = now + REPEAT_S if could else NEVER    # said once is enough

    def _drive(self, lesson: LessonSnapshot, direction: str) -> str:
        if lesson.world is None:
            raise GbsIrlError(tr('the task is not known yet: is the mdp node running?'))
        arrows = keys.arrow_actions(lesson.world, lesson.robot or 0)
        if direction not in arrows:
            raise GbsIrlError(tr('no action of this task leads {direction}',
                                 direction=tr(NAMES[direction])))
        self._act.drive(arrows[direction])
        self._has_driven = True
        return ''

    def _stop(self) -> None:
        self.let_go()
        self._act.halt()            # whatever a person drives; the rest through the controller
        lesson = self._lesson()
        if lesson.execution is not None or lesson.has_controller:
            self._in_background(lambda: _done(self._act.stop, tr('STOPPED')), True)
        self._say(tr('STOP: the robot has been told to stop'))

    # ---- answering ------------------------------------------------------------------------------

    def _press(self, name: str) -> str:
        if name == UNDO:
            self._in_background(lambda: _done(self._act.undo, tr('Answer removed.')), False)
            return ''
        return self._record() if name == RECORD else self._answer(ANSWERS[name], name)

    def _answer(self, wanted: Sequence[str], name: str) -> str:
        lesson = self._lesson().spoken()
        self._answers.see(lesson)
        if lesson.asked is None:
            raise GbsIrlError(tr('nothing is asked now'))
        kind = lesson.asked.question.kind
        wanted = OF_KINDS.get(kind, {}).get(name, wanted)
        bindings = self._answers.bindings()
        bound = next((found for key in wanted
                      if (found := bound_to(key, bindings)) is not None), None)
        is_route = kind is QuestionKind.CONFIRM     # nobody sees a place on it
        if bound is None or (is_route and name in UNIT):
            said = tr('{button} does not answer: {question}', button=tr(NAMES[name]),
                      question=question_text(lesson.asked, lesson.world))
            raise GbsIrlError(tr('{said}; answer that on the page or in the terminal', said=said)
                              if kind is QuestionKind.PLACE else said)
        said, steps, options = bound.run(), self._answers.demonstrated(), self._answers.options()
        if options is not None and options.chosen is not None:
            return tr('chosen so far: {answer}; yes says so',
                      answer=options.labels[options.chosen])
        if steps is None or lesson.world is None:
            return said
        names = lesson.world.appearance.action_names
        return tr('shown so far: {steps}',
                  steps=', '.join(names[action] for action in steps.actions))

    def _record(self) -> str:
        if self._lesson().recorded is None:
            self._act.record()
            return tr('recording: drive now')
        self._act.halt()
        count = self._act.send_recorded(uuid.uuid4().hex)
        return tr_count(count, 'sent a demonstration of {count} step',
                        'sent a demonstration of {count} steps')

    def _try(self, do: Callable[[], str]) -> bool:
        """Do something and say what came of it; return whether it could be done."""
        could = True
        try:
            said = do()
        except GbsIrlError as error:
            said, could = str(error), False
        if said:
            self._say(tr('joystick: {said}', said=said))
        return could


def _done(call: Callable[[], str], said: str) -> str:
    call()
    return said
