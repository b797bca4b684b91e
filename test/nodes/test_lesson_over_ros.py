"""A lesson on the real graph: taught, interrupted, watched by late comers."""

from __future__ import annotations

import csv
import resource
import shutil

import numpy as np
from geometry_msgs.msg import Twist
from std_srvs.srv import Trigger
from waiting import wait_for

from gbs_irl_ros import msg, srv
from gbs_irl_ros.core.answers import (
    ConfirmAnswer,
    DemonstrationAnswer,
    NeverHereAnswer,
    WordsAnswer,
)
from gbs_irl_ros.core.questions import QuestionKind
from gbs_irl_ros.core.stopping import DoneReason
from gbs_irl_ros.learning.person import load_profile
from gbs_irl_ros.learning.records import DemonstrationRecord, Status
from gbs_irl_ros.learning.taught import TaughtBelief, TaughtTask, load_taught, save_taught
from gbs_irl_ros.ros import names, qos
from gbs_irl_ros.ros.messages import conversions
from gbs_irl_ros.tasks import load_task, load_task_file

CAREFUL = {'none_of_these': 0.1, 'learn_error_rate': True, 'closing_question': True}
STAY = 4        # in room


def last_belief(graph, namespace=''):
    heard = graph.listen(msg.Belief, f'{namespace}/{names.BELIEF}', qos.LATCHED)

    def belief():
        return conversions.belief_from_msg(heard[-1]) if heard else None
    return belief


def last_history(graph):
    heard = graph.listen(msg.History, names.HISTORY, qos.LATCHED)

    def history():
        return conversions.history_from_msg(heard[-1]) if heard else None
    return history


def done(belief):
    def condition():
        now = belief()
        return now if now is not None and now.status is Status.DONE else None
    return condition


def test_a_simulated_teacher_teaches_a_task(graph):
    _, learner, _ = graph.start_lesson('room', demonstrator={'accuracy': 1.0})
    belief = wait_for(done(last_belief(graph)), 'the end of the lesson')
    assert belief.map_probability >= 0.95
    assert belief.answers >= 2
    assert len(belief.acknowledged) == belief.answers
    learner.wait_for_line('1. Which way should I go at')


def test_a_lesson_ends_with_a_yes_to_what_the_robot_would_do(graph):
    _, learner, _ = graph.start_lesson(
        'room', learner=CAREFUL, demonstrator={'accuracy': 1.0})
    belief, history = last_belief(graph), last_history(graph)
    first = wait_for(done(belief), 'the end of the lesson')
    last = wait_for(lambda: history() and history().total == first.answers
                    and history().entries[-1], 'the history')
    assert last.question.question.kind is QuestionKind.CONFIRM
    assert last.answer.answer == ConfirmAnswer(last.question.question, yes=True)
    assert last.said == 'yes, that is it'
    assert last.question.sentence.endswith('Is this what you mean?')
    learner.wait_for_line('Is this what you mean? -- yes, that is it')

    place = last.question.question.route[1][0]
    response = graph.call(srv.Revise, names.LEARNER_REVISE, srv.Revise.Request(
        answer=msg.Answer(id=last.answer.id, kind=msg.Answer.WRONG_HERE, place=place)))
    assert response.ok, response.message
    again = wait_for(lambda: (now := belief()).status is Status.DONE
                     and now.answers > first.answers and now, 'a further yes')
    entries = wait_for(lambda: history().total == again.answers and history().entries,
                       'the history')
    assert entries[first.answers - 1].said.startswith('almost: not ')
    assert entries[-1].said == 'yes, that is it'

    learner.kill()
    graph.start('learner', journal_dir=graph.folder / 'journals', **CAREFUL)
    after = wait_for(lambda: (now := belief()).sequence > again.sequence + 1000 and now,
                     'the learner to come back')
    assert after.status is Status.DONE
    np.testing.assert_array_equal(after.probabilities, again.probabilities)


