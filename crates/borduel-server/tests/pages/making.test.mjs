// Stories of organisers who make a study: from a list, a table, files or pictures, with a preview of what voters see.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ADMIN, DESK, PHONE, accessible, begin, browser, person, picture, ready, serve, tab, teas, until, vote } from './harness.mjs';

const held = browser();
let server;
before(async () => { server = await serve(); });
after(() => server?.end());
const tile = (page, name) => page.locator(`[data-now=${name}]`).textContent().then(Number);

test('a study in a minute, by mouse: paste a list, share the link, watch the answer appear', async () => {
  const organiser = await person(held, server);
  const { page } = organiser;
  await page.goto(`${server.url}/new`);
  await page.getByRole('heading', { name: 'New study' }).waitFor();
  assert.equal(await page.getByRole('textbox', { name: 'Title' }).count(), 0, 'a stranger makes no study');
  await page.goto(`${server.url}/new#token=${ADMIN}`);
  await page.getByRole('textbox', { name: 'Title' }).fill('Which tea?');
  assert.ok(!page.url().includes(ADMIN), 'the token goes from the address');
  assert.equal(await page.evaluate(() => document.cookie), '', 'no script reads the cookie');
  await page.getByRole('textbox', { name: 'Items' }).fill('Earl Grey\nAssam\nSencha\nRooibos');
  assert.deepEqual(await page.locator('#preview h3').allTextContents(), ['Earl Grey', 'Assam']);
  // Roughly how many votes it takes, before anybody is asked for one.
  const guide = page.locator('[data-guide]:visible');
  assert.match(await guide.textContent(), /^How many votes\? Of simulated studies with 10 items, half could choose one after 700 votes or fewer/);
  await page.getByRole('button', { name: 'Open it for votes' }).click();
  await page.waitForURL('**/s/which-tea/admin');
  await accessible(page, 'a new study');
  assert.equal(await page.getByRole('textbox', { name: 'Link for voters' }).inputValue(), `${server.url}/s/which-tea`);
  assert.equal(await page.locator('svg.qr').getAttribute('aria-label'), `QR code of ${server.url}/s/which-tea`);
  assert.equal(await tile(page, 'votes'), 0);
  // Votes come, and the page follows without being asked.
  const order = ['Earl Grey', 'Assam', 'Sencha', 'Rooibos'];
  const choose = (a, b) => (order.indexOf(a.title) < order.indexOf(b.title) ? 'first' : 'second');
  for (let n = 0; n < 12; n += 1) await vote(server, 'which-tea', choose);
  await until(async () => (await tile(page, 'votes')) === 72, 'the number of votes follows');
  await until(async () => (await page.locator('.forest .label').allTextContents())[0] === 'Earl Grey', 'the picture follows');
  for (let n = 0; n < 40; n += 1) await vote(server, 'which-tea', choose);
  await until(async () => /Clear winner: Earl Grey/.test(await page.locator('.verdict').textContent()), 'the verdict appears');
  assert.match(await page.locator('.verdict').textContent(), /You can close the study/);
  // What people read first, and what they may download, without a reload.
  assert.equal(await page.locator('.headline').textContent(), 'Earl Grey wins.');
  assert.match(await page.locator('.verdict').textContent(), /95 % sure, after \d+ votes\./);
  assert.match(await page.locator('main').textContent(), /\d+ of \d+ checks are fine/);
  await until(async () => (await page.locator('#files a', { hasText: 'report.html' }).count()) === 1, 'the report is there');
  await accessible(page, 'with a verdict');
  // Another study of the same title has another name.
  await page.goto(`${server.url}/new`);
  await page.getByRole('textbox', { name: 'Title' }).fill('Which tea?');
  await page.getByRole('textbox', { name: 'Items' }).fill('Only one');
  await page.getByRole('button', { name: 'Open it for votes' }).click();
  await page.getByText('at least two items').waitFor();
  await page.getByRole('button', { name: 'Keep it as a draft' }).click();
  await page.waitForURL('**/s/which-tea-2/admin');
  await organiser.close();
});

