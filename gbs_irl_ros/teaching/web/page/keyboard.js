// One key for each thing that can be said. Arrow keys mean the direction in which an action leads.

import { openBox } from './dialogs.js';
import { byId, onPress } from './dom.js';
import { meaning, showKeys, takeKey } from './keys.js';
import { act, give } from './panels/answers.js';
import { invent } from './panels/asking.js';
import { pointOn, sendWrong } from './panels/closing.js';
import { forgetPresses, press as driveOn, record } from './panels/driving.js';
import { pause } from './panels/header.js';
import { undo } from './panels/history.js';
import { chooseNumber, moveInList } from './panels/lists.js';
import { zoomIn } from './panels/picture.js';
import { offerPlace } from './panels/place.js';
import { toggle as preview } from './panels/rehearsal.js';
import { enough, start, toggleMode } from './panels/robot.js';
import { sendSeveral } from './panels/several.js';
import { sendSteps, stepBack } from './panels/steps.js';
import { beginWords } from './panels/words.js';
import { scan } from './scanning.js';
import { state, watch } from './store.js';
import { stop } from './teacher.js';
import { KEY_TEXTS } from './texts.js';

const ARROWS = { ArrowUp: [0, -1], ArrowRight: [1, 0], ArrowDown: [0, 1], ArrowLeft: [-1, 0] };
const CLOSER = 1.4;
const KEYS = {
  u: undo,
  e: () => { if (state.belief && state.belief.status !== 'done') enough(); },
  p: pause,
  g: start,
  r: preview,
  m: () => { if (state.robot?.pose) toggleMode('driving'); },
  t: record,
  h: offerPlace,
  o: invent,
  '/': beginWords,
  '?': () => openBox('help-box'),
};

watch(['world'], ({ world }) => showKeys([
  ...(world.cells ? [KEY_TEXTS.arrows] : []),
  ...world.actions.filter(({ key }) => key).map(({ key, name }) => [key, name]),
  ...Object.entries(world.answer_keys), KEY_TEXTS.list,
  ...Object.keys(KEYS).map((key) => [key, KEY_TEXTS[key]]),
  ...(world.cells ? [KEY_TEXTS.zoom] : []), KEY_TEXTS.stop]));
document.addEventListener('keydown', press);
onPress('help', () => openBox('help-box'));

function press(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  // Whatever has the focus: a robot that moves is stopped by the space bar and by Escape.
  if ((event.key === ' ' || event.key === 'Escape') && state.moves) {
    event.preventDefault();
    if (event.repeat) return;
    forgetPresses();
    stop();
    return;
  }
  if (takeKey(event.key)) {
    event.preventDefault();
    return;
  }
  const target = event.target instanceof Element ? event.target : document.body;
  if (target.closest('input:not([type=checkbox]), textarea, select')) return;
  if (!event.repeat && scan(event.key)) {
    event.preventDefault();
    return;
  }
  if (!byId('keys-on').checked || target.closest('dialog[open]')) return;
  if (target.closest('button, summary, a') && (event.key === 'Enter' || event.key === ' ')) return;
  if (use(meaning(event.key), event.repeat)) event.preventDefault();
}

/** Do what a key means; return whether it means something. */
function use(key, isRepeated) {
  if (key === '') return false;
  const action = actionOf(key);
  if (isRepeated && key !== 'Backspace') return action >= 0;      // one press, one answer
  if (state.mode === 'driving' && action >= 0) {
    driveOn(action);
    return true;
  }
  return (state.face === 'question' && (chooseNumber(key) || offered(key) || choose(action)))
    || command(key.length === 1 ? key.toLowerCase() : key);
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
  const found = state.asked?.offers.find((offer) => offer.action === null
    && offer.key === key.toLowerCase());
  give(found);
  return Boolean(found);
}

function choose(action) {
  if (action < 0 || byId('spot').hidden) return false;
  act(action);
  return true;
}

function command(key) {
  const kind = state.face === 'question' ? state.asked.kind : '';
  const [steps, closing] = [kind === 'demonstration', kind === 'confirm'];
  if (key === ' ') {
    if (!state.canGo && !state.robot?.driving) return false;      // nothing that could move
    stop();
  } else if (key === 'Enter' && state.several?.length > 1) sendSeveral();
  else if (key === 'Enter' && steps) sendSteps();
  else if (key === 'Backspace' && steps) stepBack();
  else if (key === 'Enter' && closing) sendWrong();
  else if (key === 'ArrowLeft' && closing) pointOn(-1);
  else if (key === 'ArrowRight' && closing) pointOn(1);
  else if (key === 'ArrowUp' || key === 'ArrowDown') return moveInList(key === 'ArrowUp' ? -1 : 1);
  else if (key === 'PageUp' || key === 'PageDown') zoomIn(key === 'PageUp' ? CLOSER : 1 / CLOSER);
  else if (Object.hasOwn(KEYS, key)) KEYS[key]();
  else return false;
  return true;
}
