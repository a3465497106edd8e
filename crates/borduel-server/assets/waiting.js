// Answers that the server has not acknowledged. Each carries the pass of whoever gave it, so that it counts for that voter, whoever votes in
// this browser by then; what is left when a page is closed is sent by the next page of the study that is opened here.
import { say } from './page.js';

export const words = document.getElementById('waiting').dataset;
const preview = location.pathname.endsWith('/preview');
const base = location.pathname.split('/').slice(0, 3).join('/');
const key = `borduel-answers-${base}`;
let kept = null; // The list, where the browser keeps nothing.

export const fill = (sentence, ...parts) => parts.reduce((text, part) => text.replace('{}', part), sentence);

/** Them all: [{ q, answer, ms, stacked, pass }], of several questions `answer.` and its key in the place of `answer`. Other tabs write to it as well, so it is read each time. */
export function list() {
  if (kept) return kept;
  try { return JSON.parse(localStorage.getItem(key)) ?? []; } catch { return []; }
}
function write(next) {
  if (kept) kept = next;
  else try { localStorage.setItem(key, JSON.stringify(next)); } catch { kept = next; }
}
/** Those of the voter whose page this is. */
export const mine = () => list().filter(({ pass }) => !pass || pass === words.pass);
export const add = (answer) => write([...list(), { ...answer, pass: words.pass }]);
const without = (q) => write(list().filter((one) => one.q !== q));

let sending = false;
let flies = null; // The question whose answer is on its way: the server may have it, though it did not say so.
/** Takes an answer out that was not sent yet; whether there was one. */
export function withdraw(q) {
  if (flies === q || !list().some((one) => one.q === q)) return false;
  without(q);
  return true;
}

// A connection that hangs is given up: what is sent again counts once.
export const post = (path, fields) => fetch(`${base}/${path}`, {
  method: 'POST', body: new URLSearchParams(fields), headers: { 'X-Borduel': 'part' }, signal: AbortSignal.timeout(30000),
});
/** The part of a page that the server has sent, if it was this server. */
export async function part(response) {
  return response?.ok ? new DOMParser().parseFromString(await response.text(), 'text/html').querySelector('[data-answered]') : null;
}

/** What is told of answers that were refused for good: nothing is lost without a word. */
async function why(refused) {
  const text = await fetch(base).then((page) => page.text(), () => '');
  const goesOn = new DOMParser().parseFromString(text, 'text/html').querySelector('main.ballot');
  if (!goesOn) return fill(words.lost, refused.length);
  return refused.every(({ pass }) => !pass || pass === words.pass) ? words.elsewhere : words.notCounted;
}

let wait = 500;
/** Sends them, one after the other, until there are none: `taken` is told of each that was, `stuck` that it has to wait, `lost` why some were refused. */
export async function send({ taken, stuck, lost }) {
  if (sending) return;
  sending = true;
  const refused = [];
  for (let [one] = list(); one; [one] = list()) {
    flies = one.q;
    let response = null;
    let shown = null;
    try {
      response = await post('answer', one);
      shown = await part(response);
    } catch { /* the network is gone */ }
    // What stands between here and the server may answer as well: that is no acknowledgement, and no refusal.
    const ours = response?.headers.get('content-type') === 'application/problem+json';
    if (shown) {
      without(one.q);
      wait = 500;
      taken(one, shown);
    } else if (ours && response.status < 500 && response.status !== 429) {
      without(one.q);
      refused.push(one);
    } else {
      stuck();
      await new Promise((wake) => { setTimeout(wake, wait); addEventListener('online', wake, { once: true }); });
      wait = Math.min(2 * wait, 15000);
    }
  }
  flies = null;
  sending = false;
  if (refused.length) lost(await why(refused));
}

// A page that is no ballot sends what is left, and shows the thanks anew for it.
if (!document.querySelector('main.ballot') && list().length) {
  const note = say('');
  const anew = mine().length > 0 && !document.getElementById('start');
  let gone = false;
  const tell = () => { note.textContent = fill(words.waiting, list().length); };
  tell();
  send({ taken: tell, stuck: tell, lost(why) { gone = true; note.textContent = why; } }).then(() => {
    if (gone) return;
    note.remove();
    if (anew) location.reload();
  });
}

// A browser votes as one: when somebody else begins in another tab, this one follows.
if (!preview) {
  const [place, voter] = [`borduel-voter-${base}`, words.pass.split('.')[0]];
  try { localStorage.setItem(place, voter); } catch { /* a browser that keeps nothing */ }
  addEventListener('storage', (event) => { if (event.key === place && event.newValue !== voter) location.reload(); });
  // What a browser brings back as it was may be another voter's by now, or over.
  addEventListener('pageshow', (event) => { if (event.persisted) location.reload(); });
}

// Without a network what is filled in stays, in the place of the browser's page of errors.
document.addEventListener('submit', (event) => {
  if (event.defaultPrevented || navigator.onLine) return;
  event.preventDefault();
  say(words.written).scrollIntoView({ block: 'nearest' });
});
