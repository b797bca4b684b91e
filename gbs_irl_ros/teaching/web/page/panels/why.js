// Why a question is asked: the tasks between which the answer decides.

import { arrow, byId, make, percent, say } from '../dom.js';
import { watch } from '../store.js';
import { WHY } from '../texts.js';

watch(['world', 'asked'], render);

function render({ world, asked }) {
  byId('why').hidden = !asked?.rivals.length;
  if (!asked) return;
  const { kind, rivals } = asked;
  const differ = kind === 'reward' || WHOLE.includes(kind)
    || rivals.some(({ actions }) => String(actions) !== String(rivals[0].actions));
  say(byId('why-text'), differ ? WHY.decides : WHY.likeliest);
  byId('rivals').replaceChildren(...rivals.map((rival) => make('li', {},
    make('span', { text: rival.name }), make('span', { text: percent(rival.probability) }),
    make('span', { class: 'would' }, ...opinion(world, kind, rival)))));
}

const WHOLE = ['task', 'place', 'compare'];      // what a task does at one place says nothing

function opinion(world, kind, { name, actions, reward, answer }) {
  if (WHOLE.includes(kind)) return answer && answer !== name ? [WHY.says(answer)] : [];
  if (kind === 'reward') return [WHY.worth(reward)];
  if (kind === 'confirm') return [WHY.route(actions.length > 0)];
  return choices(world.actions, actions);
}

function choices(actions, chosen) {
  if (chosen.length === actions.length) return [WHY.anything];
  const parts = chosen.map((action) => {
    const { name, direction } = actions[action];
    return make('span', {}, ...(direction ? [arrow(direction, 16), ' '] : []), name);
  });
  return [WHY.choose, ...parts.flatMap((part, place) => (place ? [WHY.or, part] : [part]))];
}
