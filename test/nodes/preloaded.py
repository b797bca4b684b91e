"""
Nodes as real processes that are there at once: forked from a process that has imported everything.

A node's start is mostly importing. One process for each worker of the tests does that once and
then forks: what runs is the same `python -m gbs_irl_ros.nodes.X`, with a process, memory, signals
and a DDS participant of its own. What tests the start itself uses a fresh interpreter.
"""

from __future__ import annotations

import atexit
import contextlib
import faulthandler
import fcntl
import json
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import termios
import threading
from pathlib import Path

LARGEST_REQUEST = 1 << 20
STATUS = struct.Struct('i')
LEFT_OUT = ('nodes', 'experiments', 'cli')      # folders of the package
TAKEN_LATER = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}


# ---- the side of the tests ----------------------------------------------------------------------

class Preloaded:
    """The process that forks."""

    def __init__(self):
        self._here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        # Messages look at this when they are imported, which is before the test says anything.
        environment = {**os.environ, 'ROS_PYTHON_CHECK_FIELDS': '1'}
        self._talking = threading.Lock()
        with there:
            self._process = subprocess.Popen(
                [sys.executable, str(Path(__file__).resolve()), str(there.fileno())],
                pass_fds=[there.fileno()], env=environment)

    def start(self, module, arguments, environment, streams, *, own_terminal=False):
        """
        Run a module as `python -m` does.

        :param streams: descriptors for its standard input, output and error.
        :param own_terminal: whether its input is a terminal that it is to control.
        """
        request = json.dumps([module, list(map(str, arguments)), environment, os.getcwd(),
                              own_terminal])
        read_end, write_end = os.pipe()
        with self._talking:
            try:
                socket.send_fds(self._here, [request.encode()], [*streams, write_end])
            finally:
                os.close(write_end)
            reply = self._here.recv(STATUS.size)
        if not reply:
            os.close(read_end)
            raise RuntimeError('the process that forks nodes has ended; its error is above')
        return Forked(STATUS.unpack(reply)[0], read_end)

    def close(self):
        self._here.close()
        self._process.wait()


class Forked:
    """A forked process, with the face of subprocess.Popen."""

    def __init__(self, pid, status):
        self.pid = pid
        self.returncode = None
        self._status = status       # readable when it has ended

    def poll(self):
        """Return the exit code, None while it runs."""
        return self._look(0.0)

    def wait(self, timeout=None):
        """Return the exit code when there is one."""
        if self._look(timeout) is None:
            raise subprocess.TimeoutExpired(f'process {self.pid}', timeout)
        return self.returncode

    def _look(self, timeout):
        if self.returncode is None and select.select([self._status], [], [], timeout)[0]:
            told = os.read(self._status, STATUS.size)
            os.close(self._status)
            if not told:
                raise RuntimeError(f'nobody knows how process {self.pid} has ended')
            self.returncode = os.waitstatus_to_exitcode(STATUS.unpack(told)[0])
        return self.returncode

    def send_signal(self, number):
        if self.poll() is None:
            with contextlib.suppress(ProcessLookupError):       # it has ended since
                os.kill(self.pid, number)

    def kill(self):
        self.send_signal(signal.SIGKILL)


_the_one, _making = [], threading.Lock()


def preloaded():
    """Return the one of this process; the first call starts it."""
    with _making:       # several threads may want their first node at once
        if not _the_one:
            _the_one.append(Preloaded())
            atexit.register(_the_one[0].close)
    return _the_one[0]


def end_forked():
    """End all that was forked, at once."""
    with _making:
        if _the_one:
            _the_one[0].close()


# ---- the side of the nodes ----------------------------------------------------------------------

