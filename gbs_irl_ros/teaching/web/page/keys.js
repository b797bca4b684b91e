// Which key means what: every command and answer has one, and a person can give it another.

import { byId, make, onPress, say } from './dom.js';
import { KEY_TEXTS } from './texts.js';

const PLACE = 'gbs-irl-keys';
let own = read();           // {canonical key: the key that a person chose for it}
let changing = null;        // the canonical key that gets another one
let rows = [];

onPress('keys-reset', () => {
  write({});
  showKeys(rows);
});

function read() {
  try {
    const kept = JSON.parse(localStorage.getItem(PLACE) ?? '{}');
    return Object.fromEntries(Object.entries(kept).filter(
      ([, key]) => typeof key === 'string' && key.length === 1));
  } catch {
    return {};
  }
}

function write(keys) {
  own = keys;
  try {
    localStorage.setItem(PLACE, JSON.stringify(keys));
  } catch { /* private mode: they hold until the page is closed */ }
}

/** What a key that was pressed means: the canonical key, '' if it has been given away. */
export function meaning(pressed) {
  const key = pressed.length === 1 ? pressed.toLowerCase() : pressed;
  const found = Object.entries(own).find(([, chosen]) => chosen === key);
  if (found) return found[0];
  return Object.hasOwn(own, key) ? '' : pressed;
}

/** Take a key while another one is wanted for a command; returns whether it was. */
export function takeKey(pressed) {
  if (changing === null || pressed.length !== 1 || pressed === ' ') return false;
  const key = pressed.toLowerCase();
  const text = rows.find(([canonical]) => canonical === changing)[1];
  const taken = rows.some(([canonical]) => canonical !== changing
    && (own[canonical] ?? canonical) === key);
  if (!taken) write({ ...own, [changing]: key });
  changing = null;
  showKeys(rows);
  say(byId('keys-text'), taken ? KEY_TEXTS.taken(key) : KEY_TEXTS.set(key, text));
  return true;
}

/** List the keys [key, text]; those of one letter can be changed. */
export function showKeys(all) {
  rows = all;
  byId('keys').replaceChildren(...rows.flatMap(([key, text]) => [
    make('dt', { text: own[key] ?? key }),
    make('dd', {}, make('span', { text }), ...(key.length === 1 ? [make('button', {
      class: 'quiet', text: KEY_TEXTS.other, 'aria-label': KEY_TEXTS.otherFor(text), on: {
        click: () => {
          changing = key;
          say(byId('keys-text'), KEY_TEXTS.press(text));
        } } })] : []))]));
}
