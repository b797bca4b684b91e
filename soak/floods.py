"""A thousand odd messages a second on every topic: no node ends, and STOP stops the robot."""

from __future__ import annotations

import contextlib
import math
import time
from pathlib import Path
from typing import Any

from graph import Graph
from road import PlayedLearner, Road
from std_srvs.srv import Trigger
from waiting import wait_for

from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.driving.drive_decision import GO_AFTER_S, INSISTENT_S
from gbs_irl_ros.learning.execution import ExecutionStatus
from gbs_irl_ros.ros import names
from soak.drive_log import DriveLog
from soak.session import Claim, Control, Session, spread

NAME = 'floods'
SHARE = 5
MESSAGES = 100_000
RATE = 1000.0
LIMIT_S = 1.0
STOPS = 20
WATCHING = ('gui', 'visualiser', 'learner')


class FloodedRoad:
    """
    A robot that drives while somebody floods all topics.

    stops: how long it took after a STOP [s]. problems: what went wrong besides.
    """

    def __init__(self, folder: Path, seed: int, controller: str | None = None,
                 visualiser: str | None = None) -> None:
        self.stops: list[float] = []
        self.problems: list[str] = []
        self._graph = Graph(folder)
        self._road = Road(self._graph, folder, module=controller)
        self._commands = DriveLog(self._graph)
        self._learner = PlayedLearner(self._graph, self._road.task)
        self._nodes = {
            'mdp': self._road.mdp, 'controller': self._road.controller,
            'simulator': self._road.simulator,
            'visualiser': self._graph.start('visualiser', module=visualiser),
            'gui': self._graph.start('gui', port=0),
            # Beside the played one, which the controller hears: it listens in another namespace.
            'learner': self._graph.start(
                'learner', journal_dir=folder / 'journals', remap=(
                    'policy:=other/policy', 'heartbeat:=other/heartbeat',
                    'belief:=other/belief', 'question:=other/question',
                    'history:=other/history'))}
        self._road.allow()
        self._road.wait_until_driving()
        self._flooder = self._graph.start('flooder', str(seed), str(RATE), module='soak.flooder')
        self._flooder.wait_for_line('sent ')

    @property
    def sent(self) -> int:
        """Return how many messages the flooder has sent."""
        lines = [line for line in list(self._flooder.lines) if line.startswith('sent ')]
        return int(lines[-1].split()[1]) if lines else 0

    def stop_once(self) -> None:
        """Have the robot drive if it may, press STOP, and measure."""
        since = time.time()
        try:
            response = self._graph.call(Trigger, names.CONTROLLER_STOP, deadline_s=5.0)
            if not response.success:
                self.problems.append(f'STOP was refused: {response.message}')
        except AssertionError as error:
            self.problems.append(f'STOP: {error}')
            self.stops.append(math.inf)
            return
        self.stops.append(time.time() - since)

    def look(self) -> None:
        """Note nodes that have ended."""
        for name, process in self._nodes.items():
            if process.popen.poll() is not None:
                self.problems.append(f'{name} ended with code {process.popen.poll()}')

    def after(self) -> None:
        """See whether the robot drives again when the flood is over."""
        self._flooder.kill()
        self._learner.sequence += 1
        self._learner.publish()
        try:
            wait_for(self._drives, 'the robot to drive after the flood', 30.0)
        except AssertionError as error:
            self.problems.append(str(error))

    def _drives(self) -> bool:
        with contextlib.suppress(GbsIrlError):  # the last that was heard may be of the flood
            if self._road.execution.status in (ExecutionStatus.DRIVING, ExecutionStatus.GOAL):
                return True
            if not self._road.go().ok:
                time.sleep(1.1 * INSISTENT_S)       # who asks again and again has to wait longer
        time.sleep(1.1 * GO_AFTER_S)
        return False

    def close(self) -> None:
        """End all processes."""
        self._graph.close()


def flooded(folder: Path, seed: int, messages: int, is_over: Any = lambda: False,
            **how: Any) -> tuple[FloodedRoad, int]:
    """Flood nodes for a while; return what came of it and how many messages were sent."""
    road = FloodedRoad(folder, seed, **how)
    try:
        while road.sent < messages and not is_over() and not road.problems:
            road.stop_once()
            road.look()
            time.sleep(0.2)
        sent = road.sent
        road.after()
        return road, sent
    finally:
        road.close()


def controls(folder: Path, seed: int) -> tuple[Control, ...]:
    """Return whether a slow controller and a node that dies are noticed."""
    made = []
    for place, (what, options) in enumerate((
            ('a controller that takes 1.5 s for each policy of a flood',
             {'controller': 'soak.controls.clogged_controller'}),
            ('a visualiser that ends when it cannot read a message',
             {'visualiser': 'soak.controls.fragile_visualiser'}))):
        own = folder / str(place)
        own.mkdir()
        road, _ = flooded(own, seed, 5000, **options)
        late = [took for took in road.stops if took > LIMIT_S]
        made.append(Control(what, bool(late or road.problems), '; '.join(
            [*(f'STOP took {max(late):.1f} s' for _ in late[:1]), *road.problems[:1]])[:200]))
    return tuple(made)


def run(session: Session) -> list[Claim]:
    """Flood until the time is over or there were enough messages."""
    caught = controls(session.sub('controls'), session.seed)
    road, sent = flooded(session.sub('flood'), session.seed, session.wanted(MESSAGES),
                         lambda: session.is_over)
    facts = spread(road.stops)
    late = [took for took in road.stops if took > LIMIT_S]
    session.say(f'{sent} messages, {len(road.stops)} stops, {road.problems}')
    return [Claim('floods.messages', 'under a flood of odd messages on every topic no node ends, '
                  'and STOP is obeyed within 1 s', sent, session.wanted(MESSAGES), 'messages',
                  f'{len(road.problems)} problems; {facts["count"]} STOPs answered, median '
                  f'{facts.get("median", 0.0):.2f} s, worst {facts.get("worst", 0.0):.2f} s',
                  not road.problems and not late, caught, {**facts, 'problems': road.problems})]
