// A tool in the hand: "go here", "on the way" or "never here". Cells are pressed, painted or
// typed; the rectangle around them is said.

import { byId, capital, onPress, say } from '../dom.js';
import { change, state, watch } from '../store.js';
import { declare } from '../teacher.js';
import { PLACE } from '../texts.js';
import { tell } from '../toast.js';

const FIELDS = ['column', 'row', 'last_column', 'last_row'];
const MANNERS = ['go', 'way', 'never'];
const inputs = FIELDS.map((name) => byId(`place-${name.replace('_', '-')}`));
let filled;                 // the cells that the fields were last filled with
let hash = '';              // of the world to which the place belongs

watch(['world', 'belief', 'mode', 'shown'], render);
watch(['world'], ({ world }) => {
  if (world?.hash !== hash) cancel();
  hash = world?.hash;
});
for (const manner of MANNERS) onPress(`place-${manner}`, () => choose(manner));
onPress('place-cancel', cancel);
onPress('place-send', send);
onPress('place-whole', () => change({
  shown: { ...state.shown, cells: boundsOf(regionAround()) } }));
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
  const isShowing = mode === 'showing' && shown !== null;
  for (const manner of MANNERS) {
    byId(`place-${manner}`).hidden = !world?.cells || !belief?.likely.length;
    byId(`place-${manner}`).setAttribute('aria-pressed', String(
      isShowing && shown.manner === manner));
  }
  if (!isShowing) {
    filled = undefined;
    return;
  }
  const around = regionAround();
  say(byId('place-text'), shown.cells ? PLACE.marked(wordsOf(shown.cells, around))
    : PLACE.first[shown.manner]);
  say(byId('place-send'), PLACE.send[shown.manner]);
  byId('place-send').disabled = !shown.cells;
  byId('place-whole').hidden = !around || String(boundsOf(around)) === String(shown.cells);
  if (around) say(byId('place-whole'), PLACE.whole(around.name));
  if (shown.cells === filled) return;     // what is being typed stays
  filled = shown.cells;
  inputs.forEach((input, number) => {
    if (input !== document.activeElement) input.value = String(filled?.[number] ?? '');
  });
}

const cellOf = (world, place) => {
  const at = world.cells.states.indexOf(place);
  const [left, top] = world.cells.first;
  return [left + at % world.cells.columns, top + Math.floor(at / world.cells.columns)];
};

/** The rectangle around some cells, or around a region. */
function boundsOf({ states }) {
  const cells = states.map((place) => cellOf(state.world, place));
  const [columns, rows] = [0, 1].map((axis) => cells.map((cell) => cell[axis]));
  return [Math.min(...columns), Math.min(...rows), Math.max(...columns), Math.max(...rows)];
}

/** The region in which the marked cells lie, if they lie in one. */
function regionAround() {
  const { shown, world } = state;
  if (!shown?.cells) return null;
  const [column, row, lastColumn, lastRow] = shown.cells;
  return world.regions.find((region) => {
    const [left, top, right, bottom] = boundsOf(region);
    return left <= column && top <= row && right >= lastColumn && bottom >= lastRow;
  }) ?? null;
}

function wordsOf(cells, around) {
  if (around && String(boundsOf(around)) === String(cells)) return around.name;
  return PLACE.size(cells[2] - cells[0] + 1, cells[3] - cells[1] + 1);
}

/** Take a tool, or put it down. */
function choose(manner) {
  if (state.mode === 'showing' && state.shown?.manner === manner) cancel();
  else take(manner);
}

export function take(manner) {
  change({ mode: 'showing', region: null, editing: null,
    shown: { manner, cells: state.mode === 'showing' ? state.shown?.cells ?? null : null } });
}

function cancel() {
  if (state.mode === 'showing') change({ mode: null });
  change({ shown: null });
}

/** Take the tool that says where to go. */
export function offerPlace() {
  if (byId('place-go').hidden) return;
  take('go');
  byId('place-typed').open = true;
  byId('place-column').focus();
}

/** A cell was pressed or painted: the first one, or one that the rectangle is to reach to. */
export function showCell(column, row) {
  const [left, top] = state.world.cells.first;
  const [x, y] = [left + column, top + row];
  const [first, above, last, below] = state.shown.cells ?? [x, y, x, y];
  change({ shown: { ...state.shown, cells: [Math.min(first, x), Math.min(above, y),
    Math.max(last, x), Math.max(below, y)] } });
}

/** Say that the robot should go to a place that no task may be about yet. */
export function goTo(place) {
  return show({ manner: 'go', cells: boundsOf(place) });
}

/** Show a place to the learner; returns whether it was of use. */
async function show({ manner, cells }) {
  const said = await declare('show_place', { keep_off: manner === 'never',
    on_the_way: manner === 'way',
    ...Object.fromEntries(FIELDS.map((name, number) => [name, cells[number]])) });
  if (said !== undefined) tell(capital(said), { canUndo: true });
  return said !== undefined;              // else it was said why not
}

async function send() {
  const pointed = state.shown;
  // The person may point at something else by now.
  if (!await show(pointed) || state.shown !== pointed) return;
  cancel();
  byId('sentence').focus();
}
