"""A differential drive: straight lines, circles and walls."""

from __future__ import annotations

import math
import re
from functools import cache

import numpy as np
import pytest
from cases import for_each
from hypothesis import given, settings, strategies as st
from scipy.sparse import csgraph

from gbs_irl_ros.driving.cell_map import CellMap
from gbs_irl_ros.driving.pose import STOP, InvalidMotionError, Pose, Velocity, wrapped
from gbs_irl_ros.driving.simulated_motion import (
    LONGEST_STEP,
    LONGEST_TURN,
    MAX_STEPS,
    SKIN,
    DifferentialDrive,
)
from gbs_irl_ros.tasks import load_task
from gbs_irl_ros.tasks.world import World
from gbs_irl_ros.tasks.worlds.cells import Grid, grid_appearance, walls_between

FOUR = ('north', 'east', 'south', 'west')
INVARIANT = settings(deadline=None, derandomize=True, max_examples=20)
SEEDS = st.integers(0, 2**32 - 1)
UP, DOWN, LEFT = math.pi / 2.0, -math.pi / 2.0, math.pi


def floor(*rows, blocked=None, cell_size=1.0):
    grid = Grid(np.array([[character != '#' for character in row] for row in rows]),
                blocked or {}, cell_size)
    mdp = grid.mdp(FOUR, 0.9)
    return World('drawn', mdp, mdp.checked_start(None), grid_appearance(grid, FOUR))


@cache
def field():
    """Ten by ten metres without a wall."""
    return CellMap(floor(*['.' * 10] * 10))


def prison():
    """
    Left of the wall, right of the wall, and a cage.

    Into the cage in the lower right corner a way leads from the left, and none out.
    """
    blocked = walls_between((4, 6), np.array([[[1, row], [2, row]] for row in range(4)]))
    blocked['west'][3, 5] = blocked['north'][3, 5] = True
    blocked['south'][2, 5] = True
    return floor('...#..', '...#..', '...#..', '......', blocked=blocked)


@cache
def world_of(name):
    return prison() if name == 'prison' else load_task(name).world


@cache
def links_of(name):
    """``[S, S]`` bool, from the whole transition matrix: some action leads there."""
    mdp = world_of(name).mdp
    return (mdp.transitions.toarray().reshape(mdp.num_states, mdp.num_actions, -1) > 0).any(axis=1)


@cache
def reachable(name, state):
    return frozenset(csgraph.breadth_first_order(links_of(name), state,
                                                 return_predecessors=False).tolist())


def is_allowed(name, cells, before, after):
    """Whether actions lead from one pose to the next, both nearer than a cell, round a corner."""
    links = links_of(name)
    start, end = cells.state_at(before.x, before.y), cells.state_at(after.x, after.y)
    corners = [cells.state_at(after.x, before.y), cells.state_at(before.x, after.y)]
    return start == end or links[start, end] or any(
        corner is not None and (corner == start or links[start, corner])
        and (corner == end or links[corner, end]) for corner in corners)


def place(pose):
    return pose.x, pose.y


def random_pose(cells, num_states, rng):
    """Anywhere on the floor, often right at an edge."""
    x, y = cells.centre(int(rng.integers(num_states)))
    off = rng.choice([rng.uniform(-0.5, 0.5), 0.5 - 1e-9, 1e-9 - 0.5], 2) * cells.cell_size
    return Pose(x + off[0], y + off[1], rng.uniform(-math.pi, math.pi))


# ---- without walls --------------------------------------------------------------------------

@for_each('yaw', [0.0, UP, LEFT, DOWN, 0.4, -2.0])
@for_each('speed', [1.0, -1.5, 0.01])
def test_straight_on_is_a_straight_line(yaw, speed, rng):
    end = DifferentialDrive(field()).moved(Pose(5.0, 5.0, yaw), Velocity(speed), 2.0, rng)
    assert end.x == pytest.approx(5.0 + 2.0 * speed * math.cos(yaw))
    assert end.y == pytest.approx(5.0 + 2.0 * speed * math.sin(yaw))
    assert end.yaw == pytest.approx(yaw)