test('by keyboard alone, and without a script', async () => {
  const organiser = await person(held, server, { ...DESK, javaScriptEnabled: false });
  const { page } = organiser;
  await page.goto(`${server.url}/new`);
  await page.getByLabel('Admin token').fill(ADMIN);
  await page.keyboard.press('Enter');
  await page.getByRole('main').getByRole('link', { name: 'New study' }).focus();
  await page.keyboard.press('Enter');
  await page.waitForURL('**/new');
  await page.getByRole('textbox', { name: 'Title' }).focus();
  await page.keyboard.type('By keys');
  await page.keyboard.press('Tab');
  await page.keyboard.type('Which is shorter?');
  await page.keyboard.press('Tab');
  await page.keyboard.type('id,name,text\na,Ash,"A tree, tall"\nb,Birch,\n');
  for (let n = 0; n < 12 && !(await page.getByRole('button', { name: 'Open it' }).evaluate((one) => one === document.activeElement).catch(() => true)); n += 1) await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/s/by-keys/admin');
  const { items } = await server.api('GET', '/v1/studies/by-keys/items');
  assert.deepEqual(items.map(({ key, title, text }) => [key, title, text]), [['a', 'Ash', 'A tree, tall'], ['b', 'Birch', undefined]]);
  assert.equal((await server.api('GET', '/v1/studies/by-keys')).status, 'open');
  await organiser.close();
});

test('pictures and a table from files; voters see them', async () => {
  const organiser = await person(held, server);
  const { page } = organiser;
  await page.goto(`${server.url}/new#token=${ADMIN}`);
  await page.getByRole('textbox', { name: 'Title' }).fill('Colours');
  const files = [];
  for (const [name, colour] of [['Red', '#c22'], ['Blue_sky', '#28c'], ['Green', '#2a5']]) {
    files.push({ name: `${name}.png`, mimeType: 'image/png', buffer: await picture(page, colour, 2400, 1800) });
  }
  files.push({ name: 'more.csv', mimeType: 'text/csv', buffer: Buffer.from('name,text\nGreen,"as grass"\nGrey,\n') });
  await page.locator('#files').setInputFiles(files);
  await until(async () => (await page.locator('#thumbs img').count()) === 3, 'thumbs of all pictures');
  assert.equal(await page.locator('#preview h3').first().textContent(), 'Green');
  await accessible(page, 'with pictures');
  await page.getByRole('button', { name: 'Open it for votes' }).click();
  await page.waitForURL('**/s/colours/admin');
  const { items } = await server.api('GET', '/v1/studies/colours/items');
  assert.deepEqual(items.map(({ title, image }) => [title, Boolean(image)]).sort(), [['Blue sky', true], ['Green', true], ['Grey', false], ['Red', true]]);
  assert.equal(items.find(({ title }) => title === 'Green').text, 'as grass');
  const response = await fetch(server.url + items.find(({ title }) => title === 'Red').image);
  assert.match(response.headers.get('content-type'), /^image\/(webp|png)$/);
  assert.ok((await response.arrayBuffer()).byteLength < 400000, 'it was made smaller before it was sent');
  const voter = await person(held, server, PHONE);
  await begin(voter.page, server, 'colours');
  for (let n = 0; n < 5; n += 1) {
    await ready(voter.page);
    const broken = await voter.page.locator('.pair:visible img').evaluateAll((all) => all.filter((one) => !one.naturalWidth).length);
    assert.equal(broken, 0);
    if (n === 0 && await voter.page.locator('.pair:visible .zoom').count()) {
      await voter.page.locator('.pair:visible .zoom').first().tap();
      await voter.page.locator('dialog img').waitFor();
      await voter.page.locator('dialog').tap();
    }
    await voter.page.locator('.pair:visible .card h3').first().tap();
  }
  await voter.close();
  await organiser.close();
});

