// A person drives the robot, and can teach it by that. Presses that come faster than the robot
// drives wait for their turn.

import { arrow, byId, keyed, make, onPress, say } from '../dom.js';
import { state, watch } from '../store.js';
import { ask, drive, newId } from '../teacher.js';
import { DRIVING } from '../texts.js';
import { tell } from '../toast.js';

const MOST = 12;                // presses that wait
const STARTS_WITHIN_MS = 1500;  // until the node has said that the robot moves
let gaveUp = '';                // why the robot did not get to where it was driven
let queue = [];                 // actions that were pressed and not sent yet
let sentAt = -Infinity;         // when the last one was, while the robot is not seen to move

watch(['world'], build);
watch(['robot', 'mode'], render);
onPress('record', record);
onPress('recorded', record);
onPress('discard', () => ask('discard', {}, DRIVING.discarded));
onPress('stop', () => { queue = []; });
keyed(byId('record'), 't');

function build({ world }) {
  const buttons = [];
  world.actions.forEach(({ name, direction }, action) => {
    if (!direction || !Math.hypot(...direction)) return;
    const button = make('button', { 'aria-label': DRIVING.to(name), title: name,
      on: { click: () => press(action) } }, arrow(direction));
    button.style.gridColumn = String(2 + Math.sign(direction[0]));
    button.style.gridRow = String(2 + Math.sign(direction[1]));
    buttons.push(button);
  });
  byId('pad').replaceChildren(...buttons);
}

function render({ robot, mode }) {
  if (!robot) return;
  if (robot.gave_up && robot.gave_up !== gaveUp) {
    tell(robot.gave_up);
    queue = [];
  }
  gaveUp = robot.gave_up;
  if (mode !== 'driving') queue = [];
  if (robot.driving) sentAt = -Infinity;
  next();
  const text = robot.corrects ? DRIVING.correct
    : (robot.recording ? DRIVING.recording(robot.num_steps) : DRIVING.mayRecord);
  say(byId('driving-text'), `${text}${queue.length ? DRIVING.queued(queue.length) : ''}`);
  byId('record').hidden = robot.recording || robot.corrects;
  byId('recorded').hidden = byId('discard').hidden = !robot.recording;
}

/** Drive by one action, behind those that were pressed before. */
export function press(action) {
  if (queue.length < MOST) queue.push(action);
  next();
  render(state);
}

async function next() {
  const isBusy = state.robot?.driving || performance.now() - sentAt < STARTS_WITHIN_MS;
  if (!queue.length || isBusy) return;
  sentAt = performance.now();
  setTimeout(next, STARTS_WITHIN_MS + 1);     // it may have been there before it was seen to move
  const [action] = queue.splice(0, 1);
  const reply = await drive(action);
  if (reply === undefined) {          // it was said why not
    queue = [];
    sentAt = -Infinity;
  }
}

/** Forget what was pressed and not driven yet. */
export function forgetPresses() {
  queue = [];
}

/** Record what is driven, or use what was recorded. */
export async function record() {
  if (!state.robot?.recording) {
    ask('record');
    return;
  }
  const count = await ask('recorded', { known_as: newId() });
  if (count) tell(DRIVING.thanks(count), { canUndo: true });
}
