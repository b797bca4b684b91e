// Past answers as pins on the map: a press on one changes it.

import { arrow, byId, make } from '../dom.js';
import { state, watch } from '../store.js';
import { MAP } from '../texts.js';
import { edit } from './editing.js';
import { placeOf } from './history.js';

const MAX_PINS = 60;
const SIGNS = { go_here: '★', never_here: '⊘', on_the_way: '•', dont_know: '…', later: '…',
  all_the_same: '✲', yes_no: '✓', confirm: '✓', demonstration: '⤳' };
let pins = [];              // {state, button}

watch(['world', 'history', 'belief'], build);

function build({ world, history, belief }) {
  if (!world?.cells || !history) return;
  const first = history.total - history.entries.length + 1;
  const doubted = new Set(belief?.unexplained);
  const taken = new Map();      // how many pins there are at a place
  pins = history.entries.map((entry, number) => ({ entry, number: first + number,
    place: entry.answer?.kind === 'words' || ['task', 'compare'].includes(entry.question?.kind)
      ? null : placeOf(entry) }))
    .filter(({ entry, place }) => entry.answer && place !== null && place < world.num_states)
    .slice(-MAX_PINS).map(({ entry, number, place }) => {
      const order = taken.get(place) ?? 0;
      taken.set(place, order + 1);
      const { kind, action, yes } = entry.answer;
      const direction = world.actions[action]?.direction;
      const sign = make('span', {}, ...(direction && kind === 'action' ? [arrow(direction, 14)]
        : [yes === false ? '✕' : SIGNS[kind] ?? String(number)]));
      const button = make('button', { class: `pin ${kind}${doubted.has(entry.id) ? ' doubted'
        : ''}`, 'aria-label': MAP.pin(number, entry.said), title: entry.said,
      on: { click: () => edit(entry) } }, sign);
      return { state: place, order, button };
    });
  const had = byId('pins').contains(document.activeElement);
  byId('pins').replaceChildren(...pins.map(({ button }) => button));
  if (had) byId('sentence').focus();
  placePins(state.map);
}

/** Put each pin to the upper right corner of its cell; more at one place lie side by side. */
export function placePins(map) {
  if (!map?.cell) return;
  for (const { state: place, order, button } of pins) {
    const [x, y] = map.middle(place);
    const off = Math.max(map.cell * 0.32, 9);
    button.style.left = `${x + off - 15 * order}px`;
    button.style.top = `${y - off}px`;
  }
}
