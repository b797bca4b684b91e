// A place that the person points at, asked or not: "go here", "on the way" or "never here". A cell
// or a rectangle, clicked on the map or typed.

import { byId, capital, onPress, say } from '../dom.js';
import { change, state, watch } from '../store.js';
import { declare, tell } from '../teacher.js';
import { PLACE } from '../texts.js';

const FIELDS = ['column', 'row', 'last_column', 'last_row'];
const MANNERS = ['go', 'way', 'never'];
const inputs = FIELDS.map((name) => byId(`place-${name.replace('_', '-')}`));
let misfit = '';            // when it was last offered
let filled;                 // the cells that the fields were last filled with
let hash = '';              // of the world to which the place belongs

watch(['world', 'belief', 'mode', 'shown'], render);
watch(['world'], ({ world }) => {
  if (world?.hash !== hash) cancel();
  hash = world?.hash;
});
for (const manner of MANNERS) onPress(`place-${manner}`, () => begin(manner));
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
  byId('place').hidden = !world?.cells || !belief;
  if (belief?.misfit && !misfit) byId('place-box').open = true;
  misfit = belief?.misfit ?? '';
  const isShowing = mode === 'showing' && shown !== null;
  byId('place-cells').hidden = !isShowing;
  for (const manner of MANNERS) {
    byId(`place-${manner}`).setAttribute('aria-pressed', String(
      isShowing && shown.manner === manner));
  }
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

/** Let clicks mean the place; on a phone the map may be out of sight. */
function begin(manner) {
  change({ mode: 'showing', shown: { manner, cells: state.shown?.cells ?? null } });
  byId('stage').scrollIntoView({ block: 'nearest' });
}

function cancel() {
  if (state.mode === 'showing') change({ mode: null });
  change({ shown: null });
}

/** Open the panel, where one can point at a place. */
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
  const pointed = state.shown;
  const { manner, cells } = pointed;
  const said = await declare('show_place', { keep_off: manner === 'never',
    on_the_way: manner === 'way',
    ...Object.fromEntries(FIELDS.map((name, number) => [name, cells[number]])) });
  if (said === undefined) return;         // it was said why not
  tell(said ? capital(said) : PLACE.thanks);
  if (state.shown !== pointed) return;    // the person points at something else by now
  cancel();
  byId('place-box').open = false;
  byId('sentence').focus();
}