def test_late_comers_get_policy_belief_question_and_history(graph):
    graph.start_lesson('room', learner={'certainty': 0.0, 'max_answers': 3},
                       demonstrator={'accuracy': 1.0})
    wait_for(done(last_belief(graph)), 'the end of the lesson')
    late = graph.listen(msg.Policy, names.POLICY, qos.LATCHED)
    question = graph.listen(msg.Question, names.QUESTION, qos.LATCHED)
    history = last_history(graph)
    wait_for(lambda: late and question and history() and history().total == 3,
             'what was said before')
    assert conversions.policy_from_msg(late[-1], 5).final
    assert question[-1].id == ''
    assert len(history().entries) == 3
    assert [entry.question.number for entry in history().entries] == [0, 1, 2]
    assert history().sequence == late[-1].sequence


def test_a_killed_learner_goes_on_with_the_same_posterior_bit_for_bit(graph):
    _, learner, teacher = graph.start_lesson(
        'grid_world', learner={'certainty': 0.0}, demonstrator={'delay': 0.02})
    heard = graph.listen(msg.Belief, names.BELIEF, qos.LATCHED)
    for round_number in range(3):
        count = 3 + 2 * round_number
        wait_for(lambda count=count: heard and heard[-1].answers >= count, f'{count} answers')
        learner.kill()
        teacher.end()
        before = heard[-1]
        heard.clear()
        learner = graph.start('learner', journal_dir=graph.folder / 'journals', certainty=0.0)
        after = wait_for(lambda: next((each for each in list(heard) if each.answers), None),
                         'the learner to come back')
        # An answer may have been on its way to the disk when the learner was killed: it counts or
        # it does not, but what was acknowledged does.
        assert list(after.acknowledged)[:len(before.acknowledged)] == list(before.acknowledged)
        assert after.answers - before.answers in (0, 1)
        if after.answers == before.answers:
            assert np.array_equal(after.probabilities, before.probabilities)
        assert after.session == before.session
        assert after.sequence > before.sequence
        teacher = graph.start('demonstrator', task='grid_world', delay=0.02)


def test_a_teacher_that_vanishes_and_returns_is_asked_again(graph):
    _, _, teacher = graph.start_lesson(
        'grid_world', learner={'certainty': 0.0, 'ask_again': 0.3},
        demonstrator={'delay': 0.05})
    heard = graph.listen(msg.Belief, names.BELIEF, qos.LATCHED)
    wait_for(lambda: heard and heard[-1].answers >= 2, 'two answers')
    teacher.kill()
    graph.start('demonstrator', task='grid_world')
    known = heard[-1].answers
    wait_for(lambda: heard[-1].answers > known + 2, 'more answers')


def test_two_lessons_side_by_side_in_two_namespaces(graph):
    graph.start_lesson('room', namespace='one', demonstrator={'accuracy': 1.0})
    graph.start_lesson('room', namespace='two', demonstrator={'accuracy': 1.0, 'seed': 5})
    one, two = last_belief(graph, '/one'), last_belief(graph, '/two')
    first, second = wait_for(done(one), 'the first'), wait_for(done(two), 'the second')
    assert first.session != second.session
    assert first.map_hypothesis == second.map_hypothesis


def test_which_hypothesis_is_true_changes_no_byte_that_the_learner_receives(graph, tmp_path):
    from gbs_irl_ros.tasks import find_task
    original = find_task('room')
    other = tmp_path / 'room.yaml'
    other.write_text(original.read_text().replace(
        'go to desk, never over the carpet', 'go to bed'))
    shutil.copytree(original.parent / 'maps', tmp_path / 'maps')
    assert other.read_text() != original.read_text()
    served = {}
    for name, file in (('one', original), ('two', other)):
        graph.start('mdp', namespace=name, task=file)
        task = graph.listen(msg.World, f'/{name}/world', qos.LATCHED)
        wait_for(lambda task=task: task, 'the task')
        response = graph.call(srv.GetTask, f'/{name}/get_task')
        assert response.ok
        served[name] = (task[0], response)
    # Every field of the messages; their padding on the wire is whatever memory held.
    assert served['one'] == served['two']
    changed = served['two'][1]
    changed.hypotheses.log_prior[0] -= 1e-12
    assert served['one'] != served['two']       # the comparison sees everything


