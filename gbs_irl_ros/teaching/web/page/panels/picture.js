// The picture of the world: a map, a road, or a list of states.

import { byId, onPress } from '../dom.js';
import { MapView } from '../picture/map.js';
import { drawList, drawSteps } from '../picture/list.js';
import { drawRoad } from '../picture/road.js';
import { change, state, watch } from '../store.js';
import { act, goTo, offerOf } from './answers.js';
import { pointAt } from './closing.js';
import { extendPath } from './path.js';
import { placePins } from './pins.js';
import { showCell } from './place.js';
import { openRegion, pressName } from './region.js';
import { pressStep } from './rehearsal.js';
import { zonesOf } from './zones.js';

const [stage, picture, free] = ['stage', 'picture', 'free'].map(byId);
const WHOLE = ['task', 'place'];    // questions that are not about one place
const FACT = 0.3;                   // nothing less likely is painted
const CLOSER = 1.4;
let map = null;             // of a world with cells

watch(['world'], build);
watch(['world', 'asked', 'policy', 'belief', 'robot', 'steps', 'wrong', 'path', 'mode', 'history',
  'rehearsal', 'ahead', 'step', 'pointed', 'shown', 'region', 'face'], renderMap);
watch(['world', 'asked', 'here', 'policy', 'steps', 'wrong', 'rehearsal'], renderPlain);
onPress('closer', () => zoomIn(CLOSER));
onPress('farther', () => zoomIn(1 / CLOSER));
onPress('whole', () => map?.whole());

export function zoomIn(factor) {
  map?.zoom(factor);
}

function build({ world }) {
  map?.end();
  map = world.cells ? new MapView(world, { stage, picture, free }, { pick, pickName: pressName,
    paint, paints: () => ['pathing', 'showing'].includes(state.mode),
    drawn }) : null;
  change({ map });
  document.body.classList.toggle('plain', !map);
  byId('zoom').hidden = !map;
  byId('rehearse').hidden = false;
}

/** A picture without a map is shown where no panel lies over it. */
new ResizeObserver(() => {
  const box = map ? null : free.getBoundingClientRect();
  for (const edge of ['left', 'top', 'width', 'height']) {
    picture.style[edge] = box ? `${box[edge]}px` : '';
  }
}).observe(free);

function renderMap(now) {
  const { asked, policy, belief, robot, steps, wrong, path, mode, rehearsal, pointed } = now;
  document.body.dataset.tool = mode ?? '';
  const isShown = now.face === 'question' && asked;
  const looked = pointed ?? now.step ?? now.region?.states[0] ?? asked?.route?.[wrong]?.[0]
    ?? null;
  const isMove = isShown && (asked.kind === 'action' || asked.kind === 'demonstration');
  map?.show({
    asked: isShown && !WHOLE.includes(asked.kind) ? asked.state : null, policy, robot,
    facets: belief?.answers || belief?.status === 'done' ? belief.facets : null,
    sure: belief?.certainty ?? 0,
    tint: !belief?.facets?.regions.length && (belief?.certainty ?? 0) >= FACT,
    arrows: Boolean(rehearsal?.arrows),
    moves: !isMove ? [] : now.world.actions.filter((_, action) => asked.kind === 'demonstration'
      || offerOf(asked, action)).map(({ direction }) => direction).filter(Boolean),
    offered: isShown && asked.kind === 'place' ? asked.offers.filter(
      ({ answer }) => answer.states) : [],
    compared: isShown && asked.kind === 'compare' && !rehearsal
      ? asked.courses.map(({ states }) => states) : null,
    shown: mode === 'showing' ? now.shown : null, zones: zonesOf(now),
    proposed: isShown && asked.kind === 'yes_no' ? asked.action : null,
    ways: {
      ahead: rehearsal || isShown ? null : now.ahead?.states,
      path: (mode === 'pathing' ? path : steps).course?.states,
      begun: mode === 'pathing' && path.places.length === 1 ? path.places : null,
      rehearsal: rehearsal ? rehearsal.states.slice(0, rehearsal.shown)
        : isShown && asked.kind === 'confirm' ? asked.courses[0].states : null,
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
    if (row) picture.scrollTop = row.offsetTop - picture.clientHeight / 2;
  } else if (rehearsal) {
    const { actions, scenes, shown } = rehearsal;
    picture.replaceChildren(drawRoad(world, scenes[shown - 1], actions.slice(shown - 1, shown)));
  } else if (asked?.kind === 'confirm') {
    const [{ actions, scenes }] = asked.courses;
    const place = wrong ?? 0;
    picture.replaceChildren(drawRoad(world, scenes[place], actions.slice(place, place + 1)));
  } else if (asked && steps.course) {
    picture.replaceChildren(drawRoad(world, steps.course.scenes.at(-1)));
  } else if (asked) {
    const would = (here?.sure ?? 0) >= FACT && state.belief?.answers ? here.actions : [];
    picture.replaceChildren(drawRoad(world, asked.scene, would));
  }
}

function drawn() {
  placePins(map);
  Object.assign(stage.dataset, { left: map.left, top: map.top, cell: map.cell });
  byId('farther').hidden = byId('whole').hidden = !map.camera.own;
}

/** A cell was painted over with a tool. */
function paint(place) {
  if (state.mode === 'pathing') extendPath(place);
  else if (state.mode === 'showing') showCell(...map.place(place));
}

/** A cell was pressed: a place of a tool, an answer beside the marked place, or "what of it?". */
function pick(place) {
  const { asked, mode, face, rehearsal } = state;
  if (mode === 'pathing' || mode === 'showing') paint(place);
  else if (mode || (rehearsal && pressStep(place))) return;
  else if (face === 'question' && asked.kind === 'confirm' && pointAt(place)) return;
  else if (face === 'question' && asked.kind === 'place' && goTo(place)) return;
  else if (face === 'question' && asked.kind === 'action' && answerBeside(place)) return;
  else if (state.belief?.likely.length) {
    const region = state.world.regions.find(({ states }) => states.includes(place));
    openRegion(region ?? { name: '', states: [place] });
  }
}

/** The cell beside the marked one means "go there"; the marked one itself means nothing. */
function answerBeside(place) {
  const { asked, world } = state;
  const [column, row] = map.place(asked.state);
  const [toColumn, toRow] = map.place(place);
  const action = world.actions.findIndex(({ direction }) => direction
    && direction[0] === toColumn - column && direction[1] === toRow - row);
  const isBeside = Math.max(Math.abs(toColumn - column), Math.abs(toRow - row)) <= 1;
  if (isBeside && place !== asked.state && action >= 0) act(action);
  return isBeside;
}
