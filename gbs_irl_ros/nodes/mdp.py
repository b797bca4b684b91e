"""The mdp node: loads a task file, plans for all its hypotheses, and gives them to the others."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any

from gbs_irl_ros import msg, srv
from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.core.planning import kernel
from gbs_irl_ros.ros import names, qos
from gbs_irl_ros.ros.base_node import BaseNode, NodeParameters, refused
from gbs_irl_ros.ros.diagnostics import Health, Level
from gbs_irl_ros.ros.messages import task_conversions
from gbs_irl_ros.ros.parameters import parameter
from gbs_irl_ros.ros.running import run_node
from gbs_irl_ros.tasks import Task, find_task, load_task
from gbs_irl_ros.tasks.plans.plan_cache import DEFAULT_MEGABYTES, MEGABYTE, PlanCache, cache_folder
from gbs_irl_ros.tasks.task_file import DEFAULT_TASK

PROGRESS_EVERY_S = 1.0


@dataclass(frozen=True)
class MdpParameters(NodeParameters):
    """Parameters of the mdp node."""

    task: str = parameter(DEFAULT_TASK, 'The task: a name in config/tasks, or the path of a file.')
    allow_large: bool = parameter(
        False, 'Load the task even if it needs more than 2 GB or 5 s.')
    cache_dir: str = parameter(
        '', "Where plans are kept; '': gbs_irl_ros in $XDG_CACHE_HOME or ~/.cache.")
    cache_mb: int = parameter(
        DEFAULT_MEGABYTES, 'How much room all kept plans may take [MB]; 0: none is kept or used.',
        low=0)


class MdpNode(BaseNode[MdpParameters]):
    """
    The one source of the task. It never reads, or says, which hypothesis is true.

    Publishes: world (World), latched. Serves: get_task (GetTask).
    Parameters: see MdpParameters; they may be changed while it runs. Setting ``task`` reads its
    file again; those of the cache count from the next task on.
    """

    def __init__(self, **node_options: Any) -> None:
        super().__init__('mdp', MdpParameters, **node_options)
        self._loading = threading.Lock()
        self._publishing = threading.Lock()
        self._has_ended = False
        self._response: srv.GetTask.Response | None = None      # as soon as it is planned for
        self._status_text = 'loading the task'
        self._failed = False
        self._progress_said_at = self.steady()
        self._publisher = self.create_publisher(msg.World, names.WORLD, qos.LATCHED)
        self.serve(srv.GetTask, names.GET_TASK, self._handle_get_task)
        self.declared.on_change(self._change)
        if self.parameters is not None:
            self._begin(self.parameters)

    def health(self) -> Health:
        """Return whether there is a task."""
        if self._failed:
            return Health(Level.ERROR, self._status_text)
        level = Level.OK if self._response is not None else Level.WARN
        return Health(level, self._status_text)

    def finish(self) -> None:
        """Publish nothing from now on: planning that ends later has nobody to tell."""
        with self._publishing:
            self._has_ended = True

    def _change(self, parameters: MdpParameters) -> None:
        """Take other parameters; raise if there is no such task."""
        find_task(parameters.task)
        self._begin(parameters)

    def _begin(self, parameters: MdpParameters) -> None:
        """Load in the background: planning may take a while, and questions must be answered."""
        before = self.parameters
        if before is not None and parameters != before and (
                parameters.task, parameters.allow_large) == (before.task, before.allow_large):
            return      # another cache is not another task
        # A daemon on purpose: when the node ends, so may the planning.
        threading.Thread(target=self._load, args=(parameters,), daemon=True).start()

    def _load(self, parameters: MdpParameters) -> None:
        name = parameters.task
        with self._loading:
            try:
                self._status_text, self._failed = f'loading task {name!r}', False
                task = load_task(name, allow_large=parameters.allow_large)
                self._plan(task, PlanCache(cache_folder(parameters.cache_dir),
                                           parameters.cache_mb * MEGABYTE, self._warn))
            except Exception as error:      # also out of memory: it must not plan for ever
                self._fail(error)

    def _fail(self, error: Exception) -> None:
        """Say why there is no task."""
        reason = str(error) if isinstance(error, GbsIrlError) else \
            'there is not enough memory for it' if isinstance(error, MemoryError) else \
            f'{type(error).__name__}: {error}'
        self._status_text, self._failed = f'the task cannot be served: {reason}', True
        self.get_logger().error(
            f'{self._status_text}\nset the parameter `task` to another one'
            + ('; the one before is still served' if self._response is not None else ''))

    def _plan(self, task: Task, cache: PlanCache) -> None:
        count = task.rewards.num_rewards
        size = f'{task.world.mdp.num_states} states, {task.world.mdp.num_actions} actions'
        self.get_logger().info(
            f'task {task.world.name!r}: {size}, {count} hypotheses')
        if kernel.library() is None:
            self._warn(kernel.description())
        else:
            self.get_logger().info(kernel.description())
        begun = self.steady()
        task.compile(self._show_progress, cache)
        self.get_logger().info(
            f'the plan was found in {cache.loaded}' if cache.loaded is not None
            else f'planned in {self.steady() - begun:.1f} s'
            + (f'; the plan is kept in {cache.stored}' if cache.stored is not None else ''))
        response = srv.GetTask.Response(
            ok=True, world=task_conversions.world_to_msg(task.world),
            hypotheses=task_conversions.hypotheses_to_msg(task))
        with self._publishing:
            if self._has_ended:
                return
            self._response = response
            self._publisher.publish(response.world)
        self._status_text = (f'task {task.world.name!r} is ready: {size}, {count} hypotheses with '
                             f'{task.hypotheses.num_policies} different policies')
        self.get_logger().info(self._status_text)

    def _warn(self, line: str) -> None:
        self.get_logger().warning(line)

    def _show_progress(self, done: int, total: int) -> None:
        self._status_text = f'planning for {done} of {total} hypotheses'
        if self.steady() - self._progress_said_at >= PROGRESS_EVERY_S:
            self._progress_said_at = self.steady()
            self.get_logger().info(self._status_text)

    def _handle_get_task(self, request: srv.GetTask.Request,
                         response: srv.GetTask.Response) -> srv.GetTask.Response:
        if self._response is None:
            response.failed = self._failed
            return refused(response, self._status_text)
        return self._response


def main() -> None:
    """Run the node."""
    run_node(MdpNode)


if __name__ == '__main__':
    main()
