// Cells of a grid or a map: the floor on a canvas, what moves or is asked as a drawing above it.

import { make, makeSvg } from './dom.js';

const INSET = 52;           // room for the answers around a cell at the edge
const SMALLEST = 9;         // cells smaller than this are shown from closer by
const CLOSE = 24;
const LARGEST = 64;
const SIGNS_FROM = 20;
const ARROWS_FROM = 9;      // smaller cells have no room for an arrow

export class MapView {
  /** @param pick called with a state that was clicked */
  constructor(stage, picture, pick) {
    this.stage = stage;
    this.pick = pick;
    this.canvas = make('canvas', { role: 'img' });
    this.overlay = makeSvg('svg', { class: 'overlay', 'aria-hidden': 'true' });
    picture.replaceChildren(this.canvas, this.overlay);
    this.ways = new Map();
    this.asked = null;
    this.proposed = null;       // the action that a yes/no question is about
    this.robot = null;
    this.close = null;          // null: as fits best
    this.drift = [0, 0];
    this.watchPointer();
    this.resized = new ResizeObserver(() => this.draw());
    this.resized.observe(stage);
    this.dark = matchMedia('(prefers-color-scheme: dark)');
    this.dark.addEventListener('change', () => this.draw());
  }

  end() {
    this.resized.disconnect();
  }

  setWorld(world) {
    this.world = world;
    const { columns, states } = world.cells;
    this.cellOf = new Int32Array(world.num_states);
    states.forEach((state, cell) => { if (state >= 0) this.cellOf[state] = cell; });
    this.columns = columns;
    this.rows = world.cells.rows;
    this.draw();
  }

  set(parts) {
    if ('asked' in parts && parts.asked !== this.asked) this.drift = [0, 0];
    Object.assign(this, parts);
    this.draw();
  }

  /** Show a way of states; null removes it. Kinds: path, rehearsal, recorded. */
  setWay(kind, states) {
    if (states && states.length) this.ways.set(kind, states);
    else this.ways.delete(kind);
    this.draw();
  }

  place(state) {
    const cell = this.cellOf[state];
    return [cell % this.columns, Math.floor(cell / this.columns)];
  }

  /** The middle of a state in the stage [px]. */
  middle(state) {
    const [column, row] = this.place(state);
    return [this.left + (column + 0.5) * this.cell, this.top + (row + 0.5) * this.cell];
  }

  get canZoom() {
    return this.fit < 20;
  }

  get isClose() {
    return this.canZoom && (this.close === null ? this.fit < SMALLEST : this.close);
  }

  /** Many things may change at once: they are drawn once, with the next frame. */
  draw() {
    if (this.planned || !this.world) return;
    this.planned = requestAnimationFrame(() => {
      this.planned = null;
      this.look();
      this.drawFloor();
      this.drawOverlay();
      this.onDrawn?.();
    });
  }

  look() {
    const width = this.stage.clientWidth;
    // As high as the world needs, up to what the style sheet allows.
    const wanted = Math.min((width - 2 * INSET) / this.columns, LARGEST) * this.rows + 2 * INSET;
    this.stage.style.height = `${Math.round(wanted)}px`;
    const height = this.stage.clientHeight;
    this.fit = Math.min((width - 2 * INSET) / this.columns, (height - 2 * INSET) / this.rows,
      LARGEST);
    this.cell = this.isClose ? CLOSE : this.fit;
    const [wide, high] = [this.columns * this.cell, this.rows * this.cell];
    this.left = (width - wide) / 2;
    this.top = (height - high) / 2;
    if (this.isClose && this.asked !== null) {
      const [column, row] = this.place(this.asked);
      this.left = width / 2 - (column + 0.5) * this.cell;
      this.top = height / 2 - (row + 0.5) * this.cell;
    }
    if (this.isClose) {
      this.left += this.drift[0];
      this.top += this.drift[1];
    }
  }

