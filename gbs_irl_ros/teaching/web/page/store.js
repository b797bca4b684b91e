// What is known: the sections that the node sends, what the person has chosen on this page, and
// what follows from both. Panels watch the parts that they show.

export const state = {
  // The sections, see teaching/web/views.py.
  no_task: null, world: null, named: null, question: null, here: null, belief: null, policy: null,
  history: null, robot: null,
  // Of this page.
  link: '', refusal: '',                  // 'open', 'lost' or 'refused', and why
  waiting: [],                            // what the learner has not confirmed yet, see outbox.js
  mode: null,                             // 'driving', 'pathing' or 'showing': a tool in the hand
  steps: { actions: [], course: null },   // of a demonstration that is being given as an answer
  several: null,                          // actions that are all fine, while they are chosen
  group: null,                            // of a list: the place whose tasks are shown, or all
  wrong: null,                            // which place of the route is pointed at, from 0
  path: { places: [], course: null },     // pressed in the mode 'pathing', and the way through
  shown: null,                            // a place that is pointed at, see panels/place.js
  rehearsal: null,                        // a course, and how many of its states are shown
  ahead: null,                            // what is left of the way of a robot that drives
  step: null,                             // the place of the rehearsal that was pressed
  map: null,                              // the drawing, in worlds with cells
  pointed: null,                          // the state of the past answer that is pointed at
  editing: null,                          // the past answer that is being changed
  region: null,                           // the region that was pressed
  arrived: false,                         // the robot has just come to its goal
  halted: false,                          // this page has stopped the robot, and nobody started it
  consent: '',                            // what may be driven over this once, while that is asked
  changed: null,                          // {id, answer}: what a change has replaced
  // What follows from these.
  connected: false, asked: null, canGo: false, waits: false, moves: false, face: 'wait',
};
const watchers = [];
const changed = new Set();
let telling = false;

/** Have `render(state)` called whenever one of the named parts has changed. */
export function watch(names, render) {
  watchers.push([names, render]);
}

/** Change parts of the state. What a render function changes is rendered in a further round. */
export function change(parts) {
  assign(parts);
  assign(derived(state));
  if (telling) return;
  telling = true;
  while (changed.size) {
    const names = new Set(changed);
    changed.clear();
    for (const [wanted, render] of watchers) {
      if (wanted.some((name) => names.has(name))) safely(render);
    }
  }
  telling = false;
}

/** A fault in one panel must not keep others, such as the stop button, from being shown. */
function safely(render) {
  try {
    render(state);
  } catch (fault) {
    reportError(fault);
  }
}

function assign(parts) {
  for (const [name, value] of Object.entries(parts)) {
    if (state[name] !== value) changed.add(name);
    state[name] = value;
  }
}

// Why a robot is stopped that does not drive on by itself.
const NEEDS_GO = new Set([
  'not_allowed', 'other_lesson', 'held', 'stopped_by_others', 'pose_jumped', 'not_moving',
  'wrong_way', 'pose_turned', 'nav2_aborted', 'nav2_cancelled', 'nav2_silent',
  'nav2_stops_short', 'nav2_no_progress']);

function derived(now) {
  const { link, world, question, belief, robot, waiting } = now;
  // One that was sent twice may come when it has been answered and the lesson is over.
  const isOver = belief?.status === 'done' && belief.question !== question?.id;
  const isAsked = world && question && belief?.status !== 'paused' && !isOver
    && !waiting.some(({ id }) => id === question.id)
    && question.session === (belief?.session ?? question.session);
  const waits = robot?.status === 'stopped' && NEEDS_GO.has(robot.reason);
  const asked = isAsked ? question : null;
  // It moves, or will as soon as what it misses is there again: a pose, or an answer.
  const moves = Boolean(robot) && (robot.driving
    || ['driving', 'manual', 'unsure'].includes(robot.status)
    || (robot.status === 'stopped' && !waits));
  return {
    connected: link === 'open',
    asked,                                // the question, while it can be answered
    canGo: Boolean(robot?.controller && world?.cells),
    waits,                                // the robot is stopped until a person lets it go
    moves,
    face: faceOf(now, asked, moves),
  };
}

/** What the card shows: a tool in the hand, something that was pressed, or the question. */
function faceOf(now, asked, moves) {
  const { mode, editing, region, rehearsal, step, arrived, belief, consent, robot } = now;
  if (mode) return mode;
  if (consent && consent === robot?.forbidden?.key) return 'consent';
  if (editing) return 'editing';
  if (region) return 'region';
  if (rehearsal && step !== null) return 'step';
  if (asked) return 'question';
  if (arrived) return 'arrived';
  if (belief?.status === 'done' && !moves) return 'done';
  return rehearsal ? 'rehearsal' : 'wait';
}
