"""
Whether learners keep their word: how often they end sure and wrong, and what caution costs.

Lessons about `room` with a task that is listed or a place that is not, teachers who err at several
rates, and several ways to stop. Lesson number n has the same task and the same random numbers
whatever the way to stop. Run it by `python -m gbs_irl_ros.experiments.trust --lessons 200`. With
``--show-place`` the teacher of a place that is not listed shows it once: after a no to a closing
question, or when nothing fits ("none of these" is at least as probable as all that is listed).

A lesson ends right if the robot would do what is meant as well as can be from its start, wrong if
it would not, with "none" if the learner says that no listed task fits, and open if there were
``MOST`` answers. Closing questions are answered wrongly in CLOSING_ERROR of all cases.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from dataclasses import dataclass, replace

import numpy as np

from gbs_irl_ros.core import (
    CAREFUL,
    PAPER_MODE,
    Caution,
    DoneReason,
    Hypotheses,
    Learner,
    SimulatedTeacher,
    StopRule,
    ValueLossMeter,
    make_stop_condition,
)
from gbs_irl_ros.core.noise import CLOSING_ERROR
from gbs_irl_ros.core.regret import losses
from gbs_irl_ros.core.routes import refused_route
from gbs_irl_ros.tasks import Place, Task, grown, load_task, usable

ERRORS = (0.02, 0.1, 0.2, 0.3)
MOST = 60               # answers
NO_LOSS = 1e-6          # of the value of the best way
Z = 1.96                # of a 95 % confidence interval


@dataclass(frozen=True)
class Way:
    """One way to learn and to stop."""

    name: str
    caution: Caution
    stop: StopRule


WAYS = (
    Way('paper, certainty 0.95', PAPER_MODE, StopRule(certainty=0.95)),
    Way('careful, certainty 0.95', CAREFUL, StopRule(certainty=0.95)),
    Way('careful, loses nothing 0.95', CAREFUL,
        StopRule(condition=make_stop_condition('loses_nothing', certainty=0.95))),
    Way('careful, loses nothing 0.99', CAREFUL,
        StopRule(condition=make_stop_condition('loses_nothing', certainty=0.99))),
    Way('careful, value at risk 5 %, 0.95', CAREFUL,
        StopRule(condition=make_stop_condition('value_at_risk'))),
    Way('careful, minimax regret 5 %, 0.99', CAREFUL,
        StopRule(condition=make_stop_condition('minimax_regret'))),
)


@dataclass(frozen=True)
class Outcome:
    """
    How a lesson ended.

    end: right, wrong, none or open. claimed: the probability that the learner stopped with.
    """

    end: str
    answers: int
    claimed: float


class Lessons:
    """Simulated lessons about a task whose hypotheses are planned for."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._hypotheses: Hypotheses = task.hypotheses
        listed = {int(state) for reward in range(self._hypotheses.num_rewards)
                  for state in self._hypotheses.goal_states(reward)}
        self._unlisted = [state for state in range(task.world.mdp.num_states)
                          if state not in listed]

    def run(self, number: int, way: Way, error: float, *, inside: bool,
            shows: bool = False) -> Outcome:
        """
        Return how lesson ``number`` ends.

        :param shows: the teacher shows the place that is meant after a no, or when nothing fits.
        """
        rng = np.random.default_rng([number, inside])
        truth = int(rng.integers(self._hypotheses.num_rewards)) if inside \
            else int(rng.choice(self._unlisted))
        teacher = replace(self._teacher(truth, inside), accuracy=1.0 - error,
                          closing_accuracy=1.0 - CLOSING_ERROR)
        learner = Learner(self._task, seed=number, caution=way.caution, stop=way.stop)
        while True:
            if shows and (learner.nothing_fits or refused_route(learner.answers)):
                learner, shows = self._shown(learner, truth), False
            question = learner.ask() if len(learner.answers) < MOST else None
            if question is None:
                break
            learner = learner.tell(teacher.answer(question, rng))
        return self._outcome(learner, truth, inside)

    def _shown(self, learner: Learner, state: int) -> Learner:
        """Return the learner after the teacher has shown where to go."""
        cells = self._task.world.appearance.cells
        assert cells is not None        # of a room
        column, row = (int(number) for number in cells[state])
        place = usable(Place(False, column, row, column, row), self._task,
                       learner.situation.posterior.probabilities)
        candidates, left = grown(self._task, place, learner.caution.none_of_these)
        task = replace(self._task, candidates=candidates.planned_after(self._hypotheses),
                       began_as=self._task.hash)
        return Learner(task, seed=learner.seed, stop=learner.stop, caution=replace(
            learner.caution, none_of_these=left)).replay(learner.answers)

    def _teacher(self, truth: int, inside: bool) -> SimulatedTeacher:
        if inside:
            return SimulatedTeacher.for_hypothesis(self._hypotheses, truth)
        mdp = self._task.world.mdp
        return SimulatedTeacher.for_reward(mdp, np.eye(mdp.num_states)[truth])

    def _outcome(self, learner: Learner, truth: int, inside: bool) -> Outcome:
        if learner.stop_reason is None:
            return Outcome('open', len(learner.answers), 0.0)
        reason, value = learner.stop_reason
        if reason is DoneReason.NONE_OF_THESE:
            return Outcome('none', len(learner.answers), value)
        claimed = 1.0 - value if reason is DoneReason.MINIMAX_REGRET else value
        lost = self._lost_inside(learner, truth) if inside else self._lost_outside(learner, truth)
        return Outcome('right' if lost <= NO_LOSS else 'wrong', len(learner.answers), claimed)

    def _lost_inside(self, learner: Learner, truth: int) -> float:
        meant = self._hypotheses.policy_of_reward[[truth]]
        return float(losses(self._hypotheses, self._task.start, learner.map_policy, meant)[0])

    def _lost_outside(self, learner: Learner, truth: int) -> float:
        mdp = self._task.world.mdp
        meter = ValueLossMeter(mdp, np.eye(mdp.num_states)[truth])
        best = meter.optimal_return(self._task.start)
        return 1.0 - meter.expected_return(learner.policy, self._task.start) / best


