"""
Tasks that the learner thinks of itself, when none that is listed explains the answers.

Where tasks are goals, an idea is a listed task with another goal, or with another word for one
region: never, or rather not. Where they are weighted features, it is other weights.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from gbs_irl_ros.core.errors import InvalidPlaceError
from gbs_irl_ros.core.hypotheses import Candidates
from gbs_irl_ros.languages.speaking import tr
from gbs_irl_ros.tasks.additions import (
    Addition,
    by_column,
    going,
    has_manners,
    known_keys,
    marked,
    never_of,
    value_of_goal,
)
from gbs_irl_ros.tasks.hypotheses.places import NEVER, RATHER_NOT, RATHER_NOT_COST
from gbs_irl_ros.tasks.shown_place import region_of
from gbs_irl_ros.tasks.task import Task

AS_LISTED = -1          # the goal of an idea that has that of its base
WORDS = (NEVER, RATHER_NOT)
MAX_IDEAS = 24          # of one invention


@dataclass(frozen=True)
class Idea:
    """
    A task that nobody listed.

    base: number of the task that it is built on.
    goal: state to go to, AS_LISTED for the goal of the base.
    region, word: what is thought of driving over a region instead; '' for what the base says.
    weights: of the first features; none: those of the base.
    """

    base: int
    goal: int = AS_LISTED
    region: str = ''
    word: str = ''
    weights: tuple[float, ...] = ()


@dataclass(frozen=True)
class Invention:
    """
    Ideas that explain the answers better than what is listed.

    looked_at: how many ideas they are chosen from.
    seed: of the random numbers that led to them.
    """

    ideas: tuple[Idea, ...]
    looked_at: int
    seed: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if not 1 <= len(self.ideas) <= MAX_IDEAS:
            raise InvalidPlaceError(
                f'an invention must have 1 to {MAX_IDEAS} ideas, got {len(self.ideas)}')
        if self.looked_at < len(self.ideas):
            raise InvalidPlaceError(f'looked_at must be at least the {len(self.ideas)} ideas, '
                                    f'got {self.looked_at}')

    @property
    def words(self) -> str:
        """Return what the teacher says."""
        return tr('think of other tasks ({count} found)', count=len(self.ideas))


def inventions(invention: Invention, task: Task) -> Iterator[Addition]:
    """Yield the tasks that an invention adds, each once, without those that are listed already."""
    known = known_keys(task.candidates)
    for idea in invention.ideas:
        addition = addition_of(idea, task)
        if addition is not None and addition.key not in known:
            known.add(addition.key)
            yield addition


def can_invent(candidates: Candidates) -> bool:
    """Tell whether there are goals or weights to think of others."""
    return candidates.rewards.features is not None or has_manners(candidates)


def addition_of(idea: Idea, task: Task) -> Addition | None:
    """Return the task of an idea, None if nobody could do it; raise if it cannot be built here."""
    candidates = task.candidates
    _check(idea, task)
    if idea.weights:
        return _weighted(idea, candidates)
    if idea.goal == AS_LISTED:
        addition = _as_listed(candidates, idea.base)
    else:
        states = np.array([idea.goal])
        where = region_of(states, task.world) or _name(task, idea.goal)
        addition, = going(candidates, states, idea.base, where)
    if f'the {idea.region}' in addition.name:      # it says something of that already
        return None
    if idea.region:
        addition = _with_word(addition, idea, task)
    return addition if addition.goals.any() else None


def _check(idea: Idea, task: Task) -> None:
    candidates, regions = task.candidates, task.world.appearance.regions
    if not 0 <= idea.base < candidates.num_rewards:
        raise InvalidPlaceError(f'an idea is built on task {idea.base}; expected one of the '
                                f'{candidates.num_rewards} tasks there are')
    if not AS_LISTED <= idea.goal < candidates.mdp.num_states:
        raise InvalidPlaceError(f'the goal of an idea must be a state below '
                                f'{candidates.mdp.num_states}, got {idea.goal}')
    if idea.region and (idea.region not in regions or idea.word not in WORDS):
        raise InvalidPlaceError(
            f'an idea says {idea.word!r} of the region {idea.region!r}; expected one of '
            f'{list(WORDS)} of one of {list(regions)}')
    features = candidates.rewards.features
    if idea.weights and (features is None or len(idea.weights) > features.shape[0]
                         or not np.isfinite(idea.weights).all()):
        count = 0 if features is None else features.shape[0]
        raise InvalidPlaceError(f'an idea has {len(idea.weights)} weights; expected finite ones '
                                f'for the {count} features of the task')


def _weighted(idea: Idea, candidates: Candidates) -> Addition:
    features = candidates.rewards.features
    assert features is not None
    weights = np.array(idea.weights)
    reward = np.asarray(weights @ features[:len(weights)]).reshape(-1)
    size = candidates.mdp.num_states
    by_state = reward.reshape(size, -1).max(axis=1)
    goals = (by_state == by_state.max()) & (by_state.max() > 0.0)
    listed = ', '.join(f'{weight:.3g}' for weight in weights)
    name = f'like {candidates.name(idea.base)!r}, but weights {listed}'
    return Addition(idea.base, name, reward, goals, np.zeros(size, dtype=bool))


def _as_listed(candidates: Candidates, base: int) -> Addition:
    size = candidates.mdp.num_states
    return Addition(base, candidates.name(base), candidates.rewards.one(base),
                    marked(candidates.goal_states(base), size), never_of(candidates, base))


def _with_word(addition: Addition, idea: Idea, task: Task) -> Addition:
    """Return a task with another word for what is driven over."""
    candidates = task.candidates
    value, size = value_of_goal(candidates), candidates.mdp.num_states
    there = marked(task.world.appearance.regions[idea.region], size)
    forbidden = there & (idea.word == NEVER)
    reward = np.where(by_column(candidates, forbidden), -value, addition.reward) \
        - RATHER_NOT_COST * value * by_column(candidates, there & ~forbidden & ~addition.never)
    goals, never = addition.goals & ~forbidden, addition.never | forbidden
    return addition._replace(name=f'{addition.name}, {idea.word} over the {idea.region}',
                             reward=reward, goals=goals, never=never)


def _name(task: Task, state: int) -> str:
    cells = task.world.appearance.cells
    return task.world.state_name(state) if cells is None \
        else str(tuple(int(number) for number in cells[state]))
