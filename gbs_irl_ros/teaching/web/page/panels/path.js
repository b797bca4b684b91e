// A route that nobody asked for: drawn, or pressed place by place; the steps between are filled
// in, shown, and sent only when the person agrees.

import { byId, onPress, say } from '../dom.js';
import { change, state, watch } from '../store.js';
import { ask, demonstrate, mean } from '../teacher.js';
import { PATH, REGION, stateName } from '../texts.js';

let drawing = { known: Promise.resolve() };     // when the way through all places is

watch(['path'], render);
watch(['mode'], clear);
onPress('path-send', () => teach(false));
onPress('path-end', () => teach(true));
onPress('path-clear', clear);
onPress('path-cancel', () => change({ mode: null }));
render(state);

function render({ path: { places, course }, world }) {
  const count = course?.actions.length ?? 0;
  say(byId('pathing-text'), count ? PATH.steps(count, filled(places, course), over(world, course))
    : places.length ? PATH.next : PATH.first);
  byId('path-send').disabled = byId('path-end').disabled = !count;
  byId('path-clear').disabled = !places.length;
}

/** How many places of a course nobody has pressed. */
function filled(places, course) {
  return course.states.filter((place) => !places.includes(place)).length;
}

/** The regions that a course leads over, other than where it begins and ends. */
function over(world, { states }) {
  const between = new Set(states.slice(1, -1));
  return world.regions.filter((region) => region.states.some((place) => between.has(place))
    && !region.states.includes(states.at(-1)) && !region.states.includes(states[0]))
    .map(({ name }) => name);
}

/** Lead the path on to a place, which may be pressed before the way to the last one is known. */
export function extendPath(place) {
  const mine = drawing;
  mine.known = mine.known.then(async () => {
    if (mine !== drawing || state.path.places.at(-1) === place) return;
    const places = [...state.path.places, place];
    const course = await ask('way', { states: places });
    if (course && mine === drawing) change({ path: { places, course } });
  });
}

/** Forget the last path. */
function clear() {
  drawing = { known: Promise.resolve() };
  change({ path: { places: [], course: null } });
}

function teach(endsThere) {
  const { course } = state.path;
  const last = course.states.at(-1);
  demonstrate(course, PATH.thanks(course.actions.length).replace(/\.$/, ''));
  if (endsThere) {
    const region = state.world.regions.find(({ states }) => states.includes(last));
    mean({ kind: 'go_here', states: region?.states ?? [last] },
      REGION.goTo(region?.name ?? stateName(state.world, last)));
  }
  change({ mode: null });
}
