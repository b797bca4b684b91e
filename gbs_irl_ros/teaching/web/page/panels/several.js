// "Both of these ways are fine": several moves are chosen, then sent as one answer.

import { keyed, make, upper } from '../dom.js';
import { change, state, watch } from '../store.js';
import { answer } from '../teacher.js';
import { ANSWERS } from '../texts.js';

let question = null;        // to which the moves belong

watch(['question'], (now) => {
  if (now.question?.id === question) return;
  question = now.question?.id;
  change({ several: null });
});

export function toggleAction(action) {
  const { several } = state;
  change({ several: several.includes(action) ? several.filter((each) => each !== action)
    : [...several, action].sort((one, other) => one - other) });
}

const names = ({ world, several }) => several.map((action) => world.actions[action].name);

export function sendSeveral() {
  const { asked, several } = state;
  if (!asked || several?.length < 2) return;
  answer({ kind: 'either', state: asked.state, actions: several },
    ANSWERS.eitherWords(names(state)));
}

export function severalButtons(now) {
  return [keyed(make('button', { class: 'main', disabled: now.several.length < 2,
    text: upper(ANSWERS.eitherSend(names(now))), on: { click: sendSeveral } }), 'Enter')];
}
