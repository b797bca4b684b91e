// Every sentence that this page says by itself, by panel; the words of index.html are in
// labels.js. What a task or the learner says comes from the node. Each is a whole sentence with
// placeholders, so that another language can put its words in another order.

import { tr, trCount } from './language.js';

const and = (parts) => (parts.length < 2 ? parts.join('')
  : tr('{first} and {last}', { first: parts.slice(0, -1).join(', '), last: parts.at(-1) }));
const or = (parts) => (parts.length < 2 ? parts.join('')
  : tr('{first} or {last}', { first: parts.slice(0, -1).join(', '), last: parts.at(-1) }));

export const TITLE = (task) => tr('Teach: {task}', { task });

export const LINK = {
  open: tr('Connected'),
  lost: tr('Connection lost. Your answers are kept; reconnecting …'),
  refused: tr('No access'),
  wrongKey: tr('This key is not the right one'),
  explain: (reason) => tr('{reason}. Open the address that the gui node printed in its terminal, '
    + 'or paste that address or the key here.', { reason }),
};

export const SENDING = {
  late: (words) => tr('Your answer “{words}” came too late and was not used: the question is no '
    + 'longer asked.', { words }),
  refused: (why) => tr('Your answer was rejected: {why}', { why }),
  slower: (theirs, yours) => tr('Someone else answered first: “{theirs}”. Your answer “{yours}” '
    + 'was not used.', { theirs, yours }),
  said: (words) => tr('You said: {words}', { words }),
  stopping: tr('Stopping …'),
  stopped: tr('Stopped.'),
  stoppedHere: tr('Stopped. Press Start to go on from here.'),
  notStopped: (why) => tr('The robot could not be told to stop! Use the emergency stop on the '
    + 'robot. STOP is sent again as soon as there is a connection. ({why})', { why }),
  noReply: tr('there was no reply yet'),
  lost: tr('the connection was lost'),
  noConnection: tr('there is no connection'),
  silent: tr('there was no reply'),
};

export const ASKING = {
  wait: tr('One moment …'),
  badTask: tr('There is no task to teach.'),
  noTask: tr('I am waiting for the task: is the mdp node running?'),
  noLearner: tr('I am waiting for the learner.'),
  thinking: tr('I am thinking about your answer.'),
  kept: tr('Your answer is kept here until the connection is back.'),
  paused: tr('Paused.'),
  mayResume: tr('Nothing is lost. Resume whenever you like.'),
  failed: tr('I cannot continue.'),
  stuck: tr('I have no question left, and I do not know what you mean.'),
  know: (task) => (task ? tr('Got it: {task}.', { task }) : tr('Got it.')),
  begins: (task) => (task ? tr('I do what I know so far: {task}.', { task })
    : tr('I do what I know so far.')),
  asksOnTheWay: tr('Where I am not sure, I stop and ask you.'),
  mayGo: tr('Preview the route, or press Start.'),
  thanks: tr('Thank you. I have no further questions.'),
  driving: tr('You are driving.'),
  drivingHint: tr('Arrow keys drive the robot; they do not answer.'),
  pathing: tr('Draw a route.'),
  showing: { go: tr('Where should I go?'), never: tr('Where must I never go?'),
    way: tr('What is on the way?') },
  editing: (said) => tr('You said: “{said}”. What instead?', { said }),
  region: (name) => tr('What about the {name}?', { name }),
  anything: tr('What do you want to say?'),
  step: tr('Not through here?'),
  arrived: tr('I have arrived. Was that right?'),
};

export const DONE_HINTS = {
  driving: tr('I am on my way. Stop me at any time, or take over and show me a better way.'),
  goal: tr('I have arrived.'),
  manual: tr('You are driving.'),
  unsure: tr('I am not sure what to do here. Press "Ask me more", or drive me on.'),
};