def test_pause_start_undo_revise_and_reset(graph):
    graph.start_lesson('grid_world', learner={'certainty': 0.0, 'max_answers': 6},
                       demonstrator={'accuracy': 1.0})
    belief = last_belief(graph)
    full = wait_for(done(belief), 'the lesson')
    assert graph.call(Trigger, 'learner/pause').success
    assert wait_for(lambda: belief().status is Status.PAUSED, 'the pause')
    undone = graph.call(Trigger, 'learner/undo')
    assert undone.success
    assert wait_for(lambda: belief().answers == 5, 'one answer less')
    request = srv.Revise.Request(answer=msg.Answer(
        id=full.acknowledged[0], kind=msg.Answer.DONT_KNOW))
    response = graph.call(srv.Revise, 'learner/revise', request)
    assert response.ok, response.message
    wait_for(lambda: belief().map_probability != full.map_probability, 'another belief')
    assert graph.call(Trigger, 'learner/start').success
    wait_for(done(belief), 'the lesson, once more')
    assert belief().answers == 6
    assert graph.call(Trigger, 'learner/reset').success
    again = wait_for(lambda: (now := belief()) and now.status is Status.DONE
                     and now.session != full.session and now, 'a new lesson')
    assert again.answers == 6
    assert len(list((graph.folder / 'journals').glob('*.jsonl'))) == 2


def test_a_place_is_shown_kept_and_taken_back(graph):
    """Nobody answers here, so the lesson stays as it is but for the place."""
    graph.start('mdp', task='room')
    careful = {'journal_dir': graph.folder / 'journals', 'none_of_these': 0.1}
    learner = graph.start('learner', **careful)
    belief, history = last_belief(graph), last_history(graph)
    asked = wait_for(lambda: (now := belief()) and now.question_id, 'a question')
    request = srv.ShowPlace.Request(id='p-1', shown_by='test', place=msg.Place(
        column=12, row=8, last_column=12, last_row=8))
    shown = graph.call(srv.ShowPlace, names.LEARNER_SHOW_PLACE, request)
    assert (shown.ok, shown.message) == (True, 'go to (12, 8): that may be meant now')
    again = graph.call(srv.ShowPlace, names.LEARNER_SHOW_PLACE, request)
    assert (again.ok, again.message) == (True, 'p-1 is known already')
    grown = wait_for(lambda: (now := belief()) and now.places and now, 'the place')
    assert len(grown.probabilities) == 36
    assert 'p-1' in grown.acknowledged
    assert grown.question_id == asked
    wait_for(lambda: history() and history().total == 1, 'the history')
    assert history().entries[0].said == 'go to (12, 8)'
    learner.kill()
    graph.start('learner', **careful)
    resumed = wait_for(lambda: (now := belief()) and now.sequence > 2**33 and now, 'the learner')
    assert np.array_equal(resumed.probabilities, grown.probabilities)
    assert resumed.question_id == asked
    assert graph.call(Trigger, names.LEARNER_UNDO).success
    wait_for(lambda: not belief().places and len(belief().probabilities) == 30, 'the task before')


def test_what_is_said_of_a_whole_task_is_kept_replaced_and_taken_back(graph):
    """Nobody answers here, so the lesson stays as it is but for what is said unasked."""
    graph.start('mdp', task='room')
    careful = {'journal_dir': graph.folder / 'journals', **CAREFUL, 'certainty': 0.0}
    learner = graph.start('learner', **careful)
    belief, history = last_belief(graph), last_history(graph)
    wait_for(lambda: (now := belief()) and now.question_id, 'a question')
    for known_as, place, told, said in (
            ('p-1', {'column': 14, 'row': 9}, '6 of the 30 tasks I know end there.', 'go to desk'),
            ('p-2', {'column': 3, 'row': 7, 'on_the_way': True},
             '11 of the 30 tasks I know pass there.', 'on the way: (3, 7)')):
        shown = graph.call(srv.ShowPlace, names.LEARNER_SHOW_PLACE, srv.ShowPlace.Request(
            id=known_as, shown_by='test', place=msg.Place(
                **place, last_column=place['column'], last_row=place['row'])))
        assert (shown.ok, shown.message) == (True, f'Thank you: {told}')
        wait_for(lambda said=said: (now := history()) and now.entries
                 and now.entries[-1].said == said, 'the history')
    says = graph.publisher(msg.Demonstration, names.DEMONSTRATION, qos.EVENTS)
    wait_for(says.get_subscription_count, 'the learner')
    said = (NeverHereAnswer((40, 41)), WordsAnswer('desk, not over the toys', (13, 17)))
    for number, each in enumerate(said):
        says.publish(conversions.demonstration_to_msg(DemonstrationRecord(f'd-{number}', each)))
    told = wait_for(lambda: (now := belief()).answers == 4 and now, 'what was said')
    assert set(told.acknowledged) == {'p-1', 'p-2', 'd-0', 'd-1'}
    assert load_task('room').names[told.map_hypothesis].startswith('go to desk, never over the ')
    learner.kill()
    graph.start('learner', **careful)
    again = wait_for(lambda: (now := belief()).sequence > told.sequence + 1000 and now,
                     'the learner to come back')
    assert np.array_equal(again.probabilities, told.probabilities)
    assert again.question_id == told.question_id
    revised = graph.call(srv.Revise, names.LEARNER_REVISE, srv.Revise.Request(
        answer=msg.Answer(id='d-0', kind=msg.Answer.NEVER_HERE, states=[42])))
    assert revised.ok, revised.message
    wait_for(lambda: history().total == 4 and history().entries[2].answer.answer
             == NeverHereAnswer((42,)), 'the history')
    for left in (3, 2, 1, 0):
        assert graph.call(Trigger, names.LEARNER_UNDO).success
        wait_for(lambda left=left: belief().answers == left, 'one less')


