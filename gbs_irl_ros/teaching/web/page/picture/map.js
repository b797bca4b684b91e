// Cells of a grid or a map: the floor on a canvas, what moves or is asked as a drawing above it.
// Here is which cell is where on the screen; floor.js and overlay.js draw.

import { make, makeSvg } from '../dom.js';
import { MAP, stateName } from '../texts.js';
import { drawFloor } from './floor.js';
import { overlayParts } from './overlay.js';

const INSET = 52;           // room for the answers around a cell at the edge
const SMALLEST = 9;         // cells smaller than this are shown from closer by
const CLOSE = 24;
const LARGEST = 64;
const ZOOM_BELOW = 20;
const CLICK_PX = 6;         // a pointer that moves farther than this drags

export class MapView {
  /** @param on {pick(state) of a cell that was clicked, drawn()} */
  constructor(world, stage, picture, on) {
    Object.assign(this, { world, stage, on });
    this.columns = world.cells.columns;
    this.rows = world.cells.rows;
    this.cellOf = new Int32Array(world.num_states);
    world.cells.states.forEach((state, cell) => { if (state >= 0) this.cellOf[state] = cell; });
    this.canvas = make('canvas', { role: 'img' });
    this.overlay = makeSvg('svg', { class: 'overlay', 'aria-hidden': 'true' });
    picture.replaceChildren(this.canvas, this.overlay);
    this.floor = null;          // the picture under the cells, as soon as it is there
    if (world.floor) this.load(world.floor.png);
    this.view = { asked: null, proposed: null, policy: null, robot: null, shown: null,
      offered: [], compared: null, ways: {} };
    this.close = null;          // null: as fits best
    this.drift = [0, 0];
    this.ended = new AbortController();
    const heard = { signal: this.ended.signal };
    this.watchPointer(heard);
    this.resized = new ResizeObserver(() => this.draw());
    this.resized.observe(stage);
    matchMedia('(prefers-color-scheme: dark)').addEventListener(
      'change', () => this.draw(), heard);
  }

  end() {
    this.ended.abort();
    this.resized.disconnect();
    cancelAnimationFrame(this.planned);
  }

  /** Without a picture, or with one that cannot be read, the map is as complete. */
  async load(png) {
    const bytes = Uint8Array.from(atob(png), (letter) => letter.charCodeAt(0));
    try {
      this.floor = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    } catch {
      return;
    }
    if (!this.ended.signal.aborted) this.draw();
  }

  /** Show the marked state, the policy, the robot, and ways of states by their kinds. */
  show(view) {
    if (view.asked !== this.view.asked) this.drift = [0, 0];
    this.view = view;
    this.draw();
  }

  zoom() {
    this.close = !this.isClose;
    this.drift = [0, 0];
    this.draw();
  }

  place(state) {
    const cell = this.cellOf[state];
    return [cell % this.columns, Math.floor(cell / this.columns)];
  }

  /** The left upper corner of a cell in the stage [px]. */
  corner(column, row) {
    return [this.left + column * this.cell, this.top + row * this.cell];
  }

  /** The middle of a state in the stage [px]. */
  middle(state) {
    const [column, row] = this.place(state);
    return this.corner(column + 0.5, row + 0.5);
  }

  get canZoom() {
    return this.fit < ZOOM_BELOW;
  }

  get isClose() {
    return this.canZoom && (this.close === null ? this.fit < SMALLEST : this.close);
  }

  /** Many things may change at once: they are drawn once, with the next frame. */
  draw() {
    if (this.planned) return;
    this.planned = requestAnimationFrame(() => {
      this.planned = null;
      this.look();
      drawFloor(this);
      this.canvas.setAttribute('aria-label', this.words());
      this.overlay.setAttribute('viewBox', `0 0 ${this.width} ${this.height}`);
      this.overlay.replaceChildren(...overlayParts(this));
      this.on.drawn();
    });
  }

  /** Find the size of a cell, and where the first one is. */
  look() {
    this.width = this.stage.clientWidth;
    // As high as the world needs, up to what the style sheet allows.
    const across = Math.min((this.width - 2 * INSET) / this.columns, LARGEST);
    this.stage.style.height = `${Math.round(across * this.rows + 2 * INSET)}px`;
    this.height = this.stage.clientHeight;
    this.fit = Math.min(across, (this.height - 2 * INSET) / this.rows);
    this.cell = this.isClose ? CLOSE : this.fit;
    const { asked } = this.view;
    const [column, row] = this.isClose && asked !== null
      ? this.place(asked).map((at) => at + 0.5) : [this.columns / 2, this.rows / 2];
    const [right, down] = this.isClose ? this.drift : [0, 0];
    this.left = this.width / 2 - column * this.cell + right;
    this.top = this.height / 2 - row * this.cell + down;
  }

  words() {
    const { asked, robot } = this.view;
    const name = (state) => stateName(this.world, state);
    const parts = [MAP.size(this.world.name, this.columns, this.rows)];
    if (asked !== null) parts.push(MAP.asked(name(asked)));
    if (Number.isInteger(robot?.state)) parts.push(MAP.robot(name(robot.state)));
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
  watchPointer(heard) {
    const box = this.overlay;
    let held = null;
    box.addEventListener('pointerdown', (event) => {
      held = { x: event.clientX, y: event.clientY, from: [...this.drift], moved: false };
    });
    addEventListener('pointermove', (event) => {
      if (!held || !this.isClose) return;
      const [right, down] = [event.clientX - held.x, event.clientY - held.y];
      if (Math.hypot(right, down) > CLICK_PX) held.moved = true;
      if (held.moved) {
        this.drift = [held.from[0] + right, held.from[1] + down];
        this.draw();
      }
    }, heard);
    addEventListener('pointercancel', () => { held = null; }, heard);
    addEventListener('pointerup', (event) => {
      if (held && !held.moved && event.target === box) {
        const corner = box.getBoundingClientRect();
        const state = this.stateAt(event.clientX - corner.left, event.clientY - corner.top);
        if (state !== null) this.on.pick(state);
      }
      held = null;
    }, heard);
  }
}
