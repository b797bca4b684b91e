"""What RViz and Foxglove are given to draw."""

from __future__ import annotations

import math

import numpy as np
import pytest
from cases import for_each

pytest.importorskip('rclpy', reason='needs ROS 2')

from rclpy.serialization import deserialize_message, serialize_message
from visualization_msgs.msg import Marker, MarkerArray

from gbs_irl_ros.core.errors import InvalidMdpError
from gbs_irl_ros.core.mdp import Mdp
from gbs_irl_ros.core.policy import Policy
from gbs_irl_ros.core.questions import Question, QuestionKind
from gbs_irl_ros.driving.cell_map import CellMap
from gbs_irl_ros.driving.pose import Pose
from gbs_irl_ros.learning.records import QuestionRecord
from gbs_irl_ros.ros.messages import rviz_markers
from gbs_irl_ros.ros.messages.conversions import stamp_from_msg
from gbs_irl_ros.ros.robot.odometry import yaw_from_msg
from gbs_irl_ros.tasks import load_task, shipped_tasks
from gbs_irl_ros.tasks.world import Appearance, World

pytestmark = pytest.mark.ros

STAMP = 1_700_000_000_123_456_789
CELL = 0.5
# Seen from above, with the free cells numbered:   3 # 4
#                                                  0 1 2   whose centre is at (10, -3)
CENTRES = [(10.0, -3.0), (10.5, -3.0), (11.0, -3.0), (10.0, -2.5), (11.0, -2.5)]
RIGHT, UP, STAY = range(3)
SUCCESSORS = [[1, 3, 0], [2, 1, 1], [2, 4, 2], [3, 3, 3], [4, 4, 4]]
ALL_STAY = [1 << STAY] * 5


def small_world(**looks):
    mdp = Mdp.from_successors(np.array(SUCCESSORS), 0.9)
    return World('small', mdp, mdp.checked_start(None), Appearance(
        ('right', 'up', 'stay'), ('', '', ''),
        **{'positions': np.array(CENTRES), 'cell_size': CELL, 'frame_id': 'floor',
           'cells': np.array([(0, 1), (1, 1), (2, 1), (0, 0), (2, 0)]), **looks}))


WORLD = small_world()
PLACES = CellMap(WORLD)


def sent(message):
    """Return what arrives when a message is sent."""
    return deserialize_message(serialize_message(message), type(message))


def policy(sets, confidence=(1.0,) * 5, goals=()):
    return Policy(np.array(sets, dtype=np.uint64), np.array(confidence, dtype=float),
                  np.array(goals, dtype=np.int64), 3)


def policy_markers(*arguments, **options):
    made = sent(rviz_markers.policy_to_msg(WORLD, PLACES, policy(*arguments, **options), STAMP))
    return {marker.ns: marker for marker in made.markers}


def question(state, sentence='What should I do here?'):
    return QuestionRecord('q', 's', 0, Question(QuestionKind.ACTION, state), sentence)


def numbers_in(message):
    """Yield every number of a message, with where it stands."""
    for field in message.get_fields_and_field_types():
        value = getattr(message, field)
        several = value if hasattr(value, '__len__') and not isinstance(value, str) else [value]
        for each in several:
            if hasattr(each, 'get_fields_and_field_types'):
                yield from ((f'{field}.{name}', number) for name, number in numbers_in(each))
            elif isinstance(each, (int, float)):
                yield field, each


class TestMap:
    def test_the_lowest_row_comes_first_and_walls_are_100(self):
        grid = sent(rviz_markers.map_to_msg(WORLD, STAMP))
        assert (grid.info.width, grid.info.height) == (3, 2)
        assert list(grid.data) == [0, 0, 0,
                                   0, 100, 0]

    def test_its_origin_is_the_corner_of_the_lowest_left_cell(self):
        grid = sent(rviz_markers.map_to_msg(WORLD, STAMP))
        origin = grid.info.origin
        assert (origin.position.x, origin.position.y, origin.position.z) == (9.75, -3.25, 0.0)
        assert yaw_from_msg(origin.orientation) == 0.0
        assert grid.info.resolution == 0.5

    def test_every_state_is_where_its_centre_is(self):
        """As a user of the map finds it: by origin and resolution."""
        reward = -np.arange(5.0)
        grid = sent(rviz_markers.reward_map_to_msg(WORLD, reward, STAMP))
        for state, (x, y) in enumerate(CENTRES):
            column = math.floor((x - grid.info.origin.position.x) / grid.info.resolution)
            row = math.floor((y - grid.info.origin.position.y) / grid.info.resolution)
            assert grid.data[row * grid.info.width + column] == round(98 * state / 4)

    def test_it_has_frame_and_time(self):
        for grid in (rviz_markers.map_to_msg(WORLD, STAMP),
                     rviz_markers.reward_map_to_msg(WORLD, np.zeros(5), STAMP)):
            assert grid.header.frame_id == 'floor'
            assert stamp_from_msg(grid.header.stamp) == STAMP
            assert stamp_from_msg(grid.info.map_load_time) == STAMP


