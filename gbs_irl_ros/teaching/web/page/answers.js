// The ways to answer a question: arrows on the spot, lanes, a scale, yes and no, and "I don't
// know". The same buttons serve clicks, touch, keys and screen readers.

import { arrow, byId, make } from './dom.js';

const RING = 27;            // from the edge of a cell to the middle of an answer [px]
const APART = 48;           // between the middles of two answers [px]
const SHORT = 6;            // letters that fit on a round button
const DIAGONALS = [[1, 1], [-1, 1], [1, -1], [-1, -1]];
export const NOTES = [
  { kind: 'dont_know', key: 'i', text: 'I don’t know' },
  { kind: 'all_the_same', key: '=', text: 'All the same' },
  { kind: 'later', key: 'l', text: 'Ask me later' },
];
const SHOWS_ACTIONS = ['action', 'demonstration'];

/** Which non-answers a question allows. */
export function notesFor(question) {
  return NOTES.filter((note) => note.kind !== 'all_the_same'
    || SHOWS_ACTIONS.includes(question.kind));
}

export class Answers {
  /**
   * @param on {answer(fields), step(action)}
   */
  constructor(on) {
    this.on = on;
    this.spot = byId('spot');
    this.choices = byId('choices');
    this.notes = byId('notes');
    this.byAction = [];
    this.noteButtons = NOTES.map((note) => {
      const button = keyed(make('button', { class: 'quiet', text: note.text,
        on: { click: () => this.on.answer({ kind: note.kind }) } }), note.key);
      return button;
    });
    this.notes.append(...this.noteButtons);
    this.setQuestion(null);
  }

  setWorld(world) {
    this.world = world;
    this.spot.className = world.cells ? 'ring' : (world.lanes.length ? 'lanes' : 'line');
    this.spot.style.gridTemplateColumns = world.lanes.length
      ? `repeat(${world.actions.length}, minmax(0, 1fr))` : '';
    this.byAction = world.actions.map((action, number) => {
      const label = action.key ? `${action.name} (key ${action.key})` : action.name;
      const button = make('button', { type: 'button', 'aria-label': label, title: action.name,
        on: { click: () => this.on.step(number) } });
      const stays = action.direction && !action.direction[0] && !action.direction[1];
      if (world.cells && action.direction && !(stays && action.name.length <= SHORT)) {
        button.append(arrow(action.direction));
      } else button.append(make('span', { text: action.name }));
      if (world.cells && !action.direction) button.classList.add('wide');
      return keyed(button, action.key);
    });
    this.spot.replaceChildren(...this.byAction);
  }

  /** Show what can be said now; nothing without a question. */
  setQuestion(question) {
    const had = [this.spot, this.choices, this.notes].some(
      (part) => part.contains(document.activeElement));
    const shows = Boolean(question) && SHOWS_ACTIONS.includes(question.kind);
    this.spot.hidden = !shows;
    const notes = question ? notesFor(question) : [];
    this.noteButtons.forEach((button, number) => {
      button.hidden = !notes.includes(NOTES[number]);
    });
    if (question?.kind !== 'demonstration') this.choose(question?.id ?? '', () => {
      if (question?.kind === 'yes_no') this.showYesNo();
      else if (question?.kind === 'reward') this.showScale(question);
      else this.choices.replaceChildren();
    });
    // What had the focus may be gone, or hidden with the next frame.
    const active = document.activeElement;
    if (had && (active === document.body || active.closest('[hidden]'))) byId('sentence').focus();
  }

  /** Make buttons only when others are needed: a press must not meet one that was replaced. */
  choose(what, show) {
    if (this.chosen === what) return;
    this.chosen = what;
    show();
  }

  showYesNo() {
    const button = (kind, text, key) => keyed(make('button', { class: 'big', text,
      on: { click: () => this.on.answer({ kind }) } }), key);
    this.choices.replaceChildren(button('yes', 'Yes', 'y'), button('no', 'No', 'n'));
  }

  showScale(question) {
    const marks = question.scale.map((mark, number) => keyed(make('button', { class: 'mark',
      on: { click: () => this.on.answer({ kind: 'reward', reward: mark.value }) } },
    make('span', { text: mark.label }), make('small', { text: short(mark.value) })),
    String(number + 1)));
    const input = make('input', { id: 'reward', inputmode: 'decimal', autocomplete: 'off' });
    const form = make('form', { on: { submit: (event) => {
      event.preventDefault();
      const reward = readNumber(input, this.on.problem);
      if (reward !== null) this.on.answer({ kind: 'reward', reward });
    } } }, make('label', { for: 'reward', text: 'or a number' }), input,
    make('button', { text: 'Answer' }));
    this.choices.replaceChildren(...marks, form);
  }

  /** Show how far a demonstration is. */
  showSteps(question, actions) {
    this.choose(`${question.id}: ${actions}`, () => this.stepButtons(question, actions));
  }

  stepButtons(question, actions) {
    const names = actions.map((action) => this.world.actions[action].name);
    const focused = [...this.choices.children].indexOf(document.activeElement);
    this.choices.replaceChildren(
      make('p', { role: 'status', text: names.length
        ? `${names.length} of ${question.steps}: ${names.join(', ')}`
        : `Show ${question.steps} steps, one after another.` }),
      keyed(make('button', { text: 'Answer with these steps', disabled: !names.length,
        class: names.length >= question.steps ? 'main' : '',
        on: { click: () => this.on.send() } }), 'Enter'),
      keyed(make('button', { class: 'quiet', text: 'One step back', disabled: !names.length,
        on: { click: () => this.on.back() } }), '⌫'));
    if (focused >= 0) this.choices.children[focused]?.focus();
  }

  /** Put the arrows around a place on the stage. */
  place([x, y], cell) {
    const reach = Math.max(cell / 2, 8) + RING;
    let corner = 0;
    this.byAction.forEach((button, number) => {
      let step = this.world.actions[number].direction;
      const length = step ? Math.hypot(step[0], step[1]) : 0;
      let far = reach;
      if (!length) {
        step = DIAGONALS[corner % 4];
        far = (Math.max(APART, 0.9 * reach) + APART * Math.floor(corner / 4)) * Math.SQRT2;
        corner += 1;
      }
      const size = Math.hypot(step[0], step[1]);
      const { clientWidth, clientHeight } = this.spot.parentElement;
      const inside = (at, most) => Math.min(Math.max(at, 25), most - 25);
      button.style.left = `${inside(x + step[0] / size * far, clientWidth)}px`;
      button.style.top = `${inside(y + step[1] / size * far, clientHeight)}px`;
    });
  }
}

/** The number that was typed; null, and said so, if it is none. */
export function readNumber(input, problem) {
  const typed = input.value.trim().replace(',', '.');
  const number = Number(typed);
  if (typed !== '' && Number.isFinite(number)) return number;
  problem(`“${input.value}” is no number: type one such as 0.5.`);
  input.focus();
  return null;
}

/** Add the key that does the same. */
export function keyed(button, key) {
  if (key) {
    button.append(make('kbd', { class: 'key', text: key, 'aria-hidden': 'true' }));
    button.setAttribute('aria-keyshortcuts', key === '⌫' ? 'Backspace' : key);
  }
  return button;
}

function short(value) {
  return String(Number(value.toPrecision(3))).replace('-', '−');
}
