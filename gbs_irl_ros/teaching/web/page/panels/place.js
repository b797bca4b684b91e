// A place that no listed task is about: "go here" or "keep off here". A cell or a rectangle,
// clicked on the map or typed.

import { byId, onPress, say } from '../dom.js';
import { change, state, watch } from '../store.js';
import { ask, newId } from '../teacher.js';
import { PLACE } from '../texts.js';

const FIELDS = ['column', 'row', 'last_column', 'last_row'];
const inputs = FIELDS.map((name) => byId(`place-${name.replace('_', '-')}`));
let misfit = '';            // when it was last offered
let filled;                 // the cells that the fields were last filled with

watch(['world', 'belief', 'mode', 'shown'], render);
watch(['world'], cancel);
onPress('place-go', () => begin(false));
onPress('place-off', () => begin(true));
onPress('place-cancel', cancel);
byId('place-cells').addEventListener('submit', (event) => {
  event.preventDefault();
  send();
});
for (const input of inputs) {
  input.addEventListener('input', () => {
    const cells = inputs.map((each) => each.valueAsNumber);
    if (cells.every(Number.isInteger)) change({ shown: { ...state.shown, cells } });
  });
}

function render({ world, belief, mode, shown }) {
  // Without "none of these" nothing can be added.
  byId('place').hidden = !world?.cells || !belief?.none_of_these;
  if (belief?.misfit && !misfit) byId('place-box').open = true;
  misfit = belief?.misfit ?? '';
  const isShowing = mode === 'showing' && shown !== null;
  byId('place-cells').hidden = !isShowing;
  byId('place-go').setAttribute('aria-pressed', String(isShowing && !shown.keep_off));
  byId('place-off').setAttribute('aria-pressed', String(isShowing && shown.keep_off));
  say(byId('place-text'), !isShowing ? PLACE.why : shown.cells ? PLACE.more : PLACE.first);
  byId('place-send').disabled = !shown?.cells;
  if (!isShowing) {
    filled = undefined;
    return;
  }
  if (shown.cells === filled) return;     // what is being typed stays
  filled = shown.cells;
  inputs.forEach((input, number) => {
    if (input !== document.activeElement) input.value = String(filled?.[number] ?? '');
  });
}

function begin(keepOff) {
  change({ mode: 'showing', shown: { keep_off: keepOff, cells: state.shown?.cells ?? null } });
}

function cancel() {
  if (state.mode === 'showing') change({ mode: null });
  change({ shown: null });
}

/** Open the panel, where a place can be shown. */
export function offerPlace() {
  if (byId('place').hidden) return;
  byId('place-box').open = true;
  byId('place-go').focus();
}

/** A cell was clicked: the first one, or one that the rectangle is to reach to. */
export function showCell(column, row) {
  const [left, top] = state.world.cells.first;
  const [x, y] = [left + column, top + row];
  const [first, above, last, below] = state.shown.cells ?? [x, y, x, y];
  change({ shown: { ...state.shown, cells: [Math.min(first, x), Math.min(above, y),
    Math.max(last, x), Math.max(below, y)] } });
}

async function send() {
  const { keep_off: keepOff, cells } = state.shown;
  const said = await ask('show_place', { known_as: newId(), keep_off: keepOff,
    ...Object.fromEntries(FIELDS.map((name, number) => [name, cells[number]])) }, PLACE.thanks);
  if (said === undefined) return;         // it was said why not
  cancel();
  byId('place-box').open = false;
  byId('sentence').focus();
}
