"""How a lesson stands: what is going on and why, in codes, in words and as records."""

from __future__ import annotations

from dataclasses import dataclass

from gbs_irl_ros.core.learner import Learner
from gbs_irl_ros.core.stopping import UNCONFIRMED, DoneReason, StopReason
from gbs_irl_ros.core.theory.forecast import Forecast, Outlook
from gbs_irl_ros.learning.as_meant import kept_off
from gbs_irl_ros.learning.doubts import error_rate, misfit_text, trusted_policy, unexplained
from gbs_irl_ros.learning.lesson_state import LessonState
from gbs_irl_ros.learning.records import BeliefRecord, PolicyRecord, QuestionRecord, Status
from gbs_irl_ros.learning.sentences import belief_words, claim, done_text, known_words
from gbs_irl_ros.learning.taught import TaughtBelief, belief_of
from gbs_irl_ros.tasks.world import World


@dataclass(frozen=True, eq=False)
class Standing:
    """
    How a lesson stands at one moment.

    learner: what is believed. past: what has happened.
    open_question: what the teacher is being asked, None if nothing.
    finished: whether there is nothing more to ask; None: nobody has looked.
    problem: why the lesson cannot continue, '' if it can.
    outlook: how simulated lessons of the task went, None if that is not known.
    """

    learner: Learner
    past: LessonState
    open_question: QuestionRecord | None
    finished: bool | None
    problem: str
    outlook: Outlook | None = None

    @property
    def status(self) -> Status:
        """Return what is going on."""
        if self.problem:
            return Status.FAILED
        if self.past.paused:
            return Status.PAUSED
        if not self.finished:
            return Status.ASKING
        return Status.STUCK if self.learner.nothing_fits else Status.DONE

    @property
    def done_reason(self) -> StopReason:
        """Return why nothing more is asked, or must be, and the value that belongs to it."""
        if self.learner.nothing_fits:
            return DoneReason.NONE_OF_THESE, min(self.learner.none_of_these, 1.0)
        if self.status is not Status.DONE:
            return DoneReason.NO_REASON, 0.0
        told = DoneReason.GOOD_ENOUGH if self.past.settled else DoneReason.NOTHING_TO_ASK
        return self.learner.stop_reason or (told, 0.0)

    @property
    def text(self) -> str:
        """Return what is going on, as a person reads it, and what to do next."""
        if self.problem:
            return self.problem
        if self.past.paused:
            return 'paused: call ~/start to resume'
        if self.learner.nothing_fits:
            asked = self.open_question.sentence if self.open_question else ''
            return f'{self.misfit_text} {asked}'.rstrip()
        if self.finished and self.past.taught is not None and not self.past.answers:
            return f'done: taught before, in {self.past.taught.task!r} ({self.belief_words})'
        if self.finished and self.learner.stop_reason is not None \
                and self.done_reason[0] not in UNCONFIRMED:
            return f'done: I know: {known_words(self.favourite, self.learner.certainty)}'
        if self.finished:
            return f'done: {done_text(*self.done_reason)}'
        return self.open_question.sentence if self.open_question else 'about to ask'

    @property
    def misfit_text(self) -> str:
        """Return that no listed task explains the answers, which of them, and what to do."""
        return misfit_text(self.learner, self.past.answer_numbers, has_map=self.past.has_map)

    @property
    def favourite(self) -> str:
        """Return the name of the task that is most likely meant."""
        return self.learner.task.hypotheses.name(self.learner.most_probable_reward)

    @property
    def belief_words(self) -> str:
        """Return what is believed, in a few words."""
        return belief_words(self.favourite, self.learner.certainty, self.learner.none_of_these)

    def taught(self, world: World, stamp: int) -> TaughtBelief:
        """Return what the lesson has led to, to be used elsewhere."""
        return belief_of(self.learner, world, done=self.status is Status.DONE, stamp=stamp,
                         places=self.past.places)

    @property
    def forecast(self) -> Forecast | None:
        """Return how many more answers it takes, None if that is not known."""
        if self.finished and not self.learner.nothing_fits:
            return Forecast(0, 0, 0)
        if self.outlook is None or self.open_question is None or self.learner.nothing_fits:
            return None
        return self.outlook.forecast(self.learner, self.open_question.question)

    def policy(self, task_hash: str, sequence: int, stamp: int) -> PolicyRecord:
        """Return what the robot may obey."""
        final = bool(self.finished) and not self.learner.nothing_fits
        policy, learner = trusted_policy(self.learner), self.learner
        marked_off = self.past.marked_off(learner.answers)
        if len(marked_off):
            policy = kept_off(policy, learner.most_probable_reward, marked_off,
                              learner.task.hypotheses, self.past.world)
        return PolicyRecord(self.past.session, sequence, task_hash, policy, final=final,
                            stamp=stamp)

    def belief(self, task_hash: str, sequence: int, stamp: int, acknowledged: tuple[str, ...],
               certificate: str) -> BeliefRecord:
        """Return what everybody may know."""
        learner, asked, ids = self.learner, self.open_question, list(self.past.answers)
        return BeliefRecord(
            self.past.session, sequence, task_hash, self.status, self.text,
            learner.situation.posterior.probabilities, learner.most_probable_reward,
            min(learner.certainty, 1.0), max(learner.entropy, 0.0), len(learner.answers),
            self.forecast, asked.id if asked else '', acknowledged,
            certificate, stamp, *self.done_reason, min(learner.none_of_these, 1.0),
            error_rate(learner), tuple(ids[index] for index in unexplained(learner)),
            self.past.places, claim(learner.stop, self.done_reason[0]))
