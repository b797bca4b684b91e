"""`gbs-irl ask FILE`: teach a task in the terminal, without ROS."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np

from gbs_irl_ros.cli.progress import compile_with_progress
from gbs_irl_ros.core import (
    STRATEGIES,
    ActionAnswer,
    AllTheSameAnswer,
    Answer,
    DemonstrationAnswer,
    DontKnowAnswer,
    LaterAnswer,
    Learner,
    Question,
    QuestionKind,
    RewardAnswer,
    SimulatedTeacher,
    YesNoAnswer,
)
from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.tasks import Picture, Task, World, load_task, load_truth
from gbs_irl_ros.tasks.text_view import (
    ASKED,
    SEVERAL,
    cell_layout,
    legend,
    policy_marks,
    region_marks,
    world_as_text,
)

DONT_KNOW, LATER, SAME, UNDO, QUIT = '?', 'l', '=', 'u', 'q'
NON_ANSWERS = '? I do not know, l ask me later, u undo, q stop'
Reader = Callable[[str], str]


def add_ask(commands: Any) -> None:
    """Add the command to a parser."""
    parser = commands.add_parser('ask', help='teach a task here in the terminal')
    parser.add_argument('file', help='a task file, or the name of a task that comes with this')
    parser.add_argument('--strategy', default='gbs', choices=sorted(STRATEGIES),
                        help='how questions are chosen (default: %(default)s)')
    parser.add_argument('--seed', type=int, default=0, help='of all choices')
    parser.add_argument('--simulate', action='store_true',
                        help='let a simulated teacher answer, who means what the file says')
    parser.set_defaults(run=ask)


def ask(given: argparse.Namespace) -> int:
    """Ask until the learner knows enough or the person has had enough."""
    task = load_task(given.file)
    truth = load_truth(given.file) if given.simulate else None
    compile_with_progress(task)
    learner = Learner(task, given.strategy, given.seed)
    print(f'{task.world.name}: {task.world.description}')
    if truth is not None:
        teacher = SimulatedTeacher.for_reward(task.world.mdp, truth.reward,
                                              float(np.mean(task.noise.gamma_hat)))
        learner = _simulate(learner, task, teacher, np.random.default_rng(given.seed))
    else:
        learner = teach(learner, task, input)
    _print_result(learner, task)
    return 0


def teach(learner: Learner, task: Task, read: Reader) -> Learner:
    """Return the learner after a lesson; ``read`` shows a prompt and returns what was typed."""
    while (question := learner.ask()) is not None:
        print()
        print(_picture(task.world, question.state))
        print(sentence(question, task.world))
        print(f'{choices(question, task.world)}; {NON_ANSWERS}')
        try:
            typed = read('> ').strip()
        except EOFError:
            break
        if typed == QUIT:
            break
        try:
            learner = learner.undo() if typed == UNDO \
                else learner.tell(parse(typed, question, task.world))
        except GbsIrlError as error:
            print(error)
            continue
        print(_standing(learner, task))
    return learner


def _picture(world: World, state: int) -> str:
    """Return the world with its regions and the state that is asked about."""
    if cell_layout(world) is None:
        return world_as_text(world, {state: ASKED})
    drawing = world_as_text(world, {**region_marks(world), state: ASKED})
    return f'{drawing}\n{ASKED} here' + (f', {legend(world)}' if legend(world) else '')


def _standing(learner: Learner, task: Task) -> str:
    """Return what is known so far, in a sentence."""
    told = sum(not isinstance(answer, (DontKnowAnswer, LaterAnswer))
               for answer in learner.answers)
    answers = '1 answer' if told == 1 else f'{told} answers'
    if not told:
        return 'no answer yet: nothing is known'
    return (f'{answers}; the likeliest task so far: '
            f'{task.hypotheses.name(learner.map_reward)} ({learner.certainty:.0%})')


def sentence(question: Question, world: World) -> str:
    """Return the question as a person reads it."""
    place = world.state_name(question.state)
    where = f'at {place}' if world.appearance.picture is not Picture.ROAD else place
    if question.kind is QuestionKind.ACTION:
        return f'What should I do {where}?'
    if question.kind is QuestionKind.YES_NO:
        action = world.appearance.action_names[question.action or 0]
        return f'Is it right to do "{action}" {where}?'
    if question.kind is QuestionKind.REWARD:
        what = '' if question.action is None \
            else f'"{world.appearance.action_names[question.action]}" at '
        return f'How good is {what}{place}?'
    return f'Show me {question.steps} steps from {place}.'


def choices(question: Question, world: World) -> str:
    """Return what may be typed."""
    looks = world.appearance
    if question.kind is QuestionKind.YES_NO:
        return 'y yes, n no'
    if question.kind is QuestionKind.REWARD:
        return 'a number: the more the better, 0 for neither good nor bad'
    listed = ', '.join(f'{key or number} {name}' for number, (key, name) in enumerate(
        zip(looks.action_keys, looks.action_names, strict=True)))
    several = '; several with spaces between' if question.kind is QuestionKind.DEMONSTRATION \
        else f', {SAME} all the same'
    return f'{listed} (key or word){several}'


def parse(typed: str, question: Question, world: World) -> Answer:
    """Return the answer that was typed; raise with what to type if it is none."""
    state = question.state
    if typed == DONT_KNOW:
        return DontKnowAnswer(question)
    if typed == LATER:
        return LaterAnswer(question)
    if question.kind is QuestionKind.YES_NO and typed.lower() in ('y', 'yes', 'n', 'no'):
        return YesNoAnswer(state, question.action or 0, typed.lower() in ('y', 'yes'))
    if question.kind is QuestionKind.REWARD:
        try:
            return RewardAnswer(state, float(typed), question.action)
        except ValueError:
            raise GbsIrlError(f'not understood, got {typed!r}; expected a number') from None
    if typed == SAME and question.kind is QuestionKind.ACTION:
        return AllTheSameAnswer(state)
    if question.kind is QuestionKind.ACTION:
        return ActionAnswer(state, _action(typed, world))
    if question.kind is QuestionKind.DEMONSTRATION:
        return DemonstrationAnswer(_walk(state, typed.split(), world))
    raise GbsIrlError(f'not understood, got {typed!r}; expected {choices(question, world)}')


def _walk(state: int, words: list[str], world: World) -> tuple[tuple[int, int], ...]:
    """Return the steps of these actions, each leading where it most likely does."""
    steps = []
    for word in words:
        action = _action(word, world)
        steps.append((state, action))
        row = world.mdp.transitions[state * world.mdp.num_actions + action]
        state = int(row.indices[np.argmax(row.data)])
    return tuple(steps)


def _action(word: str, world: World) -> int:
    looks = world.appearance
    for table in (looks.action_keys, looks.action_names):
        for spelt in (word, word.lower()):
            if spelt and spelt in table:
                return table.index(spelt)
    begun = [name for name in looks.action_names if word and name.startswith(word.lower())]
    if len(begun) == 1:
        return looks.action_names.index(begun[0])
    if word.isdigit() and int(word) < world.mdp.num_actions and not any(looks.action_keys):
        return int(word)
    known = [key or name
             for key, name in zip(looks.action_keys, looks.action_names, strict=True)]
    raise GbsIrlError(f'no such action, got {word!r}; expected one of {known}')


def _simulate(learner: Learner, task: Task, teacher: SimulatedTeacher,
              rng: np.random.Generator) -> Learner:
    while (question := learner.ask()) is not None:
        answer = teacher.answer(question, rng)
        learner = learner.tell(answer)
        print(f'{sentence(question, task.world)} {_told(answer, task.world)}  '
              f'[{task.hypotheses.name(learner.map_reward)}: {learner.certainty:.0%}]')
    return learner


def _told(answer: Answer, world: World) -> str:
    if isinstance(answer, ActionAnswer):
        return world.appearance.action_names[answer.action]
    if isinstance(answer, YesNoAnswer):
        return 'yes' if answer.yes else 'no'
    if isinstance(answer, RewardAnswer):
        return f'{answer.reward:.3g}'
    return str(answer)


def _print_result(learner: Learner, task: Task) -> None:
    print()
    print(_standing(learner, task))
    print(f'no more questions: {learner.stop_reason}' if learner.stop_reason
          else 'the lesson is not finished: there are more questions')
    print(world_as_text(task.world, policy_marks(task.world, learner.policy)))
    print(f'{SEVERAL} several actions are as good')
