// The teaching page: what the node shows, and what the person says.

import { Answers, keyed } from './answers.js';
import { Connection } from './connection.js';
import { arrow, byId, make, percent, say } from './dom.js';
import { History } from './history.js';
import { Keyboard } from './keyboard.js';
import { drawList } from './list.js';
import { MapView } from './map.js';
import { Outbox } from './outbox.js';
import { drawRoad } from './road.js';
import { Robot } from './robot.js';

const FRAME_MS = 350;           // of a rehearsal
const STOP_PATIENCE_MS = 2000;
const calm = matchMedia('(prefers-reduced-motion: reduce)');

const now = {};                 // the sections, as the node sent them
let map = null;                 // of a world with cells
let steps = [];                 // of a demonstration that is being given as an answer
let walked = null;              // where they lead
let path = newPath();           // in the path mode
let rehearsal = null;
let timer = null;
let doubtful = null;            // an answer that came when another had been given

const key = () => new URLSearchParams(location.hash.slice(1)).get('key') ?? '';
const connection = new Connection(key(), { now: take, state: connectionState });
const outbox = new Outbox((command, fields) => connection.send(command, fields), {
  late: (item) => tell(`Your answer “${item.words}” came too late: the question was no longer `
    + 'asked. It was not used.'),
  refused: (item, message) => tell(`Your answer was not taken: ${message}`),
  doubtful: (item) => {
    doubtful = item;
    settleDoubt();
  },
});
const answers = new Answers({ answer, step, send: sendSteps, back: stepBack, problem: tell });
const history = new History({
  revise: (id, fields) => ask('revise', { question: id, ...fields }, 'Changed.'),
  look: (state) => map?.setWay('looked', state === null ? null : [state]),
  problem: tell,
});
const robot = new Robot({ drive: (action) => ask('drive', { action }), press: pressed });
const keyboard = new Keyboard({
  action: (action) => {
    if (robot.mode === 'driving') ask('drive', { action });
    else if (!byId('spot').hidden) step(action);
    else return false;
    return true;
  },
  digit: (number) => {
    const mark = now.question?.kind === 'reward' ? now.question.scale[number - 1] : null;
    if (mark && isOpen()) answer({ kind: 'reward', reward: mark.value });
    return Boolean(mark);
  },
  key: pressKey,
  isMoving: () => robot.isMoving,
});

// ---- what the node shows -----------------------------------------------------------------------

function take(sections) {
  const before = now.question?.id;
  const gaveUp = now.robot?.gave_up;
  Object.assign(now, sections);
  if (sections.world) showWorld();
  if ('question' in sections && now.question?.id !== before) newQuestion();
  if ('question' in sections || 'belief' in sections) outbox.look(now.question, now.belief);
  if ('history' in sections) newHistory();
  if ('robot' in sections) showRobot(gaveUp);
  if (Object.keys(sections).some((name) => name !== 'robot')) show();
  else if (now.world) {             // it comes ten times a second
    showSentence(isOpen());
    if (now.belief) showProgress(now.belief);
  }
}

function showRobot(gaveUp) {
  if (now.robot.gave_up && now.robot.gave_up !== gaveUp) tell(now.robot.gave_up);
  robot.set(now.robot);
  map?.set({ robot: now.robot });
  map?.setWay('recorded', now.robot.recording
    ? now.robot.steps.map(([state]) => state).concat(now.robot.state ?? []) : null);
}

function newHistory() {
  if (now.world) history.set(now.history);
  settleDoubt();
}

/** Whose answer counts, if two came? */
function settleDoubt() {
  const entry = now.history?.entries.find((each) => each.id === doubtful?.id);
  if (!entry) return;
  if (!same(doubtful.fields, entry.answer)) {
    tell(`Somebody else was faster: “${entry.said}”. Your answer “${doubtful.words}” was not `
      + 'used.');
  }
  doubtful = null;
}

/** Whether the answer that counts is the one that was sent from here. */
function same(sent, counts) {
  if (counts.kind === 'yes_no') return sent.kind === (counts.yes ? 'yes' : 'no');
  return sent.kind === counts.kind && (sent.action ?? null) === (counts.kind === 'action'
    ? counts.action : null) && (counts.kind !== 'reward' || sent.reward === counts.reward);
}

