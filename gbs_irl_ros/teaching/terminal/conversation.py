"""
What a person at a keyboard can do at every moment of a lesson: one key each.

It knows neither a terminal nor ROS: keys come in, what they mean is done by ``TeacherActions``,
and what is to be shown is a ``View``.
"""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Callable

from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.core.questions import QuestionKind
from gbs_irl_ros.core.task_answers import GoHereAnswer
from gbs_irl_ros.languages.speaking import marked, tr, tr_count
from gbs_irl_ros.learning.execution import ExecutionStatus
from gbs_irl_ros.learning.records import Status
from gbs_irl_ros.tasks.shown_place import Place, place_states
from gbs_irl_ros.teaching import keys
from gbs_irl_ros.teaching.lesson_snapshot import LessonSnapshot
from gbs_irl_ros.teaching.paths import StatePath, rehearse
from gbs_irl_ros.teaching.teacher_actions import TeacherActions
from gbs_irl_ros.teaching.terminal.answer_keys import LISTS, AnswerKeys, action_bindings
from gbs_irl_ros.teaching.terminal.bindings import Binding, bound_to, meant_by, not_understood
from gbs_irl_ros.teaching.terminal.confirm_keys import START_OVER, ConfirmKeys
from gbs_irl_ros.teaching.terminal.key_reader import ENTER, ESCAPE, shown_key
from gbs_irl_ros.teaching.terminal.place_keys import PlaceKeys
from gbs_irl_ros.teaching.terminal.view import View
from gbs_irl_ros.teaching.terminal.word_keys import SAY, WordKeys

STOPPED = marked('STOP: the robot has been told to stop')
STOP_IS_LATE = marked('STOP is not confirmed: the controller does not answer and is told again. '
                      'Use the emergency stop on the robot')
