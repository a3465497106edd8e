// Stories of organisers: a study in a minute, watched as votes come, and everything that can be done about it.
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

test('everything that can be done about a study', async () => {
  const { organiser_token: token } = await server.study('work', teas('Ash', 'Birch', 'Cedar'), { questions_per_voter: 3 });
  // Two who agree, and one who always takes the first, fast.
  for (let n = 0; n < 8; n += 1) await vote(server, 'work', (a, b) => (a.title < b.title ? 'first' : 'second'));
  const organiser = await person(held, server);
  const { page } = organiser;
  const counted = async () => (await server.api('GET', '/v1/studies/work')).votes;
  await page.goto(`${server.url}/s/work/admin#token=${token}`);
  await page.getByRole('heading', { name: 'Scores' }).waitFor();
  // Items: add, correct, hide, show again.
  await tab(page, 'Items');
  await page.getByRole('textbox', { name: 'More items' }).fill('Douglas fir\nElm\nElm');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText('something twice: “Elm”').waitFor();
  assert.equal(await page.getByRole('textbox', { name: 'More items' }).inputValue(), 'Douglas fir\nElm\nElm', 'nothing typed is lost');
  await page.getByRole('textbox', { name: 'More items' }).fill('Douglas fir\nElm');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText('Added.').waitFor();
  const items = page.locator('#items');
  await items.getByRole('rowheader', { name: /Elm/ }).waitFor();
  await page.getByRole('button', { name: 'Hide Elm' }).click();
  await page.getByRole('button', { name: 'Show again Elm' }).waitFor();
  const edit = async (name, title, other) => {
    const row = items.getByRole('rowheader', { name });
    await row.getByText('Edit').click();
    await row.getByRole('textbox', { name: 'Title' }).fill(title);
    if (other) await row.getByRole('radio', { name: /a different thing/ }).check();
    await row.getByRole('button', { name: 'Save' }).click();
  };
  // A typo is mended, and no vote is lost.
  await edit(/Ash/, 'Ash tree');
  await page.getByText('Saved.').waitFor();
  await items.getByRole('rowheader', { name: /Ash tree/ }).waitFor();
  assert.equal(await counted(), 24, 'a correction keeps the votes');
  // Another thing starts at zero, when somebody is sure; and the old one comes back with its votes.
  await edit(/Cedar/, 'Chestnut', true);
  await page.getByText('16 votes on what it was no longer count').waitFor();
  await accessible(page, 'a question before votes no longer count');
  assert.equal(await counted(), 24, 'nothing yet');
  await page.getByRole('button', { name: 'Yes, start at zero' }).click();
  await items.getByRole('rowheader', { name: /Chestnut/ }).waitFor();
  assert.equal(await counted(), 8);
  await page.getByRole('button', { name: 'Show again Cedar' }).click();
  await page.getByRole('button', { name: 'Hide Cedar' }).waitFor();
  assert.equal(await counted(), 24, 'and back');
  await page.getByRole('button', { name: 'Hide Chestnut' }).click();
  await page.getByRole('button', { name: 'Show again Chestnut' }).waitFor();
  await accessible(page, 'items');
  // A voter: what changes without it, not counted, counted again.
  await tab(page, 'Voters');
  await page.getByRole('link', { name: 'Voter 3', exact: true }).click();
  await page.getByRole('heading', { name: 'Without them' }).waitFor();
  await accessible(page, 'one voter');
  await page.getByRole('button', { name: 'Don’t count these votes', exact: true }).click();
  await page.getByText('Saved.').waitFor();
  assert.equal(await counted(), 21);
  await page.goto(`${server.url}/s/work/admin/voters/3`);
  await page.getByRole('button', { name: /Count these votes again/ }).click();
  await page.getByText('Saved.').waitFor();
  assert.equal(await counted(), 24);
  // Somebody is forgotten.
  await page.goto(`${server.url}/s/work/admin/voters/5`);
  await page.getByRole('button', { name: 'Erase the voter and the votes' }).click();
  await page.getByRole('button', { name: 'Erase for ever' }).click();
  await page.getByText('Saved.').waitFor();
  assert.equal(await counted(), 21);
  // A vote is undone, and everything decided is on record.
  await tab(page, 'Log');
  await page.getByRole('button', { name: /Undo this vote/ }).first().click();
  await page.getByText('The vote was undone.').waitFor();
  assert.equal(await counted(), 20);
  await page.getByText('was undone by the organiser').waitFor();
  await page.getByText('Ash tree was corrected').waitFor();
  await page.getByText('Voter 3 may vote, votes not counted').waitFor();
  await page.getByText('Voter 5 was erased').waitFor();
  await accessible(page, 'the log');
  // Settings, title and status.
  await tab(page, 'Settings');
  await accessible(page, 'settings');
  await page.getByRole('checkbox', { name: 'Neither is good' }).check();
  await page.getByRole('textbox', { name: 'Title' }).fill('Work & trees');
  await page.getByRole('textbox', { name: 'Contact' }).fill('nobody');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('contact is "nobody"').waitFor();
  assert.equal(await page.getByRole('textbox', { name: 'Title' }).inputValue(), 'Work & trees', 'the form is as it was filled in');
  await page.getByRole('textbox', { name: 'Contact' }).fill('trees@example.org');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Saved.').waitFor();
  const set = await server.api('GET', '/v1/studies/work');
  assert.deepEqual([set.title, set.settings.both_bad, set.settings.contact, set.settings.level], ['Work & trees', true, 'trees@example.org', 0.95]);
  const to = async (name, status, sure) => {
    await page.getByRole('button', { name, exact: true }).click();
    if (sure) await page.getByRole('button', { name: sure }).click();
    await until(async () => (await server.api('GET', '/v1/studies/work')).status === status, status);
    await page.waitForLoadState('load');
  };
  await to('Pause', 'paused');
  await tab(page, 'Share');
  await page.getByText('Voting is paused: whoever opens this link').waitFor();
  await to('Open again', 'open');
  await to('Close', 'closed', 'Close it');
  await to('Open again', 'open');
  // Links: a personal one votes, a read-only one sees and changes nothing.
  await tab(page, 'Share');
  await page.getByText('This link works on this computer only').waitFor();
  await accessible(page, 'share');
  await page.getByRole('spinbutton', { name: 'Personal links' }).fill('2');
  await page.getByRole('button', { name: 'Create links', exact: true }).click();
  const personal = (await page.getByRole('textbox', { name: 'Personal links' }).inputValue()).split('\n');
  assert.equal(personal.length, 2);
  const guest = await person(held, server, PHONE);
  await guest.page.goto(personal[0]);
  await guest.page.getByRole('button', { name: 'Continue' }).tap();
  await guest.page.locator('.pair:visible').waitFor();
  await guest.close();
  await tab(page, 'Share');
  await page.getByRole('button', { name: 'Create a read-only link to the results' }).click();
  const link = await page.getByRole('textbox', { name: 'Read-only link' }).inputValue();
  const viewer = await person(held, server);
  await viewer.page.goto(`${server.url}/s/work/results`);
  await viewer.page.getByRole('heading', { name: 'These results are not public' }).waitFor();
  await viewer.page.goto(link);
  await viewer.page.getByRole('heading', { name: 'Scores' }).waitFor();
  assert.equal(await viewer.page.getByText('You can close the study').count(), 0, 'that is for the organiser');
  await viewer.page.goto(`${server.url}/s/work/admin`);
  await viewer.page.getByRole('heading', { name: 'For the organiser' }).waitFor();
  const refused = await viewer.page.evaluate(async () => (await fetch('/s/work/admin/status', { method: 'POST', body: new URLSearchParams({ status: 'closed', sure: 'yes' }) })).status);
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
  // Archived for good, after a question: nothing changes any more. Deleted, after another: nothing is left.
  await page.goto(`${server.url}/s/work/admin`);
  await to('Close', 'closed', 'Close it');
  await tab(page, 'Settings');
  await to('Archive for good', 'archived', 'Archive it for good');
  await tab(page, 'Settings');
  await page.getByText('its settings stay as they are').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Save' }).count(), 0);
  await page.getByRole('button', { name: 'Delete the study' }).click();
  await page.getByRole('textbox', { name: /To be sure/ }).fill('work');
  await page.getByRole('button', { name: 'Delete it for ever' }).click();
  await page.waitForURL(`${server.url}/`);
  await page.goto(`${server.url}/s/work`);
  await page.getByRole('heading', { name: 'Page not found' }).waitFor();
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
  await page.locator('#files').setInputFiles(files);
  // At once, while they are read: nothing is sent before all are there.
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
  await until(async () => (await page.locator('.strips img').count()) === 7, 'pictures of all');
  assert.equal(await page.locator('table th img').count(), 7, 'and in the table of all numbers');
  await accessible(page, 'results with pictures');
  await tab(page, 'Log');
  assert.equal(await page.locator('#recent li').first().locator('img').count(), 2, 'and those of the latest votes');
  await organiser.close();
});

