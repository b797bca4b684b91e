// Places in words: on which region, near what, and what is around. For everybody, and for those
// who cannot see the map.

import { MAP, WHERE, stateName } from '../texts.js';

const NEAR = 3;             // cells from a place that count as near it
const FAR = 12;             // cells from which on a distance says little
const MAX_DISTANCES = 3;

let known = null;           // of the last world: where its states and regions are

function maps(world) {
  if (known?.world === world) return known;
  const { columns, states } = world.cells;
  const cellOf = new Int32Array(world.num_states);
  states.forEach((state, cell) => { if (state >= 0) cellOf[state] = cell; });
  const at = (state) => [cellOf[state] % columns, Math.floor(cellOf[state] / columns)];
  known = { world, at, walls: new Set(world.cells.walls.map(String)) };
  return known;
}

/** The nearest cell of each region that a state is not in: {name, right, down, far}. */
function distances(world, state) {
  const { at } = maps(world);
  const [x, y] = at(state);
  return world.regions.filter(({ states }) => !states.includes(state)).map(({ name, states }) => {
    const steps = states.map((each) => [at(each)[0] - x, at(each)[1] - y]);
    const length = ([right, down]) => Math.abs(right) + Math.abs(down);
    const [right, down] = steps.reduce((one, other) => (
      length(other) < length(one) ? other : one));
    return { name, right, down, far: length([right, down]) };
  }).sort((one, other) => one.far - other.far);
}

function steps({ right, down }, isFrom) {
  const { up, down: below, left, right: beside } = WHERE.cells;
  const parts = [];
  const [x, y] = isFrom ? [-right, -down] : [right, down];
  if (x) parts.push((x > 0 ? beside : left)(Math.abs(x)));
  if (y) parts.push((y > 0 ? below : up)(Math.abs(y)));
  return parts;
}

/** Where a state is: "On the carpet, near the desk." */
export function where(world, state, goals = []) {
  if (!world.cells) return '';
  const inside = world.regions.filter(({ states }) => states.includes(state))
    .map(({ name }) => name);
  const places = inside.filter((name) => goals.includes(name));
  const parts = [];
  if (places.length) parts.push(WHERE.at(places[0]));
  else if (inside.length) parts.push(WHERE.on(inside));
  const [nearest] = distances(world, state);
  if (nearest && !places.length && nearest.far <= FAR) {
    if (nearest.far <= NEAR) parts.push(WHERE.near(nearest.name));
    else if (!inside.length) parts.push(WHERE.from(steps(nearest, true), nearest.name));
  }
  if (!parts.length) return `${stateName(world, state)}.`;
  const text = WHERE.join(parts);
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** What is on each side of a state, and how far the nearest regions are. */
export function around(world, state) {
  if (!world.cells) return '';
  const { at, walls } = maps(world);
  const [x, y] = at(state);
  const { columns, rows, states } = world.cells;
  const side = ([right, down], direction) => {
    const [column, row] = [x + right, y + down];
    const inside = column >= 0 && row >= 0 && column < columns && row < rows;
    const there = inside ? states[row * columns + column] : -1;
    const [wallColumn, wallRow] = [Math.min(x, column), Math.min(y, row)];
    if (there < 0 || walls.has(String([wallRow, wallColumn, down ? 1 : 0]))) {
      return WHERE.side(direction, WHERE.wall);
    }
    const region = world.regions.find((each) => each.states.includes(there));
    return WHERE.side(direction, region?.name ?? WHERE.free);
  };
  const { up, down, left, right } = WHERE.directions;
  const sides = [side([0, -1], up), side([1, 0], right), side([0, 1], down), side([-1, 0], left)];
  const far = distances(world, state).slice(0, MAX_DISTANCES)
    .map((each) => WHERE.distance(each.name, steps(each, false)));
  return WHERE.around([...sides, ...far]);
}

/** A map in words. */
export function describe(world, { asked, robot }) {
  const { columns, rows } = world.cells;
  const parts = [MAP.size(world.name, columns, rows)];
  if (world.regions.length) parts.push(MAP.regions(world.regions.map(({ name }) => name)));
  if (asked !== null) {
    parts.push(`${MAP.asked(stateName(world, asked))}. ${where(world, asked)} ${
      around(world, asked)}`);
  }
  if (Number.isInteger(robot?.state)) {
    parts.push(MAP.robot(where(world, robot.state).replace(/\.$/, '')));
  }
  return parts.join('; ');
}
