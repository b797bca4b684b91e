"""What a question strategy looks at, and what it returns."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from gbs_irl_ros.core.action_likelihood import ActionLikelihood
from gbs_irl_ros.core.error_rates import ErrorRates
from gbs_irl_ros.core.errors import InvalidOptionError
from gbs_irl_ros.core.hypotheses import Hypotheses
from gbs_irl_ros.core.lazy import lazy_property
from gbs_irl_ros.core.noise import CLOSING_ERROR, NoiseModel
from gbs_irl_ros.core.planning.mass import row_maxima
from gbs_irl_ros.core.posterior import Posterior, largest_of
from gbs_irl_ros.core.questions import Question, QuestionKind, action_question
from gbs_irl_ros.core.statements import actions_said, set_said

SAME_UTILITY = 1e-12    # utilities closer than this are ties: they differ by rounding only


@dataclass(frozen=True, eq=False)
class Situation:
    """
    Everything that a question is chosen by.

    hypotheses, noise: what may be meant, and how the teacher errs.
    posterior: over the hypotheses, if one of them is meant.
    start: ``[S]``, where the robot may start.
    current_state: where it is, or None if that is not known.
    closed: questions that must not be asked now.
    none_of_these: probability that none of the hypotheses is meant.
    rates: what is believed of the teacher's error rates; None: as the noise model says.
    has_map: a person can point at any place; else places must be listed.
    """

    hypotheses: Hypotheses
    noise: NoiseModel
    posterior: Posterior
    start: np.ndarray = field(repr=False)
    current_state: int | None = None
    closed: frozenset[Question] = field(default_factory=frozenset)
    none_of_these: float = 0.0
    rates: ErrorRates | None = None
    has_map: bool = True

    @property
    def listed(self) -> float:
        """Probability that one of the hypotheses is meant."""
        return 1.0 - self.none_of_these

    @lazy_property
    def policy_probabilities(self) -> np.ndarray:
        """``[D]``, p_t(h) over distinct policies, if one of them is meant."""
        return self.hypotheses.merged(self.posterior.probabilities)

    @lazy_property
    def optimal_mass(self) -> np.ndarray:
        """
        delta(x_i, a) ``[N, A]``: posterior mass that calls a optimal in class i.

        If one of the hypotheses is meant; otherwise nothing is known of any action.
        """
        return self.hypotheses.sets.optimal_mass(self.policy_probabilities)

    @lazy_property
    def weighted_predictions(self) -> np.ndarray:
        """
        W(p_t, x_i) = 2 max_a delta(x_i, a) - 1, ``[N]``, in [-1, 1].

        "None of these" counts as calling no action optimal.
        """
        largest = row_maxima(self.optimal_mass) if 'optimal_mass' in vars(self) \
            else self.hypotheses.sets.largest_mass(self.policy_probabilities)
        predictions = 2.0 * self.listed * largest
        predictions -= 1.0
        return predictions

    @property
    def certainty(self) -> float:
        """Probability of the most probable policy."""
        return self.listed * largest_of(self.policy_probabilities)

    def action_chances(self, state: int) -> np.ndarray:
        """Return ``[D, A]``: P(action | h, answers so far) for a question about this state."""
        if self.rates is not None:
            return actions_said(self.hypotheses, state).chances(self.rates.accuracy('action'))
        by_reward = self.noise.reward_chances(self.hypotheses, state)
        if by_reward is not None:
            return self.of_policies(by_reward)
        sets, noise = self.hypotheses.sets, self.noise.normalised()
        codes = sets.codes(sets.sets_at(state))
        return np.asarray(noise.answer_table(sets, noise.rate(state))[codes])

    def reward_chances(self, state: int) -> np.ndarray:
        """Return ``[H, A]``: the same for each reward."""
        found = None if self.rates is not None \
            else self.noise.reward_chances(self.hypotheses, state)
        return self.action_chances(state)[self.hypotheses.policy_of_reward] if found is None \
            else found

    def of_policies(self, chances: np.ndarray) -> np.ndarray:
        """Return ``[D, K]``: the chances of policies for those ``[H, K]`` of their rewards."""
        hypotheses, believed = self.hypotheses, self.posterior.probabilities
        alone = hypotheses.merged(np.ones(hypotheses.num_rewards))
        ruled_out = (self.policy_probabilities == 0.0)[hypotheses.policy_of_reward]
        weights = np.where(ruled_out, 1.0, believed)
        mass = np.where(self.policy_probabilities == 0.0, alone, self.policy_probabilities)
        return np.stack([hypotheses.merged(weights * column) for column in chances.T],
                        axis=1) / mass[:, np.newaxis]

    def chances_at(self, states: np.ndarray, policies: np.ndarray,
                   kind: str = 'action') -> np.ndarray:
        """
        Return ``[n, L, A]``: P(action | h, answers so far) for questions about these states.

        :param policies: ``[L]``, the policies h.
        :param kind: of the answer, whose error rate counts.
        """
        sets = self.hypotheses.sets
        if self.rates is None and isinstance(self.noise.likelihood, ActionLikelihood):
            return np.array([self.action_chances(int(state))[policies] for state in states]
                            ).reshape(len(states), len(policies), sets.num_actions)
        rows = sets.bits[sets.class_of_state[states]]
        codes = sets.codes(rows if len(policies) == sets.num_policies else rows[:, policies])
        if self.rates is None:
            noise = self.noise.normalised()
            if not isinstance(noise.gamma_hat, np.ndarray):
                return np.asarray(noise.answer_table(sets, noise.gamma_hat)[codes])
            return np.array([noise.answer_table(sets, noise.rate(int(state)))[row]
                             for state, row in zip(states, codes, strict=True)]
                            ).reshape(*codes.shape, sets.num_actions)
        said = set_said(sets)
        accuracy = self.accuracy(kind)[policies][np.newaxis, :, np.newaxis]
        return np.asarray(accuracy * (said.good - said.bad)[codes] + (said.bad + said.flat)[codes])

    def accuracy(self, kind: str) -> np.ndarray:
        """Return ``[D]``: how likely the next answer of a kind is right under each policy."""
        if self.rates is not None:
            if kind not in self._accuracies:
                self._accuracies[kind] = self.rates.accuracy(kind)
            return self._accuracies[kind]
        return np.full(self.hypotheses.num_policies, float(np.mean(self.noise.gamma_hat)))

    @lazy_property
    def _accuracies(self) -> dict[str, np.ndarray]:
        return {}

    def yes_chances(self, state: int, action: int) -> np.ndarray:
        """Return ``[D]``: P(yes | h, answers so far) if asked whether an action is right there."""
        accuracy = self.noise.rate(state) if self.rates is None \
            else self.rates.accuracy('yes_no')
        holds = self.hypotheses.sets.holds(state, action)
        return np.asarray(np.where(holds, accuracy, 1.0 - accuracy))

    def confirm_chances(self, route: Iterable[tuple[int, int]]) -> np.ndarray:
        """Return ``[D]``: P(yes | h) if asked whether a route is what is meant."""
        agrees = self.hypotheses.sets.allow(route)
        return np.where(agrees, 1.0 - CLOSING_ERROR, CLOSING_ERROR)

    def at(self, state: int | None) -> Situation:
        """Return the same situation with the robot elsewhere."""
        if state == self.current_state:
            return self
        moved = replace(self, current_state=state)
        for view in ('policy_probabilities', 'optimal_mass', 'weighted_predictions'):
            if view in self.__dict__:   # computed already, and the same wherever the robot is
                moved.__dict__[view] = self.__dict__[view]
        return moved

    def open(self, kind: QuestionKind, *, with_actions: bool = False) -> np.ndarray:
        """Return ``[S]``, or ``[S, A]`` with actions: which questions of a kind may be asked."""
        mdp = self.hypotheses.mdp
        mask = np.ones((mdp.num_states, mdp.num_actions) if with_actions else mdp.num_states,
                       dtype=bool)
        for question in self.closed:
            if question.kind is kind and with_actions == (question.action is not None):
                mask[(question.state, question.action) if with_actions else question.state] = False
        return mask

    def open_classes(self) -> np.ndarray:
        """Return ``[N]``: which classes have a state whose action may be asked for."""
        sets = self.hypotheses.sets
        if not any(question.kind is QuestionKind.ACTION for question in self.closed):
            return np.ones(sets.num_classes, dtype=bool)
        return np.bincount(sets.class_of_state, weights=self.open(QuestionKind.ACTION),
                           minlength=sets.num_classes) > 0.0


@dataclass(frozen=True, eq=False)
class Choice:
    """
    The question a strategy would ask, and why.

    utilities: ``[S]``, or ``[S, A]`` where actions are part of the question; the more the better,
        minus infinity where it must not be asked.
    """

    question: Question
    utilities: np.ndarray = field(repr=False)


class QueryStrategy(ABC):
    """
    One way to choose the next question: a frozen dataclass whose fields are its options.

    name: what it is called in parameters, on the command line and in tables.
    version: of GBS-IRL, where the paper bounds the error of asking this way; None elsewhere.
    """

    name: ClassVar[str]
    version: ClassVar[int | None] = None

    @property
    def kinds(self) -> tuple[QuestionKind, ...]:
        """Return the kinds of question that it asks."""
        return (QuestionKind.ACTION,)

    @property
    def known_above(self) -> float | None:
        """
        Return the threshold c of A_c(p, x), the actions the learner takes where there are any.

        None: the most probable policy's actions everywhere.
        """
        return None

    @abstractmethod
    def choose(self, situation: Situation, rng: np.random.Generator) -> Choice | None:
        """Return the best question, ties broken by rng; None if there is nothing worth asking."""


def choose_best(utilities: np.ndarray, rng: np.random.Generator) -> int | None:
    """Return the flat index of a largest entry, ties at random; None if all are -infinity."""
    flat = utilities.ravel()
    best = flat[flat.argmax()] if len(flat) else -math.inf      # that of a NaN, if there is one
    if best == -math.inf:
        return None
    if math.isnan(best):
        raise InvalidOptionError(f'utilities must be numbers, entry '
                                 f'{int(np.flatnonzero(np.isnan(flat))[0])} of {len(flat)} is NaN')
    return _drawn((flat >= best - SAME_UTILITY).nonzero()[0], rng)


def _drawn(places: np.ndarray, rng: np.random.Generator) -> int:
    """Return one of these at random: what ``rng.choice`` returns, in a third of the time."""
    return int(places[0] if len(places) == 1 else places[rng.integers(len(places))])


def choose_question(situation: Situation, kind: QuestionKind, utilities: np.ndarray,
                    rng: np.random.Generator) -> Choice | None:
    """Return the question of largest utility: by state ``[S]``, or state and action ``[S, A]``."""
    is_open = situation.open(kind, with_actions=utilities.ndim == 2)
    utilities = np.where(is_open, utilities, -np.inf)
    chosen = choose_best(utilities, rng)
    if chosen is None:
        return None
    state, *action = (int(place) for place in np.unravel_index(chosen, utilities.shape))
    return Choice(Question(kind, state, action[0] if action else None), utilities)


def choose_state(situation: Situation, class_utilities: np.ndarray, rng: np.random.Generator,
                 ) -> Choice | None:
    """Ask for the action at a random state of the class of largest utility ``[N]``."""
    sets = situation.hypotheses.sets
    if class_utilities.shape != (sets.num_classes,):
        raise InvalidOptionError(
            f'choose_state takes one utility for each class of states, so of shape '
            f'({sets.num_classes},), got {class_utilities.shape}; choose_question takes them by '
            'state, or by state and action')
    if not situation.closed:
        chosen = choose_best(class_utilities, rng)
        if chosen is None:
            return None
        state = chosen if sets.is_state_by_state else _drawn(sets.members(chosen), rng)
        return Choice(action_question(state), sets.of_states(class_utilities))
    is_open = situation.open(QuestionKind.ACTION)
    chosen = choose_best(np.where(situation.open_classes(), class_utilities, -np.inf), rng)
    if chosen is None:
        return None
    members = sets.members(chosen)
    state = _drawn(members[is_open[members]], rng)
    utilities = np.where(is_open, sets.of_states(class_utilities), -np.inf)
    return Choice(action_question(state), utilities)
