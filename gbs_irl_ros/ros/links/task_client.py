"""Fetches the task with its hypotheses from the mdp node, however late that comes up."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from gbs_irl_ros import srv
from gbs_irl_ros.languages.speaking import tr
from gbs_irl_ros.ros import names
from gbs_irl_ros.ros.base_node import BaseNode
from gbs_irl_ros.ros.messages import task_conversions
from gbs_irl_ros.tasks import Task

TIMEOUT_S = 10.0    # a large task takes a while to travel
REFUSED_S = 0.5     # before somebody who said no is asked again


class TaskClient:
    """
    The client of the mdp node.

    status_text: what it is waiting for, as a person reads it.
    refusal: why the mdp node serves no task now, and whether it will not by itself; None if it
    has not said so.
    """

    def __init__(self, node: BaseNode, deliver: Callable[[Task], None]) -> None:
        """
        Create the client.

        :param deliver: called with each task that was fetched.
        """
        self.status_text = tr('waiting for the task')
        self.refusal: tuple[str, bool] | None = None
        self._node = node
        self._deliver = deliver
        self._client = node.client(srv.GetTask, names.GET_TASK)
        self._request: tuple[Any, float] | None = None
        self._again_at = -math.inf

    def fetch(self) -> None:
        """Ask for the task unless that is under way; to be called until it is there."""
        if self._request is not None:
            future, since = self._request
            if self._node.steady() - since < TIMEOUT_S:
                return
            self._client.remove_pending_request(future)     # a node that died never answers
            self._request = None
        if self._node.steady() < self._again_at:
            return
        if not self._client.service_is_ready():
            self.status_text = tr('waiting for the task: is the mdp node running?')
            self.refusal = None
            return
        future = self._client.call_async(srv.GetTask.Request())
        self._request = (future, self._node.steady())
        self._node.when_done(future, self._on_response)

    def _on_response(self, future: Any) -> None:
        self._request = None
        response = future.result()
        self.refusal = None if response.ok else (response.message, bool(response.failed))
        if response.ok:
            self._deliver(task_conversions.task_from_msgs(response.world, response.hypotheses))
        else:
            self.status_text = tr('waiting for the task: {why}',
                                  why=response.message)
            self._again_at = self._node.steady() + REFUSED_S