function showWorld() {
  const { world } = now;
  document.title = `Teach: ${world.name}`;
  say(byId('task-name'), world.name);
  say(byId('task-text'), world.description);
  for (const part of [answers, history, robot]) part.setWorld(world);
  keyboard.world = world;
  map?.end();
  map = null;
  byId('stage').classList.toggle('plain', !world.cells);
  if (world.cells) {
    map = new MapView(byId('stage'), byId('picture'), pick);
    map.onDrawn = drawn;
    map.setWorld(world);
    byId('stage').append(byId('spot'));
  } else byId('stage').after(byId('spot'));
  if (now.history) history.set(now.history);
  answers.setQuestion(isOpen() ? now.question : null);
  showKeys();
}

function newQuestion() {
  steps = [];
  walked = null;
  map?.setWay('path', path.course && robot.mode === 'pathing' ? path.course.states : null);
}

function isOpen() {
  return Boolean(now.question) && now.belief?.status !== 'paused'
    && !outbox.has(now.question.id) && now.question.session === (now.belief?.session
      ?? now.question.session);
}

function show() {
  if (!now.world) {
    say(byId('hint'), connection.isOpen ? 'I am waiting for the task: is the mdp node running?'
      : '');
    return;
  }
  const { belief, question, policy } = now;
  const open = isOpen();
  byId('lesson').dataset.question = open ? question.id : '';
  byId('lesson').dataset.kind = open ? question.kind : '';
  showSentence(open);
  answers.setQuestion(open ? question : null);
  if (open && question.kind === 'demonstration') answers.showSteps(question, steps);
  if (robot.mode === 'pathing') byId('spot').hidden = true;       // a click means a place there
  const asked = open ? question.state : null;
  if (map) {
    map.set({ asked, policy, proposed: open && question.kind === 'yes_no'
      ? question.action : null });
  } else if (!rehearsal) showPlain(asked);
  showLegend();
  showWhy(open ? question : null);
  if (belief) showProgress(belief);
  showSaved();
}

/** A road, or a list: no map. */
function showPlain(asked) {
  const { world, question, here, policy } = now;
  if (world.lanes.length) {
    if (asked !== null) {
      byId('picture').replaceChildren(drawRoad(world, question.scene, here?.actions ?? []));
    }
  } else {
    byId('picture').replaceChildren(drawList(world, asked, policy));
    const row = byId('picture').querySelector('tr.asked');
    if (row) byId('stage').scrollTop = row.offsetTop - byId('stage').clientHeight / 2;
  }
}

function showSentence(open) {
  const { belief, question, robot: body } = now;
  const waits = question && outbox.has(question.id);
  let [sentence, hint] = ['One moment …', ''];
  if (open) {
    sentence = seen() ? SENTENCES[question.kind](question) : question.sentence;
    hint = `${seen() ? `${place(question)}. ` : ''}${HINTS[question.kind](question)}`;
  } else if (!belief || (belief.status === 'asking' && !waits && !body?.learner)) {
    hint = 'I am waiting for the learner.';
  } else if (belief.status === 'done') {
    const favourite = belief.likely[0]?.name;
    sentence = favourite ? `I think you mean: ${favourite}` : 'I know what you mean.';
    hint = canGo() ? DONE_HINTS[body.status] ?? 'Watch what I would do, or let me go.'
      : 'Thank you. I have no further questions.';
  } else if (belief.status === 'paused') {
    [sentence, hint] = ['We have a break.', 'Nothing is lost. Go on whenever you like.'];
  } else if (belief.status === 'failed') {
    [sentence, hint] = ['I cannot go on.', belief.text];
  } else if (belief.status === 'waiting') {
    hint = belief.text;
  } else {
    hint = connection.isOpen ? 'I am thinking about your answer.'
      : 'Your answer is kept here until the connection is back.';
  }
  say(byId('sentence'), sentence);
  say(byId('hint'), hint);
}

const DONE_HINTS = {
  driving: 'I am doing it. You can stop me at any time, or take over and show me better.',
  goal: 'Here I am. Was that right? If not, undo or change an answer.',
  manual: 'You are driving.',
};

/** Whether the place is marked in a picture, so that "here" says it all. */
const seen = () => Boolean(now.world.cells || now.world.lanes.length);