export const SENTENCES = {
  action: (question, action, world, isThere) => (!world.cells ? tr('What should I do here?')
    : isThere ? tr('Which way should I go from here?')
      : tr('If I were at the ?, which way should I go?')),
  yes_no: (question, action) => (question.stays
    ? tr('Should I stay here?') : tr('Should I go {action} here?', { action })),
  reward: (question, action) => (action === undefined ? tr('How good is it to be here?')
    : tr('How good is it to go {action} here?', { action })),
  demonstration: ({ steps }) => trCount(steps, 'Show me {count} step from here.',
    'Show me {count} steps from here.'),
  confirm: (question, action, world, isThere, isElsewhere) => (isElsewhere
    ? tr('If I were at the ?, I would go this way. Is it what you mean?')
    : tr('This is what I would do. Is it what you mean?')),
  place: () => tr('Where should I go?'),
  task: (question, action, world) => (world.lanes.length ? tr('How should I drive?')
    : tr('What should I do?')),
  compare: () => tr('Which way is better?'),
};
export const MAY_I = (name) => tr('May I drive over the {name}?', { name });
export const EITHER_OR = (one, other) => tr('{one} or {other}?', { one, other });

export const HINTS = {
  action: () => '',
  yes_no: () => '',
  reward: () => tr('The better it is, the higher the number.'),
  demonstration: ({ cells, lanes }) => (cells
    ? tr('Press the arrows in the order in which you would move.')
    : lanes.length ? tr('Press the lanes in the order in which you would drive there.') : ''),
  confirm: ({ cells }) => (cells
    ? tr('The way begins at the ?. Where it is wrong, press that step.')
    : tr('Look at it step by step; stop where it is wrong.')),
  place: (world, { options }) => (!options ? tr('Press the place on the map.')
    : world.cells ? tr('Press one, here or on the map.') : tr('Press one.')),
  task: (world) => (world.cells ? tr('Press a place on the map, or choose here.')
    : tr('Choose one.')),
  compare: (world) => (world.cells ? tr('Both are drawn on the map.') : ''),
};

/** Where a place is, in words. */
export const WHERE = {
  on: (regions) => tr('On the {regions}', { regions: and(regions) }),
  at: (place) => tr('At the {place}', { place }),
  near: (place) => tr('near the {place}', { place }),
  from: (steps, place) => tr('{steps} of the {place}', { steps: and(steps), place }),
  cells: {
    up: (count) => trCount(count, '{count} cell north', '{count} cells north'),
    down: (count) => trCount(count, '{count} cell south', '{count} cells south'),
    left: (count) => trCount(count, '{count} cell west', '{count} cells west'),
    right: (count) => trCount(count, '{count} cell east', '{count} cells east'),
  },
  join: (parts) => `${parts.join(', ')}.`,
  directions: { up: tr('north'), down: tr('south'), left: tr('west'), right: tr('east') },
  free: tr('free'),
  wall: tr('wall'),
  around: (parts) => tr('Around it: {parts}.', { parts: parts.join('; ') }),
  side: (direction, what) => `${direction}: ${what}`,
  distance: (place, steps) => tr('the {place} is {steps}', { place, steps: and(steps) }),
};

export const ANSWERS = {
  withKey: (action, key) => tr('{action} (key {key})', { action, key }),
  orNumber: tr('or a number'),
  answer: tr('Answer'),
  noNumber: (typed) => tr('“{typed}” is not a number: type one such as 0.5.', { typed }),
  either: tr('Several are fine'),
  eitherSend: (actions) => (actions.length < 2 ? tr('Choose two or more')
    : tr('{actions}: all fine', { actions: or(actions) })),
  eitherWords: (actions) => or(actions),
  else: tr('Something else …'),
  mayI: { free: tr('Yes'), 'rather not': tr('Rather not'), never: tr('Never') },
  all: tr('All tasks'),
  fewer: tr('Fewer'),
};

export const STEPS = {
  none: (wanted) => trCount(wanted, 'Show {count} step.',
    'Show {count} steps, one after another.'),
  given: (names, wanted) => tr('{given} of {wanted}: {names}', {
    given: names.length, wanted, names: names.join(', ') }),
  send: tr('Answer with these steps'),
  back: tr('Remove the last step'),
  words: tr('demonstration'),
};

export const CLOSING = {
  almost: tr('Almost? Press the step that is wrong.'),
  there: (place, action) => tr('{place} I would go {action}.', { place, action }),
  before: tr('Step before'),
  next: tr('Next step'),
  send: tr('Not through here'),
  words: tr('almost: not through here'),
};

