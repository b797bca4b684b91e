"""
What a person at a keyboard can do at every moment of a lesson: one key each.

It knows neither a terminal nor ROS: keys come in, deeds go out through ``Hands``, and what is to
be shown is a ``View``.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterable
from functools import partial

import numpy as np

from gbs_irl_ros.core.answers import Answer, Offer, RewardAnswer, answer_to, offers
from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.core.questions import MAX_STEPS, Question, QuestionKind
from gbs_irl_ros.learning.records import Status
from gbs_irl_ros.tasks.world import World
from gbs_irl_ros.teaching import keys
from gbs_irl_ros.teaching.lesson_snapshot import Situation
from gbs_irl_ros.teaching.paths import StatePath, rehearse, shown, walk
from gbs_irl_ros.teaching.reward_scale import mark_offers
from gbs_irl_ros.teaching.terminal.arrow_keys import arrow_actions
from gbs_irl_ros.teaching.terminal.cell_window import layout_of
from gbs_irl_ros.teaching.terminal.hands import Hands
from gbs_irl_ros.teaching.terminal.key_reader import BACKSPACE, ENTER, ESCAPE, SHOWN
from gbs_irl_ros.teaching.terminal.view import Binding, View

SIGNS, DIGITS, POINT = '+-', '0123456789', '.'
LONGEST_NUMBER = 20
STOPPED = 'STOP: the robot is told to stand still'


class Conversation:
    """
    Follows a person's keys.

    Not to be used from several threads, but for ``say``.
    """

    def __init__(self, hands: Hands) -> None:
        self._hands = hands
        self._situation = Situation()
        self._driving = False
        self._helping = False
        self._message = ''
        self._number = ''
        self._actions: list[int] = []       # of a demonstration that is being given
        self._rehearsal: StatePath | None = None
        self._about = ''                    # id of the question that these belong to

    def say(self, message: str) -> None:
        """Show a message until the next key; from any thread."""
        self._message = message

    def see(self, situation: Situation) -> None:
        """Learn what is going on now."""
        before, self._situation = self._situation, situation
        now = '' if situation.asked is None else situation.asked.id
        if now != self._about:
            self._about, self._number, self._actions = now, '', []
        if self._rehearsal is not None and situation.policies != before.policies:
            self._rehearse_again()
        if self._driving and not self._can_drive():
            self._driving = False

    def view(self) -> View:
        """Return what is to be shown."""
        return View(
            self._situation, tuple(self._answering()), tuple(self._other()), self._driving,
            self._helping, self._number, self._demonstrated(), self._rehearsal, self._message)

    def press(self, key: str) -> None:
        """Do what a key means now; the message of the one before disappears."""
        self._message = ''
        if self._helping and key != keys.STOP:
            self._helping = False
            if key in (keys.HELP, ESCAPE, ENTER):
                return
        bound = self._bound(key)
        if bound is None:
            name = SHOWN.get(key, key)
            self._message = f'{name} does nothing now; ? shows the keys that work'
            return
        try:
            self._message = bound.run()
        except GbsIrlError as error:
            self._message = str(error)

    def leave(self) -> None:
        """Let go of the robot, for the person goes away."""
        self._driving = False
        self._hands.halt()

    def _bound(self, key: str) -> Binding | None:
        """Return what a key does, whether or not Shift or Caps Lock is pressed with it."""
        bindings = [*self._other(), *self._answering()]
        exact = (each for each in bindings if key in each.keys)
        alike = (each for each in bindings
                 if key.lower() in [one.lower() for one in each.keys])
        return next(exact, None) or next(alike, None)

    # ---- keys that answer, or drive -------------------------------------------------------------

    def _answering(self) -> list[Binding]:
        world, record = self._situation.world, self._situation.asked
        if world is None:
            return []
        if self._driving:
            state = self._situation.robot
            return self._actions_of(world, state if state is not None else 0, self._drive)
        if record is None:
            return []
        question = record.question
        own = {QuestionKind.REWARD: self._reward_keys,
               QuestionKind.DEMONSTRATION: self._demonstration_keys}.get(question.kind)
        offered = offers(question, world.appearance.action_names, keys.action_keys(world))
        return [*(own(question, world) if own else ()),
                *self._offered(offered, world, question.state)]

    def _offered(self, offered: Iterable[Offer], world: World, state: int) -> list[Binding]:
        arrows: dict[int | None, str] = {
            action: arrow for arrow, action in arrow_actions(world, state).items()}
        bound = [(tuple(key for key in (arrows.get(offer.action, ''), offer.key) if key), offer)
                 for offer in offered]
        return [Binding(own, offer.label, partial(self._tell, offer.answer), offer.about)
                for own, offer in bound if own]

    def _actions_of(self, world: World, state: int,
                    run: Callable[[int], str]) -> list[Binding]:
        arrows = {action: arrow for arrow, action in arrow_actions(world, state).items()}
        found = []
        for action, (name, key) in enumerate(
                zip(world.appearance.action_names, keys.action_keys(world), strict=True)):
            own = tuple(each for each in (arrows.get(action, ''), key) if each)
            if own:
                found.append(Binding(own, name, partial(run, action)))
        return found

    def _reward_keys(self, question: Question, world: World) -> list[Binding]:
        scale = self._situation.scale
        begun = bool(self._number) or not scale
        typing = [Binding((key,), '', partial(self._type, key))
                  for key in (SIGNS + DIGITS + POINT if begun else SIGNS)]
        if not begun:
            return [*self._offered(mark_offers(scale, question), world, question.state), *typing,
                    Binding((), 'another number', _nothing,
                            'a number of your own: its sign first', name='+ -')]
        return [*typing,
                Binding((), 'a number', _nothing,
                        'type a number: the more the better, 0 for neither good nor bad',
                        name='0-9 . -'),
                Binding((ENTER,), 'send', partial(self._send_number, question),
                        'send the number'),
                Binding((BACKSPACE,), 'back', self._rub_out, 'take the last digit back')]

    def _demonstration_keys(self, question: Question, world: World) -> list[Binding]:
        place = walk(world, question.state, self._actions).states[-1]
        return [*self._actions_of(world, place, self._step),
                Binding((ENTER,), 'send', partial(self._send_steps, question, world),
                        'send the steps'),
                Binding((BACKSPACE,), 'back', self._step_back, 'take the last step back')]

    def _tell(self, answer: Answer) -> str:
        record, world = self._situation.asked, self._situation.world
        assert record is not None
        assert world is not None
        self._hands.answer(record, answer)
        self._number, self._actions = '', []
        return f'You said: {answer.words(world.appearance.action_names)}'

    def _type(self, key: str) -> str:
        sign_first = key not in SIGNS or not self._number
        if sign_first and len(self._number) < LONGEST_NUMBER \
                and not (key == POINT and POINT in self._number):
            self._number += key
        return ''

    def _rub_out(self) -> str:
        self._number = self._number[:-1]
        return ''

    def _send_number(self, question: Question) -> str:
        try:
            value = float(self._number)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise GbsIrlError(f'that is not a number yet, got {self._number!r}; type one, such as '
                              '-0.5, then Enter')
        return self._tell(answer_to(question, RewardAnswer.kind, reward=value))

    def _step(self, action: int) -> str:
        if len(self._actions) >= MAX_STEPS:
            raise GbsIrlError(f'a demonstration may have {MAX_STEPS} steps; Enter sends them')
        self._actions.append(action)
        return ''

    def _step_back(self) -> str:
        if not self._actions:
            raise GbsIrlError('there is no step to take back')
        self._actions.pop()
        return ''

    def _send_steps(self, question: Question, world: World) -> str:
        if not self._actions:
            raise GbsIrlError('there is no step yet; show some, then Enter')
        return self._tell(shown(walk(world, question.state, self._actions)))

    def _demonstrated(self) -> StatePath | None:
        record, world = self._situation.asked, self._situation.world
        if record is None or world is None or not self._actions:
            return None
        return walk(world, record.question.state, self._actions)

    # ---- keys that do something else ------------------------------------------------------------

    def _other(self) -> list[Binding]:
        """Return them, the most urgent first: it is looked up first, too."""
        situation = self._situation
        in_lesson = situation.belief is not None or situation.asked is not None
        lesson = self._lesson_keys() if in_lesson and not self._driving else []
        return [
            Binding((keys.STOP,), 'STOP', self._stop, 'stop the robot, whatever moves it'),
            *lesson, *self._robot_keys(),
            Binding((keys.HELP,), 'help', self._help, 'show all keys that work'),
            Binding((keys.QUIT,), 'quit', self._quit,
                    'quit; the lesson is kept and goes on when you come back')]

    def _lesson_keys(self) -> list[Binding]:
        belief, going_on = self._situation.belief, self._situation.is_paused
        found = [
            Binding((keys.UNDO,), 'undo', self._undo,
                    'take the last answer back, as often as you like'),
            Binding((keys.PAUSE,), 'go on' if going_on else 'pause', self._pause,
                    'ask me again' if going_on else 'ask me nothing for the moment')]
        if belief is None or belief.status is not Status.DONE:
            found.append(Binding((keys.ENOUGH,), 'enough', self._enough,
                                 'good enough: ask nothing more'))
        return found

    def _robot_keys(self) -> list[Binding]:
        situation, found = self._situation, []
        if situation.policies and not self._driving:
            found.append(Binding((keys.REHEARSE,), 'rehearse', self._rehearse,
                                 'draw what the robot would do as far as it knows, or no more'))
        if situation.execution is not None and not self._driving:
            found.append(Binding((keys.GO,), 'go', self._go,
                                 'let the robot do what it has learned'))
        if self._can_drive():
            found.append(Binding(
                (keys.DRIVE,), 'answer' if self._driving else 'drive', self._switch,
                'stop driving, and answer questions' if self._driving
                else 'drive the robot yourself'))
        if self._driving or situation.recorded is not None:
            is_on = situation.recorded is not None
            found.append(Binding(
                (keys.RECORD,), 'send' if is_on else 'record', self._record,
                'send what was recorded as a demonstration' if is_on else
                'record what the robot does, driven here or by any joystick'))
        return found

    def _can_drive(self) -> bool:
        world = self._situation.world
        return world is not None and layout_of(world) is not None

    def _stop(self) -> str:
        self._hands.stop()
        return STOPPED

    def _help(self) -> str:
        self._helping = True
        return ''

    def _quit(self) -> str:
        self.leave()
        self._hands.quit()
        return ''

    def _undo(self) -> str:
        self._hands.undo()
        return 'taking back ...'

    def _pause(self) -> str:
        self._hands.ask(self._situation.is_paused)
        return ''

    def _enough(self) -> str:
        self._hands.finish()
        return ''

    def _go(self) -> str:
        self._hands.go()
        return ''

    def _drive(self, action: int) -> str:
        self._hands.drive(action)
        return ''

    def _switch(self) -> str:
        if self._driving:
            self.leave()
            return 'recording goes on' if self._situation.recorded is not None else ''
        self._driving = True
        return ''

    def _record(self) -> str:
        if self._situation.recorded is None:
            self._hands.record()
            return 'recording: drive now'
        self._hands.halt()
        count = self._hands.send_recorded()
        if not count:
            return 'nothing was recorded: the robot has not left its cell'
        return f'sent a demonstration of {count} {"step" if count == 1 else "steps"}'

    def _rehearse(self) -> str:
        if self._rehearsal is not None:
            self._rehearsal = None
            return ''
        world = self._situation.world
        if world is None:
            raise GbsIrlError('the task is not known yet')
        course = self._rehearsal = rehearse(world, self._hands.policy(), self._start(world))
        count = len(course.actions)
        return (f'Rehearsal from {world.state_name(course.states[0])}: {count} '
                f'{"step" if count == 1 else "steps"} ({course.end})')

    def _rehearse_again(self) -> None:
        """Draw what the robot would do now that something was learned."""
        self._rehearsal = None
        with contextlib.suppress(GbsIrlError):      # of another task, perhaps
            self._rehearse()

    def _start(self, world: World) -> int:
        """Return where a rehearsal begins: at the robot, at the question, or at the start."""
        if self._situation.robot is not None:
            return self._situation.robot
        if self._situation.asked is not None:
            return self._situation.asked.question.state
        return int(np.argmax(world.start))


def _nothing() -> str:
    return ''
