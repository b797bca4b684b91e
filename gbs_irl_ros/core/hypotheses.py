"""
The tasks a teacher may mean: rewards, their prior, and the policies they lead to.

The posterior is over rewards. Rewards with equal greedy sets everywhere are one hypothesis h of
the paper (its footnote 1 discards one of two such rewards and adds up their priors); here that is
a view, because reward answers, expected myopic gain and value loss still tell them apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy import sparse

from gbs_irl_ros.core.errors import InvalidHypothesesError, NotConvergedError
from gbs_irl_ros.core.mdp import Mdp
from gbs_irl_ros.core.planning.certificate import SetCertificate, certify_sets
from gbs_irl_ros.core.planning.greedy_sets import GreedySets, distinct_columns
from gbs_irl_ros.core.planning.never import Never
from gbs_irl_ros.core.planning.solver import Progress, solve
from gbs_irl_ros.core.rewards import Rewards
from gbs_irl_ros.core.theory.coherence import Coherence, coherence
from gbs_irl_ros.core.theory.neighbours import neighbour_pairs, neighbourliness

COHERENCE_TOLERANCE = 1e-3      # enough for a bound, and a matter of seconds
COHERENCE_ROUNDS = 60
VALUE_BYTES = 8
MAX_VALUES_BYTES = 2**30     # that a likelihood by values may keep


@dataclass(frozen=True, eq=False)
class Candidates:
    """
    H rewards that a teacher may mean, before anything is planned.

    mdp: the world they share.
    rewards: the H rewards.
    log_prior: ``[H]``, normalised.
    names: H names for a person, or none.
    goals: sparse bool ``[H, S]``, where each task counts as accomplished; None: where its reward
        is largest, if that is positive.
    never: sparse bool ``[H, S]``, what each task must never enter as long as there is a way round;
        None: nothing.
    """

    mdp: Mdp
    rewards: Rewards
    log_prior: np.ndarray
    names: tuple[str, ...] = ()
    goals: sparse.csr_matrix | None = None
    never: sparse.csr_matrix | None = None

    def __post_init__(self) -> None:
        self.rewards.check_fits(self.mdp)
        count = self.num_rewards
        self._check_entries('log_prior', self.log_prior)
        if self.names and len(self.names) != count:
            raise InvalidHypothesesError(
                f'names must be none or one for each of the {count} rewards, '
                f'got {len(self.names)}')
        for name, matrix in (('goals', self.goals), ('never', self.never)):
            if matrix is not None and matrix.shape != (count, self.mdp.num_states):
                raise InvalidHypothesesError(
                    f'{name} must have shape {(count, self.mdp.num_states)}, got {matrix.shape}')
        self.log_prior.setflags(write=False)

    def __repr__(self) -> str:
        return (f'Candidates({self.num_rewards} rewards, {self.mdp.num_states} states, '
                f'{self.mdp.num_actions} actions)')

    @staticmethod
    def of(mdp: Mdp, rewards: Rewards, prior: np.ndarray | None = None, *,
           names: Sequence[str] = (), goals: sparse.csr_matrix | None = None,
           never: sparse.csr_matrix | None = None) -> Candidates:
        """
        Return the candidates.

        :param prior: ``[H]``, positive, normalised here; uniform if None.
        """
        return Candidates(mdp, rewards, normalised_log_prior(prior, rewards.num_rewards),
                          tuple(names), goals, never)

    def planned(self, progress: Progress | None = None) -> Hypotheses:
        """Plan for every reward and merge equal policies."""
        solution = solve(self.mdp, self.rewards, progress=progress, never=self.avoidance)
        if not solution.converged.all():
            reward = int(np.argmin(solution.converged))
            raise NotConvergedError(
                f'planning for reward {reward} did not converge in '
                f'{solution.num_rounds[reward]} rounds')
        bits = solution.greedy_bits
        first, policy_of_reward = distinct_columns(bits)
        if len(first) < self.num_rewards:
            bits = np.take(bits, first, axis=1)
        return self.with_plan(GreedySets.consuming(bits, self.mdp.num_actions), policy_of_reward)

    def planned_after(self, known: Hypotheses) -> Hypotheses:
        """
        Plan for the rewards that come behind those that were planned for before.

        The same hypotheses as by ``planned``: numbers of known rewards and policies stay.
        """
        rest = np.arange(known.num_rewards, self.num_rewards)
        found = Candidates.of(
            self.mdp, self.rewards.rows(rest), names=[self.name(int(each)) for each in rest],
            goals=None if self.goals is None else self.goals[rest],
            never=None if self.never is None else self.never[rest]).planned()
        bits = np.hstack([each.sets.bits[each.sets.class_of_state] for each in (known, found)])
        first, policy_of_column = distinct_columns(bits)
        columns = np.concatenate(
            [known.policy_of_reward, known.num_policies + found.policy_of_reward])
        return self.with_plan(
            GreedySets.consuming(np.take(bits, first, axis=1), self.mdp.num_actions),
            policy_of_column[columns])

    def with_plan(self, sets: GreedySets, policy_of_reward: np.ndarray) -> Hypotheses:
        """Return the hypotheses whose planning was done before."""
        return Hypotheses(self.mdp, self.rewards, self.log_prior, self.names, self.goals,
                          self.never, sets=sets, policy_of_reward=policy_of_reward)

    @property
    def num_rewards(self) -> int:
        """H."""
        return self.rewards.num_rewards

    @property
    def avoidance(self) -> Never | None:
        """Return what planning must avoid before all else, None if nothing."""
        if self.never is None:
            return None
        goals = [self.goal_states(reward) for reward in range(self.num_rewards)]
        offsets = np.cumsum([0, *map(len, goals)])
        return Never(self.never, sparse.csr_matrix(
            (np.ones(offsets[-1]), np.concatenate(goals), offsets), shape=self.never.shape))

    def name(self, reward: int) -> str:
        """Return how a person calls a reward."""
        return self.names[reward] if self.names else f'task {reward}'

    @cached_property
    def name_codes(self) -> np.ndarray:
        """``[H]``, numbers that tasks of the same name share; they must have names."""
        return np.unique(self.names, return_inverse=True)[1]

    def goal_states(self, reward: int) -> np.ndarray:
        """Return the states at which the task of this reward is accomplished."""
        if self.goals is not None:
            return np.sort(self.goals[reward].indices)
        states, values = self.rewards.positive(reward)
        return states[values == values.max(initial=0.0)]

    def never_states(self, reward: int) -> np.ndarray:
        """Return the states that the task of this reward must never enter."""
        return np.empty(0, dtype=np.int64) if self.never is None \
            else np.sort(self.never[reward].indices)

    def _check_entries(self, name: str, array: np.ndarray) -> None:
        if np.shape(array) != (self.num_rewards,):
            raise InvalidHypothesesError(
                f'{name} must have one entry for each of the {self.num_rewards} rewards, '
                f'got shape {np.shape(array)}')


@dataclass(frozen=True, eq=False)
class Hypotheses(Candidates):
    """
    H rewards with the D distinct policies that they lead to.

    sets: greedy sets of the D policies.
    policy_of_reward: ``[H]``, which policy each reward leads to.
    """

    sets: GreedySets = field(kw_only=True)
    policy_of_reward: np.ndarray = field(kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_entries('policy_of_reward', self.policy_of_reward)
        if self.sets.num_states != self.mdp.num_states:
            raise InvalidHypothesesError(
                f'greedy sets are for {self.sets.num_states} states, the MDP has '
                f'{self.mdp.num_states}')
        if self.sets.num_actions != self.mdp.num_actions:
            raise InvalidHypothesesError(
                f'greedy sets are for {self.sets.num_actions} actions, the MDP has '
                f'{self.mdp.num_actions}')
        used = np.unique(self.policy_of_reward)
        if not np.array_equal(used, np.arange(self.sets.num_policies)):
            raise InvalidHypothesesError(
                f'policy_of_reward must use every policy 0 .. {self.sets.num_policies - 1}, '
                f'got {len(used)} different ones')
        self._refuse_indifference()
        self.policy_of_reward.setflags(write=False)

    def __repr__(self) -> str:
        return (f'Hypotheses({self.num_rewards} rewards, {self.num_policies} policies, '
                f'{self.mdp.num_states} states, {self.mdp.num_actions} actions)')

    @staticmethod
    def from_rewards(mdp: Mdp, rewards: Rewards, prior: np.ndarray | None = None, *,
                     names: Sequence[str] = (), goals: sparse.csr_matrix | None = None,
                     progress: Progress | None = None) -> Hypotheses:
        """
        Plan for every reward and merge equal policies.

        :param prior: ``[H]``, positive, normalised here; uniform if None.
        """
        return Candidates.of(mdp, rewards, prior, names=names, goals=goals).planned(progress)

    @property
    def num_policies(self) -> int:
        """D, the size of the paper's set H once redundant rewards are merged."""
        return self.sets.num_policies

    def merged(self, probabilities: np.ndarray) -> np.ndarray:
        """Return the probabilities ``[D]`` of the policies for those ``[H]`` of the rewards."""
        if self._are_policies:
            return probabilities
        return np.bincount(self.policy_of_reward, weights=probabilities,
                           minlength=self.num_policies)

    def by_reward(self, by_policy: np.ndarray) -> np.ndarray:
        """Return for every reward ``[H]`` what ``[D]`` says of its policy."""
        return by_policy if self._are_policies else by_policy[self.policy_of_reward]

    @cached_property
    def _are_policies(self) -> bool:
        """Whether reward h leads to policy h: no two of them are alike."""
        return self.num_policies == self.num_rewards \
            and np.array_equal(self.policy_of_reward, np.arange(self.num_rewards))

    def certificate(self, rewards: np.ndarray | None = None) -> SetCertificate:
        """
        Return what can be proved of the greedy sets; it takes some times as long as planning.

        :param rewards: ``[B]``, of these alone; None: of all.
        """
        some = np.arange(self.num_rewards) if rewards is None else np.asarray(rewards)
        never = self.avoidance
        if never is not None:
            never = Never(never.states[some], never.goals[some])
        sets = self.sets.bits[:, self.policy_of_reward[some]][self.sets.class_of_state]
        return certify_sets(self.mdp, self.rewards.rows(some), sets, never)

    def check_values_fit(self) -> None:
        """Raise unless V* of every reward is defined and small enough to be kept."""
        size = VALUE_BYTES * self.num_rewards * self.mdp.num_states
        if size > MAX_VALUES_BYTES:
            raise InvalidHypothesesError(
                f'values of {self.num_rewards:,} rewards in {self.mdp.num_states:,} states take '
                f'{size / 2**30:.1f} GiB, more than {MAX_VALUES_BYTES / 2**30:g}: use a '
                'likelihood that needs no values, fewer rewards or a smaller world')
        if self.never is not None:
            raise InvalidHypothesesError(
                'what must never be entered has no value: use a likelihood that needs none, such '
                "as 'exact'")

    @cached_property
    def values(self) -> np.ndarray:
        """V* ``[H, S]``: planned for when first asked for, 8 bytes for each, and kept."""
        self.check_values_fit()
        found = solve(self.mdp, self.rewards, keep_values=True, allow_vanishing=True).values
        assert found is not None
        found.setflags(write=False)
        return found

    def q_values(self, state: int) -> np.ndarray:
        """Return Q* of every reward at a state: ``[H, A]``, from the values of what follows."""
        actions = self.mdp.num_actions
        rows = self.mdp.transitions[state * actions:(state + 1) * actions]
        follows = np.unique(rows.indices)
        gained = [self.rewards.column(state, action) for action in range(actions)]
        later = rows[:, follows] @ self.values[:, follows].T        # [A, H]
        return np.asarray(np.stack(gained, axis=1) + self.mdp.discount * later.T)

    @cached_property
    def supersets(self) -> list[tuple[int, int]]:
        """
        Pairs (d, e) of policies with A_e(x) a subset of A_d(x) in every state.

        Under the paper's aggregated likelihood no action answer speaks for e against d, so d can
        never be rejected when e is true.
        """
        bits, count = self.sets.bits, self.num_policies
        inside = ~np.identity(count, dtype=bool)
        for row in bits:                       # few states suffice to refute almost all pairs
            if inside.sum() <= 4 * count:
                break
            inside &= (row[np.newaxis, :] & ~row[:, np.newaxis]) == 0
        return [(int(d), int(e)) for d, e in np.argwhere(inside)
                if not np.any(bits[:, e] & ~bits[:, d])]

    @cached_property
    def one_neighbours(self) -> np.ndarray:
        """``[P, 2]``, the pairs of classes that one policy alone tells apart."""
        return neighbour_pairs(self.sets, 1)

    @cached_property
    def neighbourliness(self) -> int:
        """Return the smallest k for which (X, H) is k-neighborly; 0 if there is one class only."""
        return neighbourliness(self.sets)

    @cached_property
    def coherence(self) -> Coherence:
        """c* of the paper's lemma 1: an interval where the problem is large."""
        return coherence(self.sets, tolerance=COHERENCE_TOLERANCE, max_rounds=COHERENCE_ROUNDS)

    def _refuse_indifference(self) -> None:
        everything = (1 << self.mdp.num_actions) - 1
        indifferent = np.flatnonzero(np.bitwise_and.reduce(self.sets.bits, axis=0) == everything)
        if len(indifferent) and self.mdp.num_actions > 1:
            reward = int(np.flatnonzero(self.policy_of_reward == indifferent[0])[0])
            raise InvalidHypothesesError(
                f'every action is optimal everywhere under reward {reward} ({self.name(reward)}): '
                'no answer can speak against it; leave it out')


def normalised_log_prior(prior: np.ndarray | None, count: int) -> np.ndarray:
    """Return the logarithm of a prior, which must be positive; uniform if None."""
    if prior is None:
        return np.full(count, -np.log(count))
    weights = np.asarray(prior, dtype=np.float64)
    if weights.shape != (count,):
        raise InvalidHypothesesError(
            f'prior must have one entry for each of the {count} rewards, '
            f'got shape {weights.shape}')
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights > 0.0)))
    if len(bad):
        raise InvalidHypothesesError(
            f'prior must be positive and finite: that of reward {bad[0]} is {weights[bad[0]]}')
    return np.log(weights) - np.log(weights.sum())


def sparsity_prior(rewards: Rewards) -> np.ndarray:
    """Return the paper's prior: proportional to the share of zero entries of each reward."""
    zero_share = 1.0 - rewards.num_nonzero() / rewards.num_columns
    # A reward without any zero would be impossible a priori, and nothing could ever revive it.
    return np.maximum(zero_share, 0.5 / rewards.num_columns)
