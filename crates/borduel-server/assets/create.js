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
// What the table for editing shows, and what its fields are called; what a picture shows is asked where there is one.
const SHOWN = ['name', 'text', 'link', 'alt'];
const CALLED = { name: 'Name', text: 'Text', link: 'Link', alt: 'What the picture shows' };
// What it probably holds, where somebody is asked.
const LIKELY = { caption: 'text', file: 'name', filename: 'name', picture: 'name', photo: 'name' };
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

/** The lines of a list without the head of a column and the marks of a list, as the server reads them. */
function lines() {
  let all = form.elements.items.value.split('\n').map((line) => line.trim()).filter(Boolean);
  if (all.length > 1 && /^"?(name|title|items?)"?$/i.test(all[0])) all = all.slice(1).map((line) => line.replace(/^"+|"+$/g, ''));
  const bare = all.map((line) => /^(?:\d+[.)]|[-*•–])\s+(.+)$/.exec(line)?.[1]);
  return bare.length > 1 && bare.every(Boolean) ? bare : all;
}

/** All items with what is written about each, by the heads of the table: of a list names alone. */
function items() {
  const rows = table();
  const heads = rows?.[0].map(known) ?? [];
  if (!heads.includes('name')) return { extra: [], all: lines().map((name) => ({ name })) };
  // Columns that are not shown stay as they are.
  const extra = rows[0].filter((_, at) => !SHOWN.includes(heads[at]));
  const item = (row) => Object.fromEntries(row.map((cell, at) => [SHOWN.includes(heads[at]) ? heads[at] : rows[0][at], cell]));
  return { extra, all: rows.slice(1).map(item) };
}

