// What the person says: commands to the node, and answers that are kept until they are confirmed.

import { Connection } from './connection.js';
import { capital } from './dom.js';
import { Outbox } from './outbox.js';
import { change, state, watch } from './store.js';
import { ROBOT, SENDING } from './texts.js';
import { alarm, tell } from './toast.js';

const STOP_LATE_MS = 900;
const STOP_PATIENCE_MS = 6000;
const PRESENT_EVERY_MS = 150;
const STARTS_FOR_MS = 2000;     // until the node has said that the robot moves

let startedAt = -Infinity;      // when this page has last set the robot in motion,
let isOurs = false;             // and whether it is still because of that that it moves
let stopWaits = false;          // a STOP that the node has not heard
let doubtful = null;            // an answer that came when another had been given
let regions = [];               // of the task file
let declared = {};              // what was stated last and is not known to have arrived

const key = new URLSearchParams(location.hash.slice(1)).get('key') ?? '';
const connection = new Connection(key, {
  now: learn,
  state: (link, refusal) => change({ link, refusal }),
});
const outbox = new Outbox((command, fields) => connection.send(command, fields), {
  changed: (items) => change({ waiting: items }),
  late: (item) => tell(SENDING.late(item.words)),
  refused: (item, message) => tell(SENDING.refused(message)),
  doubtful: (item) => {
    doubtful = item;
    settleDoubt(state);
  },
});
watch(['link'], ({ link }) => {
  if (link === 'open' && stopWaits) stop();
});
watch(['question', 'belief'], ({ question, belief }) => outbox.look(question, belief));
watch(['history'], settleDoubt);
addEventListener('storage', () => outbox.reread());     // another tab has put or dropped something

/** The state of each cell of a large world, which come in short: [first state, how many]. */
function unrolled({ runs, columns, rows }) {
  const states = new Int32Array(columns * rows);
  let at = 0;
  for (const [first, count] of runs) {
    for (let next = 0; next < count; next += 1) states[at + next] = first < 0 ? -1 : first + next;
    at += count;
  }
  return states;
}

/** Take what the node says; what people have named is a region like those of the task file. */
function learn(parts) {
  if (parts.world) ({ regions } = parts.world);
  if (parts.world?.cells?.runs) parts.world.cells.states = unrolled(parts.world.cells);
  const { world = state.world, named = state.named } = parts;
  change(world && (parts.world || parts.named)
    ? { ...parts, world: { ...world, regions: [...regions, ...named ?? []] } } : parts);
}

/**
 * Have something done; say what came of it, or with null only what went wrong. Returns the result,
 * undefined if it failed.
 */
export async function ask(command, fields = {}, done = '') {
  try {
    const result = await connection.send(command, fields);
    if (done !== null) tell(done);
    return result;
  } catch (problem) {
    tell(capital(problem.message));
    return undefined;
  }
}

/** Answer the question that is asked now; `given`: in full, as in the journal. */
export function answer(given, words) {
  const { asked } = state;
  if (!asked) return;
  change({ several: null, changed: null, region: null });
  tell(SENDING.said(words), { canUndo: true });
  outbox.put({ id: asked.id, session: asked.session, command: 'answer', words,
    fields: { question: asked.id, answer: given } });
}

/** How good a question's place is, or its action there. */
export function rewardTo({ state: place, action }, reward) {
  return { kind: 'reward', state: place, reward, action };
}

/** Whether two answers are the same; a history may leave out the last of many steps, and names. */
export function same(given, counts) {
  const steps = given.steps?.slice(0, counts.steps?.length);
  const plain = (each) => JSON.stringify(each, (name, value) => (
    name === 'labels' ? undefined : value));
  return plain(steps ? { ...given, steps } : given) === plain(counts);
}

/**
 * State something unasked; returns what the learner says to that, undefined if it failed.
 * Said again after a lost reply, it has the same id and so counts once.
 */
export async function declare(command, fields) {
  const said = JSON.stringify([state.belief?.session, command, fields]);
  if (declared.said !== said) declared = { said, id: newId() };
  const result = await ask(command, { known_as: declared.id, ...fields });
  if (result !== undefined) declared = {};
  return result;
}

/** Teach or say something that nobody has asked for; it is kept until the learner has it. */
function offer(command, fields, words) {
  const id = newId();
  change({ changed: null, region: null });
  tell(SENDING.said(words), { canUndo: true });
  outbox.put({ id, session: state.belief.session, command, words,
    fields: { known_as: id, ...fields } });
}

/** Teach a course. */
export function demonstrate(course, words) {
  offer('demonstrate', { steps: stepsOf(course) }, words);
}

/** Say where to go, where never, or which task is meant: an answer in full, as in the journal. */
export function mean(given, words) {
  const answers = ['task', 'place'].includes(state.asked?.kind) && given.kind === 'go_here';
  if (answers) answer(given, words);
  else offer('tell', { answer: given }, words);
}

/** Say what you think of driving over a region: never, rather not or free. */
export function mind(region, manner, words) {
  offer('mind', { region, manner }, words);
}

/** The steps of a course, as pairs of state and action. */
export function stepsOf(course) {
  return course.actions.map((action, place) => [course.states[place], action]);
}

/** Stop the robot; if that cannot be said, say so before it is too late, and try again. */
export async function stop() {
  stopWaits = true;
  change({ halted: state.canGo });
  alarm(SENDING.stopping);
  const late = setTimeout(() => alarm(SENDING.notStopped(SENDING.noReply)), STOP_LATE_MS);
  try {
    await connection.send('stop', {}, STOP_PATIENCE_MS);
    stopWaits = false;
    alarm('');
    tell(state.canGo ? SENDING.stoppedHere : SENDING.stopped);
  } catch (problem) {
    alarm(SENDING.notStopped(problem.message));
  } finally {
    clearTimeout(late);
  }
}

/** Drive the robot by one action; it stops soon after this page is gone. */
export function drive(action) {
  sets();
  return ask('drive', { action });
}

/**
 * Let the robot do what it has learned; until the lesson is done it stops with this page.
 * `over`: what it may drive over this once although it never must.
 */
export function go(over = '') {
  sets();
  return ask('go', over ? { over } : {}, ROBOT.go);
}

function sets() {
  startedAt = performance.now();
  isOurs = true;
}

setInterval(() => {
  const { robot, waits, connected } = state;
  const stands = !robot?.driving && (waits || !robot?.controller);
  if (stands && performance.now() - startedAt > STARTS_FOR_MS) isOurs = false;
  if (isOurs && connected && !document.hidden) connection.send('be_present').catch(() => {});
}, PRESENT_EVERY_MS);

export function newId() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map(
    (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Whose answer counts, if two came? */
function settleDoubt({ history }) {
  const entry = history?.entries.find((each) => each.id === doubtful?.id);
  if (!entry) return;
  const { fields, words } = doubtful;
  if (!same(fields.answer, entry.answer)) tell(SENDING.slower(entry.said, words));
  doubtful = null;
}
