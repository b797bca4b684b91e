"""Nodes that are killed in random order while answers flow: none that was acknowledged is lost."""

from __future__ import annotations

import functools
import threading
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from graph import PAPER, Graph
from waiting import wait_for

from gbs_irl_ros.learning.events import Asked, event_from_json
from gbs_irl_ros.learning.journal import read_journal
from gbs_irl_ros.ros.learner_parameters import LearnerParameters
from gbs_irl_ros.tasks import load_task
from soak.lanes import at_once
from soak.session import Claim, Control, Session
from soak.small_world import write_task
from soak.teachers import PersonAtThePage, PersonAtTheTerminal, SimulatedPerson
from soak.witness import Findings, Witness

NAME = 'kills'
SHARE = 20
KILLS, ANSWERS = 1000, 10_000
AT_ONCE = 4             # lessons
KILLS_PER_LESSON = 40
MOST_BETWEEN = 24       # answers between two kills, at most
BOTH = 0.1              # how often two nodes are killed at once
CONTROL_KILLS = 6
SETTINGS = {**PAPER, 'certainty': 0.0, 'ask_again': 0.2}
TEACHERS = (SimulatedPerson, PersonAtThePage, SimulatedPerson, PersonAtTheTerminal)
CONTROLS = {
    'forgetful_learner': ('a learner that does not write every seventh answer', 'lost'),
    'stuttering_learner': ('a learner that writes every seventh answer twice', 'doubled'),
    'inexact_learner': ('a learner that tells one probability with its last bit flipped',
                        'unequal')}
# Started again, it would refuse its own journal: a lesson in which that happened cannot be.
SPARED = {'stuttering_learner': 'learner'}


class KilledLesson:
    """A lesson whose nodes are killed and started again."""

    def __init__(self, folder: Path, seed: int, person: Any = SimulatedPerson,
                 learner: str = 'gbs_irl_ros.nodes.learner', spared: str = '') -> None:
        """
        Start everything.

        :param learner: a module, to run instead of the learner.
        :param spared: a node that is not killed.
        """
        self.kills: Counter[str] = Counter()
        self._rng = np.random.default_rng(seed)
        self._graph = Graph(folder)
        self._file = write_task(folder)
        self._learner, self._spared = learner, spared
        self._witness = Witness(self._graph)
        self._person = person(self._graph, self._file, seed)
        self._starts = {
            'learner': self._start_learner, self._person.node: self._person.start,
            # Here to be killed: without a robot it need not look at the clock more often.
            'controller': lambda: self._graph.start('controller', allow_motion=True, rate=5.0)}
        self._graph.start('mdp', task=self._file)
        self._running = {name: start() for name, start in self._starts.items()}

    def _start_learner(self) -> Any:
        return self._graph.start('learner', module=self._learner, **SETTINGS,
                                 journal_dir=self._graph.folder / 'journals')

    def kill_one(self) -> None:
        """Wait for some answers, kill a node, and start it again."""
        enough = self._witness.acknowledged + int(self._rng.integers(1, MOST_BETWEEN))
        wait_for(lambda: self._witness.acknowledged >= enough,
                 lambda: f'answer {enough} after {dict(self.kills)}: '
                 f'{self._witness.acknowledged}\n' + '\n'.join(
                     f'{name}: {process.output[-2000:]}'
                     for name, process in self._running.items()), 60.0)
        names = [name for name in self._running if name != self._spared]
        count = 1 + int(self._rng.random() < BOTH)
        for name in map(str, self._rng.choice(names, count, replace=False)):
            process = self._running[name]
            process.kill()
            process.close()
            self._graph.processes.remove(process)
            self._running[name] = self._starts[name]()
            self.kills[name] += 1

    def finish(self) -> Findings:
        """End it; return what is wrong with it."""
        before = self._witness.acknowledged
        wait_for(lambda: self._witness.acknowledged > before, 'one more answer', 60.0)
        self._person.stop()
        self._running['learner'].end()
        journal, = (self._graph.folder / 'journals').glob('*.jsonl')
        asked = {event.id: event for event in map(event_from_json, read_journal(journal))
                 if isinstance(event, Asked)}
        return self._witness.compare(journal, load_task(self._file),
                                     LearnerParameters(**SETTINGS), self._person.said(asked))

    def close(self) -> None:
        """End all processes."""
        self._person.stop()
        self._graph.close()


