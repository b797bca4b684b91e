"""`gbs-irl plan BELIEF FILE`: do what was taught elsewhere, without a question."""

from __future__ import annotations

import argparse
import time
import uuid
from pathlib import Path
from typing import Any

from gbs_irl_ros.cli.progress import add_cache_option, add_task_arguments, compile_with_progress
from gbs_irl_ros.cli.say import say
from gbs_irl_ros.core import CAREFUL, Learner, caution_for
from gbs_irl_ros.learning.records import PolicyRecord
from gbs_irl_ros.learning.saved_policy import save_policy
from gbs_irl_ros.learning.sentences import belief_words
from gbs_irl_ros.learning.taught import TaughtBelief, load_taught
from gbs_irl_ros.learning.transfer import Transfer, rivals_text, transferred
from gbs_irl_ros.tasks import Task, load_task
from gbs_irl_ros.tasks.pictures.text_view import SEVERAL, policy_marks, world_as_text

NOT_SURE = 1        # exit code


def add_plan(commands: Any) -> None:
    """Add the command to a parser."""
    parser = commands.add_parser('plan', help='do what was taught elsewhere, without a question')
    parser.add_argument('belief', type=Path,
                        help='what was taught (.taught.json): of a learner, or of ask --save')
    add_task_arguments(parser)
    parser.add_argument('-o', '--output', type=Path, metavar='POLICY',
                        help='write the policy here, for the parameter policy_file of a '
                             'controller (.policy.json)')
    add_cache_option(parser)
    parser.set_defaults(run=plan)


def plan(given: argparse.Namespace) -> int:
    """Print what the robot would do, and save it; say what is missing if it cannot be known."""
    taught = load_taught(given.belief)
    task = load_task(given.file, allow_large=given.large)
    found = found_in(taught, task, cache=given.cache)
    learner = found.learner
    names = learner.task.hypotheses
    say(f'taught in {taught.task!r} on {taught.date}; in {task.world.name!r}: '
        + belief_words(names.name(learner.most_probable_reward), learner.certainty,
                       learner.none_of_these))
    for place in found.places:
        say(f'shown: {place.words}')
    if not found.settled:
        say(what_is_missing(found, given))
        return NOT_SURE
    say(world_as_text(task.world, policy_marks(task.world, learner.policy)))
    say(f'{SEVERAL} several actions are as good')
    if given.output is not None:
        _save(learner, task, given.output)
        say(f'the policy is kept in {given.output}')
    return 0


def found_in(taught: TaughtBelief, task: Task, *, cache: bool) -> Transfer:
    """
    Return what follows from what was taught for a task, planning for it.

    :param cache: as in ``compile_with_progress``.
    """
    compile_with_progress(task, cache=cache)
    plain = Learner(task, caution=caution_for(task.noise, CAREFUL.none_of_these,
                                              learn_error_rate=True))
    return transferred(taught, plain, task)


def what_is_missing(found: Transfer, given: argparse.Namespace) -> str:
    """Return why this is not enough to plan, and what to do."""
    why = 'the lesson was not over when this was saved' if not found.belief.done else \
        'these need different ways here, and the lesson has not told them apart'
    return (f'not sure enough to plan: {why}: {rivals_text(found.learner)}. Continue with '
            f'`gbs-irl ask {given.file} --taught {given.belief}`')


def _save(learner: Learner, task: Task, path: Path) -> None:
    save_policy(PolicyRecord(uuid.uuid4().hex[:12], 1, task.hash, learner.policy, final=True,
                             stamp=time.time_ns()), path)
