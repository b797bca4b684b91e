// The closing question: what the robot would do is shown. It is right, or not, or almost: then the
// person presses the step that is wrong, in the picture or by keys along the way.

import { keyed, make } from '../dom.js';
import { where } from '../picture/words.js';
import { change, state, watch } from '../store.js';
import { answer } from '../teacher.js';
import { CLOSING, stateName } from '../texts.js';

let question = null;        // to which the place belongs

watch(['question'], (now) => {
  if (now.question?.id === question) return;
  question = now.question?.id;
  change({ wrong: null });
});

/** A cell was pressed: the first time that the route comes there. Returns whether it does. */
export function pointAt(place) {
  const found = state.asked.route.findIndex(([each]) => each === place);
  if (found >= 0) change({ wrong: found });
  return found >= 0;
}

/** Point at the next place on the way, or at the one before. */
export function pointOn(step) {
  const last = state.asked.route.length - 1;
  const start = state.wrong ?? (step > 0 ? -1 : last + 1);
  change({ wrong: Math.min(Math.max(start + step, 0), last) });
}

export function sendWrong() {
  const { asked, wrong } = state;
  if (!asked || wrong === null) return;
  const [{ answer: { question: confirmed } }] = asked.offers;
  answer({ kind: 'wrong_here', question: confirmed, place: asked.route[wrong][0] },
    CLOSING.words);
}

/** What is said and pressed beside yes and no. */
export function closingButtons({ asked, world, wrong }) {
  const [place, action] = asked.route[wrong] ?? [];
  const named = () => where(world, place).replace(/\.$/, '') || stateName(world, place);
  return [
    make('p', { role: 'status', text: wrong === null ? CLOSING.almost
      : CLOSING.there(named(), world.actions[action].name) }),
    keyed(make('button', { class: 'quiet', text: CLOSING.before,
      on: { click: () => pointOn(-1) } }), '←'),
    keyed(make('button', { class: 'quiet', text: CLOSING.next,
      on: { click: () => pointOn(1) } }), '→'),
    keyed(make('button', { text: CLOSING.send, disabled: wrong === null,
      on: { click: sendWrong } }), 'Enter')];
}
