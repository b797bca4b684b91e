"""Responses that are lost, doubled, late or forged: every answer arrives, and counts once."""

from __future__ import annotations

import threading
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from graph import PAPER, Graph
from waiting import wait_for

from gbs_irl_ros import msg, srv
from gbs_irl_ros.core.answers import ActionAnswer, Answer
from gbs_irl_ros.ros import names
from gbs_irl_ros.ros.learner_parameters import LearnerParameters
from gbs_irl_ros.tasks import load_task
from soak.session import Claim, Control, Session
from soak.small_world import write_task
from soak.witness import Findings, Witness

NAME = 'losses'
SHARE = 10
ANSWERS = 100_000
LESSONS = 8                 # at once, in namespaces of one graph
ANSWERS_PER_LESSON = 250    # short ones: each belief lists what it acknowledges
CONTROL_ANSWERS = 40
CHANCES = {'lost': 0.1, 'doubled': 0.1, 'late': 0.1, 'forged': 0.02}
LATE_BY_S = 0.2
ACTIONS = 4
SETTINGS = {**PAPER, 'certainty': 0.0, 'ask_again': 0.1}


class LossyTeacher:
    """Keeps what it said to each question; the way back to the learner is bad."""

    def __init__(self, graph: Any, namespace: str, seed: int, *, remembers: bool = True) -> None:
        """
        Serve.

        :param remembers: False: it changes its mind whenever it is asked again.
        """
        self.said: dict[str, Answer] = {}       # what was said first, by the id of its question
        self.luck: Counter[str] = Counter()
        self._remembers = remembers
        self._rng = np.random.default_rng(seed)
        self._graph = graph
        self._service = graph.node.create_service(
            srv.QueryDemonstrator, f'/{namespace}/{names.QUERY_DEMONSTRATOR}', self._handle)
        self._really_send = self._service.send_response
        self._service.send_response = self._send

    def _handle(self, request: Any, response: Any) -> Any:
        asked = request.question
        given = ActionAnswer(asked.state, int(self._rng.integers(ACTIONS)))
        first = self.said.setdefault(asked.id, given)
        response.ok = True
        response.answer = msg.Answer(id=asked.id, kind=msg.Answer.ACTION,
                                     action=(first if self._remembers else given).action)
        return response

    def _send(self, response: Any, header: Any) -> None:
        kind = self._rng.choice([*CHANCES, 'good'],
                                p=[*CHANCES.values(), 1.0 - sum(CHANCES.values())])
        self.luck[str(kind)] += 1
        if kind == 'late':
            threading.Timer(LATE_BY_S, self._late, (response, header)).start()
        elif kind == 'forged':
            response.answer.id = self._forged_id(response.answer.id)
            self._really_send(response, header)
        elif kind != 'lost':
            for _ in range(2 if kind == 'doubled' else 1):
                self._really_send(response, header)

    def _forged_id(self, real: str) -> str:
        """Return the id of an older question, or one that nobody has asked."""
        older = list(self.said)[:-1]
        return str(self._rng.choice(older)) if older and self._rng.random() < 0.5 \
            else f'{real}-forged'

    def _late(self, response: Any, header: Any) -> None:
        if self._graph.context.ok():
            self._really_send(response, header)


class LossyLessons:
    """Several lessons at once, in namespaces of one graph."""

    def __init__(self, folder: Path, seed: int, answers: int, lessons: int, *,
                 remembers: bool = True) -> None:
        self._graph = Graph(folder)
        self._file = write_task(folder)
        self._answers = answers
        self._graph.start('mdp', task=self._file)
        self._names = [f'lesson_{number}' for number in range(lessons)]
        self.teachers = [LossyTeacher(self._graph, name, seed + number, remembers=remembers)
                         for number, name in enumerate(self._names)]
        self._witnesses = [Witness(self._graph, name) for name in self._names]
        for name in self._names:
            self._graph.start(
                'learner', namespace=name, journal_dir=folder / name, max_answers=answers,
                remap=('get_task:=/get_task', 'world:=/world'), **SETTINGS)

    def findings(self) -> Findings:
        """Wait for the end of all lessons; return what is wrong with them."""
        wait_for(lambda: all(each.answers >= self._answers for each in self._witnesses),
                 lambda: f'{self._answers} answers each: '
                 f'{[each.answers for each in self._witnesses]}', 180.0)
        found = Findings()
        task = load_task(self._file)
        for name, teacher, witness in zip(self._names, self.teachers, self._witnesses,
                                          strict=True):
            journal, = (self._graph.folder / name).rglob('*.jsonl')
            found.add(witness.compare(
                journal, task, LearnerParameters(**SETTINGS), teacher.said))
        return found

    def close(self) -> None:
        """End all processes."""
        self._graph.close()


def lossy_lessons(folder: Path, seed: int, answers: int = ANSWERS_PER_LESSON,
                  lessons: int = LESSONS, *, remembers: bool = True,
                  ) -> tuple[Findings, Counter[str]]:
    """Give lessons over a bad line; return what is wrong with them, and what the line did."""
    running = LossyLessons(folder, seed, answers, lessons, remembers=remembers)
    try:
        found = running.findings()
        return found, sum((teacher.luck for teacher in running.teachers), Counter())
    finally:
        running.close()


def control(folder: Path, seed: int) -> Control:
    """Return whether answers that are not the first ones are noticed."""
    found, _ = lossy_lessons(folder, seed, CONTROL_ANSWERS, 1, remembers=False)
    return Control('a teacher who gives another answer whenever he is asked again',
                   bool(found.altered), str(found))


def run(session: Session) -> list[Claim]:
    """Give lessons until the time is over or there were enough answers."""
    caught = control(session.sub('control'), session.seed)
    found, luck, number = Findings(), Counter[str](), 0
    longest_s = 0.0
    while found.acknowledged < session.wanted(ANSWERS) and session.left_s > longest_s:
        left_s = session.left_s
        more, happened = lossy_lessons(session.sub(f'round-{number}'),
                                       session.seed + 1000 * number)
        found.add(more)
        luck += happened
        number += 1
        longest_s = max(longest_s, left_s - session.left_s)
        session.say(f'{found.acknowledged} answers: {found}; {dict(luck)}')
    way = ', '.join(f'{luck[kind]} {kind}' for kind in CHANCES)
    return [Claim('losses.answers', 'no acknowledged answer is lost, doubled or altered when '
                  'responses are lost, doubled, late or forged', found.acknowledged,
                  session.wanted(ANSWERS), 'acknowledged answers', f'{found}; responses: {way}',
                  found.is_clean, (caught,), {'responses': dict(luck)})]
