// Fingers and mice on a map: a press picks, a drag moves the map or paints, two fingers zoom.

const CLICK_PX = 7;         // a pointer that moves farther than this drags
const WHEEL = 0.0016;

/**
 * @param box the element that hears
 * @param on {press(x, y), paint(x, y), move(right, down), zoom(factor, [x, y]), hover(x, y) or
 *   hover(null), paints(): whether a drag paints}
 */
export function watchPointer(box, on, signal) {
  const held = new Map();
  let began = null;
  let far = false;
  const at = (event) => {
    const corner = box.getBoundingClientRect();
    return [event.clientX - corner.left, event.clientY - corner.top];
  };
  const apart = () => {
    const [one, other] = [...held.values()];
    return Math.hypot(one[0] - other[0], one[1] - other[1]);
  };
  const middle = () => {
    const [one, other] = [...held.values()];
    return [(one[0] + other[0]) / 2, (one[1] + other[1]) / 2];
  };

  box.addEventListener('pointerdown', (event) => {
    if (event.button > 0) return;
    box.setPointerCapture?.(event.pointerId);
    held.set(event.pointerId, at(event));
    if (held.size === 1) [began, far] = [at(event), false];
    else far = true;
    on.hover(null);
  }, { signal });
  box.addEventListener('pointermove', (event) => {
    const before = held.get(event.pointerId);
    const now = at(event);
    if (!before) {
      if (event.pointerType === 'mouse') on.hover(...now);
      return;
    }
    if (held.size === 2) {
      const [wide, from] = [apart(), middle()];
      held.set(event.pointerId, now);
      on.move(middle()[0] - from[0], middle()[1] - from[1]);
      if (wide > 10) on.zoom(apart() / wide, middle());
      return;
    }
    const isFirst = !far;
    if (isFirst && Math.hypot(now[0] - began[0], now[1] - began[1]) <= CLICK_PX) return;
    far = true;
    if (on.paints()) {
      if (isFirst) on.paint(...began);
      on.paint(...now);
    } else on.move(now[0] - (isFirst ? began : before)[0], now[1] - (isFirst ? began : before)[1]);
    held.set(event.pointerId, now);
  }, { signal });
  const release = (event) => {
    if (!held.delete(event.pointerId)) return;
    if (event.type === 'pointerup' && !far) on.press(...began);
  };
  box.addEventListener('pointerup', release, { signal });
  box.addEventListener('pointercancel', release, { signal });
  box.addEventListener('pointerleave', () => on.hover(null), { signal });
  box.addEventListener('wheel', (event) => {
    event.preventDefault();
    on.zoom(Math.exp(-WHEEL * Math.max(-300, Math.min(300, event.deltaY))), at(event));
  }, { signal, passive: false });
}
