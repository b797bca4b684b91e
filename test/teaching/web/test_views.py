"""What a page shows and sends back: by hand for small worlds, then a contract for every task."""

from __future__ import annotations

import base64
import json
from functools import cache

import numpy as np
import pytest
from cases import for_each
from small_lessons import LEFT, RIGHT, corridor_task, corridor_world

from gbs_irl_ros.core.answers import (
    ActionAnswer,
    AllTheSameAnswer,
    DemonstrationAnswer,
    DontKnowAnswer,
    LaterAnswer,
    RewardAnswer,
    YesNoAnswer,
    check_answers,
)
from gbs_irl_ros.core.hypotheses import Candidates
from gbs_irl_ros.core.mdp import Mdp
from gbs_irl_ros.core.noise import NoiseModel
from gbs_irl_ros.core.policy import Policy
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.core.rewards import Rewards
from gbs_irl_ros.core.stopping import DoneReason
from gbs_irl_ros.core.theory.forecast import Forecast
from gbs_irl_ros.learning.json_values import answer_from_json
from gbs_irl_ros.learning.records import (
    AnswerRecord,
    BeliefRecord,
    HistoryEntry,
    HistoryRecord,
    QuestionRecord,
    Rival,
    Status,
)
from gbs_irl_ros.tasks import load_task, shipped_tasks
from gbs_irl_ros.tasks.layout import LANE_NAMES
from gbs_irl_ros.tasks.task import Task
from gbs_irl_ros.tasks.world import Appearance, Picture, World
from gbs_irl_ros.tasks.worlds.cells import Grid, grid_appearance, walls_between
from gbs_irl_ros.teaching.keys import action_keys
from gbs_irl_ros.teaching.lesson_snapshot import LessonSnapshot
from gbs_irl_ros.teaching.paths import StatePath, walk
from gbs_irl_ros.teaching.web import views
from gbs_irl_ros.teaching.web.views import (
    MAX_ACKNOWLEDGED,
    MAX_LIKELY,
    MAX_STARTS,
    _runs,
    belief_view,
    course_view,
    here_view,
    history_view,
    is_listed,
    policy_view,
    question_view,
    scene_view,
    world_view,
)

TASKS = sorted(shipped_tasks())
FIVE = ('north', 'east', 'south', 'west', 'stay')
LARGEST = 1_000_000     # characters that a page is sent at once


@cache
def task_of(name):
    return load_task(name)


def floor(*rows, walls=(), actions=FIVE):
    """A world of cells; walls are pairs of neighbours, each as column and row from the top."""
    free = np.array([[character != '#' for character in row] for row in rows])
    blocked = walls_between(free.shape, np.array(walls).reshape(-1, 2, 2))
    grid = Grid(free, blocked, 0.5)
    mdp = grid.mdp(actions, 0.9)
    return World('drawn', mdp, None, grid_appearance(grid, actions), ' A floor. ')


def sent(view):
    """The view as it arrives at a page; nothing may be lost on the way."""
    text = json.dumps(view, allow_nan=False)
    assert len(text) < LARGEST
    assert json.loads(text) == view
    return text


def some_policy(world, rng):
    count, actions = world.mdp.num_states, world.mdp.num_actions
    return Policy(rng.integers(1, 1 << actions, count), rng.random(count),
                  rng.choice(count, 3), actions)


def belief(probabilities=(), **others):
    given = np.asarray(probabilities, dtype=float)
    return BeliefRecord(**{
        'session': 's', 'sequence': 1, 'task_hash': 'h', 'status': Status.ASKING,
        'status_text': 'asking', 'probabilities': given, 'map_hypothesis': 0,
        'map_probability': float(given.max(initial=0.0)), 'entropy': 1.0, 'answers': 2, **others})


def questions(task, state=0, action=0):
    """One question of each kind; of a reward, also about an action."""
    kinds = [Question(QuestionKind.ACTION, state), Question(QuestionKind.YES_NO, state, action),
             Question(QuestionKind.REWARD, state),
             Question(QuestionKind.DEMONSTRATION, state, steps=3)]
    return kinds + ([Question(QuestionKind.REWARD, state, action)] if task.rewards.per_action
                    else [])