function place(question) {
  const inside = now.world.regions.filter(({ states }) => states.includes(question.state));
  const text = capital(question.place).slice(0, -1);
  return inside.length ? `${text}: ${inside.map(({ name }) => name).join(', ')}` : text;
}

const SENTENCES = {
  action: () => 'What should I do here?',
  yes_no: ({ action }) => `Is it right to do “${now.world.actions[action].name}” here?`,
  reward: ({ action }) => (action === null ? 'How good is it to be here?'
    : `How good is “${now.world.actions[action].name}” here?`),
  demonstration: ({ steps: count }) => `Show me ${count === 1 ? 'one step' : `${count} steps`} `
    + 'from here.',
};

const HINTS = {
  action: () => (now.world.cells ? 'Press the arrow that is right where the question mark is.'
    : 'Press what you would do.'),
  yes_no: () => 'Say yes or no.',
  reward: () => 'The more you like it, the higher.',
  demonstration: () => 'Press the arrows one after another, as you would go.',
};

function showProgress(belief) {
  const asking = ['asking', 'paused', 'done'].includes(belief.status) && belief.likely.length;
  const share = asking ? belief.certainty : 0;
  say(byId('favourite'), belief.answers && asking ? belief.likely[0].name
    : 'Nothing yet: you have not told me anything.');
  byId('meter').setAttribute('aria-valuenow', String(Math.round(100 * share)));
  byId('meter').setAttribute('aria-valuetext', percent(share));
  byId('bar').style.width = `${100 * share}%`;
  const left = belief.left === null ? '' : `, about ${belief.left} more `
    + (belief.left === 1 ? 'question' : 'questions');
  if (belief.status === 'done') say(byId('left'), `${percent(share)} sure. No more questions.`);
  else if (!belief.answers) say(byId('left'), capital(left.slice(2) || 'a few questions'));
  else say(byId('left'), `${percent(share)} sure${belief.status === 'asking' ? left : ''}.`);
  const rest = belief.likely.slice(1, 4).filter((each) => each.probability >= 0.005);
  byId('likely').replaceChildren(...rest.map((each) => make('li', {},
    make('span', { text: each.name }), make('span', { text: percent(each.probability) }))));
  byId('likely').hidden = belief.status === 'done' || !belief.answers;
  const enough = byId('enough');
  byId('enough-row').hidden = !asking || (belief.status === 'done' ? !belief.settled
    : !belief.answers);
  relabel(enough, belief.status === 'done' ? 'Ask me more' : (canGo()
    ? 'Good enough, go' : 'Good enough'), belief.status === 'done' ? '' : 'e');
  const pause = byId('pause');
  pause.hidden = !asking || belief.status === 'done';
  relabel(pause, belief.status === 'paused' ? 'Go on' : 'Pause', 'p');
  byId('go').classList.toggle('main', belief.status === 'done');
  byId('undo').disabled = !now.history?.total;
}

const canGo = () => Boolean(now.robot?.controller && now.world?.cells);

function relabel(button, text, shortcut) {
  if (button.dataset.text === text) return;
  button.dataset.text = text;
  button.textContent = text;
  button.removeAttribute('aria-keyshortcuts');
  keyed(button, shortcut);
}

function showWhy(question) {
  byId('why').hidden = !question?.rivals.length;
  if (!question) return;
  const [same] = question.rivals;
  const differ = question.rivals.some((rival) => String(rival.actions) !== String(same.actions))
    || question.kind === 'reward';
  say(byId('why-text'), differ ? 'Your answer tells these apart, each with others like it:'
    : 'These tasks are the likeliest now:');
  byId('rivals').replaceChildren(...question.rivals.map((rival) => make('li', {},
    make('span', { text: rival.name }), make('span', { text: percent(rival.probability) }),
    question.kind === 'reward'
      ? make('span', { class: 'would', text: `would be worth ${rival.reward}` })
      : would(rival.actions))));
}

function would(actions) {
  const { world } = now;
  if (actions.length === world.actions.length) {
    return make('span', { class: 'would', text: 'would choose anything here' });
  }
  const parts = actions.map((action) => {
    const { name, direction } = world.actions[action];
    return make('span', {}, ...(direction ? [arrow(direction, 16), ' '] : []), name);
  });
  return make('span', { class: 'would' }, 'would choose ', ...parts.flatMap(
    (part, place) => (place ? [' or ', part] : [part])));
}

