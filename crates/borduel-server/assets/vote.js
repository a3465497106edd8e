// Voting: the next pair is there before the tap, answers wait in the browser until the server has them.
import { add, fill, list, mine, part, post, send, withdraw, words as told } from './waiting.js';

const main = document.querySelector('main.ballot');
const form = document.getElementById('ballot');
const stock = document.getElementById('pairs');
const saved = document.getElementById('saved');
const said = document.getElementById('said');
const count = document.getElementById('count');
const bar = document.querySelector('progress');
const undoButton = document.querySelector('#undo button');
const finish = document.getElementById('finish');
const { base, tail, end } = main.dataset;
const words = main.dataset;
// The organiser looks at it: nothing is sent or kept.
const preview = 'preview' in words;
// Whoever passes the address on passes on that of the study.
if (new URLSearchParams(location.search).has('started')) history.replaceState(null, '', base + tail);

// Whether several questions are asked about each pair: then their answers are sent together.
const several = 'several' in words;

// So long nothing is answered after a pair has come: a hand that was already moving, and what the study wants.
const LEAST = Math.max(250, 1000 * Number(words.least ?? 0));
let release = () => {};
/** Has the buttons that answer wait for as long as the study wants, where that is long enough to be seen. */
function hold(pair) {
  release();
  if (!('least' in words)) return;
  const buttons = [...pair.querySelectorAll('button[name=answer]'), ...form.querySelectorAll('.others button')];
  for (const button of buttons) button.disabled = true;
  const timer = setTimeout(() => release(), LEAST);
  release = () => {
    clearTimeout(timer);
    for (const button of buttons) button.disabled = false;
  };
}

let last = null; // What was answered last: { q, pair }.
let shown = performance.now(); // When the pair on the screen came.
let over = preview;
let going = null; // What somebody does who leaves, once everything is sent.

// How many of this voter's answers wait.
const unsent = () => (preview ? 0 : mine().length);
const answered = new Set(preview ? [] : list().map((one) => one.q));
const current = () => stock.querySelector('.pair:not([hidden])');
const pairOf = (q) => stock.querySelector(`.pair[data-q="${CSS.escape(String(q))}"]`);

function tell() {
  const waiting = preview ? 0 : list().length;
  const why = going ? (navigator.onLine ? words.moment : words.offline) : fill(told.waiting, waiting);
  saved.textContent = waiting || going ? ` · ${why}` : '';
  saved.classList.toggle('waiting', saved.textContent !== '' && !navigator.onLine);
  finish.hidden = !preview && !Number(bar.value);
  if (undoButton) undoButton.disabled = !last && !Number(bar.value);
}

function far(given, goal) {
  bar.max = goal;
  bar.value = given;
  count.textContent = fill(words.of, given, goal);
}

// Shows the first pair that is not answered, if it is not on the screen already.
function show() {
  for (const pair of [...stock.children]) if (answered.has(Number(pair.dataset.q))) pair.remove();
  const next = stock.firstElementChild;
  // Without a pair there is nothing to answer.
  for (const button of form.querySelectorAll('.others button')) button.disabled = !next;
  if (!next) {
    if (over && !unsent()) location.href = end;
    else if (!over) say(navigator.onLine ? words.moment : words.offline);
    return;
  }
  for (const other of stock.children) {
    other.hidden = other !== next;
    for (const asked of other.querySelectorAll('.criteria fieldset')) asked.disabled = other !== next;
  }
  form.elements.q.value = next.dataset.q;
  if (next.dataset.met) return;
  next.dataset.met = 'yes';
  shown = performance.now();
  hold(next);
  scrollTo(0, 0);
  // The focus has the question read out; what is told besides is only how far one is.
  next.querySelector('h2').focus({ preventScroll: true });
  say(count.textContent);
}

function say(text) {
  said.textContent = text;
  let note = document.getElementById('note');
  if (stock.children.length) note?.remove();
  else {
    if (!note) {
      note = Object.assign(document.createElement('p'), { id: 'note', className: 'lead' });
      stock.after(note);
    }
    note.textContent = text;
  }
}

