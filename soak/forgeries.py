"""Messages that are forged or replayed: none is obeyed, none leaves anything behind."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from graph import Graph
from road import EAST, LAST, WEST, PlayedLearner, Road
from waiting import wait_for

from gbs_irl_ros import msg
from gbs_irl_ros.core.policy import Policy
from gbs_irl_ros.learning.execution import ExecutionStatus
from gbs_irl_ros.learning.records import HeartbeatRecord, PolicyRecord
from gbs_irl_ros.ros import names, qos
from gbs_irl_ros.ros.messages import conversions
from soak.session import Claim, Control, Session

NAME = 'forgeries'
SHARE = 5
MESSAGES = 10_000
BURST = 40
CONTROL_MESSAGES = 1000
BETWEEN_S = 0.03
KEY = b'k' * 32
BACK_WITHIN_S = 10.0
ALONE_BEATS = 12            # of the learner, by when the robot knows that the forger has gone
LARGEST = 2**64 - 1
LEAVES_M = 1.5
REWIND_M = LAST - 6.0       # further than it drives during an attack


class AttackedRoad:
    """
    A robot that drives east, and a forger who wants it to drive west.

    sent: messages of the forger. obeyed: decisions to drive west. lasting: bursts after which the
    robot did not drive again.
    """

    def __init__(self, folder: Path, seed: int, *, key: bool,
                 controller: str | None = None) -> None:
        self.sent = self.obeyed = self.lasting = 0
        self._rng = np.random.default_rng(seed)
        self._graph = Graph(folder)
        options: dict[str, Any] = {'module': controller} if controller else {}
        if key:
            file = folder / 'key'
            file.write_bytes(KEY)
            file.chmod(0o600)
            options['key_file'] = file
        self._road = Road(self._graph, folder, **options)
        self._learner = PlayedLearner(self._graph, self._road.task, KEY if key else None)
        self._learner.announced = self._learner.record()
        self._old = self._policy(EAST, LAST)
        self._road.allow()
        self._wait_until_under_way()

    def _wait_until_under_way(self) -> None:
        wait_for(self._is_under_way, 'the robot to be under way', 60.0)

    def _is_under_way(self) -> bool:
        """Return whether it drives beyond the first cell, where a forger's policy may end."""
        return self._x > LEAVES_M and self._drives()

    @property
    def _x(self) -> float:
        heard = self._road.odometry
        return float(heard[-1].pose.pose.position.x) if heard else 0.0

    def _policy(self, action: int, goal: int, **changes: Any) -> Any:
        size = self._road.task.world.mdp.num_states
        policy = Policy(np.full(size, 1 << action), np.ones(size), np.array([goal]), 4)
        return self._learner.record(policy=policy, **changes)

    def _pick(self, *options: Any) -> Any:
        return options[int(self._rng.integers(len(options)))]

    def _forged(self) -> tuple[PolicyRecord, HeartbeatRecord]:
        """Return a policy and a heartbeat of a forger who has seen everything."""
        sequence, beats = self._learner.sequence, self._learner.beats
        # Its goal is at the end of the road, or where the robot is, which would have arrived.
        goal = self._pick(0, int(self._x))
        west = self._policy(
            WEST, goal, session=self._pick('played', 'another'),
            sequence=self._pick(sequence, sequence + 1, sequence + 1000, 2**32, LARGEST))
        count = self._pick(0, beats, beats + 1, beats + 5, beats + 5, LARGEST)
        beat = HeartbeatRecord(west.session, west.sequence, count, checksum=west.checksum)
        if self._rng.random() < 0.3:
            beat = beat.signed(b'x' * 32, self._learner.challenge)      # by another key
        return west, beat

    def attack(self) -> None:
        """Forge for a while, then go; see whether the robot drives on as before."""
        self._begin_again()
        self._road.executions_heard.clear()
        policies = self._graph.publisher(msg.Policy, names.POLICY, qos.LATCHED)
        heartbeats = self._graph.publisher(msg.Heartbeat, names.HEARTBEAT, qos.HEARTBEATS)
        replayed = self._learner.sent[:5]       # long ago
        wait_for(lambda: policies.get_subscription_count() and
                 heartbeats.get_subscription_count(), 'the controller to listen')
        for _ in range(BURST // 4):
            policy, beat = self._forged()
            policies.publish(conversions.policy_to_msg(self._old))
            policies.publish(conversions.policy_to_msg(policy))
            heartbeats.publish(conversions.heartbeat_to_msg(beat))
            heartbeats.publish(self._pick(*replayed))
            self.sent += 4
            time.sleep(BETWEEN_S)       # the controller looks twenty times a second
        self._graph.node.destroy_publisher(policies)
        self._graph.node.destroy_publisher(heartbeats)
        alone = self._learner.beats + ALONE_BEATS
        try:
            wait_for(lambda: self._learner.beats >= alone and self._drives(),
                     'the robot to drive', BACK_WITHIN_S)
        except AssertionError:
            self.lasting += 1
        self.obeyed += sum(each.action == WEST for each in self._road.executions)

    def _begin_again(self) -> None:
        """Put the robot back if the end is near: who has arrived may not drive, whatever comes."""
        road = self._road
        if self._x < REWIND_M:
            return
        road.simulator.kill()
        road.simulator.close()
        self._graph.processes.remove(road.simulator)
        road.start_simulator()
        wait_for(lambda: self._x < 1.0, 'the robot put back')
        # It has jumped, which is noticed unless it stood for a while before: then it drives.
        wait_for(lambda: road.execution.needs_permission or self._is_under_way(),
                 'the jump to be noticed, or the robot to drive')
        if road.execution.needs_permission:
            wait_for(lambda: road.go().ok, 'the robot to be allowed to drive')
        self._wait_until_under_way()

    def _drives(self) -> bool:
        """Return whether the robot does what its learner says, whose goal is far away."""
        now = self._road.execution
        return now is not None and now.status is ExecutionStatus.DRIVING and now.action != WEST

    def close(self) -> None:
        """End all processes."""
        self._graph.close()


def attacked(folder: Path, seed: int, is_enough: Callable[[AttackedRoad], bool],
             **how: Any) -> AttackedRoad:
    """Attack a robot; return what came of it."""
    road = AttackedRoad(folder, seed, **how)
    try:
        while not is_enough(road):
            road.attack()
        return road
    finally:
        road.close()


def control(folder: Path, seed: int) -> Control:
    """Return whether a robot that obeys a forger is noticed."""
    road = attacked(folder, seed, lambda road: road.obeyed or road.sent >= CONTROL_MESSAGES,
                    key=False, controller='soak.controls.trusting_controller')
    return Control('a controller that follows whatever policy came last', road.obeyed > 0,
                   f'{road.obeyed} decisions of the forger obeyed')


def run(session: Session) -> list[Claim]:
    """Attack robots with and without a key."""
    caught = control(session.sub('control'), session.seed)
    claims = []
    for number, (key, text) in enumerate((
            (True, 'with a key file, no forged or replayed policy or heartbeat is obeyed'),
            (False, 'without one, whatever a forger did, the robot does what its learner says '
                    'when the forger has gone'))):
        until = time.monotonic() + session.left_s / (2 - number)
        road = attacked(
            session.sub(f'key-{key}'), session.seed, lambda road, until=until:
            road.sent >= session.wanted(MESSAGES) or time.monotonic() >= until, key=key)
        claims.append(Claim(
            f'forgeries.{"with" if key else "without"}_key', text, road.sent,
            session.wanted(MESSAGES), 'messages', f'{road.obeyed} obeyed, {road.lasting} with a '
            'lasting effect', not road.lasting and not (key and road.obeyed), (caught,)))
        session.say(f'{text}: {road.sent} messages, {claims[-1].result}')
    return claims
