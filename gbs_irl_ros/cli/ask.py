"""`gbs-irl ask FILE`: teach a task in the terminal, without ROS."""

from __future__ import annotations

import argparse
import os
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from gbs_irl_ros.cli.progress import (
    ProgressLine,
    add_cache_option,
    add_task_arguments,
    compile_with_progress,
)
from gbs_irl_ros.cli.say import say
from gbs_irl_ros.core import (
    CAREFUL,
    STRATEGIES,
    DontKnowAnswer,
    LaterAnswer,
    Learner,
    SimulatedTeacher,
    caution_for,
)
from gbs_irl_ros.core.errors import GbsIrlError, InvalidRecordError
from gbs_irl_ros.core.queries import make_strategy
from gbs_irl_ros.core.queries.bits_per_second import BitsPerSecondQuery
from gbs_irl_ros.core.questions import QuestionKind
from gbs_irl_ros.core.stop_conditions import ValueAtRisk
from gbs_irl_ros.core.stopping import DEFAULT, STOP_NAMES, USUAL_CONDITION, make_stop_rule
from gbs_irl_ros.core.theory.forecast import with_calibration
from gbs_irl_ros.languages.catalogue import CatalogueError, catalogue
from gbs_irl_ros.languages.speaking import speak, tr, tr_count, wanted_language
from gbs_irl_ros.learning.beginning import FROM_NOTHING, Beginning
from gbs_irl_ros.learning.doubts import misfit_text
from gbs_irl_ros.learning.folders import lessons_folder
from gbs_irl_ros.learning.lesson import Lesson
from gbs_irl_ros.learning.people import People
from gbs_irl_ros.learning.person import check_person
from gbs_irl_ros.learning.question_mix import read_kinds
from gbs_irl_ros.learning.sentences import answer_words, belief_words, claim, done_text, sentence
from gbs_irl_ros.learning.taught import TaughtBelief, belief_of, load_taught, save_taught
from gbs_irl_ros.learning.transfer import transferred
from gbs_irl_ros.tasks import Task, load_task_file
from gbs_irl_ros.tasks.pictures.text_view import SEVERAL, policy_marks, world_as_text
from gbs_irl_ros.tasks.task_file import DEFAULT_TASK
from gbs_irl_ros.tasks.translated import said_name, translated
from gbs_irl_ros.tasks.world import World
from gbs_irl_ros.teaching.local_lesson import LocalLesson
from gbs_irl_ros.teaching.terminal.conversation import Conversation
from gbs_irl_ros.teaching.terminal.dialogue import PlainScreen, converse, is_done, look
from gbs_irl_ros.teaching.terminal.terminal import Terminal

MOST_UNLISTED = 0.4     # a prior of "none of these" that answers can still move either way

Reader = Callable[[str], str]


def add_ask(commands: Any) -> None:
    """Add the command to a parser."""
    parser = commands.add_parser('ask', help='teach a task here in the terminal')
    add_task_arguments(parser, default=DEFAULT_TASK)
    parser.add_argument('--strategy', default=BitsPerSecondQuery.name, choices=sorted(STRATEGIES),
                        help='how questions are chosen, and with bits_per_second of which kind; '
                             "the paper's: gbs (default: %(default)s)")
    parser.add_argument('--kinds', type=_kinds, metavar='KIND,...', default=(),
                        help='kinds of question that bits_per_second may ask: action, yes_no, '
                             'demonstration, place, task, compare, reward (default: all but '
                             'reward)')
    parser.add_argument('--seed', type=int, default=0, help="random seed of the learner's choices")
    parser.add_argument('--none-of-these', type=_share(MOST_UNLISTED), metavar='P',
                        default=CAREFUL.none_of_these,
                        help='prior probability that none of the listed tasks is meant; 0: as in '
                             'the paper (default: %(default)s)')
    parser.add_argument('--learn-error-rate', action=argparse.BooleanOptionalAction, default=True,
                        help='learn how often the teacher errs instead of taking the rate of the '
                             'task file for certain, as the paper does')
    parser.add_argument('--closing-question', action=argparse.BooleanOptionalAction, default=True,
                        help='show what the robot would do before the lesson ends, and end it '
                             'only if that is what is meant')
    parser.add_argument('--stop', default=USUAL_CONDITION, choices=STOP_NAMES,
                        help='what ends the lesson and is promised then; the paper: certainty '
                             '(default: %(default)s)')
    parser.add_argument('--certainty', type=_share(1.0), metavar='P', default=DEFAULT.certainty,
                        help='with which probability that must hold; 0: never (default: '
                             '%(default)s)')
    parser.add_argument('--loss', type=_share(1.0), metavar='SHARE', default=ValueAtRisk.loss,
                        help='how much of the best may be lost, for value_at_risk and '
                             'minimax_regret (default: %(default)s)')
    parser.add_argument('--simulate', action='store_true',
                        help='let a simulated teacher answer, who means what the file says')
    parser.add_argument('--taught', type=Path, metavar='BELIEF',
                        help='start from what was taught in another lesson')
    parser.add_argument('--save', type=Path, metavar='BELIEF',
                        help='keep what is taught in this file, to be used elsewhere: see plan')
    parser.add_argument('--person', type=_person, metavar='NAME',
                        help='who teaches: errors are expected as often as in earlier lessons of '
                             'this person, and counted for the next one')
    parser.add_argument('--language', type=_language, metavar='CODE', default='',
                        help='language of the questions, such as en or de (default: that of the '
                             'environment, or English)')
    add_cache_option(parser)
    parser.set_defaults(run=ask)


