"""
Environments of Gymnasium with a table of transitions, as worlds to be taught, and played after.

``env.unwrapped.P[s][a]`` lists ``(probability, next state, reward, terminated)``, as in the
toy-text environments FrozenLake, Taxi and CliffWalking. An episode that has ended earns nothing
more: a state that is only ever entered at the end of an episode is absorbing, with reward 0. Where
the table also enters such a state without ending (Taxi does), ended episodes lead to one
more state, the last, which is absorbing instead. The reward of a pair is the expected one,

    r(s, a) = sum_t P(t | s, a) r(s, a, t).

Gymnasium is needed only to make an environment from its name; whatever has such a table will do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from gbs_irl_ros.core.errors import InvalidMdpError, MissingPackageError
from gbs_irl_ros.core.mdp import Mdp
from gbs_irl_ros.core.policy import Policy


class Outcome(NamedTuple):
    """One line of a table: what may come of an action."""

    state: int
    action: int
    probability: float
    after: int
    reward: float
    ended: bool


@dataclass(frozen=True, eq=False)
class GymnasiumTable:
    """
    What the table of an environment says.

    mdp: its transitions; observation s is state s.
    reward: ``[S, A]``, expected.
    start: ``[S]``, where episodes begin; uniform over the states that do not end one if the
        environment does not say.
    end: states in which an episode has ended.
    """

    mdp: Mdp
    reward: np.ndarray
    start: np.ndarray
    end: tuple[int, ...]

    @classmethod
    def of(cls, env: Any, discount: float) -> GymnasiumTable:
        """
        Read the table of an environment.

        :param env: the environment, wrapped or not, or its name.
        """
        made = isinstance(env, str)
        environment = _make(env) if made else env
        try:
            return cls._read(getattr(environment, 'unwrapped', environment), discount)
        finally:
            if made:
                environment.close()

    @classmethod
    def _read(cls, env: Any, discount: float) -> GymnasiumTable:
        name = type(env).__name__
        table = getattr(env, 'P', None)
        if not isinstance(table, Mapping) or not table:
            raise InvalidMdpError(
                f'{name} has no table of transitions (env.unwrapped.P), so there is no finite '
                'MDP to learn in; FrozenLake, Taxi and CliffWalking have one')
        listed, num_actions = len(table), len(table[next(iter(table))])
        outcomes = list(_outcomes(name, table, listed, num_actions))
        ending = {each.after for each in outcomes if each.ended}
        also_passed = {each.after for each in outcomes if not each.ended
                       and each.after in ending and each.state not in ending}
        extra = bool(also_passed)
        end = (listed,) if extra else tuple(sorted(ending))
        num_states = listed + extra
        leaving = [each for each in outcomes if extra or each.state not in ending]
        absorbing = [state * num_actions + action for state in end
                     for action in range(num_actions)]
        rows = [each.state * num_actions + each.action for each in leaving] + absorbing
        columns = [listed if each.ended and extra else each.after for each in leaving] \
            + [row // num_actions for row in absorbing]
        chances = [each.probability for each in leaving] + [1.0] * len(absorbing)
        size = num_states * num_actions
        mdp = Mdp(sparse.coo_matrix((chances, (rows, columns)), shape=(size, num_states)).tocsr(),
                  num_actions, discount)
        reward = np.bincount(rows[:len(leaving)], minlength=size, weights=[
            each.probability * each.reward for each in leaving])
        return cls(mdp, reward.reshape(num_states, num_actions),
                   _start(env, mdp, end, listed), end)


def _outcomes(name: str, table: Mapping[int, Any], num_states: int, num_actions: int
              ) -> Iterator[Outcome]:
    for state in range(num_states):
        actions = table.get(state, {})
        if len(actions) != num_actions:
            raise InvalidMdpError(
                f'the table of {name} must have {num_actions} actions in each of the states '
                f'0 .. {num_states - 1}; state {state} has {len(actions)}')
        for action in range(num_actions):
            for probability, after, reward, ended in actions[action]:
                if not 0 <= after < num_states:
                    raise InvalidMdpError(
                        f'the table of {name} leads from state {state}, action {action} to state '
                        f'{after}; there are {num_states}')
                yield Outcome(state, action, float(probability), int(after), float(reward),
                              bool(ended))


def _start(env: Any, mdp: Mdp, end: tuple[int, ...], listed: int) -> np.ndarray:
    start = np.zeros(mdp.num_states)
    given = getattr(env, 'initial_state_distrib', None)
    if given is not None:
        start[:listed] = given
    else:
        start[[state for state in range(mdp.num_states) if state not in end]] = 1.0
    return mdp.checked_start(start / start.sum())


# ---- playing ------------------------------------------------------------------------------------


class Episode(NamedTuple):
    """
    What happened in one episode.

    total: of all rewards, not discounted. steps: how many. ended: it came to its end, and was not
        cut off.
    """

    total: float
    steps: int
    ended: bool


@dataclass(frozen=True, eq=False)
class PolicyAgent:
    """
    Plays environments by a policy that was taught.

    rng: chooses among actions that are equally good.
    """

    policy: Policy
    rng: np.random.Generator

    def act(self, observation: int) -> int:
        """Return the action to take."""
        return int(self.rng.choice(self.policy.actions(int(observation))))

    def play(self, env: Any, seed: int | None = None, max_steps: int = 10_000) -> Episode:
        """
        Play one episode.

        :param env: the environment, or its name.
        :param seed: of the environment.
        :param max_steps: after which an endless episode is left.
        """
        if isinstance(env, str):
            environment = _make(env)
            try:
                return self.play(environment, seed, max_steps)
            finally:
                environment.close()
        observation, _ = env.reset(seed=seed)
        total = 0.0
        for step in range(1, max_steps + 1):
            observation, reward, ended, cut_off, _ = env.step(self.act(observation))
            total += float(reward)
            if ended or cut_off:
                return Episode(total, step, bool(ended))
        return Episode(total, max_steps, False)


def _make(name: str) -> Any:
    try:
        import gymnasium
    except ImportError:
        raise MissingPackageError(
            f'making the environment {name!r} needs gymnasium, which is not installed: '
            'pip install gymnasium') from None
    return gymnasium.make(name)
