"""Nodes that are killed come back, and the lesson continues; without the controller all ends."""

from __future__ import annotations

import json
import os
import signal
import threading
import urllib.request

from graph import Process
from visualization_msgs.msg import MarkerArray
from waiting import wait_for

from gbs_irl_ros import msg, srv
from gbs_irl_ros.launching import processes
from gbs_irl_ros.launching.process_table import PROCESSES, checked
from gbs_irl_ros.launching.processes import run_together
from gbs_irl_ros.launching.teaching_commands import _command
from gbs_irl_ros.ros import names, qos

MORE = {'learner': ['-p', 'certainty:=0.0'],        # the lesson never ends
        'demonstrator': ['-p', 'delay:=0.2'], 'gui': ['-p', 'port:=0']}


class System:
    """All nodes but teleop, run by `run_together`; forked, so that they are there at once."""

    def __init__(self, graph, monkeypatch):
        self.graph = graph
        self.started = []
        monkeypatch.setattr(processes, '_start', self._start)
        given = checked({'task': 'grid_world'})
        self._commands = [_command(each, given, MORE.get(each.executable, ()))
                          for each in PROCESSES if not each.needs_terminal]
        self.beliefs = graph.listen(msg.Belief, names.BELIEF, qos.LATCHED)
        self.markers = graph.listen(MarkerArray, names.MARKERS, qos.PICTURES)

    def _start(self, command, environment):
        process = Process(command.name, command.arguments[3:],
                          {**self.graph.environment, **environment})
        self.started.append(process)
        self.graph.processes.append(process)
        process.popen.stdout = None
        return process.popen

    def run(self, output):
        return run_together(self._commands, {}, output)

    def named(self, name):
        return [each for each in self.started if each.name == name]

    def continues(self):
        """Wait for three more answers than now, or than after a start of the learner."""
        before = self.beliefs[-1].answers if self.beliefs else 0
        wait_for(lambda: self.beliefs and self.beliefs[-1].answers >= before + 3,
                 'the lesson to continue')

    def page_answers(self):
        """Return whether the page is served; by the port and the key that it had before."""
        (file,) = (self.graph.folder / 'home').rglob('page-*.json')
        kept = json.loads(file.read_text())
        with urllib.request.urlopen(f'http://127.0.0.1:{kept["port"]}/', timeout=5.0) as answer:
            return answer.status == 200 and kept


def test_the_lesson_continues_whoever_is_killed(graph, monkeypatch, tmp_path):
    system = System(graph, monkeypatch)
    tasks = graph.node.create_client(srv.GetTask, names.GET_TASK)
    failed = []

    def is_back(name):
        if name == 'mdp':       # a call is lost while the two have not found each other
            answer = tasks.call(srv.GetTask.Request(), timeout_sec=1.0)
            return answer is not None and answer.ok
        return name != 'visualiser' or system.markers

    def kill_each():
        try:
            system.continues()
            page = wait_for(system.page_answers, 'the page')
            for name in ('mdp', 'learner', 'demonstrator', 'gui', 'relay', 'visualiser'):
                system.named(name)[-1].send(signal.SIGKILL)
                system.markers.clear()
                wait_for(lambda name=name: len(system.named(name)) == 2, f'{name} to come back')
                wait_for(lambda name=name: is_back(name), f'{name} to work')
                system.continues()
            system.named('gui')[-1].wait_for_line('Teach here:')
            assert system.page_answers() == page
            assert {each.name for each in system.started
                    if len(system.named(each.name)) == 1} == {'controller', 'simulator'}
            system.named('controller')[0].send(signal.SIGKILL)
        except BaseException as error:
            failed.append(error)
            os.kill(os.getpid(), signal.SIGINT)
    killing = threading.Thread(target=kill_each)
    killing.start()
    with open(tmp_path / 'output', 'w+') as output:
        returned = system.run(output)
        killing.join()
        output.seek(0)
        said = output.read()
    assert failed == []
    assert returned == 1
    assert said.endswith('launcher     | controller has ended with exit code -9; ending the '
                         'others\n')
    assert 'the lesson continues after' in system.named('learner')[1].output
