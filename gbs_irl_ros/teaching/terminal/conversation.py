"""
What a person at a keyboard can do at every moment of a lesson: one key each.

It knows neither a terminal nor ROS: keys come in, what they mean is done by ``TeacherActions``,
and what is to be shown is a ``View``.
"""

from __future__ import annotations

import contextlib
import math
import uuid
from collections.abc import Callable, Iterable
from functools import partial

from gbs_irl_ros.core.answers import Answer, Offer, RewardAnswer, answer_to, offers
from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.core.questions import MAX_STEPS, Question, QuestionKind
from gbs_irl_ros.learning.records import Status
from gbs_irl_ros.tasks.world import World
from gbs_irl_ros.teaching import keys
from gbs_irl_ros.teaching.lesson_snapshot import LessonSnapshot
from gbs_irl_ros.teaching.paths import StatePath, rehearse, shown, walk
from gbs_irl_ros.teaching.reward_scale import Mark, mark_offers, reward_scale
from gbs_irl_ros.teaching.teacher_actions import TeacherActions
from gbs_irl_ros.teaching.terminal.bindings import Binding, bound_to, meant_by, not_understood
from gbs_irl_ros.teaching.terminal.cell_window import layout_of
from gbs_irl_ros.teaching.terminal.key_reader import BACKSPACE, ENTER, ESCAPE, SHOWN
from gbs_irl_ros.teaching.terminal.view import View

SIGNS, DIGITS, POINT = '+-', '0123456789', '.'
MAX_DIGITS = 20
STOPPED = 'STOP: the robot has been told to stop'

Background = Callable[[Callable[[], str], bool], None]


