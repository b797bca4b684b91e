// A double click is one press: what its first click has brought up was not meant by the second.
// Fingers tap as fast as they mean to.

import { byId } from './dom.js';

let first = '';

document.addEventListener('click', (event) => {
  const button = event.target.closest('button');
  const pressed = `${byId('lesson').dataset.question} ${button?.textContent}`;
  if (event.detail < 2 || event.pointerType === 'touch') {
    first = pressed;
  } else if (pressed !== first) {
    event.preventDefault();
    event.stopImmediatePropagation();
  }
}, true);
