// What was said so far, each entry to be changed or left out; undo and starting over.

import { openBox } from '../dialogs.js';
import { byId, keyed, make, onPress, say, upper } from '../dom.js';
import { change, state, watch } from '../store.js';
import { ask, rewardTo, same } from '../teacher.js';
import { HISTORY, MISFIT } from '../texts.js';
import { readNumber } from './answers.js';

const list = byId('entries');
let open = null;            // the entry that is being changed
let offers = [];            // what it can be changed into
let editing = null;         // the box for that: what is typed in it stays when news come
let revised = null;         // the entry that was: it gets the focus back

watch(['world', 'history', 'belief'], render);
watch(['world', 'history', 'waiting'], renderSaved);
onPress('undo', undo);
keyed(byId('undo'), 'u');
onPress('reset', () => openBox('reset-box'));
onPress('reset-no', () => byId('reset-box').close());
onPress('reset-yes', () => {
  byId('reset-box').close();
  ask('reset', {}, HISTORY.reset);
});

export function undo() {
  ask('undo', {}, HISTORY.undone);
}

function render({ world, history, belief }) {
  if (!world || !history) return;
  const { entries, total } = history;
  byId('undo').disabled = !total;
  if (!entries.some((entry) => entry.id === open)) open = null;
  const first = total - entries.length;
  const doubted = new Set(belief?.unexplained);
  const shown = entries.map((entry, place) => item(
    entry, first + place + 1, doubted.has(entry.id))).reverse();
  const active = document.activeElement;
  const focused = list.contains(active) ? active.dataset.id ?? null : null;
  list.replaceChildren(...shown);
  if (list.contains(active)) active.focus();
  const wanted = focused ?? revised;
  if (wanted) list.querySelector(`[data-id="${CSS.escape(wanted)}"]`)?.focus();
  revised = null;
}

function renderSaved({ history, waiting }) {
  say(byId('saved'), waiting.length ? HISTORY.waiting(waiting.length)
    : (history?.total ? HISTORY.saved : HISTORY.empty));
}

function item(entry, number, doubted) {
  const asked = entry.question;
  const isOpen = open === entry.id;
  const button = make('button', { class: 'quiet', 'data-id': entry.id,
    text: isOpen ? HISTORY.cancel : HISTORY.change, 'aria-expanded': String(isOpen),
    'aria-label': isOpen ? HISTORY.cancelThis(number) : HISTORY.changeThis(number),
    on: { click: () => toggle(entry.id) } });
  const { steps, states, kind } = entry.answer ?? {};
  const place = states?.[0] ?? (asked ? asked.state : steps?.[0]?.[0] ?? null);
  const what = asked ? asked.sentence
    : entry.correction ? HISTORY.corrected : HISTORY.unasked[kind] ?? HISTORY.shown;
  const mark = doubted ? [make('em', { text: MISFIT.mark })] : [];
  return make('li', { on: {
    pointerenter: () => change({ pointed: place }), pointerleave: () => change({ pointed: null }),
  } }, make('div', { class: 'entry' }, make('p', {}, make('span', { text: `${number}. ${what}` }),
    make('strong', { text: entry.said }), ...mark), ...(entry.answer ? [button] : [])),
  ...(isOpen ? [editing ??= editor(entry)] : []));
}

async function toggle(id) {
  const found = open === id ? [] : await ask('offers', { question: id });
  if (!found) return;
  open = open === id ? null : id;
  offers = found;
  editing = null;
  render(state);
}

function editor(entry) {
  const box = make('div', { class: 'edit', role: 'group', 'aria-label': HISTORY.another });
  const choose = (text, answerOf) => box.append(make('button', { text, on: { click: () => {
    const given = answerOf();
    if (!given) return;
    open = null;
    revised = entry.id;
    ask('revise', { question: entry.id, answer: given }, HISTORY.changed);
  } } }));
  const { answer, question } = entry;
  if (!question) {
    const nothing = offers.find(({ answer: { kind } }) => kind === 'dont_know');
    choose(HISTORY.leaveOut, () => nothing.answer);
    return box;
  }
  if (question.kind === 'reward') {
    const input = make('input', { 'aria-label': HISTORY.anotherNumber, inputmode: 'decimal',
      value: answer.reward ?? '' });
    box.append(input);
    choose(HISTORY.useNumber, () => {
      const reward = readNumber(input);
      return reward === null ? null : rewardTo(question, reward);
    });
  }
  for (const offer of offers.filter((each) => !same(each.answer, answer))) {
    choose(offer.action === null ? upper(offer.text) : offer.text, () => offer.answer);
  }
  return box;
}
