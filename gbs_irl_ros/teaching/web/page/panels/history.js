// What was said so far, as a list and as pins on the map; undo and starting over.

import { openBox } from '../dialogs.js';
import { byId, make, onPress, say } from '../dom.js';
import { change, state, watch } from '../store.js';
import { ask } from '../teacher.js';
import { HISTORY, MISFIT } from '../texts.js';
import { edit } from './editing.js';

const list = byId('entries');

watch(['world', 'history', 'belief', 'changed'], render);
watch(['world', 'history', 'robot', 'waiting'], renderSaved);
onPress('undo', undo);
onPress('toast-undo', undo);
onPress('reset', () => openBox('reset-box'));
onPress('reset-no', () => byId('reset-box').close());
onPress('reset-yes', () => {
  byId('reset-box').close();
  change({ mode: null, region: null, editing: null });
  ask('reset', {}, HISTORY.reset);
});

/** Undo the change that was made last, or remove the last answer; it says which. */
export async function undo() {
  const { changed, history } = state;
  if (changed) {
    change({ changed: null });
    await ask('revise', { question: changed.id, answer: changed.answer }, HISTORY.changeUndone);
    return;
  }
  const last = state.waiting.at(-1)?.words ?? history?.entries.at(-1)?.said ?? '';
  await ask('undo', {}, HISTORY.undone(last));
}

/** Where something was said: the state of its question, or the first that it names. */
export function placeOf({ question, answer }) {
  const { steps, states } = answer ?? {};
  return states?.[0] ?? (question ? question.state : steps?.[0]?.[0] ?? null);
}

function render({ world, history, belief, changed }) {
  if (!world || !history) return;
  const { entries, total } = history;
  byId('undo').disabled = !total;
  const said = entries.at(-1)?.said ?? '';
  const label = changed ? HISTORY.undoChange : total ? HISTORY.undo(said) : HISTORY.undoNothing;
  byId('undo').setAttribute('aria-label', label);
  byId('undo').title = label;
  say(byId('told-count'), total ? String(total) : '');
  const first = total - entries.length;
  const doubted = new Set(belief?.unexplained);
  const shown = entries.map((entry, place) => item(
    entry, first + place + 1, doubted.has(entry.id))).reverse();
  const focused = list.contains(document.activeElement)
    ? document.activeElement.dataset.id ?? null : null;
  list.replaceChildren(...shown);
  if (focused) list.querySelector(`[data-id="${CSS.escape(focused)}"]`)?.focus();
}

function renderSaved({ history, robot, waiting }) {
  say(byId('saved'), waiting.length ? HISTORY.waiting(waiting.length)
    : robot?.status !== 'driving' ? (history?.total ? HISTORY.saved : HISTORY.empty)
      : robot.stops_without_page ? HISTORY.stopsIfClosed : HISTORY.drivesOnIfClosed);
}

function item(entry, number, doubted) {
  const asked = entry.question;
  const button = make('button', { class: 'quiet', 'data-id': entry.id, text: HISTORY.change,
    'aria-label': HISTORY.changeThis(number), on: { click: () => edit(entry) } });
  const what = asked ? asked.sentence
    : entry.correction ? HISTORY.corrected : HISTORY.unasked[entry.answer?.kind] ?? HISTORY.shown;
  const mark = doubted ? [make('em', { text: MISFIT.mark })] : [];
  const place = placeOf(entry);
  return make('li', { on: {
    pointerenter: () => change({ pointed: place }), pointerleave: () => change({ pointed: null }),
  } }, make('div', { class: 'entry' }, make('p', {}, make('span', { text: `${number}. ${what}` }),
    make('strong', { text: entry.said }), ...mark), ...(entry.answer ? [button] : [])));
}