  drawFloor() {
    const { clientWidth: width, clientHeight: height } = this.stage;
    const sharp = devicePixelRatio || 1;
    this.canvas.width = Math.round(width * sharp);
    this.canvas.height = Math.round(height * sharp);
    const pen = this.canvas.getContext('2d');
    pen.scale(sharp, sharp);
    const style = getComputedStyle(this.stage);
    const colour = (name) => style.getPropertyValue(name).trim();
    const { cell, columns, rows } = this;
    const { states, walls } = this.world.cells;
    pen.fillStyle = colour('--wall');
    pen.fillRect(this.left - 3, this.top - 3, columns * cell + 6, rows * cell + 6);
    const [floor, good, bad] = [colour('--floor'), colour('--good'), colour('--bad')];
    const gap = cell >= 6 ? 1 : 0;
    const reward = this.policy?.reward ?? [];
    for (let row = this.first(this.top); row < this.last(this.top, rows, height); row += 1) {
      for (let column = this.first(this.left); column < this.last(this.left, columns, width);
        column += 1) {
        const state = states[row * columns + column];
        if (state < 0) continue;
        const [x, y] = [this.left + column * cell, this.top + row * cell];
        pen.fillStyle = floor;
        pen.fillRect(x, y, cell - gap + 0.5, cell - gap + 0.5);
        const worth = reward[state] ?? 0;
        if (worth) {
          pen.globalAlpha = 0.12 + 0.68 * Math.abs(worth);
          pen.fillStyle = worth > 0 ? good : bad;
          pen.fillRect(x, y, cell - gap + 0.5, cell - gap + 0.5);
          pen.globalAlpha = 1;
        }
      }
    }
    this.drawRegions(pen, colour);
    pen.strokeStyle = colour('--wall');
    pen.lineWidth = Math.max(2, cell / 8);
    pen.beginPath();
    for (const [row, column, side] of walls) {
      const [x, y] = [this.left + column * cell, this.top + row * cell];
      pen.moveTo(x + (side ? 0 : cell), y + (side ? cell : 0));
      pen.lineTo(x + cell, y + cell);
    }
    pen.stroke();
    if (cell >= ARROWS_FROM && this.policy?.sets.length) this.drawPolicy(pen, colour);
    this.canvas.setAttribute('aria-label', this.words());
  }

  first(start) {
    return Math.max(0, Math.floor(-start / this.cell));
  }

  last(start, count, size) {
    return Math.min(count, Math.ceil((size - start) / this.cell));
  }

  drawRegions(pen, colour) {
    const { cell } = this;
    pen.strokeStyle = colour('--region');
    pen.lineWidth = 1.5;
    pen.setLineDash([4, 3]);
    pen.beginPath();
    for (const { states } of this.world.regions) {
      const mine = new Set(states.map((state) => this.cellOf[state]));
      for (const at of mine) {
        const column = at % this.columns;
        const x = this.left + column * cell;
        const y = this.top + Math.floor(at / this.columns) * cell;
        if (!mine.has(at - this.columns)) line(pen, x, y, x + cell, y);
        if (!mine.has(at + this.columns)) line(pen, x, y + cell, x + cell, y + cell);
        if (column === 0 || !mine.has(at - 1)) line(pen, x, y, x, y + cell);
        if (column === this.columns - 1 || !mine.has(at + 1)) {
          line(pen, x + cell, y, x + cell, y + cell);
        }
      }
    }
    pen.stroke();
    pen.setLineDash([]);
  }

