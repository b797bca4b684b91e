// The language of this page: the one that was chosen here, or else the browser's first that there
// is. Sentences are English in texts.js and labels.js; the others are in catalogues of the node.

const PLACE = 'gbs-irl-language';
const ENGLISH = 'en';

/** The languages that there are: {code: name}. */
export const languages = await get('/languages.json') ?? { [ENGLISH]: 'English' };
export const language = chosen();
const { '': about, ...sentences } = language === ENGLISH ? {}
  : await get(`/languages/${language}.json`) ?? {};
document.documentElement.lang = language;

async function get(path) {
  try {
    const reply = await fetch(path);
    return reply.ok ? await reply.json() : null;
  } catch {
    return null;                // no connection: English is here
  }
}

function chosen() {
  let kept = null;
  try {
    kept = localStorage.getItem(PLACE);
  } catch { /* private mode */ }
  const wanted = [kept, ...navigator.languages].map((each) => each?.split('-')[0].toLowerCase());
  return wanted.find((each) => Object.hasOwn(languages, each)) ?? ENGLISH;
}

/** Have this page in another language from now on. */
export function choose(code) {
  try {
    localStorage.setItem(PLACE, code);
  } catch { /* private mode: it stays as it is */ }
  location.reload();
}

const filled = (text, data) => text.replace(/\{(\w+)\}/g, (all, name) => data[name] ?? all);

/** A sentence in this language; one that it lacks is in English. */
export function tr(text, data = {}) {
  return filled(sentences[text] ?? text, data);
}

/** A sentence that counts something: in English for one, and for any other number. */
export function trCount(count, one, many, data = {}) {
  return filled((sentences[many] ?? [one, many])[count === 1 ? 0 : 1], { count, ...data });
}

/** A number as it is written. */
export function decimal(value) {
  return String(value).replace('.', about?.decimal ?? '.');
}