test('pictures are not lost in a hurry, and more are added later; what fails is told', async () => {
  const organiser = await person(held, server);
  const { page } = organiser;
  await page.goto(`${server.url}/new#token=${ADMIN}`);
  await page.getByRole('textbox', { name: 'Title' }).fill('Hurry');
  const files = [];
  for (let n = 0; n < 6; n += 1) files.push({ name: `Photo_${n}.png`, mimeType: 'image/png', buffer: await picture(page, `#${n}a6`, 2000, 1500) });
  files.push({ name: 'broken.png', mimeType: 'image/png', buffer: Buffer.from('no picture') });
  // What is said meanwhile is written down: it may be too short for whoever looks from outside.
  await page.evaluate(() => {
    window.told = [];
    new MutationObserver(() => {
      const waits = [...document.querySelectorAll('#create button[type=submit]')].every((button) => button.disabled);
      window.told.push(`${document.getElementById('reading').textContent} ${waits}`);
    }).observe(document.getElementById('reading'), { childList: true });
  });
  await page.locator('#files').setInputFiles(files);
  // At once, while they are read: nothing is sent before all are there.
  assert.ok((await page.evaluate(() => window.told)).includes('Reading 1 of 7 … true'), 'how far it is, and that it waits');
  await page.getByRole('button', { name: 'Open it for votes' }).click();
  await page.waitForURL('**/s/hurry/admin');
  await page.getByText('broken.png is no picture').waitFor();
  const listed = async () => (await server.api('GET', '/v1/studies/hurry/items')).items.filter((item) => item.image).length;
  assert.equal(await listed(), 6);
  assert.equal((await server.api('GET', '/v1/studies/hurry')).status, 'open');
  await tab(page, 'Items');
  await page.locator('#files').setInputFiles([{ name: 'Late.png', mimeType: 'image/png', buffer: await picture(page, '#333') }]);
  await page.getByText('Pictures added: 1.').waitFor();
  await page.locator('#items').getByRole('rowheader', { name: /Late/ }).waitFor();
  assert.equal(await listed(), 7);
  // Dropped, too.
  const dropped = await page.evaluateHandle((data) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0))], 'Dropped.png', { type: 'image/png' }));
    return transfer;
  }, (await picture(page, '#a33')).toString('base64'));
  await page.dispatchEvent('#drop', 'drop', { dataTransfer: dropped });
  await page.locator('#items').getByRole('rowheader', { name: /Dropped/ }).waitFor();
  assert.equal(await listed(), 8);
  // Without two items it stays a draft, and says why.
  await page.goto(`${server.url}/new`);
  await page.getByRole('textbox', { name: 'Title' }).fill('Alone');
  await page.locator('#files').setInputFiles(files.slice(0, 1));
  await until(async () => (await page.locator('#thumbs img').count()) === 1, 'the picture is read');
  await page.getByRole('button', { name: 'Open it for votes' }).click();
  await page.waitForURL('**/s/alone/admin');
  await page.getByText(/It is not open yet: .*at least 2/).waitFor();
  // The winner's picture, and those of all others, are in the results.
  for (let n = 0; n < 8; n += 1) await vote(server, 'hurry', (a, b) => (a.title < b.title ? 'first' : 'second'));
  await page.goto(`${server.url}/s/hurry/admin`);
  await until(async () => (await page.locator('.strips img').count()) === 8, 'pictures of all');
  assert.equal(await page.locator('table th img').count(), 8, 'and in the table of all numbers');
  await accessible(page, 'results with pictures');
  await tab(page, 'Log');
  assert.equal(await page.locator('#recent li').first().locator('img').count(), 2, 'and those of the latest votes');
  await organiser.close();
});

