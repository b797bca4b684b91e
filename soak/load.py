"""Many answers and ten pages: memory and handles stay, and the heart beats on time."""

from __future__ import annotations

import contextlib
import functools
import os
import time
from pathlib import Path
from typing import Any

import numpy as np
from graph import Graph
from rclpy.qos import QoSProfile, ReliabilityPolicy
from std_srvs.srv import Trigger

from gbs_irl_ros import msg
from gbs_irl_ros.ros import names
from soak.lanes import at_once
from soak.pages import OpenPages
from soak.session import Claim, Control, Session
from soak.small_world import write_task
from soak.teachers import PersonAtThePage, SimulatedPerson
from soak.witness import Witness

NAME = 'load'
SHARE = 16
ANSWERS = 40_000
PER_LESSON = 400
PAGES = 10
GROWTH_MB = 1.0             # per 1,000 answers
HANDLES = 20                # more than at the beginning
GAP_S = 0.2
LOOK_EVERY_S = 1.0
CONTROL_S = 60.0
MEGABYTE = 1 << 20
DEEP = QoSProfile(depth=100, reliability=ReliabilityPolicy.BEST_EFFORT)


class BusyLesson:
    """
    Lesson after lesson, as fast as it goes, by one learner.

    gaps: between two heartbeats of one session [s]. own_gaps: the same without the time for which
    the learner waited for a processor: other processes are not its fault.
    """

    def __init__(self, folder: Path, seed: int, person: Any = SimulatedPerson,
                 learner: str | None = None) -> None:
        self.answers = 0
        self.shown: list[int] = []
        self.gaps: list[float] = []
        self.own_gaps: list[float] = []
        self._looks: list[tuple[int, dict[str, tuple[float, int]]]] = []
        self._graph = Graph(folder)
        task = write_task(folder)
        self._witness = Witness(self._graph)
        self._person = person(self._graph, task, seed)
        self._nodes = {
            'mdp': self._graph.start('mdp', task=task),
            'learner': self._graph.start(
                'learner', module=learner, certainty=0.0, max_answers=PER_LESSON, ask_again=0.5,
                journal_dir=folder / 'journals'),
            self._person.node: self._person.start(),
            'controller': self._graph.start('controller'),
            'simulator': self._graph.start('simulator', rate=10.0),
            'visualiser': self._graph.start('visualiser')}
        self._reset = self._graph.node.create_client(Trigger, names.LEARNER_RESET)
        self._beat: tuple[str, float, dict[str, int]] = ('', 0.0, {})
        self._graph.node.create_subscription(
            msg.Heartbeat, names.HEARTBEAT, self._on_heartbeat, DEEP)

    def _on_heartbeat(self, beat: msg.Heartbeat, info: dict[str, Any]) -> None:
        now = info['source_timestamp'] * 1e-9
        waits = waits_of(self._nodes['learner'].popen.pid)
        session, before, earlier = self._beat
        if beat.session == session:
            self.gaps.append(now - before)
            waited = max((waits[thread] - earlier[thread] for thread in waits.keys() & earlier),
                         default=0)
            self.own_gaps.append(now - before - waited * 1e-9)
        self._beat = beat.session, now, waits

    def run(self, answers: int, is_over: Any) -> None:
        """Teach until the time is over or there were enough answers."""
        asked_at = 0.0
        while self.answers < answers and not is_over():
            time.sleep(LOOK_EVERY_S / 4)
            now = time.monotonic()
            if self._witness.answers >= PER_LESSON and now - asked_at > 2.0:
                self._reset.call_async(Trigger.Request())
                asked_at = now
            self.answers = self._witness.acknowledged
            self._looks.append((self.answers, self._look()))
        self._person.stop()

    def _look(self) -> dict[str, tuple[float, int]]:
        """Return megabytes and handles of each node."""
        found = {}
        for name, process in self._nodes.items():
            folder = Path('/proc') / str(process.popen.pid)
            pages = int((folder / 'statm').read_text().split()[1])
            found[name] = (pages * os.sysconf('SC_PAGE_SIZE') / MEGABYTE,
                           len(os.listdir(folder / 'fd')))
        return found

    def growth(self) -> dict[str, float]:
        """Return megabytes per 1,000 answers, from the first quarter to the last one."""
        return {name: round(1000.0 * more / self._between(), 3)
                for name, more in self.grown().items()} if self._between() else {}

    def grown(self) -> dict[str, float]:
        """Return how many more megabytes there are in the last quarter."""
        return self._more(0)

    def handles(self) -> dict[str, float]:
        """Return how many more handles there are in the last quarter."""
        return self._more(1)

    def _quarters(self) -> tuple[list[Any], list[Any]]:
        warm = self._looks[len(self._looks) // 8:]      # the first answers fill caches
        size = max(1, len(warm) // 4)
        return warm[:size], warm[-size:]

    def _between(self) -> float:
        first, last = self._quarters()
        return float(np.median([look[0] for look in last]) - np.median(
            [look[0] for look in first]))

    def _more(self, which: int) -> dict[str, float]:
        first, last = self._quarters()
        return {name: float(np.median([look[1][name][which] for look in last])
                            - np.median([look[1][name][which] for look in first]))
                for name in self._nodes}

    def close(self) -> None:
        """End all processes."""
        self._person.stop()
        self._graph.close()


def waits_of(process: int) -> dict[str, int]:
    """Return for how long each thread of a process has waited for a processor so far [ns]."""
    found = {}
    for thread in Path(f'/proc/{process}/task').glob('*'):
        with contextlib.suppress(OSError):      # it has ended
            found[thread.name] = int((thread / 'schedstat').read_text().split()[1])
    return found


def busy_lesson(folder: Path, seed: int, answers: int, seconds: float, pages: int = 0,
                **how: Any) -> BusyLesson:
    """Teach for a while, beside pages that look on; return what was seen."""
    until = time.monotonic() + seconds
    lesson = BusyLesson(folder, seed, **how)
    try:
        opened = OpenPages(folder / 'home/gbs_irl/page-lesson.json', pages) if pages else None
        lesson.run(answers, lambda: time.monotonic() >= until)
        if opened is not None:
            opened.close()
            lesson.shown = opened.heard
        return lesson
    finally:
        lesson.close()


def control(folder: Path, seed: int) -> tuple[Control, ...]:
    """Return whether a learner that leaks and stumbles is noticed."""
    lesson = busy_lesson(folder, seed, 2000, CONTROL_S, learner='soak.controls.leaky_learner')
    growth, handles = lesson.growth().get('learner', 0.0), lesson.handles()['learner']
    worst = max(lesson.own_gaps, default=0.0)
    return (Control('a learner that keeps 40 kB of each answer', growth > GROWTH_MB,
                    f'{growth:.1f} MB per 1,000 answers'),
            Control('a learner that opens a file for every fourth answer', handles > HANDLES,
                    f'{handles:.0f} more handles'),
            Control('a learner that leaves out some heartbeats', worst > GAP_S,
                    f'{worst:.2f} s between two'))


def run(session: Session) -> list[Claim]:
    """Teach in several graphs at once: by a simulated teacher, and on a page."""
    caught = control(session.sub('control'), session.seed)
    wanted, seconds = session.wanted(ANSWERS), session.left_s
    lessons = at_once(
        functools.partial(busy_lesson, session.sub('a'), session.seed, wanted // 2, seconds),
        functools.partial(busy_lesson, session.sub('b'), session.seed + 1, wanted // 2, seconds),
        functools.partial(busy_lesson, session.sub('page'), session.seed + 2, wanted, seconds,
                          PAGES, person=PersonAtThePage))
    answers = sum(lesson.answers for lesson in lessons)
    growth = {name: max(lesson.growth().get(name, 0.0) for lesson in lessons)
              for name in {name for lesson in lessons for name in lesson.growth()}}
    handles = {name: max(lesson.handles().get(name, 0.0) for lesson in lessons)
               for name in growth}
    gaps = [gap for lesson in lessons for gap in lesson.gaps]
    own_gap = max(gap for lesson in lessons for gap in lesson.own_gaps)
    worst = max(growth, key=lambda name: growth[name])
    page = lessons[2]
    return [
        Claim('load.memory', f'no node grows by {GROWTH_MB:g} MB or more per 1,000 answers',
              answers, wanted, 'answers', f'worst: {worst}, {growth[worst]:.2f} MB per 1,000 '
              'answers', growth[worst] < GROWTH_MB, caught[:1], growth),
        Claim('load.handles', f'no node has more than {HANDLES} handles more than at the '
              'beginning', answers, wanted, 'answers',
              f'at most {max(handles.values()):.0f} more', max(handles.values()) <= HANDLES,
              caught[1:2], handles),
        Claim('load.heartbeats', f"the learner's heart beats at least every {GAP_S:g} s while it "
              'is taught as fast as it goes, apart from the time for which it waits for a '
              'processor', len(gaps), len(gaps), 'heartbeats', f'worst {own_gap:.2f} s; with that '
              f'time {max(gaps):.2f} s, 99.9 % within {np.percentile(gaps, 99.9):.2f} s',
              own_gap < GAP_S, caught[2:], {'worst': max(gaps), 'own': own_gap}),
        Claim('load.pages', f'{PAGES} pages are open while a person teaches on one', PAGES, PAGES,
              'pages', f'{page.answers:,} answers by the page; each page was shown at least '
              f'{min(page.shown):,} changes', min(page.shown) > 0, caught[:1])]
