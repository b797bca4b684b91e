// Two inputs are enough: one goes to the next choice, the other takes it. The space bar stops a
// robot that moves, scanning or not.

import { byId } from './dom.js';

const PLACE = 'gbs-irl-scanning';
const ORDER = ['#card', '#controls', '#rail', '#side', '#bar'];
const box = byId('scanning');

try {
  box.checked = localStorage.getItem(PLACE) === 'yes';
} catch { /* private mode */ }
box.addEventListener('change', () => {
  try {
    localStorage.setItem(PLACE, box.checked ? 'yes' : 'no');
  } catch { /* it holds until the page is closed */ }
});

/** Go on with the space bar, take with Enter; returns whether the key was for that. */
export function scan(key) {
  if (!box.checked || (key !== ' ' && key !== 'Enter')) return false;
  const dialog = document.querySelector('dialog[open]');
  const within = dialog ? [dialog] : ORDER.map((each) => document.querySelector(each));
  const all = within.flatMap((part) => [...part.querySelectorAll('button, summary, input')])
    .filter((each) => each.checkVisibility() && !each.disabled);
  const now = all.indexOf(document.activeElement);
  if (key === 'Enter') all[now]?.click();
  else all[(now + 1) % all.length]?.focus({ focusVisible: true });
  return true;
}
