// A few steps that were asked for: pressed one after another, then sent as one answer.

import { keyed, make } from '../dom.js';
import { change, state, watch } from '../store.js';
import { answer, ask, stepsOf } from '../teacher.js';
import { STEPS } from '../texts.js';

let question = null;        // to which the steps belong

watch(['question'], (now) => {
  if (now.question?.id === question) return;
  question = now.question?.id;
  change({ steps: { actions: [], course: null } });
});

export function addStep(action) {
  walk([...state.steps.actions, action]);
}

export function stepBack() {
  walk(state.steps.actions.slice(0, -1));
}

/** Find out where steps lead; until then the course of those before is kept. */
async function walk(actions) {
  const mine = { actions, course: state.steps.course };
  change({ steps: mine });
  const course = await ask('walk', { state: state.question.state, actions });
  if (course && state.steps === mine) change({ steps: { actions, course } });
}

const isKnown = ({ actions, course }) => course?.actions.length === actions.length;

export async function sendSteps() {
  if (!state.steps.actions.length) return;
  if (!isKnown(state.steps)) await walk(state.steps.actions);     // a slow line
  if (!isKnown(state.steps)) return;
  answer({ kind: 'demonstration', steps: stepsOf(state.steps.course) }, STEPS.words);
}

/** What is said and pressed beside the arrows. */
export function stepButtons({ asked, world, steps }) {
  const names = steps.actions.map((action) => world.actions[action].name);
  return [
    make('p', { role: 'status', text: names.length
      ? STEPS.given(names, asked.steps) : STEPS.none(asked.steps) }),
    keyed(make('button', { text: STEPS.send, disabled: !names.length,
      class: names.length >= asked.steps ? 'main' : '', on: { click: sendSteps } }), 'Enter'),
    keyed(make('button', { class: 'quiet', text: STEPS.back, disabled: !names.length,
      on: { click: stepBack } }), '⌫')];
}