test('a fixed budget and a time to close, from the first form on; what is past is refused', async () => {
  const organiser = await person(held, server);
  const { page } = organiser;
  const stop = async (slug) => (await server.api('GET', `/v1/studies/${slug}`)).settings.stop;
  await page.goto(`${server.url}/new#token=${ADMIN}`);
  await page.getByRole('textbox', { name: 'Title' }).fill('Budget');
  await page.getByRole('textbox', { name: 'Items' }).fill('A\nB\nC');
  await page.getByText('More settings').click();
  const choice = page.getByRole('combobox', { name: 'Close by itself' });
  const [votes, date] = [page.getByLabel('How many votes'), page.getByLabel('When, in UTC')];
  assert.deepEqual([await votes.isVisible(), await date.isVisible()], [false, false]);
  await choice.selectOption('date');
  await date.fill('2001-01-01T10:00');
  await page.getByRole('button', { name: 'Keep it as a draft' }).click();
  await page.getByText('that time is past').waitFor();
  await choice.selectOption('votes');
  assert.deepEqual([await votes.isVisible(), await date.isVisible()], [true, false]);
  await votes.fill('3');
  await page.getByRole('button', { name: 'Open it for votes' }).click();
  await page.waitForURL('**/s/budget/admin');
  assert.deepEqual(await stop('budget'), { votes: 3 });
  await page.getByText('It closes after 3 votes.').waitFor();
  await vote(server, 'budget', (a, b) => (a.title < b.title ? 'first' : 'second')).catch(() => {});
  await until(async () => /Closed/.test(await page.locator('#head .badge').textContent()), 'it has closed by itself');
  await page.getByText('The best guess by these votes, though not a certain one: A.').waitFor();
  // Opened again it would close at once: that is said, and what would help.
  await page.getByRole('button', { name: 'Open again' }).click();
  await page.getByText('there are as many already').waitFor();
  await page.goto(`${server.url}/s/budget/admin/settings`);
  await page.getByText('What is to be found, how sure').click();
  assert.equal(await votes.inputValue(), '3');
  await choice.selectOption('date');
  await date.fill('2099-12-31T23:59');
  await accessible(page, 'when a study closes by itself');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Saved.').waitFor();
  assert.deepEqual(await stop('budget'), { date: Date.UTC(2099, 11, 31, 23, 59) });
  await page.getByRole('button', { name: 'Open again' }).click();
  await until(async () => (await server.api('GET', '/v1/studies/budget')).status === 'open', 'it is open');
  await organiser.close();
});

test('the preview of a new study shows Markdown as voters see it, and the best few can be wanted from the start', async () => {
  const organiser = await person(held, server);
  const { page } = organiser;
  await page.goto(`${server.url}/new#token=${ADMIN}`);
  await page.getByRole('textbox', { name: 'Title' }).fill('Answers');
  await page.getByRole('textbox', { name: 'Items' }).fill('name,text\nA,"**bold** <b onclick=alert(1)>b</b>"\nB,"- one\n- two"\nC,');
  const words = page.locator('#preview .words');
  assert.match(await words.first().textContent(), /^\*\*bold/);
  await page.getByText('More settings').click();
  await page.getByRole('checkbox', { name: 'Texts are Markdown' }).check();
  await until(async () => (await words.first().locator('strong').count()) === 1, 'it is bold');
  assert.deepEqual([await words.first().locator('b').count(), await words.nth(1).locator('li').count()], [0, 2]);
  await accessible(page, 'a preview with Markdown');
  await page.getByRole('checkbox', { name: 'Texts are Markdown' }).uncheck();
  assert.match(await words.first().textContent(), /^\*\*bold/);
  const best = page.getByRole('spinbutton', { name: 'How many are the best few' });
  assert.equal(await best.isVisible(), false);
  await page.getByRole('combobox', { name: 'What is to be found' }).selectOption('top');
  await best.fill('2');
  await page.getByRole('button', { name: 'Keep it as a draft' }).click();
  await page.waitForURL('**/s/answers/admin');
  assert.deepEqual((await server.api('GET', '/v1/studies/answers')).settings.goal, { top: 2 });
  const stranger = await fetch(`${server.url}/new/words`, { method: 'POST', headers: { origin: server.url, 'x-borduel': 'part' }, body: new URLSearchParams({ text: 'x' }) });
  assert.equal(stranger.status, 401);
  await organiser.close();
});

test('captions are pasted beside the pictures that they belong to, by the names of the files', async () => {
  const organiser = await person(held, server);
  const { page } = organiser;
  await page.goto(`${server.url}/new#token=${ADMIN}`);
  await page.getByLabel('Title', { exact: true }).fill('Captions');
  const files = [];
  for (const [name, colour] of [['IMG_2034.png', '#3b7d4f'], ['IMG_2035.PNG', '#1652a0']]) files.push({ name, mimeType: 'image/png', buffer: await picture(page, colour) });
  await page.locator('#files').setInputFiles(files);
  await until(async () => (await page.locator('#thumbs img').count()) === 2, 'both pictures are read');
  // Without a head: no line of it is lost.
  await page.locator('textarea[name=items]').fill('IMG_2034.png\tSunrise, from the roof\nIMG_2035.PNG\tThe sea');
  const choices = page.locator('#columns select');
  await choices.nth(1).selectOption('text');
  assert.equal(await page.getByLabel('The first line says what the columns are').isChecked(), false);
  await page.getByRole('button', { name: 'Use these columns' }).click();
  await until(async () => (await page.locator('#table img').count()) === 2, 'each caption has its picture');
  await accessible(page, 'captions in a new study');
  await page.getByRole('button', { name: 'Open it for votes' }).click();
  await page.waitForURL(/admin/);
  const { items } = await server.api('GET', '/v1/studies/captions/items');
  assert.deepEqual(items.map(({ title, text, image }) => [title, text, Boolean(image)]), [['IMG_2034.png', 'Sunrise, from the roof', true], ['IMG_2035.PNG', 'The sea', true]]);
  await organiser.close();
});

