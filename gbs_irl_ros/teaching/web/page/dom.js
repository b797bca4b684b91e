// Small helpers for elements. All text goes through textContent: names are never markup.

const SVG = 'http://www.w3.org/2000/svg';

export const byId = (id) => document.getElementById(id);

/** Make an element. `text` becomes its text, `on` its listeners, the rest attributes. */
export function make(tag, properties = {}, ...children) {
  return fill(document.createElement(tag), properties, children);
}

/** The same for a part of a drawing. */
export function makeSvg(tag, properties = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), properties, children);
}

function fill(element, { text, on = {}, ...attributes }, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null && value !== false) {
      element.setAttribute(name, value === true ? '' : value);
    }
  }
  for (const [name, listener] of Object.entries(on)) element.addEventListener(name, listener);
  if (text !== undefined) element.textContent = text;
  element.append(...children);
  return element;
}

/** Set a text only if it changes: a screen reader would read it again. */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** A text that begins with a capital letter. */
export function upper(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Make a sentence of a text. */
export function capital(text) {
  return `${upper(text)}${/[.!?…]$/.test(text) ? '' : '.'}`;
}

/** Add the key that does the same as a button. */
export function keyed(button, key) {
  if (key) {
    button.append(make('kbd', { class: 'key', text: key, 'aria-hidden': 'true' }));
    button.setAttribute('aria-keyshortcuts', key === '⌫' ? 'Backspace' : key);
  }
  return button;
}

/** Give a button another label, and the key that does the same. */
export function relabel(button, text, key = '') {
  if (button.dataset.shown === text) return;
  button.dataset.shown = text;
  button.textContent = text;
  if (!key) return;
  keyed(button, key);
}

/** Have a function called when a button is pressed. */
export function onPress(id, pressed) {
  byId(id).addEventListener('click', () => pressed());
}

export function percent(share) {
  return `${share >= 0.995 && share < 1 ? '>99' : Math.round(100 * share)} %`;
}

/** An arrow for a step [right, down] on the screen; a dot for staying; nothing without one. */
export function arrow(direction, size = 26) {
  const box = makeSvg('svg', { viewBox: '-12 -12 24 24', width: size, height: size,
    'aria-hidden': 'true', class: 'arrow' });
  if (!direction) return box;
  const [right, down] = direction;
  if (right === 0 && down === 0) {
    box.append(makeSvg('rect', { x: -5, y: -5, width: 10, height: 10, rx: 2,
      fill: 'currentColor' }));
    return box;
  }
  const turn = Math.atan2(down, right) * 180 / Math.PI;
  box.append(makeSvg('path', { d: 'M-9 -2.5H1V-8L10 0L1 8V2.5H-9Z', fill: 'currentColor',
    transform: `rotate(${turn})` }));
  return box;
}