test('every tab follows: votes, log, status and the pill, without being asked', async () => {
  const { organiser_token: token } = await server.study('follow', teas('A', 'B', 'C'), { questions_per_voter: 3, stop: { votes: 9 } });
  const organiser = await person(held, server);
  const { page, context } = organiser;
  await page.goto(`${server.url}/s/follow/admin#token=${token}`);
  await page.getByRole('heading', { name: 'Share' }).waitFor();
  const open = async (path) => { const other = await context.newPage(); await other.goto(`${server.url}/s/follow/admin/${path}`); return other; };
  const [voters, log, items] = [await open('voters'), await open('log'), await open('items')];
  for (let n = 0; n < 3; n += 1) await vote(server, 'follow', () => 'first').catch(() => {});
  await until(async () => /Closed/.test(await page.locator('#head .badge').textContent()), 'it has closed by itself');
  await until(async () => /3 have voted/.test(await voters.locator('#voters').textContent()), 'voters');
  await until(async () => (await log.getByRole('button', { name: /Undo this vote/ }).count()) === 8, 'the log');
  await until(async () => /6/.test(await items.locator('#items td').first().textContent()), 'how often items were shown');
  await until(async () => /Voting has ended/.test(await page.locator('.verdict').textContent()), 'the verdict says so');
  await organiser.close();
});

