// A path that nobody asked for: places clicked on the map, and the way through them.

import { byId, onPress, say } from '../dom.js';
import { change, state, watch } from '../store.js';
import { ask, demonstrate, tell } from '../teacher.js';
import { PATH } from '../texts.js';

let drawing = { known: Promise.resolve() };     // when the way through all clicked places is

watch(['path'], render);
watch(['mode'], begin);
onPress('path-send', teach);
onPress('path-clear', clear);
render(state);

function render({ path: { places, course } }) {
  const count = course?.actions.length ?? 0;
  say(byId('pathing-text'), count ? PATH.steps(count) : places.length ? PATH.next : PATH.first);
  byId('path-send').disabled = !count;
  byId('path-clear').disabled = !places.length;
}

/** Lead the path on to a place, which may be clicked before the way to the last one is known. */
export function extendPath(place) {
  const mine = drawing;
  mine.known = mine.known.then(async () => {
    const places = [...state.path.places, place];
    const course = mine === drawing && await ask('way', { states: places });
    if (course && mine === drawing) change({ path: { places, course } });
  });
}

/** Forget the last path; clicks on the map mean another one, so it must be in sight. */
function begin({ mode }) {
  clear();
  if (mode === 'pathing') byId('stage').scrollIntoView({ block: 'nearest' });
}

function clear() {
  drawing = { known: Promise.resolve() };
  change({ path: { places: [], course: null } });
}

function teach() {
  const { course } = state.path;
  demonstrate(course, PATH.words);
  tell(PATH.thanks(course.actions.length));
  clear();
}
