"""A small task, and lessons about it in which everything happens that can."""

from __future__ import annotations

import numpy as np

from gbs_irl_ros.core.answers import (
    ActionAnswer,
    AllTheSameAnswer,
    CompareAnswer,
    ConfirmAnswer,
    DemonstrationAnswer,
    DontKnowAnswer,
    GoHereAnswer,
    LaterAnswer,
    NeverHereAnswer,
    OnTheWayAnswer,
    RewardAnswer,
    WordsAnswer,
    WrongHereAnswer,
    YesNoAnswer,
    offers,
)
from gbs_irl_ros.core.errors import InvalidQuestionError
from gbs_irl_ros.core.hypotheses import Candidates
from gbs_irl_ros.core.learner import Learner
from gbs_irl_ros.core.mdp import Mdp
from gbs_irl_ros.core.noise import NoiseModel
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.core.rewards import Rewards
from gbs_irl_ros.core.stopping import NEVER
from gbs_irl_ros.learning.beginning import Beginning
from gbs_irl_ros.learning.events import Began, event_to_json
from gbs_irl_ros.learning.journal import Journal
from gbs_irl_ros.learning.lesson import Lesson
from gbs_irl_ros.learning.question_mix import QuestionMix
from gbs_irl_ros.learning.records import AnswerRecord, DemonstrationRecord
from gbs_irl_ros.tasks.task import Task
from gbs_irl_ros.tasks.world import Appearance, World

LEFT, RIGHT, STAY = range(3)
CONFIRM = QuestionKind.CONFIRM
ALL_KINDS = QuestionMix(tuple(kind for kind in QuestionKind if kind is not CONFIRM), steps=2)
HAPPENINGS = {       # and how often
    'answer': 0.4, 'show': 0.08, 'undo': 0.1, 'revise': 0.08, 'ask': 0.1, 'ask_about': 0.1,
    'use': 0.04, 'pause': 0.04, 'start': 0.02, 'finish': 0.04}


def corridor_world(length=5, name='corridor', keys=('a', 'd', 'x'),
                   names=('left', 'right', 'stay'), state_names=None, **looks):
    """States 0 .. length - 1 in a row; the last one is called "the end" unless told otherwise."""
    states = np.arange(length)
    successors = np.stack([np.maximum(states - 1, 0), np.minimum(states + 1, length - 1), states],
                          axis=1)
    if state_names is None:
        state_names = (*(f'cell {state}' for state in range(length - 1)), 'the end')
    mdp = Mdp.from_successors(successors, 0.9)
    return World(name, mdp, mdp.checked_start(None),
                 Appearance(names, keys, state_names=state_names, **looks))


def corridor_task(length=5, gamma_hat=0.9, prior=None, **looks):
    """Go to one of the states; the first may be worth 1 or 2, which is the same to do."""
    world = corridor_world(length, **looks)
    dense = np.vstack([np.identity(length), 2.0 * np.identity(length)[:1]])
    weights = np.ones(length + 1) if prior is None else np.asarray(prior, dtype=float)
    return Task(world, Candidates(
        world.mdp, Rewards.from_dense(dense, world.mdp.num_actions),
        np.log(weights / weights.sum()),
        (*(f'go to {state}' for state in range(length)), 'go to 0 for 2')), NoiseModel(gamma_hat))


TASK = corridor_task()
OPENED = []         # lessons, to be closed after a test


def open_lesson(path, task=TASK, *, stamp=1, asking=None, settings=None, taught=None,
                teacher=None, **options):
    """Return a lesson, which does not stop by itself unless told when."""
    learner = Learner(task, **{'stop': NEVER, **options})
    lesson = Lesson.open(task, learner, path, stamp=stamp, asking=asking, settings=settings,
                         beginning=Beginning(taught, teacher))
    OPENED.append(lesson)
    return lesson


def close_lessons():
    while OPENED:
        OPENED.pop().close()


