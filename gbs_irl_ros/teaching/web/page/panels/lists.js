// A choice among many: places, or tasks. Many tasks are chosen by their place first.

import { byId, make, upper } from '../dom.js';
import { change, state, watch } from '../store.js';
import { mind } from '../teacher.js';
import { ANSWERS, REGION } from '../texts.js';
import { openManner } from './manner.js';

export const LISTS = ['task', 'place'];
const FEW = 6;              // entries that are shown at once
let question = null;        // to which the group belongs

watch(['question'], (now) => {
  if (now.question?.id === question) return;
  question = now.question?.id;
  change({ group: null });
});

/** The buttons of a list. `give` takes the offer that was pressed. */
export function listButtons(now, offers, give) {
  const { asked, group } = now;
  const none = offers.find(({ answer }) => answer.kind === 'none_of_these');
  const own = offers.filter((offer) => offer !== none);
  const last = none ? [entry(none.text, none.key, 'quiet', () => give(none))] : [];
  const open = openManner(now);
  if (open) return [...mannerButtons(open), all()];     // which of them, or none, is a step on
  const groups = [...new Set(asked.groups ?? [])];
  if (group === null && groups.length > 1 && own.length > FEW) {
    return [...groups.map((name, number) => entry(name, number + 1, 'big',
      () => change({ group: name }))), all(), ...last];
  }
  const within = typeof group === 'string'
    ? own.filter((offer, place) => asked.groups[place] === group) : own;
  const back = group === null ? [] : [entry(ANSWERS.fewer, '', 'quiet',
    () => change({ group: null }))];
  return [...within.map((offer, number) => entry(offer.text, number + 1, '', () => give(offer))),
    ...last, ...back];
}

/** What may be said of driving over a region. */
function mannerButtons({ name, manners }) {
  return ['free', 'rather not', 'never'].filter((manner) => Object.hasOwn(manners, manner))
    .map((manner, number) => entry(ANSWERS.mayI[manner], number + 1, 'big',
      () => mind(name, manner, REGION.words[manner](name))));
}

function all() {
  return entry(ANSWERS.all, '', 'quiet', () => change({ group: true }));
}

function entry(text, number, kind, pressed) {
  const shortcut = String(number).length === 1 ? String(number) : null;
  return make('button', { class: kind || null, 'aria-keyshortcuts': shortcut,
    on: { click: pressed } },
  ...(number === '' || kind === 'quiet' ? [] : [make('span', { class: 'number',
    text: String(number), 'aria-hidden': 'true' })]), make('span', { text: upper(text) }));
}

/** Press the entry with a number as it is shown; return whether there is one. */
export function chooseNumber(key) {
  if (!LISTS.includes(state.asked?.kind) || byId('choices').closest('[hidden]')) return false;
  const found = [...byId('choices').children].find((button) => (
    button.getAttribute('aria-keyshortcuts') === key));
  found?.click();
  return Boolean(found);
}

/** Move to the next entry of a list, or to the one before; return whether there is a list. */
export function moveInList(step) {
  const buttons = [...byId('choices').children];
  if (!byId('choices').classList.contains('list') || !buttons.length) return false;
  const now = buttons.indexOf(document.activeElement);
  const next = now < 0 ? (step > 0 ? 0 : buttons.length - 1) : now + step;
  buttons[Math.min(Math.max(next, 0), buttons.length - 1)].focus();
  return true;
}
