// What the robot would do, shown step by step in the picture; a step can be pressed.

import { byId, make, onPress, say } from '../dom.js';
import { where } from '../picture/words.js';
import { change, state, watch } from '../store.js';
import { ask, mean } from '../teacher.js';
import { REHEARSAL, stateName } from '../texts.js';
import { sayPlace } from './region.js';

const STEP_MS = 90;             // on a map
const SCENE_MS = 700;           // of a road: each is another picture
const calm = matchMedia('(prefers-reduced-motion: reduce)');
let timer = null;
let shownFor = '';              // the lesson and its answers when it was shown

watch(['rehearsal', 'step'], render);
watch(['belief'], ({ belief, rehearsal }) => {
  if (rehearsal && key(belief) !== shownFor) endRehearsal();     // it may be another way by now
});
onPress('rehearse', toggle);
onPress('rehearsed', endRehearsal);

const key = (belief) => `${belief?.session} ${belief?.answers}`;

function render({ rehearsal, step, world }) {
  byId('rehearse').setAttribute('aria-pressed', String(Boolean(rehearsal)));
  if (rehearsal) say(byId('rehearsing-text'), REHEARSAL.steps(rehearsal));
  if (step === null) return;
  const close = () => change({ step: null });
  byId('step').replaceChildren(
    make('p', { text: where(world, step) }),
    ...(step === rehearsal.states.at(-1) ? [make('button', { class: 'big', text: REHEARSAL.end,
      on: { click: () => {
        endRehearsal();
        sayPlace(step);
      } } })] : []),
    make('button', { class: 'big', text: REHEARSAL.never, on: { click: () => {
      endRehearsal();
      mean({ kind: 'never_here', states: [step] }, REHEARSAL.words(stateName(world, step)));
    } } }),
    make('button', { class: 'big', text: REHEARSAL.route, on: { click: () => {
      endRehearsal();
      change({ mode: 'pathing' });
    } } }),
    make('button', { class: 'quiet', text: REHEARSAL.fine, on: { click: close } }));
}

/** A cell was pressed while a route is shown; returns whether it is on it. */
export function pressStep(place) {
  if (!state.rehearsal?.states.includes(place)) return false;
  change({ step: place });
  return true;
}

export function toggle() {
  if (state.rehearsal) endRehearsal();
  else rehearse(true);
}

/** Show the route; with arrows: also what would be done everywhere else. */
export async function rehearse(arrows = false) {
  endRehearsal();
  const course = await ask('rehearse');
  if (!course) return;
  clearInterval(timer);
  shownFor = key(state.belief);
  change({ rehearsal: { ...course, arrows, shown: calm.matches ? course.states.length : 1 } });
  if (!calm.matches) timer = setInterval(advance, state.world.cells ? STEP_MS : SCENE_MS);
}

function advance() {
  const { rehearsal } = state;
  if (!rehearsal || rehearsal.shown >= rehearsal.states.length) clearInterval(timer);
  else change({ rehearsal: { ...rehearsal, shown: rehearsal.shown + 1 } });
}

export function endRehearsal() {
  clearInterval(timer);
  change({ rehearsal: null, step: null });
}