/** The name of a state; those of a large world have none. */
export const stateName = (world, state) => world.names[state] ?? tr('state {state}', { state });

export const MAP = {
  start: tr('start'),
  size: (name, columns, rows) => tr('{name}: a map of {columns} by {rows} cells', {
    name, columns, rows }),
  regions: (names) => tr('with {names}', { names: and(names) }),
  asked: (place) => tr('the question is about the place {place}', { place }),
  robot: (place) => tr('the robot is here: {place}', { place }),
  pin: (number, said) => tr('Answer {number}: {said}. Change it', { number, said }),
};

export const LIST = {
  ways: [tr('The first way'), tr('The second way')],
  columns: [tr('State'), tr('What I would do'), tr('How good I think it is')],
  would: (actions, sure) => tr('{actions} ({sure} % sure)', { actions: or(actions), sure }),
};

export const ROAD = {
  own: tr('me'),
  ahead: (lane, ahead) => (ahead ? tr('{lane}, {ahead} ahead', { lane, ahead })
    : tr('{lane}, beside me', { lane })),
  scene: (lane, cars) => tr('My car is here: {lane}; other cars: {cars}', {
    lane, cars: cars.join('; ') }),
};

export const BELIEF = {
  goTo: tr('Go to'),
  somewhere: tr('where?'),
  or: tr('or'),
  never: tr('never over'),
  rather: tr('rather not over'),
  openNever: tr('Or never over'),
  open: (name, share) => tr('{name}, {share} likely: press if you mean it', { name, share }),
  known: (name) => tr('{name}, known', { name }),
  neverThis: (name) => tr('Never over the {name}', { name }),
  drop: (name) => tr('I do not mind the {name}', { name }),
  more: tr('Say more about places and regions'),
  nothing: tr('I do not know yet.'),
  nothingFits: tr('None of the tasks I know.'),
  ruledOut: (out, all) => (out ? trCount(all, '{out} of {count} task ruled out.',
    '{out} of {count} tasks ruled out.', { out })
    : trCount(all, '{count} task is possible.', '{count} tasks are possible.')),
  equal: (number) => trCount(number, '{count} task is equally likely.',
    '{count} tasks are equally likely.'),
  sureEnough: (claim) => `${tr('No more questions.')} ${claim}`.trimEnd(),
  none: tr('none of these'),
  mean: (name) => tr('I mean: {name}', { name }),
  reliability: (wrong) => (wrong < 0.05 ? tr('Your answers seem to be sure.')
    : tr('You seem to be sure about {sure} of {ten} answers.', {
      sure: Math.round(10 * (1 - wrong)), ten: 10 })),
  chooseOne: tr('Choose one:'),
  peek: (name, out, all) => tr('{name} · {out} of {all} ruled out', { name, out, all }),
};

export const REGION = {
  go: tr('Go there'),
  manners: { never: tr('Never drive over it'), 'rather not': tr('Rather not'),
    free: tr('I do not mind') },
  words: { never: (name) => tr('never over the {name}', { name }),
    'rather not': (name) => tr('rather not over the {name}', { name }),
    free: (name) => tr('the {name} is fine', { name }) },
  goTo: (name) => tr('go to {name}', { name }),
  name: tr('Give it a name …'),
  called: tr('Call it'),
  save: tr('Save'),
  named: (name) => tr('This place is called {name} now.', { name }),
  forgotten: tr('This place has no name any more.'),
  isThePlace: (name) => tr('that is the place: {name}', { name }),
  way: tr('It is on the way'),
  wayWords: (name) => tr('on the way: the {name}', { name }),
};

export const MISFIT = {
  wayOn: tr('I will not move. If an answer is wrong, change it; if all are right, your task is '
    + 'not on my list: use “Go here” and press the place.'),
  mark: tr('does not fit'),
  thinking: tr('Thinking of other tasks …'),
  invented: tr('I know more tasks now. All your answers count for them, too.'),
};