def import_everything():
    """Import what nodes import, but no node: those are run as if for the first time."""
    import importlib
    import inspect
    import pkgutil

    from rclpy.utilities import get_rmw_implementation_identifier

    import gbs_irl_ros

    def import_modules(package):
        for module in pkgutil.iter_modules(package.__path__, f'{package.__name__}.'):
            # What begins with _ is the compiled kernel, which is not a module of Python. Those
            # left out are not even looked into: the experiments would import half of SciPy.
            name = module.name.rpartition('.')[2]
            if name not in LEFT_OUT and not name.startswith('_'):
                imported = importlib.import_module(module.name)
                if module.ispkg:
                    import_modules(imported)
    import_modules(gbs_irl_ros)
    import scipy.optimize  # noqa: F401 - by a function that the learner calls
    get_rmw_implementation_identifier()     # loads the middleware
    packages = [module for name, module in list(sys.modules.items())
                if name.endswith(('.msg', '.srv'))]
    for package in packages:
        for _, kind in inspect.getmembers(package, inspect.isclass):
            if hasattr(type(kind), '__import_type_support__'):
                type(kind).__import_type_support__()


def serve(channel):
    """Fork whenever asked to; return in each child, with what it is to run."""
    statuses = {}
    woken, wake = os.pipe()
    for end in (woken, wake):
        os.set_blocking(end, False)
    signal.set_wakeup_fd(wake)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    # Ctrl-C is for the tests, which end this; a child gets what is sent to it as soon as it can.
    signal.pthread_sigmask(signal.SIG_BLOCK, TAKEN_LATER)
    while True:
        ready, _, _ = select.select([channel, woken], [], [])
        if woken in ready:
            os.read(woken, 4096)
            _tell_who_has_ended(statuses)
        if channel in ready:
            data, streams, _, _ = socket.recv_fds(channel, LARGEST_REQUEST, 4)
            if not data:
                _end_all(statuses)
            pid = os.fork()
            if pid == 0:
                signal.set_wakeup_fd(-1)
                for end in (woken, wake, streams.pop(), *statuses.values()):
                    os.close(end)
                channel.close()
                return json.loads(data), streams
            for stream in streams[:3]:
                os.close(stream)
            statuses[pid] = streams[3]
            channel.send(STATUS.pack(pid))


def _end_all(pids):
    """End with all that was forked: what a killed run left would talk to nodes of the next one."""
    for pid in pids:
        os.kill(pid, signal.SIGKILL)
    os._exit(0)


def _tell_who_has_ended(statuses):
    while statuses:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid == 0:
            return
        end = statuses.pop(pid)
        try:
            os.write(end, STATUS.pack(status))
        except BrokenPipeError:
            pass        # the test no longer wants to know
        finally:
            os.close(end)


def become(request, streams):
    """Turn this process into the one that was asked for; return its module."""
    module, arguments, environment, folder, own_terminal = request
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    if own_terminal:
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    sys.argv = [module, *arguments]
    sys.path[0] = folder
    # What the test wants to have on it beside all that is there already.
    wanted = filter(None, environment.get('PYTHONPATH', '').split(os.pathsep))
    sys.path[1:1] = [entry for entry in wanted if entry not in sys.path]
    sys.stdin, sys.stdout, sys.stderr = (
        open(0), open(1, 'w', buffering=1), open(2, 'w', buffering=1))    # noqa: SIM115
    faulthandler.enable()       # as PYTHONFAULTHANDLER does
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, TAKEN_LATER)
    return module


def leave(code):
    """
    End as Python does, but do not take everything that was imported apart.

    All of that memory would first be copied from the process that forks.
    """
    if isinstance(code, str):
        print(code, file=sys.stderr)
        code = 1
    threading._shutdown()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code or 0)


if __name__ == '__main__':
    import gc
    import runpy
    import_everything()
    gc.freeze()     # what all share is not searched for garbage by each
    name = become(*serve(socket.socket(fileno=int(sys.argv[1]))))
    try:
        runpy.run_module(name, run_name='__main__', alter_sys=True)
    except SystemExit as end:
        leave(end.code)
    leave(0)
