// A past answer is changed in place: its place is marked, the card shows what else it can be.

import { LABELS } from '../labels.js';
import { byId, make, upper } from '../dom.js';
import { change, state, watch } from '../store.js';
import { ask, rewardTo, same } from '../teacher.js';
import { HISTORY } from '../texts.js';
import { tell } from '../toast.js';
import { readNumber } from './answers.js';

const box = byId('edit');

watch(['history'], ({ editing, history, changed }) => {
  const has = (id) => history?.entries.some((entry) => entry.id === id);
  if (editing && !has(editing.id)) change({ editing: null });     // somebody has removed it
  if (changed && !has(changed.id)) change({ changed: null });
});

/** Begin to change an answer. */
export async function edit(entry) {
  const offers = await ask('offers', { question: entry.id });
  if (!offers) return;
  const before = document.activeElement;
  box.replaceChildren(...choices(entry, offers), make('button', { class: 'quiet',
    text: LABELS.cancel, on: { click: () => {
      change({ editing: null });
      before?.focus?.();
    } } }));
  const { question, answer: { states, steps } } = entry;
  change({ editing: entry, mode: null, region: null, rehearsal: null,
    pointed: states?.[0] ?? question?.state ?? steps?.[0]?.[0] ?? null });
  box.querySelector('button, input').focus();
}

watch(['editing'], ({ editing }) => { if (!editing) change({ pointed: null }); });

function choices(entry, offers) {
  const { answer, question } = entry;
  const button = (text, answerOf, words = text, isAside = false) => make('button', {
    class: isAside ? 'quiet' : 'big', text, on: { click: () => {
      const given = answerOf();
      if (given) revise(entry, given, words);
    } } });
  const nothing = offers.find(({ answer: { kind } }) => kind === 'dont_know');
  if (!question) return [button(HISTORY.leaveOut, () => nothing.answer)];
  const parts = [];
  if (question.kind === 'reward') {
    const input = make('input', { 'aria-label': HISTORY.anotherNumber, inputmode: 'decimal',
      value: answer.reward ?? '' });
    parts.push(input, button(HISTORY.useNumber, () => {
      const reward = readNumber(input);
      return reward === null ? null : rewardTo(question, reward);
    }));
  }
  return [...parts, ...offers.filter((each) => !same(each.answer, answer)).map(
    (offer) => button(upper(offer.text), () => offer.answer, offer.text, offer.aside))];
}

/** Use an answer no longer. */
export async function leaveOut(entry) {
  const offers = await ask('offers', { question: entry.id });
  const nothing = offers?.find(({ answer: { kind } }) => kind === 'dont_know');
  if (nothing) await revise(entry, nothing.answer, HISTORY.leftOut);
}

async function revise(entry, given, words) {
  change({ editing: null });
  byId('sentence').focus();
  const done = await ask('revise', { question: entry.id, answer: given });
  if (done === undefined) return;
  change({ changed: { id: entry.id, answer: entry.answer } });
  tell(HISTORY.changed(words), { canUndo: true });
}
