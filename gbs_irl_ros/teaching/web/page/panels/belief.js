// What the robot believes: a sentence with chips that can be pressed, how many tasks are ruled
// out, and the most likely ones. Each percentage means how likely that one thing is.

import { byId, make, onPress, percent, say } from '../dom.js';
import { watch } from '../store.js';
import { mean, mind } from '../teacher.js';
import { BELIEF, REGION } from '../texts.js';
import { openRegion, sayGo } from './region.js';

const FACT = 0.3;           // less likely things are not in the sentence
const LIKELY = 0.5;         // what is said of a region must be more likely than not
const KNOWN = 0.95;         // from here on a chip is solid
const LEAST_SHOWN = 0.05;
const LEAST_NONE = 0.05;    // of "none of these"
const FEW = 3;              // answers that say nothing yet about the teacher
const SAME = 0.005;         // shares that differ by less are equal
const MAX_LIKELY = 4;

watch(['world', 'belief'], render);
onPress('peek', () => showSide(byId('side').dataset.open !== 'true'));
onPress('side-close', () => showSide(false));

/** On a small screen the belief is a sheet over the map. */
function showSide(isOpen) {
  byId('side').dataset.open = String(isOpen);
  byId('peek').setAttribute('aria-expanded', String(isOpen));
  (isOpen ? byId('progress-title') : byId('peek')).focus?.();
}

function render({ world, belief }) {
  if (!world || !belief) {
    say(byId('favourite'), BELIEF.nothing);
    return;
  }
  const { status, answers, facets } = belief;
  const known = ['asking', 'paused', 'done', 'stuck'].includes(status) && belief.likely.length > 0;
  const parts = belief.misfit ? [BELIEF.nothingFits] : known && facets?.places.length
    ? sentence(belief, facets) : [known && answers && belief.certainty >= FACT
      ? chip(belief.likely[0].name, belief.certainty, () => meanTask(belief.likely[0]))
      : BELIEF.nothing];
  byId('favourite').replaceChildren(...parts);
  byId('open-regions').hidden = !known || !facets?.regions.length || belief.misfit !== '';
  byId('ruled').hidden = !known;
  const { tasks, ruled_out: out } = belief;
  byId('meter').setAttribute('aria-valuenow', String(Math.round(100 * out / Math.max(tasks, 1))));
  byId('meter').setAttribute('aria-valuetext', BELIEF.ruledOut(out, tasks));
  byId('bar-done').style.width = `${100 * out / Math.max(tasks - 1, 1)}%`;
  say(byId('ruled-text'), BELIEF.ruledOut(out, tasks));
  say(byId('left'), belief.misfit || !known ? '' : status === 'done'
    ? BELIEF.sureEnough(belief.claim) : status === 'asking'
      ? `${belief.left}${belief.endless ? ` ${BELIEF.chooseOne}` : ''}` : '');
  renderLikely(belief, known);
  const estimated = known && answers >= FEW && belief.error_rate >= 0;
  say(byId('reliability'), estimated ? BELIEF.reliability(belief.error_rate) : '');
  say(byId('peek'), !known ? BELIEF.nothing : parts[0] === BELIEF.nothing
    ? BELIEF.ruledOut(out, tasks) : BELIEF.peek(plain(parts), out, tasks));
}

const plain = (parts) => parts.map((part) => (typeof part === 'string' ? part
  : part.classList.contains('add') ? '' : part.firstChild.textContent)).join(' ')
  .replace(/\s+/g, ' ').trim();

