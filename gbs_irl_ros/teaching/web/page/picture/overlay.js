// What lies over the floor of a map: names, goals, ways, places that are offered, the robot, and
// the question mark.

import { makeSvg } from '../dom.js';
import { MAP } from '../texts.js';
import { FACT, wanted } from './floor.js';
import { iconOf } from './icons.js';

const MAX_STARTS = 4;       // more are not marked
const APART = 26;           // between the numbers of two ways [px], and at least
const CELLS_APART = 1.9;
const FONT = '12px system-ui, "DejaVu Sans", sans-serif';       // of names, as in map.css
const ruler = document.createElement('canvas').getContext('2d');
const SMALL = 26;           // cells smaller than this have no room for icons
const MAX_LETTERS = 24;
const NEARBY = 2;           // cells from a mouse in which arrows are shown

export function overlayParts(map) {
  const { starts } = map.world;
  const { asked, robot, shown, ways, offered, compared, zones } = map.view;
  const parts = [];
  parts.push(...zones.map((zone) => zonePart(map, zone)));
  for (const state of goals(map)) parts.push(star(map, state));
  parts.push(...hovered(map));
  for (const [kind, states] of Object.entries(ways)) {
    if (states?.length) parts.push(...way(map, kind, states));
  }
  parts.push(...regionNames(map));      // a way must not strike them out
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

/** Where the robot believes the goal is, if it believes enough. */
function goals(map) {
  const { facets, policy, sure } = map.view;
  if (facets?.places.length) {
    return facets.places.filter(({ probability }) => probability >= FACT)
      .flatMap(({ states }) => states);
  }
  return sure >= FACT ? policy?.goals ?? [] : [];
}

/** What would be done around the mouse. */
function hovered(map) {
  const { policy } = map.view;
  if (map.hovered === null || !policy?.sets.length || map.cell < 12) return [];
  const [column, row] = map.place(map.hovered);
  const parts = [];
  for (let across = -NEARBY; across <= NEARBY; across += 1) {
    for (let down = -NEARBY; down <= NEARBY; down += 1) {
      const [x, y] = map.corner(column + across + 0.5, row + down + 0.5);
      const state = map.stateAt(x, y);
      if (state === null || (policy.sure[state] ?? 0) < FACT) continue;
      for (const step of wanted(map.world.actions, policy.sets[state])) {
        if (!Math.hypot(...step)) continue;
        const turn = Math.atan2(step[1], step[0]) * 180 / Math.PI;
        const size = map.cell * 0.3;
        parts.push(makeSvg('path', { class: 'would', opacity: 0.9 - 0.2 * Math.hypot(across, down),
          d: `M0 0H${size}m${-size * 0.35} ${-size * 0.3}l${size * 0.35} ${size * 0.3}l${
            -size * 0.35} ${size * 0.3}`, transform: `translate(${x} ${y}) rotate(${turn})` }));
      }
    }
  }
  return parts;
}

/** The name of each region, on a tag above it; a press on it is heard by map.js. */
function regionNames(map) {
  map.names = [];
  return map.world.regions.flatMap((region) => {
    if (map.cell < 7 && region.states.length < 40) return [];
    const cells = region.states.map((state) => map.place(state));
    const top = Math.min(...cells.map(([, row]) => row));
    const upper = cells.filter(([, row]) => row === top).map(([column]) => column);
    const [x, y] = map.corner((Math.min(...upper) + Math.max(...upper) + 1) / 2, top);
    const name = region.name.length > MAX_LETTERS
      ? `${region.name.slice(0, MAX_LETTERS - 1)}…` : region.name;
    const isSmall = map.cell < SMALL;
    const icon = isSmall ? '' : iconOf(region.sign ?? region.name);
    const width = widthOf(name, isSmall) + (icon ? 36 : isSmall ? 10 : 18);
    const high = isSmall ? 16 : 22;
    const at = y - high / 2 - 1;
    map.names.push({ region, box: [x - width / 2 - 6, at - 14, x + width / 2 + 6, at + 14] });
    return [makeSvg('rect', { x: x - width / 2, y: at - high / 2, width, height: high,
      rx: high / 2, class: 'tag' }),
    ...(icon ? [makeSvg('path', { d: icon, class: 'icon',
      transform: `translate(${x - width / 2 + 7} ${at - 8}) scale(.667)` })] : []),
    label(x + (icon ? 10 : 0), at + 4, name, isSmall ? 'name small' : 'name')];
  });
}

function widthOf(name, isSmall) {
  ruler.font = `600 ${isSmall ? FONT.replace('12', '10') : FONT}`;
  return ruler.measureText(name).width;
}

function star(map, state) {
  const [x, y] = map.middle(state);
  const size = Math.max(6, Math.min(15, map.cell * 0.36));
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
  return [makeSvg('polyline', { points, class: `way under ${kind}` }),
    makeSvg('polyline', { points, class: `way ${kind}` }),
    makeSvg('circle', { cx: x, cy: y, r: Math.max(4, map.cell / 7), class: `way-end ${kind}` })];
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

/** What a person has marked: its cells, never to be entered, to be passed, or to go to. */
function zonePart(map, { kind, states }) {
  const cells = states.map((state) => map.corner(...map.place(state)));
  return makeSvg('path', { class: `zone ${kind}`,
    d: cells.map(([x, y]) => `M${x} ${y}h${map.cell}v${map.cell}h${-map.cell}z`).join('') });
}

function robotPart(map, [column, row, heading]) {
  const [x, y] = map.corner(column + 0.5, row + 0.5);
  const size = Math.max(7, Math.min(24, map.cell * 0.36));
  return makeSvg('g', { class: 'robot', transform: `translate(${x} ${y})` },
    makeSvg('circle', { r: size }), makeSvg('path', {
      d: `M${size * 0.75} 0L${-size * 0.4} ${size * 0.55}L${-size * 0.4} ${-size * 0.55}Z`,
      transform: `rotate(${heading})` }));
}

/** The question mark, and beside its cell thin marks for the ways that can be answered. */
function askedParts(map) {
  const { asked, proposed, moves } = map.view;
  const [x, y] = map.middle(asked);
  const size = Math.max(map.cell, 18);
  const parts = [makeSvg('rect', { x: x - size / 2, y: y - size / 2, width: size, height: size,
    rx: 5, class: 'asked' }), label(x, y + 6, '?', 'asked-mark')];
  for (const step of moves) {
    if (!Math.hypot(...step)) continue;
    const turn = Math.atan2(step[1], step[0]) * 180 / Math.PI;
    parts.push(makeSvg('path', { d: 'M-3.5 -6L3 0L-3.5 6', class: 'chevron',
      transform: `translate(${x} ${y}) rotate(${turn}) translate(${size / 2 + 7} 0)` }));
  }
  const step = map.world.actions[proposed]?.direction;
  if (step && Math.hypot(...step)) {
    const turn = Math.atan2(step[1], step[0]) * 180 / Math.PI;
    parts.push(makeSvg('path', { d: 'M0 -5H18V-12L34 0L18 12V5H0Z', class: 'proposed',
      transform: `translate(${x} ${y}) rotate(${turn}) translate(${size / 2 + 4} 0)` }));
  }
  return parts;
}
