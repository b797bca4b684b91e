// The words of index.html, which has none of its own: with texts.js, all that a translation needs.

import { tr } from './language.js';

const ENGLISH = {
  help: 'Help',
  pins: 'Your answers on the map',
  answers: 'Answers',
  moreAnswers: 'More answers',
  otherAnswers: 'Other answers',
  another: 'Another answer',
  aboutRegion: 'About this region',
  aboutStep: 'About this step',
  driveOver: 'Drive over it this once',
  anotherTask: 'Choose another task',
  teachAnother: 'Teach another task',
  change: 'Change',
  preview: 'Preview',
  yes: 'Yes',
  no: 'No',
  notThroughHere: 'Not through here …',
  cancel: 'Cancel',
  close: 'Close',
  typeCells: 'Type the cells',
  fromColumn: 'From column',
  toColumn: 'to column',
  row: 'row',
  sayIt: 'Say it',
  teachRoute: 'Teach this route',
  teachRouteEnd: 'Teach it, and end there',
  clear: 'Clear',
  drive: 'Drive',
  record: 'Record a demonstration',
  useIt: 'Use it',
  discard: 'Discard',
  stopDriving: 'Back to the question',
  closePreview: 'Close the preview',
  invent: 'Shall I think of other tasks?',
  ownWords: 'Say it in your own words',
  speak: 'Speak',
  tools: 'Tools',
  goHere: 'Go here',
  neverHere: 'Never here',
  route: 'Route',
  onTheWay: 'On the way',
  driveMyself: 'Drive',
  undo: 'Undo',
  zoom: 'The map',
  closer: 'Zoom in',
  farther: 'Zoom out',
  whole: 'Show the whole map',
  belief: 'What I believe',
  believe: 'What I believe',
  ruledOut: 'Tasks ruled out',
  why: 'Why I ask this',
  told: 'What you told me',
  aboutTask: 'About this task',
  startOver: 'Start over …',
  stop: 'STOP',
  tour: 'Show the introduction',
  practise: 'Practise first',
  skip: 'Skip',
  practiceTitle: 'A practice round',
  practiceNote: 'This is a small world on this page alone. Nothing here reaches the robot or '
    + 'your lesson.',
  helpTitle: 'How to teach',
  helpFirst: 'I want to know which task you mean. Answer my questions, or say it directly: press '
    + 'a place or a region on the map, a task under “What I believe”, or use the tools at the '
    + 'side. Start whenever you like: where I am not sure I stop and ask.',
  helpSecond: 'Every answer is saved immediately, and is a pin on the map: press it to change '
    + 'it. You can close this page, or open it on another device.',
  keysTitle: 'Keyboard shortcuts',
  keysOn: 'Use keyboard shortcuts',
  scanning: 'Scanning: the space bar goes to the next choice, Enter takes it',
  keysReset: 'All keys as they were',
  resetTitle: 'Start over?',
  resetText: 'A new lesson begins. What you taught so far is kept on disk, but no longer used.',
  resetYes: 'Start over',
  keyMissing: 'This page needs a key',
  keyText: 'Open the address that the gui node printed in its terminal. It ends with #key=…; you '
    + 'can also paste that address or the key here.',
  keyLabel: 'Address or key',
  open: 'Open',
  language: 'Language',
  title: 'Teach your robot',
};
export const LABELS = Object.fromEntries(Object.entries(ENGLISH).map(
  ([name, text]) => [name, tr(text)]));

for (const element of document.querySelectorAll('[data-text]')) {
  element.textContent = LABELS[element.dataset.text];
}
for (const element of document.querySelectorAll('[data-label]')) {
  element.setAttribute('aria-label', LABELS[element.dataset.label]);
}
document.title = LABELS.title;
