"""How what may be meant grows during a lesson: by places that are shown, and by inventions."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from gbs_irl_ros.core.answers import Answer
from gbs_irl_ros.core.errors import InvalidPlaceError
from gbs_irl_ros.core.hypotheses import Candidates, Hypotheses
from gbs_irl_ros.core.learner import Learner
from gbs_irl_ros.languages.speaking import tr
from gbs_irl_ros.learning.meaning import Understood, fit_together, understood
from gbs_irl_ros.learning.records import InventionRecord, PlaceRecord
from gbs_irl_ros.learning.taught import TaughtBelief
from gbs_irl_ros.learning.transfer import start_learner
from gbs_irl_ros.tasks.growth import Step, check_can_grow, grown, usable
from gbs_irl_ros.tasks.invention import Invention
from gbs_irl_ros.tasks.rejuvenation import rejuvenated
from gbs_irl_ros.tasks.shown_place import Place
from gbs_irl_ros.tasks.task import Task

MAX_PLACES = 8      # that count in a lesson


class PlannedStep(NamedTuple):
    """
    A place or an invention with what follows from it, before it is part of the lesson.

    step: a place with the tasks that it is combined with, or an invention.
    before: the places and inventions of earlier.
    plain: the learner of the task as it was listed, without answers.
    taught: the learner of the task that has grown, with the answers so far.
    """

    step: Step
    before: tuple[Step, ...]
    plain: Learner
    taught: Learner

    @property
    def words(self) -> str:
        """Return it as it is said."""
        return self.step.words

    @property
    def told(self) -> str:
        """Return what it was good for, for a person."""
        if isinstance(self.step, Place) and self.step.keep_off:
            return tr('{words}: I do so from now on', words=self.words)
        return tr('{words}: that may be meant now', words=self.words)

    def record(self, known_as: str, by: str, stamp: int) -> PlaceRecord | InventionRecord:
        """Return it as it is written down."""
        return InventionRecord(known_as, self.step, by, stamp) \
            if isinstance(self.step, Invention) else PlaceRecord(known_as, self.step, by, stamp)

    def caught_up(self, answers: tuple[Answer, ...], places: tuple[Step, ...],
                  plain: Learner) -> Learner:
        """
        Return the learner with all answers, also those that were given meanwhile.

        :param places: that count now. plain: the learner of the task as it was listed, now.
        """
        if self.before != places or self.plain is not plain:
            raise InvalidPlaceError(
                tr('other places or settings have come between; show it again'))
        learner, known = self.taught, self.taught.answers
        if answers[:len(known)] != known:
            return learner.replay(answers)
        for answer in answers[len(known):]:
            learner = learner.tell(answer)
        return learner


class GrowingTask:
    """
    A task and what it has grown to; what was planned for once is not planned for again.

    taught: what its learners start from, None if from nothing but the task.
    """

    def __init__(self, task: Task, taught: TaughtBelief | None = None) -> None:
        self._task, self._taught = task, taught
        self._plans: dict[tuple[Step, ...], Hypotheses] = {}

    def learner(self, plain: Learner, places: tuple[Step, ...]) -> Learner:
        """
        Return a learner without answers that knows also the tasks which these places add.

        :param plain: the same for the task as it was listed.
        """
        if not places and self._taught is None:
            return plain
        task, none_of_these = self._task, plain.caution.none_of_these
        plans = {}
        for count, place in enumerate(places, start=1):
            candidates, none_of_these = grown(task, place, none_of_these)
            shown = places[:count]
            plans[shown] = self._planned(shown, candidates, task.hypotheses)
            task = replace(task, candidates=plans[shown], began_as=task.hash)
        self._plans = plans
        return start_learner(plain, task, self._taught, none_of_these)

    def planned(self, place: Place, learner: Learner, plain: Learner, before: tuple[Step, ...],
                named: int | None = None) -> PlannedStep | Understood:
        """
        Return what a place says about the tasks, or plan for what it adds; raise if for neither.

        :param learner: what is believed now.
        :param named: the task that the teacher has named, None if none.
        """
        said = understood(place, learner, self._task.world, named)
        if said is not None and said.is_likely and said.against is None:
            return said
        try:
            added = self._added(place, learner, plain, before)
        except InvalidPlaceError:
            if said is None:
                raise
            return said
        if said is not None and said.against is not None \
                and not fit_together(said.answer, said.against, added.taught):
            return said     # what excludes each other does so in whatever is added
        return added

    def _added(self, place: Place, learner: Learner, plain: Learner,
               before: tuple[Step, ...]) -> PlannedStep:
        task = self._grown(learner, before)
        return self._step(usable(place, task, learner.situation.posterior.probabilities), learner,
                          plain, before)

    def imagined(self, learner: Learner, plain: Learner, before: tuple[Step, ...]) -> PlannedStep:
        """Think of other tasks, and plan for them; raise if there are none."""
        check_can_grow(learner.caution.none_of_these)       # before all that thinking
        task, features = self._grown(learner, before), self._task.rewards.features
        seed = (learner.seed, len(learner.answers), len(before))
        return self._step(rejuvenated(task, learner, seed, 0 if features is None
                                      else features.shape[0]), learner, plain, before)

    def _grown(self, learner: Learner, before: tuple[Step, ...]) -> Task:
        """Return the task of a learner; raise if it cannot grow any more."""
        if len(before) >= MAX_PLACES:
            raise InvalidPlaceError(tr(
                '{count} places have been shown, and no more can be: take one back, or add the '
                'task to its file and begin a new lesson', count=MAX_PLACES))
        return replace(self._task, candidates=learner.task.hypotheses, began_as=self._task.hash)

    def _step(self, step: Step, learner: Learner, plain: Learner,
              before: tuple[Step, ...]) -> PlannedStep:
        more = self.learner(plain, (*before, step))
        return PlannedStep(step, before, plain, more.replay(learner.answers))

    def _planned(self, places: tuple[Step, ...], candidates: Candidates,
                 known: Hypotheses) -> Hypotheses:
        plan = self._plans.get(places)
        if plan is None:
            return candidates.planned_after(known)
        return candidates.with_plan(plan.sets, plan.policy_of_reward)
