// One key for each thing that can be said. Arrow keys mean the direction in which an action leads.

import { openBox } from './dialogs.js';
import { byId, make, onPress } from './dom.js';
import { act, give, moveInList } from './panels/answers.js';
import { invent } from './panels/asking.js';
import { pointOn, sendWrong } from './panels/closing.js';
import { record } from './panels/driving.js';
import { undo } from './panels/history.js';
import { offerPlace } from './panels/place.js';
import { enough, pause } from './panels/progress.js';
import { endRehearsal, rehearse } from './panels/rehearsal.js';
import { go, toggleMode } from './panels/robot.js';
import { sendSteps, stepBack } from './panels/steps.js';
import { beginWords } from './panels/words.js';
import { state, watch } from './store.js';
import { drive, stop } from './teacher.js';
import { KEY_TEXTS } from './texts.js';

const ARROWS = { ArrowUp: [0, -1], ArrowRight: [1, 0], ArrowDown: [0, 1], ArrowLeft: [-1, 0] };
const KEYS = {
  u: undo,
  e: () => { if (state.belief && state.belief.status !== 'done') enough(); },
  p: pause,
  g: go,
  r: () => (state.rehearsal ? endRehearsal() : rehearse()),
  m: () => { if (state.robot?.pose) toggleMode('driving'); },
  t: record,
  h: offerPlace,
  o: invent,
  '/': beginWords,
  '?': () => openBox('help-box'),
};

watch(['world'], showKeys);
document.addEventListener('keydown', press);
onPress('help', () => openBox('help-box'));

function showKeys({ world }) {
  const rows = [
    ...(world.cells ? [KEY_TEXTS.arrows] : []),
    ...world.actions.filter(({ key }) => key).map(({ key, name }) => [key, name]),
    ...Object.entries(world.answer_keys), KEY_TEXTS.list,
    ...Object.keys(KEYS).map((key) => [key, KEY_TEXTS[key]]), KEY_TEXTS.stop];
  byId('keys').replaceChildren(...rows.flatMap(
    ([name, text]) => [make('dt', { text: name }), make('dd', { text })]));
}

function press(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  // Whatever has the focus: a robot that moves is stopped by the space bar and by Escape.
  if ((event.key === ' ' || event.key === 'Escape') && state.moves) {
    event.preventDefault();
    if (!event.repeat) stop();
    return;
  }
  const target = event.target instanceof Element ? event.target : document.body;
  if (!byId('keys-on').checked
    || target.closest('input:not([type=checkbox]), textarea, select, dialog[open]')) return;
  if (target.closest('button, summary, a') && (event.key === 'Enter' || event.key === ' ')) return;
  if (use(event.key, event.repeat)) event.preventDefault();
}

/** Do what a key means; return whether it means something. */
function use(key, isRepeated) {
  const action = actionOf(key);
  if (isRepeated && key !== 'Backspace') return action >= 0;      // one press, one answer
  return offered(key) || choose(action) || command(key.length === 1 ? key.toLowerCase() : key);
}

function actionOf(key) {
  const actions = state.world?.actions ?? [];
  if (ARROWS[key]) {
    return actions.findIndex(({ direction }) => String(direction) === String(ARROWS[key]));
  }
  const exact = actions.findIndex((each) => each.key && each.key === key);
  return exact >= 0 ? exact
    : actions.findIndex((each) => each.key && each.key.toLowerCase() === key.toLowerCase());
}

function offered(key) {
  const found = state.question?.offers.find((offer) => offer.action === null
    && offer.key === key.toLowerCase());
  give(found);
  return Boolean(found);
}

function choose(action) {
  if (action < 0) return false;
  if (state.mode === 'driving') drive(action);
  else if (!byId('spot').hidden) act(action);
  else return false;
  return true;
}

function command(key) {
  const steps = state.question?.kind === 'demonstration';
  const closing = state.asked?.kind === 'confirm';
  if (key === ' ') {
    if (!state.canGo && !state.robot?.driving) return false;      // nothing that could move
    stop();
  } else if (key === 'Enter' && steps) sendSteps();
  else if (key === 'Backspace' && steps) stepBack();
  else if (key === 'Enter' && closing) sendWrong();
  else if (key === 'ArrowLeft' && closing) pointOn(-1);
  else if (key === 'ArrowRight' && closing) pointOn(1);
  else if (key === 'ArrowUp' || key === 'ArrowDown') return moveInList(key === 'ArrowUp' ? -1 : 1);
  else if (Object.hasOwn(KEYS, key)) KEYS[key]();
  else return false;
  return true;
}