// Pairs that the server has opened; those that come again after an undo stand first.
function take(news) {
  over = news.hasAttribute('data-over');
  far(Number(news.dataset.answered) + unsent(), Number(news.dataset.goal));
  for (const pair of [...news.children]) {
    const q = Number(pair.dataset.q);
    if (answered.has(q) || pairOf(q)) continue;
    pair.hidden = true;
    stock.append(document.adoptNode(pair));
    for (const image of pair.querySelectorAll('img')) image.decode().catch(() => {});
  }
}

/** Sends what waits; of somebody who voted here before it changes nothing on this page. */
const go = () => send({
  taken({ pass }, news) {
    if (!pass || pass === told.pass) take(news);
    tell();
    show();
    if (!unsent()) going?.();
  },
  stuck: tell,
  lost(why) {
    try { sessionStorage.setItem('borduel-note', why); } catch { /* a browser that keeps nothing */ }
    location.href = base + tail;
  },
});

// Whoever goes leaves no answer behind: what waits is sent first. Without a network there is nowhere to go.
function first(event, leave) {
  if (preview || (!unsent() && navigator.onLine)) return;
  event.preventDefault();
  going = leave;
  tell();
}
finish.addEventListener('click', (event) => first(event, () => { location.href = end; }));
document.getElementById('leave')?.addEventListener('submit', (event) => {
  first(event, () => event.target.submit());
  // Whoever comes next must not answer for whoever has gone.
  form.hidden = event.defaultPrevented;
});

// Takes the answer to the pair on the screen: a word, or the fields of several questions.
function vote(answer, card) {
  const pair = current();
  if (!pair || form.hidden || performance.now() - shown < LEAST) return;
  const q = Number(pair.dataset.q);
  const [one, two] = pair.querySelectorAll('.card');
  const stacked = two.getBoundingClientRect().top >= one.getBoundingClientRect().bottom - 1;
  const answers = typeof answer === 'string' ? { answer } : answer;
  going = null;
  if (!preview) add({ q, ...answers, ms: Math.min(Math.round(performance.now() - shown), 86400000), stacked });
  answered.add(q);
  last = { q, pair };
  card?.classList.add('chosen');
  far(Number(bar.value) + 1, bar.max);
  show();
  tell();
  if (!preview) go();
}

async function undo() {
  if (!last && !Number(bar.value)) return;
  going = null;
  if (last && (preview || withdraw(last.q))) {
    // It was not sent yet: it never happened.
    answered.delete(last.q);
    delete last.pair.dataset.met;
    last.pair.querySelector('.chosen')?.classList.remove('chosen');
    stock.prepend(last.pair);
    far(Number(bar.value) - 1, bar.max);
    last = null;
  } else {
    let news = null;
    while (unsent()) await new Promise((wake) => { setTimeout(wake, 100); });
    try {
      news = await part(await post('undo', { ...(last ? { q: last.q } : {}), pass: told.pass }));
    } catch { /* the network is gone */ }
    if (!news) {
      said.textContent = saved.textContent = words.notUndone;
      return;
    }
    const before = new Set([...stock.children].map((pair) => pair.dataset.q));
    take(news);
    const again = [...stock.children].find((pair) => !before.has(pair.dataset.q));
    if (again) stock.prepend(again);
    last = null;
  }
  show();
  tell();
}

// What is chosen by now of several questions, and those that are still open.
const chosen = () => Object.fromEntries([...current().querySelectorAll('.criteria input:checked')].map((one) => [one.name, one.value]));
const unanswered = () => [...(current()?.querySelectorAll('.criteria fieldset') ?? [])].filter((one) => !one.querySelector(':checked'));