def test_the_kind_of_each_question_is_chosen_and_the_lesson_is_short(graph):
    _, learner, _ = graph.start_lesson(
        'room', learner={**CAREFUL, 'strategy': 'bits_per_second', 'stop_condition':
                         'loses_nothing', 'disliked_kinds': 'action'},
        demonstrator={'accuracy': 1.0})
    belief, history = last_belief(graph), last_history(graph)
    ended = wait_for(done(belief), 'the end of the lesson')
    said = wait_for(lambda: history() and history().total == ended.answers
                    and history().entries, 'the history')
    assert ended.answers <= 4
    kinds = {entry.question.question.kind for entry in said}
    assert kinds & {QuestionKind.TASK, QuestionKind.PLACE}
    assert QuestionKind.ACTION not in kinds
    meant = load_task_file('room').truth.index
    assert load_task('room').names[ended.map_hypothesis] == load_task('room').names[meant]
    learner.kill()
    graph.start('learner', journal_dir=graph.folder / 'journals', **{
        **CAREFUL, 'strategy': 'bits_per_second', 'stop_condition': 'loses_nothing'})
    after = wait_for(lambda: (now := belief()).sequence > ended.sequence + 1000 and now,
                     'the learner to come back')
    assert np.array_equal(after.probabilities, ended.probabilities)


def test_what_was_taught_before_is_known_at_once_and_the_person_is_remembered(graph):
    """Nobody answers here: only the file says what is meant."""
    task = load_task('room')
    meant = TaughtTask('go to desk, never over the carpet', 0.99)
    file = graph.folder / 'a.taught.json'
    save_taught(TaughtBelief('room', task.hash, '2026-01-01', True, 0.99, (meant,), 29, 0.0, 0.01),
                file)
    graph.start('mdp', task='room')
    graph.start('learner', journal_dir=graph.folder / 'journals', taught=file, person='anna',
                study='P07', **CAREFUL)
    belief = last_belief(graph)
    known = wait_for(done(belief), 'the lesson')
    assert (known.answers, task.names[known.map_hypothesis]) == (0, meant.name)
    assert known.status_text == f"done: taught before, in 'room' ({meant.name}: 99%)"
    saved, = wait_for(lambda: list((graph.folder / 'journals').glob('*.taught.json')),
                      'what is kept')
    assert load_taught(saved).favourite.name == meant.name
    shown = graph.publisher(msg.Demonstration, names.DEMONSTRATION, qos.EVENTS)
    wait_for(shown.get_subscription_count, 'the learner')
    shown.publish(conversions.demonstration_to_msg(DemonstrationRecord(
        'd-1', DemonstrationAnswer(((40, 1), (41, 1))))))
    person = graph.folder / 'journals' / 'people' / 'anna.json'
    wait_for(person.is_file, 'the profile')
    assert load_profile(person, 'anna').answers[0].kind == 'demonstration'
    path, = (graph.folder / 'journals' / 'studies').glob('P07.*.csv')
    wait_for(lambda: 'demonstrated' in path.read_text(), 'the row of the study')
    with path.open(newline='') as table:
        rows = list(csv.DictReader(table))
    assert [(row['code'], row['event'], row['favourite'], row['done']) for row in rows[-2:]] == [
        ('P07', 'opened', meant.name, 'yes'), ('P07', 'demonstrated', meant.name, 'yes')]
    assert list((graph.folder / 'journals').glob('room-P07-*.jsonl'))


