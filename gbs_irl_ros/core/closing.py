"""The closing question: what the robot would do is shown, and called right or wrong."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gbs_irl_ros.core.answers import Answer
from gbs_irl_ros.core.asking_again import question_after_no
from gbs_irl_ros.core.queries.situation import Choice, Situation
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.core.routes import confirmed_states, missing_yeses, refused_route, telling_route
from gbs_irl_ros.core.whole_task_statements import named_policy

CLOSING_FROM = 0.5      # certainty below which nobody is asked to confirm anything


@dataclass(frozen=True, eq=False)
class Closing:
    """
    A policy before it counts as learned: what has been said of it, and what is still to be asked.

    situation, answers: what is believed, and why.
    policy: its number.
    action_sets: ``[S]``, what the robot would do, as in ``Policy``.
    """

    situation: Situation
    answers: tuple[Answer, ...]
    policy: int
    action_sets: np.ndarray

    @cached_property
    def missing_yeses(self) -> int:
        """
        Return how many yeses, more than noes, are missing.

        Naming the task, and that one alone, is one of them: what is shown then is the other.
        """
        return missing_yeses(self.answers, self.action_sets) - self._is_named

    def choice(self) -> Choice | None:
        """Return the closing question; None if it is closed, or its answer was no just now."""
        if refused_route(self.answers):
            return None
        route = telling_route(self.situation.hypotheses, self.action_sets, self.situation.start,
                              self.situation.policy_probabilities,
                              confirmed_states(self.answers, self.action_sets))
        question = Question(QuestionKind.CONFIRM, route[0][0], route=route)
        return None if question in self.situation.closed else self._only(question)

    def after_no(self) -> Choice | None:
        """Return what to ask after a no: where the route would have ended, or on the way there."""
        question = question_after_no(self.answers, self.situation.closed)
        return None if question is None else self._only(question)

    @property
    def _is_named(self) -> bool:
        """Tell whether the last answer that names a single policy names this one."""
        hypotheses = self.situation.hypotheses
        names = (named_policy(hypotheses, answer) for answer in reversed(self.answers))
        return next((name for name in names if name is not None), None) == self.policy

    def _only(self, question: Question) -> Choice:
        utilities = np.full(self.situation.hypotheses.mdp.num_states, -np.inf)
        utilities[question.state] = 0.0
        return Choice(question, utilities)