def record(question, number=4):
    return QuestionRecord('q-4', 'session', number, question, 'What now?',
                          (Rival('go to 1', 0.75, (0, 1), 1.0), Rival('go to 2', 0.25, (1,), 0.5)))


# ---- worlds ---------------------------------------------------------------------------------

class TestWorld:
    def test_a_world_without_cells_is_a_list_of_names(self):
        view = world_view(corridor_world(3))
        assert view == {
            'name': 'corridor', 'description': '', 'hash': '', 'picture': 'list',
            'num_states': 3, 'cells': None, 'floor': None,
            'names': ['cell 0', 'cell 1', 'the end'],
            'actions': [{'name': 'left', 'key': 'a', 'direction': None},
                        {'name': 'right', 'key': 'd', 'direction': None},
                        {'name': 'stay', 'key': 'x', 'direction': None}],
            'answer_keys': {'i': 'I don’t know', '=': 'any direction is fine, or either way',
                            'l': 'ask me later', '0': 'none of these', 'y': 'yes', 'n': 'no',
                            '1': 'the first way', '2': 'the second way'},
            'lanes': [], 'distances': 5, 'regions': [], 'starts': [0, 1, 2]}

    def test_cells_stand_as_they_are_seen_from_above(self):
        view = world_view(floor('..#', '.#.'))
        assert view['cells'] == {'columns': 3, 'rows': 2, 'first': [0, 0],
                                 'states': [0, 1, -1, 2, -1, 3], 'walls': []}
        assert view['description'] == 'A floor.'

    def test_actions_point_where_they_lead(self):
        view = world_view(floor('...', '...'))
        assert {each['name']: each['direction'] for each in view['actions']} == {
            'north': [0, -1], 'east': [1, 0], 'south': [0, 1], 'west': [-1, 0], 'stay': [0, 0]}

    def test_a_wall_between_two_cells_is_drawn_once(self):
        """Between the upper two in the east, and below the upper left one in the south."""
        view = world_view(floor('..', '..', walls=[[[0, 0], [1, 0]], [[0, 0], [0, 1]]]))
        assert sorted(view['cells']['walls']) == [[0, 0, 0], [0, 0, 1]]

    def test_where_a_move_is_possible_in_one_direction_there_is_no_wall(self):
        blocked = walls_between((1, 2), np.zeros((0, 2, 2), dtype=int))
        blocked['east'][0, 0] = True
        grid = Grid(np.ones((1, 2), dtype=bool), blocked, 1.0)
        mdp = grid.mdp(FIVE, 0.9)
        view = world_view(World('valve', mdp, None, grid_appearance(grid, FIVE)))
        assert view['cells']['walls'] == []

    def test_regions_that_are_most_of_the_world_say_nothing(self):
        regions = {'door': np.array([1, 2]), 'nearly all': np.arange(4), 'nowhere': np.array([])}
        assert world_view(corridor_world(regions=regions))['regions'] == [
            {'name': 'door', 'states': [1, 2], 'sign': 'door'}]

    def test_starts_are_shown_if_they_are_few(self):
        assert len(world_view(corridor_world(MAX_STARTS))['starts']) == MAX_STARTS
        assert world_view(corridor_world(MAX_STARTS + 1))['starts'] == []

    def test_names_of_very_many_states_are_not_sent(self, monkeypatch):
        monkeypatch.setattr(views, 'MAX_NAMED', 4)
        assert is_listed(corridor_world(4))
        assert not is_listed(corridor_world(5))
        assert world_view(corridor_world(5))['names'] == []

    def test_a_road_is_shown_one_state_at_a_time(self):
        world = task_of('driver').world
        view = world_view(world)
        assert (view['names'], view['cells']) == ([], None)
        assert view['lanes'] == list(LANE_NAMES)
        assert scene_view(world, 0) == {'own': 0, 'cars': [[1, 0], [1, 0], [1, 0]]}
        assert scene_view(corridor_world(), 0) is None


