// Stories of organisers of a study that is there: watched as votes come, and everything that can be done about it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ADMIN, PHONE, accessible, browser, person, serve, tab, teas, until, vote } from './harness.mjs';

const held = browser();
let server;
before(async () => { server = await serve(); });
after(() => server?.end());

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
  await page.getByText('have the number by which the files know them; the first is #0').waitFor();
  assert.deepEqual([...new Set((await server.votes('work')).map((vote) => Number(vote.voter)))].sort(), [0, 1, 2, 3, 4, 5, 6, 7], 'as the files have it');
  await page.getByRole('link', { name: 'Voter #3', exact: true }).click();
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
  await page.getByText('Voter #3 may vote, votes not counted').waitFor();
  await page.getByText('Voter #5 was erased').waitFor();
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
    // Whoever looks at the results reads who is in front, and the list then knows how far it is.
    assert.equal(await page.getByText(/^As of/).count(), 0, 'nothing is computed for the list');
    await page.getByRole('link', { name: 'Which green tea?' }).click();
    await page.getByText('In front so far: A.').waitFor();
    await page.getByText(/^Still in the race: (A, B|B, A)\.$/).waitFor();
    await page.goBack();
    await page.reload();
    await page.getByText(/^As of \d+ votes, between [\d,]+ and [\d,]+ more votes would settle it/).waitFor();
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