test('a table with other heads is asked about; bullets, duplicates and commas do no harm', async () => {
  const organiser = await person(held, server);
  const { page } = organiser;
  await page.goto(`${server.url}/new#token=${ADMIN}`);
  await page.getByRole('textbox', { name: 'Title' }).fill('Ideas');
  const items = page.getByRole('textbox', { name: 'Items' });
  await items.fill('Idea,Votes,Why\n"More plants, everywhere",3,"They say ""ah"""\nLess noise,5,\n');
  await page.getByText('This looks like a table').waitFor();
  await page.getByRole('combobox', { name: 'Why' }).selectOption('text');
  await accessible(page, 'which column is what');
  await page.getByRole('button', { name: 'Use these columns' }).click();
  assert.equal(await items.inputValue(), 'name,text\n"More plants, everywhere","They say ""ah"""\nLess noise,');
  assert.ok(await page.locator('#columns').isHidden());
  assert.equal(await page.locator('#found').textContent(), '2 items');
  assert.deepEqual(await page.locator('#preview h3').allTextContents(), ['More plants, everywhere', 'Less noise']);
  await page.getByRole('button', { name: 'Keep it as a draft' }).click();
  await page.waitForURL('**/s/ideas/admin');
  const made = (await server.api('GET', '/v1/studies/ideas/items')).items.map(({ title, text }) => [title, text]);
  assert.deepEqual(made, [['More plants, everywhere', 'They say "ah"'], ['Less noise', undefined]]);
  // What is there twice is told at once and refused; the marks of a list are none of the items'.
  await page.goto(`${server.url}/new`);
  await page.getByRole('textbox', { name: 'Title' }).fill('Teas');
  await items.fill('1. Earl Grey\n2. Assam\n3. Assam');
  await page.getByText('3 items').waitFor();
  await page.getByRole('button', { name: 'Open it for votes' }).click();
  await page.getByText('something twice: “Assam”').waitFor();
  await items.fill('1. Earl Grey\n2. Assam');
  await page.getByRole('button', { name: 'Open it for votes' }).click();
  await page.waitForURL('**/s/teas/admin');
  assert.deepEqual((await server.api('GET', '/v1/studies/teas/items')).items.map(({ title }) => title), ['Earl Grey', 'Assam']);
  await organiser.close();
});

