// Every sentence that this page says by itself, by panel. The others are in index.html, or come
// from the node.

const count = (number, one, many = `${one}s`) => `${number} ${number === 1 ? one : many}`;

export const TITLE = (task) => `Teach: ${task}`;

export const LINK = {
  open: 'Connected',
  lost: 'Connection lost. Nothing you say is lost; I am trying again …',
  refused: 'No access',
  explain: (reason) => `${reason}. You can paste the address or the key here.`,
};

export const SENDING = {
  late: (words) => `Your answer “${words}” came too late: the question was no longer asked. `
    + 'It was not used.',
  refused: (why) => `Your answer was not taken: ${why}`,
  slower: (theirs, yours) => `Somebody else was faster: “${theirs}”. Your answer “${yours}” was `
    + 'not used.',
  stopped: 'Stopped.',
  notStopped: (why) => 'The robot could not be told to stop! Use the switch on the robot. '
    + `(${why})`,
};

export const ASKING = {
  wait: 'One moment …',
  noTask: 'I am waiting for the task: is the mdp node running?',
  noLearner: 'I am waiting for the learner.',
  thinking: 'I am thinking about your answer.',
  kept: 'Your answer is kept here until the connection is back.',
  paused: 'We have a break.',
  mayResume: 'Nothing is lost. Go on whenever you like.',
  failed: 'I cannot go on.',
  know: (task) => (task ? `I think you mean: ${task}` : 'I know what you mean.'),
  mayGo: 'Watch what I would do, or let me go.',
  thanks: 'Thank you. I have no further questions.',
};

export const DONE_HINTS = {
  driving: 'I am doing it. You can stop me at any time, or take over and show me better.',
  goal: 'Here I am. Was that right? If not, undo or change an answer.',
  manual: 'You are driving.',
};

export const SENTENCES = {
  action: () => 'What should I do here?',
  yes_no: (question, action) => `Is it right to do “${action}” here?`,
  reward: (question, action) => (action === undefined ? 'How good is it to be here?'
    : `How good is “${action}” here?`),
  demonstration: ({ steps }) => `Show me ${steps === 1 ? 'one step' : `${steps} steps`} from here.`,
};

export const HINTS = {
  action: (world) => (world.cells ? 'Press the arrow that is right where the question mark is.'
    : 'Press what you would do.'),
  yes_no: () => 'Say yes or no.',
  reward: () => 'The more you like it, the higher.',
  demonstration: () => 'Press the arrows one after another, as you would go.',
};

export const ANSWERS = {
  dontKnow: 'I don’t know',
  allTheSame: 'All the same',
  later: 'Ask me later',
  yes: 'Yes',
  no: 'No',
  withKey: (action, key) => `${action} (key ${key})`,
  orNumber: 'or a number',
  answer: 'Answer',
  noNumber: (typed) => `“${typed}” is no number: type one such as 0.5.`,
};

export const STEPS = {
  none: (wanted) => `Show ${wanted} steps, one after another.`,
  given: (names, wanted) => `${names.length} of ${wanted}: ${names.join(', ')}`,
  send: 'Answer with these steps',
  back: 'One step back',
};

export const LEGEND = {
  policy: 'what I would do; short and faint: not sure',
  goal: '★ where I think the goal is',
  reward: '+ better, − worse than most places, I think',
  robot: '◉ the robot',
  road: '▲ where I would go; I: my car',
};

export const MAP = {
  start: 'start',
  state: (state) => `state ${state}`,
  size: (name, columns, rows) => `${name}: ${columns} by ${rows} cells`,
  asked: (place) => `the question is about ${place}`,
  robot: (place) => `the robot is at ${place}`,
};

export const LIST = {
  columns: ['state', 'I would do', 'how good I think it is'],
  state: (state) => `state ${state}`,
  would: (actions, sure) => `${actions.join(' or ')} (${sure} % sure)`,
};

export const ROAD = {
  own: 'I',
  ahead: (lane, ahead) => `${lane} ${ahead} ahead`,
  scene: (lane, cars) => `Own car in the ${lane}; other cars: ${cars.join(', ')}`,
};

export const PROGRESS = {
  nothing: 'Nothing yet: you have not told me anything.',
  sureEnough: (sure) => `${sure} sure. No more questions.`,
  questions: (left) => (left === null ? 'A few questions.'
    : `About ${count(left, 'more question')}.`),
  sure: (sure, left) => (left === null ? `${sure} sure.`
    : `${sure} sure, about ${count(left, 'more question')}.`),
  askMore: 'Ask me more',
  enough: 'Good enough',
  enoughGo: 'Good enough, go',
  pause: 'Pause',
  resume: 'Go on',
};

export const WHY = {
  decides: 'Your answer tells these apart, each with others like it:',
  likeliest: 'These tasks are the likeliest now:',
  worth: (reward) => `would be worth ${reward}`,
  anything: 'would choose anything here',
  choose: 'would choose ',
  or: ' or ',
};

export const DOING = {
  waits: 'The robot waits until you let it go.',
  stopped: 'The robot stands.',
  driving: 'The robot is doing its task.',
  goal: 'Done: the robot is at its goal.',
  unsure: 'The robot stopped to ask you.',
  staying: 'The robot stays here, as it learned.',
  lost: 'The robot does not know where it is.',
  manual: 'You are driving.',
};

export const ROBOT = {
  why: (reason) => `Why: ${reason}.`,
  noPlaces: 'This task has no places that a robot could drive to.',
  noController: 'There is a robot, but nothing that drives it (no controller).',
  none: 'No robot takes part in this lesson. You can still teach and watch what it would do.',
  go: 'Go!',
};

export const DRIVING = {
  to: (action) => `drive ${action}`,
  correct: 'The robot is doing its task: take over, and it learns from what you do instead.',
  recording: (steps) => `Recording: ${steps} steps.`,
  mayRecord: 'One press, one cell. Record, and the robot learns from what you drive, with these '
    + 'arrows or with any joystick.',
  discarded: 'Thrown away.',
  thanks: (steps) => `Thank you: ${steps} steps.`,
};

export const PATH = {
  first: 'Click the places of a path on the map, one after another.',
  next: 'Now click where it goes on.',
  steps: (steps) => `${steps} steps. Click on, or teach this path.`,
  words: 'a path',
  thanks: (steps) => `Thank you: a path of ${steps} steps.`,
};

export const REHEARSAL = {
  steps: ({ actions, end }) => `${actions.length} steps${end ? `, then: ${end}` : ''}.`,
};

export const HISTORY = {
  waiting: (answers) => `${answers} not confirmed yet; kept in this browser.`,
  saved: 'All saved. You can close this page and go on later.',
  empty: 'Everything you say is saved at once.',
  corrected: 'You corrected me.',
  shown: 'You showed me.',
  change: 'Change',
  keep: 'Keep',
  ofAnswer: (verb, number) => `${verb} answer ${number}`,
  another: 'Another answer',
  anotherNumber: 'Another number',
  useNumber: 'Use this number',
  leaveOut: 'Do not use it',
  changed: 'Changed.',
  undone: 'Taken back.',
  reset: 'A new lesson.',
};

export const KEY_TEXTS = {
  arrows: ['arrows', 'the way they point'],
  y: 'yes',
  n: 'no',
  i: 'I don’t know',
  '=': 'all the same',
  l: 'ask me later',
  u: 'undo',
  e: 'good enough',
  p: 'pause, or go on',
  g: 'let the robot go',
  r: 'show what you would do',
  m: 'drive the robot',
  t: 'record, or use the recording',
  '?': 'this help',
  stop: ['space, Esc', 'stop a robot that moves'],
};
