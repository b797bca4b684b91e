"""Every field of every message and service at its extremes, over ROS: no node ends."""

from __future__ import annotations

import re

import pytest
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import Twist, TwistStamped
from nav_msgs.msg import Odometry
from rclpy.duration import Duration
from std_srvs.srv import SetBool, Trigger
from waiting import wait_for

from gbs_irl_ros import msg, srv
from gbs_irl_ros.ros import names, qos
from gbs_irl_ros.ros.messages.limits import MOST_OF

FLOATS = (float('nan'), float('inf'), -float('inf'), 1e308, -1e308, 5e-324, 0.0)
TEXTS = ('', 'x' * 100_000, '\x1b[2J\r\n', '\u202e\u200d\U0010ffff漢', '%s%n{}', '../../etc')
MANY = max(MOST_OF.values()) + 1      # entries: longer than any list that is taken
ACKNOWLEDGED = Duration(seconds=5)
# Of each type of a field without its length: values, fit for Python's checks of fields.
WHOLE = {f'{sign}int{bits}': (0 if sign else -2**(bits - 1), 2**(bits - (not sign)) - 1)
         for sign in ('', 'u') for bits in (8, 16, 32, 64)}
PLAIN = {**WHOLE, 'double': FLOATS, 'float': (0.0, 3e38), 'string': TEXTS,
         'boolean': (True, False), 'octet': (b'\0', b'\xff')}
KINDS = {f'{kind.__module__.split(".")[0]}/{kind.__name__}': kind for kind in (
    msg.Step, msg.Place, msg.Idea, msg.Rival, msg.Question, msg.Answer, msg.HistoryEntry,
    msg.NoiseModel, msg.SparseMatrix, msg.World, msg.Hypotheses)}


def extremes(kind):
    """Yield messages of a type, each with one field at an extreme."""
    for name, type_name in kind.get_fields_and_field_types().items():
        for value in values_of(type_name, getattr(kind(), name)):
            message = kind()
            setattr(message, name, value)
            yield message


def values_of(type_name, default):
    sequence = re.fullmatch(r'sequence<([\w/]+)(?:, (\d+))?>', type_name)
    if sequence:
        inner, most = sequence.group(1), int(sequence.group(2) or MANY)
        one = PLAIN.get(inner) or [next(iter(extremes(KINDS[inner])))]
        yield []
        yield from ([each] for each in one)
        yield [one[-1]] * most
    elif type_name in PLAIN:
        yield from PLAIN[type_name]
    elif '[' in type_name:      # of a fixed length, as covariances
        yield [float('nan')] * len(default)
    else:
        yield from extremes(type(default))


TOPICS = {
    names.WORLD: (msg.World, qos.LATCHED), names.POLICY: (msg.Policy, qos.LATCHED),
    names.BELIEF: (msg.Belief, qos.LATCHED), names.HISTORY: (msg.History, qos.LATCHED),
    names.QUESTION: (msg.Question, qos.LATCHED), names.EXECUTION: (msg.Execution, qos.LATCHED),
    names.HEARTBEAT: (msg.Heartbeat, qos.HEARTBEATS),
    names.DEMONSTRATION: (msg.Demonstration, qos.EVENTS),
    'odom': (Odometry, qos.STREAM), 'cmd_vel': (Twist, qos.STREAM)}
SERVICES = {names.GET_TASK: srv.GetTask, names.QUERY_DEMONSTRATOR: srv.QueryDemonstrator,
            names.ASK_ABOUT: srv.AskAbout, 'learner/revise': srv.Revise,
            names.LEARNER_SHOW_PLACE: srv.ShowPlace,
            'controller/enable': SetBool, names.CONTROLLER_GO: srv.Go}


def test_every_interface_of_the_package_is_sent_somewhere():
    sent = {kind for kind, _ in TOPICS.values()} | set(KINDS.values())
    assert {kind for name, kind in vars(msg).items()
            if hasattr(kind, 'get_fields_and_field_types')} <= sent
    assert {kind for kind in vars(srv).values() if hasattr(kind, 'Request')} \
        <= set(SERVICES.values())
    assert len(list(extremes(msg.Belief))) > 60
    assert sum(1 for kind, _ in TOPICS.values() for _ in extremes(kind)) > 500


@pytest.fixture
def system(graph):
    """All nodes but the terminal's and the judge, in a lesson."""
    graph.start('mdp', task='room')
    graph.start('learner', journal_dir=graph.folder / 'journals')
    for name in ('gui', 'simulator', 'controller', 'visualiser'):
        graph.start(name, **({'port': 0} if name == 'gui' else {}))
    beliefs = graph.listen(msg.Belief, names.BELIEF, qos.LATCHED)
    wait_for(lambda: any(belief.question_id for belief in list(beliefs)), 'the first question')
    graph.diagnostics = graph.listen(DiagnosticArray, '/diagnostics', qos.EVENTS)
    return graph


def counted(graph):
    """Return of each node how many messages it has refused, and how many faults it has had."""
    found = {}
    for each in list(graph.diagnostics):
        values = {pair.key: pair.value for pair in each.status[0].values}
        found[each.status[0].name] = (int(values['refused']), int(values['faults']))
    return found


def test_no_field_of_any_message_ends_a_node(system):
    for topic, (kind, profile) in TOPICS.items():
        publisher = system.publisher(kind, topic, profile)
        wait_for(lambda sender=publisher: sender.get_subscription_count(), f'ears for {topic}')
        for message in extremes(kind):
            publisher.publish(message)
            publisher.wait_for_all_acked(ACKNOWLEDGED)      # else only the last one is kept
        system.node.destroy_publisher(publisher)
    for name, kind in SERVICES.items():
        for request in extremes(kind.Request):
            if kind is not srv.QueryDemonstrator or not request.question.id:
                system.call(kind, name, request)
    system.diagnostics.clear()      # from here on they count all of that
    wait_for(lambda: len(counted(system)) == len(system.processes), 'the diagnostics of all')
    counts = counted(system)
    assert sum(refused for refused, _ in counts.values()) > 200, counts
    assert {name: faults for name, (_, faults) in counts.items() if faults} == {}
    # All are there and answer, to sensible requests too.
    assert system.call(srv.GetTask, names.GET_TASK).ok
    assert system.call(Trigger, 'learner/pause').success
    assert system.call(Trigger, 'controller/stop').success
    for process in system.processes:
        assert process.popen.poll() is None, f'{process.name} has ended:\n{process.output[-3000:]}'
        assert 'Traceback' not in process.output, process.output[-3000:]
        assert '\x1b[2J' not in process.output


def test_stamped_commands_at_their_extremes(graph):
    graph.start('mdp', task='room')
    simulator = graph.start('simulator', stamped_cmd_vel=True)
    publisher = graph.publisher(TwistStamped, 'cmd_vel', qos.STREAM)
    wait_for(lambda: publisher.get_subscription_count(), 'the simulator to listen')
    poses = graph.listen(Odometry, 'odom', qos.STREAM)
    for message in extremes(TwistStamped):
        publisher.publish(message)
    before = len(poses)
    wait_for(lambda: len(poses) > before + 5, 'the simulator to go on')
    assert simulator.popen.poll() is None
    assert 'Traceback' not in simulator.output
