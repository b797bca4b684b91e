// Every sentence that this page says by itself, by panel. The others are in index.html, or come
// from the node.

const count = (number, one, many = `${one}s`) => `${number} ${number === 1 ? one : many}`;

export const TITLE = (task) => `Teach: ${task}`;

export const LINK = {
  open: 'Connected',
  lost: 'Connection lost. Your answers are kept; reconnecting …',
  refused: 'No access',
  explain: (reason) => `${reason}. You can paste the address or the key here.`,
};

export const SENDING = {
  late: (words) => `Your answer “${words}” came too late and was not used: the question is no `
    + 'longer asked.',
  refused: (why) => `Your answer was rejected: ${why}`,
  slower: (theirs, yours) => `Someone else answered first: “${theirs}”. Your answer “${yours}” `
    + 'was not used.',
  stopping: 'Stopping …',
  stopped: 'Stopped.',
  notStopped: (why) => 'The robot could not be told to stop! Use the emergency stop on the robot. '
    + `STOP is sent again as soon as there is a connection. (${why})`,
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
  know: (task) => (task ? `I think you mean: ${task}` : 'I know what you mean.'),
  mayGo: 'Watch what I would do, or press Go.',
  thanks: 'Thank you. I have no further questions.',
};

export const DONE_HINTS = {
  driving: 'I am on my way. Stop me at any time, or take over and show me a better way.',
  goal: 'I have arrived. Was that right? If not, undo or change an answer.',
  manual: 'You are driving.',
};

export const SENTENCES = {
  action: () => 'What should I do here?',
  yes_no: (question, action) => `Is it right to do “${action}” here?`,
  reward: (question, action) => (action === undefined ? 'How good is it to be here?'
    : `How good is “${action}” here?`),
  demonstration: ({ steps }) => `Show me ${count(steps, 'step')} from here.`,
  confirm: () => 'This is what I would do. Is it what you mean?',
  place: () => 'Where should I go?',
  task: () => 'Which of these do you mean?',
  compare: () => 'Which way is better?',
};

export const HINTS = {
  action: (world) => (world.cells ? 'Press the arrow for the right move at the question mark.'
    : 'Choose what you would do.'),
  yes_no: () => 'Answer yes or no.',
  reward: () => 'The better it is, the higher the number.',
  demonstration: () => 'Press the arrows in the order in which you would move.',
  confirm: () => 'The way begins at the question mark. Answer yes or no, or point at the place '
    + 'where it is wrong.',
  place: (world, { options }) => (!options ? 'Click the place on the map.'
    : `Choose a place${world.cells ? ', here or on the map' : ''}.`),
  task: () => 'Choose one.',
  compare: (world, { sentence }) => sentence,
};

export const ANSWERS = {
  withKey: (action, key) => `${action} (key ${key})`,
  orNumber: 'or a number',
  answer: 'Answer',
  noNumber: (typed) => `“${typed}” is not a number: type one such as 0.5.`,
  notOffered: (place) => `${place} is not one of these places. If you mean it, say so under `
    + '“Point at a place”.',
};

export const STEPS = {
  none: (wanted) => `Show ${count(wanted, 'step')}, one after another.`,
  given: (names, wanted) => `${names.length} of ${wanted}: ${names.join(', ')}`,
  send: 'Answer with these steps',
  back: 'Remove the last step',
  words: 'demonstration',
};

export const CLOSING = {
  almost: 'Almost? Point at the place on the way where it is wrong.',
  there: (place, action) => `At ${place} I would do “${action}”.`,
  before: 'Place before',
  next: 'Next place',
  send: 'It is wrong there',
  words: 'almost: wrong there',
};

export const LEGEND = {
  policy: 'what I would do (short and faint: unsure)',
  goal: '★ where I think the goal is',
  reward: '+ better, − worse than most places, I think',
  robot: '◉ the robot',
  road: '▲ where I would go; “me”: my car',
};

