"""The teleop node in a pseudo-terminal, on the real graph: a person's keys, a person's screen."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from cases import for_each
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import Twist
from graph import running_graph
from nav_msgs.msg import Odometry
from std_srvs.srv import Trigger
from terminal_process import RIGHT, UP, TerminalProcess, start_in_terminal
from waiting import patience, wait_for

from gbs_irl_ros import msg
from gbs_irl_ros.core.answers import ActionAnswer, DemonstrationAnswer, RewardAnswer
from gbs_irl_ros.core.questions import QuestionKind
from gbs_irl_ros.core.teacher import SimulatedTeacher
from gbs_irl_ros.learning.execution import ExecutionStatus
from gbs_irl_ros.learning.records import Status
from gbs_irl_ros.ros import names, qos
from gbs_irl_ros.ros.messages import conversions
from gbs_irl_ros.tasks import load_task, load_truth
from gbs_irl_ros.teaching.keys import action_keys
from gbs_irl_ros.teaching.reward_scale import reward_scale

FIRST = 'Which way should I go at (9, 9)'


class Class:
    """A lesson of `room` with a person at a terminal, and what the graph says about it."""

    def __init__(self, graph, *, robot=False, task='room', learner=None, terminal=True, **teleop):
        self.graph, self.task_name = graph, task
        self.beliefs = graph.listen(msg.Belief, names.BELIEF, qos.LATCHED)
        self.questions = graph.listen(msg.Question, names.QUESTION, qos.LATCHED)
        self.histories = graph.listen(msg.History, names.HISTORY, qos.LATCHED)
        self.executions = graph.listen(msg.Execution, names.EXECUTION, qos.LATCHED)
        graph.start('mdp', task=task)
        self.learner_options = learner or {}
        self.learner = self.start_learner()
        if robot:
            self.simulator = graph.start('simulator', noise=0.0)
            self.controller = graph.start('controller', max_turn=4.0)
        self.terminal = start_in_terminal(graph, **teleop) if terminal else None

    def begin(self):
        """Begin a new lesson, and forget all that was heard of the last one."""
        wait_for(lambda: self.belief and self.belief.session, 'the learner')
        before = self.belief.session
        assert self.graph.call(Trigger, names.LEARNER_RESET).success
        for heard in (self.beliefs, self.questions, self.histories):
            wait_for(lambda heard=heard: heard[-1].session not in ('', before), 'a new lesson')
            del heard[:-1]

    def start_learner(self):
        return self.graph.start('learner', journal_dir=self.graph.folder / 'journals',
                                **self.learner_options)

    @property
    def belief(self):
        return conversions.belief_from_msg(self.beliefs[-1]) if self.beliefs else None

    @property
    def question(self):
        """What the learner asks now, None if nothing."""
        last = self.questions[-1] if self.questions else None
        return conversions.question_from_msg(last) if last is not None and last.id else None

    def said(self, count):
        """Return the answers that count, as soon as there are so many."""
        def answers():
            last = conversions.history_from_msg(self.histories[-1]) if self.histories else None
            return last and len(last.entries) == count and [
                entry.answer.answer for entry in last.entries]
        return wait_for(answers, f'{count} answers in the history')

    def wait_for_answers(self, count):
        wait_for(lambda: self.belief is not None and self.belief.answers == count,
                 lambda: f'{count} answers; the screen:\n{self.terminal.text}')

    def wait_for_next(self, count):
        """Wait until so many answers have arrived and the next question is on the screen."""
        self.wait_for_answers(count)
        self.terminal.wait_for_text(f'You said so far ({count}):')
        wait_for(lambda: self.question and self.question.number >= count
                 and self.question.sentence in self.terminal.text, 'the next question')

    def wait_until_asked(self, text=FIRST):
        return self.terminal.wait_for_text(text, 'Space STOP')


@pytest.fixture(scope='module')
def shared(tmp_path_factory):
    """A lesson that nobody teaches yet."""
    with running_graph(tmp_path_factory.mktemp('terminals')) as graph:
        yield Class(graph, terminal=False)


@pytest.fixture
def lesson(shared):
    """A new lesson, and a person at a terminal of a teleop node that has just started."""
    shared.begin()
    shared.terminal = start_in_terminal(shared.graph)
    shared.wait_until_asked()
    yield shared
    shared.graph.finish(shared.terminal)


@pytest.fixture
def own_lesson(graph):
    """One whose nodes no other test has."""
    made = Class(graph)
    made.wait_until_asked()
    return made


# ---- a lesson -------------------------------------------------------------------------------

@pytest.mark.parametrize('kinds', [
    '', pytest.param('action,yes_no,reward,demonstration', id='every kind of question')])
def test_a_whole_lesson_by_keys(graph, kinds):
    """The person knows what is meant and never errs; the learner ends knowing it, too."""
    lesson = Class(graph, learner={'question_kinds': kinds} if kinds else {})
    task, truth = load_task('room'), load_truth('room')
    teacher = replace(SimulatedTeacher.for_reward(task.world.mdp, truth.reward, 1.0,
                                                  never=truth.never), choices=task.world.choices)
    rng, answered, seen = np.random.default_rng(1), '', set()

    def news():
        if lesson.belief is not None and lesson.belief.status is Status.DONE:
            return lesson.belief
        now = lesson.question
        return now if now is not None and now.id != answered else None
    while not isinstance(now := wait_for(news, 'a question'), type(lesson.belief)):
        lesson.terminal.wait_for_text(now.sentence)
        seen.add(now.question.kind)
        if now.question.kind is QuestionKind.REWARD:
            lesson.terminal.wait_for_text('1 ', '+ - another number')
        lesson.terminal.press(*keys_for(teacher.answer(now.question, rng), now.question, task))
        answered = now.id
    assert now.map_probability >= 0.95
    assert task.hypotheses.name(now.map_hypothesis) == 'go to desk, never over the carpet'
    lesson.terminal.wait_for_text('No more questions.', 'p resume', 'r rehearse',
                                  f'You said so far ({now.answers}):')
    assert not kinds or seen == {QuestionKind(kind) for kind in kinds.split(',')}


@for_each('by', ['words', 'keys'])
def test_a_whole_lesson_in_which_the_kind_of_each_question_is_chosen(by, whole):
    """Two things are said: what is meant, and yes."""
    meant = 'go to desk, never over the carpet'
    terminal = whole.terminal
    terminal.wait_for_text('Which of these do you mean?', '1 to ', 'of 30; ↓ ↑', '1-30 choose',
                           '/ say')
    if by == 'words':
        for text, told in (('xyzzy', "I know no task about 'xyzzy'"), ('go', 'fits all 30 tasks')):
            terminal.press('/')
            terminal.wait_for_text('You say: ')
            terminal.press(*['\x7f'] * 10, *text)
            terminal.wait_for_text(f'You say: {text}_')
            terminal.press('\r')
            terminal.wait_for_text(told)
        terminal.press('/')
        terminal.wait_for_text('You say: go_')          # not lost
        terminal.press('\x7f', '\x7f', *'the desk, never over the carpet', '\r')
        terminal.wait_for_text(f'I understood: {meant}.')
    else:
        terminal.press(*'17')
        terminal.wait_for_text('Your number: 17_', f'>17 {meant}')
        terminal.press('\r')
    terminal.wait_for_text('Is this what you mean?')
    terminal.press('y')
    belief = wait_for(lambda: (now := whole.belief) and now.status is Status.DONE and now,
                      'the end')
    assert load_task('room').names[belief.map_hypothesis] == meant
    assert belief.answers == 2
    terminal.wait_for_text('No more questions.')
    whole.begin()       # not at first: its first question would look the same before and after


@pytest.fixture
def whole(graph):
    return Class(graph, learner={
        'strategy': 'bits_per_second', 'none_of_these': 0.1, 'learn_error_rate': True,
        'closing_question': True, 'stop_condition': 'loses_nothing'})


def keys_for(answer, question, task):
    """Return the keys that a person presses to say this."""
    letters = action_keys(task.world)
    if isinstance(answer, ActionAnswer):
        return [letters[answer.action]]
    if isinstance(answer, DemonstrationAnswer):
        return [*(letters[action] for _, action in answer.steps), '\r']
    if isinstance(answer, RewardAnswer):
        values = [mark.answer.reward for mark in reward_scale(task, question)]
        return [str(1 + values.index(answer.reward))]
    return ['y' if answer.yes else 'n']


def test_the_screen_shows_all_that_matters(lesson):
    screen = lesson.terminal.wait_for_text('Why I ask', '% east (go to desk)', 'k kitchen')
    picture = [line[:16] for line in screen.splitlines() if line.startswith('#')]
    assert len(picture) == 13        # a thin wall is a row of its own
    assert picture[10] == '#sss...cc?cc..d#'
    sure = '3% sure, about 5 more answers (4 to 8)'
    lesson.terminal.wait_for_text(f'room{sure:>76}')
    lesson.terminal.press(RIGHT)
    screen = lesson.terminal.wait_for_text('Which way should I go at (7, 9)',
                                           'You said so far (1):')
    assert f'east ({FIRST[:20]}' in screen
    assert '\x1b[1;7m?' in lesson.terminal.output      # it stands out, and not by colour alone


def test_arrows_letters_and_keys_in_pieces(lesson):
    lesson.terminal.press(b'\x1b', b'[', b'C')
    lesson.wait_for_next(1)
    lesson.terminal.press('\x1bOA')
    lesson.wait_for_next(2)
    lesson.terminal.press('ä', 'D')
    lesson.wait_for_answers(3)
    assert [answer.action for answer in lesson.said(3)] == [1, 0, 1]


@pytest.mark.parametrize(('key', 'said'), [
    ('i', "You said: I don't know"), ('l', 'You said: ask me later'),
    ('=', 'You said: any direction is fine')])
def test_the_three_that_are_no_action(lesson, key, said):
    lesson.terminal.press(key)
    lesson.terminal.wait_for_text(said)
    lesson.wait_for_answers(1)


def test_undo_as_often_as_one_likes(lesson):
    lesson.terminal.press('u')
    lesson.terminal.wait_for_text('there is no answer to take back')
    for count in range(1, 4):
        wait_for(lambda: lesson.question and lesson.question.sentence in lesson.terminal.text,
                 'the question')
        lesson.terminal.press('d')
        lesson.wait_for_answers(count)
    for count in (2, 1, 0):
        lesson.terminal.press('u')
        lesson.wait_for_answers(count)
        lesson.terminal.wait_for_text('Answer removed.')
    lesson.terminal.wait_for_text(FIRST)
    lesson.terminal.wait_while_text('You said so far')


def test_an_answer_and_undo_at_once_leave_nothing(lesson):
    """Undo waits until the learner has what is to be taken back."""
    lesson.terminal.press('d', 'u')
    lesson.terminal.wait_for_text('Answer removed.')
    lesson.wait_for_answers(0)


def test_help_lists_the_keys_and_goes_away(lesson):
    lesson.terminal.press('?')
    screen = lesson.terminal.wait_for_text('Keys that work now', 'I do not know')
    for text in ('↑ w', 'Space  stop the robot', 'u      remove the last answer', 'q      quit',
                 'e      good enough', 'm      drive the robot yourself'):
        assert text in screen
    lesson.terminal.press('?')
    lesson.wait_until_asked()


def test_a_wrong_key_is_explained_until_the_next(lesson):
    lesson.terminal.press('y')
    lesson.terminal.wait_for_text('y does nothing now; ? shows the keys that work')
    lesson.terminal.press('?')
    lesson.terminal.press('?')
    lesson.terminal.wait_while_text('does nothing')


def test_pause_resume_enough_and_resume_again(lesson):
    lesson.terminal.press('p')
    lesson.terminal.wait_for_text('Paused: press p to resume.', 'p resume')
    lesson.terminal.press('p')
    lesson.wait_until_asked()
    lesson.terminal.press('e')
    lesson.terminal.wait_for_text('No more questions.', 'p resume')
    wait_for(lambda: lesson.belief and lesson.belief.status is Status.DONE, 'the end')
    lesson.terminal.press('p')
    lesson.terminal.wait_for_text('Which way should I go')


def test_a_rehearsal_is_drawn_in_the_picture(lesson):
    lesson.terminal.press('d')
    lesson.wait_for_next(1)     # without a question it would begin at the start of the task
    lesson.terminal.press('r')
    screen = lesson.terminal.wait_for_text('Rehearsal from', '* end of the rehearsal')
    assert any(arrow in line[:16] for line in screen.splitlines() if line.startswith('#')
               for arrow in '↑→↓←')
    lesson.terminal.press('r')
    lesson.terminal.wait_while_text('end of the rehearsal')


# ---- windows --------------------------------------------------------------------------------

def test_a_place_that_is_not_listed_is_shown_and_taken_back(lesson):
    lesson.graph.set_parameters('learner', none_of_these=0.1)
    lesson.terminal.wait_for_text('h place')
    lesson.terminal.press('h', *'1,1,14,10', 'k')
    lesson.terminal.wait_for_text('covers everything: the robot could not keep off')
    lesson.terminal.press('h', *'12,8')
    screen = lesson.terminal.wait_for_text('The place: 12,8_', '% the place')
    assert [line[12] for line in screen.splitlines() if line.startswith('#')][9] == '%'
    lesson.terminal.press('\r')
    lesson.terminal.wait_for_text('go to (12, 8): that may be meant now')
    wait_for(lambda: lesson.belief and [each.words for each in lesson.belief.places]
             == ['go to (12, 8)'], 'the place')
    lesson.terminal.press('u')
    wait_for(lambda: not lesson.belief.places, 'the place to be taken back')
    lesson.graph.set_parameters('learner', none_of_these=0.0)


def test_a_small_window_crops_the_picture_and_says_so(graph):
    lesson = Class(graph, columns=40, rows=15)
    screen = lesson.terminal.wait_for_text(FIRST, 'cropped: ', '→ d east', 'Space STOP')
    assert any('?' in line for line in screen.splitlines() if line.startswith('#'))
    lesson.terminal.press('d')
    lesson.wait_for_answers(1)


def test_the_window_may_change_while_a_question_is_open(lesson):
    lesson.terminal.resize(40, 15)
    lesson.terminal.wait_for_text('cropped: ', FIRST)
    assert len(lesson.terminal.settled()) == 15
    lesson.terminal.resize(120, 40)
    lesson.terminal.wait_while_text('cropped: ')
    lines = lesson.terminal.settled()
    assert len(lines) == 40
    assert re.search(r'% sure', lines[0])
    assert len(lines[0]) == 120
    assert any(each.startswith('Space STOP') for each in lines[-3:])
    lesson.terminal.press('d')
    lesson.wait_for_answers(1)


def test_a_large_map_scrolls_to_what_is_asked(graph):
    lesson = Class(graph, task='trap_world', columns=80, rows=24)
    screen = lesson.terminal.wait_for_text('Which way should I go', 'cropped: ')
    assert any('?' in line[:32] for line in screen.splitlines() if line.startswith(('#', '.')))


def test_no_color_means_no_styles(graph):
    lesson = Class(graph, environment={'NO_COLOR': '1'})
    lesson.wait_until_asked()
    assert set(re.findall(r'\x1b\[[\d;]*m', lesson.terminal.output)) == {'\x1b[0m'}


@pytest.mark.parametrize('kind', ['dumb', ''])
def test_a_dumb_terminal_gets_plain_lines(graph, kind):
    lesson = Class(graph, environment={'TERM': kind}, rows=60)
    lesson.terminal.wait_for_text(FIRST, '#sss...cc?cc..d#', '→ d east')
    lesson.terminal.press('y')
    lesson.terminal.wait_for_text('y does nothing now')
    lesson.terminal.press('d')
    lesson.wait_for_answers(1)
    lesson.terminal.wait_for_text('You said: east')
    assert '\x1b' not in lesson.terminal.output
    lesson.terminal.press('q')
    assert lesson.terminal.wait() == 0
    lesson.terminal.assert_restored()


# ---- other nodes come and go ----------------------------------------------------------------

def test_it_says_whom_it_waits_for(graph):
    terminal = start_in_terminal(graph)
    terminal.wait_for_text('Waiting for the task: is the mdp node running?')
    graph.start('mdp', task='room')
    terminal.wait_for_text('Waiting for the learner: is it running?', 'room')
    graph.start('learner', journal_dir=graph.folder / 'journals')
    terminal.wait_for_text(FIRST)


def test_a_learner_that_is_killed_and_comes_back(own_lesson):
    """The answer given meanwhile counts, once."""
    own_lesson.terminal.press('d')
    own_lesson.wait_for_answers(1)
    second = 'Which way should I go at (7, 9)'
    own_lesson.wait_until_asked(second)
    own_lesson.learner.kill()
    own_lesson.terminal.wait_for_text(
        'The learner is silent: is it running? Your answers are kept.')
    own_lesson.terminal.press('s')
    own_lesson.terminal.wait_for_text('Waiting for the learner', 'You said: south')
    own_lesson.terminal.press('u')
    own_lesson.terminal.wait_for_text('the learner has not received your last answer yet')
    own_lesson.start_learner()
    own_lesson.wait_for_answers(2)
    own_lesson.terminal.wait_while_text('Waiting for the learner')
    own_lesson.terminal.wait_for_text('You said so far (2):')
    assert [answer.action for answer in own_lesson.said(2)] == [1, 2]


def test_what_is_logged_is_shown_on_the_screen_not_through_it(own_lesson):
    publisher = own_lesson.graph.publisher(msg.Belief, names.BELIEF, qos.LATCHED)
    wait_for(publisher.get_subscription_count, 'a subscription')
    own_lesson.terminal.wait_for_text('more answers')   # only the last belief waits to be heard
    publisher.publish(msg.Belief(session='', status=250))
    own_lesson.terminal.wait_for_text('on belief: ')
    own_lesson.wait_until_asked()
    lines = own_lesson.terminal.settled()
    assert lines[0].startswith('room')
    assert any(each.startswith('Space STOP') for each in lines[-3:])


# ---- the robot ------------------------------------------------------------------------------

NOT_DRIVEN = ('was stopped on its way', 'does not say where it is')

@pytest.fixture
def driving(graph):
    """Drive mode, with a robot that has said where it is."""
    made = Class(graph, robot=True, max_speed=2.0, max_turn=2.0, odometry_timeout=5.0)
    made.odometry = graph.listen(Odometry, names.ODOM, qos.EVENTS)
    made.commands = graph.listen(Twist, names.CMD_VEL, qos.COMMANDS)
    wait_for(lambda: made.odometry, 'the robot')
    made.terminal.wait_for_text(FIRST, '@ robot', 'Robot: stopped', 'press g')
    made.terminal.press('m')
    made.terminal.wait_for_text('room · driving', 'A question waits', 't record')
    return made


def drive(driving, key, has_driven, what):
    """Press a key; again, as a person would, if a busy machine made the terminal give up."""
    driving.terminal.press(key)

    def again_or_done():
        if not has_driven() and any(text in driving.terminal.text for text in NOT_DRIVEN):
            driving.terminal.press(key)
        return has_driven()
    wait_for(again_or_done, lambda: f'{what}; the screen:\n{driving.terminal.text}')


def place(screen):
    """Return row and column of the robot in the picture."""
    rows = [line[:16] for line in screen.splitlines() if line.startswith('#')]
    row, line = [each for each in enumerate(rows) if '@' in each[1]][-1]
    return row, line.index('@')


def test_driving_records_a_demonstration_that_the_learner_gets(driving):
    row, column = place(driving.terminal.text)
    driving.terminal.press('t')
    driving.terminal.wait_for_text('RECORDING: 0 steps; t sends')
    drive(driving, '\x1b[B', lambda: 'RECORDING: 0 steps' not in driving.terminal.text, 'a step')
    # On a machine that is too busy, it drives too far before it is told to stop.
    drive(driving, 's', lambda: place(driving.terminal.text) >= (row + 2, column),
          'the robot two cells on')
    driving.terminal.press('t')
    driving.terminal.wait_for_text('sent a demonstration of')
    driving.wait_for_answers(1)
    screen = driving.terminal.wait_for_text('south, south', '(shown unasked)')
    assert 'RECORDING' not in screen
    steps = driving.said(1)[0].steps
    assert len(steps) >= 2
    assert {action for _, action in steps} == {2}
    assert f'sent a demonstration of {len(steps)} steps' in driving.terminal.text
    driving.terminal.press('m')
    driving.wait_until_asked()


def test_what_another_joystick_drives_is_recorded_from_odometry(driving):
    driving.terminal.press('t')
    driving.terminal.wait_for_text('RECORDING: 0 steps')
    twist = Twist()
    twist.linear.x, twist.angular.z = 0.0, -0.5     # slowly: it turns on until it is told
    joystick = driving.graph.publisher(Twist, names.CMD_VEL, qos.COMMANDS)

    def turned():       # from east to south
        joystick.publish(twist)
        pose = driving.odometry[-1].pose.pose.orientation
        return pose.z < -0.69
    wait_for(turned, 'the robot to turn')
    twist.linear.x, twist.angular.z = 0.5, 0.0
    wait_for(lambda: joystick.publish(twist) or 'RECORDING: 1 step' in driving.terminal.text,
             'a step')
    driving.terminal.press('t')
    driving.wait_for_answers(1)
    assert [action for _, action in driving.said(1)[0].steps] == [2]


def test_leaving_drive_mode_halts(driving):
    drive(driving, '\x1b[B', lambda: any(each.linear.x > 0.0 for each in list(driving.commands)),
          'a command')
    driving.terminal.press('m')
    driving.wait_until_asked()
    wait_for(lambda: driving.commands[-1].linear.x == driving.commands[-1].angular.z == 0.0,
             'the last command: stop')


def test_a_way_that_is_none_is_explained(driving):
    driving.terminal.press(UP)
    driving.terminal.wait_for_text('there is no way in that direction')


def test_a_robot_that_does_its_task_is_corrected_and_space_stops_it(graph):
    lesson = Class(graph, robot=True, learner={'seed': 4})      # 'go to bed', which is far away
    lesson.terminal.wait_for_text(FIRST, 'Robot: stopped', 'g go')
    lesson.terminal.press('e')
    lesson.terminal.wait_for_text('No more questions.')
    lesson.terminal.press('g')
    lesson.terminal.wait_for_text('the robot may drive; Space stops it')

    def status():
        return conversions.execution_from_msg(lesson.executions[-1]).status \
            if lesson.executions else None
    wait_for(lambda: status() in (ExecutionStatus.DRIVING, ExecutionStatus.UNSURE), 'the robot')
    lesson.terminal.press('m')
    lesson.terminal.wait_for_text('what you drive is a correction')
    lesson.terminal.press('t')
    lesson.terminal.wait_for_text('the robot is doing its task: what you drive now is taken as')
    lesson.terminal.press(' ')
    lesson.terminal.wait_for_text('STOPPED')
    wait_for(lambda: status() is ExecutionStatus.STOPPED, 'the robot to stop')
    lesson.terminal.wait_while_text('what you drive is a correction')


def test_stop_does_not_wait_for_a_learner_that_hangs(graph):
    """An errand that takes long must not stand in the way of a stop."""
    lesson = Class(graph, robot=True)
    stopped = []
    lesson.terminal.wait_for_text(FIRST, 'Robot: stopped')
    lesson.controller.end()
    graph.node.create_service(Trigger, names.CONTROLLER_STOP, lambda _, response: (
        stopped.append(True), setattr(response, 'success', True), response)[-1])
    for _ in range(20):         # until the terminal has found the service that takes its place
        lesson.terminal.press(' ')
        with contextlib.suppress(AssertionError):
            wait_for(lambda: stopped, 'a stop', 1.0)
            break
    assert stopped, 'no stop was heard'
    stopped.clear()
    lesson.learner.send(signal.SIGSTOP)
    lesson.terminal.press('u', ' ')
    wait_for(lambda: stopped, 'the stop', 4.0)      # the errand would take 5 s
    lesson.learner.send(signal.SIGCONT)


# ---- every end ------------------------------------------------------------------------------

@pytest.mark.parametrize('how', [
    'q', '\x03', signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=repr)
def test_whatever_ends_it_the_terminal_is_as_before(lesson, how):
    assert lesson.terminal.screen.is_other
    assert lesson.terminal.settings != lesson.terminal.settings_before
    assert not lesson.terminal.screen.cursor_is_shown
    if isinstance(how, str):
        lesson.terminal.press(how)
    else:
        lesson.terminal.send(how)
    assert lesson.terminal.wait() == 0
    lesson.terminal.assert_restored()


@pytest.mark.parametrize('how', ['\x1c', '\x13'], ids=repr)
def test_ctrl_backslash_and_ctrl_s_do_nothing(lesson, how):
    lesson.terminal.press(how, '?')
    lesson.terminal.wait_for_text('Keys that work now')


FAULTY = """
import sys
from gbs_irl_ros.nodes import teleop
from gbs_irl_ros.teaching.terminal import dialogue
draw = dialogue.draw
def faulty(view, *size):
    if view.message.startswith('y does nothing'):
        raise ZeroDivisionError('provoked')
    return draw(view, *size)
