// Cells of a grid or a map: the floor on a canvas, what moves or is asked as a drawing above it.
// camera.js says which part is seen, pointer.js what fingers do; floor.js and overlay.js draw.

import { make, makeSvg } from '../dom.js';
import { Camera } from './camera.js';
import { describe } from './words.js';
import { drawFloor } from './floor.js';
import { overlayParts } from './overlay.js';
import { watchPointer } from './pointer.js';

const ON_FLOOR = ['policy', 'arrows', 'tint', 'facets'];    // what of a view the floor shows

export class MapView {
  /** @param on {pick(state), pickName(region), paint(state), paints(), drawn()} */
  constructor(world, { stage, picture, free }, on) {
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
      offered: [], compared: null, ways: {}, moves: [], facets: null, zones: [] };
    this.names = [];            // of regions: where they are written, see overlay.js
    this.hovered = null;        // the state under a mouse
    this.camera = new Camera(this.columns, this.rows, stage, free);
    this.ended = new AbortController();
    const { signal } = this.ended;
    watchPointer(this.overlay, this.heard(), signal);
    this.resized = new ResizeObserver(() => this.draw());
    this.resized.observe(stage);
    this.resized.observe(free);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
      this.tile = null;
      this.draw();
    }, { signal });
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
    const isSame = ON_FLOOR.every((part) => view[part] === this.view[part])
      && view.asked === this.view.asked;
    this.view = view;
    this.draw(!isSame);
  }

  heard() {
    const { on } = this;
    const stateAt = (x, y) => this.stateAt(x, y);
    return {
      press: (x, y) => {
        const name = on.paints() ? null : this.names.find(({ box: [left, top, right, below] }) => (
          x >= left && x <= right && y >= top && y <= below));
        if (name) on.pickName(name.region);
        else if (stateAt(x, y) !== null) on.pick(stateAt(x, y));
      },
      paints: on.paints,
      paint: (x, y) => { if (stateAt(x, y) !== null) on.paint(stateAt(x, y)); },
      move: (right, down) => { this.camera.move(right, down); this.draw(); },
      zoom: (factor, at) => this.zoom(factor, at),
      hover: (x, y) => {
        const state = x === null ? null : stateAt(x, y);
        if (state === this.hovered) return;
        this.hovered = state;
        this.draw(false);
      },
    };
  }

  zoom(factor, at) {
    this.camera.zoom(factor, at);
    this.draw();
  }

  whole() {
    this.camera.whole();
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

  /** Many things may change at once: they are drawn once, with the next frame. */
  draw(withFloor = true) {
    this.isStale ||= withFloor;
    if (this.planned) return;
    this.planned = requestAnimationFrame(() => {
      this.planned = null;
      const { asked } = this.view;
      const { left, top, cell, width, height } = this.camera;
      this.camera.look(asked === null ? null : this.place(asked).map((at) => at + 0.5));
      for (const name of ['left', 'top', 'cell', 'width', 'height']) {
        this[name] = this.camera[name];
      }
      const moved = left !== this.left || top !== this.top || cell !== this.cell
        || width !== this.width || height !== this.height;
      if (this.isStale || moved) drawFloor(this);
      this.isStale = false;
      this.canvas.setAttribute('aria-label', describe(this.world, this.view));
      this.overlay.setAttribute('viewBox', `0 0 ${this.width} ${this.height}`);
      this.overlay.replaceChildren(...overlayParts(this));
      this.on.drawn();
    });
  }

  stateAt(x, y) {
    const column = Math.floor((x - this.left) / this.cell);
    const row = Math.floor((y - this.top) / this.cell);
    if (column < 0 || row < 0 || column >= this.columns || row >= this.rows) return null;
    const state = this.world.cells.states[row * this.columns + column];
    return state < 0 ? null : state;
  }
}
