// The teaching page: each panel shows a part of the state and lets the person change it.
// A further view is a module in panels, loaded by index.html where its place is.

import './panels/header.js';
import './panels/asking.js';
import './panels/answers.js';
import './panels/picture.js';
import './panels/progress.js';
import './panels/place.js';
import './panels/words.js';
import './panels/why.js';
import './panels/robot.js';
import './panels/driving.js';
import './panels/path.js';
import './panels/rehearsal.js';
import './panels/history.js';
import './keyboard.js';