const quote = (cell) => (/[",;\t\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

/** Writes items as they are sent: names alone as lines, unless one would be read as something else; otherwise a table. */
function write(all, extra) {
  const named = all.filter((item) => item.name);
  const used = ['text', 'link', 'alt'].filter((head) => named.some((item) => item[head]));
  const odd = named.some(({ name }) => /[",;\t]|^(?:\d+[.)]|[-*•–])\s|^(?:name|title|items?)$/i.test(name));
  const plain = !odd && !used.length && !extra.length;
  const heads = ['name', ...(odd && !used.length && !extra.length ? ['text'] : used), ...extra];
  const rows = [heads, ...named.map((item) => heads.map((head) => item[head] ?? ''))];
  form.elements.items.value = plain ? named.map(({ name }) => name).join('\n') : rows.map((row) => row.map(quote).join(',')).join('\n');
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
    else select.value = LIKELY[head.trim().toLowerCase()] ?? (!named && at === 0 ? 'name' : '');
    label.append(select);
    return label;
  });
  // A first row that is about a picture is no head.
  const first = Object.assign(document.createElement('label'), { className: 'check' });
  const box = Object.assign(document.createElement('input'), { type: 'checkbox', checked: !heads.some((head) => pictures.some((one) => alike(one.name, head))) });
  first.append(box, 'The first line says what the columns are');
  const use = Object.assign(document.createElement('button'), { type: 'button', textContent: 'Use these columns' });
  use.addEventListener('click', () => {
    const chosen = choices.map((label, at) => [label.querySelector('select').value, at]).filter(([what]) => what);
    const body = table().slice(box.checked ? 1 : 0).map((row) => chosen.map(([, at]) => row[at]));
    // Names alone are lines.
    form.elements.items.value = chosen.length === 1 ? body.map(([name]) => name).join('\n')
      : [chosen.map(([what]) => what), ...body].map((row) => row.map(quote).join(',')).join('\n');
    draw();
  });
  columns.replaceChildren(Object.assign(document.createElement('p'), { textContent: 'This looks like a table. Which column is what?' }), ...choices, first, use);
}

/** How many items there are, and which of them twice. */
function tally(named) {
  const twice = [...new Set(named.filter((name, at) => named.indexOf(name) !== at))];
  const count = `${named.length} ${named.length === 1 ? 'item' : 'items'}`;
  found.textContent = named.length ? `${count}${twice.length ? `; twice: ${twice.slice(0, 5).join(', ')}` : ''}` : '';
}

/** How many votes it takes with about so many items. */
function guide(count) {
  const rows = [...form.querySelectorAll('[data-guide]')];
  const far = (row) => Math.abs(Math.log(row.dataset.guide / Math.max(count, 1)));
  const [near] = [...rows].sort((one, two) => far(one) - far(two));
  for (const row of rows) row.hidden = row !== near;
}

const sheet = document.querySelector('#table tbody');
const beyond = document.getElementById('beyond');
// More rows than anybody edits by hand; whoever pastes more edits the text.
const ROWS = 200;
let drawn; // The text that the table shows.

/** Whether two names are of one picture: as it is called here, or as its file is, `IMG_2034.png`. */
const plain = (name) => (name ?? '').replace(/\.(png|jpe?g|webp|gif|avif|heic)$/i, '').replace(/[_\s]+/g, ' ').trim().toLowerCase();
const alike = (one, two) => plain(one) === plain(two);

/** Everything there is: items in their order, each with its picture if it has one, and pictures without words. */
function everything() {
  const { extra, all } = items();
  const named = all.map((item) => {
    const picture = pictures.find((one) => one.name === item.name) ?? pictures.find((one) => alike(one.name, item.name) && !all.some(({ name }) => name === one.name));
    // It goes to the item of its name.
    if (picture) picture.name = item.name;
    return { ...item, picture };
  });
  const rest = pictures.filter((one) => !all.some((item) => item.name === one.name)).map((picture) => ({ name: picture.name, picture }));
  return { extra, all: [...named, ...rest] };
}

/** A row of the table; a picture keeps to its row whatever it is called. */
function row(item) {
  const line = document.createElement('tr');
  const cell = (...inside) => { const one = document.createElement('td'); one.append(...inside); line.append(one); };
  cell(...(item.picture ? [Object.assign(new Image(), { src: item.picture.source, alt: '', className: 'thumb' })] : []));
  const input = (what) => {
    const field = document.createElement(what === 'text' ? 'textarea' : 'input');
    Object.assign(field, { value: item[what] ?? '', placeholder: CALLED[what], ...(what === 'text' ? { rows: 1 } : {}) });
    field.dir = 'auto';
    field.dataset.what = what;
    field.addEventListener('input', (event) => {
      // The text and the preview follow, and the table stays as it is typed in.
      event.stopPropagation();
      item[what] = field.value.trim();
      if (what === 'name' && item.picture) item.picture.name = item.name;
      keep();
    });
    return field;
  };
  cell(input('name'));
  // Voices read it to whoever does not see the picture.
  cell(input('text'), ...(item.picture ? [input('alt')] : []));
  cell(input('link'));
  const remove = Object.assign(document.createElement('button'), { type: 'button', className: 'quiet', textContent: '×' });
  remove.addEventListener('click', () => {
    if (item.picture) drop_picture(item.picture);
    line.remove();
    keep();
    (sheet.querySelector('input') ?? document.getElementById('another')).focus();
  });
  cell(remove);
  line.item = item;
  return line;
}

function drop_picture(picture) {
  const at = pictures.indexOf(picture);
  pictures.splice(at, 1);
  thumbs.children[at].remove();
  URL.revokeObjectURL(picture.source);
}

/** Writes the table into the text; what has a picture and no other word needs none. */
function keep() {
  const all = [...sheet.children].map((line) => line.item);
  write(all.filter((item) => !item.picture || item.text || item.link || item.alt), sheet.extra);
  label();
  draw(true);
}

/** Says of every field which item it is about. */
function label() {
  [...sheet.children].forEach((line, at) => {
    line.querySelectorAll('input, textarea').forEach((field) => field.setAttribute('aria-label', `${CALLED[field.dataset.what]}${field.dataset.what === 'alt' ? ', item' : ' of item'} ${at + 1}`));
    line.querySelector('button').setAttribute('aria-label', `Remove ${line.item.name || `item ${at + 1}`}`);
  });
}

/** Shows all items in the table, unless it is there that they are being edited. */
function lay({ extra, all }) {
  const now = [form.elements.items.value, ...pictures.map((picture) => picture.name)].join('\0');
  const box = document.getElementById('table');
  box.hidden = !columns.hidden;
  if (now === drawn) return;
  drawn = now;
  sheet.extra = extra;
  sheet.replaceChildren(...all.slice(0, ROWS).map(row));
  const many = all.length > ROWS;
  for (const part of [sheet.parentElement, document.getElementById('another')]) part.hidden = many;
  beyond.hidden = !many;
  beyond.textContent = many ? `${all.length} items: edit them in the text above.` : '';
  label();
}

document.getElementById('another')?.addEventListener('click', () => {
  sheet.append(row({ name: '' }));
  label();
  sheet.lastElementChild.querySelector('input').focus();
});
// Enter goes on to the next item, as in any table.
sheet?.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || event.target.localName !== 'input') return;
  event.preventDefault();
  const next = event.target.closest('tr').nextElementSibling;
  if (next) next.querySelector('input').focus();
  else document.getElementById('another').click();
});

