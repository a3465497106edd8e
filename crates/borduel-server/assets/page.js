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
    button.textContent = 'Copied';
  });
}