  drawPolicy(pen, colour) {
    const { actions } = this.world;
    const { sets, sure, reward } = this.policy;
    const [width, height] = [this.stage.clientWidth, this.stage.clientHeight];
    pen.strokeStyle = pen.fillStyle = colour('--policy');
    pen.lineWidth = Math.max(1, this.cell / 14);
    for (let state = 0; state < sets.length; state += 1) {
      const [x, y] = this.middle(state);
      if (x < 0 || y < 0 || x > width || y > height) continue;
      if (Math.abs(reward[state] ?? 0) > 0.15 && this.cell >= SIGNS_FROM) this.drawSign(pen, state, x, y);
      if (state === this.asked) continue;
      // Sure arrows are long and dark, unsure ones short and faint.
      const certain = sure[state] ?? 0;
      pen.globalAlpha = 0.25 + 0.75 * certain;
      const reach = this.cell * (0.16 + 0.2 * certain);
      for (let action = 0; action < actions.length; action += 1) {
        // Bits beyond 31 would need more than JavaScript's shifts.
        if (Math.floor(sets[state] / 2 ** action) % 2 === 0) continue;
        const step = actions[action].direction;
        if (!step) continue;
        const length = Math.hypot(step[0], step[1]);
        if (!length) {
          pen.fillRect(x - 2, y - 2, 4, 4);
          continue;
        }
        const [right, down] = [step[0] / length * reach, step[1] / length * reach];
        pen.beginPath();
        pen.moveTo(x - right * 0.2, y - down * 0.2);
        pen.lineTo(x + right, y + down);
        pen.moveTo(x + right * 0.55 - down * 0.35, y + down * 0.55 + right * 0.35);
        pen.lineTo(x + right, y + down);
        pen.lineTo(x + right * 0.55 + down * 0.35, y + down * 0.55 - right * 0.35);
        pen.stroke();
      }
    }
    pen.globalAlpha = 1;
  }

  /** Good and bad places have a sign, not a colour alone. */
  drawSign(pen, state, x, y) {
    pen.globalAlpha = 1;
    pen.font = `bold ${Math.max(9, this.cell / 3)}px sans-serif`;
    pen.textAlign = 'right';
    pen.textBaseline = 'top';
    pen.fillText(this.policy.reward[state] > 0 ? '+' : '−', x + this.cell / 2 - 2,
      y - this.cell / 2 + 1);
  }

  drawOverlay() {
    const { clientWidth: width, clientHeight: height } = this.stage;
    this.overlay.setAttribute('viewBox', `0 0 ${width} ${height}`);
    const parts = [];
    for (const { name, states } of this.world.regions) parts.push(this.regionLabel(name, states));
    for (const state of this.policy?.goals ?? []) parts.push(this.goal(state));
    for (const [kind, states] of this.ways) parts.push(...this.way(kind, states));
    if (this.robot?.pose) parts.push(this.robotPart(this.robot.pose));
    else if (this.world.starts.length && this.world.starts.length < 5) {
      for (const state of this.world.starts) parts.push(this.label(state, 'start'));
    }
    if (this.asked !== null) parts.push(...this.askedPart());
    this.overlay.replaceChildren(...parts.filter(Boolean));
  }

  label(state, text) {
    const [x, y] = this.middle(state);
    return makeSvg('text', { x, y: y + 4, class: 'label', 'text-anchor': 'middle', text });
  }

  regionLabel(name, states) {
    // Above its topmost cells, in the middle of them: the arrows stay free.
    const cells = states.map((state) => this.place(state));
    const top = Math.min(...cells.map(([, row]) => row));
    const upper = cells.filter(([, row]) => row === top).map(([column]) => column);
    const column = (Math.min(...upper) + Math.max(...upper) + 1) / 2;
    if (this.cell < 7 && states.length < 40) return null;
    return makeSvg('text', { x: this.left + column * this.cell, y: this.top + top * this.cell - 3,
      class: 'label', 'text-anchor': 'middle', text: name });
  }

  goal(state) {
    const [x, y] = this.middle(state);
    const size = Math.max(6, Math.min(16, this.cell * 0.42));
    const points = [];
    for (let corner = 0; corner < 10; corner += 1) {
      const reach = corner % 2 ? size * 0.45 : size;
      const turn = Math.PI * (corner / 5 - 0.5);
      points.push(`${x + reach * Math.cos(turn)},${y + reach * Math.sin(turn)}`);
    }
    return makeSvg('polygon', { points: points.join(' '), class: 'goal' });
  }