@for_each('turn', [1.0, -3.0, 40.0])
def test_turning_on_the_spot_changes_the_direction_alone(turn, rng):
    end = DifferentialDrive(field()).moved(Pose(5.0, 5.0, 0.5), Velocity(0.0, turn), 1.0, rng)
    assert (end.x, end.y) == (5.0, 5.0)
    assert wrapped(end.yaw - 0.5 - turn) == pytest.approx(0.0, abs=1e-9)
    assert abs(end.yaw) <= math.pi


@for_each(('forward', 'turn'), [(1.0, 1.0), (1.0, -1.0), (2.0, 1.5), (-1.0, 0.7)])
def test_driving_and_turning_is_an_arc_of_a_circle(forward, turn, rng):
    drive, pose, radius = DifferentialDrive(field()), Pose(5.0, 5.0, 0.0), forward / turn
    for step in range(1, 201):
        pose = drive.moved(pose, Velocity(forward, turn), 0.01, rng)
        angle = 0.01 * step * turn
        assert pose.x == pytest.approx(5.0 + radius * math.sin(angle), abs=1e-4)
        assert pose.y == pytest.approx(5.0 + radius * (1.0 - math.cos(angle)), abs=1e-4)
        assert wrapped(pose.yaw - angle) == pytest.approx(0.0, abs=1e-9)


def test_an_arc_is_exact_to_second_order(rng):
    drive, errors = DifferentialDrive(field()), []
    for steps in (10, 20, 40):
        pose = Pose(5.0, 5.0, 0.0)
        for _ in range(steps):
            pose = drive.moved(pose, Velocity(1.0, 1.0), 1.0 / steps, rng)
        errors.append(math.dist(place(pose), (5.0 + math.sin(1.0), 6.0 - math.cos(1.0))))
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.05)
    assert errors[1] / errors[2] == pytest.approx(4.0, rel=0.05)


def test_a_full_circle_ends_where_it_began(rng):
    drive, pose = DifferentialDrive(field()), Pose(5.0, 5.0, 1.0)
    for _ in range(100):
        pose = drive.moved(pose, Velocity(1.0, 1.0), 2.0 * math.pi / 100, rng)
    assert math.dist(place(pose), (5.0, 5.0)) < 1e-9
    assert pose.yaw == pytest.approx(1.0)


@for_each(('forward', 'turn'), [(1.0, 1.0), (2.0, -1.0), (-0.5, 3.0)])
@for_each('circles', [1, 5])
def test_full_circles_at_once_end_where_they_began(forward, turn, circles, rng):
    seconds = circles * 2.0 * math.pi / abs(turn)
    end = DifferentialDrive(field()).moved(
        Pose(5.0, 5.0, 1.0), Velocity(forward, turn), seconds, rng)
    assert math.dist(place(end), (5.0, 5.0)) < 1e-9
    assert end.yaw == pytest.approx(1.0)


@for_each(('forward', 'turn'), [(1.0, 1.0), (2.0, -1.0), (-1.0, 2.0), (0.1, 9.0)])
def test_half_a_circle_at_once_ends_on_the_other_side(forward, turn, rng):
    end = DifferentialDrive(field()).moved(
        Pose(5.0, 5.0, 0.0), Velocity(forward, turn), math.pi / abs(turn), rng)
    assert end.x == pytest.approx(5.0, abs=1e-9)
    assert end.y - 5.0 == pytest.approx(2.0 * forward / turn, rel=1e-3)
    assert abs(end.yaw) == pytest.approx(math.pi)


@for_each('turn', [0.1, 1.0, -8.0, 30.0])
def test_an_arc_at_once_is_the_arc_in_small_parts(turn, rng):
    drive, velocity = DifferentialDrive(field()), Velocity(2.0, turn)
    at_once, in_parts = drive.moved(Pose(5.0, 5.0, 0.0), velocity, 1.0, rng), Pose(5.0, 5.0, 0.0)
    for _ in range(2000):
        in_parts = drive.moved(in_parts, velocity, 1.0 / 2000, rng)
    assert math.dist(place(at_once), place(in_parts)) < 2e-3
    assert wrapped(at_once.yaw - in_parts.yaw) == pytest.approx(0.0, abs=1e-9)


def test_reversing_along_an_arc_leads_back(rng):
    drive, start = DifferentialDrive(field()), Pose(4.0, 6.0, 2.0)
    there = drive.moved(start, Velocity(1.0, 0.5), 2.0, rng)
    back = drive.moved(there, Velocity(-1.0, -0.5), 2.0, rng)
    assert math.dist(place(back), (4.0, 6.0)) < 1e-9
    assert back.yaw == pytest.approx(2.0)


