"""An experiment in a world of your own: rows, a table and a figure; `own_domain.py [FOLDER]`."""

from __future__ import annotations

import sys
from dataclasses import dataclass

import numpy as np

from gbs_irl_ros.core import Mdp, Rewards
from gbs_irl_ros.experiments import Draw, Method, Study, Sweep

MOVES = ((0, -1), (1, 0), (0, 1), (-1, 0), (0, 0))      # north, east, south, west, stay


@dataclass(frozen=True)
class WindyField:
    """
    A field in which wind blows the robot east now and then; one cell is the goal.

    wind: chance to be blown one cell further at each step.
    """

    columns: int = 8
    rows: int = 5
    wind: float = 0.2

    def mdp(self, seed: int) -> Mdp:
        """Return the field, which is the same for every seed."""
        states = self.columns * self.rows
        transitions = np.zeros((states, len(MOVES), states))
        for state in range(states):
            for action, (right, down) in enumerate(MOVES):
                column, row = state % self.columns + right, state // self.columns + down
                transitions[state, action, self._cell(column, row)] += 1.0 - self.wind
                transitions[state, action, self._cell(column + 1, row)] += self.wind
        return Mdp.from_dense(transitions, discount=0.95)

    def draw(self, mdp: Mdp, rng: np.random.Generator) -> Draw:
        """Return a reward for each cell, any of them the right one."""
        order = rng.permutation(mdp.num_states)
        return Draw(Rewards.goals(mdp, order), int(rng.integers(len(order))), np.ones(len(order)))

    def _cell(self, column: int, row: int) -> int:
        inside = min(max(column, 0), self.columns - 1), min(max(row, 0), self.rows - 1)
        return inside[0] + inside[1] * self.columns


def main(folder: str = 'windy_field') -> None:
    """Run it, print the table, and leave the figure in a folder."""
    methods = (Method('gbs', 'gbs', likelihood='exact'),
               Method('gbs softmax', 'gbs', likelihood='boltzmann',
                      likelihood_options=(('eta', 3.0),)),
               Method('random', 'random', likelihood='exact'))
    sweep = Sweep('windy_field', 'A windy field', WindyField(), methods, trials=10, steps=20,
                  teacher='boltzmann', teacher_options=(('eta', 3.0),))
    study = Study([sweep], folder).run(jobs=1)
    print(study.table())
    print(*(path.name for path in study.draw(folder)))


if __name__ == '__main__':
    main(*sys.argv[1:])