def _share(most: float) -> Callable[[str], float]:
    """Return what reads a number in [0, most]."""
    def read(text: str) -> float:
        try:
            share = float(text)
        except ValueError:
            share = -1.0
        if not 0.0 <= share <= most:
            raise argparse.ArgumentTypeError(f'must be a number in 0 .. {most:g}, got {text!r}')
        return share
    return read


def _kinds(text: str) -> tuple[QuestionKind, ...]:
    """Return the kinds of question that are named."""
    try:
        return BitsPerSecondQuery(among=read_kinds(text)).among
    except (GbsIrlError, ValueError) as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _person(name: str) -> str:
    """Return the name of a person."""
    try:
        return check_person(name)
    except InvalidRecordError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _language(code: str) -> str:
    """Return the code of a language that there is, or none."""
    try:
        return code and catalogue(code).code        # '' is the default
    except CatalogueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def ask(given: argparse.Namespace) -> int:
    """Ask until the learner knows enough or the person has had enough."""
    if given.simulate and given.person:
        raise GbsIrlError('--person is for people, not for a simulated teacher')
    if given.kinds and given.strategy != BitsPerSecondQuery.name:
        raise GbsIrlError(f'--kinds is for the strategy {BitsPerSecondQuery.name}, got '
                          f'{given.strategy}')
    file = load_task_file(given.file, allow_large=given.large)
    task, truth = file.task, file.truth if given.simulate else None
    compile_with_progress(task, cache=given.cache)
    learner = with_calibration(Learner(
        task, make_strategy(given.strategy, **({'among': given.kinds} if given.kinds else {})),
        given.seed,
        stop=make_stop_rule(given.stop, given.certainty, loss=given.loss),
        caution=caution_for(task.noise, given.none_of_these,
                            learn_error_rate=given.learn_error_rate,
                            closing_question=given.closing_question)))
    speak(wanted_language(given.language, os.environ))      # names are made before, in English
    shown = translated(task).world
    say(f'{shown.name}: {shown.description}')
    if truth is not None:
        teacher = replace(SimulatedTeacher.for_hypothesis(
            task.hypotheses, truth.index, float(np.mean(task.noise.gamma_hat))),
            choices=task.world.choices)
        if given.taught is not None:
            learner = transferred(load_taught(given.taught), learner, task).learner
        learner = _simulate(learner, shown, teacher, np.random.default_rng(given.seed))
        taught = belief_of(learner, task.world, done=learner.stop_reason is not None,
                           stamp=time.time_ns())
    else:
        learner, taught = teach(learner, task, beginning=Beginning(
            given.taught, _people().known(given.person or '')))
    _print_result(learner, task)
    if given.save is not None:
        save_taught(taught, given.save)
        say(tr('what was taught is kept in {file}', file=given.save))
    return 0


def teach(learner: Learner, task: Task, read: Reader = input,
          beginning: Beginning = FROM_NOTHING) -> tuple[Learner, TaughtBelief]:
    """
    Return the learner after a lesson with a person, and what it was taught.

    By keys in a terminal, elsewhere by lines.

    :param read: shows a prompt and returns a line.
    :param beginning: what the lesson is given.
    """
    with LocalLesson(task, learner, beginning) as lesson:
        with ProgressLine('simulating lessons') as progress:
            lesson.look_ahead(progress)
        talk = Conversation(lesson, local=True)
        if read is not input or not (Terminal.is_there() and sys.stdout.isatty()):
            converse(talk, lesson.snapshot, read, say)
            return _outcome(lesson.lesson)
        with Terminal() as terminal:
            terminal.open()
            plain_screen = PlainScreen()
            while not (talk.is_over or is_done(lesson.snapshot())):
                look(terminal, talk, plain_screen, lesson.snapshot)
        return _outcome(lesson.lesson)


def _outcome(lesson: Lesson) -> tuple[Learner, TaughtBelief]:
    """Return what was taught, and remember how the person has answered."""
    _people().remember(lesson, time.time_ns())
    return lesson.learner, lesson.standing.taught(lesson.world, time.time_ns())


def _people() -> People:
    return People(lessons_folder(''), lambda text: warnings.warn(text, stacklevel=3))


def _status_text(learner: Learner) -> str:
    """Return what is known so far, in a sentence."""
    count = sum(not isinstance(answer, (DontKnowAnswer, LaterAnswer))
                for answer in learner.answers)
    if not count:
        return tr('no answer yet: nothing is known')
    return tr_count(count, '{count} answer; the likeliest task so far: {belief}',
                    '{count} answers; the likeliest task so far: {belief}',
                    belief=_belief(learner))


def _simulate(learner: Learner, shown: World, teacher: SimulatedTeacher,
              rng: np.random.Generator) -> Learner:
    """:param shown: the world, with its names in the language that is spoken."""
    while (question := learner.ask()) is not None:
        answer = teacher.answer(question, rng)
        learner = learner.tell(answer)
        said = said_name(answer_words(answer, shown))
        say(f'{sentence(question, shown)} {said}  [{_belief(learner)}]')
    return learner


def _belief(learner: Learner) -> str:
    name = said_name(learner.task.hypotheses.name(learner.most_probable_reward))
    return belief_words(name, learner.certainty, learner.none_of_these)


def _print_result(learner: Learner, task: Task) -> None:
    say()
    say(_status_text(learner))
    if learner.nothing_fits:
        say(misfit_text(learner, has_map=task.world.layout is not None))
    say(tr('no more questions: {why}', why=done_text(*learner.stop_reason)) if learner.stop_reason
        else tr('the lesson is not finished: there are more questions'))
    if learner.stop_reason and (promised := claim(learner.stop, learner.stop_reason[0])):
        say(promised)
    say(world_as_text(task.world, policy_marks(task.world, learner.policy)))
    say(tr('{sign} several actions are as good', sign=SEVERAL))
