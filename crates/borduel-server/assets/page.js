// What all pages do: take a token out of the link, copy links, and say that there is a script.
document.documentElement.classList.add('script');

// A token in the fragment was sent nowhere; the server gives a cookie for it, and it goes from the address.
async function enter() {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (!token) return;
  const slug = location.pathname.match(/^\/s\/([^/]+)/)?.[1] ?? '';
  const embed = new URLSearchParams(location.search).has('embed');
  history.replaceState(null, '', location.pathname + location.search);
  const body = new URLSearchParams({ token, slug, embed: String(embed) });
  const answer = await fetch('/session', { method: 'POST', body, redirect: 'manual' });
  if (answer.type === 'opaqueredirect') location.reload();
}
addEventListener('hashchange', enter);
enter();

for (const button of document.querySelectorAll('[data-copy]')) {
  button.hidden = !navigator.clipboard;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(button.dataset.copy);
    button.textContent = `✓ ${button.textContent.replace(/^✓ /, '')}`;
  });
}

// What must be filled in and is not can be in a part that is closed: then nobody would see why nothing happens.
addEventListener('invalid', ({ target }) => target.closest('details')?.setAttribute('open', ''), true);

// Within a page of another site: how tall this page is, and whether the voter has finished, for whoever frames it.
if (window !== parent && new URLSearchParams(location.search).has('embed')) {
  const done = document.querySelector('main[data-done]') !== null;
  const tell = () => parent.postMessage({ borduel: 1, study: location.pathname.split('/')[2], height: document.documentElement.scrollHeight, done }, '*');
  new ResizeObserver(tell).observe(document.body);
}

/** Says something at the top of the page, in the place of what was said there before. */
export function say(text) {
  document.querySelector('main > .note')?.remove();
  const note = Object.assign(document.createElement('p'), { className: 'note', textContent: text, role: 'status' });
  document.querySelector('main').prepend(note);
  return note;
}

// What the page before has to say.
try {
  const note = sessionStorage.getItem('borduel-note');
  if (note) {
    sessionStorage.removeItem('borduel-note');
    say(note);
  }
} catch { /* a browser that keeps nothing */ }

// The tab that one is on is in sight, also where not all of them are.
const tab = document.querySelector('.tabs [aria-current]');
if (tab) tab.parentElement.scrollLeft = tab.offsetLeft - (tab.parentElement.clientWidth - tab.offsetWidth) / 2;

// A form is sent once, however often its button is pressed while the next page is on its way.
const sent = new Set();
addEventListener('submit', (event) => {
  const form = event.target;
  if (event.defaultPrevented) return;
  if (sent.has(form)) event.preventDefault();
  sent.add(form);
  setTimeout(() => sent.delete(form), 3000);
});

// A device that many share: whoever leaves it alone makes room for the next voter.
const leave = document.querySelector('#leave[data-idle]');
if (leave) {
  let idle;
  const touched = () => {
    clearTimeout(idle);
    idle = setTimeout(() => leave.requestSubmit(), 1000 * Number(leave.dataset.idle));
  };
  for (const sign of ['pointerdown', 'keydown', 'scroll', 'wheel']) addEventListener(sign, touched, { passive: true });
  touched();
}

const start = document.getElementById('start');
if (start && !navigator.cookieEnabled) {
  // Without a cookie every start would be another voter's.
  const head = Object.assign(document.createElement('h2'), { textContent: start.dataset.cookies });
  const why = Object.assign(document.createElement('p'), { className: 'wrong', textContent: start.dataset.cookiesWhy });
  start.replaceWith(head, why);
} else if (start && 'again' in start.dataset) {
  setTimeout(() => start.requestSubmit(), 3000 + 4000 * Math.random());
}
