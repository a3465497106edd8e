// Pictures and tables from files: of a new study they are sent when it is made, of one that is there at once. Nothing is lost without a
// word: nothing is sent while files are still read, and what could not be sent is told on the next page.
const form = document.getElementById('create');
const drop = document.getElementById('drop');
const files = document.getElementById('files');
const thumbs = document.getElementById('thumbs');
const state = document.getElementById('reading');
const preview = document.getElementById('preview');
const problem = document.getElementById('problem');
const columns = document.getElementById('columns');
const found = document.getElementById('found');
const pictures = []; // [{ name, blob, source }]
const failed = []; // What could not be read or sent, in words.
let reading = 0;
let read = 0;
if (drop) drop.hidden = false;

// Larger pictures only make voters wait.
const SIDE = 1600;

async function smaller(file) {
  const bitmap = await createImageBitmap(file);
  const scale = SIDE / Math.max(bitmap.width, bitmap.height);
  if (scale >= 1 && file.size < 400000) return file;
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(bitmap.width * Math.min(1, scale));
  canvas.height = Math.round(bitmap.height * Math.min(1, scale));
  canvas.getContext('2d').drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise((done) => { canvas.toBlob(done, 'image/webp', 0.86); });
  return blob && blob.size < file.size ? blob : file;
}

const send = async (address, body, type) => {
  const headers = { 'X-Borduel': 'part', ...(type ? { 'Content-Type': type } : {}) };
  const response = await fetch(address, { method: 'POST', body, headers });
  if (!response.ok) throw new Error((await response.json()).detail);
  return response;
};

/** While files are read nothing is sent, and everybody sees how far it is. */
function busy() {
  const waits = reading > read;
  state.textContent = waits ? `Reading ${read + 1} of ${reading} …` : '';
  for (const button of form?.querySelectorAll('button') ?? []) button.disabled = waits;
}

/** Sends pictures to a study that is there, one by one. */
async function upload(admin) {
  for (const [at, { name, blob }] of pictures.entries()) {
    state.textContent = `Sending ${at + 1} of ${pictures.length} …`;
    try {
      await send(`${admin}/picture?name=${encodeURIComponent(name)}`, blob, 'application/octet-stream');
    } catch (error) {
      failed.push(`${name}: ${error.message}`);
    }
  }
}

/** What went wrong stands on the next page. */
function tell(done) {
  const note = [done, failed.length ? `Not added: ${failed.join('; ')}` : ''].filter(Boolean).join(' ');
  if (note) sessionStorage.setItem('borduel-note', note);
}

async function add(list) {
  if (problem) problem.textContent = '';
  reading += list.length;
  busy();
  for (const file of list) {
    if (form && !file.type.startsWith('image/')) {
      const text = (await file.text()).trim();
      const box = form.elements.items;
      box.value = box.value.trim() ? `${box.value.trim()}\n${text}` : text;
    } else {
      try {
        const blob = await smaller(file);
        const name = file.name.replace(/\.[^.]*$/, '').replace(/[_]+/g, ' ');
        const source = URL.createObjectURL(blob);
        pictures.push({ name, blob, source });
        const item = document.createElement('li');
        item.append(Object.assign(new Image(), { src: source, alt: name }));
        thumbs.append(item);
      } catch {
        failed.push(`${file.name} is no picture that this browser can read`);
        if (problem) problem.textContent = failed.join('. ');
      }
    }
    read += 1;
    busy();
  }
  if (form) draw();
  else if (read === reading) {
    const before = failed.length;
    await upload(drop.dataset.admin);
    tell(`Pictures added: ${pictures.length - (failed.length - before)}.`);
    location.reload();
  }
}

files?.addEventListener('change', () => { add([...files.files]).then(() => { files.value = ''; }); });
for (const name of drop ? ['dragover', 'dragleave', 'drop'] : []) {
  drop.addEventListener(name, (event) => {
    event.preventDefault();
    drop.classList.toggle('over', name === 'dragover');
    if (name === 'drop') add([...event.dataTransfer.files]);
  });
}

// What a column of a table holds, by its head; the server knows the same.
const HEADS = { name: 'name', title: 'name', item: 'name', items: 'name', option: 'name', idea: 'name', label: 'name', text: 'text', description: 'text', link: 'link', url: 'link', alt: 'alt', id: 'id', key: 'id', enabled: 'enabled', image: 'image' };
const known = (head) => HEADS[head.trim().toLowerCase()] ?? (/^feat_/i.test(head.trim()) ? 'feature' : '');

/** Rows of cells, of which those with commas, quotation marks or line ends stand in quotation marks. */
function cells(text, mark) {
  const rows = [['']];
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const [letter, row] = [text[at], rows.at(-1)];
    if (quoted && letter === '"' && text[at + 1] === '"') { row[row.length - 1] += '"'; at += 1; }
    else if (quoted && letter === '"') quoted = false;
    else if (quoted) row[row.length - 1] += letter;
    else if (letter === '"' && !row.at(-1).trim()) { row[row.length - 1] = ''; quoted = true; }
    else if (letter === mark) row.push('');
    else if (letter === '\n') rows.push(['']);
    else if (letter !== '\r') row[row.length - 1] += letter;
  }
  return rows.map((row) => row.map((cell) => cell.trim())).filter((row) => row.some(Boolean));
}