def test_standing_still_or_no_time_at_all_changes_nothing(rng):
    drive, pose = DifferentialDrive(field(), 0.5), Pose(4.0, 6.0, 2.0)
    assert drive.moved(pose, STOP, 10.0, rng) == pose
    assert drive.moved(pose, Velocity(3.0, 2.0), 0.0, rng) == pose


# ---- moves that are none --------------------------------------------------------------------

@for_each(('velocity', 'seconds'), [
    (Velocity(1.0), -0.1), (STOP, -1.0), (Velocity(0.0, 1.0), -1e-300),
    (Velocity(1.0), math.nan), (STOP, math.nan), (Velocity(1.0, 1.0), math.inf),
    (STOP, math.inf), (STOP, -math.inf)])
def test_a_time_that_is_none_is_refused(velocity, seconds, rng):
    text = f'a move must be short: {velocity} for {seconds} s is too much at once' \
        if seconds == math.inf else f'seconds must not be negative, got {seconds}'
    with pytest.raises(InvalidMotionError, match=re.escape(text)):
        DifferentialDrive(field()).moved(Pose(5.0, 5.0, 0.0), velocity, seconds, rng)


@for_each(('velocity', 'seconds'), [
    (Velocity(1e9), 1.0), (Velocity(-1e9), 1.0), (Velocity(0.0, 1e9), 1.0),
    (Velocity(0.0, -1e9), 1.0), (Velocity(1.0), 1e9), (Velocity(1.7e308, 1.7e308), 1.7e308),
    (Velocity(1e9, 1e-9), 1.0), (Velocity(1e-9, 1e9), 1.0)])
def test_too_much_at_once_is_refused(velocity, seconds, rng):
    with pytest.raises(InvalidMotionError, match=re.escape(
            f'a move must be short: {velocity} for {seconds} s is too much at once')):
        DifferentialDrive(field()).moved(Pose(5.0, 5.0, 0.0), velocity, seconds, rng)


@pytest.mark.parametrize('most', [
    Velocity(MAX_STEPS * LONGEST_STEP), Velocity(0.0, -MAX_STEPS * LONGEST_TURN)])
def test_the_most_at_once_is_allowed_and_a_little_more_is_not(most, rng):
    drive, pose = DifferentialDrive(field()), Pose(5.0, 5.0, 0.0)
    assert field().state_at(*place(drive.moved(pose, most, 1.0, rng))) is not None
    with pytest.raises(InvalidMotionError, match='a move must be short'):
        drive.moved(pose, most, 1.001, rng)


def test_how_much_is_too_much_is_a_matter_of_the_cells(rng):
    fast = Velocity(MAX_STEPS * LONGEST_STEP)
    with pytest.raises(InvalidMotionError, match='a move must be short'):
        DifferentialDrive(CellMap(floor('...', cell_size=0.5))).moved(
            Pose(0.2, 0.2, 0.0), fast, 1.0, rng)


def test_standing_still_may_take_as_long_as_it_likes(rng):
    pose = Pose(4.0, 6.0, 2.0)
    assert DifferentialDrive(field()).moved(pose, STOP, 1e300, rng) == pose


# ---- walls ----------------------------------------------------------------------------------

@for_each(('yaw', 'x', 'y'), [
    (0.0, 10.0, 5.3), (LEFT, 0.0, 5.3), (UP, 5.7, 10.0), (DOWN, 5.7, 0.0)])
@for_each('speed', [1.0, 30.0])
def test_at_the_edge_of_the_floor_it_stops(yaw, x, y, speed, rng):
    end = DifferentialDrive(field()).moved(Pose(5.7, 5.3, yaw), Velocity(speed), 20.0, rng)
    assert (end.x, end.y) == pytest.approx((x, y), abs=2.0 * SKIN)
    assert field().state_at(end.x, end.y) is not None


def test_a_filled_cell_stops_it(rng):
    drive = DifferentialDrive(CellMap(floor('..#.')))
    assert drive.moved(Pose(0.5, 0.5, 0.0), Velocity(1.0), 5.0, rng).x == pytest.approx(2.0)
    assert drive.moved(Pose(3.5, 0.5, LEFT), Velocity(1.0), 5.0, rng).x == pytest.approx(3.0)


