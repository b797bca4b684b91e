// The task, the connection, and the box for the key of the page.

import { byId, say } from '../dom.js';
import { watch } from '../store.js';
import { LINK, TITLE } from '../texts.js';

const box = byId('key-box');

watch(['world'], renderTask);
watch(['link', 'refusal'], renderLink);
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
  if (refusal) say(byId('key-text'), LINK.explain(refusal));
  if (!box.open) box.showModal();
}