/** "Go to [desk] never over [carpet ×] [+]". */
function sentence({ answers }, { places, regions }) {
  const likely = places.filter(({ probability }) => answers && probability >= FACT)
    .sort((one, other) => other.probability - one.probability);
  const parts = [BELIEF.goTo, ' ', ...(likely.length
    ? likely.flatMap((place, number) => [...(number ? [BELIEF.or, ' '] : []),
      chip(place.name, place.probability, () => sayGo(place))])
    : [make('span', { class: 'chip open', text: BELIEF.somewhere })])];
  const mood = new Map(regions.map((region) => [region, answers ? moodOf(region) : '']));
  for (const [manner, words] of [['never', BELIEF.never], ['rather not', BELIEF.rather]]) {
    const some = regions.filter((region) => mood.get(region) === manner);
    if (some.length) {
      parts.push(` ${words} `, ...some.map((region) => regionChip(region, manner)));
    }
  }
  parts.push(' ', make('button', { class: 'chip add', text: '+', 'aria-label': BELIEF.more,
    on: { click: () => openRegion(null) } }));
  const open = regions.filter((region) => !mood.get(region)
    && (region.manners.never ?? 0) > LEAST_SHOWN && (region.manners.free ?? 0) < KNOWN);
  byId('open-regions').replaceChildren(...(open.length ? [`${BELIEF.openNever} `,
    ...open.map(({ name }) => make('button', { class: 'chip open', text: name,
      'aria-label': BELIEF.neverThis(name),
      on: { click: () => mind(name, 'never', REGION.words.never(name)) } }))] : []));
  return parts;
}

/** What is believed of a region, if it is believed enough. */
function moodOf({ manners }) {
  return ['never', 'rather not'].find((manner) => (manners[manner] ?? 0) >= LIKELY) ?? '';
}

function chip(name, share, pressed) {
  const isKnown = share >= KNOWN;
  return make('button', { class: `chip ${isKnown ? 'known' : 'open'}`, text: name,
    'aria-label': isKnown ? BELIEF.known(name) : BELIEF.open(name, percent(share)),
    on: { click: pressed } });
}

function regionChip({ name, manners }, manner) {
  const press = () => mind(name, manner, REGION.words[manner](name));
  const parts = [chip(name, manners[manner], press)];
  if (Object.hasOwn(manners, 'free')) {
    parts.push(make('button', { class: 'chip drop', text: '×', 'aria-label': BELIEF.drop(name),
      on: { click: () => mind(name, 'free', REGION.words.free(name)) } }));
  }
  return make('span', { class: 'chips' }, ...parts);
}

/** The likeliest tasks, each to be pressed; none while they are all alike. */
function renderLikely(belief, known) {
  const { answers, likely, misfit, status, tasks, ruled_out: out } = belief;
  const [first] = likely;
  const alike = likely.filter(({ probability }) => first.probability - probability < SAME).length;
  const open = status !== 'done' && known && (answers > 0 || tasks <= MAX_LIKELY);
  const shown = open ? likely.slice(0, MAX_LIKELY).filter(
    ({ probability }) => probability >= LEAST_SHOWN) : [];
  const rows = shown.map((task) => make('li', {}, make('button', { class: 'task',
    'aria-label': BELIEF.mean(task.name), on: { click: () => meanTask(task) } },
  make('span', { text: task.name }), make('span', { text: percent(task.probability) }))));
  if (open && belief.none_of_these >= LEAST_NONE) {
    rows.push(make('li', { class: 'none' }, make('span', { text: BELIEF.none }),
      make('span', { text: percent(belief.none_of_these) })));
  }
  const equal = open && !misfit && alike > 1 && (alike < likely.length || alike === tasks - out)
    ? [make('li', { class: 'note', text: BELIEF.equal(alike) })] : [];
  const stays = byId('likely').contains(document.activeElement);
  byId('likely').replaceChildren(...equal, ...rows);
  if (stays) byId('sentence').focus();
}

function meanTask({ number, name }) {
  mean({ kind: 'words', text: name, tasks: [number] }, name);
}

watch(['face'], ({ mode, region, editing }) => {
  if (!mode && !region && !editing) return;
  byId('side').dataset.open = 'false';        // the map is needed
  byId('peek').setAttribute('aria-expanded', 'false');
});