class Conversation:
    """
    Follows a person's keys.

    Not to be used from several threads, but for ``say``.

    is_over: the person has quit.
    """

    def __init__(self, act: TeacherActions, in_background: Background | None = None, *,
                 local: bool = False) -> None:
        """
        Begin.

        :param in_background: takes a call that may wait, and whether it is urgent; its result is
            to be given to ``say``. None: nothing waits.
        :param local: there is no robot, and the lesson is not kept.
        """
        self.is_over = False
        self._act, self._in_background, self._local = act, in_background, local
        self._lesson = LessonSnapshot()
        self._driving = False
        self._helping = False
        self._message = ''
        self._number = ''
        self._shown: list[int] = []         # actions of a demonstration that is being given
        self._rehearsal: StatePath | None = None
        self._about = ''                    # id of the question that these belong to
        self._scale: tuple[Mark, ...] = ()  # of a reward question, as soon as the task is known

    def say(self, message: str) -> None:
        """Show a message until the next key; from any thread."""
        self._message = message

    def see(self, lesson: LessonSnapshot) -> None:
        """Learn what is going on now."""
        before, self._lesson = self._lesson, lesson
        now = '' if lesson.asked is None else lesson.asked.id
        if now != self._about or lesson.task is not before.task:
            self._scale = self._scale_now()
        if now != self._about:
            self._about, self._number, self._shown = now, '', []
        if self._rehearsal is not None and lesson.policy is not before.policy:
            self._rehearse_again()
        if self._driving and not self._can_drive():
            self._driving = False

    def view(self) -> View:
        """Return what is to be shown."""
        return View(
            self._lesson, tuple(self._answering()), tuple(self._other()), self._driving,
            self._helping, self._number, self._demonstrated(), self._rehearsal, self._message)

    def press(self, key: str) -> None:
        """Do what a key means now; the message of the one before disappears."""
        self._message = ''
        if self._helping and key != keys.STOP:
            self._helping = False
            if key in (keys.HELP, ESCAPE, ENTER):
                return
        bound = bound_to(key, [*self._other(), *self._answering()])
        if bound is None:
            name = SHOWN.get(key, key)
            self._message = f'{name} does nothing now; ? shows the keys that work'
            return
        try:
            self._message = bound.run()
        except GbsIrlError as error:
            self._message = str(error)

    def enter(self, line: str) -> None:
        """
        Do what a line means now, where lines are typed.

        Words are keys, names of what is offered, or the beginning of one name only; several in a
        line are the steps of a demonstration. A number answers how good something is.
        """
        record, words = self._lesson.asked, line.split()
        self._message, self._helping = '', False
        kind = None if record is None else record.question.kind
        try:
            named = self._meant_by(line.strip())
            if kind is QuestionKind.REWARD and named is None and words:
                assert record is not None
                self._number = line.strip()
                self._message = self._send_number(record.question)
            elif kind is QuestionKind.DEMONSTRATION and (
                    named is None or named.action is not None):
                for word, step in [(word, self._meant_by(word)) for word in words]:
                    self._run(word, step)
                self.press(ENTER)
            else:
                self._message = self._run(line.strip(), named)
        except GbsIrlError as error:
            self._message, self._number, self._shown = str(error), '', []

    def _meant_by(self, word: str) -> Binding | None:
        world = self._lesson.world
        return meant_by(word, [*self._other(), *self._answering()],
                        () if world is None else world.appearance.action_keys)

    def _run(self, word: str, meant: Binding | None) -> str:
        if meant is None:
            raise not_understood(word, [*self._answering(), *self._other()])
        return meant.run()

    def leave(self) -> None:
        """Let go of the robot, for the person goes away."""
        self._driving = False
        self._act.halt()

    # ---- keys that answer, or drive -------------------------------------------------------------

    def _answering(self) -> list[Binding]:
        world, record = self._lesson.world, self._lesson.asked
        if world is None:
            return []
        if self._driving:
            state = self._lesson.robot
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
            action: arrow for arrow, action in keys.arrow_actions(world, state).items()}
        bound = [(tuple(key for key in (arrows.get(offer.action, ''), offer.key) if key), offer)
                 for offer in offered]
        return [Binding(own, offer.label, partial(self._tell, offer.answer), offer.about,
                        action=offer.action) for own, offer in bound if own or self._local]

    def _actions_of(self, world: World, state: int,
                    run: Callable[[int], str]) -> list[Binding]:
        arrows = {action: arrow for arrow, action in keys.arrow_actions(world, state).items()}
        found = []
        for action, (name, key) in enumerate(
                zip(world.appearance.action_names, keys.action_keys(world), strict=True)):
            own = tuple(each for each in (arrows.get(action, ''), key) if each)
            if own or self._local:      # a name can be typed
                found.append(Binding(own, name, partial(run, action), action=action))
        return found

    def _reward_keys(self, question: Question, world: World) -> list[Binding]:
        typing = [Binding((key,), '', partial(self._type, key))
                  for key in (SIGNS + DIGITS + POINT if self._number else SIGNS)]
        if not self._number:
            marks = mark_offers(self._scale, question)
            return [*self._offered(marks, world, question.state), *typing,
                    Binding((), 'another number', _nothing,
                            'a number of your own: its sign first', name='+ -')]
        return [*typing,
                Binding((), 'a number', _nothing,
                        'type a number: the more the better, 0 for neither good nor bad',
                        name='0-9 . -'),
                Binding((ENTER,), 'send', partial(self._send_number, question),
                        'send the number'),
                Binding((BACKSPACE,), 'back', self._rub_out, 'take the last digit back')]

    def _scale_now(self) -> tuple[Mark, ...]:
        task, record = self._lesson.task, self._lesson.asked
        if task is None or record is None or record.question.kind is not QuestionKind.REWARD:
            return ()
        return reward_scale(task, record.question)

    def _demonstration_keys(self, question: Question, world: World) -> list[Binding]:
        place = walk(world, question.state, self._shown).states[-1]
        return [*self._actions_of(world, place, self._step),
                Binding((ENTER,), 'send', partial(self._send_steps, question, world),
                        'send the steps'),
                Binding((BACKSPACE,), 'back', self._step_back, 'take the last step back')]

    def _tell(self, answer: Answer) -> str:
        record, world = self._lesson.asked, self._lesson.world
        assert record is not None
        assert world is not None
        self._act.answer(record.id, answer)
        self._number, self._shown = '', []
        return f'You said: {answer.words(world.appearance.action_names)}'

    def _type(self, key: str) -> str:
        sign_first = key not in SIGNS or not self._number
        if sign_first and len(self._number) < MAX_DIGITS \
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
        if len(self._shown) >= MAX_STEPS:
            raise GbsIrlError(f'a demonstration may have {MAX_STEPS} steps; Enter sends them')
        self._shown.append(action)
        return ''

    def _step_back(self) -> str:
        if not self._shown:
            raise GbsIrlError('there is no step to take back')
        self._shown.pop()
        return ''

    def _send_steps(self, question: Question, world: World) -> str:
        if not self._shown:
            raise GbsIrlError('there is no step yet; show some, then Enter')
        return self._tell(shown(walk(world, question.state, self._shown)))

    def _demonstrated(self) -> StatePath | None:
        record, world = self._lesson.asked, self._lesson.world
        if record is None or world is None or not self._shown:
            return None
        return walk(world, record.question.state, self._shown)

    # ---- keys that do something else ------------------------------------------------------------

    def _other(self) -> list[Binding]:
        """Return them, the most urgent first: it is looked up first, too."""
        in_lesson = self._lesson.belief is not None or self._lesson.asked is not None
        stop = Binding((keys.STOP,), 'STOP', self._stop, 'stop the robot, whatever moves it')
        return [
            *([] if self._local else [stop]),
            *(self._lesson_keys() if in_lesson and not self._driving else []),
            *self._robot_keys(),
            Binding((keys.HELP,), 'help', self._help, 'show all keys that work'),
            Binding((keys.QUIT,), 'quit', self._quit, 'quit' if self._local else
                    'quit; the lesson is kept and resumes when you come back')]

    def _lesson_keys(self) -> list[Binding]:
        belief, is_paused = self._lesson.belief, self._lesson.is_paused
        found = [
            Binding((keys.UNDO,), 'undo', self._undo,
                    'take the last answer back, as often as you like'),
            Binding((keys.PAUSE,), 'resume' if is_paused else 'pause', self._pause,
                    'ask me again' if is_paused else 'ask me nothing for the moment')]
        if belief is None or belief.status is not Status.DONE:
            found.append(Binding((keys.ENOUGH,), 'enough', self._enough,
                                 'good enough: ask nothing more'))
        return found

    def _robot_keys(self) -> list[Binding]:
        lesson, found = self._lesson, []
        if lesson.policy is not None and not self._driving:
            found.append(Binding((keys.REHEARSE,), 'rehearse', self._rehearse,
                                 'draw what the robot would do as far as it knows, or no more'))
        if lesson.execution is not None and not self._driving:
            found.append(Binding((keys.GO,), 'go', self._go,
                                 'let the robot do what it has learned'))
        if self._can_drive():
            found.append(Binding(
                (keys.DRIVE,), 'answer' if self._driving else 'drive', self._switch,
                'stop driving, and answer questions' if self._driving
                else 'drive the robot yourself'))
        if self._driving or lesson.recorded is not None:
            is_on = lesson.recorded is not None
            found.append(Binding(
                (keys.RECORD,), 'send' if is_on else 'record', self._record,
                'send what was recorded as a demonstration' if is_on else
                'record what the robot does, driven here or by any joystick'))
        return found

    def _can_drive(self) -> bool:
        world = self._lesson.world
        return not self._local and world is not None and layout_of(world) is not None

    def _stop(self) -> str:
        self._act.halt()        # at once; what else moves it is stopped through the controller
        if self._lesson.execution is not None or self._lesson.has_controller:
            self._later(self._act.stop, 'STOPPED', urgent=True)
        return STOPPED

    def _help(self) -> str:
        self._helping = True
        return ''

    def _quit(self) -> str:
        self.leave()
        self.is_over = True
        return ''

    def _undo(self) -> str:
        return self._later(self._act.undo, 'taken back', 'taking back ...')

    def _pause(self) -> str:
        if self._lesson.is_paused:
            return self._later(self._act.resume, 'resumed')
        return self._later(self._act.pause, 'paused')

    def _enough(self) -> str:
        return self._later(self._act.finish, 'good enough')

    def _go(self) -> str:
        return self._later(self._act.go, 'the robot may drive; Space stops it')

    def _later(self, call: Callable[[], str], done: str, meanwhile: str = '',
               urgent: bool = False) -> str:
        """Have something done that may take a moment; return what to say until then."""
        def called() -> str:
            call()
            return done
        if self._in_background is None:
            return called()
        self._in_background(called, urgent)
        return meanwhile

    def _drive(self, action: int) -> str:
        self._act.drive(action)
        return ''

    def _switch(self) -> str:
        if self._driving:
            self.leave()
            return 'recording continues' if self._lesson.recorded is not None else ''
        self._driving = True
        return ''

    def _record(self) -> str:
        if self._lesson.recorded is None:
            self._act.record()
            return 'recording: drive now'
        self._act.halt()
        count = self._act.send_recorded(uuid.uuid4().hex)
        return f'sent a demonstration of {count} {"step" if count == 1 else "steps"}'

    def _rehearse(self) -> str:
        if self._rehearsal is not None:
            self._rehearsal = None
            return ''
        world = self._lesson.world
        policy = self._lesson.policy
        if world is None or policy is None:
            raise GbsIrlError('the learner has not said yet what it would do')
        course = self._rehearsal = rehearse(world, policy.policy, self._start())
        count = len(course.actions)
        return (f'Rehearsal from {world.state_name(course.states[0])}: {count} '
                f'{"step" if count == 1 else "steps"} ({course.end})')

    def _rehearse_again(self) -> None:
        """Draw what the robot would do now that something was learned."""
        self._rehearsal = None
        with contextlib.suppress(GbsIrlError):      # of another task, perhaps
            self._rehearse()

    def _start(self) -> int:
        """Return where a rehearsal begins: at the robot, at the question, or at the start."""
        if self._lesson.robot is None and self._lesson.asked is not None:
            return self._lesson.asked.question.state
        return self._lesson.start_state


def _nothing() -> str:
    return ''