dialogue.draw = faulty
sys.exit(teleop.main())
"""


def test_an_exception_in_the_thread_of_the_conversation(graph):
    lesson = Class(graph, code=FAULTY)
    lesson.wait_until_asked()
    lesson.terminal.press('y')
    assert lesson.terminal.wait() == 1
    lesson.terminal.assert_restored()
    left = lesson.terminal.output.rindex('\x1b[?1049l')
    wait_for(lambda: 'ZeroDivisionError: provoked' in lesson.terminal.output[left:],
             'the reason, on the usual screen')
    graph.processes.remove(lesson.terminal)     # its traceback is wanted here
    lesson.terminal.close()


UNGUARDED = """
import sys, threading
from gbs_irl_ros.nodes import teleop
class Provoked(BaseException):      # others are reported, and the node continues
    pass
made = teleop.TeleopNode.__init__
def faulty(self, *given):
    made(self, *given)
    def fail():
        if self._link.watcher.belief is not None:
            raise Provoked('oh')
    self.create_timer(0.05, fail)
teleop.TeleopNode.__init__ = faulty
sys.exit(teleop.main())
"""


def test_an_exception_that_ends_the_process(graph):
    lesson = Class(graph, code=UNGUARDED)
    assert lesson.terminal.wait(patience(60.0)) == 1
    lesson.terminal.assert_restored()
    left = lesson.terminal.output.rindex('\x1b[?1049l')
    wait_for(lambda: 'Provoked: oh' in lesson.terminal.output[left:], 'the reason')
    graph.processes.remove(lesson.terminal)
    lesson.terminal.close()


def test_ctrl_z_in_a_shell_gives_the_terminal_back_and_fg_takes_it_again(graph):
    graph.start('mdp', task='room')
    graph.start('learner', journal_dir=graph.folder / 'journals')
    shell = TerminalProcess('bash', ['bash', '--norc', '--noprofile', '-i'],
                            {**graph.environment, 'PS1': 'shell> '})
    graph.processes.append(shell)
    shell.wait_for_text('shell>')
    shell.press(f'{sys.executable} -m gbs_irl_ros.nodes.teleop\n')
    shell.wait_for_text(FIRST)
    assert shell.screen.is_other
    shell.press('\x1a')
    wait_for(lambda: not shell.screen.is_other, 'the usual screen')
    shell.wait_for_text('Stopped')
    assert shell.screen.cursor_is_shown
    # The shell itself reads key by key: what matters is what a command finds.
    shell.press('stty -a\n')
    shell.wait_for_text('isig icanon iexten echo ')
    shell.press('echo alive $((6*7))\n')
    shell.wait_for_text('alive 42')
    shell.press('fg\n')
    wait_for(lambda: shell.screen.is_other, 'the other screen')
    shell.wait_for_text(FIRST, 'Space STOP')
    shell.press('?')
    shell.wait_for_text('Keys that work now')
    shell.press('q')
    wait_for(lambda: not shell.screen.is_other, 'the usual screen')
    shell.press('echo left $((6*7)) $?\n')
    shell.wait_for_text('left 42 0')
    shell.press('exit\n')
    assert shell.wait() == 0


def test_ctrl_z_without_a_shell_that_could_bring_it_back_does_no_harm(lesson):
    """As with `ssh -t robot ros2 run ...`: the kernel does not stop such a process."""
    lesson.terminal.press('\x1a')
    wait_for(lambda: lesson.terminal.output.count('\x1b[?1049h') == 2, 'the screen once more')
    lesson.wait_until_asked()
    assert lesson.terminal.settings != lesson.terminal.settings_before
    lesson.terminal.press('?')
    lesson.terminal.wait_for_text('Keys that work now')


# ---- without a keyboard ---------------------------------------------------------------------

def test_without_a_keyboard_it_says_how_to_run_it_and_serves_nothing(graph):
    teleop = graph.start('teleop', namespace='flat', remap=['odom:=base/odom'])
    teleop.wait_for_line('run `ros2 run gbs_irl_ros teleop --ros-args -r __ns:=/flat -r '
                         'odom:=base/odom` in a terminal of its own')
    wait_for(lambda: ('teleop', '/flat') in graph.node.get_node_names_and_namespaces(),
             'the node')
    served = dict(graph.node.get_service_names_and_types_by_node('teleop', '/flat'))
    assert '/flat/query_demonstrator' not in served
    assert teleop.end() == 0
    assert sum('in a terminal of its own' in line for line in teleop.lines) == 1


def test_without_a_keyboard_it_does_not_spin(graph):
    teleop = graph.start('teleop')
    teleop.wait_for_line('in a terminal of its own')
    ticks = os.sysconf('SC_CLK_TCK')

    def used():
        stat = Path(f'/proc/{teleop.popen.pid}/stat').read_text()
        fields = stat.rsplit(')', 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / ticks
    health = graph.listen(DiagnosticArray, names.DIAGNOSTICS, qos.EVENTS)
    wait_for(lambda: health, 'a first sign')
    before, heard = used(), len(health)
    wait_for(lambda: len(health) >= heard + 3, 'three seconds of the node')
    assert used() - before < 1.0
    assert 'there is no keyboard here' in health[-1].status[0].message


def test_an_output_that_is_no_terminal_gets_plain_lines(graph):
    """`teleop | tee file`: keys come from the terminal, lines go elsewhere."""
    lesson = Class(graph, code=(
        'import os, subprocess, sys\n'
        'sys.exit(subprocess.call([sys.executable, "-m", "gbs_irl_ros.nodes.teleop"], '
        'stdout=open(os.environ["OUT"], "w"), stderr=subprocess.STDOUT))'),
        environment={'OUT': str(graph.folder / 'out')})
    out = graph.folder / 'out'
    wait_for(lambda: out.exists() and FIRST in out.read_text(), 'the question')
    lesson.terminal.press('q')
    assert lesson.terminal.wait() == 0
    assert '\x1b' not in out.read_text()
