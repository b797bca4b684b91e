// One key for each answer. Arrow keys mean the direction in which an action leads.

const ARROWS = { ArrowUp: [0, -1], ArrowRight: [1, 0], ArrowDown: [0, 1], ArrowLeft: [-1, 0] };

export class Keyboard {
  /**
   * @param on {action(number), digit(number), key(name) → whether it was used, isMoving()}
   */
  constructor(on) {
    this.on = on;
    this.enabled = true;
    this.world = null;
    document.addEventListener('keydown', (event) => this.press(event));
  }

  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    // Whatever has the focus: a robot that moves is stopped by the space bar and by Escape.
    if ((event.key === ' ' || event.key === 'Escape') && this.on.isMoving()) {
      event.preventDefault();
      if (!event.repeat) this.on.key(' ');
      return;
    }
    const target = event.target;
    const typing = target instanceof Element
      && target.closest('input:not([type=checkbox]), textarea, select, dialog[open]');
    if (!this.enabled || typing) return;
    const pressing = target instanceof Element && target.closest('button, summary, a');
    if (pressing && (event.key === 'Enter' || event.key === ' ')) return;
    if (this.use(event)) event.preventDefault();
  }

  use(event) {
    const { key } = event;
    const actions = this.world?.actions ?? [];
    let action = -1;
    if (ARROWS[key]) {
      const [right, down] = ARROWS[key];
      action = actions.findIndex(({ direction }) => direction
        && direction[0] === right && direction[1] === down);
    } else {
      action = actions.findIndex((each) => each.key && each.key === key);
      if (action < 0) {
        action = actions.findIndex((each) => each.key
          && each.key.toLowerCase() === key.toLowerCase());
      }
    }
    if (event.repeat && key !== 'Backspace') return action >= 0;   // one press, one answer
    if (/^[1-9]$/.test(key) && this.on.digit(Number(key))) return true;
    if (action >= 0 && this.on.action(action)) return true;
    return this.on.key(key.length === 1 ? key.toLowerCase() : key);
  }
}
