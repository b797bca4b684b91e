// What the person has marked on the map: places and zones, each a chip with a cross to remove it.

import { byId, make } from '../dom.js';
import { where } from '../picture/words.js';
import { state, watch } from '../store.js';
import { ZONES } from '../texts.js';
import { leaveOut } from './editing.js';
import { undo } from './history.js';
import { openRegion } from './region.js';

const KINDS = ['never_here', 'go_here', 'on_the_way'];

watch(['world', 'named', 'history'], render);

let known = { zones: [] };     // those of the last history

/** What was marked and is not a region of the task: {kind, states, name, entry}. */
export function zonesOf({ world, named, history }) {
  if (known.history !== history || known.world !== world || known.named !== named) {
    known = { world, named, history, zones: found(world, named, history) };
  }
  return known.zones;
}

function found(world, named, history) {
  if (!world?.cells || !history) return [];
  const same = (one, other) => one.length === other.length
    && one.every((each) => other.includes(each));
  const own = world.regions.filter(({ name }) => !named?.some((place) => place.name === name));
  return history.entries.map((entry) => ({ entry, said: entry.place ?? entry.answer }))
    .filter(({ said }) => KINDS.includes(said?.kind) && said.states.at(-1) < world.num_states
      && !own.some(({ states }) => same(states, said.states)))
    .map(({ entry, said: { kind, states } }) => ({ entry, kind, states,
      name: named?.find((place) => same(place.states, states))?.name ?? '' }));
}

function render({ world, named, history }) {
  const zones = zonesOf({ world, named, history });
  byId('zones').hidden = !zones.length;
  const had = byId('zones').contains(document.activeElement);
  byId('zones').replaceChildren(`${ZONES.marked} `, ...zones.map((zone) => chip(zone, world)));
  if (had) byId('sentence').focus();
}

function chip({ entry, kind, states, name }, world) {
  const place = name || where(world, states[0]).replace(/\.$/, '') || ZONES.cells(states.length);
  const words = ZONES.words[kind](place);
  const isLast = entry.id === state.history.entries.at(-1)?.id;
  const parts = [make('button', { class: `chip open ${kind}`, text: words,
    on: { click: () => openRegion({ name, states }) } })];
  if (entry.answer || isLast) {
    parts.push(make('button', { class: 'chip drop', text: '×', 'aria-label': ZONES.drop(words),
      on: { click: () => (entry.answer ? leaveOut(entry) : undo()) } }));
  }
  return make('span', { class: 'chips' }, ...parts);
}
