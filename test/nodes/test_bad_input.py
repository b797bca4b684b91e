"""Whatever comes in: a clear line in the log, state kept, node alive."""

from __future__ import annotations

import time

import pytest
from builtin_interfaces.msg import Time
from diagnostic_msgs.msg import DiagnosticArray
from in_process import MODULES
from rcl_interfaces.msg import Parameter, ParameterValue
from rcl_interfaces.srv import SetParameters
from rosgraph_msgs.msg import Clock
from std_srvs.srv import Trigger
from waiting import patience, wait_for

from gbs_irl_ros import msg, srv
from gbs_irl_ros.ros import names, qos
from gbs_irl_ros.ros.messages import conversions

STRING, DOUBLE = 4, 3


def set_parameter(graph, node, name, value):
    given = ParameterValue(type=STRING, string_value=value) if isinstance(value, str) \
        else ParameterValue(type=DOUBLE, double_value=value)
    request = SetParameters.Request(parameters=[Parameter(name=name, value=given)])
    return graph.call(SetParameters, f'{node}/set_parameters', request).results[0]


class PlayedTeacher:
    """Answers as the test says; by itself it does not answer."""

    def __init__(self, graph):
        self.answers = []           # functions from a question to an answer
        self.asked = []
        graph.node.create_service(srv.QueryDemonstrator, names.QUERY_DEMONSTRATOR, self._handle)

    def _handle(self, request, response):
        self.asked.append(request.question)
        if self.answers:
            response.ok, response.answer = True, self.answers.pop(0)(request.question)
        else:
            response.message = 'nobody is there'
        return response


@pytest.fixture
def lesson(graph):
    """A learner in the middle of a lesson, with a teacher that the test plays."""
    graph.teacher = PlayedTeacher(graph)
    graph.start('mdp', task='room')
    graph.learner = graph.start('learner', journal_dir=graph.folder / 'journals')
    heard = graph.listen(msg.Belief, names.BELIEF, qos.LATCHED)

    def belief():
        return conversions.belief_from_msg(heard[-1]) if heard else None
    graph.belief = belief
    wait_for(lambda: graph.teacher.asked, 'the first question')
    graph.teacher.answers.append(
        lambda question: msg.Answer(id=question.id, kind=msg.Answer.ACTION, action=1))
    wait_for(lambda: belief() and belief().answers == 1, 'the first answer')
    return graph


def still_teachable(graph, answers=1):
    """Check that nothing was lost, and that the lesson goes on."""
    assert graph.belief().answers == answers
    graph.teacher.answers.append(
        lambda question: msg.Answer(id=question.id, kind=msg.Answer.DONT_KNOW))
    wait_for(lambda: graph.belief().answers == answers + 1, 'the lesson to go on')


@pytest.mark.parametrize(('answer', 'text'), [
    (lambda question: msg.Answer(id='never-asked', kind=msg.Answer.ACTION),
     "no question with the id 'never-asked' was asked in this lesson"),
    (lambda question: msg.Answer(id=question.id, kind=msg.Answer.ACTION, action=99),
     'action must be in 0 .. 4, got 99'),
    (lambda question: msg.Answer(id=question.id, kind=msg.Answer.REWARD, reward=1.0),
     "an answer of kind 'reward' does not fit a question of kind 'action'"),
    (lambda question: msg.Answer(id=question.id, kind=200),
     'kind of an answer must be one of [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, '
     '13, 14, 15, 16], got 200'),
    (lambda question: msg.Answer(id=question.id, kind=msg.Answer.DEMONSTRATION),
     'a demonstration must have at least one step'),
    (lambda question: msg.Answer(id=question.id, kind=msg.Answer.DEMONSTRATION,
                                 steps=[msg.Step(state=4000000000, action=0)]),
     'state of step 0 must be in 0 .. 94, got 4000000000'),
], ids=['never-asked', 'action', 'other-kind', 'no-kind', 'no-steps', 'state'])
def test_an_answer_that_cannot_be_used(lesson, answer, text):
    lesson.teacher.answers.append(answer)
    lesson.learner.wait_for_line(text)
    still_teachable(lesson)


def test_a_demonstration_that_cannot_be_used(lesson):
    publisher = lesson.publisher(msg.Demonstration, names.DEMONSTRATION, qos.EVENTS)
    wait_for(lambda: publisher.get_subscription_count(), 'the learner to listen')
    publisher.publish(msg.Demonstration(id='d', steps=[msg.Step(state=95, action=0)]))
    lesson.learner.wait_for_line('state of step 0 must be in 0 .. 94, got 95')
    publisher.publish(msg.Demonstration(id='', steps=[msg.Step(state=9, action=0)]))
    lesson.learner.wait_for_line('id must not be empty')
    still_teachable(lesson)


