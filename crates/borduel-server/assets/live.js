// Results that follow the votes: numbers at once, pictures whenever they were computed again.
const live = document.getElementById('live');
let busy = false;
let again = false;

async function refresh() {
  if (busy) {
    again = true;
    return;
  }
  busy = true;
  const response = await fetch(live.dataset.part).catch(() => null);
  if (response?.ok) {
    const part = new DOMParser().parseFromString(await response.text(), 'text/html');
    // Whoever scrolls or reads a part of it finds it where it was.
    const places = [...live.querySelectorAll('.scroll')].map((box) => box.scrollLeft);
    live.replaceChildren(...part.body.childNodes);
    live.querySelectorAll('.scroll').forEach((box, at) => { box.scrollLeft = places[at] ?? 0; });
  }
  // Not more often than somebody can read.
  await new Promise((wake) => { setTimeout(wake, 1500); });
  busy = false;
  if (again) {
    again = false;
    refresh();
  }
}

const events = new EventSource(live.dataset.live);
events.addEventListener('head', (event) => {
  const head = JSON.parse(event.data);
  for (const place of live.querySelectorAll('[data-now]')) place.textContent = head[place.dataset.now];
});
events.addEventListener('results', refresh);
addEventListener('pagehide', () => events.close());
