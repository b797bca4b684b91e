// The question, or what happens instead of one.

import { byId, capital, say } from '../dom.js';
import { watch } from '../store.js';
import { ASKING, DONE_HINTS, HINTS, MISFIT, SENTENCES } from '../texts.js';

watch(['world', 'question', 'asked', 'belief', 'robot', 'waiting', 'connected'], render);

function render(state) {
  const { asked, belief } = state;
  byId('lesson').dataset.question = asked?.id ?? '';
  byId('lesson').dataset.kind = asked?.kind ?? '';
  const [sentence, hint] = asked ? questionWords(state) : otherWords(state);
  say(byId('sentence'), sentence);
  say(byId('hint'), hint);
  byId('misfit').hidden = !belief?.misfit;
  say(byId('misfit'), belief?.misfit ? `${belief.misfit} ${MISFIT.wayOn}` : '');
}

function questionWords({ world, asked }) {
  const hint = HINTS[asked.kind](world);
  // Where the place is marked in a picture, "here" says it all.
  return world.cells || world.lanes.length
    ? [SENTENCES[asked.kind](asked, world.actions[asked.action]?.name),
      `${place(world, asked)}. ${hint}`] : [asked.sentence, hint];
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
