// The ways to answer a question: moves, lanes, a scale, yes and no, a list, and "not sure". The
// same buttons serve clicks, touch, keys and screen readers.

import { arrow, byId, keyed, make, makeSvg, upper } from '../dom.js';
import { change, state, watch } from '../store.js';
import { answer, rewardTo } from '../teacher.js';
import { ANSWERS, stateName } from '../texts.js';
import { tell } from '../toast.js';
import { closingButtons } from './closing.js';
import { LISTS, listButtons } from './lists.js';
import { severalButtons, toggleAction } from './several.js';
import { addStep, stepButtons } from './steps.js';
import { toggleWords } from './words.js';

const WAYS = ['first', 'second'];
const [spot, choices, notes] = [byId('spot'), byId('choices'), byId('notes')];
let byAction = [];
let shown = '';             // for which question and steps there are choices
let noted = '';             // for which question there are notes

watch(['world'], build);
watch(['world', 'asked', 'steps', 'wrong', 'several', 'group', 'belief'], render);
render(state);

/** An action was pressed: an answer, one of several, or the next step of a demonstration. */
export function act(action) {
  if (state.asked?.kind === 'demonstration') addStep(action);
  else if (state.several && offerOf(state.asked, action)) toggleAction(action);
  else give(offerOf(state.asked, action));
}

/** Give one of the answers that the question offers. */
export function give(offer) {
  if (offer) answer(offer.answer, offer.text);
}

export function offerOf(asked, action) {
  return asked?.offers.find((offer) => offer.action === action);
}

function build({ world }) {
  spot.className = world.cells ? 'moves' : (world.lanes.length ? 'lanes' : 'line');
  spot.style.gridTemplateColumns = world.lanes.length
    ? `repeat(${world.actions.length}, minmax(0, 1fr))` : '';
  byAction = world.actions.map(({ name, key, direction }, number) => {
    const button = make('button', { type: 'button', title: name,
      'aria-label': key ? ANSWERS.withKey(name, key) : name,
      on: { click: () => act(number) } });
    if (direction) button.append(arrow(direction));
    button.append(make('span', { text: upper(name) }));
    return keyed(button, key);
  });
  spot.replaceChildren(...byAction);
}

/** Show what can be said now; nothing without a question. */
function render(now) {
  const { asked, steps, wrong, several, group, belief } = now;
  const had = [spot, choices, notes].some((part) => part.contains(document.activeElement));
  const isShown = (action) => asked?.kind === 'demonstration' || offerOf(asked, action);
  byAction.forEach((button, action) => {
    button.hidden = !isShown(action);
    if (several) button.setAttribute('aria-pressed', String(several.includes(action)));
    else button.removeAttribute('aria-pressed');
  });
  spot.hidden = !byAction.some((button) => !button.hidden);
  // Buttons are made only when others are needed: a press must not meet one that was replaced.
  if (noted !== (asked?.id ?? '')) {
    noted = asked?.id ?? '';
    notes.replaceChildren(...(asked ? noteButtons(asked) : []));
  }
  const likely = LISTS.includes(asked?.kind) ? belief?.answers : '';
  const wanted = asked
    ? JSON.stringify([asked.id, steps.actions, wrong, several, group, likely]) : '';
  if (shown !== wanted) {
    const focused = steps.actions.length || wrong !== null || several
      ? [...choices.children].indexOf(document.activeElement) : -1;
    shown = wanted;
    choices.classList.toggle('list', LISTS.includes(asked?.kind));
    choices.replaceChildren(...(asked ? choicesFor(now) : []));
    choices.children[focused]?.focus();
  }
  // What had the focus may be gone, or hidden with the next frame.
  const active = document.activeElement;
  if (had && (active === document.body || active.closest('[hidden]'))) byId('sentence').focus();
}

export function button(offer, kind) {
  return keyed(make('button', { class: kind, text: upper(offer.text),
    on: { click: () => give(offer) } }), offer.key);
}

/** Quieter answers: not sure, later, several are fine, something else. */
function noteButtons(asked) {
  const either = asked.kind === 'action' ? [make('button', { class: 'quiet', id: 'either',
    text: ANSWERS.either, on: { click: () => change({ several: state.several ? null : [] }) } })]
    : [];
  return [...asked.offers.filter(({ aside }) => aside).map((offer) => button(offer, 'quiet')),
    ...either, keyed(make('button', { class: 'quiet', id: 'else', text: ANSWERS.else,
      'aria-controls': 'words', on: { click: toggleWords } }), '/')];
}

function choicesFor(now) {
  const { asked, several } = now;
  const own = asked.offers.filter(({ aside, action }) => !aside && action === null);
  if (asked.kind === 'reward') return scale(asked, own);
  if (LISTS.includes(asked.kind)) return listButtons(now, own, give);
  if (asked.kind === 'compare') return own.map(wayButton);
  return [...own.map((offer) => button(offer, 'big')),
    ...(several ? severalButtons(now) : []),
    ...(asked.kind === 'demonstration' ? stepButtons(now) : []),
    ...(asked.kind === 'confirm' ? closingButtons(now) : [])];
}

/** A button for one of two ways, with a line as in the picture; the third means either. */
function wayButton(offer) {
  const way = WAYS[offer.answer.better];
  const pressed = button(offer, 'big');
  if (way) {
    const line = makeSvg('line', { x1: 4, y1: 6, x2: 36, y2: 6, class: `way ${way}` });
    pressed.prepend(makeSvg('svg', { class: 'sample', viewBox: '0 0 40 12', width: 40, height: 12,
      'aria-hidden': 'true' }, line));
  }
  return pressed;
}

/** A cell was pressed while it is asked where to go; returns whether that answers it. */
export function goTo(place) {
  const { asked, world } = state;
  if (!asked.options) {
    answer({ kind: 'go_here', states: [place] }, stateName(world, place));
    return true;
  }
  const near = world.regions.filter(({ states }) => states.includes(place));
  const offer = asked.offers.find(({ answer: { states } }) => states?.includes(place))
    ?? asked.offers.find(({ answer: { states } }) => states
      && near.some((region) => region.states.includes(states[0])));
  give(offer);
  return Boolean(offer);
}

function scale(asked, offers) {
  const marks = offers.map((offer) => keyed(make('button', {
    class: 'mark', on: { click: () => give(offer) } }, make('span', { text: offer.text }),
  make('small', { text: short(offer.answer.reward) })), offer.key));
  const input = make('input', { id: 'reward', inputmode: 'decimal', autocomplete: 'off' });
  const form = make('form', { on: { submit: (event) => {
    event.preventDefault();
    const reward = readNumber(input);
    if (reward !== null) answer(rewardTo(asked, reward), String(reward));
  } } }, make('label', { for: 'reward', text: ANSWERS.orNumber }), input,
  make('button', { text: ANSWERS.answer }));
  return [...marks, form];
}

/** The number that was typed; null if it is not one, and the person is told. */
export function readNumber(input) {
  const typed = input.value.trim().replace(',', '.');
  const number = Number(typed);
  if (typed !== '' && Number.isFinite(number)) return number;
  tell(ANSWERS.noNumber(input.value));
  input.focus();
  return null;
}

function short(value) {
  return String(Number(value.toPrecision(3))).replace('-', '−');
}
