// The way ahead of a robot that drives: people want to see where it will go before it is there.

import { change, state, watch } from '../store.js';
import { ask } from '../teacher.js';

let isAsked = false;

watch(['robot', 'belief', 'world', 'policy'], follow);

/** Show the rest of the route; ask again if the robot has left it or the policy has changed. */
function follow({ robot, policy, world, ahead }) {
  if (robot?.status !== 'driving' || !policy || !world?.cells) {
    if (ahead) change({ ahead: null });
    return;
  }
  const at = ahead?.policy === policy ? ahead.states.indexOf(robot.state) : -1;
  if (at > 0) change({ ahead: { policy, states: ahead.states.slice(at) } });
  else if (at < 0 && robot.state !== null && !isAsked) look(policy);
}

async function look(policy) {
  isAsked = true;
  const course = await ask('rehearse', {}, null);
  isAsked = false;
  if (course && state.robot?.status === 'driving' && state.policy === policy) {
    change({ ahead: { policy, states: course.states } });
  }
}