def test_the_teacher_says_that_it_is_good_enough(graph):
    """Nobody answers here, so what is asked and shown is all in the hands of the test."""
    graph.start('mdp', task='room')
    learner = graph.start('learner', journal_dir=graph.folder / 'journals', certainty=0.0)
    belief, history = last_belief(graph), last_history(graph)
    asked = wait_for(lambda: history() and (now := belief()) and now.question_id, 'a question')
    shown = graph.publisher(msg.Demonstration, names.DEMONSTRATION, qos.EVENTS)
    wait_for(shown.get_subscription_count, 'the learner')
    for number in range(2):
        shown.publish(msg.Demonstration(
            id=f'shown-{number}', demonstrated_by='test', correction=bool(number),
            steps=[msg.Step(state=number, action=number)]))
        wait_for(lambda number=number: history().total == number + 1, 'what was shown')
    finished = graph.call(Trigger, names.LEARNER_FINISH)
    assert (finished.success, finished.message) == (
        True, 'done: the teacher says that this is good enough')
    belief_then = wait_for(done(belief), 'the end of the lesson')
    assert belief_then.status_text == finished.message
    assert (belief_then.answers, belief_then.question_id) == (2, '')
    late_policy = graph.listen(msg.Policy, names.POLICY, qos.LATCHED)
    late_question = graph.listen(msg.Question, names.QUESTION, qos.LATCHED)
    late = last_history(graph)
    wait_for(lambda: late_policy and late_question and late()
             and late().sequence == belief_then.sequence, 'what was said before')
    assert conversions.policy_from_msg(late_policy[-1], 5).final
    assert late_question[-1].id == ''
    assert late().session == belief_then.session
    assert [(entry.answer.id, entry.answer.by, entry.question, entry.correction)
            for entry in late().entries] == [
                ('shown-0', 'test', None, False), ('shown-1', 'test', None, True)]
    assert all(entry.said for entry in late().entries)
    assert len(list((graph.folder / 'journals').glob('*.policy.json'))) == 1

    for kind in (msg.Answer.DONT_KNOW, msg.Answer.DONT_KNOW):      # what was shown counts no more
        response = graph.call(srv.Revise, names.LEARNER_REVISE, srv.Revise.Request(
            answer=msg.Answer(id='shown-0', kind=kind)))
        assert response.ok, response.message
    wait_for(lambda: late().entries[0].said == "I don't know", 'the revision')
    assert belief().status is Status.DONE

    learner.kill()
    graph.start('learner', journal_dir=graph.folder / 'journals', certainty=0.0)
    again = wait_for(lambda: (now := belief()).sequence > belief_then.sequence + 1000 and now,
                     'the learner to come back')
    assert (again.status, again.status_text) == (Status.DONE, finished.message)
    assert graph.call(Trigger, names.LEARNER_START).success
    wait_for(lambda: (now := belief()).status is Status.ASKING
             and now.question_id not in ('', asked), 'another question')