test('what is typed and not sent yet stays while the tab follows', async () => {
  const { organiser_token: token } = await server.study('typing', teas('A', 'B', 'C'), { suggestions: true });
  const { token: voter } = await server.api('POST', '/v1/studies/typing/voters', {}, '');
  const { questions: [{ q }] } = await server.api('POST', '/v1/studies/typing/questions', { count: 1 }, voter);
  await server.api('PUT', `/v1/studies/typing/questions/${q}/answer`, { answer: 'first' }, voter);
  await server.api('POST', '/v1/studies/typing/suggestions', { title: 'D' }, voter);
  const organiser = await person(held, server);
  const { page } = organiser;
  await page.goto(`${server.url}/s/typing/admin/items#token=${token}`);
  const first = page.locator('#items tbody tr').first();
  await first.getByText('Edit').click();
  const title = first.locator('input[name=title]');
  await title.fill('A better A');
  // Folded away, and the focus on something that is no field.
  await first.getByText('Edit').click();
  const suggested = page.locator('#suggestions').getByLabel('Title');
  await suggested.fill('D, with a name');
  await page.getByRole('heading', { name: 'Suggestions' }).click();
  await page.evaluate(() => document.activeElement.blur());
  await server.api('PUT', '/v1/studies/typing/status', { status: 'paused' });
  await until(async () => /Paused/.test(await page.locator('#head .badge').textContent()), 'the tab has followed');
  assert.deepEqual([await title.inputValue(), await suggested.inputValue()], ['A better A', 'D, with a name']);
  // Whatever nobody has touched follows all the same.
  await suggested.fill('D');
  await page.evaluate(() => document.activeElement.blur());
  await server.api('PUT', '/v1/studies/typing/suggestions/0', { accept: false });
  await until(async () => (await page.locator('#suggestions form').count()) === 0, 'the suggestion has gone');
  await organiser.close();
});

