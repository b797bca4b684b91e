// First contact, in three short steps; shown once, and again from the help.

import { openBox } from '../dialogs.js';
import { byId, onPress, say } from '../dom.js';
import { watch } from '../store.js';
import { TOUR } from '../texts.js';
import { practise } from './practice.js';

const SEEN = 'gbs-irl-tour';
let at = 0;
let isOver = hasSeen();

watch(['belief', 'world'], ({ belief, world }) => {
  if (isOver || !world || !belief?.likely.length) return;
  isOver = true;
  if (!belief.answers && belief.status === 'asking') begin();
});
onPress('tour-next', () => (at + 1 < TOUR.steps.length ? show(at + 1) : end()));
onPress('tour-skip', end);
onPress('tour-practise', () => {
  end();
  practise();
});
onPress('tour-again', () => {
  byId('help-box').close();
  begin();
});
onPress('practise', () => {
  byId('help-box').close();
  practise();
});
byId('tour-box').addEventListener('close', remember);

function hasSeen() {
  try {
    return localStorage.getItem(SEEN) !== null;
  } catch {
    return false;
  }
}

function remember() {
  try {
    localStorage.setItem(SEEN, 'yes');
  } catch { /* private mode: it is shown again */ }
}

function begin() {
  show(0);
  openBox('tour-box');
}

function show(step) {
  at = step;
  const [title, text] = TOUR.steps[at];
  const isLast = at + 1 === TOUR.steps.length;
  say(byId('tour-title'), title);
  say(byId('tour-text'), text);
  say(byId('tour-count'), TOUR.count(at + 1, TOUR.steps.length));
  say(byId('tour-next'), isLast ? TOUR.begin : TOUR.next);
  byId('tour-practise').hidden = !isLast;
  byId('tour-skip').hidden = isLast;
  byId('tour-title').focus();
}

function end() {
  byId('tour-box').close();
}
