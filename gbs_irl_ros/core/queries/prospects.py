"""
What could be asked, and how probable each answer would be under each policy.

Every kind of question is scored alike: by the chances P(answer | h) of its answers. Where there
are more questions than can be scored in a moment, those are scored where the posterior is most
divided, in the sense of GBS (the smallest W).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import combinations
from typing import NamedTuple

import numpy as np

from gbs_irl_ros.core.named_enum import no_other_case
from gbs_irl_ros.core.passing import thinned
from gbs_irl_ros.core.planning.greedy_sets import unpack
from gbs_irl_ros.core.planning.mass import live_policies
from gbs_irl_ros.core.queries.situation import Situation
from gbs_irl_ros.core.questions import MAX_OPTIONS, Question, QuestionKind
from gbs_irl_ros.core.routes import route_from
from gbs_irl_ros.core.said import Statement
from gbs_irl_ros.core.whole_task_statements import chosen_of, said_of_ways
from gbs_irl_ros.core.whole_tasks import better_of, goal_places, route_returns

MAX_CLASSES = 64        # of states, that are scored
MAX_YES_NO = 16         # of them, that are asked about action by action
MAX_DEMONSTRATIONS = 12     # of two steps; half as many for each step more
MAX_SEQUENCES = 1000    # of actions in a demonstration that are told apart; more: fewer steps are
MAX_REWARDS = 16
REWARD_BINS = 16        # that answers are sorted into
MAX_RIVALS = 3          # whose ways are compared
MAX_STARTS = 3          # of the robot, and places where the posterior is most divided
TINY = 1e-300
LIST_LENGTHS = (4, 9, MAX_OPTIONS)

_asked = lru_cache(maxsize=1 << 14)(Question)     # the same ones every time: checked once


@dataclass(frozen=True, eq=False)
class Prospects:
    """
    Questions with as many answers each.

    chances: ``[n, L, K]``, P(answer | h) of every answer under each live policy.
    doubts: ``[n, L]``, the entropy of that [bit], where it is known already; None: it is not.
    """

    questions: list[Question]
    chances: np.ndarray = field(repr=False)
    doubts: np.ndarray | None = field(default=None, repr=False)

    def without(self, closed: Collection[Question]) -> Prospects:
        """Return those that may be asked."""
        if not closed:
            return self
        kept = [place for place, question in enumerate(self.questions) if question not in closed]
        if len(kept) == len(self.questions):
            return self
        return Prospects([self.questions[place] for place in kept], self.chances[kept],
                         None if self.doubts is None else self.doubts[kept])


class Shown(NamedTuple):
    """
    Demonstrations of a number of steps: what may be shown from some states.

    starts: ``[n]``. now: ``[n, sequences]``, where each sequence of actions likely leads.
    chances: ``[n, sequences, L]``, of each under each live policy.
    doubts: ``[n, L]``, the entropy of that [bit].
    """

    starts: np.ndarray
    now: np.ndarray
    chances: np.ndarray
    doubts: np.ndarray

    def of(self, some: np.ndarray) -> Shown:
        """Return those from some of the states."""
        return Shown(*(part[some] for part in self))


@dataclass(frozen=True, eq=False)
class Outlook:
    """
    Finds what could be asked in a situation.

    situation: what is believed.
    rng: which of several states that are alike is asked about.
    allowed: ``[S]`` bool, the states that may be asked about.
    """

    situation: Situation
    rng: np.random.Generator
    allowed: np.ndarray

    def of(self, kind: QuestionKind, steps: int = 1) -> list[Prospects]:
        """
        Return the questions of a kind that may be asked.

        :param steps: of a demonstration.
        """
        return [each.without(self.situation.closed) for each in self._found(kind, steps)]

    @cached_property
    def live(self) -> np.ndarray:
        """Return the policies ``[L]`` that count."""
        return live_policies(self.situation.policy_probabilities)

    @cached_property
    def weights(self) -> np.ndarray:
        """Return how probable each of them is ``[L]``, summing to 1."""
        mass = self.situation.policy_probabilities[self.live]
        return np.asarray(mass / mass.sum())

    def _found(self, kind: QuestionKind, steps: int) -> Iterator[Prospects]:
        if kind is QuestionKind.ACTION:
            return self._actions()
        if kind is QuestionKind.YES_NO:
            return self._yes_no()
        if kind is QuestionKind.REWARD:
            return self._rewards()
        if kind is QuestionKind.DEMONSTRATION:
            return self._demonstrations(steps)
        if kind is QuestionKind.PLACE:
            return self._places()
        if kind is QuestionKind.TASK:
            return self._tasks()
        if kind is QuestionKind.COMPARE:
            return self._comparisons()
        if kind is QuestionKind.CONFIRM:
            return iter(())         # the learner asks it before it stops
        return no_other_case(kind)

    # ---- about a state --------------------------------------------------------------------------

    @cached_property
    def _states(self) -> np.ndarray:
        """Return a state of each class where the posterior is most divided, that class first."""
        sets = self.situation.hypotheses.sets
        askable = self.allowed & self.situation.open(QuestionKind.ACTION)
        doubt = self.situation.weighted_predictions
        if not askable.all():
            possible = np.bincount(sets.class_of_state, weights=askable,
                                   minlength=sets.num_classes) > 0.0
            doubt = np.where(possible, doubt, np.inf)
        chosen = np.argpartition(doubt, MAX_CLASSES)[:MAX_CLASSES] if len(doubt) > MAX_CLASSES \
            else np.arange(len(doubt))
        chosen = chosen[np.argsort(doubt[chosen], kind='stable')]
        chosen = chosen[np.isfinite(doubt[chosen])]
        found = []
        for states, share in zip(sets.members_of(chosen), self.rng.random(len(chosen)),
                                 strict=True):
            members = states[askable[states]]
            found.append(int(members[int(share * len(members))]))
        return np.array(found, dtype=int)

    def _actions(self) -> Iterator[Prospects]:
        states = self._states
        yield Prospects([_asked(QuestionKind.ACTION, state) for state in states.tolist()],
                        self.situation.chances_at(states, self.live))

    def _yes_no(self) -> Iterator[Prospects]:
        situation, states = self.situation, self._states[:MAX_YES_NO]
        sets = situation.hypotheses.sets
        holds = unpack(sets.bits[sets.class_of_state[states]][:, self.live], sets.num_actions)
        accuracy = situation.accuracy('yes_no')[self.live, np.newaxis]
        yes = np.where(holds, accuracy, 1.0 - accuracy).transpose(0, 2, 1)      # [n, A, L]
        questions = [_asked(QuestionKind.YES_NO, state, action) for state in states.tolist()
                     for action in range(sets.num_actions)]
        yield Prospects(questions, np.stack([yes, 1.0 - yes], axis=-1).reshape(
            len(questions), len(self.live), 2))

    def _rewards(self) -> Iterator[Prospects]:
        """Answers are sorted into bins as wide as the whole range makes them."""
        from scipy.special import ndtr  # slow to import, and not always needed
        situation, rewards = self.situation, self.situation.hypotheses.rewards
        first, group = rewards.column_groups
        values = rewards.columns(first)                                                 # [H, G]
        believed = situation.posterior.probabilities
        variance = believed @ values**2 - (believed @ values) ** 2
        actions = situation.hypotheses.mdp.num_actions if rewards.per_action else 1
        askable = np.repeat(self.allowed, actions) \
            & situation.open(QuestionKind.REWARD, with_actions=rewards.per_action).ravel()
        spread = np.sqrt(situation.noise.sigma_hat / 2.0)
        low, high = values.min() - spread, values.max() + spread
        edges = np.linspace(low, high, REWARD_BINS - 1)
        questions, chances = [], []
        for each in np.argsort(-variance, kind='stable')[:MAX_REWARDS]:
            members = np.flatnonzero((group == each) & askable)
            if not len(members):
                continue
            state, action = divmod(int(self.rng.choice(members)), actions)
            below = ndtr((edges - values[:, [each]]) / spread)
            parts = np.diff(below, axis=1, prepend=0.0, append=1.0)                     # [H, K]
            questions.append(Question(QuestionKind.REWARD, state,
                                      action if rewards.per_action else None))
            chances.append(situation.of_policies(parts)[self.live])
        if questions:
            yield Prospects(questions, np.stack(chances))

    def _demonstrations(self, steps: int) -> Iterator[Prospects]:
        """Ask for steps that lead where they likely do; where they really lead says nothing."""
        told = steps
        while told > 1 and self.situation.hypotheses.mdp.num_actions ** told > MAX_SEQUENCES:
            told -= 1
        if not len(self._states):
            return
        while len(self._shown) < told:
            self._shown.append(self._longer(self._shown[-1] if self._shown else None))
        shown = self._shown[told - 1]
        yield Prospects([_asked(QuestionKind.DEMONSTRATION, state, steps=steps)
                         for state in shown.starts.tolist()], shown.chances.transpose(0, 2, 1),
                        shown.doubts)

    @cached_property
    def _shown(self) -> list[Shown]:
        """Demonstrations of one step, of two and so on, as far as they were looked at."""
        return []

    def _longer(self, shown: Shown | None) -> Shown:
        """Return demonstrations of one step more, from where those of one step less tell most."""
        mdp, live = self.situation.hypotheses.mdp, len(self.live)
        if shown is None:
            starts = self._states[:MAX_DEMONSTRATIONS]
            shown = Shown(starts, starts[:, np.newaxis], np.ones((len(starts), 1, live)),
                          np.zeros((len(starts), live)))
        elif len(self._shown) > 1:
            told = bits(shown.chances.transpose(0, 2, 1), self.weights, doubts=shown.doubts)
            shown = shown.of(np.argsort(-told, kind='stable')[:max(1, len(told) // 2)])
        places, which = np.unique(shown.now, return_inverse=True)
        here = self.situation.chances_at(places, self.live, 'demonstration').transpose(0, 2, 1)
        which, count = which.reshape(shown.now.shape), len(shown.starts)
        # The entropy of a chain: that of what came before, and that of the next step after it.
        added = np.einsum('nsl,nsl->nl', shown.chances, _entropies(here.transpose(0, 2, 1))[which])
        return Shown(shown.starts, mdp.targets[shown.now].reshape(count, -1),
                     (shown.chances[:, :, np.newaxis] * here[which]).reshape(count, -1, live),
                     shown.doubts + added)

    # ---- about the task as a whole --------------------------------------------------------------

    @property
    def _here(self) -> int:
        """Where the robot is, or most likely starts."""
        current = self.situation.current_state
        return int(np.argmax(self.situation.start)) if current is None else current

    def _places(self) -> Iterator[Prospects]:
        """Ask for a place: listed where they are few or there is no map, else anywhere on it."""
        hypotheses = self.situation.hypotheses
        places = goal_places(hypotheses)
        if not places.can_be_told:
            return
        options = places.states
        if len(options) > MAX_OPTIONS and self.situation.has_map:
            options = options[:0]
        elif len(options) > MAX_OPTIONS:        # the most probable ones
            mass = np.bincount(places.of_reward, weights=self.situation.posterior.probabilities)
            options = options[np.argsort(-mass, kind='stable')[:MAX_OPTIONS]]
        yield self._choice(Question(QuestionKind.PLACE, self._here,
                                    options=tuple(options.tolist())), 'go_here')

    def _tasks(self) -> Iterator[Prospects]:
        """List the most probable tasks, one of each name; none where they have no names."""
        hypotheses = self.situation.hypotheses
        if not hypotheses.names:
            return
        order = np.argsort(-self.situation.posterior.probabilities, kind='stable').tolist()
        first: dict[str, int] = {}
        for task in order:
            first.setdefault(hypotheses.names[task], task)
            if len(first) == MAX_OPTIONS:
                break
        lengths = {min(length, len(first)) for length in LIST_LENGTHS}
        asked = {frozenset(each.options) for each in self.situation.closed
                 if each.kind is QuestionKind.TASK}
        for length in sorted(lengths - {0, 1}):
            options = list(first.values())[:length]     # the most probable on top
            if frozenset(options) in asked:
                continue        # the same list in another order is the same question
            yield self._choice(Question(
                QuestionKind.TASK, self._here, options=tuple(options),
                labels=tuple(hypotheses.names[task] for task in options)), 'task')

    def _comparisons(self) -> Iterator[Prospects]:
        """Compare the optimal ways of rivals, from where they part."""
        situation, hypotheses = self.situation, self.situation.hypotheses
        rivals = [hypotheses.sets.policy_sets(int(rival)) for rival in np.argsort(
            -situation.policy_probabilities, kind='stable')[:MAX_RIVALS]]
        begun = np.flatnonzero((situation.start > 0.0) & self.allowed)
        starts = dict.fromkeys([*thinned(begun, MAX_STARTS).tolist(),
                                *self._states[:MAX_STARTS].tolist()])
        ways = [dict.fromkeys(route_from(hypotheses.mdp, rival, start) for rival in rivals)
                for start in starts]
        flat = [way for each in ways for way in each]
        if not flat:
            return
        earned = dict(zip(flat, route_returns(hypotheses.mdp, hypotheses.rewards, flat),
                          strict=True))
        for start, each in zip(starts, ways, strict=True):
            for one, other in combinations(each, 2):
                yield self._scored(
                    Question(QuestionKind.COMPARE, start, route=one, other_route=other),
                    said_of_ways(hypotheses, better_of(earned[one], earned[other])), 'compare')

    def _choice(self, question: Question, kind: str) -> Prospects:
        return self._scored(question, chosen_of(self.situation.hypotheses, question), kind)

    def _scored(self, question: Question, said: Statement, kind: str) -> Prospects:
        return Prospects([question],
                         said.chances(self.situation.accuracy(kind))[np.newaxis, self.live])


def bits(chances: np.ndarray, probabilities: np.ndarray, alike: np.ndarray | None = None,
         doubts: np.ndarray | None = None) -> np.ndarray:
    """
    Return what answers tell of the task: I(answer; h) = H(answer) - sum_h p(h) H(answer | h).

    :param chances: ``[n, L, K]``.
    :param probabilities: ``[L]``, summing to 1.
    :param alike: ``[L]`` bool, policies that need not be told apart; None: none.
    :param doubts: ``[n, L]``, H(answer | h) where it is known already.
    """
    if doubts is None:
        doubts = _entropies(chances)
    left = doubts @ probabilities
    if alike is not None and alike.any():
        mass = max(float(probabilities[alike].sum()), TINY)
        together = _mixed(chances[:, alike], probabilities[alike] / mass)
        left = doubts[:, ~alike] @ probabilities[~alike] + mass * _entropies(together)
    return np.asarray(np.maximum(_entropies(_mixed(chances, probabilities)) - left, 0.0))


def _mixed(chances: np.ndarray, probabilities: np.ndarray) -> np.ndarray:
    """Return ``[n, K]``: P(answer)."""
    return np.asarray(chances.transpose(0, 2, 1) @ probabilities)


def _entropies(chances: np.ndarray) -> np.ndarray:
    """Return the entropy over the last axis [bit]."""
    return np.asarray(-np.einsum('...k,...k->...', chances,
                                 np.log2(np.maximum(chances, TINY))))