function showLegend() {
  const parts = [];
  const { policy, world } = now;
  if (map && policy?.sets.length) {
    parts.push(make('span', {}, arrow([1, 0], 15), 'what I would do; short and faint: not sure'));
    if (policy.goals.length) parts.push(make('span', { text: '★ where I think the goal is' }));
    if (policy.reward.some(Boolean)) parts.push(make('span', { text: '+ better, − worse than most places, I think' }));
    if (now.robot?.pose) parts.push(make('span', { text: '◉ the robot' }));
  } else if (world.lanes.length) {
    parts.push(make('span', { text: '▲ where I would go; I: my car' }));
  }
  const words = parts.map((part) => part.textContent).join();
  const legend = byId('legend');
  if (legend.dataset.words !== words) {
    legend.dataset.words = words;
    legend.replaceChildren(...parts);
  }
}

function showSaved() {
  const total = now.history?.total ?? 0;
  const waiting = outbox.items.length;
  say(byId('saved'), waiting ? `${waiting} not confirmed yet; kept in this browser.`
    : (total ? 'All saved. You can close this page and go on later.'
      : 'Everything you say is saved at once.'));
}

function connectionState(state, reason) {
  const link = byId('link');
  link.classList.toggle('lost', state !== 'open');
  if (state === 'open') {
    say(link, 'Connected');
  } else if (state === 'lost') {
    say(link, 'Connection lost. Nothing you say is lost; I am trying again …');
  } else {
    say(link, 'No access');
    if (reason) say(byId('key-text'), `${reason}. You can paste the address or the key here.`);
    if (!byId('key-box').open) byId('key-box').showModal();
  }
  show();
}

// ---- what the person says ----------------------------------------------------------------------

function tell(text) {
  say(byId('message'), text);
}

/** Have something done; say what came of it. Returns the result, undefined if it failed. */
async function ask(command, fields = {}, done = '') {
  try {
    const result = await connection.send(command, fields);
    tell(done);
    return result;
  } catch (problem) {
    tell(capital(problem.message));
    return undefined;
  }
}

function capital(text) {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}

function answer(fields) {
  const { question } = now;
  if (!isOpen()) return;
  tell('');
  const words = fields.action === undefined ? fields.kind.replaceAll('_', ' ')
    : now.world.actions[fields.action].name;
  outbox.put({ id: question.id, session: question.session, command: 'answer', words,
    fields: { question: question.id, ...fields } });
  show();
}

/** An action was pressed: an answer, or the next step of one. */
async function step(action) {
  if (!isOpen()) return;
  if (now.question.kind === 'action') {
    answer({ kind: 'action', action });
  } else if (now.question.kind === 'demonstration') {
    steps = [...steps, action];
    await walk();
  }
}

async function walk() {
  const asked = now.question;
  show();
  const given = steps;
  const result = await ask('walk', { state: asked.state, actions: given });
  if (result && now.question?.id === asked.id && given === steps) {
    walked = result;
    map?.setWay('path', walked.states);
    if (now.world.lanes.length) {
      byId('picture').replaceChildren(drawRoad(now.world, walked.scenes.at(-1)));
    }
  }
}

function stepBack() {
  steps = steps.slice(0, -1);
  walk();
}

async function sendSteps() {
  if (!steps.length) return;
  if (walked?.actions.length !== steps.length) await walk();      // a slow line
  if (walked?.actions.length !== steps.length) return;
  answer({ kind: 'demonstration',
    steps: steps.map((action, place) => [walked.states[place], action]) });
}

function pick(state) {
  if (robot.mode === 'pathing') {
    // One place after another: the next may be clicked before the way to this one is known.
    const mine = path;
    mine.known = mine.known.then(() => extend(mine, state));
  } else if (isOpen() && now.question.kind === 'action') {
    // A click beside the marked place means: go there.
    const [column, row] = map.place(now.question.state);
    const [toColumn, toRow] = map.place(state);
    const towards = [toColumn - column, toRow - row];
    const action = now.world.actions.findIndex(({ direction }) => direction
      && String(direction) === String(towards));
    if (action >= 0) step(action);
  }
}