def test_the_picture_of_a_map_lies_under_its_cells():
    world = task_of('room').world
    floor, (rows, columns) = world_view(world)['floor'], world.layout.shape
    assert base64.b64decode(floor['png']) == world.appearance.floor.png
    edges = (floor['left'], floor['top'], floor['columns'] - columns, floor['rows'] - rows)
    assert max(map(abs, edges)) < 0.2       # of a cell
    assert world_view(task_of('grid_world').world)['floor'] is None


@for_each('name', TASKS)
class TestEveryTask:
    def test_has_a_world_that_can_be_sent(self, name):
        world = task_of(name).world
        view = world_view(world)
        text = sent(view)
        picture = view['floor']['png'] if view['floor'] else ''
        assert len(text) - len(picture) < 50 * world.mdp.num_states
        assert (world.appearance.floor is None) == (picture == '')
        assert view['hash'] == world.hash
        assert view['picture'] == world.appearance.picture.value
        assert tuple(each['key'] for each in view['actions']) == action_keys(world)
        assert view['names'] == (list(world.appearance.state_names) if is_listed(world) else [])

    def test_has_cells_that_hold_each_state_once(self, name):
        world = task_of(name).world
        cells = world_view(world)['cells']
        assert (cells is None) == (world.layout is None)
        if cells is not None:
            assert len(cells['states']) == cells['rows'] * cells['columns']
            assert sorted(state for state in cells['states'] if state >= 0) == list(
                range(world.mdp.num_states))

    def test_has_walls_exactly_where_no_action_leads_across(self, name):
        world = task_of(name).world
        cells = world_view(world)['cells']
        if cells is None:
            return
        reached = [set(world.mdp.transitions[first:first + world.mdp.num_actions].indices.tolist())
                   for first in range(0, world.mdp.transitions.shape[0], world.mdp.num_actions)]
        layout = np.array(cells['states']).reshape(cells['rows'], cells['columns'])
        expected = []
        for (row, column), state in np.ndenumerate(layout):
            for side, (down, right) in enumerate(((0, 1), (1, 0))):
                if row + down < cells['rows'] and column + right < cells['columns']:
                    other = layout[row + down, column + right]
                    if min(state, other) >= 0 and other not in reached[state] \
                            and state not in reached[other]:
                        expected.append([row, column, side])
        assert sorted(cells['walls']) == sorted(expected)

    def test_has_actions_that_point_to_most_of_their_targets(self, name):
        world = task_of(name).world
        looks = world.appearance
        for action, each in enumerate(world_view(world)['actions']):
            if looks.positions is None:
                assert each['direction'] is None
                continue
            moved = (looks.positions[world.targets[:, action]] - looks.positions) \
                / looks.cell_size
            moving = moved[np.abs(moved).sum(axis=1) > 0.5]
            right, down = each['direction']
            share = np.isclose(moving, (right, -down)).all(axis=1).mean() if len(moving) else 1.0
            assert share > 0.5

    def test_has_questions_that_can_be_sent(self, name, rng):
        task = task_of(name)
        for _ in range(5):
            state = int(rng.integers(task.world.mdp.num_states))
            for question in questions(task, state, int(rng.integers(task.world.mdp.num_actions))):
                view = question_view(record(question), task)
                sent(view)
                assert view['place'] == task.world.state_name(state)
                for offer in view['offers']:
                    check_answers(question, answer_from_json(offer['answer']))
                assert any('reward' in offer['answer'] for offer in view['offers']) == (
                    question.kind is QuestionKind.REWARD)
                assert view['scene'] == scene_view(task.world, state)

    def test_has_policies_that_can_be_sent(self, name, rng):
        task = task_of(name)
        policy = some_policy(task.world, rng)
        probabilities = rng.dirichlet(np.ones(task.rewards.num_rewards))
        for known in (None, belief(), belief(probabilities)):
            view = policy_view(policy, True, task, known)
            sent(view)
            listed = task.world.mdp.num_states if is_listed(task.world) else 0
            assert len(view['sets']) == len(view['sure']) == listed
            assert len(view['reward']) in (0, listed)
            assert len(view['goals']) <= listed
        if listed:
            assert view['sets'] == policy.action_sets.tolist()
            np.testing.assert_allclose(view['sure'], policy.confidence, atol=0.0051)
            assert max(np.abs(view['reward'])) == 1.0       # the place that stands out most

    def test_has_courses_that_can_be_sent(self, name, rng):
        world = task_of(name).world
        course = walk(world, int(rng.integers(world.mdp.num_states)),
                      rng.integers(world.mdp.num_actions, size=30))
        view = course_view(course, world)
        sent(view)
        assert (tuple(view['states']), tuple(view['actions'])) == (course.states, course.actions)
        scenes = course.states if world.appearance.picture is Picture.ROAD else ()
        assert view['scenes'] == [scene_view(world, state) for state in scenes]


