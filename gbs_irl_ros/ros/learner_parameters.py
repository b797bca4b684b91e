"""Parameters of the learner node, and the learner that they describe."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from gbs_irl_ros.core.action_likelihood import (
    LIKELIHOODS,
    ActionLikelihood,
    Likelihood,
    make_likelihood,
)
from gbs_irl_ros.core.caution import CAREFUL, caution_for
from gbs_irl_ros.core.errors import InvalidOptionError, InvalidRecordError
from gbs_irl_ros.core.learner import Learner
from gbs_irl_ros.core.noise import NoiseModel
from gbs_irl_ros.core.pace import Pace
from gbs_irl_ros.core.queries import STRATEGIES, make_strategy
from gbs_irl_ros.core.queries.bits_per_second import ALL_KINDS, BitsPerSecondQuery
from gbs_irl_ros.core.queries.information_gain import ANYWHERE, WHERE
from gbs_irl_ros.core.queries.situation import QueryStrategy
from gbs_irl_ros.core.questions import QuestionKind
from gbs_irl_ros.core.stop_conditions import ValueAtRisk
from gbs_irl_ros.core.stopping import (
    DEFAULT,
    STOP_NAMES,
    USUAL_CONDITION,
    StopRule,
    make_stop_rule,
)
from gbs_irl_ros.core.theory.forecast import with_calibration
from gbs_irl_ros.learning.beginning import Beginning
from gbs_irl_ros.learning.folders import lessons_folder
from gbs_irl_ros.learning.person import Profile, check_person
from gbs_irl_ros.learning.question_mix import DEFAULT_STEPS, QuestionMix, read_kinds
from gbs_irl_ros.learning.study_file import check_code
from gbs_irl_ros.learning.written_options import LIKE, read_options
from gbs_irl_ros.ros.base_node import NodeParameters
from gbs_irl_ros.ros.parameters import ParameterError, parameter
from gbs_irl_ros.tasks import Task

AS_THE_TASK_SAYS = ''
LONGEST_LESSON = 150        # bytes of a name that becomes that of files, with more behind it
# Options of a strategy that are parameters of their own.
KIND_OPTIONS = {'among': 'question_kinds', 'pace': 'seconds_per_step', 'where': 'where'}


@dataclass(frozen=True)
class LearnerParameters(NodeParameters):
    """Parameters of the learner node; the only place where they are named."""

    strategy: str = parameter(
        BitsPerSecondQuery.name,
        'How questions are chosen; bits_per_second chooses also the kind of each. Versions 1, 2 '
        'and 3 of the paper are gbs1, gbs and gbs3.', choices=STRATEGIES)
    strategy_options: str = parameter(
        '', 'Options of the strategy, such as "c_hat=0.9" for gbs3, several with commas; JSON for '
            'values of any type.')
    question_kinds: str = parameter(
        '', 'Kinds of question: action, yes_no, reward, demonstration, place, task, compare, with '
            'commas between. bits_per_second chooses among them, empty: all but reward; with any '
            'other strategy they are asked in turn, empty: what the strategy asks.')
    disliked_kinds: str = parameter(
        '', 'Kinds of question that are never asked, with commas between.')
    where: str = parameter(
        ANYWHERE, 'Where to ask: anywhere, or only where the robot will be anyway (on_the_way), '
                  'for strategies that can tell.', choices=WHERE)
    seconds_per_step: float = parameter(
        0.0, 'What a step of the robot to the place that is asked about costs, for '
             'bits_per_second, as long as it is known where the robot is [s]; 0: it need not go '
             'there.', low=0.0, high=3600.0)
    key_file: str = parameter(
        '', 'File with a secret that the controller has too; heartbeats are signed with it. '
            'Empty: they are not signed.', fixed=True)
    demonstration_steps: int = parameter(
        DEFAULT_STEPS, 'Number of steps in a demonstration that is asked for.', low=1, high=1000)
    likelihood: str = parameter(
        AS_THE_TASK_SAYS, 'How answers are weighed; empty: as the task says.',
        choices=LIKELIHOODS)
    likelihood_options: str = parameter(
        '', 'Options of the likelihood, such as "eta=5" for boltzmann, several with commas; JSON '
            'for values of any type.')
    gamma_hat: float = parameter(
        0.0, 'Assumed chance of a right answer, or the expected one if that is learned; 0: as the '
             'task says.', low=0.0, high=1.0)
    sigma_hat: float = parameter(
        0.0, 'Assumed spread of reward answers; 0: as the task says.', low=0.0)
    none_of_these: float = parameter(
        CAREFUL.none_of_these,
        'Prior probability that none of the listed tasks is meant; 0: one of them is meant for '
        'certain, as in the paper.', low=0.0, high=0.4)
    learn_error_rate: bool = parameter(
        True,
        "Whether the teacher's error rate is learned, for each kind of answer; false: gamma_hat "
        'is taken for certain, as in the paper.')
    closing_question: bool = parameter(
        True,
        'Whether the robot shows what it would do and asks if that is what is meant before a '
        'lesson is done; only two yeses end it then. False: as in the paper.')
    stop_condition: str = parameter(
        USUAL_CONDITION,
        'What ends a lesson, with the probability `certainty`: that one policy is meant '
        '(certainty, as in the paper), that there is no better one (loses_nothing), that it loses '
        'at most `loss` (value_at_risk), the same whichever of the likely tasks is meant '
        '(minimax_regret), or that it alone is as probable as the right one is in simulated '
        'lessons, which take some seconds at the start (conformal).', choices=STOP_NAMES)
    certainty: float = parameter(
        DEFAULT.certainty, 'Stop with this probability, see stop_condition; 0: never.', low=0.0,
        high=1.0)
    loss: float = parameter(
        ValueAtRisk.loss, 'What may be lost, see stop_condition: a share of what the best policy '
                          'gains over chance.', low=0.0, high=1.0)
    every_state: float = parameter(
        -1.0, 'Stop when W is at least this in every state; -1: never.', low=-1.0, high=1.0)
    max_answers: int = parameter(0, 'Stop after this many answers; 0: never.', low=0)
    true_gamma: float = parameter(
        0.0, 'Lower bound of the real chance of a right answer, for the certificate; 0: unknown.',
        low=0.0, high=1.0)
    seed: int = parameter(0, "Random seed of the learner's choices.", low=0)
    lesson: str = parameter(
        '', 'Name of the lesson; a lesson of the same name and task is continued. Empty: the name '
            'of the task, with the code of the participant in a study.')
    journal_dir: str = parameter(
        '', 'Folder of the journals; empty: gbs_irl in $ROS_HOME or ~/.ros.')
    taught: str = parameter(
        '', 'File with what was taught in another lesson (.taught.json), from which a new lesson '
            'starts; empty: none.')
    person: str = parameter(
        '', 'Name of the person who teaches; how often that person erred in earlier lessons is '
            'then expected, and remembered. Empty: nobody in particular.')
    study: str = parameter(
        '', 'Code of a participant in a user study, a pseudonym; what happens in the lesson is '
            'then also written to a CSV file in the folder studies. Empty: it is not.')
    ask_again: float = parameter(
        2.0, 'Send a question without an answer again after this long [s].', low=0.1, high=600.0)

    def __post_init__(self) -> None:
        self.asking()
        self.make_strategy()
        self.stop_rule()
        if self.likelihood:
            self.make_likelihood()
        elif self.likelihood_options:
            raise ParameterError("parameter 'likelihood_options' needs a likelihood, got "
                                 f'{self.likelihood_options!r}')
        if len(self.lesson.encode()) > LONGEST_LESSON:
            raise ParameterError(f"parameter 'lesson' must be at most {LONGEST_LESSON} bytes "
                                 f'long, got {len(self.lesson.encode())}')
        if not re.fullmatch(r'[\w .()-]*', self.lesson) or self.lesson.startswith('.'):
            raise ParameterError("parameter 'lesson' must be usable as a file name: letters, "
                                 f'digits, spaces and "_-.()", got {self.lesson!r}')

        for name, value, check in (('person', self.person, check_person),
                                   ('study', self.study, check_code)):
            try:
                if value:
                    check(value)
            except InvalidRecordError as error:
                raise ParameterError(f'parameter {name!r}: {error}') from None

    def asking(self) -> QuestionMix:
        """Return the kinds of question."""
        chooses = self.strategy == BitsPerSecondQuery.name
        return QuestionMix(() if chooses else self._wanted_kinds(), self.demonstration_steps)

    def make_strategy(self) -> QueryStrategy:
        """Return the strategy with its options."""
        try:
            options = read_options(self.strategy_options)
        except InvalidOptionError:
            raise self._wrong_options() from None
        known = {field.name for field in fields(STRATEGIES[self.strategy])}
        for name, parameter_name in KIND_OPTIONS.items():
            if name in options and name in known:
                raise ParameterError(f"parameter 'strategy_options' must not have {name!r}; use "
                                     f'the parameter {parameter_name!r}')
        for name, is_set, value in (
                ('where', self.where != ANYWHERE, self.where),
                ('pace', self.seconds_per_step > 0.0, Pace(way=self.seconds_per_step))):
            if is_set and name not in known:
                raise ParameterError(
                    f'parameter {KIND_OPTIONS[name]!r} does not fit the strategy '
                    f'{self.strategy!r}; use {BitsPerSecondQuery.name!r}')
            if is_set:
                options[name] = value
        if self.strategy == BitsPerSecondQuery.name:
            options['among'] = self._wanted_kinds() or self._liked(ALL_KINDS)
        try:
            return make_strategy(self.strategy, **options)
        except TypeError:       # a word where a number is needed
            raise self._wrong_options() from None

    def make_likelihood(self) -> Likelihood | ActionLikelihood:
        """Return the likelihood that is named, with its options."""
        try:
            return make_likelihood(self.likelihood, **read_options(self.likelihood_options))
        except TypeError:
            raise self._wrong_options('likelihood_options') from None

    def _wrong_options(self, name: str = 'strategy_options') -> ParameterError:
        return ParameterError(f'parameter {name!r} {LIKE}, got {getattr(self, name)!r}')

    def _wanted_kinds(self) -> tuple[QuestionKind, ...]:
        """Return the kinds of question that are named and not disliked; none: no one is named."""
        named = read_kinds(self.question_kinds)
        if named:
            return self._liked(named)
        asked = STRATEGIES[self.strategy]().kinds
        if self.strategy != BitsPerSecondQuery.name and asked != self._liked(asked):
            raise ParameterError(f"parameter 'disliked_kinds' leaves nothing that the strategy "
                                 f'{self.strategy!r} asks; name others in question_kinds')
        return ()

    def _liked(self, kinds: tuple[QuestionKind, ...]) -> tuple[QuestionKind, ...]:
        disliked = read_kinds(self.disliked_kinds)
        if QuestionKind.CONFIRM in disliked:
            raise ParameterError("parameter 'disliked_kinds' must not name confirm; set "
                                 'closing_question to false')
        liked = tuple(kind for kind in kinds if kind not in disliked)
        if not liked:
            raise ParameterError(
                f"parameter 'disliked_kinds' leaves no kind of question to ask, got "
                f'{self.disliked_kinds!r}')
        return liked

    def stop_rule(self) -> StopRule:
        """Return when to stop asking."""
        return make_stop_rule(
            self.stop_condition, self.certainty,
            None if self.every_state <= -1.0 else self.every_state, self.max_answers or None,
            loss=self.loss)

    def make_learner(self, task: Task) -> Learner:
        """Return a learner that knows nothing yet; raise if these settings do not fit the task."""
        noise = self.noise(task.noise)
        return with_calibration(Learner(
            task, self.make_strategy(), self.seed, noise, self.stop_rule(),
            self.true_gamma or None,
            caution_for(noise, self.none_of_these, learn_error_rate=self.learn_error_rate,
                        closing_question=self.closing_question)))

    @property
    def is_careful(self) -> bool:
        """Return whether to allow for more than the paper does, where the likelihood is exact."""
        return self.none_of_these > 0.0 or self.learn_error_rate or self.closing_question

    def noise(self, noise: NoiseModel) -> NoiseModel:
        """Return the noise model of a task with what is set here."""
        changes: dict[str, Any] = {}
        if self.likelihood:
            changes['likelihood'] = self.make_likelihood()
        if self.gamma_hat:
            changes['gamma_hat'] = self.gamma_hat
        if self.sigma_hat:
            changes['sigma_hat'] = self.sigma_hat
        return replace(noise, **changes)

    def journal_path(self, task: Task, namespace: str) -> Path:
        """
        Return the file of the lesson: another one for each task, lesson and namespace.

        A lesson that an earlier version began is found under the name that it got then. In a
        study nobody continues the lesson of another participant, unless it is named.
        """
        folder = lessons_folder(namespace, self.journal_dir)
        name = self.lesson or '-'.join(filter(None, (task.world.name, self.study)))
        path, former = (folder / f'{name}-{each[:12]}.jsonl'
                        for each in (task.hash, task.content_hash))
        return former if not path.exists() and former.exists() else path

    @property
    def people_folder(self) -> Path:
        """Return where the files of people and studies are: the same for all namespaces."""
        return lessons_folder('', self.journal_dir)

    def beginning(self, teacher: Profile | None) -> Beginning:
        """Return what a new lesson is given."""
        return Beginning(Path(self.taught).expanduser() if self.taught else None, teacher)

    def settings(self) -> dict[str, Any]:
        """Return everything, to be remembered in the journal."""
        return asdict(self)
