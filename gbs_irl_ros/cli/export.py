"""`gbs-irl export BELIEF FILE`: what was taught, as files for Nav2."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Any

from gbs_irl_ros.cli.plan import NOT_SURE, found_in, what_is_missing
from gbs_irl_ros.cli.progress import add_cache_option, add_task_arguments
from gbs_irl_ros.cli.say import say
from gbs_irl_ros.core.printable import one_line
from gbs_irl_ros.learning.nav2_files import save_for_nav2
from gbs_irl_ros.learning.taught import load_taught
from gbs_irl_ros.tasks import load_task
from gbs_irl_ros.tasks.keepout import NEVER, guidance

SUFFIX = '.taught.json'


def add_export(commands: Any) -> None:
    """Add the command to a parser."""
    parser = commands.add_parser('export', help='what was taught, as a keep-out mask for Nav2')
    parser.add_argument('belief', type=Path,
                        help='what was taught (.taught.json): of a learner, or of ask --save')
    add_task_arguments(parser)
    parser.add_argument('-o', '--output', type=Path, metavar='DIR',
                        help='folder for the files; by default that of the belief')
    add_cache_option(parser)
    parser.set_defaults(run=export)


def export(given: argparse.Namespace) -> int:
    """Write the files, and say where to go; say what is missing if it cannot be known."""
    taught = load_taught(given.belief)
    task = load_task(given.file, allow_large=given.large)
    found = found_in(taught, task, cache=given.cache)
    if not found.settled:
        say(what_is_missing(found, given))
        return NOT_SURE
    learner = found.learner
    reward = learner.most_probable_reward
    known = learner.task.hypotheses         # with those of places that were shown
    mask, goal = guidance(replace(task, candidates=known, began_as=task.hash), reward)
    name = one_line(known.name(reward))
    stem = (given.output or given.belief.parent) / given.belief.name.removesuffix(SUFFIX)
    image, yaml, parameters = save_for_nav2(
        task.world, mask, stem, f'{name}, as taught in {taught.task} on {taught.date}')
    say(f'{name}: {int((mask == NEVER).sum())} cells never to be entered, '
        f'{int(((mask > 0) & (mask < NEVER)).sum())} undesirable')
    say(f'{yaml}, {image.name}: the keep-out mask')
    say(f'{parameters}: parameters for Nav2, to be pasted')
    positions = task.world.appearance.positions
    if goal is not None and positions is not None:
        x, y = positions[goal]
        say(f'the goal is at x {x:.3f}, y {y:.3f} in the frame {task.world.appearance.frame_id}')
    return 0
