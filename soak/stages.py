"""Robots that drive to and fro, for stopping them again and again."""

from __future__ import annotations

import asyncio
import json
import re
import threading
import time
from pathlib import Path
from typing import Any

import aiohttp
from geometry_msgs.msg import Twist
from graph import Graph
from nav_msgs.msg import Odometry
from road import EAST, LAST, TASK, WEST, PlayedLearner, Road
from std_srvs.srv import Trigger
from waiting import patience, wait_for

from gbs_irl_ros import msg
from gbs_irl_ros.learning.execution import ExecutionStatus
from gbs_irl_ros.ros import names, qos
from soak.drive_log import DriveLog

READY_S = 60.0
LET_GO_S = 1.2      # a little longer than the page wants
ASK_AGAIN_S = 1.0   # for what may have been lost
AGAIN_S = 12.0      # with another learner: DDS takes the one that was killed for alive for 20 s
TURN_EAST_M, TURN_WEST_M, REWIND_M = 4.0, 22.0, 20.0


class LoggedRoad(Road):
    """A road whose commands and places come from the logs, so that each is heard once."""

    def listen(self) -> None:
        """Leave it to the logs."""
        self.commands: list[Twist] = []
        self.odometry: list[Odometry] = []


class Stage:
    """A graph with a robot on a long road; subclasses have somebody who makes it drive."""

    drives_within_s = READY_S

    def __init__(self, folder: Path, controller: str | None = None) -> None:
        self.graph = Graph(folder)
        self.road = LoggedRoad(self.graph, folder, module=controller)
        self.commands = DriveLog(self.graph, Twist, self.road.commands)
        self.motion = DriveLog(self.graph, Odometry, self.road.odometry)

    @property
    def x(self) -> float:
        """Return where the robot is [m]."""
        return float(self.road.odometry[-1].pose.pose.position.x)

    def ready(self) -> None:
        """Have the robot drive, and hear it from those who make it drive now."""
        self.commands.begin()
        self.motion.begin()
        wait_for(lambda: self.road.execution, 'the controller', READY_S)
        wait_for(self._drives, lambda: f'the robot to drive; it is {self.road.execution}\n'
                 f'{self.road.controller.output[-2000:]}', self.drives_within_s)
        del self.road.odometry[:-1], self.road.commands[:-1]
        self.commands.forget()
        self.motion.forget()

    def _drives(self) -> bool:
        now = self.road.execution
        if now.status is ExecutionStatus.DRIVING:
            return self.commands.is_moving and self.motion.is_moving
        if now.needs_permission:
            self._allow()
        return False

    def _allow(self) -> None:
        """Allow motion; after a STOP the robot wants to be left alone for a while first."""
        response = self.road.go()
        refused = re.search(r'after (\d+) s', response.message)
        if not response.ok and refused:
            over = time.monotonic() + int(refused.group(1)) + 0.05
            wait_for(lambda: time.monotonic() > over, 'the moment to pass')
        elif response.ok:       # unless it loses it again: then it is allowed again
            over = time.monotonic() + patience(2.0)
            wait_for(lambda: not self.road.execution.needs_permission
                     or time.monotonic() > over, 'permission')

    def restart_controller(self) -> None:
        """Start it again after it has ended."""
        self._drop(self.road.controller)
        del self.road.executions_heard[:]
        self.road.start_controller()

    def rewind(self) -> None:
        """Put the robot back to the beginning of the road."""
        self.road.simulator.kill()
        self._drop(self.road.simulator)
        self.road.start_simulator()
        wait_for(lambda: self.road.odometry and self.x < 1.0, 'the robot at the beginning')

    def _drop(self, process: Any) -> None:
        process.close()
        self.graph.processes.remove(process)

    def close(self) -> None:
        """End all processes."""
        self.graph.close()


class PlayedStage(Stage):
    """The learner is played here: it can lie, and fall silent."""

    def __init__(self, folder: Path, controller: str | None = None) -> None:
        super().__init__(folder, controller)
        self.learner = PlayedLearner(self.graph, self.road.task)

    def ready(self) -> None:
        """Have the robot drive, back when it is near an end of the road."""
        wait_for(lambda: self.road.odometry, 'odometry', 60.0)
        if self.x > TURN_WEST_M:
            self.learner.action, self.learner.goal = WEST, 0
        elif self.x < TURN_EAST_M:
            self.learner.action, self.learner.goal = EAST, LAST
        self.learner.sequence += 1
        self.learner.publish()
        super().ready()


