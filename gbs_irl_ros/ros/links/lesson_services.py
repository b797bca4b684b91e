"""Calls of the learner's and the controller's services, from a thread that may wait for them."""

from __future__ import annotations

import contextlib
import threading
import time
from typing import Any

from rclpy.exceptions import InvalidHandle
from std_srvs.srv import Trigger

from gbs_irl_ros import srv
from gbs_irl_ros.languages.recognising import said_again
from gbs_irl_ros.languages.speaking import tr
from gbs_irl_ros.ros import names
from gbs_irl_ros.ros.base_node import BaseNode
from gbs_irl_ros.tasks.translated import said_name
from gbs_irl_ros.teaching.teacher_actions import ServiceError

TIMEOUT_S = 5.0
THINKING_S = 60.0       # for what has to be planned first
ASK_AGAIN_S = 1.0       # a reply can be lost while the two have only just found each other
STOP_EVERY_S = 0.2      # until it is confirmed, STOP is sent as often as this,
STOP_FOR_S = 10.0       # for this long at most

SERVICES = {
    names.LEARNER_START: Trigger, names.LEARNER_PAUSE: Trigger, names.LEARNER_FINISH: Trigger,
    names.LEARNER_UNDO: Trigger, names.LEARNER_RESET: Trigger, names.LEARNER_INVENT: Trigger,
    names.LEARNER_REVISE: srv.Revise, names.LEARNER_SHOW_PLACE: srv.ShowPlace,
    names.ASK_ABOUT: srv.AskAbout,
    names.CONTROLLER_GO: srv.Go, names.CONTROLLER_STOP: Trigger}
# Twice is the same as once, so they may be called again.
REPEATABLE = {names.LEARNER_START, names.LEARNER_PAUSE, names.LEARNER_FINISH,
              names.CONTROLLER_GO, names.CONTROLLER_STOP}

THINKING = {names.LEARNER_INVENT, names.LEARNER_SHOW_PLACE}


class LessonServices:
    """
    What a person can have the learner and the robot do.

    Client of: learner/start, learner/pause, learner/finish, learner/undo, learner/reset,
    learner/invent, controller/stop (std_srvs/Trigger), controller/go (Go),
    learner/revise (Revise), learner/show_place (ShowPlace), ask_about (AskAbout).
    """

    def __init__(self, node: BaseNode) -> None:
        self._clients = {name: node.client(kind, name) for name, kind in SERVICES.items()}
        self._stop: _Stop | None = None

    def is_there(self, name: str) -> bool:
        """Return whether somebody serves it."""
        return bool(self._clients[name].service_is_ready())

    def stop(self, *, wait: bool = True) -> str:
        """
        Have the controller stop the robot; return what it says, raise if that takes too long.

        A controller that does not answer may be about to be replaced, so STOP is sent again and
        again, to whoever serves it, until it is confirmed, or until ``forget_stop``.

        :param wait: False: return at once.
        """
        self.forget_stop()
        self._stop = stop = _Stop(self._clients[names.CONTROLLER_STOP], self._stop)
        if not wait:
            return ''
        reply = stop.wait(TIMEOUT_S)
        if reply is not None and reply.success:
            return said_again(reply.message, said_name)
        if reply is not None:
            why = said_again(reply.message, said_name)
        elif self.is_there(names.CONTROLLER_STOP):
            why = tr('the {who} did not answer within {seconds:g} s', who='controller',
                     seconds=TIMEOUT_S)
        else:
            why = tr('the {who} cannot be reached just now: is it running?', who='controller')
        raise ServiceError(tr('{why} (STOP is repeated for {seconds:.0f} s)', why=why,
                              seconds=STOP_FOR_S))

    def forget_stop(self) -> None:
        """Do not repeat a STOP that has not been confirmed: the person wants something else."""
        if self._stop is not None:
            self._stop.cancel()

    def call(self, name: str, **fields: Any) -> str:
        """
        Call a service and return what it says; raise if it refuses or does not answer.

        Never from a callback of the node: it waits for one.
        """
        client, request = self._clients[name], SERVICES[name].Request()
        who = name.split('/')[0] if '/' in name else 'learner'
        if not client.service_is_ready():
            raise ServiceError(tr('the {who} cannot be reached just now: is it running?', who=who))
        for field, value in fields.items():
            setattr(request, field, value)
        within_s = THINKING_S if name in THINKING else TIMEOUT_S
        times = max(1, round(within_s / ASK_AGAIN_S)) if name in REPEATABLE else 1
        response = _first_reply(client, request, times, within_s / times)
        if response is None:
            raise ServiceError(tr('the {who} did not answer within {seconds:g} s; try again',
                                  who=who, seconds=within_s))
        if not getattr(response, 'success', getattr(response, 'ok', False)):
            raise ServiceError(said_again(response.message, said_name))
        return said_again(response.message, said_name)


class _Stop:
    """One press of STOP, sent by a thread of its own until it is confirmed."""

    def __init__(self, client: Any, before: _Stop | None) -> None:
        """:param before: the one that this repeats, if somebody may still wait for its reply."""
        self._client = client
        self._ended, self._replied = threading.Event(), threading.Event()
        self._before = None if before is None or before._replied.is_set() else before
        self._reply: Any = None
        self._thread = threading.Thread(target=self._repeat, daemon=True)
        self._thread.start()

    def wait(self, seconds: float) -> Any | None:
        """Return what the controller replies, None if it does not in this time."""
        self._replied.wait(seconds)
        return self._reply

    def cancel(self) -> None:
        self._ended.set()

    def _repeat(self) -> None:
        deadline, futures = time.monotonic() + STOP_FOR_S, []
        with contextlib.suppress(InvalidHandle):        # the node has ended
            while not self._ended.is_set() and time.monotonic() < deadline:
                if self._client.service_is_ready():
                    futures.append(self._client.call_async(Trigger.Request()))
                    futures[-1].add_done_callback(self._on_reply)
                self._ended.wait(STOP_EVERY_S)
            for future in futures:
                if not future.done():
                    self._client.remove_pending_request(future)

    def _on_reply(self, future: Any) -> None:
        self._take(future.result())

    def _take(self, reply: Any) -> None:
        self._reply = reply
        if reply.success:
            self._ended.set()
        self._replied.set()
        if self._before is not None:
            self._before._take(reply)


def _first_reply(client: Any, request: Any, times: int, wait_s: float) -> Any | None:
    """Send a request, and again after each wait without any reply; return the first that comes."""
    replied = threading.Event()
    futures: list[Any] = []
    for _ in range(times):
        futures.append(client.call_async(request))
        futures[-1].add_done_callback(lambda _: replied.set())
        if any(future.done() for future in futures) or replied.wait(wait_s):
            break
    for future in futures:
        if not future.done():
            client.remove_pending_request(future)
    return next((future.result() for future in futures if future.done()), None)
