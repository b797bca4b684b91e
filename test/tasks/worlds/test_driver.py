"""The motorway."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from cases import for_each
from scipy import sparse

from gbs_irl_ros.tasks.layout import LANE_NAMES, ROAD_SHAPE, Scene, scene_of
from gbs_irl_ros.tasks.worlds.driver import build_driver

STEER = range(5)
FAR_AWAY = ((0, 3), (1, 3), (2, 3))     # (lane, distance) of three cars that bother nobody


@pytest.fixture(scope='module')
def driver():
    return build_driver(0.95)


def state(own, *cars):
    """The number of a state: own lane 0 .. 4, cars as (lane 0 .. 2, distance 0 .. 4)."""
    return int(np.ravel_multi_index((own, *itertools.chain(*cars)), ROAD_SHAPE))


def feature(driver, name, own, cars, action=0):
    return driver.features[name].reshape(-1, 5)[state(own, *cars), action]


def reward(driver, own, cars, action):
    return driver.own.rewards.dense().reshape(-1, 5)[state(own, *cars), action]


def test_has_the_size_of_the_paper(driver):
    assert driver.mdp.num_states == 5 * (3 * 5)**3 == 16_875
    assert driver.mdp.num_actions == 5
    assert driver.mdp.successors is not None       # deterministic
    assert driver.mdp.discount == 0.95


@for_each('action', STEER)
def test_an_action_steers_into_its_lane_and_the_others_come_nearer(driver, action):
    before = state(2, (0, 4), (1, 3), (2, 1))
    assert driver.mdp.successors[before, action] == state(action, (0, 3), (1, 2), (2, 0))


def test_a_passed_car_reappears_far_ahead_in_its_lane(driver):
    before = state(0, (0, 0), (2, 0), (1, 1))
    assert driver.mdp.successors[before, 3] == state(3, (0, 4), (2, 4), (1, 0))


def test_other_cars_never_change_lanes(driver):
    lanes = np.stack(np.unravel_index(np.arange(16_875), ROAD_SHAPE)[1::2])
    for action in STEER:
        np.testing.assert_array_equal(lanes[:, driver.mdp.successors[:, action]], lanes)


def test_every_car_is_back_where_it_was_after_five_steps(driver):
    at = np.arange(16_875)
    for action in (4, 0, 3, 1, 2):
        at = driver.mdp.successors[at, action]
    parts = np.unravel_index(np.arange(16_875), ROAD_SHAPE)
    expected = np.ravel_multi_index((np.full(16_875, 2), *parts[1:]), ROAD_SHAPE)
    np.testing.assert_array_equal(at, expected)


def test_the_states_fall_into_closed_parts(driver):
    """27 ways to choose lanes, 25 to be apart from each other; 5 lanes x 5 phases in each."""
    links = sparse.csr_matrix(
        (np.ones(16_875 * 5), (np.repeat(np.arange(16_875), 5), driver.mdp.successors.ravel())),
        shape=(16_875, 16_875))
    count, label = sparse.csgraph.connected_components(links, directed=True, connection='strong')
    weak, _ = sparse.csgraph.connected_components(links, directed=True, connection='weak')
    assert count == weak == 27 * 25
    assert set(np.bincount(label)) == {25}


@for_each(('own', 'car', 'crash', 'close'), [
    (1, (0, 0), 1, 0),      # the lanes of cars are the three in the middle
    (2, (1, 0), 1, 0),
    (3, (2, 0), 1, 0),
    (2, (0, 0), 0, 0),
    (0, (0, 0), 0, 0),      # nobody drives on a shoulder
    (4, (2, 0), 0, 0),
    (2, (1, 1), 0, 1),
    (1, (1, 1), 0, 0),
    (2, (1, 2), 0, 0),
    (2, (1, 4), 0, 0),
])
def test_crash_and_close_are_about_the_own_lane(driver, own, car, crash, close):
    for place in range(3):
        cars = list(FAR_AWAY)
        cars[place] = car
        for action in STEER:
            assert feature(driver, 'crash', own, cars, action) == crash
            assert feature(driver, 'close', own, cars, action) == close


def test_crash_and_close_can_come_together(driver):
    cars = ((1, 0), (1, 1), (0, 0))
    assert feature(driver, 'crash', 2, cars) == 1
    assert feature(driver, 'close', 2, cars) == 1


def test_two_cars_at_once_are_one_crash(driver):
    assert feature(driver, 'crash', 2, ((1, 0), (1, 0), (1, 0))) == 1


def test_shoulders_are_the_outer_lanes(driver):
    assert [feature(driver, 'shoulder', own, FAR_AWAY) for own in range(5)] == [1, 0, 0, 0, 1]


def test_each_lane_has_its_own_feature(driver):
    for lane in range(5):
        assert [feature(driver, f'lane_{lane}', own, FAR_AWAY) for own in range(5)] == \
            np.eye(5)[lane].tolist()


def test_steering_elsewhere_is_a_lane_change(driver):
    for own, action in itertools.product(range(5), STEER):
        assert feature(driver, 'lane_change', own, FAR_AWAY, action) == float(own != action)


@for_each(('own', 'cars', 'action', 'expected'), [
    (2, FAR_AWAY, 2, 0.0),
    (2, FAR_AWAY, 3, -0.1),
    (0, FAR_AWAY, 0, -1.0),
    (4, FAR_AWAY, 1, -1.1),
    (1, ((0, 0), (1, 3), (2, 3)), 1, -10.0),
    (1, ((0, 0), (1, 3), (2, 3)), 0, -10.1),
    (1, ((0, 0), (0, 0), (2, 3)), 0, -10.1),
    (1, ((0, 1), (1, 0), (2, 0)), 1, 0.0),
])
def test_the_own_reward_is_the_sum_of_the_papers_penalties(driver, own, cars, action, expected):
    assert reward(driver, own, cars, action) == pytest.approx(expected)


def test_the_own_reward_takes_only_these_values(driver):
    values = np.unique(driver.own.rewards.dense().round(9))
    np.testing.assert_allclose(values, [-10.1, -10.0, -1.1, -1.0, -0.1, 0.0])


def test_the_own_weights_make_the_own_reward(driver):
    total = sum(weight * driver.features[name] for name, weight in driver.own_weights.items())
    np.testing.assert_allclose(driver.own.rewards.dense()[0], total)
    assert driver.own.names == ('drive safely',)


def test_features_are_zero_or_one(driver):
    for column in driver.features.values():
        assert column.shape == (16_875 * 5,)
        assert set(np.unique(column)) == {0.0, 1.0}


def test_states_have_names_that_a_person_can_read(driver):
    names = driver.world.appearance.state_names
    assert names[state(0, (0, 0), (1, 4), (2, 2))] == (
        'in the left shoulder; cars: left lane 0 ahead, middle lane 4 ahead, right lane 2 ahead')
    assert len(set(names)) == 16_875


def test_the_looks_fit(driver):
    driver.world.appearance.check_fits(driver.mdp)
    assert driver.world.appearance.action_names[4] == 'right shoulder'
    assert driver.world.appearance.positions is None


# ---- scenes ---------------------------------------------------------------------------------

def test_a_scene_by_hand():
    assert scene_of(state(4, (0, 0), (1, 3), (2, 4))) == Scene(4, ((1, 0), (2, 3), (3, 4)))
    assert scene_of(0) == Scene(0, ((1, 0), (1, 0), (1, 0)))
    assert scene_of(16_874) == Scene(4, ((3, 4), (3, 4), (3, 4)))


def test_a_scene_and_the_number_of_its_state_belong_together():
    for number in range(0, 16_875, 7):
        scene = scene_of(number)
        assert state(scene.own, *((lane - 1, far) for lane, far in scene.cars)) == number


def test_a_scene_is_what_the_name_of_its_state_says(driver):
    for number in range(3, 16_875, 101):
        scene = scene_of(number)
        cars = ', '.join(f'{LANE_NAMES[lane]} {far} ahead' for lane, far in scene.cars)
        assert driver.world.appearance.state_names[number] == \
            f'in the {LANE_NAMES[scene.own]}; cars: {cars}'


def test_a_scene_with_a_car_right_ahead_is_a_crash(driver):
    crashes = driver.features['crash'].reshape(-1, 5)[:, 0]
    for number in range(0, 16_875, 13):
        scene = scene_of(number)
        assert crashes[number] == ((scene.own, 0) in scene.cars)


def test_a_scene_is_made_of_plain_numbers():
    scene = scene_of(np.int64(12_345))
    assert {type(part) for part in (scene.own, *itertools.chain(*scene.cars))} == {int}


@pytest.mark.parametrize('number', [-1, 16_875])
def test_there_is_no_scene_of_what_is_no_state(number):
    with pytest.raises(ValueError, match='out of bounds'):
        scene_of(number)
