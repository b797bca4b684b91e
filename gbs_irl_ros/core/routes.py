"""What a policy would do, and how the closing question goes about it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from gbs_irl_ros.core.answers import Answer, ConfirmAnswer, WrongHereAnswer
from gbs_irl_ros.core.hypotheses import Hypotheses
from gbs_irl_ros.core.mdp import Mdp
from gbs_irl_ros.core.questions import MAX_STEPS

MAX_STARTS = 50     # whose routes are compared; more are thinned out evenly
SAME_MASS = 1e-9

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


def route_from(mdp: Mdp, action_sets: np.ndarray, start: int) -> Route:
    """Return what a policy does from a state on, until it comes to where it was before."""
    route: dict[int, int] = {}
    for state, action, _ in steps(mdp, action_sets, start):
        if state in route or len(route) == MAX_STEPS:
            break
        route[state] = action
    return tuple(route.items())


def telling_route(hypotheses: Hypotheses, action_sets: np.ndarray, start: np.ndarray,
                  probabilities: np.ndarray) -> Route:
    """
    Return the policy's route on which the rivals differ most from it.

    That is, from the start for which the policies that would do otherwise are most probable; of
    equally good ones the longest, which shows most.

    :param action_sets: ``[S]``, of the policy.
    :param start: ``[S]``, where the robot may start.
    :param probabilities: ``[D]``, of the policies.
    """
    starts = np.flatnonzero(start > 0.0)
    if len(starts) > MAX_STARTS:
        starts = starts[np.linspace(0, len(starts) - 1, MAX_STARTS).astype(int)]
    routes = [route_from(hypotheses.mdp, action_sets, int(state)) for state in starts]
    agree = [float(probabilities @ hypotheses.sets.allow(route)) for route in routes]
    _, best = min(zip(agree, routes, strict=True),
                  key=lambda pair: (round(pair[0] / SAME_MASS), -len(pair[1])))
    return best


def refused_route(answers: Sequence[Answer]) -> Route | None:
    """Return the route that the last answer says is not meant; None if it says something else."""
    last = answers[-1] if answers else None
    if isinstance(last, (ConfirmAnswer, WrongHereAnswer)) and not _is_yes(last):
        return last.question.route
    return None


def is_confirmed(answers: Iterable[Answer], action_sets: np.ndarray) -> bool:
    """
    Tell whether what a policy would do has been called right more often than wrong.

    Routes that it would not follow do not count. So a single slip of a teacher who has said no
    before does not end the lesson.
    """
    judged = [answer for answer in answers
              if isinstance(answer, (ConfirmAnswer, WrongHereAnswer))
              and _follows(action_sets, answer.question.route)]
    return 2 * sum(map(_is_yes, judged)) > len(judged)


def _is_yes(answer: ConfirmAnswer | WrongHereAnswer) -> bool:
    return isinstance(answer, ConfirmAnswer) and bool(answer.yes)


def _follows(action_sets: np.ndarray, route: Route) -> bool:
    return all(int(action_sets[state]) >> action & 1 for state, action in route)
