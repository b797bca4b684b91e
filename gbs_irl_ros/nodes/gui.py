"""The gui node: a person teaches on a page in a browser."""

from __future__ import annotations

import ipaddress
import socket
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gbs_irl_ros.learning.folders import lessons_folder
from gbs_irl_ros.ros.base_node import BaseNode
from gbs_irl_ros.ros.diagnostics import Health, Level
from gbs_irl_ros.ros.executors import WaitingExecutor
from gbs_irl_ros.ros.links.joystick_link import JoystickLink, TeacherParameters
from gbs_irl_ros.ros.links.teacher_link import TeacherLink
from gbs_irl_ros.ros.parameters import ParameterError, parameter
from gbs_irl_ros.ros.running import run_node
from gbs_irl_ros.tasks.world import World
from gbs_irl_ros.teaching.web.board import Board
from gbs_irl_ros.teaching.web.commands import commands
from gbs_irl_ros.teaching.web.guard import Guard
from gbs_irl_ros.teaching.web.named_places import NamedPlaces
from gbs_irl_ros.teaching.web.server import PageServer
from gbs_irl_ros.teaching.web.token_file import PageKey, TokenFileError, load_key, save_key

DEFAULT_PORT = 8472
PORTS_TRIED = 10
SHOW_PERIOD_S = 0.1     # how often what moves is shown