# ---- the lesson -----------------------------------------------------------------------------

def offered(key, text, answer, action=None, aside=False):
    return {'key': key, 'text': text, 'action': action, 'aside': aside, 'answer': answer}


class TestQuestion:
    def test_it_says_what_is_asked_and_why(self):
        view = question_view(record(Question(QuestionKind.YES_NO, 4, RIGHT)), corridor_task())
        sent(view)
        here = {'kind': 'yes_no', 'state': 4, 'action': RIGHT}
        asked = {**here, 'steps': 1}
        assert view == {
            'id': 'q-4', 'number': 4, 'kind': 'yes_no', 'state': 4, 'action': RIGHT, 'steps': 1,
            'sentence': 'What now?', 'session': 'session', 'place': 'the end', 'scene': None,
            'stays': True, 'where': '', 'groups': [], 'courses': [], 'offers': [
                offered('y', 'yes', answer={**here, 'yes': True}),
                offered('n', 'no', answer={**here, 'yes': False}),
                offered('i', 'I don’t know', aside=True,
                        answer={'kind': 'dont_know', 'question': asked}),
                offered('l', 'ask me later', aside=True,
                        answer={'kind': 'later', 'question': asked})],
            'rivals': [
                {'name': 'go to 1', 'probability': 0.75, 'actions': [0, 1], 'reward': 1.0,
                 'answer': ''},
                {'name': 'go to 2', 'probability': 0.25, 'actions': [1], 'reward': 0.5,
                 'answer': ''}]}

    def test_what_is_to_be_confirmed_is_shown_as_a_rehearsal_is(self):
        asked = Question(QuestionKind.CONFIRM, 3, route=((3, RIGHT), (4, RIGHT)))
        view = question_view(record(asked), corridor_task())
        sent(view)
        assert view['courses'] == [
            {'states': [3, 4, 4], 'actions': [RIGHT, RIGHT], 'end': '', 'scenes': []}]
        assert view['route'] == [[3, RIGHT], [4, RIGHT]]
        assert [offer['text'] for offer in view['offers'] if not offer['aside']] == [
            'yes, that is it', 'no, not like that']

    def test_tasks_places_and_ways_are_offered_by_their_names(self):
        def said(question):
            view = question_view(record(question), corridor_task())
            sent(view)
            return view, [(offer['key'], offer['text'], offer['answer']['kind'])
                          for offer in view['offers'] if not offer['aside']]
        _, tasks = said(Question(QuestionKind.TASK, 3, options=tuple(range(12)), labels=tuple(
            f'task {number}' for number in range(12))))
        assert tasks[0] == ('1', 'task 0', 'task')
        assert tasks[9:] == [('', 'task 9', 'task'), ('', 'task 10', 'task'),
                             ('', 'task 11', 'task'), ('0', 'none of these', 'none_of_these')]
        places, offers = said(Question(QuestionKind.PLACE, 3, options=(0, 4), labels=('a', 'b')))
        assert offers == [('1', 'a', 'go_here'), ('2', 'b', 'go_here'),
                          ('0', 'none of these', 'none_of_these')]
        assert places['offers'][-2]['answer']['states'] == [4]
        assert 'options' not in said(Question(QuestionKind.PLACE, 3))[0]
        ways, offers = said(Question(QuestionKind.COMPARE, 3, route=((3, RIGHT),),
                                     other_route=((3, LEFT), (2, LEFT))))
        assert [key for key, *_ in offers] == ['1', '2', '=']
        assert [way['states'] for way in ways['courses']] == [[3, 4], [3, 2, 1]]

    def test_a_reward_is_asked_for_with_a_scale(self):
        view = question_view(record(Question(QuestionKind.REWARD, 0)), corridor_task())
        assert view['offers'][:3] == [
            offered(key, text, answer={'kind': 'reward', 'state': 0, 'reward': value,
                                       'action': None})
            for key, text, value in (('1', 'neither good nor bad', 0.0), ('2', 'good', 1.0),
                                     ('3', 'very good', 2.0))]

    def test_each_action_is_offered_with_its_key(self):
        view = question_view(record(Question(QuestionKind.ACTION, 3)), corridor_task())
        actions = world_view(corridor_world())['actions']
        assert view['offers'][:len(actions)] == [
            offered(each['key'], each['name'], action=number,
                    answer={'kind': 'action', 'state': 3, 'action': number})
            for number, each in enumerate(actions)]
        assert [offer['text'] for offer in view['offers'][len(actions):]] == [
            'I don’t know', 'any direction is fine', 'ask me later']

    def test_a_rival_does_nothing_that_the_world_does_not_have(self):
        asked = QuestionRecord('q', 's', 0, Question(QuestionKind.ACTION, 0), rivals=(
            Rival('of another world', 1.0, (RIGHT, 7), 1.0),))
        view = question_view(asked, corridor_task())
        assert [rival['actions'] for rival in view['rivals']] == [[RIGHT]]

    def test_numbers_of_numpy_become_plain_ones(self):
        view = question_view(record(Question(
            QuestionKind.DEMONSTRATION, np.int64(3), steps=np.int64(2))), corridor_task())
        sent(view)
        assert (view['state'], view['steps']) == (3, 2)


