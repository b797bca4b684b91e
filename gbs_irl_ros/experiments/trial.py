"""One trial: every method of a sweep learns the same task from the same teacher."""

from __future__ import annotations

import time
import warnings
from functools import cache
from typing import NamedTuple

import numpy as np

from gbs_irl_ros.core import NEVER, Hypotheses, Learner, Mdp, NoiseModel, Problem, make_teacher
from gbs_irl_ros.core.errors import PluginError
from gbs_irl_ros.core.learner import SupersetWarning
from gbs_irl_ros.core.metrics import ValueLossMeter, policy_accuracy
from gbs_irl_ros.core.planning.kernel import one_thread
from gbs_irl_ros.core.policy import Policy
from gbs_irl_ros.core.registry import told
from gbs_irl_ros.core.teachers import answer_of
from gbs_irl_ros.experiments.domains import Draw
from gbs_irl_ros.experiments.rows import ROWS, TIMES, Row, Time
from gbs_irl_ros.experiments.sweeps import Method, Sweep
from gbs_irl_ros.tasks.plans.plan_cache import plan_key

# numpy takes [s, m] and [s, m, 0] for the same seed. So each seed ends in a number that says what
# is drawn: of a sweep its worlds and its trials, of a trial its answers and its rewards. Learners
# draw from [seed, t], [seed, t, 1] and [seed, t, 2].
WORLD, TRIAL = 1, 2
TEACHER, REWARDS = 3, 4


class TrialResult(NamedTuple):
    """The lines of a trial, ready to be written."""

    rows: str
    times: str


def trial_seed(sweep: Sweep, mdp: int, trial: int | None = None) -> int:
    """Return the seed of an MDP or of a trial in it: all chance there comes from it."""
    place = [sweep.seed, mdp, 0, WORLD] if trial is None else [sweep.seed, mdp, trial, TRIAL]
    return int(np.random.SeedSequence(place).generate_state(1, np.uint64)[0] >> np.uint64(1))


def draw_trial(sweep: Sweep, mdp: int, trial: int) -> tuple[Mdp, Draw]:
    """Return the world and the rewards of a trial."""
    seed = trial_seed(sweep, mdp, trial)
    try:
        world = sweep.domain.mdp(trial_seed(sweep, mdp))
        return world, sweep.domain.draw(world, np.random.default_rng([seed, 0, REWARDS]))
    except Exception as error:      # whatever a domain of somebody else does
        raise PluginError(f'{sweep.name}: the domain {sweep.domain!r} failed: '
                          f'{told(error)}') from error


@cache
def first_problem(sweep: Sweep) -> str:
    """
    Return a word for the world and the rewards of a sweep's first trial.

    It changes with the code and the task files they come from, which no setting names.
    """
    world, draw = draw_trial(sweep, 0, 0)
    return f'p{plan_key(world, draw.rewards)[:12]}'


def run_trial(sweep: Sweep, index: int) -> TrialResult:
    """Run one trial with every method; the result depends on the two arguments alone."""
    with one_thread(), warnings.catch_warnings():
        warnings.simplefilter('ignore', SupersetWarning)    # one experiment is about them
        return _Trial(sweep, index).run()


class _Trial:
    def __init__(self, sweep: Sweep, index: int) -> None:
        self.sweep, self.index = sweep, index
        self.mdp_number, self.number = sweep.place(index)
        self.seed = trial_seed(sweep, self.mdp_number, self.number)
        mdp, draw = draw_trial(sweep, self.mdp_number, self.number)
        self.hypotheses = Hypotheses.from_rewards(mdp, draw.rewards, draw.prior)
        self.truth = int(self.hypotheses.policy_of_reward[draw.truth])
        reward = draw.rewards.one(draw.truth)
        self.scores = _Scores(self.hypotheses, ValueLossMeter(mdp, reward))
        self.teacher = make_teacher(
            sweep.teacher, mdp, reward, self.scores.optimal_sets, sweep.gamma, sweep.sigma,
            **dict(sweep.teacher_options))

    def run(self) -> TrialResult:
        rows: list[Row] = []
        times: list[Time] = []
        for method in self.sweep.methods_of(self.index):
            try:
                seconds = self._learn(method, rows)
            except PluginError as error:
                raise PluginError(f'{self.sweep.name}, trial {self.index}, method {method.name}: '
                                  f'{error}') from error
            contain = sum(narrow == self.truth for _, narrow in self.hypotheses.supersets)
            times.append(Time(self.sweep.name, self.mdp_number, self.number, self.seed,
                              method.name, self.hypotheses.num_policies, contain, seconds))
        return TrialResult(ROWS.lines(rows), TIMES.lines(times))

    def _learn(self, method: Method, rows: list[Row]) -> float:
        """Append what happens with a method; return the time it took to ask and to learn [s]."""
        gamma_hat = self.sweep.gamma if self.sweep.gamma_hat is None else self.sweep.gamma_hat
        noise = NoiseModel(gamma_hat, self.sweep.sigma, method.make_likelihood())
        learner = Learner(Problem(self.hypotheses, noise), method.make_strategy(), self.seed,
                          stop=NEVER)
        seconds, kind, state = 0.0, '', -1
        for step in range(self.sweep.steps + 1):
            if step:
                began = time.perf_counter()
                question = learner.ask()
                seconds += time.perf_counter() - began
                kind, state = '', -1
                if question is not None:    # a strategy may have nothing to ask any more
                    answer = answer_of(
                        self.teacher, question,
                        np.random.default_rng([self.seed, step, TEACHER]))
                    began = time.perf_counter()
                    learner = learner.tell(answer)
                    seconds += time.perf_counter() - began
                    kind, state = question.kind.value, question.state
            accuracy, loss, relative = self.scores.of(learner.map_policy)
            right = float(learner.situation.policy_probabilities[self.truth])
            rows.append(Row(self.sweep.name, self.mdp_number, self.number, self.seed, method.name,
                            step, kind, state, accuracy, loss, relative, right))
        return seconds


class _Scores:
    """How good the policies are, each looked at once: methods visit the same few."""

    def __init__(self, hypotheses: Hypotheses, meter: ValueLossMeter) -> None:
        self._hypotheses, self._meter = hypotheses, meter
        self._known: dict[int, tuple[float, float, float]] = {}
        self.optimal_sets = meter.optimal_sets

    def of(self, index: int) -> tuple[float, float, float]:
        """Return accuracy, value loss and relative value loss of a policy."""
        if index not in self._known:
            sets = self._hypotheses.sets
            policy = Policy(sets.policy_sets(index), np.ones(sets.num_states), np.array([]),
                            sets.num_actions)
            loss = self._meter.loss(policy)
            self._known[index] = (policy_accuracy(policy, self.optimal_sets), loss.absolute,
                                  loss.relative)
        return self._known[index]
