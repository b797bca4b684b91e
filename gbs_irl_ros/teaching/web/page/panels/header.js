// The task, the connection, and the box for the key of the page.

import { byId, relabel, onPress, say } from '../dom.js';
import { state, watch } from '../store.js';
import { ask } from '../teacher.js';
import { LINK, ROBOT, TITLE } from '../texts.js';

const box = byId('key-box');

watch(['world'], renderTask);
watch(['link', 'refusal'], renderLink);
watch(['belief'], renderPause);
onPress('pause', pause);
byId('key-form').addEventListener('submit', (event) => {
  event.preventDefault();
  const typed = byId('key-input').value.trim();
  location.hash = `key=${encodeURIComponent(typed.split('key=').pop())}`;
  location.reload();
});
box.addEventListener('cancel', (event) => event.preventDefault());
box.addEventListener('close', () => box.showModal());       // Esc, twice
addEventListener('hashchange', () => location.reload());

function renderTask({ world }) {
  document.title = TITLE(world.name);
  say(byId('task-name'), world.name);
  say(byId('task-text'), world.description);
}

function renderLink({ link, refusal }) {
  byId('link').classList.toggle('lost', link !== 'open');
  say(byId('link'), LINK[link]);
  if (link !== 'refused') return;
  if (refusal) {
    if (location.hash.includes('key=')) say(byId('key-title'), LINK.wrongKey);
    say(byId('key-text'), LINK.explain(refusal));
  }
  if (!box.open) box.showModal();
}

function renderPause({ belief }) {
  const status = belief?.status;
  byId('pause').hidden = !['asking', 'paused'].includes(status) || !belief.likely.length;
  relabel(byId('pause'), status === 'paused' ? ROBOT.resume : ROBOT.pause, 'p');
}

/** Pause, or resume. */
export function pause() {
  if (state.belief?.status === 'paused') ask('start');
  else if (state.belief?.status === 'asking') ask('pause');
}
