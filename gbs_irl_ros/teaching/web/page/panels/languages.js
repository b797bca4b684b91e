// The choice of a language, kept in this browser.

import { byId, make } from '../dom.js';
import { choose, language, languages } from '../language.js';

const box = byId('language');

box.replaceChildren(...Object.entries(languages).map(([code, name]) => make('option', {
  value: code, lang: code, text: name, selected: code === language })));
box.addEventListener('change', () => choose(box.value));