export const PLACE = {
  first: { go: tr('Press the place on the map.'),
    never: tr('Press or drag over the cells that I must never enter.'),
    way: tr('Press or drag over what I should pass.') },
  marked: (words) => tr('Marked: {words}. Press more cells to make it larger.', { words }),
  size: (columns, rows) => tr('{columns} × {rows} cells', { columns, rows }),
  send: { go: tr('Go here'), never: tr('Never here'), way: tr('This is on the way') },
  whole: (name) => tr('The whole {name}', { name }),
};

export const WORDS = {
  thinking: tr('One moment …'),
  nothing: tr('Type what you mean first.'),
  thanks: tr('Thank you.'),
  listening: tr('I am listening …'),
  notHeard: tr('I did not hear anything.'),
};

export const WHY = {
  decides: tr('Your answer decides between these:'),
  likeliest: tr('The most likely tasks so far:'),
  route: (isRight) => (isRight ? tr('yes') : tr('no')),
  says: (answer) => tr('would be: {answer}', { answer }),
  worth: (reward) => tr('would be worth {reward}', { reward }),
  anything: tr('would accept any action here'),
  choose: `${tr('would choose')} `,
  or: ` ${tr('or')} `,
};

export const DOING = {
  waits: tr('Ready.'),
  halted: tr('You have stopped the robot. Start lets it go on from here; Drive moves it by hand.'),
  puzzled: tr('The robot stands still until it knows what you mean.'),
  stopped: tr('The robot has stopped.'),
  driving: tr('The robot is doing its task.'),
  goal: tr('Done: the robot is at its goal.'),
  unsure: tr('The robot has stopped to ask you something.'),
  staying: tr('The robot stays here, as it has learned.'),
  lost: tr('The robot does not know where it is.'),
  manual: tr('You are driving.'),
};

export const ROBOT = {
  why: (reason) => tr('Reason: {reason}.', { reason }),
  noPlaces: tr('This task has no places for a robot to drive to.'),
  noController: tr('There is a robot, but no controller to drive it.'),
  none: tr('There is no robot in this lesson.'),
  go: tr('Go!'),
  start: tr('Start'),
  startNow: tr('Start now, ask on the way'),
  askMore: tr('Ask me more'),
  enough: tr('Good enough'),
  pause: tr('Pause'),
  resume: tr('Resume'),
  right: tr('Thank you. I know how to do that now.'),
  wrong: tr('Then let us look for what I got wrong.'),
};

export const DRIVING = {
  to: (action) => tr('drive {action}', { action }),
  correct: tr('The robot is doing its task: take over, and it learns from what you do instead.'),
  recording: (steps) => trCount(steps, 'Recording: {count} step.', 'Recording: {count} steps.'),
  mayRecord: tr('Each press drives one cell. Record it, and the robot learns from how you '
    + 'drive.'),
  queued: (presses) => ` ${trCount(presses, '{count} press to go.', '{count} presses to go.')}`,
  discarded: tr('Discarded.'),
  thanks: (steps) => trCount(steps, 'Thank you: {count} step.', 'Thank you: {count} steps.'),
};

const overWords = (over) => (over.length
  ? tr(', over the {regions}', { regions: and(over) }) : '');

export const PATH = {
  first: tr('Press places on the map, one after another, or draw with your finger.'),
  next: tr('Now press where the route continues.'),
  steps: (steps, filled, over) => (filled
    ? trCount(steps, '{count} step, {filled} of them filled in by me{over}. Is every step as you '
      + 'want it?', '{count} steps, {filled} of them filled in by me{over}. Is every step as you '
      + 'want it?', { filled, over: overWords(over) })
    : trCount(steps, '{count} step{over}. Is every step as you want it?',
      '{count} steps{over}. Is every step as you want it?', { over: overWords(over) })),
  thanks: (steps) => trCount(steps, 'Thank you: a route of {count} step.',
    'Thank you: a route of {count} steps.'),
};

export const REHEARSAL = {
  steps: ({ actions, end, warning }) => `${end
    ? trCount(actions.length, '{count} step, then: {end}.', '{count} steps, then: {end}.', { end })
    : trCount(actions.length, '{count} step.', '{count} steps.')} ${warning ?? ''}`.trimEnd(),
  never: tr('Never here'),
  route: tr('Show a better way'),
  fine: tr('It is fine'),
  end: tr('That is the place'),
  words: (place) => tr('never here: {place}', { place }),
};

