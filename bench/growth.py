"""
How time grows with states, actions and hypotheses: `tools/ros-env python bench/growth.py`.

Planning is for sparse random MDPs and, where the number of hypotheses grows, for the puddle world;
`ask` is measured on made-up greedy sets in which no two states are alike. Actions cannot grow over
two decades: there are at most 64.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial

from bench.alone import run_alone
from bench.fit import fit_power_law, grow
from bench.problems import made_up_hypotheses, random_mdp, sparse_rewards
from bench.results import Figures
from bench.session import Effort, Session
from bench.timing import least_seconds
from gbs_irl_ros.core import Learner, Problem
from gbs_irl_ros.core.planning.solver import solve
from gbs_irl_ros.tasks import load_task

NAME = 'growth'
ABOUT_S = {Effort.TINY: 5, Effort.QUICK: 30, Effort.FULL: 120}
STATES = 1000           # where something else grows
REWARDS = 16            # planned for where something else grows
HYPOTHESES = 100        # asked about where something else grows
LIVE = 10               # hypotheses with any mass, of growing numbers
REWARD_SHARE = 20       # every so many-th state has a reward
ACTIONS = [2, 4, 8, 16, 32, 64]

Prepared = Callable[[], object]


def measure(session: Session) -> Figures:
    """Measure every curve and fit its exponent."""
    top = session.pick(3, 5, 7)         # 100 to 100,000 in full
    large = session.pick(3, 5, 8)       # 100 to 316,228
    curves: list[tuple[str, str, list[int], Callable[[int], Prepared]]] = [
        ('planning_states', 'states', half_decades(2, top), _plan_states),
        ('planning_actions', 'actions', ACTIONS[:session.pick(3, 6, 6)], _plan_actions),
        ('planning_hypotheses', 'hypotheses', half_decades(1, top), _plan_hypotheses),
        ('ask_states', 'states', half_decades(2, large), _ask_states),
        ('ask_actions', 'actions', ACTIONS[:session.pick(3, 6, 6)], _ask_actions),
        ('ask_hypotheses', 'hypotheses', half_decades(1, top), _ask_hypotheses),
        ('ask_live', 'hypotheses', half_decades(2, session.pick(3, 4, 5)), _ask_live)]
    figures: Figures = {}
    for name, axis, sizes, prepare in curves:
        curve = grow(session, f'growth {name}', sizes, prepare)
        law = fit_power_law(*zip(*curve, strict=True))
        figures.update({
            f'growth.{name}.axis': axis, f'growth.{name}.curve': curve,
            f'growth.{name}.exponent': law.exponent, f'growth.{name}.factor': law.factor,
            f'growth.{name}.fitted_from': law.from_size})
    # What it saves that hypotheses without mass drop out: at as many hypotheses, all with mass.
    largest, few = figures['growth.ask_live.curve'][-1]
    session.step(f'growth ask_live: {int(largest)} hypotheses, all with mass')
    figures['growth.ask_live.gain'] = least_seconds(_ask(STATES, 4, int(largest))) / few
    return figures


def half_decades(first: int, count: int) -> list[int]:
    """Return 10 ** first and so on, each about 3.16 times the one before."""
    return [round(10 ** (first + number / 2)) for number in range(count)]


# ---- planning -----------------------------------------------------------------------------------

def _plan(states: int, actions: int) -> Prepared:
    mdp = random_mdp(states, actions)
    return partial(solve, mdp, sparse_rewards(mdp, REWARDS, max(1, states // REWARD_SHARE), 1))


def _plan_states(states: int) -> Prepared:
    return _plan(states, 4)


def _plan_actions(actions: int) -> Prepared:
    return _plan(STATES, actions)


def _plan_hypotheses(hypotheses: int) -> Prepared:
    mdp = load_task('puddle_world').world.mdp
    return partial(solve, mdp, sparse_rewards(mdp, hypotheses, 55, 1))


# ---- questions ----------------------------------------------------------------------------------

def _ask(states: int, actions: int, hypotheses: int, live: int | None = None) -> Prepared:
    learner = Learner(Problem(made_up_hypotheses(states, actions, hypotheses, live)))
    learner.ask()       # what is worked out once for all questions
    return lambda: learner.replay(()).ask()


def _ask_states(states: int) -> Prepared:
    return _ask(states, 4, HYPOTHESES)


def _ask_actions(actions: int) -> Prepared:
    return _ask(STATES, actions, HYPOTHESES)


def _ask_hypotheses(hypotheses: int) -> Prepared:
    return _ask(STATES, 4, hypotheses)


def _ask_live(hypotheses: int) -> Prepared:
    return _ask(STATES, 4, hypotheses, LIVE)


if __name__ == '__main__':
    sys.exit(run_alone(measure))
