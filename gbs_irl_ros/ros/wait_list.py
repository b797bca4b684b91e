"""What the callbacks of nodes wait for, kept from one wait to the next."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from typing import Any

from rclpy.context import Context
from rclpy.event_handler import EventHandler
from rclpy.exceptions import InvalidHandle
from rclpy.impl.implementation_singleton import rclpy_implementation as _rclpy
from rclpy.node import Node
from rclpy.waitable import NumberOfEntities

# Of all kinds of entities: the name in a wait set, and that of a node's property.
KINDS = {'timer': 'timers', 'subscription': 'subscriptions', 'guard_condition': 'guards',
         'client': 'clients', 'service': 'services'}
WAITABLE = 'waitable'
EVENTS_EVERY_S = 0.5    # how often it is looked whether a publisher or a subscription has trouble
FOREVER_NS = -1


class WaitList:
    """
    Entities of nodes, of which some become ready.

    rclpy collects them again for each callback, which takes longer than most callbacks. Here
    they are collected once. Until ``close`` none of them is destroyed, even if somebody asks for
    that meanwhile: then a new list is to be made.

    Half of all entities are events of publishers and subscriptions, such as qualities of service
    that do not fit together. They stay until they are looked at, so that is not done every time.
    """

    def __init__(self, nodes: Iterable[Node], guards: Iterable[Any], context: Context,
                 is_wanted: Callable[[Any], bool]) -> None:
        """
        Collect everything.

        :param guards: guard conditions that end a wait, besides those of the nodes.
        :param is_wanted: whether to wait for an entity of a node.
        """
        self._held = ExitStack()
        self._by_pointer: dict[str, dict[int, Any]] = {kind: {} for kind in KINDS}
        self._waitables: list[Any] = []
        self._events: list[EventHandler] = []
        self._looked_at = -EVENTS_EVERY_S
        handles: dict[str, list[Any]] = {kind: [] for kind in KINDS}
        for guard in guards:
            self._held.enter_context(guard.handle)
            handles['guard_condition'].append(guard.handle)
        for kind, entity in _entities(nodes):
            if is_wanted(entity) and self._hold(kind, entity) and kind != WAITABLE:
                handles[kind].append(entity.handle)
        self._held.enter_context(context.handle)
        count = NumberOfEntities(*(len(handles[kind]) for kind in (
            'subscription', 'guard_condition', 'timer', 'client', 'service')))
        for waitable in (*self._waitables, *self._events):
            count += waitable.get_num_entities()
        self._wait_set = _rclpy.WaitSet(
            count.num_subscriptions, count.num_guard_conditions, count.num_timers,
            count.num_clients, count.num_services, count.num_events, context.handle)
        self._adding = [(getattr(self._wait_set, f'add_{kind}'), handle)
                        for kind, all_of_kind in handles.items() for handle in all_of_kind]

    def close(self) -> None:
        """Let everything go."""
        self._held.close()

    def wait(self, timeout_ns: int = FOREVER_NS) -> list[tuple[str, Any]]:
        """
        Return what is ready, with its kind; nothing after a guard condition, or in vain.

        Raise InvalidHandle if something that is waited for has been destroyed.
        """
        now = time.monotonic()
        since_look = now - self._looked_at
        with_events = since_look >= EVENTS_EVERY_S
        if with_events:
            self._looked_at = now
        elif self._events:
            rest_ns = int((EVENTS_EVERY_S - since_look) * 1e9) + 1
            timeout_ns = rest_ns if timeout_ns < 0 else min(timeout_ns, rest_ns)
        waitables = [*self._waitables, *self._events] if with_events else self._waitables
        wait_set = self._wait_set
        wait_set.clear_entities()
        for add, handle in self._adding:
            add(handle)
        for waitable in waitables:
            waitable.add_to_wait_set(wait_set)
        wait_set.wait(timeout_ns)
        ready = [(WAITABLE, each) for each in waitables if each.is_ready(wait_set)]
        for kind, by_pointer in self._by_pointer.items():
            if by_pointer:
                ready += [(kind, by_pointer[pointer])
                          for pointer in wait_set.get_ready_entities(kind)
                          if pointer in by_pointer]
        return ready

    def _hold(self, kind: str, entity: Any) -> bool:
        """Keep an entity from being destroyed; return whether it still can be."""
        try:
            self._held.enter_context(entity if kind == WAITABLE else entity.handle)
        except InvalidHandle:
            return False
        if kind != WAITABLE:
            self._by_pointer[kind][entity.handle.pointer] = entity
        elif isinstance(entity, EventHandler):
            self._events.append(entity)
        else:
            self._waitables.append(entity)
        return True


def _entities(nodes: Iterable[Node]) -> Iterator[tuple[str, Any]]:
    for node in nodes:
        for kind, name in KINDS.items():
            for entity in getattr(node, name):
                yield kind, entity
        for waitable in node.waitables:
            yield WAITABLE, waitable
