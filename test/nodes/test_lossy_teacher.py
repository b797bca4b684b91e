"""Responses that are lost, doubled or late: no answer is lost and none counts twice."""

from __future__ import annotations

import threading

import numpy as np
from waiting import wait_for

from gbs_irl_ros import msg, srv
from gbs_irl_ros.learning.events import Asked, event_from_json
from gbs_irl_ros.learning.journal import read_journal
from gbs_irl_ros.learning.records import AnswerRecord
from gbs_irl_ros.ros import names, qos

ANSWERS = 250
LOST, DOUBLED, LATE = 0.1, 0.1, 0.1
LATE_BY_S = 0.4


class LossyTeacher:
    """Keeps what it said to each question; the way back to the learner is bad."""

    def __init__(self, graph, *, remembers):
        self.said = {}              # every answer that was ever given, by the id of its question
        self.counts = {'lost': 0, 'doubled': 0, 'late': 0}
        self._remembers = remembers
        self._rng = np.random.default_rng(7)
        self._graph = graph
        self._service = graph.node.create_service(
            srv.QueryDemonstrator, names.QUERY_DEMONSTRATOR, self._handle)
        self._really_send = self._service.send_response
        self._service.send_response = self._send

    def _handle(self, request, response):
        given = self.said.setdefault(request.question.id, [])
        if not given or not self._remembers:
            given.append(int(self._rng.integers(4)))
        response.ok = True
        response.answer = msg.Answer(id=request.question.id, kind=msg.Answer.ACTION,
                                     action=given[-1])
        return response

    def _send(self, response, header):
        luck = self._rng.random()
        if luck < LOST:
            self.counts['lost'] += 1
        elif luck < LOST + DOUBLED:
            self.counts['doubled'] += 1
            self._really_send(response, header)
            self._really_send(response, header)
        elif luck < LOST + DOUBLED + LATE:
            self.counts['late'] += 1
            threading.Timer(LATE_BY_S, self._late, (response, header)).start()
        else:
            self._really_send(response, header)

    def _late(self, response, header):
        if self._graph.context.ok():
            self._really_send(response, header)


def answered(graph):
    """Return (ids asked, ids and actions answered) as the journal has them."""
    file, = (graph.folder / 'journals').glob('*.jsonl')
    events = [event_from_json(entry) for entry in read_journal(file)]
    return ([event.id for event in events if isinstance(event, Asked)],
            [(event.id, event.answer.action) for event in events
             if isinstance(event, AnswerRecord)])


def test_every_answer_arrives_once(graph):
    teacher = LossyTeacher(graph, remembers=True)
    graph.start('mdp', task='grid_world')
    graph.start('learner', journal_dir=graph.folder / 'journals', certainty=0.0, ask_again=0.2,
                max_answers=ANSWERS)
    heard = graph.listen(msg.Belief, names.BELIEF, qos.LATCHED)
    wait_for(lambda: heard and heard[-1].answers == ANSWERS, f'{ANSWERS} answers', 180.0)
    asked, believed = answered(graph)
    assert [each for each, _ in believed] == asked              # each once, none left out
    assert believed == [(each, teacher.said[each][0]) for each in asked]
    assert min(teacher.counts.values()) >= 10, teacher.counts   # the way really was bad
    assert set(heard[-1].acknowledged) == set(asked)


def test_the_check_above_notices_a_teacher_who_changes_his_mind(graph):
    """The control: without keeping answers, what was said first is not what is believed."""
    teacher = LossyTeacher(graph, remembers=False)
    graph.start('mdp', task='grid_world')
    graph.start('learner', journal_dir=graph.folder / 'journals', certainty=0.0, ask_again=0.2,
                max_answers=40)
    heard = graph.listen(msg.Belief, names.BELIEF, qos.LATCHED)
    wait_for(lambda: heard and heard[-1].answers == 40, '40 answers', 120.0)
    asked, believed = answered(graph)
    assert believed != [(each, teacher.said[each][0]) for each in asked]
