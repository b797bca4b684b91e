// Every sentence that this page says by itself, by panel; the words of index.html are in
// labels.js. What a task or the learner says comes from the node.

const count = (number, one, many = `${one}s`) => `${number} ${number === 1 ? one : many}`;
const listed = (parts, last) => (parts.length < 2 ? parts.join('')
  : `${parts.slice(0, -1).join(', ')} ${last} ${parts.at(-1)}`);

export const TITLE = (task) => `Teach: ${task}`;

export const LINK = {
  open: 'Connected',
  lost: 'Connection lost. Your answers are kept; reconnecting …',
  refused: 'No access',
  wrongKey: 'This key is not the right one',
  explain: (reason) => `${reason}. Open the address that the gui node printed in its terminal, or `
    + 'paste that address or the key here.',
};

export const SENDING = {
  late: (words) => `Your answer “${words}” came too late and was not used: the question is no `
    + 'longer asked.',
  refused: (why) => `Your answer was rejected: ${why}`,
  slower: (theirs, yours) => `Someone else answered first: “${theirs}”. Your answer “${yours}” `
    + 'was not used.',
  said: (words) => `You said: ${words}`,
  stopping: 'Stopping …',
  stopped: 'Stopped.',
  notStopped: (why) => 'The robot could not be told to stop! Use the emergency stop on the robot. '
    + `STOP is sent again as soon as there is a connection. (${why})`,
  noReply: 'there was no reply yet',
};

export const ASKING = {
  wait: 'One moment …',
  noTask: 'I am waiting for the task: is the mdp node running?',
  noLearner: 'I am waiting for the learner.',
  thinking: 'I am thinking about your answer.',
  kept: 'Your answer is kept here until the connection is back.',
  paused: 'Paused.',
  mayResume: 'Nothing is lost. Resume whenever you like.',
  failed: 'I cannot continue.',
  stuck: 'I have no question left, and I do not know what you mean.',
  know: (task) => (task ? `Got it: ${task}.` : 'Got it.'),
  begins: (task) => (task ? `I do what I know so far: ${task}.` : 'I do what I know so far.'),
  asksOnTheWay: 'Where I am not sure, I stop and ask you.',
  mayGo: 'Preview the route, or press Start.',
  thanks: 'Thank you. I have no further questions.',
  driving: 'You are driving.',
  drivingHint: 'Arrow keys drive the robot; they do not answer.',
  pathing: 'Draw a route.',
  showing: { go: 'Where should I go?', never: 'Where must I never go?',
    way: 'What is on the way?' },
  editing: (said) => `You said: “${said}”. What instead?`,
  region: (name) => `What about the ${name}?`,
  anything: 'What do you want to say?',
  step: 'Not through here?',
  arrived: 'I have arrived. Was that right?',
};

export const DONE_HINTS = {
  driving: 'I am on my way. Stop me at any time, or take over and show me a better way.',
  goal: 'I have arrived.',
  manual: 'You are driving.',
};

export const SENTENCES = {
  action: (question, action, world) => (world.cells ? 'If I were at the ?, which way should I go?'
    : 'What should I do here?'),
  yes_no: (question, action) => (action === 'stay' ? 'Should I stay here?'
    : `Should I go ${action} here?`),
  reward: (question, action) => (action === undefined ? 'How good is it to be here?'
    : `How good is it to go ${action} here?`),
  demonstration: ({ steps }) => `Show me ${count(steps, 'step')} from here.`,
  confirm: () => 'This is what I would do. Is it what you mean?',
  place: () => 'Where should I go?',
  task: (question, action, world) => (world.lanes.length ? 'How should I drive?'
    : 'What should I do?'),
  compare: () => 'Which way is better?',
};
export const EITHER_OR = (one, other) => `${one} or ${other}?`;

