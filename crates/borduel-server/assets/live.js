// Pages that follow the votes: numbers at once, everything with `data-fresh` whenever results were computed again.
const { live, page } = document.querySelector('[data-live]').dataset;
let busy = false;
let again = false;

/** Whether somebody has filled in a field otherwise than it came. */
function touched(field) {
  if (field.matches('[type=checkbox], [type=radio]')) return field.checked !== field.defaultChecked;
  if (field.localName !== 'select') return field.value !== field.defaultValue;
  return field.selectedIndex !== Math.max([...field.options].findIndex((option) => option.defaultSelected), 0);
}

/** Whether somebody is at work in it, or has left something there that is not sent: then it stays as it is. */
const inUse = (part) => part.contains(document.activeElement) && document.activeElement.matches('input, textarea, select')
  || Boolean(part.querySelector('details[open] form'))
  || [...part.querySelectorAll('input, textarea, select')].some(touched);

/** Puts new content in its place; what was opened or scrolled stays so, and the focus where it was. */
function replace(part, fresh) {
  const opened = [...part.querySelectorAll('details')].map((one) => one.open);
  const places = [...part.querySelectorAll('.scroll')].map((box) => box.scrollLeft);
  const focus = [...part.querySelectorAll('a, button, summary, [tabindex]')].indexOf(document.activeElement);
  part.replaceChildren(...fresh.childNodes);
  part.querySelectorAll('details').forEach((one, at) => { one.open = opened[at] ?? false; });
  part.querySelectorAll('.scroll').forEach((box, at) => { box.scrollLeft = places[at] ?? 0; });
  if (focus >= 0) part.querySelectorAll('a, button, summary, [tabindex]')[focus]?.focus({ preventScroll: true });
}

async function refresh() {
  if (busy) {
    again = true;
    return;
  }
  busy = true;
  // What a form has answered has another address than the page that it belongs to.
  const response = await fetch(location.pathname === page ? page + location.search : page).catch(() => null);
  if (response?.ok) {
    const now = new DOMParser().parseFromString(await response.text(), 'text/html');
    for (const part of document.querySelectorAll('[data-fresh]')) {
      const fresh = now.getElementById(part.id);
      if (fresh && fresh.innerHTML !== part.innerHTML && !inUse(part)) replace(part, fresh);
    }
    // What takes long is not there yet.
    again ||= Boolean(now.querySelector('[data-behind]'));
  } else {
    // A server that has too much to do, or is not there for a moment, is asked again.
    again ||= !response || response.status === 429 || response.status >= 500;
  }
  // Not more often than somebody can read.
  await new Promise((wake) => { setTimeout(wake, 1500); });
  busy = false;
  if (again) {
    again = false;
    refresh();
  }
}

let events;
function follow() {
  events = new EventSource(live);
  events.addEventListener('head', (event) => {
    const head = JSON.parse(event.data);
    for (const place of document.querySelectorAll('[data-now]')) place.textContent = head[place.dataset.now].toLocaleString(`${document.documentElement.lang}-u-nu-latn`);
  });
  events.addEventListener('results', refresh);
  // A browser comes back by itself after a break, but not after a refusal.
  events.addEventListener('error', () => { if (events.readyState === EventSource.CLOSED) setTimeout(follow, 5000); });
}
follow();
addEventListener('pagehide', () => events.close());
addEventListener('pageshow', (event) => { if (event.persisted) follow(); });
// What was done is said once.
if (new URLSearchParams(location.search).has('done')) history.replaceState(null, '', location.pathname + location.hash);