def test_a_thin_wall_stops_it_from_both_sides(rng):
    drive = DifferentialDrive(CellMap(floor(
        '....', blocked=walls_between((1, 4), np.array([[[1, 0], [2, 0]]])))))
    assert drive.moved(Pose(0.5, 0.5, 0.0), Velocity(9.0), 5.0, rng).x == pytest.approx(2.0)
    assert drive.moved(Pose(3.5, 0.5, 0.0), Velocity(-9.0), 5.0, rng).x == pytest.approx(2.0)


def test_a_one_way_wall_stops_it_one_way(rng):
    drive = DifferentialDrive(CellMap(floor('..', blocked={'east': np.array([[True, False]])})))
    there = drive.moved(Pose(1.5, 0.5, LEFT), Velocity(1.0), 1.0, rng)
    assert there.x == pytest.approx(0.5)
    assert drive.moved(there, Velocity(-1.0), 5.0, rng).x == pytest.approx(1.0)


@pytest.mark.parametrize(('yaw', 'x', 'y'), [
    (0.3, 5.0 + 4.0 * math.cos(0.3), 10.0), (-0.3, 5.0 + 4.0 * math.cos(0.3), 9.0)])
def test_along_a_wall_it_slides(yaw, x, y, rng):
    """In the uppermost row of cells, which a wall divides from the others."""
    blocked = walls_between((10, 10), np.array([[[column, 0], [column, 1]]
                                                for column in range(10)]))
    drive = DifferentialDrive(CellMap(floor(*['.' * 10] * 10, blocked=blocked)))
    end = drive.moved(Pose(5.0, 9.5, yaw), Velocity(2.0), 2.0, rng)
    assert (end.x, end.y) == pytest.approx((x, y), abs=1e-5)
    assert end.yaw == pytest.approx(yaw)


def test_at_a_wall_it_can_turn_and_drive_away(rng):
    drive = DifferentialDrive(field())
    at_wall = drive.moved(Pose(9.5, 5.0, 0.0), Velocity(1.0), 3.0, rng)
    turned = drive.moved(at_wall, Velocity(0.0, math.pi), 1.0, rng)
    assert drive.moved(turned, Velocity(1.0), 2.0, rng).x == pytest.approx(8.0, abs=1e-5)


@for_each('yaw', [math.pi / 4.0, 0.7, 0.9, -3.0 * math.pi / 4.0])
def test_between_two_cells_that_touch_at_a_corner_there_is_no_way(yaw, rng):
    cells = CellMap(floor('#.', '.#'))
    drive = DifferentialDrive(cells)
    for start in ((0.9, 0.9), (1.1, 1.1)):
        end = drive.moved(Pose(*start, yaw), Velocity(5.0), 3.0, rng)
        assert cells.state_at(end.x, end.y) == cells.state_at(*start)


def test_who_is_put_into_a_wall_may_drive_out(rng):
    drive = DifferentialDrive(CellMap(floor('..#.')))
    assert drive.moved(Pose(2.5, 0.5, 0.0), Velocity(1.0), 1.0, rng).x == pytest.approx(3.5)
    assert drive.moved(Pose(2.5, 0.5, LEFT), Velocity(1.0), 1.0, rng).x == pytest.approx(1.5)


@pytest.mark.parametrize('name', ['prison', 'room', 'trap_world'])
@INVARIANT
@given(SEEDS, st.sampled_from([0.0, 0.3]))
def test_short_moves_cross_only_edges_that_an_action_leads_over(name, seed, noise):
    world, rng = world_of(name), np.random.default_rng(seed)
    cells = CellMap(world)
    drive, pose = DifferentialDrive(cells, noise), random_pose(cells, world.mdp.num_states, rng)
    for _ in range(150):
        distance = 0.1 * cells.cell_size * rng.choice([-1.0, 1.0, 1.0, 1.0])
        before, pose = pose, drive.moved(
            pose, Velocity(distance / 0.05, rng.normal(0.0, 6.0)), 0.05, rng)
        assert cells.state_at(pose.x, pose.y) is not None
        assert is_allowed(name, cells, before, pose)


@pytest.mark.parametrize('name', ['prison', 'room', 'trap_world'])
@INVARIANT
@given(SEEDS, st.lists(st.tuples(st.floats(-10.0, 10.0), st.floats(-20.0, 20.0),
                                 st.sampled_from([1e-6, 1e-3, 0.05, 1.0, 60.0])), max_size=4),
       st.sampled_from([0.0, 0.1]))
