"""
What startup.py runs in a fresh process: import, load a task, plan for it or find the plan on disk.

`python bench/fresh_start.py TASK FOLDER` prints when each of these was done, by a clock that all
processes of the machine share. Nothing is imported before it is measured.
"""

import sys
import time


def main(task: str, folder: str) -> None:
    """Print the times of the steps."""
    from pathlib import Path

    from gbs_irl_ros.core import Learner
    from gbs_irl_ros.tasks import load_task
    from gbs_irl_ros.tasks.plans.plan_cache import PlanCache
    print('imported', time.monotonic())
    loaded = load_task(task)
    print('loaded', time.monotonic())
    loaded.compile(cache=PlanCache(Path(folder)))
    print('planned', time.monotonic())
    Learner(loaded).ask()
    print('asked', time.monotonic())


if __name__ == '__main__':
    main(*sys.argv[1:])