class TestBelief:
    def test_the_likeliest_tasks_come_first_and_are_few(self):
        task = corridor_task()
        view = belief_view(belief([0.1, 0.3, 0.05, 0.3, 0.2, 0.05], map_hypothesis=3), task)
        sent(view)
        assert [(each['name'], each['probability']) for each in view['likely']] == [
            ('go to 3', 0.3), ('go to 1', 0.3), ('go to 4', 0.2), ('go to 0', 0.1),
            ('go to 2', 0.05)]
        assert len(view['likely']) == MAX_LIKELY

    def test_what_is_left_for_none_of_these_is_not_of_a_task(self):
        view = belief_view(belief([0.5, 0.3, 0.2, 0, 0, 0], none_of_these=0.25, error_rate=0.1),
                           corridor_task())
        assert [each['probability'] for each in view['likely']][:3] == pytest.approx(
            [0.375, 0.225, 0.15])
        assert (view['none_of_these'], view['error_rate']) == (0.25, 0.1)

    def test_how_far_the_lesson_is(self):
        view = belief_view(belief(
            [0.4, 0.6], map_hypothesis=1, map_probability=0.6, forecast=Forecast(7, 5, 10),
            question_id='q-1', acknowledged=('a', 'b'), certificate='none'), None)
        sent(view)
        shown = {
            'session': 's', 'status': 'asking', 'text': 'asking', 'certainty': 0.6, 'likely': [],
            'answers': 2, 'left': 'About 7 more answers, 5 to 10 in 8 of 10 lessons.',
            'question': 'q-1', 'acknowledged': ['a', 'b'],
            'certificate': 'none', 'settled': False}
        assert {name: view[name] for name in shown} == shown
        assert view['entropy'] == belief([0.4, 0.6]).entropy     # as all texts and numbers
        assert not {'stamp', 'sequence', 'probabilities'} & set(view)

    def test_it_is_settled_when_the_teacher_says_so(self):
        for reason in DoneReason:
            view = belief_view(belief([0.5, 0.5], reason=reason), None)
            assert view['settled'] == (reason is DoneReason.GOOD_ENOUGH)

    def test_without_a_task_or_of_another_one_nothing_is_likely(self):
        assert belief_view(belief([0.5, 0.5]), None)['likely'] == []
        assert belief_view(belief([0.5, 0.5]), corridor_task())['likely'] == []

    def test_only_the_last_acknowledgements_are_sent(self):
        ids = tuple(str(number) for number in range(MAX_ACKNOWLEDGED + 5))
        view = belief_view(belief(acknowledged=ids), None)
        assert view['acknowledged'] == list(ids[5:])
        assert view['left'] == ''

    @for_each('status', list(Status))
    def test_every_status_can_be_sent(self, status):
        view = belief_view(belief(status=status), None)
        sent(view)
        assert view['status'] == status.value


