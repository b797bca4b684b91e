"""Rewards that are written out."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from gbs_irl_ros.core.hypotheses import Candidates
from gbs_irl_ros.core.rewards import Rewards
from gbs_irl_ros.tasks.cost import DENSE_ENTRY, check_cost, planning_cost
from gbs_irl_ros.tasks.files.file_report import shown
from gbs_irl_ros.tasks.files.spec import Each, Field, Located, Number, Record, Text
from gbs_irl_ros.tasks.worlds.built_world import PLACE, PRIOR, BuiltWorld, place_states

FIELDS = Record({
    'rewards': Field(Each(Record({
        'name': Field(Text(), 'how a person calls the task'),
        'at': Field(Each(Record({
            'place': Field(PLACE, 'where'),
            'action': Field(Text(), 'the action, if the reward depends on it', None),
            'value': Field(Number(), 'how much')}), 1), 'where the reward is not zero'),
        'goals': Field(Each(PLACE), 'where the task is accomplished', []),
        'never': Field(Each(PLACE), 'what must never be entered on the way to the goals', []),
    }), 1), 'the rewards'),
    'prior': PRIOR})


def read(values: Located, built: BuiltWorld) -> Candidates:
    """Return the rewards."""
    mdp, actions = built.mdp, built.world.appearance.action_names
    per_action = any(entry.action is not None for reward in values.rewards for entry in reward.at)
    count = len(values.rewards)
    check_cost(values, 'rewards', planning_cost(mdp, count)
               + DENSE_ENTRY * (count * mdp.num_states * (mdp.num_actions if per_action else 2)),
               f'{count} rewards in {mdp.num_states} states')
    dense = np.zeros((len(values.rewards), mdp.num_states, mdp.num_actions))
    goals, never = np.zeros((2, len(values.rewards), mdp.num_states))
    names = [reward.name for reward in values.rewards]
    for index, reward in enumerate(values.rewards):
        if names.count(reward.name) > 1:
            reward.refuse(f'appears twice, got {reward.name!r}', 'name')
        for entry in reward.at:
            states = place_states(entry.place, built, entry, 'place')
            column: Any = slice(None)
            if entry.action is not None:
                if entry.action not in actions:
                    entry.refuse(f'is not an action, got {entry.action!r}; expected one of '
                                 f'{list(actions)}'
                                 + values.report.did_you_mean(entry.action, actions), 'action')
                    continue
                column = actions.index(entry.action)
            dense[index, states, column] += entry.value
        for number, place in enumerate(reward.goals):
            goals[index, place_states(place, built, reward, 'goals', number)] = 1.0
        for number, place in enumerate(reward.never):
            never[index, place_states(place, built, reward, 'never', number)] = 1.0
        if reward.never and not reward.goals:
            reward.refuse('needs goals to find a way to, got none; expected the key goals too',
                          'never')
        elif reward.never and not values.report and not (goals[index] > never[index]).any():
            reward.refuse(f'covers every goal of {reward.name!r}, got {shown(reward.never)}; '
                          'expected places that leave one free', 'never')
        if not values.report and not dense[index].any():
            reward.refuse(f'{reward.name!r} is 0 everywhere, which makes every action as good as '
                          'another; expected another value somewhere', 'at')
    values.report.raise_if_any()
    rewards = Rewards.from_dense(dense if per_action else dense[:, :, 0], mdp.num_actions)
    return Candidates.of(mdp, rewards, names=names,
                         goals=sparse.csr_matrix(goals) if goals.any() else None,
                         never=sparse.csr_matrix(never) if never.any() else None)
