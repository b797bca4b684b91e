"""`gbs-irl show FILE`: the task as a picture and as text."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from gbs_irl_ros.cli.progress import add_cache_option, add_task_arguments, compile_with_progress
from gbs_irl_ros.cli.say import say
from gbs_irl_ros.core.errors import GbsIrlError, UnknownNameError
from gbs_irl_ros.core.policy import Policy
from gbs_irl_ros.tasks import Task, load_task_file
from gbs_irl_ros.tasks.pictures.drawing import draw_world
from gbs_irl_ros.tasks.pictures.text_view import (
    SEVERAL,
    legend,
    policy_marks,
    region_marks,
    world_as_text,
)


def add_show(commands: Any) -> None:
    """Add the command to a parser."""
    parser = commands.add_parser('show', help='draw a task, or one of its hypotheses')
    add_task_arguments(parser)
    parser.add_argument('--png', type=Path, metavar='FILE',
                        help='where to draw it (default: NAME.png or NAME-NUMBER.png here)')
    which = parser.add_mutually_exclusive_group()
    which.add_argument('--hypothesis', metavar='NAME',
                       help='also its reward and what to do: a name or a number')
    which.add_argument('--truth', action='store_true',
                       help='the same for what a simulated teacher means')
    add_cache_option(parser)
    parser.set_defaults(run=show)


def show(given: argparse.Namespace) -> int:
    """Print the task as text and draw it into a file."""
    loaded = load_task_file(given.file, allow_large=given.large)
    task = loaded.task
    wanted = loaded.truth.name if given.truth else given.hypothesis
    if wanted is None:
        file = given.png or Path(f'{task.world.name}.png')
        _check_writable(file)
        say(world_as_text(task.world, region_marks(task.world)))
        say(legend(task.world))
        for text in filter(None, (task.world.description, loaded.details)):
            say(text)
        draw_world(task.world, file)
    else:
        index = _index(task, wanted)
        file = given.png or Path(f'{task.world.name}-{index}.png')
        _check_writable(file)
        policy = _policy(task, index, given.cache)
        say(task.names[index])
        say(world_as_text(task.world, policy_marks(task.world, policy)))
        say(f'{SEVERAL} several actions are as good')
        draw_world(task.world, file, reward=task.rewards.by_state(index), policy=policy,
                   title=f'{task.world.name}: {task.names[index]}')
    say(f'drawn into {file}')
    return 0


def _check_writable(file: Path) -> None:
    if file.suffix.lower() != '.png':
        raise GbsIrlError(f'{file}: the picture is a PNG; give it a name that ends in .png')
    if not file.absolute().parent.is_dir():
        raise GbsIrlError(f'{file}: there is no folder {file.parent}; make it first')


def _index(task: Task, wanted: str) -> int:
    if wanted.isdigit() and int(wanted) < len(task.names):
        return int(wanted)
    if wanted not in task.names:
        raise UnknownNameError('hypothesis', wanted, task.names[:20])
    return task.names.index(wanted)


def _policy(task: Task, index: int, cache: bool) -> Policy:
    hypotheses = compile_with_progress(task, cache=cache)
    sets = hypotheses.sets.policy_sets(int(hypotheses.policy_of_reward[index]))
    return Policy(sets, np.ones(len(sets)), hypotheses.goal_states(index),
                  task.world.mdp.num_actions)
