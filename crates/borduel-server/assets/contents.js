// A table or a zip of contexts and contents, chosen or dropped: sent at once, and what became of it stands on the next page.
const drop = document.getElementById('contents');
const input = drop?.querySelector('input');
const state = drop?.querySelector('[role=status]');
if (drop) drop.hidden = false;

async function send(file) {
  state.textContent = `Sending ${file.name} …`;
  const headers = { 'X-Borduel': 'part', 'Content-Type': 'application/octet-stream' };
  try {
    const response = await fetch(`${drop.dataset.admin}/contents`, { method: 'POST', body: file, headers });
    const said = await response.json();
    if (!response.ok) throw new Error(said.detail);
    const note = `${file.name}: ${said.contexts} new contexts, ${said.items} new items, ${said.contents} contents.`;
    sessionStorage.setItem('borduel-note', note);
    location.reload();
  } catch (error) {
    state.textContent = `${file.name}: ${error.message}`;
  }
}

input?.addEventListener('change', () => { if (input.files[0]) send(input.files[0]); input.value = ''; });
for (const name of drop ? ['dragover', 'dragleave', 'drop'] : []) {
  drop.addEventListener(name, (event) => {
    event.preventDefault();
    drop.classList.toggle('over', name === 'dragover');
    if (name === 'drop' && event.dataTransfer.files[0]) send(event.dataTransfer.files[0]);
  });
}
