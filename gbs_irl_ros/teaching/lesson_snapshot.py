"""What a teacher's side knows of the lesson and of the robot at one moment."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import get_args

import numpy as np

from gbs_irl_ros.core.answers import Unasked
from gbs_irl_ros.core.errors import GbsIrlError, InvalidAnswerError
from gbs_irl_ros.core.policy import Policy
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.core.routes import trespassed
from gbs_irl_ros.core.stopping import DoneReason
from gbs_irl_ros.languages.catalogue import ENGLISH
from gbs_irl_ros.languages.speaking import language, marked, tr
from gbs_irl_ros.learning.execution import ExecutionRecord, ExecutionStatus
from gbs_irl_ros.learning.lesson_state import question_before
from gbs_irl_ros.learning.records import (
    AnswerRecord,
    BeliefRecord,
    HistoryEntry,
    HistoryRecord,
    PolicyRecord,
    QuestionRecord,
    Status,
)
from gbs_irl_ros.learning.sentences import nothing_fits_text, ways_on
from gbs_irl_ros.tasks.invention import can_invent
from gbs_irl_ros.tasks.promises import Trespass, trespass, trespass_text
from gbs_irl_ros.tasks.task import Task
from gbs_irl_ros.tasks.translated import translated
from gbs_irl_ros.tasks.world import World
from gbs_irl_ros.teaching.told import relabelled, status_text

SMALL = (bool, int, str, tuple)     # parts that are compared by their values
CORRECT_IT = marked('Correct its file and start again; “gbs-irl check FILE” says all that is '
                    'wrong with it.')


@dataclass(frozen=True, eq=False)
class LessonSnapshot:
    """
    Everything that is shown to a person who teaches.

    task: None until it is known. question: what is asked now, None if nothing.
    policy: what the robot would do in this task, None before that is known.
    learner_lives: whether the learner has given a sign of life in the last moments.
    execution: what the controller does, None if there is none; has_controller: it can be reached.
    pose: x, y [m] and yaw [rad] in the frame of the task. robot: the state that the robot is in.
    driving: a person's command is being carried out. gave_up: why the last one was not, or ''.
    corrects: driving now is a correction.
    stops_without_page: a robot that was started on a page stops when that is closed.
    recorded: (state, action) steps so far, None if nothing is being recorded.
    on_their_way: answers and demonstrations that the learner has not acknowledged.
    named: places of this world to which people have given names, with their states.
    no_task: why there is no task yet, and whether there will be none; None if nobody says so.
    """

    task: Task | None = None
    question: QuestionRecord | None = None
    belief: BeliefRecord | None = None
    policy: PolicyRecord | None = None
    history: HistoryRecord | None = None
    learner_lives: bool = False
    execution: ExecutionRecord | None = None
    has_controller: bool = False
    pose: tuple[float, float, float] | None = None
    robot: int | None = None
    driving: bool = False
    gave_up: str = ''
    corrects: bool = False
    stops_without_page: bool = False
    recorded: tuple[tuple[int, int], ...] | None = None
    on_their_way: int = 0
    named: tuple[tuple[str, tuple[int, ...]], ...] = ()
    no_task: tuple[str, bool] | None = None

    def is_like(self, other: LessonSnapshot) -> bool:
        """Return whether there is nothing new; what is large must be the same object for that."""
        before = vars(other)
        return all(value is before[name] or (isinstance(value, SMALL) and value == before[name])
                   for name, value in vars(self).items())

    def spoken(self) -> LessonSnapshot:
        """Return it with all names in the language that is spoken now."""
        if self.task is None or language() == ENGLISH:
            return self
        task = translated(self.task)
        return replace(self, task=task, question=relabelled(self.question, task))

    @property
    def world(self) -> World | None:
        """Return the world of the task."""
        return None if self.task is None else self.task.world

    @property
    def asked(self) -> QuestionRecord | None:
        """
        Return the question if it is to be shown: about this world, and not in a pause.

        Nor after the lesson, unless the learner says that it asks this: one that was sent twice
        may come after its answer, and nothing would follow that takes it away.
        """
        if self.task is None or self.problem or self.question is None:
            return None
        if self.belief is None:
            return self.question
        is_over = self.belief.status is Status.DONE \
            and self.belief.question_id != self.question.id
        return None if is_over or self.belief.status is Status.PAUSED else self.question

    @property
    def problem(self) -> str:
        """Return why a question cannot be shown, '' if it can."""
        if self.world is None:
            return ''
        if self.belief is not None and self.belief.task_hash not in ('', self.world.hash):
            return tr('the learner still learns another task than the one that is served now; '
                      'call learner/reset to begin with this one')
        try:
            if self.question is not None:
                self.question.question.check_fits(self.world.mdp)
        except GbsIrlError as error:
            return tr('the question does not fit task {task!r}: {error}', task=self.world.name,
                      error=error)
        return ''

    @property
    def is_paused(self) -> bool:
        """Return whether the learner asks nothing by request, or because it was enough."""
        return self.belief is not None and self.belief.status in (Status.PAUSED, Status.DONE)

    @property
    def can_show_places(self) -> bool:
        """Tell whether the teacher can say something by showing places on the map."""
        return self.belief is not None and len(self.belief.probabilities) > 0 \
            and self.world is not None and self.world.layout is not None

    @property
    def can_invent(self) -> bool:
        """Tell whether the learner can think of tasks that nobody listed, and should."""
        return self.belief is not None and self.task is not None \
            and self.belief.reason is DoneReason.NONE_OF_THESE \
            and can_invent(self.task.candidates)

    def asked_before(self, known_as: str) -> Question:
        """Return what an earlier answer is to; raise if it does not count."""
        for entry in () if self.history is None else self.history.entries:
            if entry.answer.id == known_as and isinstance(entry.answer, AnswerRecord):
                return entry.question.question if entry.question is not None \
                    else question_before(entry.answer.answer) \
                    if isinstance(entry.answer.answer, get_args(Unasked)) \
                    else Question(QuestionKind.DEMONSTRATION, 0)
        raise InvalidAnswerError(
            f'no answer {known_as!r} counts any more, so it cannot be replaced')

    def trespass(self, states: tuple[int, ...]) -> str:
        """Return what the robot would enter on a way that it must never enter; '' if nothing."""
        if self.task is None or self.belief is None or self.belief.task_hash != self.task.hash:
            return ''
        return trespass_text(self.task, self.belief.map_hypothesis, states)

    @property
    def action(self) -> int | None:
        """Return what the robot is just doing on its way, None if it stands."""
        execution = self.execution
        return execution.action if execution is not None \
            and execution.status is ExecutionStatus.DRIVING else None

    @property
    def forbidden(self) -> Trespass | None:
        """Return what a person must allow before the robot drives, None if nothing."""
        if self.policy is None or self.world is None or self.world.layout is None:
            return None
        policy, world = self.policy.policy, self.world
        entered = _trespassed(policy, world, self.start_state, self.action)
        return trespass(world, policy, entered, dict(self.named), no_way=self._forbids(entered))

    def _forbids(self, entered: tuple[int, ...]) -> bool:
        """Tell whether it is the task that forbids these states, and not a mark of the person."""
        if self.belief is None or self.task is None \
                or self.belief.map_hypothesis >= self.task.candidates.num_rewards:
            return True
        return set(entered) <= set(
            self.task.candidates.never_states(self.belief.map_hypothesis).tolist())

    @property
    def unexplained(self) -> dict[int, HistoryEntry]:
        """Return by their numbers, from 1, the answers that no task explains, if nothing fits."""
        if self.history is None or self.belief is None:
            return {}
        first = self.history.total - len(self.history.entries) + 1
        return {number: entry for number, entry in enumerate(self.history.entries, start=first)
                if entry.answer.id in self.belief.unexplained}

    @property
    def nothing_fits_text(self) -> str:
        """Return that no task fits, '' if one may."""
        belief = self.belief
        if belief is None or belief.reason is not DoneReason.NONE_OF_THESE:
            return ''
        return nothing_fits_text(len(belief.probabilities), list(self.unexplained))

    @property
    def start_state(self) -> int:
        """Return where the robot is, or where it would start."""
        if self.robot is not None:
            return self.robot
        return 0 if self.world is None else int(np.argmax(self.world.start))

    @property
    def asked_start(self) -> int:
        """Return where the robot is, or where it is asked about, or where it would start."""
        return self.asked.question.state if self.robot is None and self.asked is not None \
            else self.start_state

    @property
    def _no_task_text(self) -> str:
        if self.no_task is None:
            return tr('Waiting for the task: is the mdp node running?')
        why, has_failed = self.no_task
        return f'{why[:1].upper()}{why[1:]}. {tr(CORRECT_IT)}' if has_failed \
            else tr('Waiting for the task: {why}', why=why)

    @property
    def status_text(self) -> str:
        """Return what is going on, as a person reads it, when there is no question."""
        belief = self.belief
        if self.world is None:
            return self._no_task_text
        if self.problem:
            return f'{self.problem[0].upper()}{self.problem[1:]}.'
        if belief is not None and belief.status is Status.FAILED:
            return tr('The learner cannot continue: {why}', why=belief.status_text)
        if belief is None or not self.learner_lives:
            return tr('Waiting for the learner: is it running?')
        if belief.status is Status.WAITING:
            return tr('The learner has no lesson yet: {why}', why=belief.status_text)
        if belief.status is Status.PAUSED:
            return tr('Paused: press p to resume.')
        if belief.status is Status.DONE:
            why = status_text(belief)
            return ' '.join(filter(None, (tr('No more questions.'),
                                          f'{why[:1].upper()}{why[1:]}.',
                                          belief.claim if language() == ENGLISH else '')))
        if belief.status is Status.STUCK:
            return f'{tr("No question is left.")} {self.nothing_fits_text} ' \
                f'{ways_on(has_map=self.world.layout is not None)}'
        return tr('The learner is thinking.')


@lru_cache(maxsize=4)
def _trespassed(policy: Policy, world: World, state: int, action: int | None) -> tuple[int, ...]:
    return trespassed(policy, world.mdp, state, action)