/** What was pasted as a table, if it looks like one: at least two rows, all with as many cells as the first, and more than one. */
function table() {
  const text = form.elements.items.value;
  const mark = ['\t', ';', ','].find((one) => text.trim().split('\n')[0].includes(one));
  const rows = mark ? cells(text, mark) : [];
  return rows.length > 1 && rows[0].length > 1 && rows.every((row) => row.length === rows[0].length) ? rows : null;
}

/** The names of all items: of a table its column of names, else the lines. */
function titles() {
  const rows = table();
  const at = rows ? rows[0].findIndex((head) => known(head) === 'name') : -1;
  return at >= 0 ? rows.slice(1).map((row) => row[at]) : form.elements.items.value.split('\n').map((line) => line.trim()).filter(Boolean);
}

/** Offers to say which column is what, where the heads of a table do not. */
function offer() {
  const rows = table();
  const heads = rows?.[0] ?? [];
  columns.hidden = !rows || (heads.every((head) => known(head)) && heads.some((head) => known(head) === 'name'));
  if (columns.hidden || columns.dataset.heads === heads.join('\t')) return;
  columns.dataset.heads = heads.join('\t');
  const named = heads.some((head) => known(head) === 'name');
  const choices = heads.map((head, at) => {
    const label = Object.assign(document.createElement('label'), { textContent: `${head || `Column ${at + 1}`} ` });
    const select = document.createElement('select');
    for (const [value, word] of [['', 'leave out'], ['name', 'name'], ['text', 'text'], ['link', 'link'], ['alt', 'what the picture shows']]) select.append(new Option(word, value));
    if (['name', 'text', 'link', 'alt'].includes(known(head))) select.value = known(head);
    else select.value = !named && at === 0 ? 'name' : '';
    label.append(select);
    return label;
  });
  const use = Object.assign(document.createElement('button'), { type: 'button', textContent: 'Use these columns' });
  use.addEventListener('click', () => {
    const chosen = choices.map((label, at) => [label.querySelector('select').value, at]).filter(([what]) => what);
    const quote = (cell) => (/[",;\t\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
    const body = table().slice(1).map((row) => chosen.map(([, at]) => row[at]));
    // Names alone are lines.
    form.elements.items.value = chosen.length === 1 ? body.map(([name]) => name).join('\n')
      : [chosen.map(([what]) => what), ...body].map((row) => row.map(quote).join(',')).join('\n');
    draw();
  });
  columns.replaceChildren(Object.assign(document.createElement('p'), { textContent: 'This looks like a table. Which column is what?' }), ...choices, use);
}

/** How many items there are, and which of them twice. */
function tally(named) {
  const twice = [...new Set(named.filter((name, at) => named.indexOf(name) !== at))];
  const count = `${named.length} ${named.length === 1 ? 'item' : 'items'}`;
  found.textContent = named.length ? `${count}${twice.length ? `; twice: ${twice.slice(0, 5).join(', ')}` : ''}` : '';
}

function draw() {
  preview.querySelector('h2').textContent = form.elements.question.value || '…';
  const named = titles();
  tally(named);
  offer();
  const cards = preview.querySelectorAll('.card');
  const rest = pictures.filter((picture) => !named.includes(picture.name));
  const all = [...named.map((name) => ({ name, source: pictures.find((one) => one.name === name)?.source })), ...rest];
  ['Earl Grey', 'Assam'].forEach((example, at) => {
    const item = all[at] ?? { name: example };
    cards[at].querySelector('h3').textContent = item.name;
    cards[at].querySelector('.picture')?.remove();
    if (item.source) {
      const box = Object.assign(document.createElement('div'), { className: 'picture' });
      box.append(Object.assign(new Image(), { src: item.source, alt: '' }));
      cards[at].prepend(box);
    }
  });
  for (const other of preview.querySelectorAll('[data-if]')) other.hidden = !form.elements[other.dataset.if].checked;
}
form?.addEventListener('input', draw);
if (form) draw();

// Pictures are sent after the study is made, one by one; it is opened when they are all there.
form?.addEventListener('submit', async (event) => {
  event.preventDefault();
  if (reading > read) return;
  problem.textContent = '';
  const fields = new URLSearchParams(new FormData(form));
  const open = event.submitter?.value === 'yes';
  fields.set('open', open && !pictures.length ? 'yes' : '');
  const buttons = form.querySelectorAll('button');
  for (const button of buttons) button.disabled = true;
  try {
    const made = await (await send('/new', fields)).json();
    await upload(made.admin);
    if (open && pictures.length) {
      await send(`${made.admin}/status`, new URLSearchParams({ status: 'open' }))
        .catch((error) => { failed.push(`It is not open yet: ${error.message}`); });
    }
    // Whatever went wrong with a picture, the study is there.
    tell('');
    location.href = made.admin;
  } catch (error) {
    problem.textContent = error.message;
    for (const button of buttons) button.disabled = false;
  }
});
