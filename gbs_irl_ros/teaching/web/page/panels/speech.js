// Speaking instead of typing, only where the browser understands speech by itself: nothing that is
// said leaves this machine. Otherwise there is no button.

import { byId, onPress } from '../dom.js';
import { language } from '../language.js';
import { WORDS } from '../texts.js';
import { tell } from '../toast.js';
import { sendWords } from './words.js';

const Recogniser = window.SpeechRecognition;
const OPTIONS = { langs: [language], processLocally: true };
let heard = null;           // what listens now

async function isLocal() {
  if (!Recogniser?.available || !('processLocally' in Recogniser.prototype)) return false;
  try {
    return await Recogniser.available(OPTIONS) === 'available';
  } catch {
    return false;
  }
}

isLocal().then((can) => { byId('words-speak').hidden = !can; });
onPress('words-speak', () => (heard ? heard.stop() : listen()));

function listen() {
  heard = Object.assign(new Recogniser(), { lang: OPTIONS.langs[0], processLocally: true });
  const button = byId('words-speak');
  button.setAttribute('aria-pressed', 'true');
  tell(WORDS.listening);
  heard.onresult = ({ results }) => {
    byId('words-text').value = results[0][0].transcript;
    sendWords();
  };
  heard.onerror = () => tell(WORDS.notHeard);
  heard.onend = () => {
    heard = null;
    button.setAttribute('aria-pressed', 'false');
  };
  heard.start();
}