export const HINTS = {
  action: () => '',
  yes_no: () => '',
  reward: () => 'The better it is, the higher the number.',
  demonstration: ({ cells, lanes }) => (cells
    ? 'Press the arrows in the order in which you would move.'
    : lanes.length ? 'Press the lanes in the order in which you would drive there.' : ''),
  confirm: ({ cells }) => (cells ? 'The way begins at the ?. Where it is wrong, press that step.'
    : 'Look at it step by step; stop where it is wrong.'),
  place: (world, { options }) => (!options ? 'Press the place on the map.'
    : `Press one${world.cells ? ', here or on the map' : ''}.`),
  task: (world) => (world.cells ? 'Press a place on the map, or choose here.' : 'Choose one.'),
  compare: (world) => (world.cells ? 'Both are drawn on the map.' : ''),
};

/** Where a place is, in words. */
export const WHERE = {
  on: (regions) => `On the ${listed(regions, 'and')}`,
  at: (place) => `At the ${place}`,
  near: (place) => `near the ${place}`,
  from: (steps, place) => `${listed(steps, 'and')} of the ${place}`,
  cells: (number, direction) => `${count(number, 'cell')} ${direction}`,
  join: (parts) => `${parts.join(', ')}.`,
  directions: { up: 'north', down: 'south', left: 'west', right: 'east' },
  free: 'free',
  wall: 'wall',
  around: (parts) => `Around it: ${parts.join('; ')}.`,
  side: (direction, what) => `${direction}: ${what}`,
  distance: (place, steps) => `the ${place} is ${listed(steps, 'and')}`,
};

export const ANSWERS = {
  withKey: (action, key) => `${action} (key ${key})`,
  orNumber: 'or a number',
  answer: 'Answer',
  noNumber: (typed) => `“${typed}” is not a number: type one such as 0.5.`,
  either: 'Several are fine',
  eitherSend: (actions) => (actions.length < 2 ? 'Choose two or more'
    : `${listed(actions, 'or')}: all fine`),
  eitherWords: (actions) => listed(actions, 'or'),
  else: 'Something else …',
  all: (number) => `All ${number} tasks`,
  fewer: 'Fewer',
};

export const STEPS = {
  none: (wanted) => `Show ${count(wanted, 'step')}, one after another.`,
  given: (names, wanted) => `${names.length} of ${wanted}: ${names.join(', ')}`,
  send: 'Answer with these steps',
  back: 'Remove the last step',
  words: 'demonstration',
};

export const CLOSING = {
  almost: 'Almost? Press the step that is wrong.',
  there: (place, action) => `${place} I would go ${action}.`,
  before: 'Step before',
  next: 'Next step',
  send: 'Not through here',
  words: 'almost: not through here',
};

/** The name of a state; those of a large world have none. */
export const stateName = (world, state) => world.names[state] ?? `state ${state}`;

export const MAP = {
  start: 'start',
  size: (name, columns, rows) => `${name}: a map of ${columns} by ${rows} cells`,
  regions: (names) => `with ${listed(names, 'and')}`,
  asked: (place) => `the question is about the place ${place}`,
  robot: (place) => `the robot is ${place}`,
  pin: (number, said) => `Answer ${number}: ${said}. Change it`,
};

export const LIST = {
  ways: ['The first way', 'The second way'],
  columns: ['State', 'What I would do', 'How good I think it is'],
  would: (actions, sure) => `${actions.join(' or ')} (${sure} % sure)`,
};

export const ROAD = {
  own: 'me',
  ahead: (lane, ahead) => `${lane}, ${ahead ? `${ahead} ahead` : 'beside me'}`,
  scene: (lane, cars) => `My car is in the ${lane}; other cars: ${cars.join('; ')}`,
};

export const BELIEF = {
  goTo: 'Go to',
  somewhere: 'where?',
  or: 'or',
  never: 'never over',
  rather: 'rather not over',
  openNever: 'Or never over',
  open: (name, share) => `${name}, ${share} likely: press if you mean it`,
  known: (name) => `${name}, known`,
  neverThis: (name) => `Never over the ${name}`,
  drop: (name) => `I do not mind the ${name}`,
  more: 'Say more about places and regions',
  nothing: 'I do not know yet.',
  nothingFits: 'None of the tasks I know.',
  ruledOut: (out, all) => (out ? `${out} of ${count(all, 'task')} ruled out.`
    : `${all} tasks are possible.`),
  equal: (number) => `${count(number, 'task')} are equally likely.`,
  sureEnough: (claim) => `No more questions. ${claim}`.trimEnd(),
  none: 'none of these',
  mean: (name) => `I mean: ${name}`,
  reliability: (wrong) => (wrong < 0.05 ? 'Your answers seem to be sure.'
    : `You seem to be sure about ${Math.round(10 * (1 - wrong))} of 10 answers.`),
  chooseOne: 'Choose one:',
  peek: (name, out, all) => `${name} · ${out} of ${all} ruled out`,
};

