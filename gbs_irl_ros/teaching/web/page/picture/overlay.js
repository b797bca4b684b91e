// What lies over the floor of a map: names, goals, ways, places that are offered, the robot, and
// the question mark.

import { makeSvg } from '../dom.js';
import { MAP } from '../texts.js';

const MAX_STARTS = 4;       // more are not marked
const APART = 26;           // between the numbers of two ways [px], and at least
const CELLS_APART = 1.9;

export function overlayParts(map) {
  const { regions, starts } = map.world;
  const { asked, policy, robot, shown, ways, offered, compared } = map.view;
  const parts = regions.map((region) => regionLabel(map, region));
  for (const state of policy?.goals ?? []) parts.push(star(map, state));
  for (const [kind, states] of Object.entries(ways)) {
    if (states?.length) parts.push(...way(map, kind, states));
  }
  if (compared) parts.push(...comparedParts(map, compared));
  offered.forEach((offer, number) => parts.push(...offeredParts(map, offer, number + 1)));
  if (shown?.cells) parts.push(shownPart(map, shown));
  if (robot?.pose) parts.push(robotPart(map, robot.pose));
  else if (starts.length <= MAX_STARTS && !compared && !offered.length) {
    for (const state of starts) {
      const [x, y] = map.middle(state);
      parts.push(label(x, y + 4, MAP.start));
    }
  }
  if (asked !== null) parts.push(...askedParts(map));
  return parts.filter(Boolean);
}

function label(x, y, text, kind = 'label') {
  return makeSvg('text', { x, y, class: kind, 'text-anchor': 'middle', text });
}

/** Above its topmost cells, in the middle of them: the arrows stay free. */
function regionLabel(map, { name, states }) {
  if (map.cell < 7 && states.length < 40) return null;
  const cells = states.map((state) => map.place(state));
  const top = Math.min(...cells.map(([, row]) => row));
  const upper = cells.filter(([, row]) => row === top).map(([column]) => column);
  const [x, y] = map.corner((Math.min(...upper) + Math.max(...upper) + 1) / 2, top);
  return label(x, y - 3, name);
}

function star(map, state) {
  const [x, y] = map.middle(state);
  const size = Math.max(6, Math.min(16, map.cell * 0.42));
  const points = [];
  for (let corner = 0; corner < 10; corner += 1) {
    const reach = corner % 2 ? size * 0.45 : size;
    const turn = Math.PI * (corner / 5 - 0.5);
    points.push(`${x + reach * Math.cos(turn)},${y + reach * Math.sin(turn)}`);
  }
  return makeSvg('polygon', { points: points.join(' '), class: 'goal' });
}

function way(map, kind, states) {
  const points = states.map((state) => map.middle(state).join(',')).join(' ');
  const [x, y] = map.middle(states.at(-1));
  return [makeSvg('polyline', { points, class: `way ${kind}` }),
    makeSvg('circle', { cx: x, cy: y, r: Math.max(4, map.cell / 6), class: `way-end ${kind}` })];
}

/** Two ways in two styles, each with its number where they have parted. */
function comparedParts(map, [one, other]) {
  const place = (states, step) => map.middle(states[Math.min(step, states.length - 1)]);
  const last = Math.max(one.length, other.length) - 1;
  const apart = Math.max(APART, CELLS_APART * map.cell);
  let step = 0;
  while (step < last && Math.hypot(...place(one, step).map(
    (at, axis) => at - place(other, step)[axis])) < apart) step += 1;
  return [...way(map, 'first', one), ...way(map, 'second', other),
    ...badge(place(one, step), '1', 'first'), ...badge(place(other, step), '2', 'second')];
}

/** A place that can be chosen, with its number in the list. */
function offeredParts(map, { answer: { states: [state] } }, number) {
  const [x, y] = map.middle(state);
  const size = Math.max(map.cell, 22);
  return [makeSvg('rect', { x: x - size / 2, y: y - size / 2, width: size, height: size, rx: 4,
    class: 'offered' }), ...badge([x, y], String(number), 'option')];
}

function badge([x, y], text, kind) {
  return [makeSvg('circle', { cx: x, cy: y, r: 10, class: `badge ${kind}` }),
    label(x, y + 4, text, `badge-text ${kind}`)];
}

/** The rectangle that is being shown; one that is never to be entered is crossed out. */
function shownPart(map, { manner, cells: [column, row, lastColumn, lastRow] }) {
  const [left, top] = map.world.cells.first;
  const [x, y] = map.corner(column - left, row - top);
  const [right, bottom] = map.corner(lastColumn - left + 1, lastRow - top + 1);
  const cross = manner !== 'never' ? ''
    : `M${x} ${y}L${right} ${bottom}M${right} ${y}L${x} ${bottom}`;
  return makeSvg('path', { d: `M${x} ${y}H${right}V${bottom}H${x}Z${cross}`,
    class: `shown ${manner}` });
}

function robotPart(map, [column, row, heading]) {
  const [x, y] = map.corner(column + 0.5, row + 0.5);
  const size = Math.max(7, map.cell * 0.36);
  return makeSvg('g', { class: 'robot', transform: `translate(${x} ${y})` },
    makeSvg('circle', { r: size }), makeSvg('path', {
      d: `M${size * 0.75} 0L${-size * 0.4} ${size * 0.55}L${-size * 0.4} ${-size * 0.55}Z`,
      transform: `rotate(${heading})` }));
}

function askedParts(map) {
  const { asked, proposed } = map.view;
  const [x, y] = map.middle(asked);
  const size = Math.max(map.cell, 14);
  const parts = [makeSvg('rect', { x: x - size / 2, y: y - size / 2, width: size, height: size,
    rx: 3, class: 'asked' }), label(x, y + 5, '?', 'asked-mark')];
  const step = map.world.actions[proposed]?.direction;
  if (step && Math.hypot(...step)) {
    const turn = Math.atan2(step[1], step[0]) * 180 / Math.PI;
    parts.push(makeSvg('path', { d: 'M0 -7H22V-15L40 0L22 15V7H0Z', class: 'proposed',
      transform: `translate(${x} ${y}) rotate(${turn}) translate(${size / 2 + 4} 0)` }));
  }
  return parts;
}
