// A practice round in a world of fifteen cells that lives on this page alone: three tasks, the
// same kind of question, and answers that rule tasks out.

import { openBox } from '../dialogs.js';
import { arrow, byId, make, makeSvg, say, upper } from '../dom.js';
import { PRACTICE, WHERE } from '../texts.js';

const CELL = 56;
const [COLUMNS, ROWS] = [5, 3];
const PLACES = { plant: [0, 1], lamp: [4, 1] };
const RUG = [2, 1];
const MOVES = { up: [0, -1], right: [1, 0], down: [0, 1], left: [-1, 0] };
// Where it asks, and what each of PRACTICE.tasks would do there.
const QUESTIONS = [
  { at: [1, 0], would: [['left', 'down'], ['right', 'down'], ['right']] },
  { at: [1, 1], would: [['left'], ['right'], ['up', 'down']] },
];
let left = [];              // the tasks that are still possible
let asked = 0;

export function practise() {
  left = PRACTICE.tasks.map((_, number) => number);
  asked = 0;
  show();
  openBox('practice-box');
}

function show() {
  const question = left.length > 1 ? QUESTIONS[asked] : null;
  byId('practice-map').replaceChildren(draw(question));
  const ruled = PRACTICE.ruled(PRACTICE.tasks.length - left.length, PRACTICE.tasks.length);
  say(byId('practice-text'), question ? `${asked ? `${ruled} ` : ''}${PRACTICE.ask}`
    : PRACTICE.got(PRACTICE.tasks[left[0]]));
  byId('practice-choices').replaceChildren(...(question
    ? Object.entries(MOVES).filter(([, step]) => isInside(question.at, step)).map(
      ([name, step]) => make('button', { class: 'big', on: { click: () => choose(name) } },
        arrow(step), make('span', { text: upper(WHERE.directions[name]) })))
    : [make('button', { text: PRACTICE.again, on: { click: practise } })]));
  byId('practice-title').focus();
}

const isInside = ([x, y], [right, down]) => x + right >= 0 && x + right < COLUMNS
  && y + down >= 0 && y + down < ROWS;

function choose(move) {
  const agree = left.filter((task) => QUESTIONS[asked].would[task].includes(move));
  if (agree.length) left = agree;
  asked += 1;
  if (asked === QUESTIONS.length) left = left.slice(0, 1);
  show();
}

function draw(question) {
  const drawing = makeSvg('svg', { viewBox: `-2 -2 ${COLUMNS * CELL + 4} ${ROWS * CELL + 4}`,
    role: 'img', 'aria-label': PRACTICE.around, class: 'practice' });
  for (let row = 0; row < ROWS; row += 1) {
    for (let column = 0; column < COLUMNS; column += 1) {
      const isRug = column === RUG[0] && row === RUG[1];
      drawing.append(makeSvg('rect', { x: column * CELL, y: row * CELL, width: CELL, height: CELL,
        class: isRug ? 'rug' : 'cell' }));
    }
  }
  const text = ([column, row], words, kind) => drawing.append(makeSvg('text', {
    x: (column + 0.5) * CELL, y: (row + 0.5) * CELL + 5, 'text-anchor': 'middle', class: kind,
    text: words }));
  for (const [name, place] of Object.entries(PLACES)) text(place, PRACTICE.names[name], 'name');
  text(RUG, PRACTICE.names.rug, 'name');
  if (question) text(question.at, '?', 'asked-mark');
  return drawing;
}
