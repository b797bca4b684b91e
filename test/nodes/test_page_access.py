"""The teaching page's node on the real graph: who gets in, and what the learner gets to hear."""

from __future__ import annotations

import asyncio
import http.client
import json
import re
import socket
import stat

import aiohttp
import pytest
from builtin_interfaces.msg import Duration
from rcl_interfaces.msg import Log
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from std_srvs.srv import Trigger
from waiting import patience, wait_for

from gbs_irl_ros import msg, srv
from gbs_irl_ros.ros import names, qos
from gbs_irl_ros.ros.messages import conversions

ROSOUT = QoSProfile(depth=1000, reliability=ReliabilityPolicy.RELIABLE,
                    durability=DurabilityPolicy.TRANSIENT_LOCAL)
URL = re.compile(r'Teach here: http://([\d.]+):(\d+)/#key=([\w-]+)$')
TEACH = 'Teach here: '
NO_LEARNER = 'the learner cannot be reached just now: is it running?'
NO_CONTROLLER = 'the controller cannot be reached just now: is it running?'
REPEATED = '(STOP is repeated for 10 s)'
LATE_STOP = 504, 'stop is not confirmed yet; it is being repeated'      # after a second
NO_TASK = 'the task is not known yet: is the mdp node running?'


class Gui:
    """A gui node, and a client that has read the address from its terminal."""

    def __init__(self, graph, port=0, **parameters):
        self.process = graph.start('gui', port=port, **parameters)
        self.address, shown, self.token = URL.match(self.process.wait_for_line(TEACH)).groups()
        self.port = int(shown)
        self.folder = graph.folder / 'home' / 'gbs_irl'
        self.key_file = self.folder / 'page-lesson.json'

    def ask(self, method, path, values=None, token=None, **headers):
        """Return status and decoded answer."""
        line = http.client.HTTPConnection('127.0.0.1', self.port, timeout=patience(30))
        given = {'Authorization': f'Bearer {self.token if token is None else token}',
                 'Content-Type': 'application/json', **headers}
        line.request(method, path, None if values is None else json.dumps(values), given)
        response = line.getresponse()
        body = response.read()
        line.close()
        return response.status, json.loads(body)

    def do(self, command, token=None, **fields):
        status, answer = self.ask('POST', f'/api/{command}', fields, token)
        return status, answer.get('message', answer.get('result'))

    def state(self):
        return self.ask('GET', '/api/state')[1]

    def question(self, other_than=''):
        """Return the question that is shown as soon as it is another one."""
        def shown():
            found = self.state().get('question')
            return found if found and found['id'] != other_than else None
        return wait_for(shown, 'a question on the page')

    def do_live(self, *messages):
        """Send commands over the socket; return status and message or result of each."""
        async def talk():
            origin = f'http://127.0.0.1:{self.port}'
            async with aiohttp.ClientSession(origin, headers={'Origin': origin}) as session, \
                    session.ws_connect('/api/live') as live:
                await live.send_json({'token': self.token})
                found = []
                for number, (command, fields) in enumerate(messages):
                    await live.send_json({'do': command, 'number': number, 'with': fields})
                    while (reply := await live.receive_json()).get('reply') != number:
                        assert reply.keys() & {'now', 'tick'}
                    found.append((reply['status'], reply.get('message', reply.get('result'))))
                return found
        return asyncio.run(asyncio.wait_for(talk(), 60.0))


class Lesson:
    """A lesson of `room` with a page."""

    def __init__(self, graph, **gui):
        beliefs = graph.listen(msg.Belief, names.BELIEF, qos.LATCHED)
        histories = graph.listen(msg.History, names.HISTORY, qos.LATCHED)
        graph.start('mdp', task='room')
        self.learner = graph.start('learner', journal_dir=graph.folder / 'journals')
        self.gui = Gui(graph, **gui)
        self._beliefs, self._histories = beliefs, histories

    def said(self):
        """Return the answers that count."""
        return [(entry.answer.id, entry.answer.answer.action) for entry in
                conversions.history_from_msg(self._histories[-1]).entries] \
            if self._histories else []

    def wait_for_answers(self, count):
        wait_for(lambda: self._beliefs and conversions.belief_from_msg(
            self._beliefs[-1]).answers == count and len(self.said()) == count,
            f'{count} answers')


def answer(asked, action=1):
    """Return what a page sends; ``asked`` is a question that it shows, or an id of another."""
    known = asked if isinstance(asked, dict) else {'id': asked, 'state': 0}
    return {'question': known['id'],
            'answer': {'kind': 'action', 'state': known['state'], 'action': action}}


