"""
Teach Gymnasium's Taxi which service is wanted, then let the taught policy drive passengers.

Needs gymnasium (``pip install gymnasium``). Nobody tells the learner the reward of the
environment: it asks which action is right in some states until it knows which of nine services is
meant.
"""

from __future__ import annotations

import gymnasium
import numpy as np

from gbs_irl_ros.core import GymnasiumTable, Learner, PolicyAgent, Rewards, SimulatedTeacher

LANDMARKS = ('red', 'green', 'yellow', 'blue')
PLACES = ((0, 0), (0, 4), (4, 0), (4, 3))       # rows and columns of the landmarks
DROP_OFF = 5


def services(table: GymnasiumTable) -> tuple[list[str], np.ndarray]:
    """Return names and rewards ``[9, S, A]``: the environment's own, to drive, to deliver."""
    names, rewards = ['deliver where the passenger wants'], [table.reward]
    states = np.arange(500)                     # ((row * 5 + column) * 5 + passenger) * 4 + goal
    row, column, passenger = states // 100, states // 20 % 5, states // 4 % 5
    for landmark, place in zip(LANDMARKS, PLACES, strict=True):
        there = (row == place[0]) & (column == place[1])
        drive = np.full_like(table.reward, -1.0)
        drive[:500][there] = 0.0                # waiting there costs nothing
        deliver = np.full_like(table.reward, -1.0)
        deliver[:500, DROP_OFF] = np.where(there & (passenger == 4), 20.0, -10.0)
        for reward in (drive, deliver):
            reward[list(table.end)] = 0.0
        names += [f'wait at {landmark}', f'deliver everybody to {landmark}']
        rewards += [drive, deliver]
    return names, np.array(rewards)


def main() -> None:
    """Teach, then play."""
    env = gymnasium.make('Taxi-v4')
    table = GymnasiumTable.of(env, discount=0.95)
    names, rewards = services(table)
    learner = Learner.for_rewards(table.mdp, Rewards.from_dense(rewards, 6), seed=1)
    teacher = SimulatedTeacher.for_reward(table.mdp, table.reward, accuracy=0.9)
    rng = np.random.default_rng(2)
    while (question := learner.ask()) is not None:
        learner = learner.tell(teacher.answer(question, rng))
    print(f'{len(learner.answers)} answers: {names[learner.most_probable_reward]} '
          f'({learner.certainty:.0%} sure)')
    agent = PolicyAgent(learner.policy, rng)
    episodes = [agent.play(env, seed) for seed in range(100)]
    env.close()
    print(f'{sum(episode.ended for episode in episodes)} of {len(episodes)} passengers delivered, '
          f'mean return {np.mean([episode.total for episode in episodes]):.2f}')


if __name__ == '__main__':
    main()
