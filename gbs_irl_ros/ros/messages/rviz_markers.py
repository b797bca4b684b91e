"""The task, what was learned and what is going on, as RViz and Foxglove draw them."""

from __future__ import annotations

import array
import math

import numpy as np
from geometry_msgs.msg import Point, PoseStamped, Vector3
from nav_msgs.msg import OccupancyGrid, Path
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from gbs_irl_ros.core.policy import Policy
from gbs_irl_ros.driving.cell_map import CellMap
from gbs_irl_ros.driving.pose import Pose
from gbs_irl_ros.learning.records import QuestionRecord
from gbs_irl_ros.ros.messages.conversions import stamp_to_msg
from gbs_irl_ros.ros.messages.fields import real, text
from gbs_irl_ros.ros.robot.odometry import yaw_to_msg
from gbs_irl_ros.tasks.world import World

FREE, WALL, UNKNOWN = 0, 100, -1
WORST = 98          # of the rewards: 99 and 100 mean obstacles to many tools
SHAFT, HEAD = 0.35, 0.15        # of an arrow, as shares of a cell
BARB = math.radians(150.0)
QUESTION_COLOUR, ROBOT_COLOUR, GOAL_COLOUR = (0.95, 0.75, 0.1), (0.2, 0.4, 0.9), (0.1, 0.6, 0.3)
SURE, UNSURE = np.array([0.1, 0.2, 0.3]), np.array([0.85, 0.3, 0.2])


def map_to_msg(world: World, stamp: int) -> OccupancyGrid:
    """Return the free cells and the walls."""
    return grid_to_msg(world, np.full(world.mdp.num_states, FREE), WALL, stamp)


def reward_map_to_msg(world: World, reward: np.ndarray, stamp: int) -> OccupancyGrid:
    """
    Return a reward ``[S]`` as costs: 0 for the best state, 98 for the worst, unknown for walls.

    As in a costmap: the darker, the less one should be there.
    """
    spread = float(reward.max() - reward.min())
    cost = (reward.max() - reward) / spread if spread > 0.0 else np.zeros(len(reward))
    return grid_to_msg(world, np.round(WORST * cost), UNKNOWN, stamp)


def route_to_msg(world: World, cells: CellMap, question: QuestionRecord | None,
                 stamp: int) -> Path:
    """
    Return the route that a closing question is about, from the middle of cell to cell.

    Each pose looks to the next cell, the last one as the one before. Empty for other questions.
    """
    message = Path()
    message.header.stamp = stamp_to_msg(stamp)
    message.header.frame_id = text('frame_id', world.appearance.frame_id)
    places = [cells.centre(state) for state, _ in (question.question.route if question else ())]
    yaw = 0.0
    for number, (x, y) in enumerate(places):
        if number + 1 < len(places):
            ahead_x, ahead_y = places[number + 1]
            yaw = math.atan2(ahead_y - y, ahead_x - x)
        pose = PoseStamped(header=message.header)
        pose.pose.position, pose.pose.orientation = _point(x, y), yaw_to_msg(yaw)
        message.poses.append(pose)
    return message


def grid_to_msg(world: World, values: np.ndarray, elsewhere: int,
                stamp: int) -> OccupancyGrid:
    """Return values ``[S]`` of states in their cells, another one in all other cells."""
    layout = world.layout
    assert layout is not None           # a world with a CellMap has cells
    message = OccupancyGrid()
    message.header.stamp = message.info.map_load_time = stamp_to_msg(stamp)
    message.header.frame_id = text('frame_id', world.appearance.frame_id)
    message.info.resolution = real('resolution', layout.cell_size)
    message.info.height, message.info.width = layout.shape
    message.info.origin.position.x = real('x', layout.corner[0])
    message.info.origin.position.y = real('y', layout.corner[1])
    message.info.origin.orientation.w = 1.0
    cells = layout.drawn(values, elsewhere)
    message.data = array.array('b', cells[::-1].astype(np.int8).tobytes())   # the lowest row first
    return message