def test_an_answer_to_an_old_question_is_refused_and_the_learner_gets_nothing(graph):
    """A tab that was left open shows a question of long ago."""
    lesson = Lesson(graph)
    gui = lesson.gui
    first = gui.question()
    assert first['kind'] == 'action'
    assert gui.do('answer', **answer(first)) == (200, None)
    lesson.wait_for_answers(1)
    second = gui.question(first['id'])
    for stale in (first['id'], 'never-asked'):
        refused = gui.do('answer', **answer(stale, 2))
        assert refused == (409, f'the question {stale!r} is not asked any more, so the answer is '
                           f'not used; asked is {second["id"]!r}')
        assert gui.do_live(('answer', answer(stale, 2)))[0] == refused
    assert gui.question()['id'] == second['id']
    assert gui.do_live(('answer', answer(second, 3))) == [(200, None)]
    lesson.wait_for_answers(2)
    assert lesson.said() == [(first['id'], 1), (second['id'], 3)]


def test_an_answer_that_does_not_fit_is_refused_and_the_right_one_arrives(graph):
    lesson = Lesson(graph)
    gui = lesson.gui
    view = gui.question()
    asked, here = view['id'], {'state': view['state']}
    cases = [
        ({'kind': 'yes_no', **here, 'action': 0, 'yes': True}, 422, 'does not answer Question'),
        ({'kind': 'reward', **here, 'reward': 1.0}, 422, 'does not answer Question'),
        ({'kind': 'action', **here}, 400, "must have the field 'action'"),
        ({'kind': 'nonsense'}, 400, 'kind of an answer must be one of'),
        ({'kind': 'action', **here, 'action': 99}, 422, 'action must be in 0 .. 4, got 99'),
        ({'kind': 'action', 'state': 94 - view['state'], 'action': 1}, 422, 'does not answer'),
        ({'kind': 'demonstration', 'steps': []}, 400, 'at least one step, got none'),
        ({'kind': 'demonstration', 'steps': [[4000000000, 0]]}, 422, 'must be in 0 .. 94'),
        ({'kind': 'action', **here, 'action': -1}, 422, 'action must be in 0 .. 4, got -1'),
        ({'kind': 'action', **here, 'action': 1, 'by': 'me'}, 400, "has no field 'by'"),
        ({**here, 'action': 1}, 400, 'kind of an answer must be one of')]
    for fields, status, why in cases:
        given = {'question': asked, 'answer': fields}
        for found in (gui.do('answer', **given), gui.do_live(('answer', given))[0]):
            assert found[0] == status
            assert why in found[1]
    assert gui.question()['id'] == asked
    assert gui.do('answer', 'x' * len(gui.token), **answer(view))[0] == 401
    assert gui.do('answer', **answer(view, 4)) == (200, None)
    lesson.wait_for_answers(1)
    assert lesson.said() == [(asked, 4)]
    wait_for(lambda: gui.state()['history']['entries'], 'the node to hear of it')
    assert gui.do('revise', **answer('never-asked'))[0] == 422
    assert gui.do('revise', **answer(view, 2))[0] == 200
    wait_for(lambda: lesson.said() == [(asked, 2)], 'the other answer')


def test_the_key_is_told_on_the_terminal_and_nowhere_else(graph):
    rosout = graph.listen(Log, '/rosout', ROSOUT)
    lesson = Lesson(graph)
    gui = lesson.gui
    asked = gui.question()
    assert gui.do('answer', **answer(asked)) == (200, None)
    assert gui.do('answer', gui.token[:-1], **answer(asked))[0] == 401
    assert gui.do('stop') == LATE_STOP
    assert gui.ask('GET', '/api/state', None, 'wrong')[0] == 401
    assert gui.ask('GET', f'/?key={gui.token}', Origin='null')[0] == 403
    gui.do_live(('answer', answer(asked)), ('unknown', {}))
    lesson.wait_for_answers(1)
    wait_for(lambda: [entry for entry in rosout if 'the page is at' in entry.msg],
             'what the node logs')
    assert gui.process.end() == 0
    assert not [entry for entry in rosout if gui.token in str(entry)]
    logs = {path: path.read_text() for path in (graph.folder / 'log').rglob('*.log')}
    assert any('the page is at' in text for text in logs.values())
    assert not [path for path, text in logs.items() if gui.token in text]
    assert len([line for line in gui.process.lines if gui.token in line]) == 1
    kept = [path for path in graph.folder.rglob('*') if path.is_file()
            and gui.token.encode() in path.read_bytes()]
    assert kept == [gui.key_file]


def test_a_page_is_found_again_after_its_node_was_killed(graph):
    first = Gui(graph)
    assert stat.S_IMODE(first.key_file.stat().st_mode) == 0o600
    assert json.loads(first.key_file.read_text()) == {'token': first.token, 'port': first.port}
    first.process.kill()
    second = Gui(graph)
    assert (second.port, second.token) == (first.port, first.token)
    assert stat.S_IMODE(second.key_file.stat().st_mode) == 0o600
    assert second.ask('GET', '/api/state')[0] == 200
    other = Gui(graph, lesson='another')
    assert other.token != second.token
    assert other.ask('GET', '/api/state', None, second.token)[0] == 401