def test_ids_of_megabytes_are_refused_in_words_and_leave_nothing(lesson):
    publisher = lesson.publisher(msg.Demonstration, names.DEMONSTRATION, qos.EVENTS)
    wait_for(lambda: publisher.get_subscription_count(), 'the learner to listen')
    journal = next((lesson.folder / 'journals').rglob('*.jsonl'))
    for field in ('id', 'demonstrated_by'):
        publisher.publish(msg.Demonstration(**{'id': 'd', field: 'x' * 5_000_000},
                                            steps=[msg.Step(state=9, action=0)]))
        lesson.learner.wait_for_line(f'{field} must have at most 200 characters, got 5000000')
    publisher.publish(msg.Demonstration(id='d', steps=[msg.Step(state=9, action=0)] * 10_001))
    lesson.learner.wait_for_line('steps must have at most 10000 entries, got 10001')
    for forged, told in (
            ({'kind': 9}, 'kind of a demonstration must be one of [0, 1, 2, 3, 4], got 9'),
            ({'kind': 1}, 'a region must have at least one state, got none'),
            ({'kind': 1, 'states': [95]}, 'state of the region must be in 0 .. 94, got 95'),
            ({'kind': 2, 'states': [*range(1_000_000), 7]}, 'must differ: 7 appears twice'),
            ({'kind': 3, 'states': range(1_000_000)}, 'must be in 0 .. 94, got 95'),
            ({'kind': 4, 'text': 'x', 'tasks': [30]}, 'of a task must be in 0 .. 29, got 30'),
            ({'kind': 4, 'text': 'x' * 5_000_000, 'tasks': [3]}, 'text must have at most 20000'),
            ({'kind': 4, 'text': 'x' * 600, 'tasks': [3]}, 'text must have 1 to 500 characters')):
        publisher.publish(msg.Demonstration(id='d', **forged))
        lesson.learner.wait_for_line(told)
    publisher.publish(msg.Demonstration(id='d\x1b[2J', steps=[msg.Step(state=9, action=0)]))
    lesson.learner.wait_for_line(r"id must not contain control characters, got 'd\x1b[2J'")
    revised = lesson.call(srv.Revise, 'learner/revise', srv.Revise.Request(
        answer=msg.Answer(id='x' * 5_000_000, kind=msg.Answer.DONT_KNOW)))
    assert revised.message == 'id must have at most 200 characters, got 5000000'
    result = set_parameter(lesson, 'learner', 'strategy', 'x' * 5_000_000)
    assert result.reason == "parameter 'strategy' must have at most 4096 characters, got 5000000"
    assert journal.stat().st_size < 20_000
    assert len(lesson.learner.output) < 100_000
    assert lesson.belief().acknowledged == lesson.belief().acknowledged[:1]
    still_teachable(lesson)


def test_services_say_why_they_refuse(lesson):
    about = lesson.call(srv.AskAbout, names.ASK_ABOUT, srv.AskAbout.Request(state=95))
    assert not about.ok
    assert about.message == 'state must be in 0 .. 94, got 95'
    revised = lesson.call(srv.Revise, 'learner/revise', srv.Revise.Request(
        answer=msg.Answer(id='unknown', kind=msg.Answer.DONT_KNOW)))
    assert not revised.ok
    assert "no question with the id 'unknown' was asked" in revised.message
    for cell, why in ((msg.Place(), 'cell (0, 0) is outside the map'),
                      (msg.Place(column=2, row=1, last_column=2, last_row=1),
                       'there is nothing but wall at (2, 1); show a free cell'),
                      (msg.Place(keep_off=True, column=1, row=1, last_column=14, last_row=10),
                       '(1, 1) to (14, 10) covers everything'),
                      (msg.Place(keep_off=True, on_the_way=True, column=4, row=4, last_column=4,
                                 last_row=4),
                       'a place must not be kept off and lie on the way, got both'),
                      (msg.Place(on_the_way=True, column=1, row=4, last_column=2, last_row=5),
                       'none of the 30 tasks I know passes there.'),
                      (msg.Place(column=12, row=8, last_column=12, last_row=8),
                       'one of the listed tasks is taken to be meant for certain')):
        shown = lesson.call(srv.ShowPlace, names.LEARNER_SHOW_PLACE,
                            srv.ShowPlace.Request(id='p', place=cell))
        assert not shown.ok
        assert shown.message.startswith(why)
    still_teachable(lesson)


def test_a_parameter_set_wrong_while_it_runs(lesson):
    result = set_parameter(lesson, 'learner', 'strategy', 'gsb')
    assert not result.successful
    assert "Did you mean 'gbs'?" in result.reason
    result = set_parameter(lesson, 'learner', 'likelihood', 'single_action')
    assert not result.successful
    assert 'needs one optimal action in every state' in result.reason
    result = set_parameter(lesson, 'learner', 'lesson', 'another')
    assert not result.successful
    assert "'journal_dir', 'person', 'study' cannot be changed in the middle of" in result.reason
    assert set_parameter(lesson, 'learner', 'strategy', 'random').successful
    still_teachable(lesson)


