// What is known: the sections that the node sends, what the person has chosen on this page, and
// what follows from both. Panels watch the parts that they show.

export const state = {
  // The sections, see teaching/web/views.py.
  world: null, question: null, here: null, belief: null, policy: null, history: null, robot: null,
  // Of this page.
  link: '', refusal: '',                  // 'open', 'lost' or 'refused', and why
  waiting: [],                            // what the learner has not confirmed yet, see outbox.js
  mode: null,                             // 'driving', 'pathing' or 'showing': what clicks mean
  steps: { actions: [], course: null },   // of a demonstration that is being given as an answer
  wrong: null,                            // which place of the route is pointed at, from 0
  path: { places: [], course: null },     // clicked in the mode 'pathing', and the way through
  shown: null,                            // a place that is pointed at, see panels/place.js
  rehearsal: null,                        // a course, and how many of its states are shown
  pointed: null,                          // the state of the past answer that is pointed at
  // What follows from these.
  connected: false, asked: null, canGo: false, waits: false, moves: false,
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

function derived({ link, world, question, belief, robot, waiting }) {
  const isAsked = world && question && belief?.status !== 'paused'
    && !waiting.some(({ id }) => id === question.id)
    && question.session === (belief?.session ?? question.session);
  const waits = robot?.status === 'stopped' && NEEDS_GO.has(robot.reason);
  return {
    connected: link === 'open',
    asked: isAsked ? question : null,     // the question, while it can be answered
    canGo: Boolean(robot?.controller && world?.cells),
    waits,                                // the robot is stopped until a person lets it go
    // It moves, or will as soon as what it misses for a moment is there again.
    moves: Boolean(robot) && (robot.driving || ['driving', 'manual'].includes(robot.status)
      || (robot.status === 'stopped' && !waits)),
  };
}
