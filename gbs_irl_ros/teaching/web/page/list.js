// A world without places: what is asked about in words, and all states in a table.

import { make } from './dom.js';

const MOST = 300;

export function drawList(world, asked, policy) {
  const count = Math.min(world.num_states, MOST);
  const first = asked === null ? 0
    : Math.max(0, Math.min(asked - Math.floor(MOST / 2), world.num_states - count));
  const name = (state) => world.names[state] ?? `state ${state}`;
  const rows = [];
  for (let state = first; state < first + count; state += 1) {
    rows.push(make('tr', { class: state === asked ? 'asked' : false },
      make('td', { text: (state === asked ? '? ' : '') + name(state) }),
      make('td', { text: would(world, policy, state) }),
      make('td', { text: worth(policy, state) })));
  }
  const table = make('table', { class: 'list' },
    make('thead', {}, make('tr', {}, ...['state', 'I would do', 'how good I think it is'].map(
      (text) => make('th', { scope: 'col', text })))), make('tbody', {}, ...rows));
  return table;
}

function would(world, policy, state) {
  const set = policy?.sets[state];
  if (set === undefined) return '';
  const names = world.actions.filter((_, action) => Math.floor(set / 2 ** action) % 2 === 1)
    .map((action) => action.name);
  return `${names.join(' or ')} (${Math.round(100 * (policy.sure[state] ?? 0))} % sure)`;
}

function worth(policy, state) {
  const value = policy?.reward[state];
  if (!value) return '';
  return value > 0 ? `+${value}` : `−${-value}`;
}
