"""Whatever goes wrong, the robot is told to stand still within a second: measured each time."""

from __future__ import annotations

import copy
import functools
import math
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from std_srvs.srv import Trigger
from waiting import patience

from gbs_irl_ros import msg
from gbs_irl_ros.ros import names, qos
from gbs_irl_ros.ros.messages import conversions
from soak.lanes import at_once
from soak.session import Claim, Control, Session, say, spread
from soak.stages import PageStage, PlayedStage, Stage, TaughtStage

NAME = 'stops'
SHARE = 24
EACH = 100
LIMIT_S = 1.0
FROZEN_LIMIT_S = 2.5        # a robot that does not move is given two seconds to begin
NEVER = 3.0                 # times the limit: then it counts as not stopped at all
TELL_EVERY_S = 20.0
MOST_PROBLEMS = 3
WORTH_A_STAGE = 20          # stops: fewer are left to those who are at it
STAGES_AT_ONCE = {PlayedStage: 4, TaughtStage: 2, PageStage: 2}


def nothing(stage: Any) -> None:
    """Leave all as it is."""


@dataclass(frozen=True)
class Trouble:
    """
    Something after which the robot must stop.

    begin, end: bring it about, and put it right again.
    by_itself: the robot is not told to stop: it stops because it is told nothing.
    """

    name: str
    stage: type[Stage]
    begin: Callable[[Any], None]
    end: Callable[[Any], None] = nothing
    by_itself: bool = False
    limit_s: float = LIMIT_S


def _silence(stage: PlayedStage) -> None:
    stage.learner.alive = False


def _speak(stage: PlayedStage) -> None:
    stage.learner.alive = True


def _old_session(stage: PlayedStage) -> None:
    stage.learner.session = 'another'


def _right_session(stage: PlayedStage) -> None:
    stage.learner.session = 'played'


def _damaged_policy(stage: PlayedStage) -> None:
    message = conversions.policy_to_msg(stage.learner.record())
    message.checksum = '0' * 64
    stage.learner.publish(message)


def _other_task(stage: PlayedStage) -> None:
    stage.learner.publish(conversions.policy_to_msg(stage.learner.record(task_hash='f' * 64)))


def _missing_policy(stage: PlayedStage) -> None:
    stage.learner.sequence += 1         # announced by the heartbeat alone


def _second_learner(stage: PlayedStage) -> None:
    stage.second = stage.graph.publisher(msg.Policy, names.POLICY, qos.LATCHED)


def _forged_policy(stage: PlayedStage) -> None:
    _second_learner(stage)
    forged = stage.learner.record(sequence=stage.learner.sequence + 1)
    stage.second.publish(conversions.policy_to_msg(forged))


def _one_learner(stage: PlayedStage) -> None:
    stage.graph.node.destroy_publisher(stage.second)


def _service_stop(stage: Stage) -> None:
    assert stage.graph.call(Trigger, names.CONTROLLER_STOP).success


def _no_odometry(stage: Stage) -> None:
    stage.road.simulator.send(signal.SIGSTOP)


def _odometry(stage: Stage) -> None:
    if getattr(stage, 'telling', None):
        stage.graph.node.destroy_timer(stage.telling)
        stage.telling = None
    stage.road.simulator.send(signal.SIGCONT)


def _tell(stage: Stage, change: Callable[[Odometry], None]) -> None:
    """Say where the robot is, in its place, again and again until it speaks itself."""
    _no_odometry(stage)
    if not hasattr(stage, 'odometry'):
        stage.odometry = stage.graph.publisher(Odometry, names.ODOM, qos.EVENTS)
    told = Odometry(pose=copy.deepcopy(stage.road.odometry[-1].pose))
    change(told)
    stage.odometry.publish(told)
    stage.telling = stage.graph.node.create_timer(0.05, lambda: stage.odometry.publish(told))


def _nowhere(told: Odometry) -> None:
    told.pose.pose.position.x = float('nan')


def _far_away(told: Odometry) -> None:
    told.pose.pose.position.y += 1.0


def _long_ago(told: Odometry) -> None:
    told.header.stamp.sec = int(time.time()) - 2


def _nan_pose(stage: Stage) -> None:
    _tell(stage, _nowhere)


def _jump(stage: Stage) -> None:
    _tell(stage, _far_away)


def _old_stamps(stage: Stage) -> None:
    _tell(stage, _long_ago)


def _frozen(stage: Stage) -> None:
    _tell(stage, lambda told: None)


def _zeros_of_another(stage: Stage) -> None:
    """Send zeros as an emergency stop does: again and again, since a single one may get lost."""
    if not hasattr(stage, 'other'):
        stage.other = stage.graph.publisher(Twist, names.CMD_VEL, qos.COMMANDS)
    stage.zeros = stage.graph.node.create_timer(0.05, lambda: stage.other.publish(Twist()))


