"""What is run: every experiment of the paper's section 4, as data."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, fields, is_dataclass, replace
from typing import Any

from gbs_irl_ros.core.action_likelihood import (
    LIKELIHOODS,
    ActionLikelihood,
    Likelihood,
    make_likelihood,
)
from gbs_irl_ros.core.queries import STRATEGIES
from gbs_irl_ros.core.queries.situation import QueryStrategy
from gbs_irl_ros.core.registry import Registration, definition, made, origin
from gbs_irl_ros.core.teacher import SimulatedTeacher
from gbs_irl_ros.core.teachers import TEACHERS
from gbs_irl_ros.experiments.built_problems import ThresholdCorridor, VoteCube
from gbs_irl_ros.experiments.domains import (
    Domain,
    Driver,
    DriverFeatures,
    GoalGrid,
    RandomMdps,
    ShippedTask,
)
from gbs_irl_ros.experiments.printed_iqbc import PrintedIqbcQuery
from gbs_irl_ros.experiments.rows import ExperimentError

# Experiments that share a figure.
TIMED = ('random_10x5', 'random_10x10', 'random_50x5', 'random_100x10', 'puddle_world',
         'trap_world', 'driver')
BOUNDS = ('bound_corridor_9', 'bound_corridor_33', 'bound_corridor_129', 'bound_cube')
ABOUT_LIKELIHOODS = ('supersets', 'driver_features')
LONGEST_METHOD = 24         # characters of its name, which rows have room for
QUICK_TRIALS = 12           # of a domain
QUICK_TRIALS_OF_MDP = 4     # of each random MDP
# Fields that rows of earlier versions do not mention.
LATER = {'likelihood_options', 'teacher', 'teacher_options'}


@dataclass(frozen=True)
class Method:
    """
    A way to learn.

    name: in rows, tables and figures.
    strategy, options: of the questions; a name in ``core.queries.STRATEGIES``, or iqbc_printed; or
        a strategy, which has its options already.
    likelihood, likelihood_options: of the answers; the paper's experiments use the aggregated one.
    trials: only this many of each MDP's trials, where more would take too long; None: all.
    """

    name: str
    strategy: str | QueryStrategy
    options: tuple[tuple[str, Any], ...] = ()
    likelihood: str | ActionLikelihood = 'aggregated'
    trials: int | None = None
    likelihood_options: tuple[tuple[str, Any], ...] = ()

    def __post_init__(self) -> None:
        if not re.fullmatch(rf'[^,"\n]{{1,{LONGEST_METHOD}}}', self.name):
            raise ExperimentError(
                f'the name of a method must have 1 to {LONGEST_METHOD} characters and neither '
                f'commas nor quotation marks, got {self.name!r}')
        if not isinstance(self.strategy, (str, QueryStrategy)):
            raise ExperimentError(f'the strategy of the method {self.name!r} must be a name or a '
                                  f'strategy, such as GbsQuery(), got {self.strategy!r}')

    def make_strategy(self) -> QueryStrategy:
        """Return the strategy with its options."""
        if isinstance(self.strategy, QueryStrategy):
            return self.strategy
        return made(self.strategy_class, 'strategy', dict(self.options))

    @property
    def strategy_class(self) -> type[QueryStrategy]:
        """Return the class of the strategy."""
        if isinstance(self.strategy, QueryStrategy):
            return type(self.strategy)
        is_printed = self.strategy == PrintedIqbcQuery.name
        return PrintedIqbcQuery if is_printed else STRATEGIES[self.strategy]

    def registrations(self) -> tuple[Registration, ...]:
        """Return what another process must know to learn in this way."""
        found = []
        if isinstance(self.strategy, str) and self.strategy != PrintedIqbcQuery.name:
            found.append(STRATEGIES.registration(self.strategy))
        if isinstance(self.likelihood, str):
            found.append(LIKELIHOODS.registration(self.likelihood))
        return tuple(each for each in found if each is not None)

    def make_likelihood(self) -> Likelihood | ActionLikelihood:
        """Return the likelihood with its options."""
        if isinstance(self.likelihood, ActionLikelihood):
            return self.likelihood
        return make_likelihood(self.likelihood, **dict(self.likelihood_options))


@dataclass(frozen=True)
class Sweep:
    """
    One experiment.

    All methods learn in the same trials: the same world, rewards, and chance of every answer.

    trials: for each MDP. steps: questions of a trial.
    gamma, sigma: of the teacher, and assumed by the learner (the paper's "exact noise model").
    gamma_hat: assumed instead of gamma, where the theory wants it smaller.
    teacher, teacher_options: who answers; a name in ``core.TEACHERS``.
    """

    name: str
    title: str
    domain: Domain
    methods: tuple[Method, ...]
    num_mdps: int = 1
    trials: int = 200
    steps: int = 100
    seed: int = 1
    gamma: float = 0.9
    sigma: float = 0.1
    gamma_hat: float | None = None
    teacher: str = SimulatedTeacher.name
    teacher_options: tuple[tuple[str, Any], ...] = ()

    def __post_init__(self) -> None:
        names = [method.name for method in self.methods]
        twice = [name for name in names if names.count(name) > 1]
        wrong = 'has no method' if not names else f'has the method {twice[0]!r} twice' if twice \
            else '' if is_dataclass(self.domain) and not isinstance(
                self.domain, type) else 'must have a domain that is a dataclass, ' \
            f'got {self.domain!r}'
        for name, least in (('num_mdps', 1), ('trials', 1), ('steps', 0)):
            if getattr(self, name) < least:
                wrong = f'must have {name} of at least {least}, got {getattr(self, name)}'
        if not re.fullmatch(r'[^\W.][\w.-]*', self.name):
            wrong = 'must have a name that can be that of a file, of letters, digits and "_-."'
        if wrong:
            raise ExperimentError(f'the sweep {self.name!r} {wrong}')

    @property
    def num_trials(self) -> int:
        """Return the number of trials in all."""
        return self.num_mdps * self.trials

    def place(self, index: int) -> tuple[int, int]:
        """Return the MDP and the number of a trial there."""
        return divmod(index, self.trials)

    def methods_of(self, index: int) -> tuple[Method, ...]:
        """Return the methods that learn in a trial."""
        _, trial = self.place(index)
        return tuple(method for method in self.methods
                     if method.trials is None or trial < method.trials)

    def quick(self) -> Sweep:
        """Return the same experiment with few trials."""
        few = QUICK_TRIALS if self.num_mdps == 1 else QUICK_TRIALS_OF_MDP
        methods = tuple(method if method.trials is None
                        else replace(method, trials=max(1, method.trials * few // self.trials))
                        for method in self.methods)
        return replace(self, trials=few, methods=methods)

    def settings(self) -> dict[str, Any]:
        """Return everything the rows depend on, ready for JSON."""
        return {**_described(self), 'methods': list(map(_described, self.methods)),
                'domain': {'kind': type(self.domain).__name__,
                           **asdict(self.domain),      # type: ignore[call-overload]
                           **_source(type(self.domain))}}

    def registrations(self) -> tuple[Registration, ...]:
        """Return what another process must know to run a trial."""
        teacher = TEACHERS.registration(self.teacher)
        return (*(each for method in self.methods for each in method.registrations()),
                *(() if teacher is None else (teacher,)))


def _described(plan: Sweep | Method) -> dict[str, Any]:
    """Return the fields of a plan; one that came later only if it says anything."""
    found = {field.name: getattr(plan, field.name) for field in fields(plan)
             if field.name not in LATER or getattr(plan, field.name) != field.default}
    if isinstance(plan, Method):
        if isinstance(plan.strategy, QueryStrategy):
            found['strategy'] = repr(plan.strategy)
        likelihood = plan.likelihood if isinstance(plan.likelihood, ActionLikelihood) \
            else LIKELIHOODS[plan.likelihood]
        if isinstance(likelihood, ActionLikelihood):
            found['likelihood'], likelihood = repr(likelihood), type(likelihood)
        found.update(_source(plan.strategy_class))
        if isinstance(likelihood, type):
            found.update(_source(likelihood, 'likelihood_source'))
    else:
        found.update(_source(TEACHERS[plan.teacher], 'teacher_source'))
    return found


def _source(kind: type, key: str = 'source') -> dict[str, str]:
    """Return a word for the code of something from outside, which people change between runs."""
    return {} if origin(kind).startswith('gbs_irl_ros.') else {key: definition(kind)}


GBS, IQBC, EMG = (Method(name, name) for name in ('gbs', 'iqbc', 'emg'))
ACTIVE_SAMPLING, RANDOM = Method('active_sampling', 'active_sampling'), Method('random', 'random')
GBS_EXACT = Method('gbs_exact', 'gbs', likelihood='exact')
IQBC_EXACT = Method('iqbc_exact', 'iqbc', likelihood='exact')
IQBC_PRINTED = Method('iqbc_printed', 'iqbc_printed', trials=20)
USUAL = (GBS, IQBC, ACTIVE_SAMPLING, RANDOM)
MDPS = 10
VERSION_1 = Method('gbs1_cstar', 'gbs1_cstar', likelihood='single_action')
VERSION_2 = Method('gbs', 'gbs', likelihood='single_action')


def _random(states: int, actions: int, *extra: Method) -> Sweep:
    return Sweep(f'random_{states}x{actions}', f'Random MDPs, {states} × {actions}',
                 RandomMdps(states, actions), (*USUAL, *extra), num_mdps=MDPS)


def _sparse(states: int, actions: int) -> Sweep:
    return Sweep(f'sparse_{states}x{actions}',
                 f'Random MDPs, {states} × {actions}, sparse rewards',
                 RandomMdps(states, actions, most=3), (*USUAL, IQBC_PRINTED), num_mdps=MDPS,
                 trials=20)


def _rewards(name: str, title: str, grid: GoalGrid) -> Sweep:
    return Sweep(name, title, grid, (
        Method('active', 'gbs_reward'), Method('random', 'random', (('kind', 'reward'),))))


def _bound(name: str, title: str, domain: Domain) -> Sweep:
    return Sweep(f'bound_{name}', title, domain, (VERSION_1, VERSION_2), steps=120,
                 gamma_hat=0.75)


SWEEPS: dict[str, Sweep] = {sweep.name: sweep for sweep in (
    _random(10, 5, EMG),
    _random(10, 10, EMG),
    _random(50, 5, IQBC_PRINTED, replace(EMG, trials=10)),
    _random(50, 10, IQBC_PRINTED),
    _random(100, 5, IQBC_PRINTED),
    _random(100, 10, IQBC_PRINTED),
    Sweep('puddle_world', 'Puddle world', ShippedTask('puddle_world'), (*USUAL, GBS_EXACT)),
    Sweep('trap_world', 'Trap world', ShippedTask('trap_world'), (*USUAL, GBS_EXACT)),
    Sweep('driver', 'Driver', Driver(), (*USUAL, GBS_EXACT)),
    Sweep('driver_features', 'Driver, rivals of the same features', DriverFeatures(),
          (*USUAL, GBS_EXACT)),
    Sweep('grid_actions', 'Grid world, 19 × 10', GoalGrid(), (*USUAL, GBS_EXACT)),
    Sweep('feedback', 'Random sampling of actions and rewards', GoalGrid(), (
        Method('action', 'random'), Method('reward', 'random', (('kind', 'reward'),)),
        Method('action_reward', 'random', (('kind', 'action+reward'),)))),
    _rewards('reward_sparse', 'Reward questions, sparse reward', GoalGrid()),
    _rewards('reward_shaped', 'Reward questions, shaped reward', GoalGrid(shaped=True)),
    _rewards('reward_anywhere', 'Reward questions, sparse reward anywhere',
             GoalGrid(anywhere=True)),
    _sparse(50, 5),
    _sparse(50, 10),
    Sweep('supersets', 'Random MDPs, 50 × 5, costs among the rewards',
          RandomMdps(50, 5, low=-1.0), (GBS, GBS_EXACT, IQBC, IQBC_EXACT), num_mdps=MDPS,
          trials=20),
    _bound('corridor_9', 'Corridor of 9 places', ThresholdCorridor(9)),
    _bound('corridor_33', 'Corridor of 33 places', ThresholdCorridor(33)),
    _bound('corridor_129', 'Corridor of 129 places', ThresholdCorridor(129)),
    _bound('cube', 'Vote cube of 6 policies', VoteCube(6, 4, 5)),
)}
