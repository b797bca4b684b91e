// The floor of a map: cells, walls, the picture under them, regions, and, where that is wanted,
// what would be done where.

const ARROWS_FROM = 9;      // smaller cells have no room for an arrow
const LINES_FROM = 15;      // or for lines between them
const OVER_PICTURE = 0.82;  // how much a cell hides of the picture under it
const NOTABLE = 0.15;       // rewards that differ by less from most places have no colour
export const FACT = 0.3;    // nothing less likely is painted
const LIKELY = 0.5;         // nor is what is said of a region, see panels/belief.js

export function drawFloor(map) {
  const { canvas, cell, view: { policy, arrows } } = map;
  const sharp = devicePixelRatio || 1;
  canvas.width = Math.round(map.width * sharp);
  canvas.height = Math.round(map.height * sharp);
  const pen = canvas.getContext('2d');
  pen.scale(sharp, sharp);
  const style = getComputedStyle(map.stage);
  const colour = (name) => style.getPropertyValue(name).trim();
  pen.fillStyle = colour(map.world.floor ? '--ground' : '--wall');
  pen.fillRect(map.left - 2, map.top - 2, map.columns * cell + 4, map.rows * cell + 4);
  if (map.floor) drawPicture(map, pen, colour);
  drawCells(map, pen, colour);
  if (map.view.tint) drawTint(map, pen, colour);
  if (cell >= LINES_FROM) drawLines(map, pen, colour);
  drawRegions(map, pen, colour);
  drawWalls(map, pen, colour);
  if (arrows && cell >= ARROWS_FROM && policy?.sets.length) drawPolicy(map, pen, colour);
}

/** What the map server shows: what is dark there is dark here, at night what is dark shines. */
function drawPicture(map, pen, colour) {
  const { cell, world: { floor } } = map;
  pen.save();
  pen.globalCompositeOperation = colour('--blend');
  if (colour('--blend') === 'screen') pen.filter = 'invert(1)';
  pen.globalAlpha = Number(colour('--picture'));
  const [x, y] = map.corner(floor.left, floor.top);
  pen.drawImage(map.floor, x, y, floor.columns * cell, floor.rows * cell);
  pen.restore();
}

/** One pixel for each cell, made once and drawn at any size. */
function drawCells(map, pen, colour) {
  if (!map.tile) {
    const { columns, rows } = map;
    map.tile = Object.assign(document.createElement('canvas'), { width: columns, height: rows });
    const small = map.tile.getContext('2d');
    small.fillStyle = colour('--floor');
    small.fillRect(0, 0, columns, rows);
    const image = small.getImageData(0, 0, columns, rows);
    map.world.cells.states.forEach((state, at) => { if (state < 0) image.data[4 * at + 3] = 0; });
    small.putImageData(image, 0, 0);
  }
  pen.save();
  pen.imageSmoothingEnabled = false;
  pen.globalAlpha = map.floor ? OVER_PICTURE : 1;
  pen.drawImage(map.tile, map.left, map.top, map.columns * map.cell, map.rows * map.cell);
  pen.restore();
}

/** Rows and columns that are on the screen. */
function seen(map) {
  const within = (start, count, length) => [Math.max(0, Math.floor(-start / map.cell)),
    Math.min(count, Math.ceil((length - start) / map.cell))];
  return [within(map.left, map.columns, map.width), within(map.top, map.rows, map.height)];
}

function eachSeen(map, visit) {
  const [[left, right], [top, bottom]] = seen(map);
  const { states } = map.world.cells;
  for (let row = top; row < bottom; row += 1) {
    for (let column = left; column < right; column += 1) {
      const state = states[row * map.columns + column];
      if (state >= 0) visit(state, ...map.corner(column, row));
    }
  }
}

/** Places that the robot believes to be better or worse than most. */
function drawTint(map, pen, colour) {
  const { policy } = map.view;
  const [good, bad] = [colour('--good'), colour('--bad')];
  eachSeen(map, (state, x, y) => {
    const worth = policy?.reward[state] ?? 0;
    if (Math.abs(worth) < NOTABLE) return;
    pen.globalAlpha = 0.1 + 0.35 * Math.abs(worth);
    pen.fillStyle = worth > 0 ? good : bad;
    pen.fillRect(x, y, map.cell, map.cell);
  });
  pen.globalAlpha = 1;
}

function drawLines(map, pen, colour) {
  pen.strokeStyle = colour('--grid');
  pen.lineWidth = 1;
  pen.beginPath();
  eachSeen(map, (state, x, y) => {
    line(pen, x, y + map.cell, x + map.cell, y + map.cell);
    line(pen, x + map.cell, y, x + map.cell, y + map.cell);
  });
  pen.stroke();
}

