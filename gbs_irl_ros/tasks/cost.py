"""
What a task needs, judged before the work is done.

A few bytes of a task file can ask for terabytes. So each kind of world and of hypotheses says how
large it will be, and this file turns that into memory and time, by figures measured on builds of
the shipped tasks and of larger ones. The memory is right within a factor of about three
(``test/tasks/test_cost.py`` measures it), the time on one core of an ordinary machine with the
compiled kernel likewise; both without the interpreter, and with the first question that is asked.
"""

from __future__ import annotations

from dataclasses import dataclass

from gbs_irl_ros.core.mdp import Mdp
from gbs_irl_ros.core.planning.solver import bits_dtype
from gbs_irl_ros.core.printable import ShortNumber
from gbs_irl_ros.tasks.files.spec import Located

MOST_BYTES, MOST_SECONDS = 2e9, 5.0     # without being allowed to
LARGE = '--large (gbs-irl), allow_large:=true (launch, nodes)'


@dataclass(frozen=True)
class Cost:
    """Memory [bytes] and time [s]."""

    memory: float = 0.0
    time: float = 0.0

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.memory + other.memory, self.time + other.time)

    def __mul__(self, times: float) -> Cost:
        return Cost(self.memory * times, self.time * times)

    def __str__(self) -> str:
        return f'{_memory(self.memory)} and {_time(self.time)}'

    @property
    def is_large(self) -> bool:
        """Return whether it needs to be allowed."""
        return self.memory > MOST_BYTES or self.time > MOST_SECONDS


NOTHING = Cost()
STATE = Cost(170, 1e-7)             # of a world
TRANSITION = Cost(80, 0.4e-6)
DRAWN_ROW = Cost(0, 8e-6)           # of transitions or rewards, each drawn on its own
WRITTEN_ROW = Cost(200, 2e-6)       # of transitions that a file writes out
DENSE_ENTRY = Cost(55, 0.12e-6)     # of rewards that are written out for all states
SPARSE_ENTRY = Cost(40, 0.2e-6)
NAMED_STATE = Cost(300, 1e-6)       # a hypothesis for each state
DRAWN_WEIGHT = Cost(100, 10e-6)
PIXEL = Cost(40, 0.1e-6)            # of a map
WIDENED_PIXEL = Cost(140, 0.5e-6)   # of a map whose obstacles are widened by the robot's radius
PLANNED_ENTRY = 2.0                 # times the bytes of a greedy set, of each state and hypothesis
# Planning, of each transition and hypothesis: by counting steps, by sweeps, by sweeps where moves
# may fail, and where these converge so slowly that policy iteration is quicker.
COUNTED_S, SWEPT_S, STRAYED_S, SLOWLY_S = 4e-9, 20e-9, 100e-9, 2e-6
SLOW_DISCOUNT = 0.9995
ASKED = Cost(20e3, 100e-6)          # the first question, of each hypothesis
PLACE_OF_GOAL = Cost(70, 50e-9)     # "where should I go?": each place under each hypothesis


def world_cost(states: float, transitions: float) -> Cost:
    """Return what it takes to build a world."""
    return STATE * states + TRANSITION * transitions


def planning_cost(mdp: Mdp, rewards: float, *, goals: bool = False) -> Cost:
    """
    Return what a world takes, with planning for this number of rewards and the first question.

    :param goals: each is one state, which takes less time in a deterministic world.
    """
    seconds = mdp.transitions.nnz * _per_transition(mdp, goals=goals)
    return world_cost(mdp.num_states, mdp.transitions.nnz) + (_planning(
        mdp.num_states, mdp.num_actions, seconds) + ASKED) * rewards


def _per_transition(mdp: Mdp, *, goals: bool) -> float:
    """Return how long planning takes for each transition and reward [s]."""
    if mdp.successors is not None:
        return COUNTED_S if goals else SWEPT_S
    return SLOWLY_S if mdp.discount > SLOW_DISCOUNT else STRAYED_S


def _planning(states: float, actions: int, seconds: float) -> Cost:
    """Return what it takes to plan for one reward."""
    return Cost(PLANNED_ENTRY * states * bits_dtype(actions)().itemsize, seconds)


def check_world(values: Located, key: str, states: int, actions: int, got: str, *,
                ways: int = 1, more: Cost = NOTHING) -> None:
    """
    Refuse a world that is too large, also for what is to be planned in it at least.

    :param ways: how many states can follow an action.
    :param more: what it takes besides.
    """
    transitions = states * actions * ways
    rewards = states if values.report.goal_everywhere else 1
    check_cost(values, key, world_cost(states, transitions) + more
               + _planning(states, actions, transitions * COUNTED_S) * rewards,
               got + (', each of them a goal' if values.report.goal_everywhere else ''))


def check_cost(values: Located, key: str, cost: Cost, got: str) -> None:
    """Refuse a task that needs more than anybody expects of a file, unless that is allowed."""
    problem = too_large(cost, got, values.report.allow_large)
    if problem is not None:
        values.refuse(problem, key)
        values.report.raise_if_any()


def too_large(cost: Cost, got: str, allowed: bool) -> str | None:
    """Return what is wrong with so much, None if nothing is."""
    if allowed or not cost.is_large:
        return None
    return (f'needs about {cost}, got {got}; expected at most '
            f'{Cost(MOST_BYTES, MOST_SECONDS)}. Make the task smaller, or allow it: {LARGE}')


def _memory(count: float) -> str:
    size, unit = next(((size, unit) for size, unit in ((1e12, 'TB'), (1e9, 'GB'))
                       if count >= size), (1e6, 'MB'))
    return f'{ShortNumber(count / size):.{1 if count < 10 * size and count % size else 0}f} {unit}'


def _time(seconds: float) -> str:
    if seconds >= 3600.0:
        return f'{ShortNumber(seconds / 3600.0):.0f} h'
    return f'{seconds:.2g} s' if seconds < 10.0 else f'{seconds:.0f} s'
