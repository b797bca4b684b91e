// Short messages over everything, and the alarm when a robot could not be told to stop.

import { byId, onPress, say } from './dom.js';

const SHOWN_MS = 5000;
let timer = null;

onPress('toast-close', () => tell(''));

/** Say something that is not part of the lesson. `canUndo`: with a button for that. */
export function tell(text, { canUndo = false } = {}) {
  clearTimeout(timer);
  say(byId('message'), text);
  byId('toast').hidden = !text;
  byId('toast-undo').hidden = !canUndo;
  if (text) timer = setTimeout(() => tell(''), SHOWN_MS + 40 * text.length);
}

/** What must not be missed, and stays until it is over. */
export function alarm(text) {
  say(byId('alarm'), text);
}