export const ZONES = {
  marked: tr('You marked:'),
  words: {
    never_here: (place) => tr('never: {place}', { place }),
    go_here: (place) => tr('go: {place}', { place }),
    on_the_way: (place) => tr('on the way: {place}', { place }),
  },
  cells: (count) => trCount(count, '{count} cell', '{count} cells'),
  drop: (words) => tr('Remove: {words}', { words }),
};

export const HISTORY = {
  waiting: (answers) => tr('{answers} not confirmed yet; kept in this browser.', { answers }),
  saved: tr('All saved. You can close this page and continue later.'),
  empty: tr('Every answer is saved immediately.'),
  stopsIfClosed: tr('All saved. If you close this page, the robot stops.'),
  drivesOnIfClosed: tr('All saved. If you close this page, the robot drives on.'),
  corrected: tr('You corrected me.'),
  shown: tr('You showed me.'),
  unasked: {
    go_here: tr('You pointed at a place.'),
    on_the_way: tr('You pointed at a place.'),
    never_here: tr('You pointed at a place.'),
    words: tr('You said in your own words.'),
  },
  change: tr('Change'),
  changeThis: (number) => tr('Change answer {number}', { number }),
  anotherNumber: tr('Another number'),
  useNumber: tr('Use this number'),
  leaveOut: tr('Do not use it'),
  leftOut: tr('not used'),
  changed: (said) => tr('Changed to “{said}”.', { said }),
  changeUndone: tr('The change is undone.'),
  undone: (said) => (said ? tr('Answer removed: “{said}”.', { said }) : tr('Answer removed.')),
  undo: (said) => tr('Undo: remove “{said}”', { said }),
  undoChange: tr('Undo the change'),
  undoNothing: tr('Undo'),
  reset: tr('A new lesson has begun.'),
};

export const KEY_TEXTS = {
  arrows: [tr('arrows'), tr('go that way')],
  u: tr('undo'),
  e: tr('start now, or good enough'),
  p: tr('pause, or resume'),
  g: tr('start the robot'),
  r: tr('preview what I would do'),
  m: tr('drive the robot'),
  t: tr('record, or use the recording'),
  h: tr('go here: point at a place'),
  o: tr('let me think of other tasks'),
  zoom: [tr('PgUp, PgDn'), tr('zoom in, zoom out')],
  '/': tr('say it in your own words'),
  list: [tr('1 to 9'), tr('choose from a list or a scale')],
  '?': tr('this help'),
  stop: [tr('space, Esc'), tr('stop a moving robot')],
  other: tr('Another key'),
  otherFor: (text) => tr('Another key for: {text}', { text }),
  press: (text) => tr('Press the new key for “{text}”.', { text }),
  taken: (key) => tr('The key “{key}” is used already.', { key }),
  set: (key, text) => tr('“{key}” now means: {text}.', { key, text }),
};

export const TOUR = {
  steps: [
    [tr('I ask, you answer'), tr('The question is at the top. Answer with the buttons below, or '
      + 'press the place on the map. “I don’t know” is an answer, too.')],
    [tr('Or just say it'), tr('Press a place on the map, the name of a task, or use the tools: '
      + 'Go here, Never here, Route. Whatever you say can be undone and changed.')],
    [tr('Start whenever you like'), tr('I drive, and stop to ask where I am not sure. While I '
      + 'move there is a large red STOP; the space bar stops me, too.')]],
  count: (step, steps) => tr('{step} of {steps}', { step, steps }),
  next: tr('Next'),
  begin: tr('Begin'),
};

export const PRACTICE = {
  ask: tr('I am at the ?. Which way?'),
  ruled: (out, all) => tr('{out} of {all} tasks ruled out.', { out, all }),
  got: (task) => tr('Got it: {task}. That is all there is to it.', { task }),
  again: tr('Once more'),
  tasks: [tr('go to the plant'), tr('go to the lamp'), tr('go to the lamp, never over the rug')],
  names: { plant: tr('plant'), lamp: tr('lamp'), rug: tr('rug') },
  around: tr('A practice map: a plant at the left, a lamp at the right, a rug between them.'),
};
