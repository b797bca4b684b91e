"""Small task files of every kind, and what can be put into them to make them wrong."""

from __future__ import annotations

GRID = """world:
  kind: grid
  map: |
    S.A
    .#B
  legend: {A: shelf, B: desk}
"""
# Small worlds of every kind, and small numbers in them: a mutation must not make a huge one.
BASES = ['format: 1\n' + text for text in (
    GRID + 'hypotheses: {kind: goals, goals: free, value: 1, shaped: true, prior: sparsity}\n'
           'start: [[0, 0], desk]\ntruth: {hypothesis: "go to (0, 0)"}\n',
    GRID + '  moves: [north, stay]\n  slip: 0.1\n  jumps: {0: 0.5, 1: 0.5}\n  cell_size: 0.5\n'
           '  origin: [1, -1]\n  discount: 0.9\n'
           'hypotheses: {kind: goals, goals: [shelf, [0, 0]], count: 2, include: [desk]}\n',
    GRID + 'hypotheses:\n  kind: places\n  places: [shelf, desk]\n  value: 2\n'
           '  keep_off: {desk: -0.3}\n  prior: [1, 2, 3, 4]\nnoise: {gamma_hat: 0.9}\n',
    GRID + 'hypotheses:\n  kind: places\n  places: [shelf]\n  rather_not: 0.2\n'
           '  over: {desk: [free, rather not, never]}\n',
    GRID + 'hypotheses:\n  kind: features\n  weights:\n    shelf: {from: -1, to: 1}\n'
           '    desk: {from: 0, to: 1}\n  count: 3\n  seed: 2\n',
    GRID + 'hypotheses: {kind: random, count: 3, nonzero: 2, values: [-1, 1], seed: 3}\n',
    GRID + 'hypotheses:\n  kind: explicit\n  rewards:\n    - name: tidy\n      at:\n'
           '        - {place: shelf, value: 1}\n'
           '        - {place: [0, 0], action: north, value: -1}\n'
           '      goals: [shelf]\n      never: [desk]\n',
    'world:\n  kind: map\n  file: maps/room.yaml\n  cell_size: 0.5\n  robot_radius: 0.2\n'
    '  regions:\n    sofa: [0.2, 1.0, 1.9, 1.5]\n  moves: [north, east]\n'
    'hypotheses: {kind: places, places: [sofa]}\n',
    'world:\n  kind: mdp\n  states: [home, work]\n  actions: [go, {name: rest, key: r}]\n'
    '  transitions:\n    - {from: home, action: go, to: {work: 0.9, home: 0.1}}\n'
    '    - {from: home, action: rest, to: {home: 1.0}}\n'
    '    - {from: work, action: go, to: {home: 1.0}}\n'
    '    - {from: work, action: rest, to: {work: 1.0}}\n'
    '  positions: {home: [0, 0], work: [1, 0]}\nhypotheses: {kind: goals, goals: free}\n',
    'world: {kind: trap_world, rooms: [2, 2], room_size: 3, traps: [[0, 1]], walls: [{between: '
    '[[0, 0], [1, 0]], doors: [1]}]}\nhypotheses: {kind: goals, goals: [traps, goal]}\n',
    'world: {kind: puddle_world_lopes, size: 5, width: 2}\nhypotheses: {kind: own}\n',
    'world: {kind: random_mdp, states: 4, actions: 2, successors: 2, seed: 1, discount: 0.9}\n'
    'hypotheses: {kind: random, count: 3, nonzero: 1, values: [0, 1]}\nnoise: {sigma_hat: 0.1}\n',
)]
TOKENS = ['', ' ', '  ', '\n', ':', ': ', '- ', '[', ']', '{', '}', ',', '#', '&a ', '*a',
          '!!str ', '!', '|', '>', "'", '"', '%', '@', '`', '?', '\t', '\0', '\\', '---\n',
          '...\n', '<<: ', 'é', '\u2028', '\ufeff', '~', 'null', 'true', 'no', '-', '+', '.',
          '1e308', '-1e308', '1e-320', '1e999', '0', '-1', '[]', '{}', '[0, 0]', 'shelf', 'free',
          'regions', 'S', '\r']
SCALARS = [None, True, False, -1, 0, 1, 2, 3, 0.5, -0.5, 1e-9, 1e-320, 1e300, -1e308, 1e308, '',
           'a', 'shelf', 'desk', 'sofa', 'goal', 'traps', 'free', 'regions', 'north', 'uniform',
           'anywhere', 'home', 'x\ny', 'x\0y', '../x', '/', '.', 'x' * 300, 'é', 10**30]
KEYS = ['kind', 'map', 'legend', 'value', 'values', 'count', 'seed', 'prior', 'start', 'A', 'B',
        '#', '', 'x', '0', '1', '-1', '+1', '1_0', 'a\nb', 'home', 'shelf', 'discount', 'include']
