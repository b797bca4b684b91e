// A state of the road: lanes, the other cars, and one's own.

import { makeSvg } from '../dom.js';
import { ROAD } from '../texts.js';

const LANE = 60;
const PLACE = 64;

/** Draw a scene {own, cars: [[lane, ahead]]}; `allowed` are the lanes the robot would take. */
export function drawRoad(world, scene, allowed = []) {
  const lanes = world.lanes.length;
  const height = PLACE * world.distances + 20;
  const cars = scene.cars.map(([lane, ahead]) => ROAD.ahead(world.lanes[lane], ahead));
  const picture = makeSvg('svg', {
    viewBox: `0 0 ${LANE * lanes} ${height}`, class: 'road', role: 'img',
    'aria-label': ROAD.scene(world.lanes[scene.own], cars) });
  for (let lane = 0; lane < lanes; lane += 1) {
    const shoulder = lane === 0 || lane === lanes - 1;
    picture.append(makeSvg('rect', { x: lane * LANE, y: 0, width: LANE, height,
      class: shoulder ? 'shoulder' : 'lane' }));
    if (lane) {
      picture.append(makeSvg('line', { x1: lane * LANE, x2: lane * LANE, y1: 0, y2: height,
        class: lane === 1 || lane === lanes - 1 ? 'edge' : 'dashes' }));
    }
  }
  const at = (lane, ahead) => [(lane + 0.5) * LANE, height - 10 - (ahead + 0.5) * PLACE];
  const seen = new Map();
  for (const [lane, ahead] of scene.cars) {
    const place = `${lane},${ahead}`;
    seen.set(place, (seen.get(place) || 0) + 1);
  }
  for (const [place, count] of seen) {
    const [lane, ahead] = place.split(',').map(Number);
    picture.append(car(...at(lane, ahead), 'other', count > 1 ? `${count}×` : ''));
  }
  picture.append(car(...at(scene.own, 0), 'own', ROAD.own));
  for (const lane of allowed) {
    const [x, y] = at(lane, 0);
    picture.append(makeSvg('path', { d: `M${x - 10} ${y - 34}L${x} ${y - 46}L${x + 10} ${y - 34}Z`,
      class: 'would' }));
  }
  return picture;
}

function car(x, y, kind, word) {
  const group = makeSvg('g', { class: `car ${kind}`, transform: `translate(${x} ${y})` });
  group.append(
    makeSvg('rect', { x: -14, y: -24, width: 28, height: 48, rx: 8 }),
    makeSvg('rect', { x: -10, y: -12, width: 20, height: 10, rx: 3, class: 'glass' }));
  if (word) group.append(makeSvg('text', { y: 16, 'text-anchor': 'middle', text: word }));
  return group;
}
