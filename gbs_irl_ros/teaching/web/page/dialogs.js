// Boxes that leave the rest of the page, and so the stop button, within reach.

import { byId } from './dom.js';
import { state } from './store.js';

export function openBox(id) {
  const box = byId(id);
  const before = document.activeElement;
  if (box.open) return;
  box.show();
  box.scrollTop = 0;
  box.querySelector('h2').focus({ preventScroll: true });      // its top, not its last button
  box.addEventListener('close', () => before?.focus?.(), { once: true });
  box.onkeydown = (event) => {
    if (event.key === 'Escape' && !state.moves) box.close();
  };
}