/** Regions: a quiet colour each; those that must never be entered are hatched. */
function drawRegions(map, pen, colour) {
  const mood = new Map();
  for (const { name, manners } of map.view.facets?.regions ?? []) {
    if ((manners.never ?? 0) >= LIKELY) mood.set(name, 'never');
    else if ((manners['rather not'] ?? 0) >= LIKELY) mood.set(name, 'rather');
  }
  for (const { name, probability } of map.view.facets?.places ?? []) {
    if (probability >= FACT) mood.set(name, 'goal');
  }
  map.world.regions.forEach(({ name, states }, number) => {
    const kind = mood.get(name);
    const paint = colour(kind ? `--${kind}` : `--region-${number % 4}`);
    const cells = new Set(states.map((state) => map.cellOf[state]));
    pen.fillStyle = paint;
    pen.globalAlpha = kind ? 0.3 : 0.2;
    pen.beginPath();
    for (const at of cells) pen.rect(...corner(map, at), map.cell, map.cell);
    pen.fill();
    if (kind === 'never') hatch(map, pen, paint, cells);
    pen.globalAlpha = 0.75;
    pen.strokeStyle = paint;
    pen.lineWidth = 1.5;
    outline(map, pen, cells);
    pen.globalAlpha = 1;
  });
}

const corner = (map, at) => map.corner(at % map.columns, Math.floor(at / map.columns));

function hatch(map, pen, paint, cells) {
  pen.save();
  pen.beginPath();
  for (const at of cells) pen.rect(...corner(map, at), map.cell, map.cell);
  pen.clip();
  pen.strokeStyle = paint;
  pen.globalAlpha = 0.5;
  pen.lineWidth = 2;
  pen.beginPath();
  const corners = [...cells].map((at) => corner(map, at));
  const [left, top] = [0, 1].map((axis) => Math.min(...corners.map((each) => each[axis])));
  const [right, bottom] = [0, 1].map((axis) => (
    Math.max(...corners.map((each) => each[axis])) + map.cell));
  for (let x = left - (bottom - top); x < right; x += 11) {
    line(pen, x, bottom, x + bottom - top, top);
  }
  pen.stroke();
  pen.restore();
}

function outline(map, pen, cells) {
  const { cell, columns } = map;
  pen.beginPath();
  for (const at of cells) {
    const column = at % columns;
    const [x, y] = corner(map, at);
    if (!cells.has(at - columns)) line(pen, x, y, x + cell, y);
    if (!cells.has(at + columns)) line(pen, x, y + cell, x + cell, y + cell);
    if (column === 0 || !cells.has(at - 1)) line(pen, x, y, x, y + cell);
    if (column === columns - 1 || !cells.has(at + 1)) line(pen, x + cell, y, x + cell, y + cell);
  }
  pen.stroke();
}

/** Thin walls between two cells. */
function drawWalls(map, pen, colour) {
  const { cell } = map;
  pen.strokeStyle = colour('--wall');
  pen.lineCap = 'round';
  pen.lineWidth = Math.max(2.5, cell / 8);
  pen.beginPath();
  for (const [row, column, side] of map.world.cells.walls) {
    const [x, y] = map.corner(column, row);
    line(pen, x + (side ? 0 : cell), y + (side ? cell : 0), x + cell, y + cell);
  }
  pen.stroke();
}

/** Sure arrows are long and dark, unsure ones short and faint. */
function drawPolicy(map, pen, colour) {
  const { actions } = map.world;
  const { policy: { sets, sure } } = map.view;
  pen.strokeStyle = pen.fillStyle = colour('--policy');
  pen.lineWidth = Math.max(1, map.cell / 18);
  eachSeen(map, (state, left, top) => {
    const certain = sure[state] ?? 0;
    if (certain < FACT) return;
    pen.globalAlpha = 0.15 + 0.45 * certain;
    for (const direction of wanted(actions, sets[state])) {
      drawArrow(pen, left + map.cell / 2, top + map.cell / 2, direction, map.cell * 0.3);
    }
  });
  pen.globalAlpha = 1;
}

/** The directions of the actions in a set; bits beyond 31 would need more than shifts. */
export function wanted(actions, set) {
  return actions.filter(({ direction }, action) => direction
    && Math.floor(set / 2 ** action) % 2).map(({ direction }) => direction);
}

function drawArrow(pen, x, y, direction, reach) {
  const length = Math.hypot(...direction);
  if (!length) {
    pen.fillRect(x - 2, y - 2, 4, 4);
    return;
  }
  const [right, down] = direction.map((step) => step / length * reach);
  pen.beginPath();
  pen.moveTo(x - right * 0.2, y - down * 0.2);
  pen.lineTo(x + right, y + down);
  pen.moveTo(x + right * 0.55 - down * 0.35, y + down * 0.55 + right * 0.35);
  pen.lineTo(x + right, y + down);
  pen.lineTo(x + right * 0.55 + down * 0.35, y + down * 0.55 - right * 0.35);
  pen.stroke();
}

function line(pen, x1, y1, x2, y2) {
  pen.moveTo(x1, y1);
  pen.lineTo(x2, y2);
}
