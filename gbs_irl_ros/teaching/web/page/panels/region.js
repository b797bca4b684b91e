// A place or a region that was pressed, and what can be said of it: go there, never, rather not.

import { byId, make, upper } from '../dom.js';
import { change, state, watch } from '../store.js';
import { ask, mean, mind } from '../teacher.js';
import { LABELS } from '../labels.js';
import { REGION, stateName } from '../texts.js';
import { goTo } from './place.js';

let shown = null;           // the region whose buttons there are

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
  const isTyped = region === shown && byId('region').querySelector('form');
  shown = region;
  if (!region || isTyped) return;         // a name that is being typed stays
  const cancel = make('button', { class: 'quiet', text: LABELS.cancel, on: { click: close } });
  byId('region').replaceChildren(...(region.states.length ? about(region, world, belief)
    : every(belief)), cancel);
}

/** What can be said of one region. */
function about({ name, states }, world, belief) {
  const known = belief?.facets?.regions.find((each) => each.name === name);
  const called = name || stateName(world, states[0]);
  const isGoal = belief?.facets?.places.some((place) => place.states.some(
    (cell) => states.includes(cell)));
  const buttons = [make('button', { class: 'big', text: REGION.go, on: { click: () => {
    if (isGoal) {
      say({ kind: 'go_here', states }, REGION.goTo(called));
    } else {
      close();
      goTo({ states });       // tasks are built for it, if there are none
    }
  } } })];
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
  if (!name || isNamed(name)) buttons.push(nameButton(name, states));
  return buttons;
}

const isNamed = (name) => state.named?.some((place) => place.name === name);

/** A button that turns into a field for the name of a place; an empty name takes it away. */
function nameButton(name, states) {
  const button = make('button', { class: 'quiet', text: REGION.name, on: { click: () => {
    const input = make('input', { id: 'place-name', autocomplete: 'off', maxlength: 40 });
    input.value = name;
    button.replaceWith(make('form', { class: 'row', on: { submit: async (event) => {
      event.preventDefault();
      const called = input.value.trim();
      const done = called ? REGION.named(called) : REGION.forgotten;
      if (await ask('name_place', { states, ...(called ? { name: called } : {}) }, done)
        !== undefined) close();
    } } }, make('label', { for: 'place-name', text: REGION.called }), input,
    make('button', { text: REGION.save })));
    input.focus();
  } } });
  return button;
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
