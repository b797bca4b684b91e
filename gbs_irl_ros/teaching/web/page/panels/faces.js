// The card shows one thing at a time; what is behind it waits. Without anything it is not there.

import { byId } from '../dom.js';
import { state, watch } from '../store.js';

const card = byId('card');
const faces = [...document.querySelectorAll('[data-face]')];

watch(['face', 'rehearsal'], render);
render(state);
new MutationObserver(hideEmpty).observe(card, {
  subtree: true, attributes: true, attributeFilter: ['hidden'] });
hideEmpty();

function render({ face, rehearsal }) {
  for (const each of faces) each.hidden = each.dataset.face !== face;
  byId('rehearsing').hidden = !rehearsal || ['pathing', 'showing', 'driving'].includes(face);
}

function hideEmpty() {
  const isEmpty = [...card.children].every((each) => each.hidden);
  if (card.hidden !== isEmpty) card.hidden = isEmpty;
}
