// What is meant, in the person's own words: at any time, also where nothing is asked. What is
// typed stays until the learner has understood it.

import { byId, capital, keyed } from '../dom.js';
import { state, watch } from '../store.js';
import { declare, tell } from '../teacher.js';
import { WORDS } from '../texts.js';

const NO_LESSON = ['waiting', 'failed'];
const input = byId('words-text');
let isSending = false;

watch(['world', 'belief'], render);
keyed(byId('words-send'), 'Enter');
input.setAttribute('aria-keyshortcuts', '/');
byId('words').addEventListener('submit', (event) => {
  event.preventDefault();
  send();
});
input.addEventListener('keydown', (event) => {
  if (event.key === 'Escape' && !state.moves) byId('sentence').focus();
});

function render({ world, belief }) {
  byId('words').hidden = !world || !belief || NO_LESSON.includes(belief.status);
}

export function beginWords() {
  if (!byId('words').hidden) input.focus();
}

async function send() {
  const text = input.value.trim();
  if (!text) tell(WORDS.nothing);
  if (!text || isSending) return;
  isSending = true;
  tell(WORDS.thinking);
  const understood = await declare('say', { text });
  isSending = false;
  if (understood === undefined) return;       // it was said why not
  tell(understood ? capital(understood) : WORDS.thanks);
  if (input.value.trim() === text) input.value = '';
}
