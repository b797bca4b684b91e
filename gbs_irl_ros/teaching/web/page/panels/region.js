// A place or a region that was pressed, and what can be said of it: go there, never, rather not.

import { byId, make, upper } from '../dom.js';
import { change, state, watch } from '../store.js';
import { mean, mind } from '../teacher.js';
import { LABELS } from '../labels.js';
import { REGION, stateName } from '../texts.js';

watch(['region', 'belief'], render);

/** Say that a place is where the task ends. */
export function sayGo({ name, states }) {
  mean({ kind: 'go_here', states }, REGION.goTo(name));
}

/** Say that a cell is the place: where the robot has arrived, or would. */
export function sayPlace(cell) {
  const { belief, world } = state;
  const { name, states } = belief?.facets?.places.find((place) => place.states.includes(cell))
    ?? { name: stateName(world, cell), states: [cell] };
  mean({ kind: 'go_here', states }, REGION.isThePlace(name));
}

/** A name was pressed: a place that tasks lead to is said at once, others ask what of them. */
export function pressName(region) {
  const place = state.belief?.facets?.places.find(({ name }) => name === region.name);
  if (place) sayGo(place);
  else openRegion(region);
}

/** Ask what to say of a region, or of a single cell; null: of which one. */
export function openRegion(region) {
  change({ region: region ?? { name: '', states: [] }, rehearsal: null });
  byId('region').querySelector('button')?.focus();
}

const close = () => change({ region: null });

function say(given, words) {
  close();
  mean(given, words);
}

function render({ region, world, belief }) {
  if (!region) return;
  const cancel = make('button', { class: 'quiet', text: LABELS.cancel, on: { click: close } });
  byId('region').replaceChildren(...(region.states.length ? about(region, world, belief)
    : every(belief)), cancel);
}

/** What can be said of one region. */
function about({ name, states }, world, belief) {
  const known = belief?.facets?.regions.find((each) => each.name === name);
  const called = name || stateName(world, states[0]);
  const buttons = [make('button', { class: 'big', text: REGION.go,
    on: { click: () => say({ kind: 'go_here', states }, REGION.goTo(called)) } })];
  for (const manner of ['never', 'rather not', 'free']) {
    const isKnown = known && Object.hasOwn(known.manners, manner);
    if (!isKnown && manner !== 'never') continue;
    buttons.push(make('button', { class: 'big', text: REGION.manners[manner], on: { click: () => {
      if (isKnown) mind(name, manner, REGION.words[manner](name));
      else say({ kind: 'never_here', states }, REGION.words.never(called));
    } } }));
  }
  buttons.push(make('button', { class: 'quiet', text: REGION.way,
    on: { click: () => say({ kind: 'on_the_way', states }, REGION.wayWords(called)) } }));
  return buttons;
}

/** All places and regions, each to be pressed. */
function every(belief) {
  const { places = [], regions = [] } = belief?.facets ?? {};
  return [...places.map((place) => make('button', { text: upper(REGION.goTo(place.name)),
    on: { click: () => sayGo(place) } })),
  ...regions.flatMap(({ name, manners }) => Object.keys(manners).reverse().map((manner) => (
    make('button', { text: upper(REGION.words[manner](name)),
      on: { click: () => mind(name, manner, REGION.words[manner](name)) } }))))];
}