def _no_zeros(stage: Stage) -> None:
    stage.graph.node.destroy_timer(stage.zeros)


def _terminate_controller(stage: Stage) -> None:
    stage.road.controller.send(signal.SIGTERM)


def _interrupt_controller(stage: Stage) -> None:
    stage.road.controller.send(signal.SIGINT)


def _kill_controller(stage: Stage) -> None:
    stage.road.controller.kill()


def _controller(stage: Stage) -> None:
    stage.road.controller.end()
    stage.restart_controller()


def _pause_learner(stage: TaughtStage) -> None:
    stage.learner.send(signal.SIGSTOP)


def _resume_learner(stage: TaughtStage) -> None:
    stage.learner.send(signal.SIGCONT)


def _close_page(stage: PageStage) -> None:
    stage.page.close()


TROUBLES: tuple[Trouble, ...] = (
    Trouble('the learner is killed', TaughtStage, TaughtStage.kill_learner,
            TaughtStage.start_learner),
    Trouble('the learner is stopped (SIGSTOP)', TaughtStage, _pause_learner, _resume_learner),
    Trouble("the learner's disk hangs", TaughtStage, TaughtStage.hang_learner,
            TaughtStage.free_learner),
    Trouble('the heartbeats end', PlayedStage, _silence, _speak),
    Trouble('the heartbeats are of an old session', PlayedStage, _old_session, _right_session),
    Trouble('a policy is announced and does not come', PlayedStage, _missing_policy),
    Trouble('a policy is damaged', PlayedStage, _damaged_policy),
    Trouble('a policy is for another task', PlayedStage, _other_task),
    Trouble('a policy is forged by a second publisher', PlayedStage, _forged_policy,
            _one_learner),
    Trouble('there is a second learner', PlayedStage, _second_learner, _one_learner),
    Trouble('STOP is called', PlayedStage, _service_stop),
    Trouble('another node sends zero velocities', PlayedStage, _zeros_of_another, _no_zeros),
    Trouble('the odometry ends', PlayedStage, _no_odometry, _odometry),
    Trouble('the odometry is not a number', PlayedStage, _nan_pose, _odometry),
    Trouble('the odometry jumps', PlayedStage, _jump, _odometry),
    Trouble('the odometry has old stamps', PlayedStage, _old_stamps, _odometry),
    Trouble('the odometry is frozen', PlayedStage, _frozen, _odometry, limit_s=FROZEN_LIMIT_S),
    Trouble('the controller is terminated', PlayedStage, _terminate_controller, _controller),
    Trouble('the controller is interrupted', PlayedStage, _interrupt_controller, _controller),
    Trouble('the controller is killed (until the base stands)', PlayedStage, _kill_controller,
            _controller, by_itself=True),
    Trouble('driving by hand: the connection to the page is lost', PageStage, _close_page),
    Trouble('driving by hand: the page freezes', PageStage,
            lambda stage: stage.page.let_go_unseen(), _close_page),
    Trouble('driving by hand: STOP is pressed', PageStage,
            lambda stage: stage.page.press_stop(), _close_page),
    Trouble("driving by hand: the page's node is killed (until the base stands)", PageStage,
            PageStage.kill_gui, lambda stage: (_close_page(stage), stage.start_gui()),
            by_itself=True))


def measure(stage: Any, trouble: Trouble) -> float:
    """Return how long it took until the robot stood [s]; infinite if it did not."""
    took = math.nan
    while math.isnan(took):     # it stood already, between two cells
        stage.ready()
        since = time.time()
        trouble.begin(stage)
        since = getattr(stage, 'begun_at', None) or since
        log = stage.motion if trouble.by_itself else stage.commands
        took = log.stopped_after(since, patience(NEVER * trouble.limit_s))
        if math.isinf(took):
            say(f'not stopped: {trouble.name}; commands: {log.last(since)}; '
                f'{stage.road.execution}\n{stage.road.controller.output[-1000:]}')
        trouble.end(stage)
    return took


