"""Words mean what they say: where `never` is said, a robot goes only if it has no choice."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
from cases import for_each

from gbs_irl_ros.core.planning.greedy_sets import unpack
from gbs_irl_ros.tasks import load_task, shipped_tasks

BEFORE = Path(__file__).parent.parent / 'files' / 'written_before' / 'room.yaml'


def words(name, how):
    """Return the regions that a name says this about."""
    found = re.search(f'{how} ([^,]*)', name)
    return [] if found is None else [
        part.removeprefix('the ') for part in re.split(' or | and ', found[1])]


def possible(mdp):
    """Return where each action may lead: ``[S][A]`` sets."""
    rows = np.split(mdp.transitions.indices, mdp.transitions.indptr[1:-1])
    actions = mdp.num_actions
    return [[set(rows[state * actions + action].tolist()) for action in range(actions)]
            for state in range(mdp.num_states)]


def with_clean_way(moves, forbidden, goals):
    """Return the states from which goals can be reached without entering what is forbidden."""
    clean, grown = set(), set(goals) - forbidden
    while grown:
        clean |= grown
        grown = {state for state in range(len(moves)) if state not in clean
                 and any(after & clean - forbidden for after in moves[state])}
    return clean


def visited(moves, sets, start):
    """Return the states that somebody who does what is right from a state on may enter."""
    seen, new = set(), [start]
    while new:
        state = new.pop()
        for action in np.flatnonzero(sets[state]):
            new += moves[state][action] - seen
            seen |= moves[state][action]
    return seen


def entered(task, how='never over'):
    """Yield (name, states that have a clean way, those among them that do not take it)."""
    hypotheses, moves = task.hypotheses, possible(task.world.mdp)
    for index, name in enumerate(hypotheses.names):
        forbidden = {int(state) for region in words(name, how)
                     for state in task.world.appearance.regions[region]}
        if forbidden:
            sets = unpack(hypotheses.sets.policy_sets(int(hypotheses.policy_of_reward[index])),
                          task.world.mdp.num_actions)
            clean = with_clean_way(moves, forbidden, hypotheses.goal_states(index)) - forbidden
            yield name, clean, {state for state in clean
                                if visited(moves, sets, state) & forbidden}


@for_each('name', sorted(shipped_tasks()))
def test_a_listed_never_is_entered_from_no_cell_that_has_a_clean_way(name):
    task = load_task(name)
    if task.candidates.never is not None:
        for said, clean, wrong in entered(task):
            assert clean, said
            assert not wrong, (said, [task.world.state_name(state) for state in wrong])


def test_the_room_says_never_in_half_of_its_tasks_or_more():
    names = load_task('room').names
    assert len(list(entered(load_task('room')))) >= len(names) / 2
    assert 20 <= len(names) <= 40
    assert all(policy == reward for reward, policy in
               enumerate(load_task('room').hypotheses.policy_of_reward))


def test_a_cost_did_not_mean_it():
    """Files from before say `keep off` with a number, and still mean a cost."""
    found = {name: (len(clean), len(wrong))
             for name, clean, wrong in entered(load_task(BEFORE), 'keep off')}
    assert found['go to bed, keep off carpet and toys'] == (74, 38)


def test_the_goal_is_reached_from_everywhere_in_the_room():
    task = load_task('room')
    moves = possible(task.world.mdp)
    for index, name in enumerate(task.names):
        sets = unpack(task.hypotheses.sets.policy_sets(index), 5)
        goals = set(task.goal_states(index).tolist())
        assert all(visited(moves, sets, state) & goals for state in range(len(moves))), name
