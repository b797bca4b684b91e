// The question, or what happens instead of one.

import { byId, onPress, say, upper } from '../dom.js';
import { around, where } from '../picture/words.js';
import { watch } from '../store.js';
import { ask } from '../teacher.js';
import {
  ASKING, DONE_HINTS, EITHER_OR, HINTS, MAY_I, MISFIT, PLACE, SENTENCES,
} from '../texts.js';
import { tell } from '../toast.js';
import { openManner } from './manner.js';

const WHOLE = ['task', 'place', 'compare'];      // questions that are not about one place
const RIVAL = 0.3;          // two places of which each is as likely are asked for by name
const TOGETHER = 0.8;
const LIKELY = 0.5;         // what it does is named only if it is likelier than not

onPress('invent', invent);
watch(['no_task', 'world', 'question', 'asked', 'belief', 'robot', 'waiting', 'connected', 'face',
  'editing', 'group', 'region', 'shown'], render);

/** Have the robot think of tasks that nobody listed, where that is offered. */
export function invent() {
  if (byId('invent-row').hidden) return;
  tell(MISFIT.thinking);
  ask('invent', {}, MISFIT.invented);
}

function render(state) {
  const { asked, belief, world } = state;
  byId('lesson').dataset.question = asked?.id ?? '';
  byId('lesson').dataset.kind = asked?.kind ?? '';
  const [sentence, hint] = toolWords(state)
    ?? (asked ? questionWords(state) : otherWords(state));
  say(byId('sentence'), sentence);
  say(byId('hint'), hint);
  const isPlace = state.face === 'question' && asked && !WHOLE.includes(asked.kind);
  say(byId('around'), isPlace ? around(world, asked.state)
    : asked?.kind === 'compare' ? asked.sentence : '');
  byId('misfit').hidden = !belief?.misfit;
  say(byId('misfit'), belief?.misfit ? `${belief.misfit} ${MISFIT.wayOn}` : '');
  byId('invent-row').hidden = !belief?.can_invent;
}

/** What a tool in the hand, or something that was pressed, says instead of the question. */
function toolWords({ face, editing, region, robot, shown, world }) {
  switch (face) {
    case 'consent': return [robot.forbidden.question, ''];
    case 'driving': return [ASKING.driving, ASKING.drivingHint];
    case 'pathing': return [ASKING.pathing, ''];
    case 'showing': return [ASKING.showing[shown.manner],
      shown.cells ? '' : PLACE.first[shown.manner]];
    case 'editing': return [ASKING.editing(editing.said), world.cells && editing.question
      && !WHOLE.includes(editing.question.kind) ? where(world, editing.question.state)
      : editing.question?.sentence ?? ''];
    case 'region': return [region.name ? ASKING.region(region.name) : region.states.length
      ? where(world, region.states[0]) : ASKING.anything, ''];
    case 'step': return [ASKING.step, ''];
    case 'arrived': return [ASKING.arrived, ''];
    default: return null;
  }
}

function questionWords(now) {
  const { world, asked, belief, robot } = now;
  const open = openManner(now);
  if (open) return [MAY_I(open.name), ''];
  const hint = HINTS[asked.kind](world, asked);
  const sentence = rivals(asked, belief)
    ?? SENTENCES[asked.kind](asked, world.actions[asked.action]?.name, world,
      robot?.pose && robot.state === asked.state && robot.status === 'unsure',
      world.cells && robot?.pose && robot.state !== asked.state);
  if (WHOLE.includes(asked.kind)) return [sentence, hint || asked.sentence];
  if (asked.scene) return [sentence, `${asked.where} ${hint}`.trimEnd()];
  if (!world.cells) return [asked.sentence, hint];
  const goals = (belief?.facets?.places ?? []).map(({ name }) => name);
  return [sentence, `${where(world, asked.state, goals)} ${hint}`.trimEnd()];
}

/** "Desk or bed?" where these two are what it is about. */
function rivals({ kind }, belief) {
  if (!['task', 'place'].includes(kind)) return null;
  const likely = (belief?.facets?.places ?? []).filter(({ probability }) => probability >= RIVAL);
  const share = likely.reduce((sum, { probability }) => sum + probability, 0);
  return likely.length === 2 && share >= TOGETHER
    ? EITHER_OR(upper(likely[0].name), likely[1].name) : null;
}

function otherWords(now) {
  const { world, question, belief, robot, waiting, connected, canGo, no_task: noTask } = now;
  if (!world && noTask) return [noTask.failed ? ASKING.badTask : ASKING.wait, noTask.why];
  if (!world) return [ASKING.wait, connected ? ASKING.noTask : ''];
  const answered = question && waiting.some(({ id }) => id === question.id);
  if (!belief || (belief.status === 'asking' && !answered && !robot?.learner)) {
    return [ASKING.wait, ASKING.noLearner];
  }
  switch (belief.status) {
    case 'done':
      if (belief.settled && canGo) {
        return [ASKING.begins(belief.certainty >= LIKELY ? belief.likely[0]?.name : ''),
          DONE_HINTS[robot.status] ?? ASKING.asksOnTheWay];
      }
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
