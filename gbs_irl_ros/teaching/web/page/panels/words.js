// What is meant, in the person's own words: at any time, also where nothing is asked. What is
// typed stays until the learner has understood it.

import { byId, capital, keyed } from '../dom.js';
import { state, watch } from '../store.js';
import { declare } from '../teacher.js';
import { WORDS } from '../texts.js';
import { tell } from '../toast.js';

const NO_LESSON = ['waiting', 'failed'];
const input = byId('words-text');
let isSending = false;
let isWanted = false;

watch(['world', 'belief'], render);
keyed(byId('words-send'), 'Enter');
input.setAttribute('aria-keyshortcuts', '/');
byId('words').addEventListener('submit', (event) => {
  event.preventDefault();
  sendWords();
});
input.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape' || state.moves) return;
  if (!input.value) showWords(false);
  byId('sentence').focus();
});

function render({ world, belief }) {
  byId('words').hidden = !isWanted || !world || !belief || NO_LESSON.includes(belief.status);
}

function showWords(isShown) {
  isWanted = isShown;
  render(state);
}

export function beginWords() {
  showWords(true);
  if (!byId('words').hidden) input.focus();
}

export function toggleWords() {
  if (isWanted && !input.value) showWords(false);
  else beginWords();
}

export async function sendWords() {
  const text = input.value.trim();
  if (!text) tell(WORDS.nothing);
  if (!text || isSending) return;
  isSending = true;
  tell(WORDS.thinking);
  const understood = await declare('say', { text });
  isSending = false;
  if (understood === undefined) return;       // it was said why not
  tell(understood ? capital(understood) : WORDS.thanks, { canUndo: true });
  if (input.value.trim() !== text) return;
  input.value = '';
  const had = document.activeElement === input;
  showWords(false);
  if (had) byId('sentence').focus();
}