def killed_lesson(folder: Path, seed: int, kills: int, is_over: Any = lambda: False,
                  **how: Any) -> tuple[Findings, Counter[str]]:
    """Kill nodes of one lesson; return what is wrong with it and how often each was killed."""
    lesson = KilledLesson(folder, seed, **how)
    try:
        while sum(lesson.kills.values()) < kills and not is_over():
            lesson.kill_one()
        return lesson.finish(), lesson.kills
    finally:
        lesson.close()


def control(folder: Path, seed: int, name: str) -> Control:
    """Return whether a learner with a fault is caught."""
    what, fault = CONTROLS[name]
    found, _ = killed_lesson(folder, seed, CONTROL_KILLS, learner=f'soak.controls.{name}',
                             spared=SPARED.get(name, ''))
    return Control(what, bool(getattr(found, fault)), str(found))


class Lessons:
    """Several lessons at once, one after the other in each lane, until enough was killed."""

    def __init__(self, session: Session, kills: int) -> None:
        self.findings, self.kills = Findings(), Counter[str]()
        self.problems: list[str] = []
        self._session, self._wanted = session, kills
        self._lock = threading.Lock()
        self._begun = 0

    def run(self) -> None:
        """Run all lanes; the last of them ends at the end of the time."""
        at_once(*(functools.partial(self._lane, number) for number in range(AT_ONCE)))

    def _lane(self, number: int) -> None:
        while not self._session.is_over:
            with self._lock:
                if self._begun >= self._wanted or self.problems:
                    return
                begun = self._begun
                self._begun += KILLS_PER_LESSON
            try:
                found, kills = killed_lesson(
                    self._session.sub(f'lesson-{begun}'), self._session.seed + begun,
                    min(KILLS_PER_LESSON, self._wanted - begun), lambda: self._session.is_over,
                    person=TEACHERS[number % len(TEACHERS)])
            except Exception as error:      # a node that does not recover is a result too
                self.problems.append(f'{type(error).__name__}: {error}'[:2000])
                return
            with self._lock:
                self.findings.add(found)
                self.kills += kills
                self._session.say(f'{sum(self.kills.values())} kills, '
                                  f'{self.findings.acknowledged} answers: {self.findings}')


def run(session: Session) -> list[Claim]:
    """Kill nodes until the time is over or there were enough of them."""
    controls = tuple(control(session.sub(name), session.seed, name) for name in CONTROLS)
    lessons = Lessons(session, session.wanted(KILLS))
    lessons.run()
    killed, found = sum(lessons.kills.values()), lessons.findings
    kinds = ', '.join(f'{count} of {name}' for name, count in sorted(lessons.kills.items()))
    return [
        Claim('kills.answers', 'no acknowledged answer is lost, doubled or altered when nodes are '
              'killed (`kill -9`) in random order', found.acknowledged,
              session.wanted(ANSWERS), 'acknowledged answers',
              f'{found} after {killed} kills: {kinds}',
              found.is_clean and not lessons.problems, controls,
              {'kills': dict(lessons.kills), 'compared': found.compared,
               'lost': found.lost, 'doubled': found.doubled, 'altered': found.altered},
              '; '.join(lessons.problems)),
        Claim('kills.count', 'every node that is killed is there again, and the lesson continues',
              killed, session.wanted(KILLS), 'kills', f'{len(lessons.problems)} lessons stuck',
              not lessons.problems, controls, {'problems': lessons.problems})]