class TestRewardMap:
    @for_each(('reward', 'costs'), [
        ([0, 0, 0, 0, 1], [98, 98, 98, 98, 0]),
        ([-1, 0, 1, 0, 0], [98, 49, 0, 49, 49]),
        ([-300, 0, 0, 0, 0], [98, 0, 0, 0, 0]),
        ([1e-12, 0, 0, 0, 0], [0, 98, 98, 98, 98]),
        ([5, 5, 5, 5, 5], [0, 0, 0, 0, 0]),
        ([0, 0, 0, 0, 0], [0, 0, 0, 0, 0])])
    def test_the_best_costs_nothing_and_the_worst_98(self, reward, costs):
        grid = sent(rviz_markers.reward_map_to_msg(WORLD, np.array(reward, dtype=float), STAMP))
        zero, one, two, three, four = costs
        assert list(grid.data) == [zero, one, two,
                                   three, -1, four]     # the wall is unknown


class TestPolicyMarkers:
    def test_an_action_is_an_arrow_of_three_lines_towards_where_it_leads(self):
        arrows = policy_markers([1 << RIGHT, *ALL_STAY[1:]])['policy']
        assert arrows.type == Marker.LINE_LIST
        assert arrows.action == Marker.ADD
        shaft, *barbs = zip(arrows.points[::2], arrows.points[1::2], strict=True)
        assert len(barbs) == 2
        (start, tip) = shaft
        assert (start.x, start.y) == (10.0, -3.0)
        assert tip.x == pytest.approx(10.0 + 0.35 * CELL)
        assert tip.y == pytest.approx(-3.0)
        for begin, end in barbs:
            assert (begin.x, begin.y) == (tip.x, tip.y)
            assert end.x < tip.x
        assert sorted(math.copysign(1, end.y + 3.0) for _, end in barbs) == [-1, 1]

    def test_several_actions_are_several_arrows_and_staying_is_none(self):
        several = (1 << RIGHT) | (1 << UP) | (1 << STAY)
        assert len(policy_markers([several, *ALL_STAY[1:]])['policy'].points) == 12
        assert len(policy_markers(ALL_STAY)['policy'].points) == 0

    def test_an_action_into_a_wall_is_none(self):
        assert len(policy_markers([1 << UP] * 5)['policy'].points) == 12     # 0 to 3 and 2 to 4

    def test_every_point_has_a_colour_and_the_unsure_are_redder(self):
        arrows = policy_markers([1 << RIGHT] * 5, confidence=(1.0, 0.0, 1.0, 1.0, 1.0))['policy']
        assert len(arrows.colors) == len(arrows.points) == 12
        sure, unsure = arrows.colors[0], arrows.colors[6]
        assert unsure.r > sure.r
        assert {colour.a for colour in arrows.colors} == {1.0}

    def test_goals_are_spheres(self):
        goals = policy_markers(ALL_STAY, goals=(4, 0))['goals']
        assert goals.type == Marker.SPHERE_LIST
        assert goals.action == Marker.ADD
        assert [(point.x, point.y) for point in goals.points] == [(11.0, -2.5), (10.0, -3.0)]

    def test_without_a_goal_the_old_ones_are_removed(self):
        assert policy_markers(ALL_STAY)['goals'].action == Marker.DELETE


class TestQuestionMarkers:
    def test_the_place_and_the_sentence_are_shown(self):
        place, words, route = sent(rviz_markers.question_to_msg(
            WORLD, PLACES, question(4, 'Où? →'), STAMP)).markers
        assert (place.ns, place.type, place.action) == ('question', Marker.CUBE, Marker.ADD)
        assert (place.pose.position.x, place.pose.position.y) == (11.0, -2.5)
        assert (words.ns, words.type, words.action) == (
            'question_text', Marker.TEXT_VIEW_FACING, Marker.ADD)
        assert words.text == 'Où? →'
        assert words.scale.z > 0.0      # the height of the letters
        assert words.pose.position.z > place.pose.position.z
        assert (route.ns, route.action) == ('question_route', Marker.DELETE)

    def test_what_is_to_be_confirmed_is_a_line_from_cell_to_cell(self):
        asked = Question(QuestionKind.CONFIRM, 4, route=((4, 0), (3, 0)))
        *_, route = sent(rviz_markers.question_to_msg(
            WORLD, PLACES, QuestionRecord('s-0', 's', 0, asked), STAMP)).markers
        assert (route.type, route.action) == (Marker.LINE_STRIP, Marker.ADD)
        assert [(each.x, each.y) for each in route.points] == [
            PLACES.centre(4), PLACES.centre(3)]

    def test_what_is_to_be_confirmed_is_a_path_too_and_empty_when_it_is_not(self):
        asked = Question(QuestionKind.CONFIRM, 4, route=((4, 0), (3, 0)))
        path = sent(rviz_markers.route_to_msg(
            WORLD, PLACES, QuestionRecord('s-0', 's', 0, asked), STAMP))
        assert [(each.pose.position.x, each.pose.position.y) for each in path.poses] == [
            PLACES.centre(4), PLACES.centre(3)]
        (x, y), (next_x, next_y) = PLACES.centre(4), PLACES.centre(3)
        for each in path.poses:
            assert each.header == path.header
            assert yaw_from_msg(each.pose.orientation) == pytest.approx(
                np.arctan2(next_y - y, next_x - x))
        assert path.header.frame_id == WORLD.appearance.frame_id
        for other in (question(0), None):
            assert list(sent(rviz_markers.route_to_msg(WORLD, PLACES, other, STAMP)).poses) == []

    def test_without_a_question_both_are_removed(self):
        removed = sent(rviz_markers.question_to_msg(WORLD, PLACES, None, STAMP)).markers
        shown = rviz_markers.question_to_msg(WORLD, PLACES, question(0), STAMP).markers
        assert [marker.action for marker in removed] == [Marker.DELETE] * 3
        assert [(marker.ns, marker.id) for marker in removed] \
            == [(marker.ns, marker.id) for marker in shown]

    def test_what_no_field_can_carry_is_made_visible(self):
        shown = rviz_markers.question_to_msg(WORLD, PLACES, question(0, 'a\0b'), STAMP).markers
        assert shown[1].text == r'a\x00b'


