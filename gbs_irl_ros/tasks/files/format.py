"""
The format of task files: what may stand in them. `docs/tasks.md` explains it to people.

`config/task.schema.json` is made from it: `gbs-irl schema > config/task.schema.json`.
"""

from __future__ import annotations

from typing import Any

from gbs_irl_ros.core.noise import Likelihood
from gbs_irl_ros.tasks.files.spec import (
    AnyOf,
    ByKind,
    Each,
    Field,
    Flag,
    Number,
    Record,
    Table,
    Text,
    Whole,
)
from gbs_irl_ros.tasks.worlds.grid import MOVES

FORMAT = 1
MAX_REWARDS = 100_000

DISCOUNT = Field(Number(at_least=0.0, below=1.0), 'discount of later rewards, in [0, 1)', 0.95)
CELL_SIZE = Field(Number(above=0.0, at_most=1000.0), 'edge of a cell [m]', 1.0)
MOVE_LIST = Field(Each(Text(tuple(MOVES)), 1, len(MOVES)), 'the actions, in this order',
                  ['north', 'east', 'south', 'west'])
SLIP = Field(Number(at_least=0.0, at_most=1.0),
             'chance that a move goes to one of its two sides instead', 0.0)
SEED = Field(Whole(0, 2**32 - 1), 'seed of everything that is drawn', 0)
CELL = Each(Whole(0), 2, 2)
PLACE = AnyOf([CELL, Text()], 'a cell [column, row] or the name of a region or state')
PRIOR = Field(AnyOf([Text(('uniform', 'sparsity')), Each(Number(above=0.0), 1)],
                    'uniform, sparsity, or a list with one positive number per hypothesis'),
              'probability of each hypothesis before any answer', 'uniform')
ACTION = AnyOf([Text(), Record({
    'name': Field(Text(), 'how a person calls it'),
    'key': Field(Text(longest=10), 'the key that means it', ''),
})], 'a name, or a mapping with name and key')

WORLDS = ByKind({
    'grid': Record({
        'map': Field(Text(longest=8_000_000),
                     'the drawing: # wall, . free, S start, other characters by legend'),
        'legend': Field(Table(Text()), 'character: name of the region it draws', {}),
        'moves': MOVE_LIST, 'slip': SLIP,
        'jumps': Field(Table(Number(0.0, 1.0)),
                       'number of steps: probability, in the direction of a move', {}),
        'cell_size': CELL_SIZE,
        'origin': Field(Each(Number(), 2, 2), 'x and y of the lower left corner [m]', [0.0, 0.0]),
        'discount': DISCOUNT}),
    'map': Record({
        'file': Field(Text(), 'a map.yaml of Nav2, in or below the folder of this file'),
        'cell_size': CELL_SIZE,
        'robot_radius': Field(Number(at_least=0.0, at_most=100.0),
                              'radius of the robot [m]', 0.0),
        'regions': Field(Table(Each(Number(), 4, 4)),
                         'name: [x from, y from, x to, y to] [m]', {}),
        'moves': MOVE_LIST, 'slip': SLIP, 'discount': DISCOUNT}),
    'mdp': Record({
        'states': Field(Each(Text(), 1), 'names of the states'),
        'actions': Field(Each(ACTION, 1, 64), 'the actions'),
        'transitions': Field(Each(Record({
            'from': Field(Text(), 'a state'),
            'action': Field(Text(), 'an action'),
            'to': Field(Table(Number(0.0, 1.0), 1), 'state: probability'),
        }), 1), 'where each action leads'),
        'positions': Field(Table(Each(Number(), 2, 2)), 'state: [x, y] [m]', {}),
        'discount': DISCOUNT}),
    'puddle_world': Record({'discount': DISCOUNT, 'cell_size': CELL_SIZE}),
    'puddle_world_lopes': Record({
        'discount': DISCOUNT, 'cell_size': CELL_SIZE,
        'size': Field(Whole(5, 200), 'cells along an edge', 21),
        'width': Field(Number(above=0.0), 'width of a bump [cells]', 2.0)}),
    'trap_world': Record({
        'rooms': Field(Each(Whole(1, 50), 2, 2), 'rooms [across, down]', [3, 3]),
        'room_size': Field(Whole(1, 100), 'cells along the edge of a room', 10),
        'traps': Field(Each(Each(Whole(0), 2, 2)), 'rooms [column, row] that are traps', []),
        'walls': Field(Each(Record({
            'between': Field(Each(Each(Whole(0), 2, 2), 2, 2), 'two neighbouring rooms'),
            'doors': Field(Each(Whole(0)), 'open places along the wall', []),
        })), 'walls between rooms', []),
        'discount': DISCOUNT, 'cell_size': CELL_SIZE}),
    'driver': Record({'discount': DISCOUNT}),
    'random_mdp': Record({
        'states': Field(Whole(1, 100_000), 'number of states', 50),
        'actions': Field(Whole(1, 64), 'number of actions', 5),
        'successors': Field(Whole(1), 'states that can follow an action', 3),
        'seed': SEED, 'discount': DISCOUNT}),
})

