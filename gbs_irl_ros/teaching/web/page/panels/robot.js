// The robot: what it does, let it go, stop it; what arrows and clicks mean to it.

import { byId, onPress, say } from '../dom.js';
import { change, state, watch } from '../store.js';
import { go as letGo, stop } from '../teacher.js';
import { DOING, ROBOT } from '../texts.js';
import { endRehearsal } from './rehearsal.js';

watch(['world', 'robot', 'belief', 'mode', 'canGo', 'waits'], render);
onPress('go', go);
onPress('stop', stop);
onPress('drive', () => toggleMode('driving'));
onPress('path', () => toggleMode('pathing'));

function render({ world, robot, belief, mode, canGo, waits }) {
  for (const [button, name] of [['drive', 'driving'], ['path', 'pathing']]) {
    byId(button).setAttribute('aria-pressed', String(mode === name));
    byId(name).hidden = mode !== name;
  }
  byId('path').hidden = !world?.cells;
  if (!robot) return;
  byId('drive').hidden = !robot.pose;
  byId('controls').hidden = !canGo && !robot.driving;
  const words = !waits ? DOING[robot.status] ?? '' : belief?.misfit ? DOING.puzzled : DOING.waits;
  say(byId('doing'), robot.status === 'stopped' && !waits ? `${words} ${ROBOT.why(robot.text)}`
    : words);
  say(byId('robot-text'), !robot.controller ? (robot.pose ? ROBOT.noController : ROBOT.none)
    : (world && !world.cells ? ROBOT.noPlaces : words));
  byId('go').hidden = !robot.controller;
  byId('go').disabled = ['driving', 'manual'].includes(robot.status);
  byId('go').classList.toggle('main', belief?.status === 'done');
}

export function toggleMode(name) {
  change({ mode: state.mode === name ? null : name });
}

export async function go() {
  endRehearsal();
  await letGo();
}