test('items are edited in a table, and a phone beside it shows what voters see', async () => {
  const organiser = await person(held, server);
  const { page } = organiser;
  await page.goto(`${server.url}/new#token=${ADMIN}`);
  await page.getByRole('textbox', { name: 'Title' }).fill('Edited');
  const items = page.getByRole('textbox', { name: 'Items' });
  const field = (what, at) => page.getByRole('textbox', { name: `${what} of item ${at}`, exact: true });
  const names = () => page.locator('#table tbody input[aria-label^=Name]').evaluateAll((all) => all.map((one) => one.value));
  // A list as it is pasted, without its bullets.
  await items.fill('- Earl Gray\n- Assam\n- Sencha');
  assert.deepEqual(await names(), ['Earl Gray', 'Assam', 'Sencha']);
  // A correction, a text with everything that a table could stumble over, another item by Enter, and one less.
  await field('Name', 1).fill('Earl Grey');
  await field('Text', 1).fill('black, with "bergamot"\nand milk; or not');
  await field('Link', 2).fill('https://example.org/assam');
  await field('Name', 3).press('Enter');
  await page.keyboard.type('Tea, “of the house”');
  await page.getByRole('button', { name: 'Remove Sencha' }).click();
  assert.deepEqual(await names(), ['Earl Grey', 'Assam', 'Tea, “of the house”']);
  assert.equal(await page.locator('#found').textContent(), '3 items');
  const phone = page.locator('#preview');
  assert.deepEqual(await phone.locator('h3').allTextContents(), ['Earl Grey', 'Assam']);
  assert.equal(await phone.locator('.words').first().textContent(), 'black, with "bergamot"\nand milk; or not');
  assert.deepEqual([await phone.locator('.words').nth(1).isHidden(), await phone.locator('.link').nth(1).isVisible()], [true, true]);
  await page.getByText('More settings').click();
  await page.getByRole('checkbox', { name: 'Hide names from voters' }).check();
  await page.getByRole('spinbutton', { name: 'Pairs wanted' }).fill('7');
  assert.deepEqual([await phone.locator('h3').first().isHidden(), await phone.locator('.far').textContent()], [true, '0 of 7']);
  await page.getByRole('checkbox', { name: 'Hide names from voters' }).uncheck();
  // A picture has a row: its name is edited, and whatever else is written about it.
  await page.locator('#files').setInputFiles([{ name: 'IMG_1.png', mimeType: 'image/png', buffer: await picture(page, '#2a5') }, { name: 'IMG_2.png', mimeType: 'image/png', buffer: await picture(page, '#c22') }]);
  await until(async () => (await names()).length === 5, 'rows of pictures');
  await field('Name', 4).fill('Green');
  await field('Text', 4).fill('as grass');
  // What a voice reads to whoever does not see it; nothing without a picture asks for it.
  await page.getByRole('textbox', { name: 'What the picture shows, item 4', exact: true }).fill('A green field');
  assert.equal(await page.getByRole('textbox', { name: /^What the picture shows/ }).count(), 2);
  await page.getByRole('button', { name: 'Remove IMG 2' }).click();
  assert.equal(await page.locator('#thumbs img').count(), 1);
  await accessible(page, 'a table of items');
  await page.getByRole('button', { name: 'Open it for votes' }).click();
  await page.waitForURL('**/s/edited/admin');
  const made = (await server.api('GET', '/v1/studies/edited/items')).items;
  assert.deepEqual(made.map(({ title, text, link, image }) => [title, text, link, Boolean(image)]), [
    ['Earl Grey', 'black, with "bergamot"\nand milk; or not', undefined, false], ['Assam', undefined, 'https://example.org/assam', false],
    ['Tea, “of the house”', undefined, undefined, false], ['Green', 'as grass', undefined, true]]);
  assert.equal(made[3].alt, 'A green field');
  // Names that would be read as something else, and columns that the table does not show, come out as they went in.
  for (const [slug, pasted, edit, wanted] of [
    ['odd', 'Milk\nTea', 'name', ['name', 'Tea']], ['comma', 'Milk\nTea', 'Milk, hot "1"', ['Milk, hot "1"', 'Tea']], ['list', 'Milk\nTea', '1. FC', ['1. FC', 'Tea']],
    ['more', 'id,name,feat_x\nm,Milk,1\nt,Tea,2', 'Milch', ['m Milch 1', 't Tea 2']]]) {
    await page.goto(`${server.url}/new`);
    await page.getByRole('textbox', { name: 'Title' }).fill(slug);
    await items.fill(pasted);
    await field('Name', 1).fill(edit);
    await page.getByRole('button', { name: 'Keep it as a draft' }).click();
    await page.waitForURL(`**/s/${slug}/admin`);
    const read = (await server.api('GET', `/v1/studies/${slug}/items`)).items;
    assert.deepEqual(read.map(({ key, title, features }) => (slug === 'more' ? `${key} ${title} ${features}` : title)), wanted, slug);
  }
  // Far more than anybody edits by hand: the text stays, quickly.
  await page.goto(`${server.url}/new`);
  // At once: what types line by line into a long text is the browser's own time, and grows with its square.
  await items.evaluate((box) => {
    box.value = Array.from({ length: 1000 }, (_, at) => `Item ${at}`).join('\n');
    box.dispatchEvent(new Event('input', { bubbles: true }));
  });
  await page.getByText('1000 items: edit them in the text above.').waitFor();
  assert.match(await page.locator('[data-guide]:visible').textContent(), /with 100 items, half could choose one after 2,700 votes/);
  assert.equal(await page.locator('#table table').isVisible(), false);
  await organiser.close();
});