class TestPolicy:
    def test_what_is_done_and_how_surely(self):
        task = corridor_task()
        policy = Policy(np.array([1, 2, 3, 4, 7]), np.array([1.0, 0.5, 0.333, 0.666, 0.0]),
                        np.array([4]), 3)
        assert policy_view(policy, False, task, None) == {
            'final': False, 'sets': [1, 2, 3, 4, 7], 'sure': [1.0, 0.5, 0.33, 0.67, 0.0],
            'goals': [4], 'reward': []}
        assert here_view(policy, 2) == {'actions': [0, 1], 'sure': 0.333}

    def test_the_reward_is_how_much_better_than_most_places(self):
        """Expected are 0.25 + 0.25 * 2 in the first state and 0.5 in the last."""
        view = policy_view(some_policy(corridor_world(), np.random.default_rng(1)), True,
                           corridor_task(), belief([0.25, 0.0, 0.0, 0.0, 0.5, 0.25]))
        assert view['reward'] == [1.0, 0.0, 0.0, 0.0, 0.67]

    def test_what_is_worse_is_negative(self):
        world = corridor_world(3)
        task = Task(world, Candidates.of(
            world.mdp, Rewards.from_dense(np.array([[-2.0, 0.0, 1.0]]), 3)),
                    NoiseModel(0.9))
        view = policy_view(some_policy(world, np.random.default_rng(1)), True, task, belief([1.0]))
        assert view['reward'] == [-1.0, 0.0, 0.5]

    def test_where_rewards_depend_on_actions_a_place_is_as_good_as_its_best(self):
        world = corridor_world(3)
        dense = np.array([[[0.0, 4.0, -1.0], [0.0, 0.0, 0.0], [-3.0, -3.0, -2.0]]])
        task = Task(world, Candidates.of(world.mdp, Rewards.from_dense(dense, 3)),
                    NoiseModel(0.9))
        view = policy_view(some_policy(world, np.random.default_rng(1)), True, task, belief([1.0]))
        assert view['reward'] == [1.0, 0.0, -0.5]

    def test_where_all_is_the_same_there_is_none(self):
        world = corridor_world(3)
        task = Task(world, Candidates.of(world.mdp, Rewards.from_dense(np.full((1, 3), 0.7), 3)),
                    NoiseModel(0.9))
        view = policy_view(some_policy(world, np.random.default_rng(1)), True, task, belief([1.0]))
        assert view['reward'] == []

    def test_the_belief_of_another_task_is_not_used(self):
        view = policy_view(some_policy(corridor_world(), np.random.default_rng(1)), True,
                           corridor_task(), belief([0.5, 0.5]))
        assert view['reward'] == []

    @pytest.mark.parametrize(('actions', 'sets'), [(53, [(1 << 53) - 1]), (54, [])])
    def test_sets_that_a_page_cannot_hold_exactly_are_not_sent(self, actions, sets):
        """A page computes with doubles, which have 53 bits."""
        world = World('busy', Mdp.from_successors(np.zeros((1, actions), dtype=int), 0.9), None,
                      Appearance(('do',) * actions, ('',) * actions))
        task = Task(world, Candidates.of(world.mdp, Rewards.from_dense(np.ones((1, 1)), actions)),
                    NoiseModel(0.9))
        policy = Policy(np.array([(1 << actions) - 1], dtype=np.uint64), np.ones(1),
                        np.array([]), actions)
        assert policy_view(policy, True, task, None)['sets'] == sets
        assert here_view(policy, 0)['actions'] == list(range(actions))