form.addEventListener('submit', (event) => {
  event.preventDefault();
  const button = event.submitter;
  if (several) vote(chosen());
  else if (button?.name === 'answer') vote(button.value, button.closest('.card'));
});
document.getElementById('undo')?.addEventListener('submit', (event) => {
  event.preventDefault();
  undo();
});
stock.addEventListener('click', (event) => {
  const zoom = event.target.closest('.zoom');
  if (zoom) {
    event.preventDefault();
    enlarge(zoom.href, zoom.parentElement.querySelector('img').alt);
    return;
  }
  const card = event.target.closest('.card');
  if (!card || event.target.closest('a, button, summary, audio, video, .words') || String(getSelection())) return;
  // A text is touched to be read, and a card does not say how much better it is: there only the buttons choose.
  if (card.matches('.by-button, .reads:not(:has(.picture))')) return;
  vote(card.dataset.side, card);
});
// A picture that did not come is asked for again by a button, and by itself when the network is back.
function missing(image) {
  const box = image.closest('.picture');
  if (!box || box.querySelector('.gone')) return;
  const gone = Object.assign(document.createElement('div'), { className: 'gone' });
  const button = Object.assign(document.createElement('button'), { type: 'button', textContent: box.dataset.again });
  gone.append(Object.assign(document.createElement('p'), { textContent: box.dataset.missing }), button);
  button.addEventListener('click', () => again(box));
  box.append(gone);
}
function again(box) {
  const image = box.querySelector('img');
  box.querySelector('.gone').remove();
  image.src = image.getAttribute('src');
}
// Errors of pictures do not bubble; some came before this script.
stock.addEventListener('error', (event) => { if (event.target.matches?.('img')) missing(event.target); }, true);
for (const image of stock.querySelectorAll('.picture img')) if (image.complete && !image.naturalWidth) missing(image);
addEventListener('online', () => stock.querySelectorAll('.picture:has(.gone)').forEach(again));

function enlarge(source, alt) {
  const dialog = document.createElement('dialog');
  const close = Object.assign(document.createElement('button'), { type: 'button', textContent: `✕ ${words.close}` });
  dialog.append(Object.assign(new Image(), { src: source, alt }), close);
  dialog.addEventListener('click', () => dialog.close());
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

// What is read from right to left has the first on its right. Where one says how much better something is, 1 to 4 run from much on one side to much on the other.
const [left, right] = document.documentElement.dir === 'rtl' ? ['second', 'first'] : ['first', 'second'];
const sides = 'grades' in words
  ? { 1: 'much-first', 2: 'slight-first', 3: 'slight-second', 4: 'much-second', ArrowLeft: `slight-${left}`, ArrowRight: `slight-${right}` }
  : { ArrowLeft: left, ArrowRight: right };
const keys = { ...sides, ' ': 'tie', ArrowDown: 'both-bad', s: 'skip', S: 'skip' };
addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || document.querySelector('dialog')) return;
  // What plays has keys of its own.
  if (event.target.closest('audio, video')) return;
  // A button or a fold that has the focus takes space for itself, a text takes the arrows that scroll it.
  if (event.key === ' ' && event.target.closest('button, a, summary, .words')) return;
  if (event.key === 'ArrowDown' && event.target.closest('.words')) return;
  if (event.key === 'z' || event.key === 'Z') {
    event.preventDefault();
    undo();
    return;
  }
  const answer = keys[event.key];
  if (!answer) return;
  if (several) {
    // A choice that has the focus takes the arrows and space for itself.
    if (event.target.closest('input') && event.key !== 's' && event.key !== 'S') return;
    const [asked, ...rest] = unanswered();
    const choice = asked?.querySelector(`input[value="${answer}"]`);
    if (!choice || performance.now() - shown < (rest.length ? 250 : LEAST)) return;
    event.preventDefault();
    choice.checked = true;
    said.textContent = choice.nextElementSibling.firstElementChild.textContent;
    if (!rest.length) vote(chosen());
    return;
  }
  const button = current()?.querySelector(`button[value="${answer}"]`) ?? form.querySelector(`.others button[value="${answer}"]`);
  if (!button) return;
  event.preventDefault();
  vote(answer, button.closest('.card'));
});
addEventListener('offline', tell);
addEventListener('online', () => {
  tell();
  if (!preview) go();
  if (!unsent()) going?.();
});

far(Number(bar.value) + unsent(), Number(bar.max));
show();
tell();
if (!preview) go();
