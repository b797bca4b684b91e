"""GBS-IRL, `gini` and chance in three domains, two workers: `compare.py [FOLDER [TRIALS]]`."""

from __future__ import annotations

import sys

from gbs_irl_ros.experiments import GoalGrid, RandomMdps, compare


def main(folder: str = 'gini', trials: str = '50') -> None:
    """Run it and leave rows, tables and figures in a folder."""
    study = compare(['gbs', 'gini', 'random'],
                    ['trap_world', GoalGrid(), RandomMdps(20, 5, count=100)], f'{folder}/rows',
                    trials=int(trials), steps=25)
    study.run(jobs=2)
    print(study.table())
    for record in study.differences():
        print(f'{record["experiment"]}: {record["first"]} is ahead of {record["method"]} by '
              f'{record["ahead_5"]:.3f} ± {record["ahead_5_ci"]:.3f} after 5 questions')
    print(*(path.name for path in study.draw(f'{folder}/figures')))


if __name__ == '__main__':
    main(*sys.argv[1:])