COUNT = Field(Whole(1, MAX_REWARDS), 'how many rewards, all in all', 500)
INCLUDE_OWN = Field(Flag(), "whether the domain's own reward is among them", False)

HYPOTHESES = ByKind({
    'goals': Record({
        'goals': Field(AnyOf([Text(('free', 'regions')), Each(PLACE, 1)],
                             'free, regions, or a list of places'),
                       'free: every free cell or state; regions: every region; or a list'),
        'value': Field(Number(), 'reward at the goal', 1.0),
        'count': Field(Whole(1, MAX_REWARDS), 'how many of them to draw; all if left out', None),
        'include': Field(Each(PLACE), 'places that are drawn in any case', []),
        'shaped': Field(Flag(), 'add a potential that tells the way (grids only)', False),
        'seed': SEED, 'prior': PRIOR}),
    'places': Record({
        'places': Field(Each(Text(), 1), 'regions that the robot may be sent to'),
        'value': Field(Number(above=0.0), 'reward there', 1.0),
        'keep_off': Field(Table(Number(below=0.0)),
                          'region: penalty; each may or may not matter to the teacher', {}),
        'prior': PRIOR}),
    'features': Record({
        'weights': Field(Table(AnyOf([
            Each(Number(), 1), Record({'from': Field(Number(), 'lowest'),
                                       'to': Field(Number(), 'highest')})],
            'a list of values, or a range {from: .., to: ..}'), 1),
            'feature or region: what its weight is drawn from'),
        'count': COUNT, 'include_own': INCLUDE_OWN, 'seed': SEED, 'prior': PRIOR}),
    'random': Record({
        'count': COUNT,
        'nonzero': Field(Whole(1), "entries that are not zero; as the domain's own if left out",
                         None),
        'values': Field(Each(Number(), 2, 2),
                        "[low, high]; as the domain's own if left out", None),
        'include_own': INCLUDE_OWN, 'seed': SEED, 'prior': PRIOR}),
    'own': Record({'prior': PRIOR}),
    'explicit': Record({
        'rewards': Field(Each(Record({
            'name': Field(Text(), 'how a person calls the task'),
            'at': Field(Each(Record({
                'place': Field(PLACE, 'where'),
                'action': Field(Text(), 'the action, if the reward depends on it', None),
                'value': Field(Number(), 'how much')}), 1), 'where the reward is not zero'),
            'goals': Field(Each(PLACE), 'where the task is accomplished', []),
        }), 1), 'the rewards'),
        'prior': PRIOR}),
})

NOISE = Record({
    'gamma_hat': Field(Number(above=0.0, at_most=1.0), 'chance of an optimal answer', 0.9),
    'sigma_hat': Field(Number(above=0.0), 'spread of reward answers', 0.1),
    'likelihood': Field(Text(tuple(kind.value for kind in Likelihood)),
                        'of an action answer', 'exact'),
})

TASK = Record({
    'format': Field(Whole(FORMAT, FORMAT), 'the version of this format: 1'),
    'name': Field(Text(longest=100), 'short name; that of the file if left out', None),
    'description': Field(Text(may_be_empty=True), 'one or two sentences for a person', ''),
    'world': Field(WORLDS, 'the world'),
    'hypotheses': Field(HYPOTHESES, 'what may be meant'),
    'noise': Field(NOISE, 'how the teacher errs', None),
    'start': Field(AnyOf([Text(('anywhere',)), Each(PLACE, 1)], 'anywhere, or a list of places'),
                   'where the robot may start', None),
    'truth': Field(Record({
        'hypothesis': Field(AnyOf([Whole(0), Text()], 'the name or the number of a hypothesis'),
                            'the task that a simulated teacher means'),
    }), 'for simulated teachers and experiments only; never reaches the learner', None),
})


def json_schema() -> dict[str, Any]:
    """Return the format as a JSON schema, for editors."""
    return {
        '$schema': 'http://json-schema.org/draft-07/schema#',
        'title': 'gbs_irl_ros task file',
        **TASK.schema(),
    }