// Places clicked, the way through them, and when that is known.
function newPath() {
  return { places: [], course: null, known: Promise.resolve() };
}

async function extend(mine, state) {
  if (path !== mine) return;                                      // cleared meanwhile
  const course = await ask('way', { states: [...mine.places, state] });
  if (!course || path !== mine) return;
  mine.places.push(state);
  mine.course = course;
  showPath();
}

function showPath() {
  map?.setWay('path', path.course?.states ?? null);
  const count = path.course?.actions.length ?? 0;
  const more = count ? `${count} steps. Click on, or teach this path.`
    : 'Now click where it goes on.';
  say(byId('pathing-text'), path.places.length ? more
    : 'Click the places of a path on the map, one after another.');
  byId('path-send').disabled = !count;
  byId('path-clear').disabled = !path.places.length;
}

function clearPath() {
  path = newPath();
  showPath();
}

async function pressed(button) {
  if (button === 'go') await go();
  else if (button === 'stop') stop();
  else if (button === 'rehearse') rehearse();
  else if (button === 'rehearsed') endRehearsal();
  else if (button === 'record') ask('record');
  else if (button === 'recorded') record();
  else if (button === 'discard') ask('discard', {}, 'Thrown away.');
  else if (button === 'path-send') teachPath();
  else if (button === 'path-clear') clearPath();
  else if (button === 'mode') {
    clearPath();
    show();
  }
}

async function go() {
  endRehearsal();
  await ask('go', {}, 'Go!');
}

async function stop() {
  try {
    await connection.send('stop', {}, STOP_PATIENCE_MS);
    tell('Stopped.');
  } catch (problem) {
    tell(`The robot could not be told to stop! Use the switch on the robot. (${problem.message})`);
  }
}

async function record() {
  const count = await ask('recorded', { known_as: newId() });
  if (count) tell(`Thank you: ${count} steps.`);
}

function teachPath() {
  const { course } = path;
  if (!course?.actions.length) return;
  const known = newId();
  outbox.put({ id: known, session: now.belief.session, command: 'demonstrate', words: 'a path',
    fields: { known_as: known,
      steps: course.actions.map((action, place) => [course.states[place], action]) } });
  tell(`Thank you: a path of ${course.actions.length} steps.`);
  clearPath();
  showSaved();
}

function newId() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map(
    (byte) => byte.toString(16).padStart(2, '0')).join('');
}

async function enough() {
  const goes = canGo();                                           // as the button said when pressed
  if (now.belief.status === 'done') {
    await ask('start', {}, '');
  } else if (await ask('finish') !== undefined && goes) await go();
}

async function rehearse() {
  endRehearsal();
  const result = await ask('rehearse');
  if (!result) return;
  rehearsal = result;
  byId('rehearsing').hidden = false;
  say(byId('rehearsing-text'), `${result.actions.length} steps`
    + `${result.end ? `, then: ${result.end}` : ''}.`);
  let at = calm.matches ? result.states.length : 1;
  const draw = () => {
    if (map) map.setWay('rehearsal', result.states.slice(0, at));
    else if (now.world.lanes.length) {
      const place = Math.min(at, result.scenes.length) - 1;
      byId('picture').replaceChildren(drawRoad(now.world, result.scenes[place],
        place < result.actions.length ? [result.actions[place]] : []));
    } else {
      const names = result.actions.map((action) => now.world.actions[action].name);
      byId('picture').replaceChildren(make('ol', {}, ...names.map((text, place) => make('li', {
        text: `${now.world.names[result.states[place]] ?? `state ${result.states[place]}`}: `
          + text }))));
    }
    at += 1;
    if (at > result.states.length) clearInterval(timer);
  };
  draw();
  if (!calm.matches) timer = setInterval(draw, map ? FRAME_MS / 3 : 2 * FRAME_MS);
}

function endRehearsal() {
  clearInterval(timer);
  if (!rehearsal) return;
  rehearsal = null;
  byId('rehearsing').hidden = true;
  map?.setWay('rehearsal', null);
  show();
}

function drawn() {
  byId('zoom').hidden = !map.canZoom;
  byId('closer').setAttribute('aria-pressed', String(map.isClose));
  byId('stage').classList.toggle('drag', map.isClose);
  placeSpot();
}

