"""The demonstrator node: a simulated teacher, for trials and tests."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gbs_irl_ros.core.answers import Answer, DontKnowAnswer
from gbs_irl_ros.core.errors import GbsIrlError, InvalidOptionError
from gbs_irl_ros.core.hypotheses import Candidates
from gbs_irl_ros.core.questions import QuestionKind
from gbs_irl_ros.core.teacher import SimulatedTeacher
from gbs_irl_ros.core.teachers import TEACHERS, answer_of, make_teacher
from gbs_irl_ros.learning.records import QuestionRecord
from gbs_irl_ros.learning.written_options import LIKE, read_options
from gbs_irl_ros.ros.base_node import SAME_LINE_EVERY_S, BaseNode, NodeParameters
from gbs_irl_ros.ros.diagnostics import Health, Level
from gbs_irl_ros.ros.executors import WaitingExecutor
from gbs_irl_ros.ros.links.lesson_topics import LessonWatcher
from gbs_irl_ros.ros.links.questions import serve_questions
from gbs_irl_ros.ros.parameters import parameter
from gbs_irl_ros.ros.running import run_node
from gbs_irl_ros.tasks import load_task_file
from gbs_irl_ros.tasks.task_file import DEFAULT_TASK, TaskFile
from gbs_irl_ros.teaching.question_box import QuestionBox

LOOK_EVERY_S = 0.2


@dataclass(frozen=True)
class DemonstratorParameters(NodeParameters):
    """Parameters of the demonstrator node."""

    task: str = parameter(
        DEFAULT_TASK, 'The task file: it says which hypothesis the teacher means.')
    allow_large: bool = parameter(
        False, 'Load the task even if it needs more than 2 GB or 5 s.')
    teacher: str = parameter(
        SimulatedTeacher.name,
        'Who answers: simulated errs at a constant rate, boltzmann shows actions by their values.',
        choices=TEACHERS)
    teacher_options: str = parameter(
        '', 'Options of the teacher, such as "eta=5" for boltzmann, several with commas; JSON for '
            'values of any type.')
    accuracy: float = parameter(
        0.9, 'Chance of a right answer, in [0, 1].', low=0.0, high=1.0)
    reward_noise: float = parameter(
        0.0, 'Spread of reward answers: they are normal with half of it as variance.', low=0.0)
    dont_know: float = parameter(
        0.0, 'Chance of the answer "I don\'t know", in [0, 1].', low=0.0, high=1.0)
    says_either: bool = parameter(
        False, 'Name all right actions where there are several.')
    delay: float = parameter(0.0, 'How long the teacher thinks [s].', low=0.0, high=3600.0)
    seed: int = parameter(0, 'Random seed of the answers.', low=0)


class DemonstratorNode(BaseNode[DemonstratorParameters]):
    """
    Answers the learner's questions as a teacher would who means one of the hypotheses.

    The answer to a question depends on the seed and on the question's number alone, and is the
    same however often it is asked.

    Serves: query_demonstrator (QueryDemonstrator). Subscribes: world (World), belief (Belief).
    Parameters: see DemonstratorParameters.
    """

    def __init__(self, **node_options: Any) -> None:
        super().__init__('demonstrator', DemonstratorParameters, **node_options)
        self._teacher: SimulatedTeacher | None = None
        self._file: TaskFile | None = None
        self._task_hash = ''
        self._status_text = 'not ready'
        self._ending = threading.Event()
        self.declared.on_change(self._prepare)
        if self.parameters is not None:
            try:
                self._prepare(self.parameters)
            except GbsIrlError as error:
                self._status_text = f'cannot teach: {error}'
                self.get_logger().error(self._status_text)
        self._question_box = QuestionBox()
        self._watcher = LessonWatcher(self, self._on_lesson, 'world', 'belief')
        serve_questions(self, self._question_box, lambda _: self._why_not())
        threading.Thread(target=self._teach, daemon=True).start()

    def health(self) -> Health:
        """Return whether the teacher can answer."""
        return Health(Level.ERROR if self._why_not() else Level.OK,
                      self._why_not() or self._status_text, {'kept': self._question_box.num_kept})

    def finish(self) -> None:
        """Wake a teacher who is still thinking, and who waits for the answer."""
        self._ending.set()
        self._question_box.close()

    def _prepare(self, parameters: DemonstratorParameters) -> None:
        file = load_task_file(parameters.task, allow_large=parameters.allow_large)
        self._teacher = replace(
            teacher_of(file, parameters.accuracy, parameters.reward_noise, parameters.teacher,
                       read_options(parameters.teacher_options)),
            says_either=parameters.says_either)
        self._file, self._task_hash = file, file.task.hash
        self._status_text = (f'teaching task {file.task.world.name!r}, right with probability '
                             f'{parameters.accuracy:g}')
        self.get_logger().info(self._status_text)

    def _on_lesson(self, part: str) -> None:
        if part == 'belief':
            self._question_box.acknowledge(self._watcher.belief.acknowledged)
        elif self._mismatch():
            self.get_logger().error(self._mismatch())

    def _mismatch(self) -> str:
        served = self._watcher.world
        if served is None or served.hash in ('', self._task_hash):
            return ''
        return ('the mdp node serves another task than this teacher knows: give both the same '
                'file by the parameter `task`')

    def _why_not(self) -> str:
        """Return why this teacher cannot answer, '' if he can."""
        ready = self._teacher is not None and self.parameters is not None
        return self._mismatch() or ('' if ready else self._status_text)

    def _teach(self) -> None:
        """Answer question after question, thinking about each."""
        while not self._ending.is_set():
            question = self._question_box.wait_for_question(timeout_s=LOOK_EVERY_S)
            teacher, parameters = self._teacher, self.parameters
            if question is None or teacher is None or parameters is None:
                continue
            try:
                answer = self._answer(question, teacher, parameters)
                if not self._ending.wait(parameters.delay):
                    self._question_box.answer(question.id, answer, self.get_name(), self.stamp())
            except GbsIrlError as error:
                if self._question_box.question is question:     # and not another one by now
                    self._question_box.withdraw('')
                self.get_logger().warning(f'no answer: {error}',
                                          throttle_duration_sec=SAME_LINE_EVERY_S)

    def _answer(self, record: QuestionRecord, teacher: SimulatedTeacher,
                parameters: DemonstratorParameters) -> Answer:
        rng = np.random.default_rng([parameters.seed, record.number])
        if rng.random() < parameters.dont_know:
            return DontKnowAnswer(record.question)
        if record.question.kind is QuestionKind.TASK and self._file is not None:
            teacher = replace(teacher, tasks=meant_among(
                self._file, record.question.options, teacher.optimal_sets))
        return answer_of(teacher, record.question, rng)


def teacher_of(file: TaskFile, accuracy: float, reward_noise: float = 0.0,
               name: str = SimulatedTeacher.name,
               options: Mapping[str, Any] | None = None) -> SimulatedTeacher:
    """Return a teacher who means what a task file says."""
    world, truth = file.task.world, file.truth
    goals = np.zeros(world.mdp.num_states, dtype=bool)
    goals[file.task.goal_states(truth.index)] = True
    if truth.never is not None and not TEACHERS[name].avoids:
        raise InvalidOptionError(f'the teacher {name!r} knows values alone, and {truth.name!r} '
                                 'must never enter some states')
    known = SimulatedTeacher.for_reward(world.mdp, truth.reward, never=truth.never)
    try:
        teacher = make_teacher(name, known.mdp, known.reward, known.optimal_sets, accuracy,
                               reward_noise, **(options or {}))
    except TypeError:
        raise InvalidOptionError(f'teacher_options {LIKE}, got {options}') from None
    return replace(teacher, choices=world.choices, goals=goals if goals.any() else None,
                   tasks=_of_that_name(file))


def _of_that_name(file: TaskFile) -> frozenset[int]:
    """Return the numbers of the tasks that are called like what is meant."""
    candidates = file.task.candidates
    name = candidates.name(file.truth.index)
    return frozenset(number for number in range(candidates.num_rewards)
                     if candidates.name(number) == name)


def meant_among(file: TaskFile, options: Sequence[int],
                optimal_sets: np.ndarray) -> frozenset[int]:
    """
    Return which of some tasks are what the teacher means: called like it, or done alike.

    What has been added to the list during a lesson is not known here.

    :param optimal_sets: ``[S]``, what is optimal under what is meant, as bits.
    """
    candidates = file.task.candidates
    listed = np.array([task for task in options if task < candidates.num_rewards], dtype=int)
    if not len(listed):
        return frozenset()
    found = Candidates.of(
        candidates.mdp, candidates.rewards.rows(listed),
        never=None if candidates.never is None else candidates.never[listed]).planned()
    alike = [int(task) for task, policy in zip(listed, found.policy_of_reward, strict=True)
             if np.array_equal(found.sets.policy_sets(int(policy)), optimal_sets)]
    return _of_that_name(file) | frozenset(alike)


def main() -> None:
    """Run the node."""
    run_node(DemonstratorNode, executor=WaitingExecutor)


if __name__ == '__main__':
    main()
