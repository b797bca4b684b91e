// The picture of the world: a map, a road, or a list of states.

import { arrow, byId, make, onPress } from '../dom.js';
import { MapView } from '../picture/map.js';
import { drawList, drawSteps } from '../picture/list.js';
import { drawRoad } from '../picture/road.js';
import { state, watch } from '../store.js';
import { LEGEND } from '../texts.js';
import { act, goTo, placeAnswers } from './answers.js';
import { pointAt } from './closing.js';
import { extendPath } from './path.js';
import { showCell } from './place.js';

const [stage, picture, spot, legend] = ['stage', 'picture', 'spot', 'legend'].map(byId);
const WHOLE = ['task', 'place'];    // questions that are not about one place
let map = null;             // of a world with cells

watch(['world'], build);
watch(['world', 'asked', 'policy', 'robot', 'steps', 'wrong', 'path', 'mode', 'rehearsal',
  'pointed', 'shown'], renderMap);
watch(['world', 'asked', 'here', 'policy', 'steps', 'wrong', 'rehearsal'], renderPlain);
watch(['world', 'policy', 'robot'], renderLegend);
onPress('closer', () => map.zoom());

function build({ world }) {
  map?.end();
  map = world.cells ? new MapView(world, stage, picture, { pick, drawn }) : null;
  stage.classList.toggle('plain', !map);
  if (map) stage.append(spot);
  else stage.after(spot);
}

function renderMap(now) {
  const { asked, policy, robot, steps, wrong, path, mode, rehearsal, pointed } = now;
  const looked = pointed ?? asked?.route?.[wrong]?.[0] ?? null;
  map?.show({
    asked: asked && !WHOLE.includes(asked.kind) ? asked.state : null, policy, robot,
    offered: asked?.kind === 'place' ? asked.offers.filter(({ answer }) => answer.states) : [],
    compared: asked?.kind === 'compare' && !rehearsal
      ? asked.courses.map(({ states }) => states) : null,
    shown: mode === 'showing' ? now.shown : null,
    proposed: asked?.kind === 'yes_no' ? asked.action : null,     // what the question is about
    ways: {
      path: (mode === 'pathing' ? path : steps).course?.states,
      rehearsal: rehearsal ? rehearsal.states.slice(0, rehearsal.shown)
        : asked?.kind === 'confirm' ? asked.courses[0].states : null,
      recorded: robot?.recording ? robot.steps.map(([place]) => place).concat(robot.state ?? [])
        : null,
      looked: looked === null ? null : [looked],
    } });
}

function renderPlain({ world, asked, here, policy, steps, wrong, rehearsal }) {
  if (!world || map) return;
  if (!world.lanes.length) {
    const courses = rehearsal ? [rehearsal] : asked?.courses ?? [];
    picture.replaceChildren(...(courses.length
      ? drawSteps(world, courses, rehearsal ? null : wrong)
      : [drawList(world, asked?.state ?? null, policy)]));
    const row = picture.querySelector('.asked');
    if (row) stage.scrollTop = row.offsetTop - stage.clientHeight / 2;
  } else if (rehearsal) {
    const { actions, scenes, shown } = rehearsal;
    picture.replaceChildren(drawRoad(world, scenes[shown - 1], actions.slice(shown - 1, shown)));
  } else if (asked?.kind === 'confirm') {
    const [{ actions, scenes }] = asked.courses;
    const place = wrong ?? 0;
    picture.replaceChildren(drawRoad(world, scenes[place], actions.slice(place, place + 1)));
  } else if (asked && steps.course) {
    picture.replaceChildren(drawRoad(world, steps.course.scenes.at(-1)));
  } else if (asked) picture.replaceChildren(drawRoad(world, asked.scene, here?.actions ?? []));
}

function renderLegend({ world, policy, robot }) {
  const parts = [];
  if (map && policy?.sets.length) {
    parts.push([arrow([1, 0], 15), LEGEND.policy]);
    if (policy.goals.length) parts.push([LEGEND.goal]);
    if (policy.reward.some(Boolean)) parts.push([LEGEND.reward]);
    if (robot?.pose) parts.push([LEGEND.robot]);
  } else if (world?.lanes.length) parts.push([LEGEND.road]);
  const words = parts.map((part) => part.at(-1)).join();
  if (legend.dataset.words === words) return;
  legend.dataset.words = words;
  legend.replaceChildren(...parts.map((part) => make('span', {}, ...part)));
}

/** A cell was clicked: a place of a path, or, beside the marked place, "go there". */
function pick(place) {
  const { asked, mode, world } = state;
  if (mode === 'pathing') extendPath(place);
  else if (mode === 'showing') showCell(...map.place(place));
  else if (asked?.kind === 'confirm') pointAt(place);
  else if (asked?.kind === 'place') goTo(place);
  else if (asked?.kind === 'action') {
    const [column, row] = map.place(asked.state);
    const [toColumn, toRow] = map.place(place);
    const action = world.actions.findIndex(({ direction }) => direction
      && direction[0] === toColumn - column && direction[1] === toRow - row);
    if (action >= 0) act(action);
  }
}

function drawn() {
  byId('zoom').hidden = !map.canZoom;
  byId('closer').setAttribute('aria-pressed', String(map.isClose));
  stage.classList.toggle('drag', map.isClose);
  placeAnswers(map);
}
