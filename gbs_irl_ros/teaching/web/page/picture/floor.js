// The floor of a map: cells, walls, regions, and what would be done where.

const SIGNS_FROM = 20;      // smaller cells have no room for a sign
const ARROWS_FROM = 9;      // or for an arrow
const OVER_PICTURE = 0.75;  // how much a cell hides of the picture under it
const NOTABLE = 0.15;       // rewards that differ by less from most places have no sign

export function drawFloor(map) {
  const { canvas, cell, view: { policy } } = map;
  const sharp = devicePixelRatio || 1;
  canvas.width = Math.round(map.width * sharp);
  canvas.height = Math.round(map.height * sharp);
  const pen = canvas.getContext('2d');
  pen.scale(sharp, sharp);
  const style = getComputedStyle(map.stage);
  const colour = (name) => style.getPropertyValue(name).trim();
  pen.fillStyle = colour('--wall');
  pen.fillRect(map.left - 3, map.top - 3, map.columns * cell + 6, map.rows * cell + 6);
  if (map.floor) drawPicture(map, pen, colour);
  drawCells(map, pen, colour);
  drawRegions(map, pen, colour);
  drawWalls(map, pen, colour);
  if (cell >= ARROWS_FROM && policy?.sets.length) drawPolicy(map, pen, colour);
}

/** What the map server shows, fainter than all that is learned. */
function drawPicture(map, pen, colour) {
  const { cell, world: { floor } } = map;
  pen.save();
  pen.beginPath();
  pen.rect(map.left, map.top, map.columns * cell, map.rows * cell);
  pen.clip();
  pen.globalAlpha = Number(colour('--picture'));
  const [x, y] = map.corner(floor.left, floor.top);
  pen.drawImage(map.floor, x, y, floor.columns * cell, floor.rows * cell);
  pen.restore();
}

function drawCells(map, pen, colour) {
  const { cell, columns } = map;
  const { states } = map.world.cells;
  const reward = map.view.policy?.reward ?? [];
  const [floor, good, bad] = [colour('--floor'), colour('--good'), colour('--bad')];
  const size = cell - (cell >= 6 ? 1 : 0) + 0.5;
  const seen = (start, count, length) => [Math.max(0, Math.floor(-start / cell)),
    Math.min(count, Math.ceil((length - start) / cell))];
  const [firstRow, lastRow] = seen(map.top, map.rows, map.height);
  const [firstColumn, lastColumn] = seen(map.left, columns, map.width);
  for (let row = firstRow; row < lastRow; row += 1) {
    for (let column = firstColumn; column < lastColumn; column += 1) {
      const state = states[row * columns + column];
      if (state < 0) continue;
      const [x, y] = map.corner(column, row);
      pen.globalAlpha = map.floor ? OVER_PICTURE : 1;
      pen.fillStyle = floor;
      pen.fillRect(x, y, size, size);
      pen.globalAlpha = 1;
      const worth = reward[state] ?? 0;
      if (worth) {
        pen.globalAlpha = 0.12 + 0.68 * Math.abs(worth);
        pen.fillStyle = worth > 0 ? good : bad;
        pen.fillRect(x, y, size, size);
        pen.globalAlpha = 1;
      }
    }
  }
}

function drawRegions(map, pen, colour) {
  const { cell, columns } = map;
  pen.strokeStyle = colour('--region');
  pen.lineWidth = 1.5;
  pen.setLineDash([4, 3]);
  pen.beginPath();
  for (const { states } of map.world.regions) {
    const mine = new Set(states.map((state) => map.cellOf[state]));
    for (const at of mine) {
      const column = at % columns;
      const [x, y] = map.corner(column, Math.floor(at / columns));
      if (!mine.has(at - columns)) line(pen, x, y, x + cell, y);
      if (!mine.has(at + columns)) line(pen, x, y + cell, x + cell, y + cell);
      if (column === 0 || !mine.has(at - 1)) line(pen, x, y, x, y + cell);
      if (column === columns - 1 || !mine.has(at + 1)) line(pen, x + cell, y, x + cell, y + cell);
    }
  }
  pen.stroke();
  pen.setLineDash([]);
}

/** Thin walls between two cells. */
function drawWalls(map, pen, colour) {
  const { cell } = map;
  pen.strokeStyle = colour('--wall');
  pen.lineWidth = Math.max(2, cell / 8);
  pen.beginPath();
  for (const [row, column, side] of map.world.cells.walls) {
    const [x, y] = map.corner(column, row);
    line(pen, x + (side ? 0 : cell), y + (side ? cell : 0), x + cell, y + cell);
  }
  pen.stroke();
}

function drawPolicy(map, pen, colour) {
  const { actions } = map.world;
  const { asked, policy: { sets, sure, reward } } = map.view;
  pen.strokeStyle = pen.fillStyle = colour('--policy');
  pen.lineWidth = Math.max(1, map.cell / 14);
  for (let state = 0; state < sets.length; state += 1) {
    const [x, y] = map.middle(state);
    if (x < 0 || y < 0 || x > map.width || y > map.height) continue;
    const worth = reward[state] ?? 0;
    if (Math.abs(worth) > NOTABLE && map.cell >= SIGNS_FROM) drawSign(map, pen, worth, x, y);
    if (state === asked) continue;
    // Sure arrows are long and dark, unsure ones short and faint.
    const certain = sure[state] ?? 0;
    pen.globalAlpha = 0.25 + 0.75 * certain;
    const reach = map.cell * (0.16 + 0.2 * certain);
    actions.forEach(({ direction }, action) => {
      // Bits beyond 31 would need more than JavaScript's shifts.
      if (direction && Math.floor(sets[state] / 2 ** action) % 2) {
        drawArrow(pen, x, y, direction, reach);
      }
    });
  }
  pen.globalAlpha = 1;
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

/** Good and bad places have a sign, not a colour alone. */
function drawSign(map, pen, worth, x, y) {
  pen.globalAlpha = 1;
  pen.font = `bold ${Math.max(9, map.cell / 3)}px sans-serif`;
  pen.textAlign = 'right';
  pen.textBaseline = 'top';
  pen.fillText(worth > 0 ? '+' : '−', x + map.cell / 2 - 2, y - map.cell / 2 + 1);
}

function line(pen, x1, y1, x2, y2) {
  pen.moveTo(x1, y1);
  pen.lineTo(x2, y2);
}