/** The name of a state; those of a large world have none. */
export const stateName = (world, state) => world.names[state] ?? `state ${state}`;

export const MAP = {
  start: 'start',
  size: (name, columns, rows) => `${name}: ${columns} by ${rows} cells`,
  asked: (place) => `the question is about ${place}`,
  robot: (place) => `the robot is at ${place}`,
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

export const PROGRESS = {
  nothing: 'I do not know yet.',
  nothingFits: 'None of the tasks I know.',
  sureEnough: (sure, claim) => `${sure} sure. No more questions. ${claim}`.trimEnd(),
  sure: (sure, left) => `${sure} sure. ${left}`.trimEnd(),
  none: 'none of these',
  reliability: (wrong) => (wrong < 0.05 ? 'Your answers seem to be sure.'
    : `You seem to be sure about ${Math.round(10 * (1 - wrong))} of 10 answers.`),
  askMore: 'Ask me more',
  enough: 'Good enough',
  enoughGo: 'Good enough, go',
  pause: 'Pause',
  resume: 'Resume',
};

export const MISFIT = {
  wayOn: 'I will not move. If one of them is wrong, change it under “What you told me”; if all '
    + 'are right, your task is not on my list: point at the place.',
  mark: 'does not fit',
  thinking: 'Thinking of other tasks …',
  invented: 'I know more tasks now. All your answers count for them, too.',
};

export const PLACE = {
  why: 'At any time you can tell me where to go, what lies on the way, or where I must never go. '
    + 'It may be a place that no task of mine is about.',
  first: 'Click a cell on the map, or type its column and row.',
  more: 'Click further cells to make the place larger, or press “Say it”.',
  thanks: 'Thank you.',
};

export const WORDS = {
  thinking: 'One moment …',
  nothing: 'Type what you mean first.',
  thanks: 'Thank you.',
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
  waits: 'The robot is ready: press Go to start it.',
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
  none: 'There is no robot in this lesson. You can still teach, and watch what it would do.',
  go: 'Go!',
};

export const DRIVING = {
  to: (action) => `drive ${action}`,
  correct: 'The robot is doing its task: take over, and it learns from what you do instead.',
  recording: (steps) => `Recording: ${count(steps, 'step')}.`,
  mayRecord: 'Each press drives one cell. Record it, and the robot learns from how you drive, '
    + 'with these arrows or any joystick.',
  discarded: 'Discarded.',
  thanks: (steps) => `Thank you: ${count(steps, 'step')}.`,
};

export const PATH = {
  first: 'Click places on the map, one after another, to draw a path.',
  next: 'Now click where the path continues.',
  steps: (steps) => `${count(steps, 'step')}. Click further places, or teach this path.`,
  words: 'a path',
  thanks: (steps) => `Thank you: a path of ${count(steps, 'step')}.`,
};

export const REHEARSAL = {
  steps: ({ actions, end, warning }) => `${count(actions.length, 'step')}${
    end ? `, then: ${end}` : ''}.${warning ? ` ${warning}` : ''}`,
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
  cancel: 'Cancel',
  cancelThis: (number) => `Cancel the change to answer ${number}`,
  another: 'Another answer',
  anotherNumber: 'Another number',
  useNumber: 'Use this number',
  leaveOut: 'Do not use it',
  changed: 'Changed.',
  undone: 'Answer removed.',
  reset: 'A new lesson has begun.',
};

export const KEY_TEXTS = {
  arrows: ['arrows', 'go that way'],
  u: 'undo',
  e: 'good enough',
  p: 'pause, or resume',
  g: 'start the robot',
  r: 'show what you would do',
  m: 'drive the robot',
  t: 'record, or use the recording',
  h: 'point at a place on the map',
  o: 'let me think of other tasks',
  '/': 'say it in your own words',
  list: ['1 to 9', 'choose from a list or a scale'],
  '?': 'this help',
  stop: ['space, Esc', 'stop a moving robot'],
};
