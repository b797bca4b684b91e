// A person drives the robot, and can teach it by that.

import { arrow, byId, keyed, make, onPress, say } from '../dom.js';
import { state, watch } from '../store.js';
import { ask, drive, newId, tell } from '../teacher.js';
import { DRIVING } from '../texts.js';

let gaveUp = '';            // why the robot did not get to where it was driven

watch(['world'], build);
watch(['robot'], render);
onPress('record', record);
onPress('recorded', record);
onPress('discard', () => ask('discard', {}, DRIVING.discarded));
keyed(byId('drive'), 'm');
keyed(byId('record'), 't');

function build({ world }) {
  const buttons = [];
  world.actions.forEach(({ name, direction }, action) => {
    if (!direction || !Math.hypot(...direction)) return;
    const button = make('button', { 'aria-label': DRIVING.to(name), title: name,
      on: { click: () => drive(action) } }, arrow(direction));
    button.style.gridColumn = String(2 + Math.sign(direction[0]));
    button.style.gridRow = String(2 + Math.sign(direction[1]));
    buttons.push(button);
  });
  byId('pad').replaceChildren(...buttons);
}

function render({ robot }) {
  if (robot.gave_up && robot.gave_up !== gaveUp) tell(robot.gave_up);
  gaveUp = robot.gave_up;
  say(byId('driving-text'), robot.corrects ? DRIVING.correct
    : (robot.recording ? DRIVING.recording(robot.num_steps) : DRIVING.mayRecord));
  byId('record').hidden = robot.recording || robot.corrects;
  byId('recorded').hidden = byId('discard').hidden = !robot.recording;
}

/** Record what is driven, or use what was recorded. */
export async function record() {
  if (!state.robot?.recording) {
    ask('record');
    return;
  }
  const count = await ask('recorded', { known_as: newId() });
  if (count) tell(DRIVING.thanks(count));
}
