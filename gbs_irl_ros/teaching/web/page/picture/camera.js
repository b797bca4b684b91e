// Which part of a map is seen: all of it between the panels, or what the person has moved to.

const CLOSE = 28;           // [px] of a cell when a large map is seen from close by
const SMALLEST = 9;         // cells smaller than this are shown from closer by
const LARGEST = 72;         // of a map that is shown as a whole
const LIMITS = [0.2, 160];  // of what a person may zoom to
const EDGE = 14;            // around a map that is shown as a whole [px]

export class Camera {
  /** @param free the element that no panel lies over */
  constructor(columns, rows, stage, free) {
    Object.assign(this, { columns, rows, stage, free });
    this.own = null;            // {cell, x, y}: the size and the middle that a person chose
  }

  /** Look at the sizes of the page; then left, top and cell say where cells are [px]. */
  look(asked) {
    const stage = this.stage.getBoundingClientRect();
    const free = this.free.getBoundingClientRect();
    this.width = stage.width;
    this.height = stage.height;
    const room = (length) => Math.max(length - 2 * EDGE, 40);
    this.fit = Math.min(room(free.width) / this.columns, room(free.height) / this.rows, LARGEST);
    this.middle = [free.left - stage.left + free.width / 2, free.top - stage.top
      + free.height / 2];
    const isSmall = this.fit < SMALLEST;
    const auto = isSmall
      ? { cell: CLOSE, x: asked?.[0] ?? this.columns / 2, y: asked?.[1] ?? this.rows / 2 }
      : { cell: this.fit, x: this.columns / 2, y: this.rows / 2 };
    const { cell, x, y } = this.own ?? auto;
    this.now = { cell, x, y };
    this.cell = cell;
    this.left = this.middle[0] - x * cell;
    this.top = this.middle[1] - y * cell;
    if (this.own && asked && !this.sees(asked, free, stage)) {
      this.own = { ...this.own, x: asked[0], y: asked[1] };
      this.look(null);
    }
  }

  sees([x, y], free, stage) {
    const [right, down] = [this.left + x * this.cell + stage.left,
      this.top + y * this.cell + stage.top];
    return right >= free.left && right <= free.right && down >= free.top && down <= free.bottom;
  }

  /** Move by a number of pixels. */
  move(right, down) {
    const { cell, x, y } = this.now;
    const inside = (at, most) => Math.min(Math.max(at, 0), most);
    this.own = { cell, x: inside(x - right / cell, this.columns),
      y: inside(y - down / cell, this.rows) };
    this.now = this.own;
  }

  /** Zoom so that what is at a point of the stage stays there. */
  zoom(factor, at = this.middle) {
    const { cell, x, y } = this.now;
    const size = Math.min(Math.max(cell * factor, LIMITS[0]), LIMITS[1]);
    const [right, down] = [at[0] - this.middle[0], at[1] - this.middle[1]];
    this.own = { cell: size, x: x + right / cell - right / size,
      y: y + down / cell - down / size };
    this.now = this.own;
  }

  /** Show the whole map, even if its cells are tiny then. */
  whole() {
    this.own = this.fit < SMALLEST
      ? { cell: this.fit, x: this.columns / 2, y: this.rows / 2 } : null;
  }
}