class TaughtStage(Stage):
    """A real learner has been taught the way; it can be killed, paused, and made to hang."""

    def __init__(self, folder: Path, controller: str | None = None) -> None:
        super().__init__(folder, controller)
        meant = folder / 'meant.yaml'       # the same task; only the teacher knows what is meant
        meant.write_text(TASK.replace('hypothesis: 0', f'hypothesis: {LAST}'))
        self.hang_file, self.begun_file = folder / 'hang', folder / 'hang.begun'
        self.graph.environment['GBS_IRL_SOAK_HANG'] = str(self.hang_file)
        self.begun_at: float | None = None      # when its disk began to hang
        self._pause = self.graph.node.create_client(Trigger, names.LEARNER_PAUSE)
        self._start = self.graph.node.create_client(Trigger, names.LEARNER_START)
        self.start_learner()
        teacher = self.graph.start('demonstrator', task=meant, accuracy=1.0)
        beliefs = self.graph.listen(msg.Belief, names.BELIEF, qos.LATCHED)
        wait_for(lambda: beliefs and beliefs[-1].status == msg.Belief.DONE, 'the lesson', 120.0)
        teacher.end()
        self.drives_within_s = AGAIN_S

    def start_learner(self) -> None:
        """Start it, again if it was killed."""
        self.learner = self.graph.start('learner', module='soak.controls.hanging_learner',
                                        journal_dir=self.graph.folder / 'journals')

    def kill_learner(self) -> None:
        """Kill it."""
        self.learner.kill()
        self._drop(self.learner)

    def hang_learner(self) -> None:
        """Have the learner write, and its disk hang as soon as it does."""
        self.hang_file.touch()
        asked_at = -ASK_AGAIN_S

        def hangs() -> bool:
            nonlocal asked_at
            if time.monotonic() >= asked_at + ASK_AGAIN_S and not self.begun_file.exists():
                # One of the two is written, whatever the learner does now; and both may be lost
                # while a learner that was killed is still known.
                asked_at = time.monotonic()
                for client in (self._pause, self._start):
                    client.call_async(Trigger.Request())
            return self.begun_file.exists()
        wait_for(hangs, 'the learner to hang', 20.0)
        self.begun_at = self.begun_file.stat().st_mtime

    def free_learner(self) -> None:
        """Let the disk work again."""
        self.hang_file.unlink()
        self.begun_file.unlink()
        self.begun_at = None

    def ready(self) -> None:
        """Have the robot drive, from the beginning when it is near the end of the road."""
        wait_for(lambda: self.road.odometry, 'odometry', 60.0)
        if self.x > REWIND_M:
            self.rewind()
        super().ready()


class PageStage(Stage):
    """A person drives by hand, on a page that is played here."""

    def __init__(self, folder: Path, controller: str | None = None, **gui: Any) -> None:
        super().__init__(folder, controller)
        self._gui = gui
        self._heading = EAST
        self.start_gui()

    def start_gui(self) -> None:
        """Start the node of the page."""
        self.gui = self.graph.start('gui', port=0, max_speed=0.5, max_turn=4.0, **self._gui)
        self.gui.wait_for_line('Teach here: ')

    def kill_gui(self) -> None:
        """Kill it."""
        self.gui.kill()
        self._drop(self.gui)

    def ready(self) -> None:
        """Have a page open on which a key is held."""
        self.commands.begin()
        self.motion.begin()
        wait_for(lambda: self.road.odometry, 'odometry', 60.0)
        self._heading = WEST if self.x > TURN_WEST_M else EAST if self.x < TURN_EAST_M \
            else self._heading
        self.page = PlayedPage(self.graph.folder / 'home/gbs_irl/page-lesson.json', self._heading)
        wait_for(lambda: self.commands.is_moving and self.motion.is_moving and self._leg_begins(),
                 lambda: f'the robot to drive; the page: {self.page.replies[-3:]}', 60.0)
        self.commands.forget()
        self.motion.forget()

    def _leg_begins(self) -> bool:
        """Return whether the robot has only just left the middle of a cell."""
        done = (self.x - 0.5) % 1.0
        return 0.02 < (done if self._heading == EAST else 1.0 - done) < 0.4


class PlayedPage:
    """A page that drives by hand: it sends the key that is held, and signs of life."""

    def __init__(self, key_file: Path, action: int) -> None:
        self.replies: list[Any] = []
        self._key_file, self._action = key_file, action
        self._loop = asyncio.new_event_loop()
        self._holds, self._is_refused = True, False
        self._left = asyncio.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def let_go_unseen(self) -> None:
        """Say nothing more, as a tab that is frozen, with the connection open."""
        self._holds = False

    def cut(self) -> None:
        """Lose the connection."""
        self._holds = False
        self._loop.call_soon_threadsafe(self._left.set)

    def press_stop(self) -> None:
        """Press STOP, and let go of the key."""
        self._holds = False
        asyncio.run_coroutine_threadsafe(self._send('stop', {}), self._loop)

    def close(self) -> None:
        """Leave."""
        self.cut()
        self._thread.join()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._live())
        self._loop.close()

    async def _send(self, command: str, fields: dict[str, Any]) -> None:
        await self._socket.send_json({'do': command, 'number': 1, 'with': fields})

    async def _live(self) -> None:
        """Connect; a node that has been killed and started again has another port in a moment."""
        while not self._left.is_set():
            try:
                await self._connected()
                return
            except aiohttp.ClientConnectorError:
                await asyncio.sleep(0.1)

    async def _connected(self) -> None:
        key = json.loads(self._key_file.read_text())
        origin = f'http://127.0.0.1:{key["port"]}'
        async with aiohttp.ClientSession(origin, headers={'Origin': origin}) as session, \
                session.ws_connect('/api/live') as self._socket:
            await self._socket.send_json({'token': key['token']})
            holding = asyncio.ensure_future(self._hold())
            reading = asyncio.ensure_future(self._read())
            await self._left.wait()
            holding.cancel()
            reading.cancel()

    async def _hold(self) -> None:
        while self._holds:
            if self._is_refused:        # after a STOP: it says that one has to let go
                self._is_refused = False
                await asyncio.sleep(LET_GO_S)
                continue
            await self._send('drive', {'action': self._action})
            for _ in range(5):
                if self._holds:
                    await self._send('be_present', {})
                await asyncio.sleep(0.1)

    async def _read(self) -> None:
        async for message in self._socket:
            if '"reply"' in message.data:
                self.replies.append(message.data)
                self._is_refused |= 'let go for a second' in message.data
