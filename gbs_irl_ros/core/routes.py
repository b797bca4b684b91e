"""What a policy would do, and how the closing question goes about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence

import numpy as np

from gbs_irl_ros.core.answers import Answer, ConfirmAnswer, WrongHereAnswer
from gbs_irl_ros.core.hypotheses import Hypotheses
from gbs_irl_ros.core.mdp import Mdp
from gbs_irl_ros.core.planning.greedy_sets import unpack
from gbs_irl_ros.core.policy import Policy
from gbs_irl_ros.core.questions import MAX_STEPS

YESES = 2           # more than noes end a lesson
MAX_STARTS = 50     # whose routes are compared; more are thinned out evenly
SAME_MASS = 1e-3    # of rivals, a probability: for less no other start and no turn is chosen

Route = tuple[tuple[int, int], ...]


def steps(mdp: Mdp, action_sets: np.ndarray, start: int) -> Iterator[tuple[int, int, int]]:
    """
    Yield (state, action, next state) for ever, each action leading where it likely does.

    :param action_sets: ``[S]``, as in ``Policy``.
    """
    state, action, targets = start, 0, mdp.targets
    while True:
        allowed = int(action_sets[state])
        # Of equally good actions the last one again: a straight way is easier to follow.
        if not allowed >> action & 1:
            action = (allowed & -allowed).bit_length() - 1      # the lowest
        target = int(targets[state, action])
        yield state, action, target
        state = target


def next_move(policy: Policy, mdp: Mdp, state: int,
              before: int | None = None) -> tuple[int, int] | None:
    """
    Return the action that a robot takes, and where it leads; None if it stays where it is.

    Of equally good ones the same again, or else the first: so what is shown is what is driven.

    :param before: the action that it took last, None if it stands.
    """
    moves = [(action, target) for action in policy.actions(state)
             if (target := int(mdp.targets[state, action])) != state]
    return next((move for move in moves if move[0] == before), moves[0] if moves else None)


def driven(policy: Policy, mdp: Mdp, start: int,
           before: int | None = None) -> Iterator[tuple[int, int, int]]:
    """
    Yield (state, action, next state) as a robot drives, until it is at a goal or stays.

    Where the policy leads in a circle, for ever.
    """
    goals, state = set(policy.goal_states.tolist()), start
    while state not in goals and (move := next_move(policy, mdp, state, before)) is not None:
        before, target = move
        yield state, before, target
        state = target


def trespassed(policy: Policy, mdp: Mdp, start: int, before: int | None = None) -> tuple[int, ...]:
    """
    Return the states that a robot would enter although it never must, in the order of the way.

    One that is put down on such states may leave them: what it crosses before it is outside does
    not count.
    """
    never, found, passed = set(policy.never.tolist()), list[int](), set[int]()
    if not never:
        return ()
    is_outside = start not in never
    for state, _, target in driven(policy, mdp, start, before):
        if state in passed:
            break
        passed.add(state)
        is_outside = is_outside or target not in never
        if is_outside and target in never:
            found.append(target)
    return tuple(found)


def route_from(mdp: Mdp, action_sets: np.ndarray, start: int) -> Route:
    """Return what a policy does from a state on, until it comes to where it was before."""
    route: dict[int, int] = {}
    for state, action, _ in steps(mdp, action_sets, start):
        if state in route or len(route) == MAX_STEPS:
            break
        route[state] = action
    return tuple(route.items())


def telling_route(hypotheses: Hypotheses, action_sets: np.ndarray, start: np.ndarray,
                  probabilities: np.ndarray, confirmed: Collection[int] = ()) -> Route:
    """
    Return the policy's route on which the rivals differ most from it.

    It begins where policies that would do otherwise are most probable; of equally good starts,
    where the least has been confirmed before, then where the route is longest, which shows most.
    Of equally good actions it takes the one that the fewest rivals would take: beside a goal,
    that tells the goal from the next cell.

    :param action_sets: ``[S]``, of the policy.
    :param start: ``[S]``, where the robot may start.
    :param probabilities: ``[D]``, of the policies.
    :param confirmed: states on routes that need not be shown again; if every start is on one, a
        route from elsewhere is returned.
    """
    routes = [route_from(hypotheses.mdp, action_sets, int(state))
              for state in _starts(start, confirmed)]

    def tells_little(route: Route) -> tuple[int, int, int]:
        agree = float(probabilities @ hypotheses.sets.allow(route))
        known = sum(state in confirmed for state, _ in route)
        return round(agree / SAME_MASS), known, -len(route)

    best = min(routes, key=tells_little)
    return _set_apart(hypotheses, action_sets, best[0][0], probabilities)


def _starts(start: np.ndarray, confirmed: Collection[int]) -> np.ndarray:
    """Return the states whose routes are compared."""
    usual, everywhere = np.flatnonzero(start > 0.0), np.arange(len(start))
    new = (np.setdiff1d(states, list(confirmed)) for states in (usual, everywhere))
    starts = next((states for states in new if len(states)), usual)
    if len(starts) > MAX_STARTS:
        starts = starts[np.linspace(0, len(starts) - 1, MAX_STARTS).astype(int)]
    return starts


def _set_apart(hypotheses: Hypotheses, action_sets: np.ndarray, state: int,
               probabilities: np.ndarray) -> Route:
    """Return the route from a state that leaves the fewest rivals, as straight as can be."""
    mdp, left, action = hypotheses.mdp, probabilities, 0
    route: dict[int, int] = {}

    def agreeing(choice: int) -> tuple[int, bool]:
        mass = float(left @ hypotheses.sets.holds(state, choice))
        return round(mass / SAME_MASS), choice != action

    while state not in route and len(route) < MAX_STEPS:
        allowed = np.flatnonzero(unpack(action_sets[state], mdp.num_actions)).tolist()
        action = min(allowed, key=agreeing) if len(allowed) > 1 else allowed[0]
        left = left * hypotheses.sets.holds(state, action)
        route[state] = action
        state = int(mdp.targets[state, action])
    return tuple(route.items())


def refused_route(answers: Sequence[Answer]) -> Route | None:
    """Return the route that the last answer says is not meant; None if it says something else."""
    last = answers[-1] if answers else None
    if isinstance(last, (ConfirmAnswer, WrongHereAnswer)) and not _is_yes(last):
        return last.question.route
    return None


def is_confirmed(answers: Iterable[Answer], action_sets: np.ndarray) -> bool:
    """Tell whether what a policy would do has been called right often enough."""
    return missing_yeses(answers, action_sets) <= 0


def missing_yeses(answers: Iterable[Answer], action_sets: np.ndarray) -> int:
    """
    Return how many yeses are missing until what a policy would do is confirmed.

    Each no takes one more yes. Routes that the policy would not follow do not count. So a single
    slip of the teacher never ends a lesson, however sure the learner is by then: how sure that is
    depends on an error rate which few answers tell little about.
    """
    return YESES - sum(_votes(answers, action_sets).values())


def confirmed_states(answers: Iterable[Answer], action_sets: np.ndarray) -> frozenset[int]:
    """Return the states on the policy's routes that were called right more often than wrong."""
    return frozenset(state for route, votes in _votes(answers, action_sets).items() if votes > 0
                     for state, _ in route)


def _votes(answers: Iterable[Answer], action_sets: np.ndarray) -> Counter[Route]:
    """Return how much more often each route of the policy was called right than wrong."""
    votes: Counter[Route] = Counter()
    for answer in answers:
        if isinstance(answer, (ConfirmAnswer, WrongHereAnswer)) \
                and _follows(action_sets, answer.question.route):
            votes[answer.question.route] += 1 if _is_yes(answer) else -1
    return votes


def _is_yes(answer: ConfirmAnswer | WrongHereAnswer) -> bool:
    return isinstance(answer, ConfirmAnswer) and bool(answer.yes)


def _follows(action_sets: np.ndarray, route: Route) -> bool:
    return all(int(action_sets[state]) >> action & 1 for state, action in route)
