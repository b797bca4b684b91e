// The robot: what it does, start it, stop it; the moment of success, and whether it was right.

import { openBox } from '../dialogs.js';
import { byId, onPress, relabel, say } from '../dom.js';
import { change, state, watch } from '../store.js';
import { ask, go, stop } from '../teacher.js';
import { DOING, ROBOT } from '../texts.js';
import { tell } from '../toast.js';
import { take } from './place.js';
import { openRegion, sayPlace } from './region.js';
import { endRehearsal, rehearse } from './rehearsal.js';

const SURE = 0.9;           // from here on "Start" is what the page recommends
let was = { status: '', session: '', drove: false, reason: '', doing: '' };

watch(['world', 'robot', 'belief', 'mode', 'canGo', 'waits', 'moves', 'halted'], render);
watch(['robot', 'belief'], notice);
onPress('go', start);
onPress('done-start', start);
onPress('done-change', changeIt);
onPress('done-preview', () => rehearse(true));
onPress('stop', stop);
onPress('enough', enough);
onPress('arrived-yes', () => {
  change({ arrived: false });
  sayPlace(state.robot.state);
  tell(ROBOT.right, { canUndo: true });
});
onPress('arrived-no', () => {
  change({ arrived: false });
  tell(ROBOT.wrong);
  changeIt();
});
onPress('arrived-not-there', () => {
  change({ arrived: false });
  take('never');
});
onPress('consent-yes', () => goOn(state.consent));
onPress('consent-no', chooseAnother);
onPress('done-other', () => openBox('reset-box'));
onPress('drive', () => toggleMode('driving'));
onPress('path', () => toggleMode('pathing'));
onPress('driven', () => toggleMode('driving'));

function render({ world, robot, belief, mode, canGo, waits, moves, halted }) {
  for (const [button, name] of [['drive', 'driving'], ['path', 'pathing']]) {
    byId(button).setAttribute('aria-pressed', String(mode === name));
  }
  byId('path').hidden = !world?.cells;
  if (!robot) return;
  byId('drive').hidden = !robot.pose;
  const words = !waits ? DOING[robot.status] ?? '' : belief?.misfit ? DOING.puzzled
    : halted ? DOING.halted : DOING.waits;
  const told = robot.status === 'stopped' && !waits ? `${words} ${ROBOT.why(robot.text)}` : words;
  say(byId('doing'), robot.controller ? (world && !world.cells ? ROBOT.noPlaces : told)
    : robot.driving ? DOING.manual : robot.pose ? ROBOT.noController : ROBOT.none);
  byId('doing').dataset.quiet = String(
    (waits && !belief?.misfit && !halted) || ['driving', 'goal'].includes(robot.status));
  renderButtons(belief, canGo, moves, robot);
}

function renderButtons(belief, canGo, moves, robot) {
  const done = belief?.status === 'done';
  const known = Boolean(belief?.likely.length) && belief.misfit === '';
  const isDriven = ['driving', 'manual'].includes(robot.status);
  byId('go').hidden = !canGo || moves;
  byId('go').disabled = isDriven;
  relabel(byId('go'), done || !known ? ROBOT.start : ROBOT.startNow);
  relabel(byId('done-start'), ROBOT.start);
  byId('done-start').hidden = byId('go').hidden;
  byId('go').classList.toggle('main', known && (done || belief.certainty >= SURE));
  byId('stop').hidden = !canGo && !robot.driving;
  byId('stop').classList.toggle('moves', moves);
  byId('enough').hidden = !known || (done ? !belief.settled : canGo || !belief.answers);
  relabel(byId('enough'), done ? ROBOT.askMore : ROBOT.enough);
}

/** A lesson that has just ended shows its route once; a robot that has just arrived asks. */
function notice({ robot, belief, world, canGo }) {
  if (!belief) return;
  const { session, status } = belief;
  if (session === was.session && was.status === 'asking' && status === 'done' && world?.cells
    && !belief.settled && !robot?.driving && robot?.status !== 'driving') rehearse();
  if (robot?.reason === 'forbidden' && was.reason !== 'forbidden' && robot.forbidden) {
    askConsent(robot.forbidden.key);
  }
  const drove = robot?.status === 'driving' || (was.drove && robot?.status !== 'goal');
  if (canGo && was.drove && robot?.status === 'goal') change({ arrived: true });
  if ((robot?.status === 'driving' && was.doing !== 'driving') || session !== was.session) {
    change({ arrived: false, halted: false });
  }
  was = { status, session, drove, reason: robot?.reason, doing: robot?.status };
}

export function toggleMode(name) {
  change({ mode: state.mode === name ? null : name, editing: null, region: null });
}

/** Let the robot do what it knows; where it is not sure it stops and asks. */
export async function start() {
  const { canGo, moves, robot } = state;        // as the button said when pressed
  if (!canGo || moves) return;
  endRehearsal();
  change({ arrived: false, mode: state.mode === 'driving' ? 'driving' : null });
  if (robot.forbidden) askConsent(robot.forbidden.key);
  else await goOn();
}

async function goOn(over = '') {
  const { belief } = state;
  change({ consent: '', region: null, editing: null });
  const asks = ['asking', 'paused'].includes(belief?.status) && !belief.misfit;
  if (!asks || await ask('finish', {}, null) !== undefined) await go(over);
}

/** Ask whether the robot may drive over what it never must: there is no other way. */
function askConsent(key) {
  change({ consent: key, mode: null, region: null, editing: null });
  byId('consent-no').focus();
}

/** Not that way: something else is meant. */
async function chooseAnother() {
  change({ consent: '' });
  openRegion(null);
  if (state.belief?.settled) await ask('start');
}

/** End the questions, or have more of them. */
export async function enough() {
  const { belief, canGo } = state;
  if (belief?.status === 'done') await ask('start');
  else if (canGo) await start();
  else if (belief?.answers) await ask('finish');
}

/** Something is not right yet: more questions, if there are any, and the answers to be changed. */
async function changeIt() {
  byId('history').open = true;
  byId('side').dataset.open = 'true';
  byId('entries').querySelector('button')?.focus();
  if (state.belief?.settled) await ask('start');
}
