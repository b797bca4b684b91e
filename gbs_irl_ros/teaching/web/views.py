"""
What the teaching page shows: sections, each a function of a ``LessonSnapshot``.

Something new to see is such a function and an entry in ``SECTIONS``. What it returns goes out as
JSON.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from dataclasses import asdict, fields
from typing import Any

import numpy as np

from gbs_irl_ros.core.answer_kind import Offer
from gbs_irl_ros.core.answers import ActionAnswer
from gbs_irl_ros.core.errors import GbsIrlError
from gbs_irl_ros.core.policy import Policy
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.core.stopping import DoneReason
from gbs_irl_ros.core.task_answers import GoHereAnswer
from gbs_irl_ros.languages.speaking import again, tr
from gbs_irl_ros.learning.execution_sentences import execution_text
from gbs_irl_ros.learning.json_values import to_json
from gbs_irl_ros.learning.records import (
    AnswerRecord,
    BeliefRecord,
    HistoryRecord,
    PlaceRecord,
    QuestionRecord,
)
from gbs_irl_ros.learning.sentences import forecast_text, region_words
from gbs_irl_ros.tasks.facets import facets_of
from gbs_irl_ros.tasks.layout import DISTANCES, LANE_NAMES, RIGHT, Layout
from gbs_irl_ros.tasks.place_words import road_words
from gbs_irl_ros.tasks.shown_place import place_states
from gbs_irl_ros.tasks.task import Task
from gbs_irl_ros.tasks.world import World
from gbs_irl_ros.teaching.choices import offered
from gbs_irl_ros.teaching.keys import action_keys
from gbs_irl_ros.teaching.lesson_snapshot import LessonSnapshot
from gbs_irl_ros.teaching.paths import StatePath, shown_ways
from gbs_irl_ros.teaching.reward_scale import reward_scale
from gbs_irl_ros.teaching.told import claim_text, question_text, rival_text, said_text, status_text
from gbs_irl_ros.teaching.web.facets import facets_view, ruled_out

MAX_NAMED = 50_000     # states whose names and rewards are sent to a page
MAX_STARTS = 100
FARTHEST = 1e9          # [m] that a robot can be away and still be drawn
MAX_LIKELY = 5
MAX_ACKNOWLEDGED = 100
MAX_STEPS_SHOWN = 50    # of what is being recorded
MAX_BITS = 53          # of a number in JavaScript: sets of more actions are not drawn
LEAST_SHOWN = 1e-9      # rewards that differ by less are the same

View = dict[str, Any]


# ---- sections -------------------------------------------------------------------------------


def world_view(world: World) -> View:
    """Return how a world looks."""
    looks, layout = world.appearance, world.layout
    starts = np.flatnonzero(world.start)
    return {
        'name': world.name, 'description': world.description.strip(), 'hash': world.hash,
        'picture': looks.picture.value, 'num_states': world.mdp.num_states,
        'actions': [{'name': name, 'key': key, 'direction': direction}
                    for name, key, direction in zip(looks.action_names, action_keys(world),
                                                    _directions(world), strict=True)],
        'answer_keys': _answer_keys(world),
        'cells': None if layout is None else _cells_view(world, layout),
        'floor': None if layout is None else _floor_view(world, layout),
        'names': list(looks.state_names) if is_listed(world) else [],
        'lanes': list(map(tr, LANE_NAMES)) if world.scene(0) is not None else [],
        'distances': DISTANCES,
        'regions': [{'name': name, 'states': states.tolist(),
                     'sign': ' '.join((name, *looks.synonyms.get(name, ())))}
                    for name, states in looks.regions.items()
                    if 0 < len(states) <= world.mdp.num_states // 2],
        'starts': starts.tolist() if len(starts) <= MAX_STARTS else []}


def _floor_view(world: World, layout: Layout) -> View | None:
    """Return the picture under the cells, with its edges in cells from the upper left corner."""
    floor = world.appearance.floor
    if floor is None:
        return None
    left, right, bottom, top = floor.extent
    west, _, _, north = layout.extent
    return {'png': base64.b64encode(floor.png).decode(),
            'left': (left - west) / layout.cell_size, 'top': (north - top) / layout.cell_size,
            'columns': (right - left) / layout.cell_size,
            'rows': (top - bottom) / layout.cell_size}


def is_listed(world: World) -> bool:
    """Return whether a page shows all states at once; of a road it shows one at a time."""
    return world.scene(0) is None and world.mdp.num_states <= MAX_NAMED


def question_view(record: QuestionRecord, task: Task) -> View:
    """Return a question and why it is asked."""
    question, world = record.question, task.world
    return {
        **_question_part(record, world), 'session': record.session,
        'groups': _groups(question, task),
        'stays': question.action is not None and bool(world.stays[question.state,
                                                                  question.action]),
        'place': world.state_name(question.state), 'scene': scene_view(world, question.state),
        'where': '' if (scene := world.scene(question.state)) is None
        else road_words(scene, tuple(map(tr, LANE_NAMES))),
        'courses': [course_view(way, world) for way in shown_ways(world, question)],
        'offers': offers_view(question, world, reward_scale(task, question)
                              if question.kind is QuestionKind.REWARD else ()),
        'rivals': [{**asdict(rival), 'answer': rival_text(rival), 'actions': [
            action for action in rival.actions if action < world.mdp.num_actions]}
            for rival in record.rivals]}


def _groups(question: Question, task: Task) -> list[str]:
    """Return where each of the tasks leads that are offered, by name; none if that is unclear."""
    facets = facets_of(task.candidates, task.world) if question.kind is QuestionKind.TASK else None
    if facets is None or not facets.regions:
        return []
    return [region_words(facets.places[facets.place_of[option]], task.world)
            for option in question.options if facets.place_of[option] >= 0]


def scene_view(world: World, state: int) -> View | None:
    """Return a state of the road, None for other worlds."""
    scene = world.scene(state)
    return None if scene is None else {'own': scene.own, 'cars': [list(car) for car in scene.cars]}


def belief_view(belief: BeliefRecord, task: Task | None) -> View:
    """Return how far the lesson is."""
    likely: list[View] = []
    facets = None
    if task is not None and len(belief.probabilities) == task.rewards.num_rewards:
        # First the one whose policy is shown, also where others are exactly as likely.
        favours = belief.probabilities.copy()
        favours[belief.map_hypothesis] = np.inf
        order = np.argsort(-favours, kind='stable')[:MAX_LIKELY]
        listed = 1.0 - belief.none_of_these
        likely = [{'number': int(number), 'name': task.candidates.name(int(number)),
                   'probability': float(listed * belief.probabilities[number])}
                  for number in order]
        facets = facets_view(task, listed * belief.probabilities)
    # Texts and numbers go as they are; those of the moment of sending would be news each time.
    plain = {each.name: value for each in fields(belief)
             if isinstance(value := getattr(belief, each.name), (str, int, float))
             and each.name not in ('stamp', 'sequence')}
    return {
        **plain, 'status': belief.status.value, 'text': status_text(belief),
        'claim': claim_text(belief),
        'certainty': belief.sure, 'likely': likely, 'facets': facets,
        'tasks': len(belief.probabilities), 'ruled_out': ruled_out(belief.probabilities),
        'left': forecast_text(belief.forecast),
        'endless': belief.forecast is not None and not belief.forecast.has_end,
        'question': belief.question_id, 'unexplained': list(belief.unexplained),
        'acknowledged': list(belief.acknowledged[-MAX_ACKNOWLEDGED:]),
        'settled': belief.reason is DoneReason.GOOD_ENOUGH}


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


def history_view(history: HistoryRecord, world: World | None = None) -> View:
    """Return what was asked and said."""
    entries = []
    for entry in history.entries:
        asked = entry.question
        entries.append({
            'place': _place_view(entry.answer, world),
            'id': entry.answer.id, 'said': said_text(entry, world), 'correction': entry.correction,
            'answer': None if not isinstance(entry.answer, AnswerRecord)
            else to_json(entry.answer.answer), 'by': entry.answer.by,
            'question': None if asked is None else _question_part(asked, world)})
    return {'session': history.session, 'total': history.total, 'entries': entries}


def _place_view(shown: Any, world: World | None) -> View | None:
    """Return a place for which tasks were built, None for everything else."""
    if not isinstance(shown, PlaceRecord) or world is None:
        return None
    place = shown.place
    return {'kind': 'never_here' if place.keep_off else 'go_here',
            'states': place_states(place, world).tolist()}


def course_view(course: StatePath, world: World) -> View:
    """Return a way through the world."""
    return {'states': list(course.states), 'actions': list(course.actions), 'end': course.end,
            'scenes': [scene_view(world, state) for state in course.states]
            if world.scene(0) is not None else []}


def offers_view(question: Question, world: World, scale: Sequence[Offer] = ()) -> list[View]:
    """Return the answers to a question that have a button; a page sends back one of them as is."""
    marks = [{**_offer_view(offer, world), 'text': offer.label} for offer in scale]
    return marks + [_offer_view(offer, world) for offer in offered(question, world)]


def robot_view(lesson: LessonSnapshot) -> View:
    """Return where the robot is, and what it and a person do."""
    execution, recorded, forbidden = lesson.execution, lesson.recorded or (), lesson.forbidden
    return {
        'learner': lesson.learner_lives, 'controller': lesson.has_controller,
        'pose': _pose_view(lesson), 'state': lesson.robot,
        'status': None if execution is None else execution.status.value,
        'reason': None if execution is None else execution.reason.value,
        'text': '' if execution is None else execution_text(
            execution, tr('press Start'), lesson.world),
        'forbidden': None if forbidden is None
        else {'question': forbidden.question, 'key': forbidden.key},
        'driving': lesson.driving, 'gave_up': again(lesson.gave_up), 'corrects': lesson.corrects,
        'stops_without_page': lesson.stops_without_page,
        'recording': lesson.recorded is not None, 'num_steps': len(recorded),
        'steps': [list(step) for step in recorded[-MAX_STEPS_SHOWN:]]}


def _world_section(lesson: LessonSnapshot) -> View | None:
    return None if lesson.world is None else world_view(lesson.world)


def _question_section(lesson: LessonSnapshot) -> View | None:
    task, record = lesson.task, lesson.question
    if task is None or record is None:
        return None
    try:
        record.question.check_fits(task.world.mdp)
    except GbsIrlError:     # it was about the task before
        return None
    return question_view(record, task)


def _here_section(lesson: LessonSnapshot) -> View | None:
    """Return what the robot would do where it asks."""
    question, record = lesson.question, lesson.policy
    if question is None or record is None \
            or question.question.state >= record.policy.num_states:
        return None
    return here_view(record.policy, question.question.state)


def _belief_section(lesson: LessonSnapshot) -> View | None:
    belief, task = lesson.belief, lesson.task
    if belief is None:
        return None
    return {**belief_view(belief, task if _is_about(belief, task) else None),
            'misfit': lesson.nothing_fits_text, 'can_invent': lesson.can_invent}


def _policy_section(lesson: LessonSnapshot) -> View | None:
    task, record, belief = lesson.task, lesson.policy, lesson.belief
    if task is None or record is None:
        return None
    return policy_view(record.policy, record.final, task,
                       belief if belief is not None and _is_about(belief, task) else None)


def _no_task_section(lesson: LessonSnapshot) -> View | None:
    return None if lesson.task is not None or lesson.no_task is None \
        else {'why': lesson.status_text, 'failed': lesson.no_task[1]}


def _named_section(lesson: LessonSnapshot) -> list[View]:
    return [{'name': name, 'states': list(states)} for name, states in lesson.named]


def _history_section(lesson: LessonSnapshot) -> View | None:
    return None if lesson.history is None else history_view(
        lesson.history, lesson.world)


def _is_about(belief: BeliefRecord, task: Task | None) -> bool:
    return task is not None and belief.task_hash == task.hash


# Each section: the parts of a snapshot that it depends on, and what it shows; without parts it is
# computed again each time.
SECTIONS: dict[str, tuple[tuple[str, ...], Callable[[LessonSnapshot], Any]]] = {
    'no_task': (('task', 'no_task'), _no_task_section),
    'world': (('task',), _world_section),
    'named': (('named',), _named_section),
    'question': (('task', 'question'), _question_section),
    'here': (('question', 'policy'), _here_section),
    'belief': (('task', 'belief', 'history'), _belief_section),
    'policy': (('task', 'policy', 'belief'), _policy_section),
    'history': (('task', 'history'), _history_section),
    'robot': ((), robot_view)}


# ---- parts of views -------------------------------------------------------------------------

def _offer_view(offer: Offer, world: World) -> View:
    return {'key': offer.key, 'action': offer.action, 'aside': offer.answer.aside,
            'text': _words(offer, world), 'answer': to_json(offer.answer)}


def _words(offer: Offer, world: World) -> str:
    said = offer.label if isinstance(offer.answer, (ActionAnswer, GoHereAnswer)) \
        else offer.answer.words(world.appearance.action_names)
    return said.replace("'", '’')


def _answer_keys(world: World) -> View:
    """Return what the keys mean that answers have in every world."""
    way = ((0, 0),)
    asked = [*(Question(kind, 0) for kind in (QuestionKind.ACTION, QuestionKind.REWARD,
                                              QuestionKind.DEMONSTRATION, QuestionKind.PLACE)),
             Question(QuestionKind.YES_NO, 0, 0),       # closing questions have the same keys
             Question(QuestionKind.COMPARE, 0, route=way, other_route=way)]
    meant: dict[str, dict[str, None]] = {}
    for question in asked:
        for offer in offered(question, world):
            if not isinstance(offer.answer, ActionAnswer):
                meant.setdefault(offer.key, {})[_words(offer, world)] = None
    return {key: f', {tr("or")} '.join(words) for key, words in meant.items()}


def _question_part(record: QuestionRecord, world: World | None) -> View:
    return {'id': record.id, 'number': record.number, **to_json(record.question),
            'sentence': question_text(record, world)}


def _cells_view(world: World, layout: Layout) -> View:
    """Return the cells; walls as [row, column, side]: 0 at the right, 1 below."""
    return {'columns': layout.shape[1], 'rows': layout.shape[0], 'first': list(layout.first),
            **({'states': layout.states.ravel().tolist()} if is_listed(world)
               else {'runs': _runs(layout.states.ravel())}),
            'walls': [[row, column, 0 if side == RIGHT else 1]
                      for row, column, side, one_way in layout.walls(world.mdp.transitions)
                      if not one_way]}


def _runs(states: np.ndarray) -> list[list[int]]:
    """Return the states of all cells in short: [first state, or -1 for walls; how many cells]."""
    goes_on = np.where(states[:-1] < 0, states[1:] < 0, states[1:] == states[:-1] + 1)
    starts = np.concatenate([[0], np.flatnonzero(~goes_on) + 1])
    return np.column_stack([states[starts], np.diff([*starts, len(states)])]).tolist()


def _pose_view(lesson: LessonSnapshot) -> list[float] | None:
    """Return column, row and heading [degrees, clockwise from the right] on the layout."""
    if lesson.pose is None or lesson.world is None:
        return None
    positions, size = lesson.world.appearance.positions, lesson.world.appearance.cell_size
    if positions is None or size <= 0.0:
        return None
    (x, y, yaw), left, top = lesson.pose, positions[:, 0].min(), positions[:, 1].max()
    if max(abs(x), abs(y)) > FARTHEST:
        return None
    return [round(float((x - left) / size), 2), round(float((top - y) / size), 2),
            round(float(-np.degrees(yaw)))]


def _directions(world: World) -> list[list[int] | None]:
    """Return for each action its usual step on the layout, [right, down]; None without one."""
    if world.layout is None or world.usual_steps is None:
        return [None] * world.mdp.num_actions
    return [[round(right), round(-up)] for right, up in world.usual_steps.tolist()]
