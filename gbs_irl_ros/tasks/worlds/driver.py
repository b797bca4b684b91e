"""
The driver domain (Abbeel and Ng 2004): keep off the other cars.

The own car drives in one of five lanes, the outer two being shoulders, faster than three other
cars in the three middle lanes. A state is the own lane and, for each other car, its lane and how
far ahead it is (0 to 4): 5 x (3 x 5)^3 = 16,875 states. The five actions steer into a lane. In a
step every other car comes one place nearer; one that was passed reappears far ahead in its lane.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from gbs_irl_ros.core.hypotheses import Candidates
from gbs_irl_ros.core.mdp import Mdp
from gbs_irl_ros.core.rewards import Rewards
from gbs_irl_ros.languages.speaking import marked
from gbs_irl_ros.tasks.files.spec import Located, Record
from gbs_irl_ros.tasks.layout import DISTANCES, LANE_NAMES, LANES, ROAD_SHAPE
from gbs_irl_ros.tasks.world import Appearance, Picture, World
from gbs_irl_ros.tasks.worlds.built_world import DISCOUNT, BuiltWorld

TARGET = {'crash': -10.0, 'shoulder': -1.0, 'lane_change': -0.1}
WORDS = {'crash': marked('crashes'), 'close': marked('cars close ahead'),
         'lane_change': marked('changing lanes'),
         **{f'lane_{lane}': f'the {name}' for lane, name in enumerate(LANE_NAMES)}}

FIELDS = Record({'discount': DISCOUNT})


def read(values: Located, folder: Path) -> BuiltWorld:
    """Return the world."""
    return build_driver(values.discount)


def build_driver(discount: float) -> BuiltWorld:
    """
    Build the driver domain.

    Features, each 1 or 0 for a state and an action: `crash` (a car at distance 0 in the own lane),
    `close` (one at distance 1), `shoulder`, `lane_change` (the action steers into another lane),
    and `lane_0` to `lane_4` (the own lane).
    """
    parts = np.unravel_index(np.arange(np.prod(ROAD_SHAPE)), ROAD_SHAPE)
    own, lanes, ahead = parts[0], parts[1::2], parts[2::2]
    moved = [np.where(distance == 0, DISTANCES - 1, distance - 1) for distance in ahead]
    successors = np.stack([
        np.ravel_multi_index(_interleaved(np.full_like(own, target), lanes, moved), ROAD_SHAPE)
        for target in range(LANES)], axis=1)
    mdp = Mdp.from_successors(successors, discount)

    def any_car(distance: int) -> np.ndarray:
        return np.any([(lane + 1 == own) & (far == distance)
                       for lane, far in zip(lanes, ahead, strict=True)], axis=0)

    on_states = {'crash': any_car(0), 'close': any_car(1),
                 'shoulder': (own == 0) | (own == LANES - 1),
                 **{f'lane_{lane}': own == lane for lane in range(LANES)}}
    features = {name: np.repeat(values, LANES).astype(np.float64)
                for name, values in on_states.items()}
    features['lane_change'] = (own[:, np.newaxis] != np.arange(LANES)).ravel().astype(np.float64)
    target = sum(weight * features[name] for name, weight in TARGET.items())
    reward = Rewards.from_dense(np.asarray(target).reshape(1, -1, LANES), LANES)
    looks = _appearance(own, lanes, ahead)
    return BuiltWorld(World('driver', mdp, mdp.checked_start(None), looks),
                      Candidates.of(mdp, reward, names=('drive safely',)), features, TARGET,
                      feature_words=WORDS)


def _interleaved(own: np.ndarray, lanes: tuple[np.ndarray, ...],
                 ahead: list[np.ndarray]) -> tuple[np.ndarray, ...]:
    pairs = [part for pair in zip(lanes, ahead, strict=True) for part in pair]
    return (own, *pairs)


def _appearance(own: np.ndarray, lanes: tuple[np.ndarray, ...],
                ahead: tuple[np.ndarray, ...]) -> Appearance:
    cars = [[f'{LANE_NAMES[lane + 1]} {far} ahead' for lane, far in zip(*car, strict=True)]
            for car in zip(lanes, ahead, strict=True)]
    names = tuple(f'in the {LANE_NAMES[lane]}; cars: ' + ', '.join(others)
                  for lane, *others in zip(own, *cars, strict=True))
    return Appearance(LANE_NAMES, ('1', '2', '3', '4', '5'), Picture.ROAD, names)