export const REGION = {
  go: 'Go there',
  manners: { never: 'Never drive over it', 'rather not': 'Rather not', free: 'I do not mind' },
  words: { never: (name) => `never over the ${name}`,
    'rather not': (name) => `rather not over the ${name}`,
    free: (name) => `the ${name} is fine` },
  goTo: (name) => `go to ${name}`,
  name: 'Give it a name …',
  called: 'Call it',
  save: 'Save',
  named: (name) => `This place is called ${name} now.`,
  forgotten: 'This place has no name any more.',
  isThePlace: (name) => `that is the place: ${name}`,
  way: 'It is on the way',
  wayWords: (name) => `on the way: the ${name}`,
};

export const MISFIT = {
  wayOn: 'I will not move. If an answer is wrong, change it; if all are right, your task is not '
    + 'on my list: use “Go here” and press the place.',
  mark: 'does not fit',
  thinking: 'Thinking of other tasks …',
  invented: 'I know more tasks now. All your answers count for them, too.',
};

export const PLACE = {
  first: { go: 'Press the place on the map.',
    never: 'Press or drag over the cells that I must never enter.',
    way: 'Press or drag over what I should pass.' },
  marked: (words) => `Marked: ${words}. Press more cells to make it larger.`,
  size: (columns, rows) => `${columns} × ${rows} cells`,
  send: { go: 'Go here', never: 'Never here', way: 'This is on the way' },
  whole: (name) => `The whole ${name}`,
  thanks: 'Thank you.',
};

export const WORDS = {
  thinking: 'One moment …',
  nothing: 'Type what you mean first.',
  thanks: 'Thank you.',
  listening: 'I am listening …',
  notHeard: 'I did not hear anything.',
};

export const WHY = {
  decides: 'Your answer decides between these:',
  likeliest: 'The most likely tasks so far:',
  route: (isRight) => (isRight ? 'yes' : 'no'),
  says: (answer) => `would be: ${answer}`,
  worth: (reward) => `would be worth ${reward}`,
  anything: 'would accept any action here',
  choose: 'would choose ',
  or: ' or ',
};

export const DOING = {
  waits: 'Ready.',
  puzzled: 'The robot stands still until it knows what you mean.',
  stopped: 'The robot has stopped.',
  driving: 'The robot is doing its task.',
  goal: 'Done: the robot is at its goal.',
  unsure: 'The robot has stopped to ask you something.',
  staying: 'The robot stays here, as it has learned.',
  lost: 'The robot does not know where it is.',
  manual: 'You are driving.',
};

export const ROBOT = {
  why: (reason) => `Reason: ${reason}.`,
  noPlaces: 'This task has no places for a robot to drive to.',
  noController: 'There is a robot, but no controller to drive it.',
  none: 'There is no robot in this lesson.',
  go: 'Go!',
  start: 'Start',
  startNow: 'Start now, ask on the way',
  askMore: 'Ask me more',
  enough: 'Good enough',
  pause: 'Pause',
  resume: 'Resume',
  right: 'Thank you. I know how to do that now.',
  wrong: 'Then let us look for what I got wrong.',
};

export const DRIVING = {
  to: (action) => `drive ${action}`,
  correct: 'The robot is doing its task: take over, and it learns from what you do instead.',
  recording: (steps) => `Recording: ${count(steps, 'step')}.`,
  mayRecord: 'Each press drives one cell. Record it, and the robot learns from how you drive.',
  queued: (presses) => ` ${count(presses, 'press', 'presses')} to go.`,
  discarded: 'Discarded.',
  thanks: (steps) => `Thank you: ${count(steps, 'step')}.`,
};

