"""What a page shows of a lesson, as values that JSON knows; and what it sends back, as answers."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from gbs_irl_ros.core.answers import (
    ActionAnswer,
    AllTheSameAnswer,
    Answer,
    DemonstrationAnswer,
    DontKnowAnswer,
    LaterAnswer,
    RewardAnswer,
    YesNoAnswer,
)
from gbs_irl_ros.core.errors import InvalidAnswerError
from gbs_irl_ros.core.policy import Policy
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.learning.json_values import to_json
from gbs_irl_ros.learning.records import BeliefRecord, DoneReason, HistoryRecord, QuestionRecord
from gbs_irl_ros.tasks.pictures.text_view import cell_layout
from gbs_irl_ros.tasks.task import Task
from gbs_irl_ros.tasks.world import Picture, World
from gbs_irl_ros.tasks.worlds.driver import DISTANCES, LANE_NAMES, scene_of
from gbs_irl_ros.teaching.keys import action_keys
from gbs_irl_ros.teaching.paths import StatePath
from gbs_irl_ros.teaching.reward_scale import reward_scale

MAX_NAMED = 50_000     # states whose names and rewards are sent to a page
MAX_STARTS = 100
MAX_LIKELY = 5
MAX_ACKNOWLEDGED = 100
MAX_BITS = 53          # of a number in JavaScript: sets of more actions are not drawn
LEAST_SHOWN = 1e-9      # rewards that differ by less are the same

View = dict[str, Any]


def world_view(world: World) -> View:
    """Return how a world looks."""
    looks, layout = world.appearance, cell_layout(world)
    starts = np.flatnonzero(world.start)
    return {
        'name': world.name, 'description': world.description.strip(), 'hash': world.hash,
        'picture': looks.picture.value, 'num_states': world.mdp.num_states,
        'actions': [{'name': name, 'key': key, 'direction': direction}
                    for name, key, direction in zip(looks.action_names, action_keys(world),
                                                    _directions(world), strict=True)],
        'cells': None if layout is None else _cells_view(world, layout),
        'names': list(looks.state_names) if is_listed(world) else [],
        'lanes': list(LANE_NAMES) if looks.picture is Picture.ROAD else [],
        'distances': DISTANCES,
        'regions': [{'name': name, 'states': states.tolist()}
                    for name, states in looks.regions.items()
                    if 0 < len(states) <= world.mdp.num_states // 2],
        'starts': starts.tolist() if len(starts) <= MAX_STARTS else []}


def is_listed(world: World) -> bool:
    """Return whether a page shows all states at once; of a road it shows one at a time."""
    return world.appearance.picture is not Picture.ROAD and world.mdp.num_states <= MAX_NAMED


def question_view(record: QuestionRecord, task: Task) -> View:
    """Return a question and why it is asked."""
    question, world = record.question, task.world
    return {
        **_question_part(record), 'session': record.session,
        'place': world.state_name(question.state), 'scene': scene_view(world, question.state),
        'scale': [asdict(mark) for mark in reward_scale(task, question)]
        if question.kind is QuestionKind.REWARD else [],
        'rivals': [{**asdict(rival), 'actions': [action for action in rival.actions
                                                 if action < world.mdp.num_actions]}
                   for rival in record.rivals]}


def scene_view(world: World, state: int) -> View | None:
    """Return a state of the road, None for other worlds."""
    if world.appearance.picture is not Picture.ROAD:
        return None
    scene = scene_of(state)
    return {'own': scene.own, 'cars': [list(car) for car in scene.cars]}


def belief_view(belief: BeliefRecord, task: Task | None) -> View:
    """Return how far the lesson is."""
    likely: list[View] = []
    if task is not None and len(belief.probabilities) == task.rewards.num_rewards:
        # First the one whose policy is shown, also where others are exactly as likely.
        favours = belief.probabilities.copy()
        favours[belief.map_hypothesis] = np.inf
        order = np.argsort(-favours, kind='stable')[:MAX_LIKELY]
        likely = [{'name': task.hypotheses.name(int(number)),
                   'probability': float(belief.probabilities[number])} for number in order]
    return {
        'session': belief.session, 'status': belief.status.value, 'text': belief.status_text,
        'certainty': belief.map_probability, 'likely': likely, 'answers': belief.answers,
        'left': belief.expected_questions, 'question': belief.question_id,
        'acknowledged': list(belief.acknowledged[-MAX_ACKNOWLEDGED:]),
        'certificate': belief.certificate, 'settled': belief.reason is DoneReason.GOOD_ENOUGH}


def policy_view(policy: Policy, final: bool, task: Task, belief: BeliefRecord | None) -> View:
    """Return what would be done in every state, and the reward expected there so far."""
    if not is_listed(task.world):
        return {'final': final, 'sets': [], 'sure': [], 'goals': [], 'reward': []}
    reward: list[float] = []
    if belief is not None and len(belief.probabilities) == task.rewards.num_rewards:
        by_state = task.rewards.mixtures(belief.probabilities).by_state(0)
        # What is shown is a colour: how much better or worse than most places, in two digits.
        differs = by_state - np.median(by_state)
        most = float(np.abs(differs).max())
        reward = np.round(differs / most, 2).tolist() if most > LEAST_SHOWN else []
    exact = policy.num_actions <= MAX_BITS
    return {'final': final, 'sets': policy.action_sets.tolist() if exact else [],
            'sure': np.round(policy.confidence, 2).tolist(),
            'goals': policy.goal_states.tolist(), 'reward': reward}


def here_view(policy: Policy, state: int) -> View:
    """Return what would be done in one state."""
    return {'actions': list(policy.actions(state)), 'sure': float(policy.confidence[state])}


def history_view(history: HistoryRecord) -> View:
    """Return what was asked and said."""
    entries = []
    for entry in history.entries:
        asked = entry.question
        entries.append({
            'id': entry.answer.id, 'said': entry.said, 'correction': entry.correction,
            'answer': to_json(entry.answer.answer), 'by': entry.answer.by,
            'question': None if asked is None else _question_part(asked)})
    return {'session': history.session, 'total': history.total, 'entries': entries}


def course_view(course: StatePath, world: World) -> View:
    """Return a way through the world."""
    return {'states': list(course.states), 'actions': list(course.actions), 'end': course.end,
            'scenes': [scene_view(world, state) for state in course.states]
            if world.appearance.picture is Picture.ROAD else []}


def answer_from_view(question: Question, kind: str, action: int | None = None,
                     reward: float | None = None,
                     steps: list[list[int]] | None = None) -> Answer:
    """Return the answer to a question that a page has sent; raise if it is none."""
    if kind == 'action' and question.kind is QuestionKind.ACTION and action is not None:
        return ActionAnswer(question.state, action)
    if kind in ('yes', 'no') and question.kind is QuestionKind.YES_NO:
        return YesNoAnswer(question.state, question.action or 0, kind == 'yes')
    if kind == 'reward' and question.kind is QuestionKind.REWARD and reward is not None:
        return RewardAnswer(question.state, reward, question.action)
    if kind == 'demonstration' and steps:
        return DemonstrationAnswer(tuple((state, act) for state, act in steps))
    if kind == 'all_the_same' and question.kind in (QuestionKind.ACTION,
                                                    QuestionKind.DEMONSTRATION):
        return AllTheSameAnswer(question.state)
    if kind == 'dont_know':
        return DontKnowAnswer(question)
    if kind == 'later':
        return LaterAnswer(question)
    raise InvalidAnswerError(
        f'an answer of kind {kind!r} with action {action}, reward {reward} and '
        f'{len(steps or ())} steps does not answer a question of kind {question.kind.value!r}')


def _question_part(record: QuestionRecord) -> View:
    question = record.question
    return {'id': record.id, 'number': record.number, 'kind': question.kind.value,
            'state': int(question.state),
            'action': None if question.action is None else int(question.action),
            'steps': int(question.steps), 'sentence': record.sentence}


def _cells_view(world: World, layout: np.ndarray) -> View:
    return {'columns': layout.shape[1], 'rows': layout.shape[0],
            'states': layout.ravel().tolist(), 'walls': _walls(world, layout)}


def _walls(world: World, layout: np.ndarray) -> list[list[int]]:
    """Return [row, column, side] of cells that no move joins to the next: 0 east, 1 south."""
    transitions, actions = world.mdp.transitions, world.mdp.num_actions
    size = world.mdp.num_states
    sources = np.repeat(np.arange(size), np.diff(transitions.indptr[::actions]))
    joined = np.unique(sources * size + transitions.indices)
    found: list[list[int]] = []
    for side, one, other in ((0, layout[:, :-1], layout[:, 1:]), (1, layout[:-1], layout[1:])):
        there = np.isin(one * size + other, joined) | np.isin(other * size + one, joined)
        for row, column in np.argwhere((one >= 0) & (other >= 0) & ~there):
            found.append([int(row), int(column), side])
    return found


def _directions(world: World) -> list[list[int] | None]:
    """Return for each action the commonest step on the layout, [right, down]; None without one."""
    looks = world.appearance
    if looks.positions is None or looks.cell_size <= 0.0:
        return [None] * world.mdp.num_actions
    found: list[list[int] | None] = []
    for targets in world.targets.T:
        moved = np.round((looks.positions[targets] - looks.positions) / looks.cell_size)
        moving = moved[np.any(moved != 0, axis=1)].astype(int)
        if not len(moving):
            found.append([0, 0])
            continue
        steps, counts = np.unique(moving, axis=0, return_counts=True)
        right, up = steps[np.argmax(counts)]
        found.append([int(right), int(-up)])
    return found