function placeSpot() {
  if (map && now.question && map.asked !== null) {
    const last = walked?.states.at(-1) ?? now.question.state;
    answers.place(map.middle(steps.length ? last : now.question.state), map.cell);
  }
}

// ---- keys --------------------------------------------------------------------------------------

const undo = () => ask('undo', {}, 'Taken back.');

const KEYS = {
  y: [() => answerIf('yes_no', { kind: 'yes' }), 'yes'],
  n: [() => answerIf('yes_no', { kind: 'no' }), 'no'],
  i: [() => answerIf('', { kind: 'dont_know' }), 'I don’t know'],
  '=': [() => answerIf(['action', 'demonstration'], { kind: 'all_the_same' }), 'all the same'],
  l: [() => answerIf('', { kind: 'later' }), 'ask me later'],
  u: [undo, 'undo'],
  e: [() => (now.belief?.status === 'done' ? null : enough()), 'good enough'],
  p: [pause, 'pause, or go on'],
  g: [go, 'let the robot go'],
  r: [() => (rehearsal ? endRehearsal() : rehearse()), 'show what you would do'],
  m: [() => { if (!byId('drive').hidden) robot.setMode('driving'); }, 'drive the robot'],
  t: [() => (now.robot?.recording ? record() : ask('record')), 'record, or use the recording'],
  '?': [() => openBox('help-box'), 'this help'],
};

function answerIf(kinds, fields) {
  if (isOpen() && (!kinds || [].concat(kinds).includes(now.question.kind))) answer(fields);
}

function pressKey(name) {
  if (name === ' ') {
    if (!canGo() && !now.robot?.driving) return false;      // nothing that could move
    stop();
  } else if (name === 'Enter' && now.question?.kind === 'demonstration') sendSteps();
  else if (name === 'Backspace' && now.question?.kind === 'demonstration') stepBack();
  else if (KEYS[name]) KEYS[name][0]();
  else return false;
  return true;
}

function pause() {
  if (now.belief?.status === 'paused') ask('start');
  else if (now.belief?.status === 'asking') ask('pause');
}

function showKeys() {
  const rows = now.world.actions.filter((action) => action.key).map(
    (action) => [action.key, action.name]);
  if (now.world.cells) rows.unshift(['arrows', 'the way they point']);
  rows.push(...Object.entries(KEYS).map(([name, [, text]]) => [name, text]),
    ['space, Esc', 'stop a robot that moves']);
  byId('keys').replaceChildren(...rows.flatMap(
    ([name, text]) => [make('dt', { text: name }), make('dd', { text })]));
}

/** Open a box that leaves the rest of the page, and so the stop button, within reach. */
function openBox(id) {
  const box = byId(id);
  const before = document.activeElement;
  if (box.open) return;
  box.show();
  box.addEventListener('close', () => before?.focus?.(), { once: true });
}

for (const id of ['help-box', 'reset-box']) {
  byId(id).addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !robot.isMoving) byId(id).close();
  });
}

// ---- the rest of the page ----------------------------------------------------------------------

byId('pause').addEventListener('click', pause);
byId('enough').addEventListener('click', enough);
byId('undo').addEventListener('click', undo);
keyed(byId('undo'), 'u');
byId('help').addEventListener('click', () => openBox('help-box'));
byId('keys-on').addEventListener('change', (event) => {
  keyboard.enabled = event.target.checked;
});
byId('reset').addEventListener('click', () => openBox('reset-box'));
byId('reset-no').addEventListener('click', () => byId('reset-box').close());
byId('reset-yes').addEventListener('click', () => {
  byId('reset-box').close();
  ask('reset', {}, 'A new lesson.');
});
byId('closer').addEventListener('click', () => {
  map.close = !map.isClose;
  map.drift = [0, 0];
  show();
});
byId('key-form').addEventListener('submit', (event) => {
  event.preventDefault();
  const typed = byId('key-input').value.trim();
  location.hash = `key=${encodeURIComponent(typed.split('key=').pop())}`;
  location.reload();
});
byId('key-box').addEventListener('cancel', (event) => event.preventDefault());
byId('key-box').addEventListener('close', () => byId('key-box').showModal());   // Esc, twice
addEventListener('hashchange', () => location.reload());
addEventListener('storage', () => {         // another tab has put or dropped something
  outbox.reread();
  show();
});
showPath();
