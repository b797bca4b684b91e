"""Ways through a world, for showing: what a policy would do, and what a person clicks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from scipy import sparse

from gbs_irl_ros.core.errors import InvalidAnswerError
from gbs_irl_ros.core.policy import Policy
from gbs_irl_ros.core.questions import MAX_STEPS, Question
from gbs_irl_ros.core.routes import driven
from gbs_irl_ros.languages.speaking import tr
from gbs_irl_ros.tasks.world import World

MAX_REHEARSED = 300


@dataclass(frozen=True)
class StatePath:
    """
    A way through the world, each action leading where it most likely does.

    states: one more than there are actions. end: why it ends there, as a person reads it.
    """

    states: tuple[int, ...]
    actions: tuple[int, ...]
    end: str = ''

    @property
    def steps(self) -> tuple[tuple[int, int], ...]:
        """Return the (state, action) pairs."""
        return tuple(zip(self.states, self.actions, strict=False))


def rehearse(world: World, policy: Policy, start: int, most: int = MAX_REHEARSED, *,
             before: int | None = None) -> StatePath:
    """
    Return what a robot does from a state on, until it is there or does the same again.

    :param before: the action that it is just doing, None if it stands.
    """
    states, actions = [world.mdp.check_state(start, InvalidAnswerError)], list[int]()
    for _, action, target in islice(driven(policy, world.mdp, states[0], before), most):
        seen = target in states
        actions.append(action)
        states.append(target)
        if seen:
            return StatePath(tuple(states), tuple(actions), tr('and so on'))
    if states[-1] in policy.goal_states:
        return StatePath(tuple(states), tuple(actions), tr('the goal'))
    if len(actions) == most:
        return StatePath(tuple(states), tuple(actions), tr('the first {count} steps', count=most))
    return StatePath((*states, states[-1]), (*actions, policy.actions(states[-1])[0]),
                     tr('it stays here'))


def walk(world: World, start: int, actions: Sequence[int]) -> StatePath:
    """Return where these actions lead."""
    states = [world.mdp.check_state(start, InvalidAnswerError)]
    for action in actions:
        action = world.mdp.check_action(action, InvalidAnswerError)
        states.append(int(world.targets[states[-1], action]))
    return StatePath(tuple(states), tuple(int(action) for action in actions))


def shown_ways(world: World, question: Question) -> list[StatePath]:
    """Return the ways that a question shows: one to be confirmed, two to be compared, or none."""
    return [_along(world, route) for route in (question.route, question.other_route) if route]


def _along(world: World, route: tuple[tuple[int, int], ...]) -> StatePath:
    states, actions = zip(*route, strict=True)
    return StatePath((*states, int(world.targets[states[-1], actions[-1]])), actions)


def way_through(world: World, states: Sequence[int]) -> StatePath:
    """
    Return the shortest way that visits these states in turn.

    Raises if there is none, or if it is longer than a demonstration may be.
    """
    stops = [world.mdp.check_state(state, InvalidAnswerError) for state in states]
    if not stops:
        raise InvalidAnswerError('a way must begin somewhere, got no states')
    passed, actions = [stops[0]], []
    for target in stops[1:]:
        for state in _shortest(world, passed[-1], target):
            actions.append(int(np.argmax(world.targets[passed[-1]] == state)))
            passed.append(state)
    if len(actions) > MAX_STEPS:
        raise InvalidAnswerError(tr(
            'a demonstration may have {most} steps, got {count}; show a part of it',
            most=MAX_STEPS, count=len(actions)))
    return StatePath(tuple(passed), tuple(actions))


def _shortest(world: World, start: int, target: int) -> list[int]:
    """Return the states behind the start up to the target."""
    from scipy.sparse import csgraph  # slow to import, and not always needed
    if start == target:
        return []
    size, actions = world.targets.shape
    graph = sparse.csr_matrix(
        (np.ones(size * actions, dtype=np.int8), world.targets.ravel(),
         np.arange(size + 1) * actions), shape=(size, size))
    _, before = csgraph.breadth_first_order(graph, start, return_predecessors=True)
    if before[target] < 0:
        raise InvalidAnswerError(tr(
            'no way leads from {start} to {target}', start=world.state_name(start),
            target=world.state_name(target)))
    way = [target]
    while (state := int(before[way[-1]])) != start:
        way.append(state)
    return way[::-1]