def test_however_fast_or_long_it_stays_on_cells_that_can_be_reached(name, seed, commands, noise):
    """A command is a distance, an angle and a time: up to 10 m at 10,000 km/s."""
    world, rng = world_of(name), np.random.default_rng(seed)
    cells = CellMap(world)
    drive, pose = DifferentialDrive(cells, noise), random_pose(cells, world.mdp.num_states, rng)
    state = cells.state_at(pose.x, pose.y)
    for distance, angle, seconds in commands:
        pose = drive.moved(pose, Velocity(distance / seconds, angle / seconds), seconds, rng)
        before, state = state, cells.state_at(pose.x, pose.y)
        assert state in reachable(name, before)


def test_out_of_the_prison_there_is_no_way_to_see():
    """The control of the tests above: where one starts makes a difference."""
    sizes = {len(reachable('prison', state)) for state in range(world_of('prison').mdp.num_states)}
    assert sizes == {1, 8, 13}


# ---- noise ----------------------------------------------------------------------------------

def ends(noise, velocity, seconds=0.5, count=1000):
    drive, rng = DifferentialDrive(field(), noise), np.random.default_rng(5)
    poses = [drive.moved(Pose(5.0, 5.0, 0.0), velocity, seconds, rng) for _ in range(count)]
    return np.array([(pose.x, pose.y, pose.yaw) for pose in poses])


@for_each('noise', [0.02, 0.1, 0.3])
def test_noise_is_a_share_of_the_velocity(noise):
    ways = ends(noise, Velocity(2.0))[:, 0] - 5.0
    assert ways.mean() == pytest.approx(1.0, abs=0.02)
    assert ways.std() == pytest.approx(noise, rel=0.1)
    turns = ends(noise, Velocity(0.0, -1.0))[:, 2]
    assert turns.mean() == pytest.approx(-0.5, abs=0.02)
    assert turns.std() == pytest.approx(0.5 * noise, rel=0.1)


def test_noise_grows_with_the_velocity():
    slow, fast = (ends(0.1, Velocity(speed))[:, 0].std() for speed in (1.0, 4.0))
    assert fast == pytest.approx(4.0 * slow)


def test_noise_of_driving_and_of_turning_are_independent():
    drive, rng = DifferentialDrive(field(), 0.1), np.random.default_rng(5)
    poses = [drive.moved(Pose(5.0, 5.0, 0.0), Velocity(1.0, 0.01), 1.0, rng) for _ in range(2000)]
    together = np.corrcoef([pose.x for pose in poses], [pose.yaw for pose in poses])[0, 1]
    assert abs(together) < 0.1


def test_noise_alone_does_not_move_it(rng):
    end = DifferentialDrive(field(), 0.5).moved(Pose(5.0, 5.0, 0.0), Velocity(1.0), 1.0, rng)
    assert (end.y, end.yaw) == (5.0, 0.0)


@pytest.mark.parametrize('noise', [0.0, 0.2])
def test_the_same_seed_gives_the_same_motion(noise):
    ways = []
    for _ in range(2):
        rng, pose, way = np.random.default_rng(7), Pose(5.0, 5.0, 0.0), []
        for _ in range(50):
            pose = DifferentialDrive(field(), noise).moved(pose, Velocity(1.0, 0.5), 0.1, rng)
            way.append(pose)
        ways.append(way)
    assert ways[0] == ways[1]


def test_another_seed_gives_another_motion():
    drive = DifferentialDrive(field(), 0.2)
    assert len({drive.moved(Pose(5.0, 5.0, 0.0), Velocity(1.0), 1.0, np.random.default_rng(seed))
                for seed in range(10)}) == 10


def test_without_noise_no_random_number_is_drawn(rng):
    before = rng.bit_generator.state
    DifferentialDrive(field()).moved(Pose(5.0, 5.0, 0.0), Velocity(1.0, 1.0), 1.0, rng)
    assert rng.bit_generator.state == before


@for_each('noise', [-0.1, math.nan, math.inf])
def test_noise_is_not_negative(noise):
    with pytest.raises(InvalidMotionError, match=f'noise must not be negative, got {noise}'):
        DifferentialDrive(field(), noise)