// What cameras and phones call their pictures.
const CAMERA = /^(?:(?:img|dsc[nf]?|pxl|mvimg|gopr?|dji|p|whatsapp image|screenshot)[-_ ]?\d{3,}|\d{8}[-_ ]\d{4,})/i;
const camera = document.getElementById('camera');
const unnamed = () => [...sheet.children].map((line) => line.item).filter((item) => item.picture && CAMERA.test(item.name));

/** Offers names for pictures that have only those of their files. */
function christen() {
  const those = unnamed();
  camera.hidden = !those.length || form.elements.hide_names.checked || !beyond.hidden;
  document.getElementById('by-text').hidden = !those.some((item) => item.text);
}
document.getElementById('by-text')?.addEventListener('click', () => {
  const taken = new Set([...sheet.children].map((line) => line.item.name));
  for (const item of unnamed()) {
    // As many words as a name may have; a text that is no longer is all said by it.
    const [name] = /^.{1,60}(?=\s|$)/.exec((item.text ?? '').replace(/\s+/g, ' ')) ?? [];
    if (!name || taken.has(name)) continue;
    taken.add(name);
    if (name.length >= item.text.length) item.text = '';
    item.name = name;
    item.picture.name = name;
  }
  keep();
  drawn = undefined;
  draw();
});
document.getElementById('no-names')?.addEventListener('click', () => {
  form.elements.hide_names.checked = true;
  draw();
});

const marked = new Map(); // Markdown as voters see it, by its source.

/** Shows a text as voters see it: Markdown is made by the server, a moment after somebody has stopped typing. */
function written(box, source) {
  const wanted = form.elements.markdown.checked && source ? source : '';
  const known = marked.get(wanted);
  clearTimeout(box.wait);
  if (!wanted) box.textContent = source;
  else if (known) box.replaceChildren(...new DOMParser().parseFromString(known, 'text/html').body.childNodes);
  else {
    box.textContent = source;
    box.wait = setTimeout(async () => {
      const answer = await send('/new/words', new URLSearchParams({ text: source })).catch(() => null);
      if (!answer) return;
      if (marked.size > 100) marked.clear();
      marked.set(wanted, await answer.text());
      draw();
    }, 250);
  }
}

/** Shows an item on one side of the preview. */
function show(card, item) {
  const [picture, text, link] = ['.picture', '.words', '.link'].map((part) => card.querySelector(part));
  const source = item.picture?.source;
  card.querySelector('h3').textContent = item.name;
  card.querySelector('h3').hidden = form.elements.hide_names.checked && Boolean(source || item.text || item.link);
  picture.hidden = !source;
  if (source) Object.assign(picture.querySelector('img'), { src: source, alt: item.alt ?? '' });
  text.hidden = !item.text;
  written(text, item.text ?? '');
  link.hidden = !item.link;
  const grades = form.elements.grades.checked;
  const several = form.elements.criteria.value.trim() !== '';
  card.querySelector(':scope > .pick').hidden = grades || several;
  card.querySelector('.grades').hidden = !grades || several;
}

function draw(edited) {
  preview.querySelector('h2').textContent = form.elements.question.value || '…';
  offer();
  const there = everything();
  tally(there.all.map((item) => item.name));
  guide(there.all.length);
  if (edited === true) drawn = [form.elements.items.value, ...pictures.map((picture) => picture.name)].join('\0');
  lay(there);
  christen();
  ['Earl Grey', 'Assam'].forEach((name, at) => show(preview.querySelectorAll('.card')[at], there.all[at] ?? { name }));
  const asked = form.elements.criteria.value.split('\n').map((line) => line.trim().replace(/^[a-z][a-z0-9_]{0,31}\s*:\s*/, '')).filter(Boolean);
  const list = preview.querySelector('.criteria');
  list.hidden = !asked.length;
  list.replaceChildren(...asked.map((question) => Object.assign(document.createElement('li'), { textContent: question })));
  for (const other of preview.querySelectorAll('[data-if]')) other.hidden = !form.elements[other.dataset.if].checked;
  document.getElementById('wanted').textContent = form.elements.questions_per_voter.value;
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
