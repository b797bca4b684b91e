// What the robot thinks is meant and how sure it is, and whether that is enough.

import { byId, keyed, make, onPress, percent, say } from '../dom.js';
import { state, watch } from '../store.js';
import { ask } from '../teacher.js';
import { PROGRESS } from '../texts.js';
import { go } from './robot.js';

const LEAST_SHOWN = 0.005;
const LEAST_NONE = 0.05;        // of "none of these"
const FEW = 3;                  // answers that say nothing yet about the teacher

watch(['world', 'belief', 'canGo'], render);
onPress('enough', enough);
onPress('pause', pause);

function render({ world, belief, canGo }) {
  if (!world || !belief) return;
  const { status, answers } = belief;
  const [paused, done] = [status === 'paused', status === 'done'];
  const known = ['asking', 'paused', 'done', 'stuck'].includes(status) && belief.likely.length > 0;
  const share = known ? belief.certainty : 0;
  say(byId('favourite'), belief.misfit ? PROGRESS.nothingFits
    : answers && known ? belief.likely[0].name : PROGRESS.nothing);
  byId('meter').setAttribute('aria-valuenow', String(Math.round(100 * share)));
  byId('meter').setAttribute('aria-valuetext', percent(share));
  byId('bar').style.width = `${100 * share}%`;
  say(byId('left'), belief.misfit ? '' : done ? PROGRESS.sureEnough(percent(share), belief.claim)
    : !answers ? belief.left
      : PROGRESS.sure(percent(share), status === 'asking' ? belief.left : ''));
  const rest = belief.likely.slice(belief.misfit ? 0 : 1, 4)
    .filter(({ probability }) => probability >= LEAST_SHOWN);
  if (belief.none_of_these >= LEAST_NONE) {
    rest.push({ name: PROGRESS.none, probability: belief.none_of_these });
  }
  byId('likely').replaceChildren(...rest.map(({ name, probability }) => make('li', {},
    make('span', { text: name }), make('span', { text: percent(probability) }))));
  byId('likely').hidden = done || !answers;
  const estimated = known && answers >= FEW && belief.error_rate >= 0;
  say(byId('reliability'), estimated ? PROGRESS.reliability(belief.error_rate) : '');
  byId('enough-row').hidden = !known || belief.misfit !== ''
    || (done ? !belief.settled : !answers);
  if (done) relabel(byId('enough'), PROGRESS.askMore, '');
  else relabel(byId('enough'), canGo ? PROGRESS.enoughGo : PROGRESS.enough, 'e');
  byId('pause').hidden = !known || done || status === 'stuck';
  relabel(byId('pause'), paused ? PROGRESS.resume : PROGRESS.pause, 'p');
}

function relabel(button, text, shortcut) {
  if (button.dataset.text === text) return;
  button.dataset.text = text;
  button.textContent = text;
  button.removeAttribute('aria-keyshortcuts');
  keyed(button, shortcut);
}

/** End the questions and let the robot go, or have more of them. */
export async function enough() {
  const { belief, canGo } = state;        // as the button said when pressed
  if (belief.status === 'done') await ask('start');
  else if (await ask('finish') !== undefined && canGo) await go();
}

/** Pause, or resume. */
export function pause() {
  if (state.belief?.status === 'paused') ask('start');
  else if (state.belief?.status === 'asking') ask('pause');
}