class StopTimes:
    """
    Robots that are stopped again and again, several at a time.

    times: how long that took [s], by the name of the trouble. problems: what went wrong besides,
    after which trouble; another robot takes the place of that one.
    """

    def __init__(self, folder: Path, seed: int, troubles: Sequence[Trouble], each: int,
                 is_over: Callable[[], bool] = lambda: False,
                 controller: str | None = None, **stage: Any) -> None:
        """
        Set up.

        :param controller: the module of a controller with a fault.
        :param stage: further arguments of the stages.
        """
        self.times: dict[str, list[float]] = {trouble.name: [] for trouble in troubles}
        self.problems: list[tuple[str, str]] = []
        self._folder, self._is_over = folder, is_over
        self._stage = {'controller': controller, **stage}
        self._lock = threading.Lock()
        self._stages = 0
        rng = np.random.default_rng(seed)
        rounds = [[troubles[place] for place in rng.permutation(len(troubles))]
                  for _ in range(each)]
        self._to_do = {kind: deque(trouble for some in rounds for trouble in some
                                   if trouble.stage is kind)
                       for kind in {trouble.stage for trouble in troubles}}

    def run(self, stages: Mapping[type[Stage], int]) -> None:
        """Stop robots, with this number of each kind of stage at once at first."""
        at_once(*(functools.partial(self._lane, kind)
                  for kind, count in stages.items() if kind in self._to_do
                  for _ in range(min(count, len(self._to_do[kind])))))

    def _lane(self, kind: type[Stage] | None) -> None:
        """Go through what is to be done with one kind of stage, then help with the others."""
        while kind is not None and not self._is_over() and len(self.problems) < MOST_PROBLEMS:
            self._go_through(kind)
            with self._lock:
                most = max(self._to_do, key=lambda other: len(self._to_do[other]))
                kind = most if len(self._to_do[most]) >= WORTH_A_STAGE else None

    def _go_through(self, kind: type[Stage]) -> None:
        with self._lock:
            self._stages += 1
            folder = self._folder / f'{kind.__name__}-{self._stages}'
        folder.mkdir()
        stage = kind(folder, **self._stage)
        try:
            while not self._is_over():
                with self._lock:
                    if not self._to_do[kind] or len(self.problems) >= MOST_PROBLEMS:
                        return
                    trouble = self._to_do[kind].popleft()
                self.times[trouble.name].append(measure(stage, trouble))
        except AssertionError as error:         # a robot that does not drive again
            self.problems.append((trouble.name, str(error)[:2000]))
        finally:
            stage.close()

    @property
    def late(self) -> dict[str, float]:
        """Return the worst time of each trouble after which a robot was stopped too late."""
        limits = {trouble.name: trouble.limit_s for trouble in TROUBLES}
        return {name: max(times) for name, times in self.times.items()
                if times and max(times) > limits[name]}


def named(*names: str) -> tuple[Trouble, ...]:
    """Return some of the troubles."""
    found = tuple(trouble for trouble in TROUBLES if trouble.name in names)
    assert len(found) == len(names), names
    return found


def controls(folder: Path, seed: int) -> tuple[Control, ...]:
    """Return whether robots that are stopped late or never are noticed."""
    made = []
    for place, (what, trouble, options) in enumerate((
            ('a controller that does not care whether the learner lives',
             'the heartbeats end', {'controller': 'soak.controls.deaf_controller'}),
            ('a controller that waits for a heartbeat for 1.5 s',
             'the heartbeats end', {'controller': 'soak.controls.slow_controller'}),
            ('a page that may be away for a minute',
             'driving by hand: the page freezes', {'presence_timeout': 60.0}))):
        own = folder / f'control-{place}'
        own.mkdir()
        times = StopTimes(own, seed, named(trouble), 2, **options)
        times.run({PlayedStage: 1, PageStage: 1})
        worst = max(times.times[trouble], default=0.0)
        made.append(Control(what, bool(times.late), f'{worst:.2f} s' if math.isfinite(worst)
                            else f'not stopped within {NEVER * LIMIT_S:g} s'))
    return tuple(made)


def run(session: Session) -> list[Claim]:
    """Stop robots until the time is over or each was stopped often enough."""
    caught = controls(session.sub('controls'), session.seed)
    stops = StopTimes(session.folder, session.seed, TROUBLES, session.wanted(EACH),
                      lambda: session.is_over)
    telling = threading.Thread(target=_report, args=(session, stops), daemon=True)
    telling.start()
    stops.run(STAGES_AT_ONCE)
    claims = []
    for trouble in TROUBLES:
        times = stops.times[trouble.name]
        facts = spread(times)
        claims.append(Claim(
            f'stops.{trouble.name}', f'the robot stops within {trouble.limit_s:g} s: '
            f'{trouble.name}', len(times), session.wanted(EACH), 'stops',
            f'median {facts["median"]:.2f} s, worst {facts["worst"]:.2f} s' if times else 'none',
            bool(times) and trouble.name not in stops.late, caught, facts,
            '; '.join(f'then a robot did not drive again: {what.splitlines()[0]}'
                      for name, what in stops.problems if name == trouble.name)))
    return claims


def _report(session: Session, stops: StopTimes) -> None:
    while not session.is_over:
        time.sleep(TELL_EVERY_S)
        counts = [len(times) for times in stops.times.values()]
        session.say(f'{sum(counts)} stops, at least {min(counts)} of each kind; late: '
                    f'{stops.late}')