test('many items: pages stay small, and no forecast is made of nothing', async () => {
  const titles = Array.from({ length: 120 }, (_, at) => `An item with a name that goes on for a while, number ${at}`);
  const { organiser_token: token } = await server.study('lots', teas(...titles));
  await vote(server, 'lots', () => 'first', 15);
  const admin = { headers: { authorization: `Bearer ${token}` } };
  for (const path of ['', '/items', '/voters', '/log', '/settings', '/share']) {
    const page = await fetch(`${server.url}/s/lots/admin${path}`, admin);
    assert.equal(page.headers.get('content-encoding'), 'gzip', path);
    const size = Number(page.headers.get('content-length'));
    console.log(`admin${path} of 120 items: ${size} bytes`);
    assert.ok(size > 500 && size < 25000, `${path} has ${size} bytes`);
  }
  const organiser = await person(held, server, PHONE);
  const { page } = organiser;
  await page.goto(`${server.url}/s/lots/admin#token=${token}`);
  await page.locator('.verdict').waitFor();
  assert.match(await page.locator('.verdict').textContent(), /No result yet.*first one appears after 120 votes \(15 so far\)/);
  await tab(page, 'Items');
  assert.equal(await page.locator('#items tbody tr').count(), 50);
  await page.getByRole('link', { name: 'More →' }).click();
  await page.getByText('51 to 100 of 120').waitFor();
  // The server's own list.
  await page.goto(`${server.url}/#token=${ADMIN}`);
  await page.getByRole('link', { name: 'The lots' }).waitFor();
  await accessible(page, 'the overview');
  await organiser.close();
});