def answer_to(question, rng, num_actions=3):
    """Return one of the answers that fit a question."""
    state, kind = int(question.state), question.kind
    action = int(rng.integers(num_actions))
    steps = DemonstrationAnswer(((state, action), (state, LEFT)))
    fitting = [DontKnowAnswer(question), LaterAnswer(question), steps]
    if kind is QuestionKind.ACTION:
        fitting += [ActionAnswer(state, action)] * 4 + [AllTheSameAnswer(state)]
    elif kind is QuestionKind.YES_NO:
        fitting += [YesNoAnswer(state, question.action, bool(rng.integers(2)))] * 5
    elif kind is QuestionKind.REWARD:
        fitting += [RewardAnswer(state, float(rng.normal()), question.action)] * 5
    elif kind is CONFIRM:
        fitting += [ConfirmAnswer(question, bool(rng.integers(2)))] * 4 \
            + [WrongHereAnswer(question, state)]
    elif kind in (QuestionKind.PLACE, QuestionKind.TASK):
        fitting += [offer.answer for offer in offers(question, 'abc', 'abc') if offer.key] \
            + [said(rng), GoHereAnswer((state,))]
    elif kind is QuestionKind.COMPARE:
        fitting += [CompareAnswer(question, int(rng.integers(3)))] * 4 + [said(rng)]
    else:
        fitting += [steps] * 4 + [AllTheSameAnswer(state)]
    return fitting[rng.integers(len(fitting))]


def said(rng, task=TASK):
    """Return something that may be said unasked of a whole task."""
    states = tuple(map(int, rng.choice(task.world.mdp.num_states, int(rng.integers(1, 4)),
                                       replace=False)))
    return [GoHereAnswer(states), NeverHereAnswer(states), OnTheWayAnswer(states),
            WordsAnswer('to the end', states)][rng.integers(4)]


def shown(number, rng, task=TASK):
    """Return what is shown unasked, most of it steps."""
    mdp = task.world.mdp
    if rng.integers(3) == 0:
        return DemonstrationRecord(f'shown-{number}', said(rng, task), 'page', False,
                                   1000 + number)
    steps = tuple((int(rng.integers(mdp.num_states)), int(rng.integers(mdp.num_actions)))
                  for _ in range(rng.integers(1, 4)))
    return DemonstrationRecord(f'shown-{number}', DemonstrationAnswer(steps), 'teleop',
                               bool(rng.integers(2)), 1000 + number)


def do_something(lesson, rng, number):
    """Let one of the things happen that can happen in a lesson; return its name."""
    happening = str(rng.choice(list(HAPPENINGS), p=list(HAPPENINGS.values())))
    if happening in ('undo', 'revise') and not lesson.answers:
        happening = 'answer'
    if happening == 'answer':
        question = lesson.ask(number)
        if question is None and (lesson.paused or lesson.learner.stop_reason is None):
            lesson.pause(False, number)     # who wants to answer wants to be asked
            return 'start'
        if question is None:
            return 'nothing'
        assert lesson.take(AnswerRecord(question.id, answer_to(question.question, rng), 'page',
                                        1000 + number))
    elif happening == 'show':
        assert lesson.watch(shown(number, rng))
    elif happening == 'undo':
        lesson.undo(number)
    elif happening in ('pause', 'start'):
        lesson.pause(happening == 'pause', number)
    elif happening in ('finish', 'ask_about') and lesson.learner.nothing_fits:
        return 'nothing'        # these are refused then
    elif happening == 'finish':
        lesson.finish(number)
    elif happening == 'revise':
        again = str(rng.choice(list(lesson.answers)))
        asked = Question(QuestionKind.ACTION, int(rng.integers(5))) \
            if again.startswith('shown-') else lesson.question_of(again)
        lesson.revise(AnswerRecord(again, answer_to(asked, rng), 'page', 1000 + number))
    elif happening == 'ask':
        lesson.ask(number)
    elif happening == 'use':        # the same settings, but what is open is asked no more
        lesson.use(lesson.learner.replay(()), lesson.asking, number)
    else:
        try:
            lesson.ask_about(int(rng.integers(5)), number)
        except InvalidQuestionError:
            return 'nothing'    # it was answered, and there is no other question
    return happening


def random_lesson(path, count, seed=0, asking=ALL_KINDS, **options):
    """Return a lesson, still open, in which so much has happened; its session is no surprise."""
    rng = np.random.default_rng(seed)
    with Journal(path) as journal:
        journal.append(event_to_json(Began('5e551017', TASK.hash, TASK.world.name, 0)))
    lesson = open_lesson(path, asking=asking, **options)
    for number in range(count):
        do_something(lesson, rng, number)
    return lesson
