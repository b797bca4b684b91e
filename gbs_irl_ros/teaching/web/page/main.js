// The teaching page: each panel shows a part of the state and lets the person change it.
// A further view is a module in panels, loaded here, with its place in index.html.

import './labels.js';
import './twice.js';
import './panels/faces.js';
import './panels/header.js';
import './panels/asking.js';
import './panels/answers.js';
import './panels/picture.js';
import './panels/belief.js';
import './panels/region.js';
import './panels/place.js';
import './panels/words.js';
import './panels/speech.js';
import './panels/why.js';
import './panels/robot.js';
import './panels/driving.js';
import './panels/path.js';
import './panels/rehearsal.js';
import './panels/ahead.js';
import './panels/history.js';
import './panels/editing.js';
import './panels/pins.js';
import './panels/zones.js';
import './panels/tour.js';
import './panels/languages.js';
import './keyboard.js';