def row(way: Way, error: float, *, inside: bool, outcomes: list[Outcome],
        shows: bool = False) -> str:
    """Return a line of the table."""
    task = 'listed' if inside else 'not listed, shown' if shows else 'not listed'
    ends = Counter(outcome.end for outcome in outcomes)
    stopped = [outcome for outcome in outcomes if outcome.end in ('right', 'wrong')]
    shares = [f'{ends[end] / len(outcomes):.3f}' for end in ('right', 'wrong', 'none', 'open')]
    answers = np.mean([outcome.answers for outcome in outcomes])
    claimed = f'{np.mean([outcome.claimed for outcome in stopped]):.3f}' if stopped else '–'
    low, high = wilson(ends['right'], len(stopped))
    return (f'| {way.name} | {task} | {error:g} | '
            f'{" | ".join(shares)} | {answers:.1f} | {claimed} | {low:.3f} .. {high:.3f} |')


def wilson(count: int, total: int) -> tuple[float, float]:
    """Return the 95 % confidence interval of a share (Wilson 1927); all of it for none."""
    if total == 0:
        return 0.0, 1.0
    share, z2 = count / total, Z * Z
    centre = (share + z2 / (2 * total)) / (1 + z2 / total)
    half = Z * np.sqrt(share * (1 - share) / total + z2 / (4 * total**2)) / (1 + z2 / total)
    return max(0.0, float(centre - half)), min(1.0, float(centre + half))


def main(arguments: list[str] | None = None) -> int:
    """Run the lessons and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or '').strip().splitlines()[0])
    parser.add_argument('--lessons', type=int, default=200, help='of each cell')
    parser.add_argument('--errors', type=float, nargs='+', default=ERRORS)
    parser.add_argument('--ways', nargs='+', default=[way.name for way in WAYS],
                        choices=[way.name for way in WAYS], metavar='WAY')
    parser.add_argument('--show-place', action='store_true',
                        help='only lessons about places that are not listed, which are shown')
    options = parser.parse_args(arguments)
    lessons = Lessons(load_task('room'))
    print('| way to stop | task | teacher errs | right | wrong | none | open | answers | claimed '
          '| share right, 95 % interval |\n|---|---|---|---|---|---|---|---|---|---|')
    shows = options.show_place
    for inside in (False,) if shows else (True, False):
        for way in (way for way in WAYS if way.name in options.ways):
            for error in options.errors:
                outcomes = [lessons.run(number, way, error, inside=inside, shows=shows)
                            for number in range(options.lessons)]
                print(row(way, error, inside=inside, outcomes=outcomes, shows=shows), flush=True)
    return 0


if __name__ == '__main__':
    sys.exit(main())
