// The robot: let it go, stop it, drive it, watch what it would do.

import { arrow, byId, make, say } from './dom.js';
import { keyed } from './answers.js';

const WORDS = {
  stopped: 'The robot stands.', driving: 'The robot is doing its task.',
  goal: 'Done: the robot is at its goal.', unsure: 'The robot stopped to ask you.',
  staying: 'The robot stays here, as it learned.', lost: 'The robot does not know where it is.',
  manual: 'You are driving.',
};

export class Robot {
  /** @param on {drive(action), press(name)} */
  constructor(on) {
    this.on = on;
    this.mode = null;       // null, 'driving' or 'pathing'
    this.now = null;
    for (const id of ['go', 'stop', 'rehearse', 'rehearsed', 'record', 'recorded', 'discard',
      'path-send', 'path-clear']) {
      byId(id).addEventListener('click', () => on.press(id));
    }
    byId('drive').addEventListener('click', () => this.setMode('driving'));
    byId('path').addEventListener('click', () => this.setMode('pathing'));
    keyed(byId('rehearse'), 'r');
    keyed(byId('drive'), 'm');
    keyed(byId('record'), 't');
  }

  /** Whether the robot stands until a person lets it go. */
  get waits() {
    return this.now?.status === 'stopped' && this.now.text.startsWith('motion is not allowed');
  }

  /** Whether it moves, or will as soon as what it misses for a moment is there again. */
  get isMoving() {
    if (!this.now) return false;
    const { status, driving } = this.now;
    return driving || ['driving', 'manual'].includes(status)
      || (status === 'stopped' && !this.waits);
  }

  setWorld(world) {
    this.world = world;
    byId('path').hidden = !world.cells;
    const pad = byId('pad');
    const places = new Map();
    world.actions.forEach((action, number) => {
      const button = make('button', { 'aria-label': `drive ${action.name}`, title: action.name,
        on: { click: () => this.on.drive(number) } });
      button.append(action.direction ? arrow(action.direction)
        : make('span', { text: action.name }));
      const step = action.direction;
      if (step && (step[0] || step[1])) {
        button.style.gridColumn = String(2 + Math.sign(step[0]));
        button.style.gridRow = String(2 + Math.sign(step[1]));
        places.set(number, button);
      }
    });
    pad.replaceChildren(...places.values());
  }

  setMode(mode) {
    this.mode = this.mode === mode ? null : mode;
    this.show();
    this.on.press('mode');
  }

  set(now) {
    this.now = now;
    this.show();
  }

  show() {
    const now = this.now;
    const { mode } = this;
    for (const [button, name] of [['drive', 'driving'], ['path', 'pathing']]) {
      byId(button).setAttribute('aria-pressed', String(mode === name));
      byId(name).hidden = mode !== name;
    }
    if (!now) return;
    byId('controls').hidden = !(now.controller && this.world?.cells) && !now.driving;
    byId('drive').hidden = !now.pose;
    const { waits } = this;
    const words = waits ? 'The robot waits until you let it go.' : WORDS[now.status] ?? '';
    const detail = now.status === 'stopped' && !waits ? ` Why: ${now.text}.` : '';
    say(byId('doing'), `${words}${detail}`);
    say(byId('robot-text'), now.controller && this.world && !this.world.cells
      ? 'This task has no places that a robot could drive to.' : now.controller ? words : (now.pose
      ? 'There is a robot, but nothing that drives it (no controller).'
      : 'No robot takes part in this lesson. You can still teach and watch what it would do.'));
    byId('go').hidden = !now.controller;
    byId('go').disabled = ['driving', 'manual'].includes(now.status);
    say(byId('driving-text'), now.corrects
      ? 'The robot is doing its task: take over, and it learns from what you do instead.'
      : (now.recording ? `Recording: ${now.num_steps} steps.`
        : 'One press, one cell. Record, and the robot learns from what you drive, with these '
          + 'arrows or with any joystick.'));
    byId('record').hidden = now.recording || now.corrects;
    byId('recorded').hidden = byId('discard').hidden = !now.recording;
  }
}