  way(kind, states) {
    const points = states.map((state) => this.middle(state).join(',')).join(' ');
    const [x, y] = this.middle(states[states.length - 1]);
    return [makeSvg('polyline', { points, class: `way ${kind}` }),
      makeSvg('circle', { cx: x, cy: y, r: Math.max(4, this.cell / 6), class: `way-end ${kind}` })];
  }

  robotPart([column, row, heading]) {
    const x = this.left + (column + 0.5) * this.cell;
    const y = this.top + (row + 0.5) * this.cell;
    const size = Math.max(7, this.cell * 0.36);
    const group = makeSvg('g', { class: 'robot', transform: `translate(${x} ${y})` });
    group.append(makeSvg('circle', { r: size }), makeSvg('path', {
      d: `M${size * 0.75} 0L${-size * 0.4} ${size * 0.55}L${-size * 0.4} ${-size * 0.55}Z`,
      transform: `rotate(${heading})` }));
    return group;
  }

  askedPart() {
    const [x, y] = this.middle(this.asked);
    const size = Math.max(this.cell, 14);
    const parts = [makeSvg('rect', { x: x - size / 2, y: y - size / 2, width: size, height: size,
      rx: 3, class: 'asked' }),
    makeSvg('text', { x, y: y + 5, class: 'asked-mark', 'text-anchor': 'middle', text: '?' })];
    const step = this.proposed === null ? null : this.world.actions[this.proposed].direction;
    if (step && (step[0] || step[1])) {
      const turn = Math.atan2(step[1], step[0]) * 180 / Math.PI;
      parts.push(makeSvg('path', { d: 'M0 -7H22V-15L40 0L22 15V7H0Z', class: 'proposed',
        transform: `translate(${x} ${y}) rotate(${turn}) translate(${size / 2 + 4} 0)` }));
    }
    return parts;
  }

  words() {
    const name = (state) => this.world.names[state] ?? `state ${state}`;
    const parts = [`${this.world.name}: ${this.columns} by ${this.rows} cells`];
    if (this.asked !== null) parts.push(`the question is about ${name(this.asked)}`);
    const where = this.robot?.state;
    if (where !== null && where !== undefined) parts.push(`the robot is at ${name(where)}`);
    return parts.join('; ');
  }

  stateAt(x, y) {
    const column = Math.floor((x - this.left) / this.cell);
    const row = Math.floor((y - this.top) / this.cell);
    if (column < 0 || row < 0 || column >= this.columns || row >= this.rows) return null;
    const state = this.world.cells.states[row * this.columns + column];
    return state < 0 ? null : state;
  }

  /** A click picks a cell; dragging moves a map that is seen from close by. */
  watchPointer() {
    const box = this.overlay;
    let held = null;
    box.addEventListener('pointerdown', (event) => {
      held = { x: event.clientX, y: event.clientY, from: [...this.drift], moved: false };
    });
    addEventListener('pointermove', (event) => {
      if (!held || !this.isClose) return;
      const moved = [event.clientX - held.x, event.clientY - held.y];
      if (Math.hypot(...moved) > 6) held.moved = true;
      if (held.moved) {
        this.drift = [held.from[0] + moved[0], held.from[1] + moved[1]];
        this.draw();
      }
    });
    addEventListener('pointercancel', () => { held = null; });
    addEventListener('pointerup', (event) => {
      if (held && !held.moved && event.target === box) {
        const corner = box.getBoundingClientRect();
        const state = this.stateAt(event.clientX - corner.left, event.clientY - corner.top);
        if (state !== null) this.pick(state);
      }
      held = null;
    });
  }
}

function line(pen, x1, y1, x2, y2) {
  pen.moveTo(x1, y1);
  pen.lineTo(x2, y2);
}
