// The ways to answer a question: arrows on the spot, lanes, a scale, yes and no, a list, and "I
// don't know". The same buttons serve clicks, touch, keys and screen readers.

import { arrow, byId, keyed, make, makeSvg, upper } from '../dom.js';
import { state, watch } from '../store.js';
import { answer, rewardTo, tell } from '../teacher.js';
import { ANSWERS, stateName } from '../texts.js';
import { closingButtons } from './closing.js';
import { addStep, stepButtons } from './steps.js';

const RING = 27;            // from the edge of a cell to the middle of an answer [px]
const APART = 48;           // between the middles of two answers [px]
const MARGIN = 25;          // from the edge of the stage to the middle of an answer [px]
const SHORT = 6;            // letters that fit on a round button
const DIAGONALS = [[1, 1], [-1, 1], [1, -1], [-1, -1]];
const LISTS = ['task', 'place'];
const WAYS = ['first', 'second'];

const [spot, choices, notes] = [byId('spot'), byId('choices'), byId('notes')];
let byAction = [];
let shown = '';             // for which question and steps there are choices
let noted = '';             // for which question there are notes

watch(['world'], build);
watch(['world', 'asked', 'steps', 'wrong', 'mode'], render);
render(state);

/** An action was pressed: an answer, or the next step of one. */
export function act(action) {
  if (state.asked?.kind === 'demonstration') addStep(action);
  else give(offerOf(state.asked, action));
}

/** Give one of the answers that the question offers. */
export function give(offer) {
  if (offer) answer(offer.answer, offer.text);
}

function offerOf(asked, action) {
  return asked?.offers.find((offer) => offer.action === action);
}

function build({ world }) {
  spot.className = world.cells ? 'ring' : (world.lanes.length ? 'lanes' : 'line');
  spot.style.gridTemplateColumns = world.lanes.length
    ? `repeat(${world.actions.length}, minmax(0, 1fr))` : '';
  byAction = world.actions.map(({ name, key, direction }, number) => {
    const button = make('button', { type: 'button', title: name,
      'aria-label': key ? ANSWERS.withKey(name, key) : name,
      on: { click: () => act(number) } });
    const stays = direction && !direction[0] && !direction[1];
    if (world.cells && direction && !(stays && name.length <= SHORT)) {
      button.append(arrow(direction));
    } else button.append(make('span', { text: name }));
    if (world.cells && !direction) button.classList.add('wide');
    return keyed(button, key);
  });
  spot.replaceChildren(...byAction);
}

/** Show what can be said now; nothing without a question. */
function render(now) {
  const { asked, mode, steps, wrong } = now;
  const had = [spot, choices, notes].some((part) => part.contains(document.activeElement));
  const isShown = (action) => asked?.kind === 'demonstration' || offerOf(asked, action);
  byAction.forEach((button, action) => { button.hidden = !isShown(action); });
  // While somebody points at a place, a long list would lie between the map and its panel.
  choices.hidden = mode === 'showing' && LISTS.includes(asked?.kind);
  // While a path is shown, a click means a place on it.
  spot.hidden = !byAction.some((button) => !button.hidden)
    || ['pathing', 'showing'].includes(mode);
  // Buttons are made only when others are needed: a press must not meet one that was replaced.
  if (noted !== (asked?.id ?? '')) {
    noted = asked?.id ?? '';
    notes.replaceChildren(...(asked?.offers ?? []).filter(({ aside }) => aside)
      .map((offer) => button(offer, 'quiet')));
  }
  const wanted = asked ? `${asked.id}: ${steps.actions} ${wrong}` : '';
  if (shown !== wanted) {
    const focused = steps.actions.length || wrong !== null
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

function button(offer, kind) {
  return keyed(make('button', { class: kind, text: upper(offer.text),
    on: { click: () => give(offer) } }), offer.key);
}

function choicesFor(now) {
  const { asked } = now;
  const own = asked.offers.filter(({ aside, action }) => !aside && action === null);
  if (asked.kind === 'reward') return scale(asked, own);
  if (LISTS.includes(asked.kind)) return own.map(entry);
  if (asked.kind === 'compare') return own.map(wayButton);
  return [...own.map((offer) => button(offer, 'big')),
    ...(asked.kind === 'demonstration' ? stepButtons(now) : []),
    ...(asked.kind === 'confirm' ? closingButtons(now) : [])];
}

/** An entry of a list, with the number that it also has on the map; the first nine have a key. */
function entry(offer, place) {
  const isNone = offer.answer.kind === 'none_of_these';
  return make('button', { class: isNone ? 'quiet' : '', 'aria-keyshortcuts': offer.key || null,
    on: { click: () => give(offer) } },
  make('span', { class: 'number', text: isNone ? offer.key : String(place + 1),
    'aria-hidden': 'true' }), make('span', { text: upper(offer.text) }));
}

/** Move to the next entry of a list, or to the one before; return whether there is a list. */
export function moveInList(step) {
  const buttons = [...choices.children];
  if (!choices.classList.contains('list') || !buttons.length) return false;
  const now = buttons.indexOf(document.activeElement);
  const next = now < 0 ? (step > 0 ? 0 : buttons.length - 1) : now + step;
  buttons[Math.min(Math.max(next, 0), buttons.length - 1)].focus();
  return true;
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

/** A cell was clicked while it is asked where to go: one of the places, or anywhere at all. */
export function goTo(place) {
  const { asked, world } = state;
  if (!asked.options) {
    answer({ kind: 'go_here', states: [place] }, stateName(world, place));
    return;
  }
  const near = world.regions.filter(({ states }) => states.includes(place));
  const offer = asked.offers.find(({ answer: { states } }) => states?.includes(place))
    ?? asked.offers.find(({ answer: { states } }) => states
      && near.some((region) => region.states.includes(states[0])));
  if (offer) give(offer);
  else tell(ANSWERS.notOffered(stateName(world, place)));
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

/** Put the arrows around the marked place, or around where the steps so far lead. */
export function placeAnswers(map) {
  const { question, steps } = state;
  if (!question) return;
  const last = steps.actions.length ? steps.course?.states.at(-1) : null;
  const [x, y] = map.middle(last ?? question.state);
  const reach = Math.max(map.cell / 2, 8) + RING;
  const { clientWidth, clientHeight } = spot.parentElement;
  const inside = (at, size) => `${Math.min(Math.max(at, MARGIN), size - MARGIN)}px`;
  let corner = 0;
  byAction.forEach((button, number) => {
    let step = state.world.actions[number].direction;
    let far = reach;
    if (!step || !Math.hypot(...step)) {
      step = DIAGONALS[corner % 4];
      far = (Math.max(APART, 0.9 * reach) + APART * Math.floor(corner / 4)) * Math.SQRT2;
      corner += 1;
    }
    const [right, down] = step.map((part) => part / Math.hypot(...step) * far);
    button.style.left = inside(x + right, clientWidth);
    button.style.top = inside(y + down, clientHeight);
  });
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