def test_where_nothing_fits_it_is_said_and_the_robot_stays_until_an_answer_is_taken_back(graph):
    graph.start('mdp', task='room')
    learner = graph.start('learner', journal_dir=graph.folder / 'journals', none_of_these=0.1)
    belief, policies = last_belief(graph), graph.listen(msg.Policy, names.POLICY, qos.LATCHED)
    shown = graph.publisher(msg.Demonstration, names.DEMONSTRATION, qos.EVENTS)
    wait_for(lambda: shown.get_subscription_count() and belief() and belief().question_id,
             'the learner')
    for number, state in enumerate([80, 79, 79]):       # to stay there is what no task wants
        shown.publish(msg.Demonstration(id=f'shown-{number}', demonstrated_by='test',
                                        steps=[msg.Step(state=state, action=STAY)]))
    stuck = wait_for(lambda: (now := belief()).status is Status.STUCK and now, 'the learner')
    said = 'None of the 30 tasks I know explains your answers 1, 2 and 3.'
    assert stuck.reason is DoneReason.NONE_OF_THESE
    assert stuck.unexplained == ('shown-0', 'shown-1', 'shown-2')
    assert stuck.status_text.startswith(said)
    assert learner.wait_for_line(said).startswith('WARN')
    refused = graph.call(Trigger, names.LEARNER_FINISH)
    assert not refused.success
    assert refused.message.startswith(said)

    executions = graph.listen(msg.Execution, names.EXECUTION, qos.LATCHED)
    commands = graph.listen(Twist, names.CMD_VEL, qos.EVENTS)
    graph.start('simulator', noise=0.0)
    controller = graph.start('controller', allow_motion=True, confidence=0.0)
    wait_for(lambda: executions and executions[-1].status == msg.Execution.UNSURE, 'the robot')
    assert controller.wait_for_line(f'the learner does not ask: {said}')
    assert not policies[-1].final
    assert belief().question_id == ''
    assert not any(each.linear.x or each.angular.z for each in commands)

    for _ in range(2):
        assert graph.call(Trigger, names.LEARNER_UNDO).success
    again = wait_for(lambda: (now := belief()).answers == 1 and now, 'one answer')
    assert (again.status, again.reason, again.unexplained) == (
        Status.ASKING, DoneReason.NO_REASON, ())
    wait_for(lambda: executions[-1].status != msg.Execution.UNSURE, 'the robot to obey again')


def test_a_pause_survives_a_kill_of_the_learner(graph):
    _, learner, _ = graph.start_lesson('grid_world', learner={'certainty': 0.0},
                                       demonstrator={'delay': 0.02})
    belief, history = last_belief(graph), last_history(graph)
    wait_for(lambda: belief() and belief().answers >= 3, 'three answers')
    assert graph.call(Trigger, names.LEARNER_PAUSE).success
    wait_for(lambda: belief().status is Status.PAUSED, 'the pause')
    learner.kill()
    before = belief()
    graph.start('learner', journal_dir=graph.folder / 'journals', certainty=0.0)
    after = wait_for(lambda: (now := belief()).sequence > before.sequence + 1000 and now,
                     'the learner to come back')
    assert after.status is Status.PAUSED
    # The answer to the last question may still have come in the pause.
    assert after.answers - before.answers in (0, 1)
    if after.answers == before.answers:
        assert np.array_equal(after.probabilities, before.probabilities)
    wait_for(lambda: history().sequence >= after.sequence, 'the history')
    assert [entry.answer.id for entry in history().entries] == list(after.acknowledged)
    assert all(entry.question.sentence and entry.said for entry in history().entries)
    assert graph.call(Trigger, names.LEARNER_START).success
    wait_for(lambda: belief().answers >= after.answers + 3, 'the lesson to go on')


def test_a_disk_that_is_full_ends_the_asking_and_the_heartbeat_not_the_node(graph):
    """The limit on the size of files stands for a full disk: the journal cannot grow."""
    _, learner, _ = graph.start_lesson('grid_world', learner={'certainty': 0.0},
                                       demonstrator={'delay': 0.05})
    belief = last_belief(graph)
    beats = graph.listen(msg.Heartbeat, names.HEARTBEAT, qos.HEARTBEATS)
    wait_for(lambda: belief() and belief().answers >= 3 and beats, 'a lesson')
    file, = (graph.folder / 'journals').glob('*.jsonl')
    size = file.stat().st_size + 700
    resource.prlimit(learner.popen.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
    failed = wait_for(lambda: (now := belief()).status is Status.FAILED and now, 'the failure')
    assert 'the journal cannot be written' in failed.status_text
    assert 'make room or fix the disk' in failed.status_text
    learner.wait_for_line('the journal cannot be written')
    heard = len(beats)
    refused = graph.call(Trigger, 'learner/undo')
    assert not refused.success
    assert len(beats) - heard <= 2      # those that were on their way
    # Room again, also for what measures coverage; it does not continue by itself.
    resource.prlimit(learner.popen.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
    assert learner.end() == 0
    learner = graph.start('learner', journal_dir=graph.folder / 'journals', certainty=0.0)
    wait_for(lambda: belief().status is Status.ASKING, 'the lesson to go on')
    assert set(failed.acknowledged) <= set(belief().acknowledged)
