"""
Plans that can be told apart, and processes that store them: see test_plan_cache.py.

``python storing_process.py race FOLDER SEED`` stores and loads, among others that do the same.
``python storing_process.py steps FOLDER`` is killed before every single step of storing.
``python storing_process.py loop FOLDER`` is killed again and again while it stores.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import numpy as np

from gbs_irl_ros.core.planning.greedy_sets import GreedySets
from gbs_irl_ros.tasks.plans.plan_cache import PlanCache
from gbs_irl_ros.tasks.plans.plan_file import Plan

STATES, POLICIES = 700, 400
KEYS = range(3)
ROUNDS = 150
KILLS = 60
STEPS = ('chmod', 'close', 'fchmod', 'fsync', 'mkdir', 'open', 'replace', 'scandir', 'unlink',
         'write')


def key_of(number):
    return f'{number:064x}'


def plan_of(number):
    """Return a plan of 280 kB that nobody takes for that of another number."""
    rng = np.random.default_rng(number)
    bits = rng.integers(1, 32, (STATES, POLICIES), dtype=np.uint8)
    return Plan(GreedySets(bits, rng.permutation(STATES), 5), rng.permutation(POLICIES))


PLANS = [plan_of(number) for number in KEYS]
SIZE = PLANS[0].file_size


def is_plan(found, number):
    plan = PLANS[number]
    return (np.array_equal(found.sets.bits, plan.sets.bits)
            and np.array_equal(found.sets.class_of_state, plan.sets.class_of_state)
            and np.array_equal(found.policy_of_reward, plan.policy_of_reward))


def race(folder, seed):
    """Use three keys where there is room for two plans; nothing but right plans may be found."""
    rng, lines, found = np.random.default_rng(seed), [], 0
    cache = PlanCache(folder, 2 * SIZE, lines.append)
    for _ in range(ROUNDS):
        number = int(rng.integers(len(KEYS)))
        if rng.random() < 0.5:
            cache.store(key_of(number), PLANS[number])
        elif (plan := cache.load(key_of(number))) is not None:
            assert is_plan(plan, number)
            found += 1
    assert lines == []
    print(found)


def die_before(step):
    """Have this process killed when it takes the step of that number."""
    taken = [0]

    def counted(function):
        def call(*given, **options):
            if taken[0] == step:
                os.kill(os.getpid(), signal.SIGKILL)
            taken[0] += 1
            return function(*given, **options)
        return call
    for name in STEPS:
        setattr(os, name, counted(getattr(os, name)))


def steps(folder):
    """Kill one that replaces plan 0 by plan 1, before each of its steps; one of them is there."""
    seen = []
    while True:
        PlanCache(folder).store(key_of(0), PLANS[0])
        child = os.fork()
        if not child:
            die_before(len(seen))
            PlanCache(folder).store(key_of(0), PLANS[1])
            os._exit(0)
        if os.waitpid(child, 0)[1] == 0:        # it had taken all steps before it was killed
            break
        lines = []
        found = PlanCache(folder, log=lines.append).load(key_of(0))
        assert lines == []
        seen.append(next(number for number in (0, 1) if is_plan(found, number)))
    print(*seen)


def loop(folder):
    """Kill one that stores without end; whatever is there is right."""
    rng, found = np.random.default_rng(7), 0
    for _ in range(KILLS):
        heard, told = os.pipe()
        child = os.fork()
        if not child:
            number = 0
            while True:
                os.write(told, b'.')
                PlanCache(folder).store(key_of(number), PLANS[number])
                number = (number + 1) % len(KEYS)
        for _ in range(int(rng.integers(1, 5))):
            os.read(heard, 1)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(heard)
        os.close(told)
        lines = []
        cache = PlanCache(folder, log=lines.append)
        for number in KEYS:
            plan = cache.load(key_of(number))
            assert plan is None or is_plan(plan, number)
            found += plan is not None
        assert lines == []
    print(found)


if __name__ == '__main__':
    {'race': race, 'steps': steps, 'loop': loop}[sys.argv[1]](
        Path(sys.argv[2]), *map(int, sys.argv[3:]))