test('names that a camera gave are noticed; captions are names, and stand in all results', async () => {
  const organiser = await person(held, server);
  const { page } = organiser;
  await page.goto(`${server.url}/new#token=${ADMIN}`);
  await page.getByRole('textbox', { name: 'Title' }).fill('Harbours');
  const files = [];
  for (const [at, colour] of ['#3b7d4f', '#1652a0', '#e0a030'].entries()) files.push({ name: `IMG_100${at}.jpg`, mimeType: 'image/png', buffer: await picture(page, colour) });
  await page.locator('#files').setInputFiles(files);
  await until(async () => (await page.locator('#table img').count()) === 3, 'rows of pictures');
  const hint = page.locator('#camera');
  await hint.getByText('Some names are those that a camera gives').waitFor();
  const field = (what, at) => page.getByRole('textbox', { name: `${what} of item ${at}`, exact: true });
  assert.equal(await page.getByRole('button', { name: 'Name them by their texts' }).isVisible(), false, 'there is no text yet');
  const long = 'The old harbour in the morning, before the first boats go out and before anybody is awake in the village above it';
  await field('Text', 1).fill('Sunrise, from the roof');
  await field('Text', 2).fill(long);
  await accessible(page, 'names that a camera gave');
  await page.getByRole('button', { name: 'Name them by their texts' }).click();
  const names = () => page.locator('#table tbody input[aria-label^=Name]').evaluateAll((all) => all.map((one) => one.value));
  const called = 'The old harbour in the morning, before the first boats go';
  assert.deepEqual((await names()).sort(), ['IMG 1002', 'Sunrise, from the roof', called]);
  assert.deepEqual(await page.locator('#table tbody textarea').evaluateAll((all) => all.map((one) => one.value).sort()), ['', '', long], 'what the name does not say stays');
  assert.ok(await hint.isVisible(), 'one is left');
  await page.getByRole('button', { name: 'Hide names from voters' }).click();
  assert.equal(await hint.isVisible(), false);
  assert.ok(await page.locator('#preview h3').first().isHidden(), 'voters see none');
  await page.getByText('More settings').click();
  await page.getByRole('checkbox', { name: 'Results are public' }).check();
  await page.getByRole('button', { name: 'Open it for votes' }).click();
  await page.waitForURL('**/s/harbours/admin');
  const { items } = await server.api('GET', '/v1/studies/harbours/items');
  assert.deepEqual(items.map(({ title, text, image }) => [title, text, Boolean(image)]).sort(), [
    ['IMG 1002', undefined, true], ['Sunrise, from the roof', undefined, true], [called, long, true]]);
  assert.equal((await server.api('GET', '/v1/studies/harbours')).settings.hide_names, true);
  for (let n = 0; n < 30; n += 1) await vote(server, 'harbours', (a, b) => (a.title > b.title ? 'first' : 'second'));
  // The leader's caption in the answer, and each one beside its picture, to the organiser and to others.
  const short = long.slice(0, long.indexOf(' above it'));
  for (const path of ['admin', 'results']) {
    await page.goto(`${server.url}/s/harbours/${path}`);
    await until(async () => /can be chosen|wins/.test(await page.locator('.headline').textContent()), 'a verdict');
    await page.locator('.verdict').getByText(short).waitFor();
    assert.equal(await page.locator('.strips li').first().locator('.caption').textContent(), await page.locator('.verdict p.small').first().textContent());
    await accessible(page, `captions in ${path}`);
  }
  // The report is one file: the pictures are in it, each once.
  const report = await server.api('GET', '/v1/studies/harbours/export/report.html');
  assert.equal(report.match(/src="data:image\/(webp|png);base64,/g).length, 3);
  assert.ok(report.includes(short) && !/src="(?!data:)/.test(report));
  await page.goto(`${server.url}/v1/studies/harbours/export/report.html`);
  const shown = await page.locator('.gallery img').evaluateAll((all) => all.filter((one) => one.naturalWidth > 0).length);
  assert.equal(shown, 3, 'and they are shown');
  await accessible(page, 'a report with pictures');
  await organiser.close();
});