def test_a_parameter_that_is_wrong_from_the_start_can_be_set_right(graph):
    graph.teacher = PlayedTeacher(graph)
    graph.start('mdp', task='room')
    learner = graph.start('learner', journal_dir=graph.folder / 'journals', certainty=2.5)
    learner.wait_for_line("parameter 'certainty' must be in 0 .. 1, got 2.5")
    assert set_parameter(graph, 'learner', 'certainty', 0.9).successful
    wait_for(lambda: graph.teacher.asked, 'a question')


def test_an_unknown_task_can_be_set_right(graph):
    graph.teacher = PlayedTeacher(graph)
    mdp = graph.start('mdp', task='rome')
    mdp.wait_for_line("Did you mean 'room'?")
    learner = graph.start('learner', journal_dir=graph.folder / 'journals')
    learner.wait_for_line('waiting for the task: the task cannot be served: rome: is not a task')
    refused = graph.call(Trigger, 'learner/undo')
    assert not refused.success
    assert refused.message.startswith('there is no lesson yet: ')
    response = graph.call(srv.GetTask, names.GET_TASK)
    assert not response.ok
    assert 'rome: is not a task' in response.message
    assert set_parameter(graph, 'mdp', 'task', 'room').successful
    wait_for(lambda: graph.teacher.asked, 'a question')


def test_a_second_learner_refuses_the_journal_of_the_first(lesson):
    second = lesson.start('learner', '--ros-args', '-r', '__node:=second',
                          journal_dir=lesson.folder / 'journals')
    second.wait_for_line('another learner is using this journal')
    assert second.popen.poll() is None
    assert second.end() == 0
    lesson.teacher.answers.append(
        lambda question: msg.Answer(id=question.id, kind=msg.Answer.DONT_KNOW))
    wait_for(lambda: lesson.belief().answers == 2, 'the first one to go on')


def test_another_task_in_the_middle_of_a_lesson(lesson):
    refused = set_parameter(lesson, 'mdp', 'task', 'no_such_task')
    assert not refused.successful
    assert 'no_such_task: is not a task' in refused.reason
    assert set_parameter(lesson, 'mdp', 'task', 'trap_world').successful
    lesson.learner.wait_for_line("the mdp node now serves another task, 'trap_world'; this lesson "
                                 "continues with 'room'. Call ~/reset to learn the new one")
    still_teachable(lesson)


def test_a_judge_who_does_not_know_the_task_says_so_and_ends(graph):
    judge = graph.start('judge', task='rome')
    judge.wait_for_line('nothing can be judged: rome: is not a task')
    assert judge.popen.wait(patience(20)) == 1


def test_a_teacher_who_takes_his_time_is_asked_again_and_keeps_his_threads(graph):
    """Asked again and again, one call waits: the node goes on hearing and answering."""
    graph.start('mdp', task='room')
    graph.start('learner', journal_dir=graph.folder / 'journals', ask_again=0.1)
    teacher = graph.start('demonstrator', task='room', delay=3600.0)
    beliefs = graph.listen(msg.Belief, names.BELIEF, qos.LATCHED)
    teacher.wait_for_line('teaching task')
    wait_for(lambda: beliefs and beliefs[-1].question_id, 'the first question')
    end = time.monotonic() + 6.0        # time for more calls than there are threads
    wait_for(lambda: set_parameter(graph, 'demonstrator', 'accuracy', 0.8).successful
             and time.monotonic() > end, 'the node to go on', 30.0)


@pytest.mark.parametrize('executable', sorted({*MODULES} - {'teleop'}))    # its log is a screen
def test_a_clock_before_zero_or_backwards_ends_no_node(graph, executable):
    """rclpy raises in a callback of its own, which ends what spins it."""
    node = graph.start(executable, use_sim_time=True)
    clock = graph.publisher(Clock, '/clock', 10)
    alive = graph.listen(DiagnosticArray, names.DIAGNOSTICS, qos.EVENTS)
    wait_for(lambda: clock.get_subscription_count(), 'the node to listen')
    complaint = 'exception in a callback of rclpy, the node continues: ValueError'

    def is_noticed():       # of several at once the node would hear the last only
        clock.publish(Clock(clock=Time(sec=-1)))
        return complaint in node.output
    wait_for(is_noticed, 'the node to notice')
    for seconds in (100, 5, 0, 2**31 - 1, -2**31):
        clock.publish(Clock(clock=Time(sec=seconds, nanosec=2**32 - 1)))
    heard = len(alive)
    wait_for(lambda: len(alive) >= heard + 2, 'two more signs of life')
    assert node.popen.poll() is None
    assert node.end() == 0
