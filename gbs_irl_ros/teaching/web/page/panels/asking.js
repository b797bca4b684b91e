// The question, or what happens instead of one.

import { byId, capital, onPress, say } from '../dom.js';
import { watch } from '../store.js';
import { ask, tell } from '../teacher.js';
import { ASKING, DONE_HINTS, HINTS, MISFIT, SENTENCES } from '../texts.js';

const WHOLE = ['task', 'place', 'compare'];      // questions that are not about one place

onPress('invent', invent);
watch(['world', 'question', 'asked', 'belief', 'robot', 'waiting', 'connected'], render);

/** Have the robot think of tasks that nobody listed, where that is offered. */
export function invent() {
  if (byId('invent-row').hidden) return;
  tell(MISFIT.thinking);
  ask('invent', {}, MISFIT.invented);
}

function render(state) {
  const { asked, belief } = state;
  byId('lesson').dataset.question = asked?.id ?? '';
  byId('lesson').dataset.kind = asked?.kind ?? '';
  const [sentence, hint] = asked ? questionWords(state) : otherWords(state);
  say(byId('sentence'), sentence);
  say(byId('hint'), hint);
  byId('misfit').hidden = !belief?.misfit;
  say(byId('misfit'), belief?.misfit ? `${belief.misfit} ${MISFIT.wayOn}` : '');
  byId('invent-row').hidden = !belief?.can_invent;
}

function questionWords({ world, asked }) {
  const hint = HINTS[asked.kind](world, asked);
  const sentence = SENTENCES[asked.kind](asked, world.actions[asked.action]?.name);
  if (WHOLE.includes(asked.kind)) return [sentence, hint];
  // Where the place is marked in a picture, "here" says it all.
  return world.cells || world.lanes.length ? [sentence, `${place(world, asked)}. ${hint}`]
    : [asked.sentence, hint];
}

function place(world, asked) {
  const inside = world.regions.filter(({ states }) => states.includes(asked.state));
  const text = capital(asked.place).slice(0, -1);
  return inside.length ? `${text}: ${inside.map(({ name }) => name).join(', ')}` : text;
}

function otherWords({ world, question, belief, robot, waiting, connected, canGo }) {
  if (!world) return [ASKING.wait, connected ? ASKING.noTask : ''];
  const answered = question && waiting.some(({ id }) => id === question.id);
  if (!belief || (belief.status === 'asking' && !answered && !robot?.learner)) {
    return [ASKING.wait, ASKING.noLearner];
  }
  switch (belief.status) {
    case 'done':
      return [ASKING.know(belief.likely[0]?.name),
        canGo ? DONE_HINTS[robot.status] ?? ASKING.mayGo : ASKING.thanks];
    case 'paused':
      return [ASKING.paused, ASKING.mayResume];
    case 'failed':
      return [ASKING.failed, belief.text];
    case 'stuck':
      return [ASKING.stuck, ''];
    case 'waiting':
      return [ASKING.wait, belief.text];
    default:
      return [ASKING.wait, connected ? ASKING.thinking : ASKING.kept];
  }
}