FINISHED_BEFORE = marked('This lesson was finished before; {key} starts over.')

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
        self._rehearsal: StatePath | None = None
        self._answers = AnswerKeys(act.answer, typed=local)
        self._places = PlaceKeys(self._show_place)
        self._words = WordKeys(self._say_words)
        self._confirm = ConfirmKeys()

    def say(self, message: str) -> None:
        """Show a message until the next key; from any thread."""
        self._message = message

    @property
    def lesson(self) -> LessonSnapshot:
        """Return what was going on when it was last looked."""
        return self._lesson

    def see(self, lesson: LessonSnapshot) -> None:
        """Learn what is going on now."""
        before, self._lesson = self._lesson, lesson
        if before.belief is None and lesson.belief is not None and not self._local \
                and lesson.belief.status is Status.DONE:
            self._message = self._message or tr(FINISHED_BEFORE, key=keys.START_OVER)
        self._answers.see(lesson)
        self._places.see(lesson)
        if self._rehearsal is not None and lesson.policy is not before.policy:
            self._rehearse_again()
        if self._driving and not self._can_drive():
            self._driving = False

    def view(self) -> View:
        """Return what is to be shown."""
        return View(
            self._lesson, tuple(self._answering()), tuple(self._other()), self._driving,
            self._helping, self._answers.number, self._answers.demonstrated(),
            self._rehearsal or self._answers.to_confirm(), self._answers.pointed(),
            self._message, self._places.marks(),
            self._words.typed if self._words.is_on else None, self._answers.options(),
            () if self._rehearsal is not None else self._answers.compared())

    def press(self, key: str) -> None:
        """Do what a key means now; the message of the one before disappears."""
        self._message = ''
        if self._helping and key != keys.STOP:
            self._helping = False
            if key in (keys.HELP, ESCAPE, ENTER):
                return
        is_stop = key == keys.STOP and self._moves
        if not is_stop and self._words.takes(key):
            return
        bound = bound_to(key, [*self._other(), *self._answering()])
        if bound is None:
            self._message = tr('{key} does nothing now; ? shows the keys that work',
                               key=shown_key(key))
            return
        try:
            self._message = bound.run()
        except GbsIrlError as error:
            self._message = str(error)

    def enter(self, line: str) -> None:
        """
        Do what a line means now, where lines are typed.

        Words are keys, names of what is offered, or the beginning of one name only; several in a
        line are the steps of a demonstration, "north or east" says that each is fine. A number
        answers how good something is, or chooses from a list; "go here 3,4" points at a place;
        "say" and what is meant says that.
        """
        record, words = self._lesson.asked, line.split()
        self._message, self._helping = '', False
        kind = None if record is None else record.question.kind
        try:
            said = self._words.spoken(line)
            said = self._places.spoken(line) if said is None else said
            if said is not None:
                self._message = said
                return
            named = self._meant_by(line.strip())
            if kind is QuestionKind.REWARD and named is None and words:
                self._message = self._answers.send_number(line.strip())
            elif kind in LISTS and named is None and line.strip().isdecimal():
                self._message = self._answers.send_choice(line.strip())
            elif kind is QuestionKind.DEMONSTRATION and (
                    named is None or named.action is not None):
                for step in [self._understood(word) for word in words]:
                    step.run()
                self.press(ENTER)
            elif named is None and len(words) > 1:
                several = self._answers.send_several(line)
                self._message = self._words.enter(line) if several is None else several
            else:
                self._message = (named or self._understood(line.strip())).run()
        except GbsIrlError as error:
            self._message = str(error)
            self._answers.forget()

    def _meant_by(self, word: str) -> Binding | None:
        world = self._lesson.world
        return meant_by(word, [*self._other(), *self._answering()],
                        () if world is None else world.appearance.action_keys)

    def _understood(self, word: str) -> Binding:
        meant = self._meant_by(word)
        if meant is None:
            raise not_understood(word, [*self._answering(), *self._other()])
        return meant

    def _answering(self) -> list[Binding]:
        """Return the keys that answer, point at a place, type words, or drive."""
        world, state = self._lesson.world, self._lesson.robot
        if self._confirm.is_on:
            return self._confirm.bindings()
        if self._words.is_on:
            return self._words.bindings()
        if self._places.is_on:
            return self._places.bindings()
        if not self._driving:
            return [*self._pointing(), *self._answers.bindings()]
        return [] if world is None else action_bindings(
            world, state if state is not None else 0, self._drive, typed=self._local)

    def _pointing(self) -> list[Binding]:
        """Return the key that points at a place, where the question is about any place."""
        record = self._lesson.asked
        if record is None or record.question.kind is not QuestionKind.PLACE \
                or record.question.options or not self._lesson.can_show_places:
            return []
        return [Binding((ENTER,), tr('point at it'), self._places.begin,
                        tr('point at the place on the map'))]

    def leave(self) -> None:
        """Let go of the robot, for the person goes away."""
        self._driving = False
        self._act.halt()

    # ---- keys that do something else ------------------------------------------------------------

    def _other(self) -> list[Binding]:
        """Return them, the most urgent first: it is looked up first, too."""
        in_lesson = self._lesson.belief is not None or self._lesson.asked is not None
        stop = Binding((keys.STOP,), tr('STOP'), self._stop,
                       tr('stop the robot, whatever moves it'))
        if self._words.is_on:
            return [stop] if self._moves else []
        is_free = not self._places.is_on and not self._confirm.is_on
        return [
            *([] if self._local else [stop]),
            *(self._lesson_keys() if in_lesson and is_free and not self._driving else []),
            *(self._robot_keys() if is_free else []),
            Binding((keys.HELP,), tr('help'), self._help, tr('show all keys that work')),
            Binding((keys.QUIT,), tr('quit'), self._quit, tr('quit') if self._local else
                    tr('quit; the lesson is kept and resumes when you come back'))]

    def _lesson_keys(self) -> list[Binding]:
        belief, is_paused = self._lesson.belief, self._lesson.is_paused
        found = [
            Binding((keys.UNDO,), tr('undo'), self._undo,
                    tr('remove the last answer, as often as you like')),
            Binding((keys.PAUSE,), tr('resume') if is_paused else tr('pause'), self._pause,
                    tr('ask me again') if is_paused else tr('ask me nothing for the moment'))]
        if belief is None or belief.status is not Status.DONE:
            found.append(Binding((keys.ENOUGH,), tr('enough'), self._enough,
                                 tr('good enough: ask nothing more')))
        if self._lesson.can_show_places:
            found.append(Binding(
                (keys.PLACE,), tr('place'), self._places.begin,
                tr('point at a place on the map: go here, on the way, or never here; or type "go '
                   'here 3,4"') if self._local
                else tr('point at a place on the map: go here, on the way, or never here')))
        if self._lesson.task is not None:
            found.append(Binding(
                (keys.SAY,), tr(SAY), self._words.begin,
                tr('say what you mean in your own words; or type "say" and the words')
                if self._local else tr('say what you mean in your own words')))
        if self._lesson.can_invent:
            found.append(Binding(
                (keys.INVENT,), tr('other tasks'), self._invent,
                tr('let me think of other tasks, if none that I know is meant')))
        if not self._local:
            found.append(Binding((keys.START_OVER,), tr(START_OVER),
                                 lambda: self._confirm.start_over(self._start_over),
                                 tr('begin a new lesson; this one is kept on disk')))
        return found

    def _robot_keys(self) -> list[Binding]:
        lesson, found = self._lesson, []
        if lesson.policy is not None and not self._driving:
            found.append(Binding(
                (keys.REHEARSE,), tr('rehearse'), self._rehearse,
                tr('draw what the robot would do as far as it knows, or no more')))
        if lesson.execution is not None and not self._driving:
            found.append(Binding((keys.GO,), tr('go'), self._go,
                                 tr('let the robot do what it has learned')))
        if self._can_drive():
            found.append(Binding(
                (keys.DRIVE,), tr('answer') if self._driving else tr('drive'), self._switch,
                tr('stop driving, and answer questions') if self._driving
                else tr('drive the robot yourself')))
        if self._driving or lesson.recorded is not None:
            is_on = lesson.recorded is not None
            found.append(Binding(
                (keys.RECORD,), tr('send') if is_on else tr('record'), self._record,
                tr('send what was recorded as a demonstration') if is_on else
                tr('record what the robot does, driven here or by any joystick')))
        return found

    def _can_drive(self) -> bool:
        world = self._lesson.world
        return not self._local and world is not None and world.layout is not None

    def _stop(self) -> str:
        self._act.halt()        # at once; what else moves it is stopped through the controller
        if self._lesson.execution is not None or self._lesson.has_controller:
            self._later(self._act.stop, tr('STOPPED'), urgent=True)
        return tr(STOPPED)

    def _help(self) -> str:
        self._helping = True
        return ''

    def _quit(self) -> str:
        self.leave()
        self.is_over = True
        return ''

    def _undo(self) -> str:
        return self._later(self._act.undo, tr('Answer removed.'), tr('removing the answer ...'))

    def _start_over(self) -> str:
        self._rehearsal = None
        return self._later(self._act.reset, tr('A new lesson has begun.'),
                           tr('starting over ...'))

    def _pause(self) -> str:
        if self._lesson.is_paused:
            return self._later(self._act.resume, tr('resumed'))
        return self._later(self._act.pause, tr('paused'))

    def _enough(self) -> str:
        return self._later(self._act.finish, tr('good enough'))

    @property
    def _moves(self) -> bool:
        """Tell whether the robot moves, so that the space bar must stop it."""
        execution = self._lesson.execution
        return self._lesson.driving or (execution is not None and execution.status in (
            ExecutionStatus.DRIVING, ExecutionStatus.MANUAL))

    def _show_place(self, place: Place) -> str:
        record, world = self._lesson.asked, self._lesson.world
        if record is not None and world is not None and not place.keep_off \
                and not place.on_the_way and record.question.kind is QuestionKind.PLACE:
            self._act.answer(record.id, GoHereAnswer(tuple(
                int(state) for state in place_states(place, world))))
            return tr('You said: {words}', words=place.words)
        known_as = uuid.uuid4().hex
        return self._later(lambda: self._act.show_place(known_as, place),
                           tr('You said: {words}', words=place.words), f'{place.words} ...',
                           answered=True)

    def _say_words(self, text: str, understood: Callable[[], None]) -> str:
        known_as = uuid.uuid4().hex

        def say() -> str:
            said = self._act.say(known_as, text)
            understood()
            return said
        return self._later(say, tr('You said: {words}', words=text), f'{text} ...', answered=True)

    def _invent(self) -> str:
        return self._later(self._act.invent, tr('other tasks may be meant now'),
                           tr('thinking of other tasks ...'))

    def _go(self) -> str:
        def go(*over: str) -> str:
            return self._later(lambda: self._act.go(*over),
                               tr('the robot may drive; Space stops it'))
        asks = self._lesson.forbidden
        return go() if asks is None else self._confirm.drive_over(
            asks.question, lambda: go(asks.key))

    def _later(self, call: Callable[[], str], done: str, meanwhile: str = '',
               urgent: bool = False, answered: bool = False) -> str:
        """
        Have something done that may take a moment; return what to say until then.

        :param done: what to say then. answered: what it returns is said instead, if anything.
        """
        def called() -> str:
            said = call()
            return said if answered and said else done
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
            return tr('recording continues') if self._lesson.recorded is not None else ''
        self._driving = True
        return ''

    def _record(self) -> str:
        if self._lesson.recorded is None:
            self._act.record()
            return tr('recording: drive now')
        self._act.halt()
        count = self._act.send_recorded(uuid.uuid4().hex)
        return tr_count(count, 'sent a demonstration of {count} step',
                        'sent a demonstration of {count} steps')

    def _rehearse(self) -> str:
        if self._rehearsal is not None:
            self._rehearsal = None
            return ''
        world, policy = self._lesson.world, self._lesson.policy
        if world is None or policy is None:
            raise GbsIrlError(tr('the learner has not said yet what it would do'))
        course = self._rehearsal = rehearse(world, policy.policy, self._lesson.asked_start,
                                            before=self._lesson.action)
        warning = self._lesson.trespass(course.states)
        told = tr_count(len(course.actions), 'Rehearsal from {start}: {count} step ({end})',
                        'Rehearsal from {start}: {count} steps ({end})',
                        start=world.state_name(course.states[0]), end=course.end)
        return f'{told}. {warning}' if warning else told

    def _rehearse_again(self) -> None:
        """Draw what the robot would do now that something was learned."""
        self._rehearsal = None
        with contextlib.suppress(GbsIrlError):      # of another task, perhaps
            self._rehearse()
