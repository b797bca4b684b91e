// What the robot would do, shown step by step in the picture.

import { byId, keyed, onPress, say } from '../dom.js';
import { change, state, watch } from '../store.js';
import { ask } from '../teacher.js';
import { REHEARSAL } from '../texts.js';

const STEP_MS = 117;            // on a map
const SCENE_MS = 700;           // of a road: each is another picture
const calm = matchMedia('(prefers-reduced-motion: reduce)');
let timer = null;

watch(['rehearsal'], render);
onPress('rehearse', rehearse);
onPress('rehearsed', endRehearsal);
keyed(byId('rehearse'), 'r');

function render({ rehearsal }) {
  byId('rehearsing').hidden = !rehearsal;
  if (rehearsal) say(byId('rehearsing-text'), REHEARSAL.steps(rehearsal));
}

export async function rehearse() {
  endRehearsal();
  const course = await ask('rehearse');
  if (!course) return;
  clearInterval(timer);
  change({ rehearsal: { ...course, shown: calm.matches ? course.states.length : 1 } });
  if (!calm.matches) timer = setInterval(advance, state.world.cells ? STEP_MS : SCENE_MS);
}

function advance() {
  const { rehearsal } = state;
  if (rehearsal.shown >= rehearsal.states.length) clearInterval(timer);
  else change({ rehearsal: { ...rehearsal, shown: rehearsal.shown + 1 } });
}

export function endRehearsal() {
  clearInterval(timer);
  change({ rehearsal: null });
}
