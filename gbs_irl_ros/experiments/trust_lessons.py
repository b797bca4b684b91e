"""
Lessons that show whether learners keep their word: simulated, with a task that is listed or not.

Lesson number n has the same task and the same random numbers whatever the way to learn. A lesson
ends right if the robot would do what is meant as well as can be from its start, wrong if it would
not, with "none" if the learner says that no listed task fits, and open if there were ``MOST``
answers. Closing questions are answered wrongly in CLOSING_ERROR of all cases.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, cached_property

import numpy as np

from gbs_irl_ros.core import (
    CAREFUL,
    PAPER_MODE,
    ConfirmAnswer,
    DoneReason,
    Hypotheses,
    Learner,
    Problem,
    SimulatedTeacher,
    StopRule,
    ValueLossMeter,
    WrongHereAnswer,
    caution_for,
    make_stop_condition,
)
from gbs_irl_ros.core.noise import CLOSING_ERROR
from gbs_irl_ros.core.regret import losses
from gbs_irl_ros.core.routes import refused_route
from gbs_irl_ros.core.stopping import USUAL_CONDITION
from gbs_irl_ros.core.theory.forecast import calibrated
from gbs_irl_ros.tasks import Place, Task, grown, load_task, usable

MOST = 60               # answers
NO_LOSS = 1e-6          # of the value of the best way
TRUTH, TEACHER, CALIBRATION = 5, 6, 7       # what is drawn, as the last number of a seed
REGIONS = {'room': 'toys'}      # that a list may lack
# Their claim is a number that was set, not one that is reached.
PROMISED = frozenset({DoneReason.MINIMAX_REGRET, DoneReason.CONFORMAL})


@dataclass(frozen=True)
class Way:
    """
    One way to learn and to stop.

    says: what the page calls it.
    careful: it allows for what the learner node allows for, else for nothing, as the paper.
    stop: its rule; None: the conformal one, calibrated on lessons of the task.
    loss: that its claim allows for.
    shows: the teacher shows the place that is meant after a no, or when nothing fits.
    """

    says: str
    careful: bool
    stop: StopRule | None
    loss: float = NO_LOSS
    shows: bool = False


def _condition(says: str, name: str, loss: float = NO_LOSS) -> Way:
    return Way(says, True, StopRule(condition=make_stop_condition(name)), loss)


WAYS: dict[str, Way] = {
    'paper': Way("the paper's, certainty 0.95", False, StopRule(certainty=0.95)),
    'defaults': _condition("the learner node's defaults, loses nothing 0.95", USUAL_CONDITION),
    'certainty': Way('the same, certainty 0.95', True, StopRule(certainty=0.95)),
    'value_at_risk': _condition('the same, value at risk 5 %, 0.95', 'value_at_risk', 0.05),
    'minimax_regret': _condition('the same, minimax regret 5 %, 0.99', 'minimax_regret', 0.05),
    'conformal': Way('the same, conformal 0.95', True, None),
}
WAYS['shown'] = replace(WAYS['defaults'], says='the same, the place is shown', shows=True)


@dataclass(frozen=True)
class Outcome:
    """
    How a lesson ended.

    end: right, wrong, none or open.
    answers, closing: how many answers it took, and how many of them were to closing questions.
    claimed: the probability that the learner stopped with; 0 unless it did.
    loss: what the robot loses then, as a share of what the task's own policy gains over chance, or
        earns where a place is meant that is not listed.
    """

    end: str
    answers: int
    closing: int
    claimed: float
    loss: float


@dataclass(frozen=True, eq=False)
class Meant:
    """
    What a teacher means.

    listed: what the learner is given.
    policy: of the task, in the whole list; None: that of a place that is not listed.
    place: the state to go to, and what that is worth.
    """

    teacher: SimulatedTeacher
    listed: Hypotheses
    policy: int | None = None
    place: int | None = None

    @cached_property
    def meter(self) -> ValueLossMeter:
        """Return what measures the value of going to the place."""
        return ValueLossMeter(self.teacher.mdp, self.teacher.reward)


class Lessons:
    """
    Lessons about a shipped task.

    missing: what the list lacks if the task is not listed: a place, with all that go there; a
        region, with all that speak of it; else the task itself, with all of the same policy.
    """

    def __init__(self, name: str) -> None:
        self._task: Task = load_task(name)
        self._hypotheses: Hypotheses = self._task.hypotheses
        self._region = REGIONS.get(name, '')

    def run(self, number: int, way: str, error: float, missing: str = '') -> Outcome:
        """Return how lesson ``number`` ends; nothing missing: a listed task is meant."""
        meant = self.meant(missing, np.random.default_rng([number, TRUTH]))
        teacher = replace(meant.teacher, accuracy=1.0 - error,
                          closing_accuracy=1.0 - CLOSING_ERROR)
        learner, shows = self._learner(meant.listed, way, number), WAYS[way].shows
        while True:
            if shows and (learner.nothing_fits or refused_route(learner.answers)):
                learner, shows = self._shown(learner, meant), False
            question = learner.ask() if len(learner.answers) < MOST else None
            if question is None:
                return self._outcome(learner, meant, WAYS[way])
            chance = np.random.default_rng([number, len(learner.answers), TEACHER])
            learner = learner.tell(teacher.answer(question, chance))

    def meant(self, missing: str, rng: np.random.Generator) -> Meant:
        """Return a task that is meant."""
        if missing == 'place' and len(self._unlisted_cells):
            return self._unlisted_place(int(rng.choice(self._unlisted_cells)))
        prior = np.exp(self._hypotheses.log_prior)
        struck = np.zeros(len(prior), dtype=bool)
        if missing == 'region':
            struck = np.array([self._region in name for name in self._hypotheses.names])
            prior = np.where(struck, prior, 0.0)
        truth = int(rng.choice(len(prior), p=prior / prior.sum()))
        policy = int(self._hypotheses.policy_of_reward[truth])
        if missing:
            struck = struck | (self._hypotheses.policy_of_reward == policy)
        return Meant(SimulatedTeacher.for_hypothesis(self._hypotheses, truth),
                     self._without(struck), policy)

    @cached_property
    def _unlisted_cells(self) -> np.ndarray:
        """Return the states that no listed task goes to; none if tasks have no places."""
        goals = [self._hypotheses.goal_states(reward)
                 for reward in range(self._hypotheses.num_rewards)]
        if self._task.world.appearance.cells is None or min(map(len, goals)) == 0:
            return np.array([], dtype=int)
        return np.setdiff1d(np.arange(self._task.world.mdp.num_states), np.concatenate(goals))

    def _unlisted_place(self, state: int) -> Meant:
        mdp = self._task.world.mdp
        return Meant(SimulatedTeacher.for_reward(mdp, np.eye(mdp.num_states)[state]),
                     self._hypotheses, place=state)

    def _without(self, struck: np.ndarray) -> Hypotheses:
        """Return the hypotheses without some: what is impossible is as good as not listed."""
        if not struck.any():
            return self._hypotheses
        left = np.where(struck, -np.inf, self._hypotheses.log_prior)
        return replace(self._hypotheses, log_prior=left - np.logaddexp.reduce(left))

    def _learner(self, listed: Hypotheses, way: str, seed: int) -> Learner:
        noise = self._task.noise
        caution = caution_for(noise, CAREFUL.none_of_these, learn_error_rate=True,
                              closing_question=True) if WAYS[way].careful else PAPER_MODE
        stop = WAYS[way].stop or self._conformal
        return Learner(Problem(listed, noise, self._task.start), seed=seed, stop=stop,
                       caution=caution)

    @cached_property
    def _conformal(self) -> StopRule:
        learner = self._learner(self._hypotheses, 'certainty', CALIBRATION)
        return StopRule(condition=calibrated(learner, np.random.default_rng(CALIBRATION),
                                             most=MOST))

    def _shown(self, learner: Learner, meant: Meant) -> Learner:
        """Return the learner after the teacher has shown where to go."""
        cells = self._task.world.appearance.cells
        assert cells is not None
        assert meant.place is not None
        column, row = (int(number) for number in cells[meant.place])
        place = usable(Place(False, column, row, column, row), self._task,
                       learner.situation.posterior.probabilities)
        candidates, left = grown(self._task, place, learner.caution.none_of_these)
        task = replace(self._task, candidates=candidates.planned_after(self._hypotheses),
                       began_as=self._task.hash)
        return Learner(task, seed=learner.seed, stop=learner.stop, caution=replace(
            learner.caution, none_of_these=left)).replay(learner.answers)

    def _outcome(self, learner: Learner, meant: Meant, way: Way) -> Outcome:
        answers = len(learner.answers)
        closing = sum(isinstance(answer, (ConfirmAnswer, WrongHereAnswer))
                      for answer in learner.answers)
        if learner.stop_reason is None:
            return Outcome('open', answers, closing, 0.0, 0.0)
        reason, value = learner.stop_reason
        if reason is DoneReason.NONE_OF_THESE:
            return Outcome('none', answers, closing, 0.0, 0.0)
        if reason in PROMISED and learner.stop.condition is not None:
            value = learner.stop.condition.certainty
        lost = self._lost(learner, meant)
        return Outcome('right' if lost <= NO_LOSS else 'wrong', answers, closing, value, lost)

    def _lost(self, learner: Learner, meant: Meant) -> float:
        start = self._task.start
        if meant.policy is not None:
            return float(losses(self._hypotheses, start, learner.map_policy,
                                np.array([meant.policy]))[0])
        best = meant.meter.optimal_return(start)
        return max(0.0, 1.0 - meant.meter.expected_return(learner.policy, start) / best)


@cache
def lessons_about(name: str) -> Lessons:
    """Return the lessons about a task: in each process it is planned for once."""
    return Lessons(name)