test('the best few are found where the best few are wanted', async () => {
  const { organiser_token: token } = await server.study('few', teas('Ash', 'Birch', 'Cedar', 'Dogwood'));
  const organiser = await person(held, server);
  const { page } = organiser;
  await page.goto(`${server.url}/s/few/admin/settings#token=${token}`);
  await page.getByText('What is to be found, how sure').click();
  await page.getByRole('combobox', { name: 'What is to be found' }).selectOption('top');
  await page.getByRole('spinbutton', { name: 'How many are the best few' }).fill('2');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Saved.').waitFor();
  assert.deepEqual((await server.api('GET', '/v1/studies/few')).settings.goal, { top: 2 });
  await tab(page, 'Results');
  for (let n = 0; n < 40; n += 1) await vote(server, 'few', (a, b) => (a.title < b.title ? 'first' : 'second'));
  await until(async () => /^The best 2: (Ash, Birch|Birch, Ash)\.$/.test(await page.locator('.headline').textContent()), 'the best two');
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

test('studies are found by a word of their title and by their status', async () => {
  const other = await serve();
  try {
    await other.study('green-tea', teas('A', 'B'), {}, 'Which green tea?');
    await other.study('black-tea', teas('A', 'B'), {}, 'Which black tea?');
    await vote(other, 'black-tea', () => 'first');
    for (let n = 0; n < 24; n += 1) await vote(other, 'green-tea', (a) => ((a.title === 'A') === (n % 12 < 7) ? 'first' : 'second'));
    await other.api('PUT', '/v1/studies/black-tea/status', { status: 'closed' });
    const organiser = await person(held, other);
    const { page } = organiser;
    await page.goto(`${other.url}/#token=${ADMIN}`);
    const cards = page.locator('li.study h2');
    await until(async () => (await cards.count()) === 2, 'both');
    // When votes came is drawn where there are some.
    assert.equal(await page.getByRole('img', { name: /^Votes over time, the first/ }).count(), 2);
    await until(async () => {
      await page.reload();
      return page.getByText('A leads, not for certain yet').isVisible();
    }, 'who leads');
    await page.getByText('1 vote · 1 voter · last vote just now').waitFor();
    await page.getByLabel('Search studies').fill('TEA green');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('link', { name: 'Show all' }).waitFor();
    assert.deepEqual(await cards.allTextContents(), ['Which green tea?']);
    await accessible(page, 'studies that were searched for');
    await page.getByRole('link', { name: 'Show all' }).click();
    await page.getByLabel('Status').selectOption('closed');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('link', { name: 'Show all' }).waitFor();
    assert.deepEqual(await cards.allTextContents(), ['Which black tea?']);
    await page.getByLabel('Search studies').fill('coffee');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByText('No study is like that.').waitFor();
    await organiser.close();
  } finally {
    await other.end();
  }
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
  assert.equal(await page.locator('#table table').isVisible(), false);
  await organiser.close();
});

test('voters suggest items; the organiser takes or rejects them, and nothing hostile happens', async () => {
  const { organiser_token: token } = await server.study('missing', teas('Assam', 'Sencha'), { suggestions: true, language: 'fr' });
  const hostile = '<img src=x onerror=alert(1)>';
  const voter = await person(held, server, { ...PHONE, javaScriptEnabled: false });
  await voter.page.goto(`${server.url}/s/missing`);
  await voter.page.getByRole('button', { name: 'Commencer' }).tap();
  await voter.page.getByRole('button', { name: /^Celle-ci/ }).first().tap();
  const suggest = async (name, text) => {
    await voter.page.getByText('Il manque quelque chose').tap();
    await voter.page.getByLabel('Son nom').fill(name);
    await voter.page.getByLabel('Quelques mots').fill(text);
    await voter.page.getByRole('button', { name: 'Envoyer' }).tap();
    await voter.page.getByText('le regardera d’abord').waitFor();
  };
  await suggest('Roibos', 'red\n**bold**');
  await suggest(hostile, '</textarea><script>alert(2)</script>');
  for (const name of ['One', 'Two', 'Three']) await suggest(name, '');
  assert.equal(await voter.page.getByText('Il manque quelque chose').count(), 0, 'five are enough');
  await voter.close();
  const organiser = await person(held, server);
  const { page } = organiser;
  page.on('dialog', () => assert.fail('a script of a voter ran'));
  await page.goto(`${server.url}/s/missing/admin#token=${token}`);
  await tab(page, 'Items');
  const queue = page.locator('#suggestions form');
  assert.equal(await queue.count(), 5);
  assert.deepEqual([await queue.nth(1).getByLabel('Title').inputValue(), await queue.nth(1).getByLabel('Text').inputValue()], [hostile, '</textarea><script>alert(2)</script>']);
  assert.equal(await page.locator('#suggestions img, #suggestions script').count(), 0);
  await accessible(page, 'suggestions');
  // With better words.
  await queue.first().getByLabel('Title').fill('Rooibos');
  await queue.first().getByRole('button', { name: /^Take it as an item.*Roibos$/ }).click();
  await until(async () => (await queue.count()) === 4, 'one is decided');
  await page.locator('#items').getByRole('rowheader', { name: /Rooibos/ }).waitFor();
  await queue.first().getByRole('button', { name: /^Reject.*onerror/ }).click();
  await until(async () => (await queue.count()) === 3, 'another one too');
  const items = (await server.api('GET', '/v1/studies/missing/items')).items.map(({ title, text }) => [title, text]);
  assert.deepEqual(items, [['Assam', undefined], ['Sencha', undefined], ['Rooibos', 'red\n**bold**']]);
  const { suggestions } = await server.api('GET', '/v1/studies/missing/suggestions');
  assert.deepEqual(suggestions.map(({ suggestion, title }) => [suggestion, title]), [[2, 'One'], [3, 'Two'], [4, 'Three']]);
  await server.api('PUT', '/v1/studies/missing/suggestions/2', { accept: true, key: 'one' });
  assert.equal((await server.api('GET', '/v1/studies/missing')).items, 4);
  await organiser.close();
});
