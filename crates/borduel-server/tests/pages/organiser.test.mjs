// Stories of organisers: a study in a minute, watched as votes come, and everything that can be done about it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ADMIN, DESK, PHONE, accessible, begin, browser, person, picture, ready, serve, teas, until, vote } from './harness.mjs';

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
  assert.match(await page.locator('.verdict').textContent(), /You may stop here/);
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
  await page.getByRole('link', { name: 'New study' }).focus();
  await page.keyboard.press('Enter');
  await page.waitForURL('**/new');
  await page.getByRole('textbox', { name: 'Title' }).focus();
  await page.keyboard.type('By keys');
  await page.keyboard.press('Tab');
  await page.keyboard.type('Which is shorter?');
  await page.keyboard.press('Tab');
  await page.keyboard.type('id,name,text\na,Ash,"A tree, tall"\nb,Birch,\n');
  for (let n = 0; n < 9 && !(await page.getByRole('button', { name: 'Open it' }).evaluate((one) => one === document.activeElement).catch(() => true)); n += 1) await page.keyboard.press('Tab');
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

test('everything that can be done about a study', async () => {
  const { organiser_token: token } = await server.study('work', teas('Ash', 'Birch', 'Cedar'), { questions_per_voter: 3 });
  // Two who agree, and one who always takes the first, fast.
  for (let n = 0; n < 8; n += 1) await vote(server, 'work', (a, b) => (a.title < b.title ? 'first' : 'second'));
  const organiser = await person(held, server);
  const { page } = organiser;
  const counted = async () => (await server.api('GET', '/v1/studies/work')).votes;
  await page.goto(`${server.url}/s/work/admin#token=${token}`);
  await page.getByRole('heading', { name: 'Share' }).waitFor();
  // Items: add, correct, leave out, ask again.
  await page.getByRole('textbox', { name: 'More items' }).fill('Douglas fir\nElm');
  await page.getByRole('button', { name: 'Add' }).click();
  const items = page.locator('#items');
  await items.getByRole('rowheader', { name: /Elm/ }).waitFor();
  await page.getByRole('button', { name: 'Leave out Elm' }).click();
  await page.getByRole('button', { name: 'Ask again about Elm' }).waitFor();
  const ash = items.getByRole('rowheader', { name: /Ash/ });
  await ash.getByText('Edit').click();
  await ash.getByRole('textbox', { name: 'Title' }).fill('Ash tree');
  await ash.getByRole('checkbox').check();
  await ash.getByRole('button', { name: 'Save' }).click();
  await items.getByRole('rowheader', { name: /Ash tree/ }).waitFor();
  assert.equal(await counted(), 24, 'a correction keeps the votes');
  // A voter: what changes without it, set aside, count again.
  await page.getByRole('link', { name: 'Voter 3', exact: true }).click();
  await page.getByRole('heading', { name: 'Without them' }).waitFor();
  await accessible(page, 'one voter');
  await page.getByRole('button', { name: 'Set these votes aside', exact: true }).click();
  await page.waitForURL('**/admin#voters');
  assert.equal(await counted(), 21);
  await page.goto(`${server.url}/s/work/admin/voters/3`);
  await page.getByRole('button', { name: /Count these votes again/ }).click();
  await page.waitForURL('**/admin#voters');
  assert.equal(await counted(), 24);
  // A vote is taken back, and everything decided is on record.
  await page.getByRole('button', { name: /Take back/ }).first().click();
  await page.waitForURL('**/admin#recent');
  assert.equal(await counted(), 23);
  await page.getByText('taken back by the organiser').waitFor();
  await page.getByText('Ash tree was corrected').waitFor();
  await page.getByText('Voter 3 may vote, votes set aside').waitFor();
  // Settings, status.
  await page.getByRole('checkbox', { name: 'Both bad' }).check();
  await page.getByRole('button', { name: 'Save', exact: true }).last().click();
  await page.waitForURL('**/admin#settings');
  assert.equal((await server.api('GET', '/v1/studies/work')).settings.both_bad, true);
  for (const [name, status] of [['Pause', 'paused'], ['Open again', 'open'], ['Close', 'closed'], ['Open again', 'open']]) {
    await page.getByRole('button', { name, exact: true }).click();
    await until(async () => (await server.api('GET', '/v1/studies/work')).status === status, status);
    await page.waitForLoadState('load');
  }
  // Links: a personal one votes, a read-only one sees and changes nothing.
  await page.getByRole('spinbutton', { name: 'Personal links' }).fill('2');
  await page.getByRole('button', { name: 'Make', exact: true }).click();
  const personal = (await page.getByRole('textbox', { name: 'Personal links' }).inputValue()).split('\n');
  assert.equal(personal.length, 2);
  const guest = await person(held, server, PHONE);
  await guest.page.goto(personal[0]);
  await guest.page.getByRole('button', { name: 'Go on' }).tap();
  await guest.page.locator('.pair:visible').waitFor();
  await guest.close();
  await page.goBack();
  await page.getByRole('button', { name: 'Make a read-only link to the results' }).click();
  const link = await page.getByRole('textbox', { name: 'Read-only link' }).inputValue();
  const viewer = await person(held, server);
  await viewer.page.goto(`${server.url}/s/work/results`);
  await viewer.page.getByRole('heading', { name: 'These results are not public' }).waitFor();
  await viewer.page.goto(link);
  await viewer.page.getByRole('heading', { name: 'Scores' }).waitFor();
  await viewer.page.goto(`${server.url}/s/work/admin`);
  await viewer.page.getByRole('heading', { name: 'For the organiser' }).waitFor();
  const refused = await viewer.page.evaluate(async () => (await fetch('/s/work/admin/status', { method: 'POST', body: new URLSearchParams({ status: 'closed' }) })).status);
  assert.equal(refused, 403);
  await viewer.close();
  // Files, with the cookie alone.
  await page.goto(`${server.url}/s/work/admin`);
  for (const name of ['votes.csv', 'votes.jsonl', 'items.csv', 'log.jsonl']) {
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name }).click()]);
    assert.equal(download.suggestedFilename(), name);
  }
  await page.getByRole('link', { name: 'report.html' }).click();
  await page.getByRole('heading', { name: 'Every pair' }).waitFor();
  await organiser.close();
});
