// A world without places: all states in a table, and a rehearsal in words.

import { make } from '../dom.js';
import { LIST, stateName } from '../texts.js';

const MAX_SHOWN = 300;

export function drawList(world, asked, policy) {
  const count = Math.min(world.num_states, MAX_SHOWN);
  const first = asked === null ? 0
    : Math.max(0, Math.min(asked - Math.floor(MAX_SHOWN / 2), world.num_states - count));
  const rows = [];
  for (let state = first; state < first + count; state += 1) {
    rows.push(make('tr', { class: state === asked ? 'asked' : false },
      make('td', { text: (state === asked ? '? ' : '') + stateName(world, state) }),
      make('td', { text: would(world, policy, state) }),
      make('td', { text: worth(policy, state) })));
  }
  return make('table', { class: 'list' },
    make('thead', {}, make('tr', {}, ...LIST.columns.map(
      (text) => make('th', { scope: 'col', text })))), make('tbody', {}, ...rows));
}

/** One way or two in words; of the places of one, one may be marked. */
export function drawSteps(world, courses, marked = null) {
  return courses.flatMap(({ states, actions }, number) => [
    ...(courses.length > 1 ? [make('h3', { text: LIST.ways[number] })] : []),
    make('ol', {}, ...actions.map((action, place) => make('li', {
      class: place === marked ? 'asked' : false,
      text: `${stateName(world, states[place])}: ${world.actions[action].name}` })))]);
}

function would(world, policy, state) {
  const set = policy?.sets[state];
  if (set === undefined) return '';
  const names = world.actions.filter((_, action) => Math.floor(set / 2 ** action) % 2 === 1)
    .map((action) => action.name);
  return LIST.would(names, Math.round(100 * (policy.sure[state] ?? 0)));
}

function worth(policy, state) {
  const value = policy?.reward[state];
  if (!value) return '';
  return value > 0 ? `+${value}` : `−${-value}`;
}