def test_a_robot_that_was_started_on_the_page_of_a_killed_node_is_stopped_by_the_next(graph):
    stops = []

    def allow(request, response):
        response.ok = True
        return response

    def stop(request, response):
        stops.append(request)
        response.success = True
        return response
    graph.node.create_service(srv.Go, names.CONTROLLER_GO, allow)
    graph.node.create_service(Trigger, names.CONTROLLER_STOP, stop)
    leases = graph.listen(Duration, names.WATCHED, qos.COMMANDS)
    first = Gui(graph, presence_timeout=60.0)
    watch_file = first.folder / 'page-lesson.watch'
    wait_for(lambda: first.do('go')[0] == 200, 'the controller')
    assert watch_file.exists()
    wait_for(lambda: len(leases) > 2, 'the controller to be told that somebody watches')
    assert {(each.sec, each.nanosec // 10**7) for each in leases} <= {(60, 29), (60, 30)}
    first.process.kill()
    assert not stops
    second = Gui(graph)
    wait_for(lambda: stops, 'the stop')
    wait_for(lambda: not watch_file.exists(), 'the end of the watch')
    second.process.kill()
    stops.clear()
    third = Gui(graph)
    assert third.ask('GET', '/api/state')[0] == 200
    assert not stops


def test_other_machines_are_served_only_if_that_is_wanted(graph):
    refused = graph.start('gui', port=0, address='0.0.0.0')
    refused.wait_for_line("parameter 'address' is 0.0.0.0, which other machines can reach; set "
                          "'allow_remote' if you trust everybody in that network")
    strange = graph.start('gui', port=0, address='robot.local')
    strange.wait_for_line("parameter 'address' must be an IP address of this machine, got "
                          "'robot.local'")
    served = Gui(graph, address='0.0.0.0', allow_remote=True, hosts='robot.local, Robot')
    assert served.address == '127.0.0.1'
    for host, status in (('127.0.0.1', 200), ('localhost', 200), ('robot.local', 200),
                         ('robot', 200), ('0.0.0.0', 403), ('attacker.example', 403)):
        assert served.ask('GET', '/api/state', Host=f'{host}:{served.port}')[0] == status
    for node in (refused, strange):
        assert not [line for line in node.lines if TEACH in line]
        assert node.popen.poll() is None
        assert node.end() == 0


def test_a_port_that_is_taken_is_passed_by(graph):
    with socket.socket() as taken:
        taken.bind(('127.0.0.1', 0))
        taken.listen()
        port = taken.getsockname()[1]
        if port > 65535 - 10:
            pytest.skip('no ports beyond this one')
        gui = Gui(graph, port=port)
        assert port < gui.port < port + 10
        assert gui.ask('GET', '/api/state')[0] == 200


@pytest.mark.parametrize(('content', 'mode', 'why'), [
    ('garbage', 0o600, 'is not a key of a page; remove the file: a new key is made'),
    (json.dumps({'token': 'x' * 32, 'port': 0}), 0o644,
     'others may read the key of the page (owner ')], ids=['garbage', 'readable'])
def test_a_key_that_cannot_be_used_is_not_and_the_node_says_what_to_do(graph, content, mode, why):
    path = graph.folder / 'home' / 'gbs_irl' / 'page-lesson.json'
    path.parent.mkdir(parents=True)
    path.write_text(content)
    path.chmod(mode)
    node = graph.start('gui', port=0)
    line = node.wait_for_line('the page cannot be served: ')
    assert f'{path}: {why}' in line
    assert node.end() == 0
    assert TEACH not in node.output
    assert path.read_text() == content


def test_commands_say_what_is_missing(graph):
    gui = Gui(graph)
    assert gui.state().get('question') is None
    for command in ('undo', 'pause', 'start', 'finish', 'reset'):
        assert gui.do(command) == (503, NO_LEARNER)
    assert gui.do('ask_about', state=0) == (503, NO_LEARNER)
    assert gui.do('stop') == LATE_STOP
    assert gui.do('go') == (503, NO_CONTROLLER)
    assert gui.do_live(('stop', {}), ('undo', {})) == [
        (503, f'{NO_CONTROLLER} {REPEATED}'), (503, NO_LEARNER)]
    for command, fields in (('answer', answer('x')), ('drive', {'action': 0}),
                            ('way', {'states': [0]}), ('walk', {'state': 0, 'actions': []}),
                            ('rehearse', {}), ('demonstrate', {'known_as': 'x', 'steps': []})):
        status, message = gui.do(command, **fields)
        assert (status, message) == (503, NO_TASK) or (status, command) == (422, 'demonstrate')
    graph.start('mdp', task='room')
    wait_for(lambda: gui.state().get('world'), 'the world')
    assert gui.do('answer', **answer('x'))[0] == 409
    assert gui.do('rehearse') == (422, 'nothing has been learned yet that could be shown')
    assert gui.do('undo') == (503, NO_LEARNER)
    assert gui.do('stop') == LATE_STOP
    assert gui.do('walk', state=0, actions=[1])[0] == 200
    assert gui.do('walk', state=95, actions=[]) == (422, 'state must be in 0 .. 94, got 95')
