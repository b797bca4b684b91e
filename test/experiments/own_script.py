"""A script as a researcher writes it; test_study.py runs a copy outside the checkout."""

import sys
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from gbs_irl_ros.core import Mdp, QueryStrategy, Rewards, choose_state, register_strategy
from gbs_irl_ros.experiments import Draw, Method, RandomMdps, Study, Sweep, compare


@register_strategy
@dataclass(frozen=True)
class Gini(QueryStrategy):
    """Ask where the Gini impurity of the actions is largest."""

    name: ClassVar[str] = 'gini'
    fails_after: int = 1000

    def choose(self, situation, rng):
        mass = situation.optimal_mass
        if len(situation.closed) or situation.certainty > self.fails_after:
            raise LookupError('nothing is left')
        return choose_state(situation, (mass * (1.0 - mass)).sum(axis=1), rng)


@dataclass(frozen=True)
class Corridor:
    """A corridor; the goal is anywhere."""

    length: int

    def mdp(self, seed):
        places = np.arange(self.length)[:, np.newaxis]
        return Mdp.from_successors(np.clip(places + np.array([-1, 0, 1]), 0, self.length - 1), 0.9)

    def draw(self, mdp, rng):
        return Draw(Rewards.goals(mdp, range(self.length)), int(rng.integers(self.length)),
                    np.ones(self.length))


if __name__ == '__main__':
    folder, jobs = sys.argv[1], int(sys.argv[2])
    study = compare(['gbs', 'gini'], [RandomMdps(6, 3, count=8), Corridor(5),
                                                  Corridor(7)],
                    f'{folder}/rows', trials=3, steps=6)
    study.run(jobs)
    print(study.table())
    print(*(path.name for path in study.draw(f'{folder}/drawn')))
    failing = Sweep('failing', 'Fails', Corridor(5), (
        Method('gbs', 'gbs'), Method('mine', 'gini', (('fails_after', 0),), 'exact')), trials=2)
    try:
        Study([failing], folder).run(jobs)
    except Exception as error:
        print(f'{type(error).__name__}: {error}')