def test_the_cells_of_a_large_world_come_in_short():
    states = np.array([[-1, 0, 1, -1], [-1, -1, 2, 3]])
    runs = _runs(states.ravel())
    assert runs == [[-1, 1], [0, 2], [-1, 3], [2, 2]]
    assert [first if first < 0 else first + each for first, count in runs
            for each in range(count)] == states.ravel().tolist()


class TestHistory:
    def test_what_was_asked_and_said_in_order(self):
        asked = record(Question(QuestionKind.ACTION, 2))
        view = history_view(HistoryRecord('s', 3, 9, (
            HistoryEntry(AnswerRecord('q-4', ActionAnswer(2, np.int64(1)), 'page'), asked,
                         said='right'),
            HistoryEntry(AnswerRecord('shown', DemonstrationAnswer(((0, 1), (1, 1))), 'teleop'),
                         correction=True, said='2 steps'))))
        sent(view)
        assert (view['session'], view['total']) == ('s', 9)
        assert view['entries'] == [
            {'id': 'q-4', 'said': 'right', 'correction': False, 'by': 'page', 'place': None,
             'answer': {'kind': 'action', 'state': 2, 'action': 1},
             'question': {'id': 'q-4', 'number': 4, 'kind': 'action', 'state': 2, 'action': None,
                          'steps': 1, 'sentence': 'What now?'}},
            {'id': 'shown', 'said': '2 steps', 'correction': True, 'by': 'teleop', 'place': None,
             'answer': {'kind': 'demonstration', 'steps': [[0, 1], [1, 1]]}, 'question': None}]

    def test_every_kind_of_answer_can_be_sent(self):
        asked = Question(QuestionKind.REWARD, 1)
        answers = [ActionAnswer(1, 0), YesNoAnswer(1, 0, True), RewardAnswer(1, 0.5),
                   DemonstrationAnswer(((0, 1),)), AllTheSameAnswer(1), DontKnowAnswer(asked),
                   LaterAnswer(asked)]
        view = history_view(HistoryRecord('s', 1, len(answers), tuple(
            HistoryEntry(AnswerRecord(str(number), answer))
            for number, answer in enumerate(answers))))
        sent(view)
        assert [entry['answer']['kind'] for entry in view['entries']] == [
            'action', 'yes_no', 'reward', 'demonstration', 'all_the_same', 'dont_know', 'later']

    def test_at_first_there_is_nothing(self):
        assert history_view(HistoryRecord('s', 0, 0, ())) == {
            'session': 's', 'total': 0, 'entries': []}


def test_a_course_says_why_it_ends():
    assert course_view(StatePath((1, 2), (RIGHT,), 'the goal'), corridor_world()) == {
        'states': [1, 2], 'actions': [RIGHT], 'end': 'the goal', 'scenes': []}


class TestTheRobot:
    def view(self, *pose, task='room'):
        return views.robot_view(LessonSnapshot(task=task_of(task), pose=pose or None))['pose']

    def test_it_is_drawn_where_it_is_in_columns_rows_and_degrees(self):
        looks = task_of('room').world.appearance
        left, top = looks.positions[:, 0].min(), looks.positions[:, 1].max()
        assert self.view(left, top, 0.0) == [0.0, 0.0, 0]
        assert self.view(left + 2 * looks.cell_size, top - looks.cell_size, np.pi / 2) \
            == [2.0, 1.0, -90]

    def test_one_that_is_too_far_away_is_not_drawn(self):
        assert self.view(views.FARTHEST, 0.0, 0.0) is not None
        assert self.view(1.01 * views.FARTHEST, 0.0, 0.0) is None
        assert self.view(0.0, -1.01 * views.FARTHEST, 0.0) is None

    def test_nor_one_that_has_not_said_where_it_is_or_is_in_a_world_without_places(self):
        assert self.view() is None
        assert self.view(1.0, 1.0, 0.0, task='driver') is None