@dataclass(frozen=True)
class GuiParameters(TeacherParameters):
    """Parameters of the gui node."""

    address: str = parameter(
        '127.0.0.1', 'Where the page is served; other than this machine only with allow_remote.',
        fixed=True)
    port: int = parameter(
        DEFAULT_PORT, 'The first port that is tried; 0: any that is free.', low=0, high=65535,
        fixed=True)
    allow_remote: bool = parameter(
        False, 'Serve other machines too. Anyone who reads the network can then read the key, '
        'teach, and drive the robot: only in a network that you trust.', fixed=True)
    hosts: str = parameter(
        '', 'Further names of this machine, with commas between, under which the page is opened.',
        fixed=True)
    presence_timeout: float = parameter(
        0.5, 'Stop driving by hand when the page has not been heard for this long [s].',
        low=0.2, high=60.0)
    stop_without_page: str = parameter(
        'lesson', 'What stops when the page that started it is closed, hidden or not heard for '
        'presence_timeout: only driving by hand (by_hand), also what the robot does before the '
        'lesson is done (lesson), or also a finished task (always).',
        choices=['by_hand', 'lesson', 'always'])
    lesson: str = parameter(
        'lesson', 'Name of the lesson: the page of each has a key of its own.', fixed=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        try:
            is_local = ipaddress.ip_address(self.address).is_loopback
        except ValueError:
            raise ParameterError("parameter 'address' must be an IP address of this machine, got "
                                 f'{self.address!r}') from None
        if not is_local and not self.allow_remote:
            raise ParameterError(
                f"parameter 'address' is {self.address}, which other machines can reach; set "
                "'allow_remote' if you trust everybody in that network")

    def key_path(self, namespace: str) -> Path:
        """Return the file of the page's key."""
        return self._file('page', namespace)

    def places_path(self, namespace: str) -> Path:
        """Return the file with what people call places."""
        return self._file('places', namespace)

    def _file(self, kind: str, namespace: str) -> Path:
        name = ''.join(each if each.isalnum() or each in '-_' else '_' for each in self.lesson)
        return lessons_folder(namespace) / f'{kind}-{name or "lesson"}.json'


class GuiNode(BaseNode[GuiParameters]):
    """
    Serves the teaching page; several people, tabs and phones may have it open.

    Topics and services: see TeacherLink, JoystickLink. Parameters: see GuiParameters.
    """

    def __init__(self, **node_options: Any) -> None:
        super().__init__('gui', GuiParameters, **node_options)
        self._board = Board()
        self._named: NamedPlaces | None = None
        self._server: PageServer | None = None
        self._status_text = 'the page is not served'
        self._link = TeacherLink(
            self, self._show, lambda: '' if self._server is not None else self._status_text)
        JoystickLink(self, self._link, self.get_logger().info)
        self.every(SHOW_PERIOD_S, self._show)
        if self.parameters is not None:
            self._watch_over_robot(self.parameters)
            self._serve_page(self.parameters)

    def health(self) -> Health:
        """Return whether the page is served."""
        pages = 0 if self._server is None else self._server.num_pages
        return Health(Level.OK if self._server is not None else Level.ERROR, self._status_text,
                      {'pages': pages, 'kept': self._link.num_kept})

    def finish(self) -> None:
        """Stop a robot that a person drives, close the page, let a waiting question go."""
        self._link.halt()
        if self._server is not None:
            self._server.stop()
        self._link.close()

    def _show(self) -> None:
        """Bring what pages show up to date; under the node's lock, so that the newest stays."""
        with self.exclusive():
            lesson = self._link.lesson()
            named = () if self._named is None else self._named.of(lesson.world)
            self._board.show(replace(lesson, named=named))

    def _watch_over_robot(self, parameters: GuiParameters) -> None:
        """
        Continue what a node that was killed did: a robot whose person is gone is stopped.

        A file says that somebody has let it drive on a page, and must be there.
        """
        path, driver = parameters.key_path(self.get_namespace()).with_suffix('.watch'), \
            self._link.driver

        def note(watches: bool) -> None:
            try:
                if watches:
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.touch(mode=0o600)
                else:
                    path.unlink(missing_ok=True)
            except OSError as error:
                self.get_logger().warning(f'{path}: {error.strerror}; if this node is killed, the '
                                          'robot is not stopped by the one that follows')
        if path.exists():
            driver.person_started()
        driver.on_watch = note

    # ---- the page -------------------------------------------------------------------------------

    def _serve_page(self, parameters: GuiParameters) -> None:
        path = parameters.key_path(self.get_namespace())
        try:
            key = load_key(path)
            self._named = NamedPlaces(parameters.places_path(self.get_namespace()))
            if self._named.problem:
                self.get_logger().warning(f'names of places are lost: {self._named.problem}')
            self._server = self._listening(parameters, key)
            save_key(path, PageKey(key.token, self._server.port))
        except (TokenFileError, OSError) as error:
            self._status_text = f'the page cannot be served: {error}'
            self.get_logger().error(self._status_text)
            return
        self._status_text = f'the page is at {_address(parameters.address, self._server.port)}'
        self.get_logger().info(f'{self._status_text}, its key is in {path}')
        # Not through the logger: anyone who reads /rosout could teach.
        for address in _addresses(parameters):
            url = f'{_address(address, self._server.port)}#key={key.token}'
            sys.stdout.write(f'Teach here: {url}\n')
        sys.stdout.flush()

    def _name_place(self, world: World, states: tuple[int, ...], name: str) -> None:
        assert self._named is not None      # before the page is served
        self._named.give(world, states, name)
        self._show()

    def _listening(self, parameters: GuiParameters, key: PageKey) -> PageServer:
        """Return a server on the port of last time, or on one that is free."""
        first = parameters.port
        wanted = list(range(first, min(first + PORTS_TRIED, 65536))) if first else [0]
        ports = [key.port, *wanted] if key.port in wanted or (key.port and not first) else wanted
        hosts = [host.strip() for host in parameters.hosts.split(',') if host.strip()]
        for port in dict.fromkeys(ports):
            server = PageServer(
                self._board, commands(self._link, self._link.lesson, self._name_place),
                Guard(key.token, hosts))
            try:
                server.start(parameters.address, port)
                return server
            except OSError as error:
                problem = error
        raise problem


def _address(address: str, port: int) -> str:
    literal = f'[{address}]' if ':' in address else address
    return f'http://{literal}:{port}/'


def _addresses(parameters: GuiParameters) -> list[str]:
    """Return the addresses to be typed into a browser, here and on a phone."""
    given = ipaddress.ip_address(parameters.address)
    if not given.is_unspecified:
        return [parameters.address]
    family, here = (socket.AF_INET, '127.0.0.1') if given.version == 4 \
        else (socket.AF_INET6, '::1')
    try:
        found = {str(entry[4][0]).split('%')[0] for entry in socket.getaddrinfo(
            socket.gethostname(), None, family)}
    except OSError:     # a machine that does not know its own name
        found = set()
    return [here, *sorted(address for address in found
                          if not ipaddress.ip_address(address).is_loopback)]


def main() -> int:
    """Run the node."""
    return run_node(GuiNode, executor=WaitingExecutor)


if __name__ == '__main__':
    raise SystemExit(main())
