// What was said so far, each entry to be changed or left out.

import { byId, make } from './dom.js';
import { notesFor, readNumber } from './answers.js';

export class History {
  /** @param on {revise(id, fields), look(state | null), problem(text)} */
  constructor(on) {
    this.on = on;
    this.list = byId('entries');
    this.open = null;       // the entry that is being changed
  }

  setWorld(world) {
    this.world = world;
  }

  set(history) {
    this.history = history;
    const { entries, total } = history;
    if (!entries.some((entry) => entry.id === this.open)) this.open = null;
    const first = total - entries.length;
    const shown = entries.map((entry, place) => this.entry(entry, first + place + 1)).reverse();
    const focused = this.list.contains(document.activeElement)
      ? document.activeElement.dataset.id ?? null : null;
    this.list.replaceChildren(...shown);
    const wanted = focused ?? this.changed;
    if (wanted) this.list.querySelector(`[data-id="${CSS.escape(wanted)}"]`)?.focus();
    this.changed = null;
  }

  entry(entry, number) {
    const asked = entry.question;
    const what = asked ? asked.sentence : (entry.correction ? 'You corrected me.'
      : 'You showed me.');
    const isOpen = this.open === entry.id;
    const change = make('button', { class: 'quiet', text: isOpen ? 'Keep' : 'Change',
      'aria-expanded': String(isOpen), 'data-id': entry.id,
      'aria-label': `${isOpen ? 'Keep' : 'Change'} answer ${number}`,
      on: { click: () => { this.open = isOpen ? null : entry.id; this.set(this.history); } } });
    const state = asked ? asked.state : entry.answer.steps?.[0]?.[0];
    const item = make('li', { on: {
      pointerenter: () => this.on.look(state ?? null), pointerleave: () => this.on.look(null) } },
    make('div', { class: 'entry' }, make('p', {}, make('span', { text: `${number}. ${what}` }),
      make('strong', { text: entry.said })), change));
    if (isOpen) item.append(this.editor(entry));
    return item;
  }

  editor(entry) {
    const box = make('div', { class: 'edit', role: 'group', 'aria-label': 'Another answer' });
    const choose = (text, fieldsOf) => box.append(make('button', { text, on: { click: () => {
      const fields = fieldsOf();
      if (!fields) return;
      this.open = null;
      this.changed = entry.id;
      this.on.revise(entry.id, fields);
    } } }));
    const question = entry.question;
    if (question?.kind === 'action') {
      this.world.actions.forEach((action, number) => {
        if (entry.answer.kind !== 'action' || entry.answer.action !== number) {
          choose(action.name, () => ({ kind: 'action', action: number }));
        }
      });
    } else if (question?.kind === 'yes_no') {
      choose('Yes', () => ({ kind: 'yes' }));
      choose('No', () => ({ kind: 'no' }));
    } else if (question?.kind === 'reward') {
      const input = make('input', { 'aria-label': 'Another number', inputmode: 'decimal',
        value: entry.answer.reward ?? '' });
      box.append(input);
      choose('Use this number', () => {
        const reward = readNumber(input, this.on.problem);
        return reward === null ? null : { kind: 'reward', reward };
      });
    }
    if (question) {
      for (const note of notesFor(question)) choose(note.text, () => ({ kind: note.kind }));
    } else choose('Do not use it', () => ({ kind: 'dont_know' }));
    return box;
  }
}
