"""
What a place means that the teacher shows: something about the listed tasks.

"Go here", "never here" and "on the way" hold for some of the tasks and not for others; then they
are answers that nobody had asked for. Where they hold for none, what may be meant has to grow
(``learning.growth``).
"""

from __future__ import annotations

from typing import NamedTuple, get_args

import numpy as np

from gbs_irl_ros.core.errors import InvalidPlaceError
from gbs_irl_ros.core.learner import Learner
from gbs_irl_ros.core.task_answers import GoHereAnswer, NeverHereAnswer, OnTheWayAnswer
from gbs_irl_ros.core.whole_tasks import ends_in, keeps_off, pass_region
from gbs_irl_ros.languages.speaking import tr
from gbs_irl_ros.learning.records import DemonstrationRecord
from gbs_irl_ros.learning.sentences import answer_words, contradiction_text, understood_text
from gbs_irl_ros.tasks.shown_place import Place, place_states
from gbs_irl_ros.tasks.world import World

LIKELY = 0.05       # probability of the tasks that keep off: below it, others may be meant
SAME_SHARE = 1e-9   # of visits


Shown = GoHereAnswer | NeverHereAnswer | OnTheWayAnswer


class Understood(NamedTuple):
    """
    What a place says about the listed tasks.

    words: as the teacher says it. told: what it was good for, for a person.
    is_likely: some of the tasks for which it holds are not improbable; else others may be meant.
    against: a place shown before that fits none of them.
    """

    answer: Shown
    words: str
    told: str
    is_likely: bool = True
    against: Shown | None = None

    def record(self, known_as: str, by: str, stamp: int) -> DemonstrationRecord:
        """Return it as it is written down."""
        return DemonstrationRecord(known_as, self.answer, by, stamp=stamp)


def understood(place: Place, learner: Learner, world: World,
               named: int | None = None) -> Understood | None:
    """
    Return what a place means; None if no listed task is about such a place.

    Raises if it tells nothing: everything, or what holds for all tasks, or is on no way.

    :param named: the task that the teacher has named, None if none.
    """
    states = tuple(map(int, place_states(place, world)))
    if len(states) == world.mdp.num_states:
        raise InvalidPlaceError(
            tr('{cells} covers everything: the robot could not keep off; show a smaller place',
               cells=place.cells) if place.keep_off
            else tr('{cells} covers everything: that tells nothing; show a smaller place',
                    cells=place.cells))
    answer = _answer(place, states)
    holds, tells = _holds(answer, learner)
    told = understood_text(answer, int(holds.sum()), len(holds))
    if not tells:
        raise InvalidPlaceError(tr('{told} That tells nothing new; answer the questions, or show '
                                   'another place', told=told))
    if not holds.any():
        return None
    mass = float(learner.situation.posterior.probabilities[holds].sum())
    against = _contradicted(holds, learner)
    if against is not None:
        told += ' ' + contradiction_text(answer_words(against, world),
                                         keeps_off=isinstance(against, NeverHereAnswer))
    return Understood(answer, answer_words(answer, world), tr('Thank you: {told}', told=told),
                      not place.keep_off or (mass >= LIKELY and (named is None or holds[named])),
                      against)


def fit_together(one: Shown, other: Shown, learner: Learner) -> bool:
    """Tell whether two places that were shown hold for the same task, at least one."""
    return bool((_holds(one, learner)[0] & _holds(other, learner)[0]).any())


def _contradicted(holds: np.ndarray, learner: Learner) -> Shown | None:
    """Return the first place shown before that no task fits for which this holds ``[H]``."""
    return next((earlier for earlier in learner.answers if isinstance(earlier, get_args(Shown))
                 and not (holds & _holds(earlier, learner)[0]).any()), None)


def _answer(place: Place, states: tuple[int, ...]) -> Shown:
    if place.keep_off:
        return NeverHereAnswer(states)
    return OnTheWayAnswer(states) if place.on_the_way else GoHereAnswer(states)


def _holds(answer: Shown, learner: Learner) -> tuple[np.ndarray, bool]:
    """Return ``[H]``: for which tasks it holds; and whether that tells any of them apart."""
    hypotheses, start = learner.task.hypotheses, learner.task.start
    if isinstance(answer, OnTheWayAnswer):
        share = pass_region(hypotheses, start, answer).share
        return (share > 0.0)[hypotheses.policy_of_reward], bool(np.ptp(share) > SAME_SHARE)
    holds = ends_in(hypotheses, answer.states)[0] if isinstance(answer, GoHereAnswer) \
        else keeps_off(hypotheses, start, answer)
    return holds[hypotheses.policy_of_reward], not holds.all()
