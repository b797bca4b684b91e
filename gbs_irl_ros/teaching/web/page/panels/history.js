// What was said so far, each entry to be changed or left out; undo and starting over.

import { openBox } from '../dialogs.js';
import { byId, keyed, make, onPress, say } from '../dom.js';
import { change, state, watch } from '../store.js';
import { ask } from '../teacher.js';
import { ANSWERS, HISTORY } from '../texts.js';
import { notesFor, readNumber } from './answers.js';

const list = byId('entries');
let open = null;            // the entry that is being changed
let revised = null;         // the entry that was: it gets the focus back

watch(['world', 'history'], render);
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

function render({ world, history }) {
  if (!world || !history) return;
  const { entries, total } = history;
  byId('undo').disabled = !total;
  if (!entries.some((entry) => entry.id === open)) open = null;
  const first = total - entries.length;
  const shown = entries.map((entry, place) => item(entry, first + place + 1)).reverse();
  const focused = list.contains(document.activeElement)
    ? document.activeElement.dataset.id ?? null : null;
  list.replaceChildren(...shown);
  const wanted = focused ?? revised;
  if (wanted) list.querySelector(`[data-id="${CSS.escape(wanted)}"]`)?.focus();
  revised = null;
}

function renderSaved({ history, waiting }) {
  say(byId('saved'), waiting.length ? HISTORY.waiting(waiting.length)
    : (history?.total ? HISTORY.saved : HISTORY.empty));
}

function item(entry, number) {
  const asked = entry.question;
  const isOpen = open === entry.id;
  const button = make('button', { class: 'quiet', 'data-id': entry.id,
    text: isOpen ? HISTORY.cancel : HISTORY.change, 'aria-expanded': String(isOpen),
    'aria-label': isOpen ? HISTORY.cancelThis(number) : HISTORY.changeThis(number),
    on: { click: () => { open = isOpen ? null : entry.id; render(state); } } });
  const place = asked ? asked.state : entry.answer.steps?.[0]?.[0] ?? null;
  const what = asked ? asked.sentence : (entry.correction ? HISTORY.corrected : HISTORY.shown);
  return make('li', { on: {
    pointerenter: () => change({ pointed: place }), pointerleave: () => change({ pointed: null }),
  } }, make('div', { class: 'entry' }, make('p', {}, make('span', { text: `${number}. ${what}` }),
    make('strong', { text: entry.said })), button), ...(isOpen ? [editor(entry)] : []));
}

function editor(entry) {
  const box = make('div', { class: 'edit', role: 'group', 'aria-label': HISTORY.another });
  const choose = (text, fieldsOf) => box.append(make('button', { text, on: { click: () => {
    const fields = fieldsOf();
    if (!fields) return;
    open = null;
    revised = entry.id;
    ask('revise', { question: entry.id, ...fields }, HISTORY.changed);
  } } }));
  const { answer, question } = entry;
  if (question?.kind === 'action') {
    state.world.actions.forEach((action, number) => {
      if (answer.kind !== 'action' || answer.action !== number) {
        choose(action.name, () => ({ kind: 'action', action: number }));
      }
    });
  } else if (question?.kind === 'yes_no') {
    choose(ANSWERS.yes, () => ({ kind: 'yes' }));
    choose(ANSWERS.no, () => ({ kind: 'no' }));
  } else if (question?.kind === 'reward') {
    const input = make('input', { 'aria-label': HISTORY.anotherNumber, inputmode: 'decimal',
      value: answer.reward ?? '' });
    box.append(input);
    choose(HISTORY.useNumber, () => {
      const reward = readNumber(input);
      return reward === null ? null : { kind: 'reward', reward };
    });
  }
  if (question) {
    for (const note of notesFor(question)) choose(note.text, () => ({ kind: note.kind }));
  } else choose(HISTORY.leaveOut, () => ({ kind: 'dont_know' }));
  return box;
}
