"""What a teacher's node knows of the lesson and of the robot at one moment."""

from __future__ import annotations

from dataclasses import dataclass

from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.learning.records import (
    BeliefRecord,
    ExecutionRecord,
    HistoryRecord,
    QuestionRecord,
    Status,
)
from gbs_irl_ros.tasks.world import World
from gbs_irl_ros.teaching.reward_scale import Mark


@dataclass(frozen=True, eq=False)
class Situation:
    """
    Everything that is shown to a person who teaches.

    question: what is asked now, None if nothing. scale: values to choose from, if it is about one.
    learner_lives: whether the learner has given a sign of life in the last moments.
    policies: how many it has published so far.
    execution: what the controller does, None if there is none. robot: the state it is in.
    driving: a person's command is being carried out. corrects: driving now is a correction.
    recorded: how many steps so far, None if nothing is being recorded.
    on_their_way: answers and demonstrations that the learner has not acknowledged.
    """

    world: World | None = None
    question: QuestionRecord | None = None
    scale: tuple[Mark, ...] = ()
    belief: BeliefRecord | None = None
    history: HistoryRecord | None = None
    learner_lives: bool = False
    policies: int = 0
    execution: ExecutionRecord | None = None
    robot: int | None = None
    driving: bool = False
    corrects: bool = False
    recorded: int | None = None
    on_their_way: int = 0

    @property
    def asked(self) -> QuestionRecord | None:
        """Return the question if it is to be shown: about this world, and not in a pause."""
        paused = self.belief is not None and self.belief.status is Status.PAUSED
        return None if self.world is None or self.problem or paused else self.question

    @property
    def problem(self) -> str:
        """Return why the question cannot be shown, '' if it can."""
        if self.world is None or self.question is None:
            return ''
        if self.belief is not None and self.belief.task_hash not in ('', self.world.hash):
            return ('the learner still learns another task than the one that is served now; '
                    'call learner/reset to begin with this one')
        try:
            self.question.question.check_fits(self.world.mdp)
        except GbsIrlError as error:
            return f'the question does not fit task {self.world.name!r}: {error}'
        return ''

    @property
    def is_paused(self) -> bool:
        """Return whether the learner asks nothing by request, or because it was enough."""
        return self.belief is not None and self.belief.status in (Status.PAUSED, Status.DONE)

    @property
    def status_text(self) -> str:
        """Return what is going on, as a person reads it, when there is no question."""
        belief = self.belief
        if self.world is None:
            return 'Waiting for the task: is the mdp node running?'
        if self.problem:
            return f'{self.problem[0].upper()}{self.problem[1:]}.'
        if belief is not None and belief.status is Status.FAILED:
            return f'The learner cannot go on: {belief.status_text}'
        if belief is None or not self.learner_lives:
            return 'Waiting for the learner: is it running?'
        if belief.status is Status.WAITING:
            return f'The learner has no lesson yet: {belief.status_text}'
        if belief.status is Status.PAUSED:
            return 'Paused: press p to resume.'
        if belief.status is Status.DONE:
            return f'No more questions. {belief.status_text[:1].upper()}{belief.status_text[1:]}.'
        return 'The learner is thinking.'