def test_the_robot_is_an_arrow_in_its_direction():
    robot, = sent(rviz_markers.robot_to_msg(WORLD, PLACES, Pose(10.2, -2.9, 2.5), STAMP)).markers
    assert (robot.ns, robot.type, robot.action) == ('robot', Marker.ARROW, Marker.ADD)
    assert (robot.pose.position.x, robot.pose.position.y) == (10.2, -2.9)
    assert yaw_from_msg(robot.pose.orientation) == pytest.approx(2.5)
    assert robot.scale.x > robot.scale.y > 0.0


def all_messages(world, places, some_policy, state):
    states = world.mdp.num_states
    return [rviz_markers.map_to_msg(world, STAMP),
            rviz_markers.reward_map_to_msg(world, np.linspace(-1.0, 1.0, states), STAMP),
            rviz_markers.policy_to_msg(world, places, some_policy, STAMP),
            rviz_markers.question_to_msg(world, places, question(state), STAMP),
            rviz_markers.question_to_msg(world, places, None, STAMP),
            rviz_markers.robot_to_msg(world, places, Pose(*places.centre(state), 0.5), STAMP)]


def with_cells():
    """Return the shipped tasks whose states have a place."""
    found = {}
    for name in shipped_tasks():
        world = load_task(name).world
        try:
            found[name] = (world, CellMap(world))
        except InvalidMdpError:
            continue
    return found


SHIPPED = with_cells()


def test_most_shipped_tasks_can_be_drawn():
    assert {'room', 'grid_world', 'puddle_world', 'trap_world'} <= set(SHIPPED)


@for_each('name', sorted(SHIPPED))
class TestEveryShippedTask:
    def test_all_numbers_are_finite_and_arrive(self, name):
        world, places = SHIPPED[name]
        states, actions = world.mdp.num_states, world.mdp.num_actions
        in_turn = Policy(1 << np.arange(states) % actions, np.linspace(0, 1, states),
                         np.array([0, states - 1]), actions)
        for message in all_messages(world, places, in_turn, states - 1):
            fields, numbers = zip(*numbers_in(message), strict=True)
            arrived_fields, arrived = zip(*numbers_in(sent(message)), strict=True)
            assert arrived_fields == fields
            np.testing.assert_allclose(arrived, numbers, rtol=1e-6)     # colours are float32
            assert np.all(np.isfinite(arrived))

    def test_markers_have_a_size_a_frame_and_a_name_of_their_own(self, name):
        world, places = SHIPPED[name]
        states, actions = world.mdp.num_states, world.mdp.num_actions
        one_action = Policy(np.ones(states), np.ones(states), np.array([]), actions)
        shown = [message for message in all_messages(world, places, one_action, 0)
                 if isinstance(message, MarkerArray)]
        for marker in (marker for message in shown for marker in message.markers):
            assert marker.header.frame_id == world.appearance.frame_id
            assert min(marker.scale.x, marker.scale.y, marker.scale.z) > 0.0
            assert marker.color.a > 0.0
            assert yaw_from_msg(marker.pose.orientation) in (0.0, pytest.approx(0.5))
        for message in shown:
            keys = [(marker.ns, marker.id) for marker in message.markers]
            assert len(set(keys)) == len(keys)

    def test_the_map_has_one_free_cell_for_each_state(self, name):
        world, _ = SHIPPED[name]
        grid = rviz_markers.map_to_msg(world, STAMP)
        assert len(grid.data) == grid.info.width * grid.info.height
        assert list(grid.data).count(rviz_markers.FREE) == world.mdp.num_states
        assert set(grid.data) <= {rviz_markers.FREE, rviz_markers.WALL}