export const PATH = {
  first: 'Press places on the map, one after another, or draw with your finger.',
  next: 'Now press where the route continues.',
  steps: (steps, filled, over) => `${count(steps, 'step')}${
    filled ? `, ${filled} of them filled in by me` : ''}${
    over.length ? `, over the ${listed(over, 'and')}` : ''}. Is every step as you want it?`,
  thanks: (steps) => `Thank you: a route of ${count(steps, 'step')}.`,
};

export const REHEARSAL = {
  steps: ({ actions, end, warning }) => `${count(actions.length, 'step')}${
    end ? `, then: ${end}` : ''}.${warning ? ` ${warning}` : ''}`,
  never: 'Never here',
  route: 'Show a better way',
  fine: 'It is fine',
  end: 'That is the place',
  words: (place) => `never here: ${place}`,
};

export const HISTORY = {
  waiting: (answers) => `${answers} not confirmed yet; kept in this browser.`,
  saved: 'All saved. You can close this page and continue later.',
  empty: 'Every answer is saved immediately.',
  corrected: 'You corrected me.',
  shown: 'You showed me.',
  unasked: {
    go_here: 'You pointed at a place.',
    on_the_way: 'You pointed at a place.',
    never_here: 'You pointed at a place.',
    words: 'You said in your own words.',
  },
  change: 'Change',
  changeThis: (number) => `Change answer ${number}`,
  anotherNumber: 'Another number',
  useNumber: 'Use this number',
  leaveOut: 'Do not use it',
  changed: (said) => `Changed to “${said}”.`,
  changeUndone: 'The change is undone.',
  undone: (said) => (said ? `Answer removed: “${said}”.` : 'Answer removed.'),
  undo: (said) => `Undo: remove “${said}”`,
  undoChange: 'Undo the change',
  undoNothing: 'Undo',
  reset: 'A new lesson has begun.',
};

export const KEY_TEXTS = {
  arrows: ['arrows', 'go that way'],
  u: 'undo',
  e: 'start now, or good enough',
  p: 'pause, or resume',
  g: 'start the robot',
  r: 'preview what I would do',
  m: 'drive the robot',
  t: 'record, or use the recording',
  h: 'go here: point at a place',
  o: 'let me think of other tasks',
  zoom: ['PgUp, PgDn', 'zoom in, zoom out'],
  '/': 'say it in your own words',
  list: ['1 to 9', 'choose from a list or a scale'],
  '?': 'this help',
  stop: ['space, Esc', 'stop a moving robot'],
  other: 'Another key',
  otherFor: (text) => `Another key for: ${text}`,
  press: (text) => `Press the new key for “${text}”.`,
  taken: (key) => `The key “${key}” is used already.`,
  set: (key, text) => `“${key}” now means: ${text}.`,
};

export const TOUR = {
  steps: [
    ['I ask, you answer', 'I mark a place with ? and ask which way to go there. Press an arrow, '
      + 'or the cell beside it. “Not sure” is an answer, too.'],
    ['Or just say it', 'Press a place on the map, the name of a task, or use the tools: Go here, '
      + 'Never here, Route. Whatever you say can be undone and changed.'],
    ['Start whenever you like', 'I drive, and stop to ask where I am not sure. While I move there '
      + 'is a large red STOP; the space bar stops me, too.']],
  count: (step, steps) => `${step} of ${steps}`,
  next: 'Next',
  begin: 'Begin',
};

export const PRACTICE = {
  ask: 'I am at the ?. Which way?',
  ruled: (out, all) => `${out} of ${all} tasks ruled out.`,
  got: (task) => `Got it: ${task}. That is all there is to it.`,
  again: 'Once more',
  tasks: ['go to the plant', 'go to the lamp', 'go to the lamp, never over the rug'],
  names: { plant: 'plant', lamp: 'lamp', rug: 'rug' },
  around: 'A practice map: a plant at the left, a lamp at the right, a rug between them.',
};