def policy_to_msg(world: World, cells: CellMap, policy: Policy, stamp: int) -> MarkerArray:
    """Return an arrow for every action of a policy, redder where it is less sure, and goals."""
    arrows = _marker(world, 'policy', Marker.LINE_LIST, stamp, cells.cell_size * 0.05)
    points, colours = [], []    # a message looks at all of a list whenever it is given one
    for state in range(policy.num_states):
        for action in policy.actions(state):
            target = cells.target(state, action)
            if target == state:
                continue
            lines = _arrow(cells.centre(state), cells.centre(target), cells.cell_size)
            points += lines
            colours += [_colour(_mixed(float(policy.confidence[state])))] * len(lines)
    arrows.points, arrows.colors = points, colours
    goals = _marker(world, 'goals', Marker.SPHERE_LIST, stamp, cells.cell_size * 0.4)
    goals.color = _colour(GOAL_COLOUR)
    goals.points = [_point(*cells.centre(int(state))) for state in policy.goal_states]
    if not goals.points:
        goals.action = Marker.DELETE
    return MarkerArray(markers=[arrows, goals])


def question_to_msg(world: World, cells: CellMap, question: QuestionRecord | None,
                    stamp: int) -> MarkerArray:
    """
    Return the state that is asked about, with the question above it; or remove both.

    Of a closing question also the route, from cell to cell.
    """
    place = _marker(world, 'question', Marker.CUBE, stamp, cells.cell_size * 0.9)
    words = _marker(world, 'question_text', Marker.TEXT_VIEW_FACING, stamp,
                    cells.cell_size * 0.45)
    route = _marker(world, 'question_route', Marker.LINE_STRIP, stamp, cells.cell_size * 0.12)
    steps = () if question is None else question.question.route
    route.points = [_point(*cells.centre(state)) for state, _ in steps]
    route.color = _colour(QUESTION_COLOUR)
    if len(route.points) < 2:       # a line that RViz could draw
        route.points, route.action = [], Marker.DELETE
    if question is None:
        place.action = words.action = Marker.DELETE
        return MarkerArray(markers=[place, words, route])
    x, y = cells.centre(question.question.state)
    place.pose.position = _point(x, y)
    place.scale.z = cells.cell_size * 0.1
    place.color = _colour(QUESTION_COLOUR, 0.7)
    words.pose.position = _point(x, y + cells.cell_size, cells.cell_size)
    words.color = _colour((0.1, 0.1, 0.1))
    words.text = text('sentence', question.sentence)
    return MarkerArray(markers=[place, words, route])


def robot_to_msg(world: World, cells: CellMap, pose: Pose, stamp: int) -> MarkerArray:
    """Return the robot as an arrow."""
    robot = _marker(world, 'robot', Marker.ARROW, stamp, cells.cell_size * 0.25)
    robot.scale.x = cells.cell_size * 0.7
    robot.pose.position = _point(pose.x, pose.y, cells.cell_size * 0.1)
    robot.pose.orientation = yaw_to_msg(pose.yaw)
    robot.color = _colour(ROBOT_COLOUR)
    return MarkerArray(markers=[robot])


def _marker(world: World, name: str, kind: int, stamp: int, size: float) -> Marker:
    marker = Marker(ns=name, type=kind, action=Marker.ADD)
    marker.header.frame_id = text('frame_id', world.appearance.frame_id)
    marker.header.stamp = stamp_to_msg(stamp)
    marker.pose.orientation.w = 1.0
    marker.scale = Vector3(x=real('size', size), y=real('size', size), z=real('size', size))
    marker.color = _colour((0.0, 0.0, 0.0))
    return marker


def _arrow(start: tuple[float, float], end: tuple[float, float], size: float) -> list[Point]:
    """Return the ends of the three lines of an arrow."""
    angle = math.atan2(end[1] - start[1], end[0] - start[0])
    tip = (start[0] + SHAFT * size * math.cos(angle), start[1] + SHAFT * size * math.sin(angle))
    points = [_point(*start), _point(*tip)]
    for side in (BARB, -BARB):
        points += [_point(*tip), _point(tip[0] + HEAD * size * math.cos(angle + side),
                                        tip[1] + HEAD * size * math.sin(angle + side))]
    return points


def _mixed(confidence: float) -> tuple[float, float, float]:
    red, green, blue = confidence * SURE + (1.0 - confidence) * UNSURE
    return float(red), float(green), float(blue)


def _point(x: float, y: float, z: float = 0.0) -> Point:
    return Point(x=real('x', x), y=real('y', y), z=real('z', z))


def _colour(rgb: tuple[float, float, float], opacity: float = 1.0) -> ColorRGBA:
    red, green, blue = rgb
    return ColorRGBA(r=red, g=green, b=blue, a=opacity)
