// What used to lose people, votes or words: crowded rooms, blocked cookies, previews that voted, texts that could not be touched, promises
// of pairs that do not exist, studies that end meanwhile, forms with a mistake, addresses as phones write them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ADMIN, PHONE, accessible, begin, browser, person, picture, ready, serve, teas, until, vote } from './harness.mjs';

const held = browser();
let server;
before(async () => { server = await serve(); });
after(() => server?.end());
const six = () => teas('Earl Grey', 'Assam', 'Darjeeling', 'Sencha', 'Rooibos', 'Peppermint');
const voters = async (slug) => (await server.api('GET', `/v1/studies/${slug}`)).voters;

test('a lecture room joins: whoever comes when too many do waits on the page, which tries again by itself', async () => {
  const room = await serve('--join-rate', '4');
  try {
    await room.study('hall', six(), { voting: 'named', consent: 'I agree.' });
    const voter = await person(held, room, PHONE);
    const { page } = voter;
    // What the page sends again by itself is held back until it has been looked at.
    let [first, release] = [true, null];
    const looked = new Promise((done) => { release = done; });
    await page.route('**/start*', async (route) => {
      if (!first) await looked;
      first = false;
      await route.continue();
    });
    await page.goto(`${room.url}/s/hall`);
    await page.getByLabel('Your name').fill('Ada');
    await page.getByRole('checkbox').check();
    // However long that takes: until nobody is let in any more.
    const full = () => room.api('POST', '/v1/studies/hall/voters', { name: 'Somebody', agree: true }, '').then(() => false, () => true);
    await until(full, 'the hall is full');
    await page.getByRole('button', { name: 'Start' }).tap();
    await page.getByText('Many are joining just now').waitFor();
    await accessible(page, 'too many join');
    assert.equal(await page.getByLabel('Your name').inputValue(), 'Ada', 'what was typed is there');
    release();
    await page.locator('.pair:visible').waitFor();
    await voter.close();
  } finally { await room.end(); }
  // A full hall needs no patience with what a server does unless told otherwise.
  const hall = await serve('--join-rate', '600');
  try {
    await hall.study('hall', six());
    for (let n = 0; n < 300; n += 1) await hall.api('POST', '/v1/studies/hall/voters', {}, '');
  } finally { await hall.end(); }
});

test('a browser without cookies is told so, and makes no voter', async () => {
  await server.study('biscuit', six());
  const voter = await person(held, server);
  const { page } = voter;
  await page.addInitScript(() => Object.defineProperty(Navigator.prototype, 'cookieEnabled', { get: () => false }));
  await page.goto(`${server.url}/s/biscuit`);
  await page.getByRole('heading', { name: 'Your browser blocks cookies' }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Start' }).count(), 0);
  assert.equal(await voters('biscuit'), 0);
  await voter.close();
  // Where no script can know it, the page after says so.
  const other = await person(held, server, { javaScriptEnabled: false });
  await other.page.route('**/start', async (route) => {
    const answer = await route.fetch({ maxRedirects: 0 });
    const headers = answer.headers();
    delete headers['set-cookie'];
    await other.context.clearCookies();
    await route.fulfill({ status: answer.status(), headers });
  });
  await other.page.goto(`${server.url}/s/biscuit`);
  await other.page.getByRole('button', { name: 'Start' }).click();
  await other.page.getByRole('heading', { name: 'Your browser blocks cookies' }).waitFor();
  assert.equal(await other.page.getByRole('button', { name: 'Start' }).count(), 0, 'no loop');
  await other.page.getByRole('link', { name: 'Try again' }).click();
  await other.page.getByRole('button', { name: 'Start' }).waitFor();
  await other.close();
  // The address that is passed on is that of the study.
  const third = await person(held, server);
  await begin(third.page, server, 'biscuit');
  assert.equal(third.page.url(), `${server.url}/s/biscuit`);
  await third.close();
});

for (const javaScriptEnabled of [true, false]) {
  test(`a preview stores nothing, of a draft too, ${javaScriptEnabled ? 'with' : 'without'} a script`, async () => {
    const slug = javaScriptEnabled ? 'draft' : 'draft-2';
    await server.api('POST', '/v1/studies', { slug, title: 'Draft', items: six() });
    const { head } = await server.api('GET', `/v1/studies/${slug}`);
    const organiser = await person(held, server, { javaScriptEnabled });
    const { page } = organiser;
    await page.goto(`${server.url}/s/${slug}/preview`);
    assert.equal(await page.locator('.pair').count(), 0, 'it is the organiser’s');
    await page.goto(`${server.url}/s/${slug}/admin`);
    await page.getByLabel('Token').fill(ADMIN);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.goto(`${server.url}/s/${slug}/preview`);
    await page.getByText('answers are not kept').waitFor();
    if (javaScriptEnabled) await accessible(page, 'a preview');
    for (let n = 0; n < 6; n += 1) {
      await ready(page, javaScriptEnabled);
      await page.locator('.pair:visible .pick').first().click();
    }
    await page.getByRole('heading', { name: 'End of the preview' }).waitFor();
    const study = await server.api('GET', `/v1/studies/${slug}`);
    assert.deepEqual([study.head, study.voters, study.votes], [head, 0, 0]);
    assert.equal(await page.evaluate(() => localStorage.length).catch(() => 0), 0);
    await organiser.close();
  });
}

test('texts are touched to be read, only their button votes; Markdown keeps its form; captions leave room', async () => {
  const text = '# A heading\n\nSome *text*.\n\n> a quote\n\n```\na line of code that is far too long for the card of a phone, wherever it stands\n```\n\n| a | b |\n|---|---:|\n| 1 | 2 |\n\n- [x] done\n\nمرحبا بالعالم!';
  await server.study('long', teas('One', 'Two').map((item) => ({ ...item, text })), { markdown: true });
  const voter = await person(held, server, PHONE);
  const { page } = voter;
  await begin(page, server, 'long');
  await ready(page);
  await accessible(page, 'Markdown');
  await page.locator('.pair:visible .words').first().tap();
  await page.locator('.pair:visible h3').first().tap();
  await page.waitForTimeout(400);
  assert.equal((await server.votes('long')).length, 0, 'reading is no vote');
  const words = page.locator('.pair:visible .words').first();
  assert.equal(await words.locator('h4').textContent(), 'A heading');
  assert.ok(await words.locator('h4').evaluate((head) => Number(getComputedStyle(head).fontWeight)) >= 600);
  assert.equal(await words.locator('td').first().evaluate((cell) => getComputedStyle(cell).textAlign), 'start');
  assert.equal(await words.locator('td').nth(1).evaluate((cell) => getComputedStyle(cell).textAlign), 'end');
  assert.match(await words.locator('li').textContent(), /☑ done/);
  assert.ok(await words.evaluate((box) => box.scrollWidth <= box.clientWidth), 'nothing is cut off at the side');
  const side = await words.locator('p').last().evaluate((line) => {
    const range = document.createRange();
    range.selectNodeContents(line);
    return [range.getBoundingClientRect(), line.getBoundingClientRect()].map((box) => box.right);
  });
  assert.ok(Math.abs(side[0] - side[1]) < 2, `Arabic begins on the right: ${side}`);
  await page.locator('.pair:visible .pick').first().tap();
  await until(async () => (await server.votes('long')).length === 1, 'the button votes');
  await page.waitForURL('**?end');
  // Pictures with captions.
  await server.study('album', [{ title: 'Hill', text: 'A hill in spring', alt: 'A green hill' }, { title: 'River', text: 'A river' }, { title: 'Sky' }]);
  for (const [key, colour] of [['hill', '#3b7d4f'], ['river', '#1652a0'], ['sky', '#e0a030']]) {
    const response = await fetch(`${server.url}/v1/studies/album/items/${key}/image?correction=true`, { method: 'PUT', headers: { authorization: `Bearer ${ADMIN}` }, body: await picture(page, colour) });
    assert.equal(response.status, 200);
  }
  await begin(page, server, 'album');
  for (let n = 0; n < 3; n += 1) {
    await ready(page);
    for (const card of await page.locator('.pair:visible .card').all()) {
      const [whole, photo] = await Promise.all([card.boundingBox(), card.locator('.picture').boundingBox()]);
      assert.ok(photo.height > 0.5 * whole.height, `a photo of ${photo.height} in a card of ${whole.height}`);
      if (await card.locator('h3').textContent() === 'Hill') assert.equal(await card.locator('img').getAttribute('alt'), 'A green hill');
    }
    await page.locator('.pair:visible .picture img').first().tap();
  }
  await page.waitForURL('**?end');
  assert.equal((await server.votes('album')).length, 3, 'a tap on a picture votes');
  await voter.close();
});

test('no more pairs are promised than there are; whoever likes finishes or goes on', async () => {
  await server.study('two', teas('A', 'B'));
  await server.study('three', teas('A', 'B', 'C'));
  const voter = await person(held, server);
  const { page } = voter;
  await page.goto(`${server.url}/s/two`);
  await page.getByText('One pair only').waitFor();
  await begin(page, server, 'two');
  assert.equal(await page.locator('#count').textContent(), '0 of 1');
  await ready(page);
  await page.keyboard.press('ArrowLeft');
  await page.getByText('Your answer is saved.').waitFor();
  await page.goto(`${server.url}/s/three`);
  await page.getByText('3 pairs, about 1 min').waitFor();
  // Finish, go on, and ten more.
  await server.study('six', six(), { questions_per_voter: 4 });
  await begin(page, server, 'six');
  assert.ok(await page.getByRole('link', { name: 'Finish' }).isHidden());
  await ready(page);
  await page.keyboard.press('ArrowLeft');
  await until(async () => (await server.votes('six')).length === 1, 'it is stored');
  await page.getByRole('link', { name: 'Finish' }).click();
  await page.getByText('Your answer is saved.').waitFor();
  await accessible(page, 'finished early');
  await page.getByRole('button', { name: 'Continue' }).click();
  for (let n = 0; n < 3; n += 1) { await ready(page); await page.keyboard.press('ArrowLeft'); }
  await page.waitForURL('**?end');
  await page.getByText('Your 4 answers are saved.').waitFor();
  await page.getByRole('button', { name: 'Vote on 10 more' }).click();
  await ready(page);
  assert.equal(await page.locator('#count').textContent(), '4 of 14');
  for (let n = 0; n < 10; n += 1) { await ready(page); await page.keyboard.press('ArrowRight'); }
  await page.waitForURL('**?end');
  await page.getByRole('button', { name: 'Vote on 1 more' }).click();
  await ready(page);
  await page.keyboard.press('ArrowRight');
  await page.waitForURL('**?end');
  assert.equal(await page.getByRole('button', { name: /more|Continue/ }).count(), 0, 'there are no more');
  assert.equal((await server.votes('six')).length, 15);
  assert.ok(await page.locator('.best li').count() >= 1, 'one’s own favourites');
  // Somebody else on the same device.
  await page.getByRole('button', { name: 'Somebody else votes now' }).click();
  await page.getByRole('button', { name: 'Start' }).click();
  await page.locator('.pair:visible').waitFor();
  assert.equal(await voters('six'), 2);
  await voter.close();
});

test('paused and ended studies say so, and no answer is lost without a word', async () => {
  const status = (slug, now) => server.api('PUT', `/v1/studies/${slug}/status`, { status: now });
  await server.study('rest', six(), { results: 'public' });
  const voter = await person(held, server);
  const { page, context } = voter;
  await begin(page, server, 'rest');
  await ready(page);
  await page.keyboard.press('ArrowLeft');
  await until(async () => (await server.votes('rest')).length === 1, 'the first');
  await status('rest', 'paused');
  for (let n = 0; n < 3; n += 1) { await ready(page); await page.keyboard.press('ArrowLeft'); }
  await page.getByRole('heading', { name: 'Voting is paused' }).waitFor();
  await page.getByText(/answers are saved/).waitFor();
  await status('rest', 'open');
  await page.goto(`${server.url}/s/rest`);
  await page.getByRole('button', { name: 'Continue' }).click();
  await ready(page);
  const before = (await server.votes('rest')).length;
  await context.setOffline(true);
  for (let n = 0; n < 3; n += 1) { await ready(page); await page.keyboard.press('ArrowLeft'); }
  await status('rest', 'closed');
  await context.setOffline(false);
  await page.getByText('Voting ended before your last answers arrived. Not counted: 3.').waitFor();
  assert.equal((await server.votes('rest')).length, before);
  // Who comes later finds the results.
  const late = await person(held, server);
  await late.page.goto(`${server.url}/s/rest`);
  await late.page.getByRole('heading', { name: 'Voting has ended' }).waitFor();
  await accessible(late.page, 'ended');
  await late.page.getByRole('link', { name: 'See the results' }).click();
  await late.page.waitForURL('**/s/rest/results');
  await late.close();
  await voter.close();
});

test('a form with a mistake comes back as it was; addresses are forgiving', async () => {
  await server.study('names', six(), { voting: 'named', organiser: 'The tea club', contact: 'tea@example.org', description: 'We buy **one**.' });
  const voter = await person(held, server);
  const { page } = voter;
  await page.goto(`${server.url}/s/Names/?from=chat`);
  assert.equal(page.url(), `${server.url}/s/names?from=chat`);
  await page.getByText('A study by The tea club').waitFor();
  assert.equal(await page.locator('main strong').textContent(), 'one');
  await page.getByLabel('Your name').fill('   ');
  await page.getByRole('button', { name: 'Start' }).click();
  await page.getByText('Please enter a name').waitFor();
  const named = page.getByLabel('Your name');
  assert.deepEqual([await named.getAttribute('aria-invalid'), await named.evaluate((field) => field === document.activeElement)], ['true', true]);
  await page.getByLabel('Your name').fill('Ada');
  await page.getByRole('button', { name: 'Start' }).click();
  await page.locator('.pair:visible').waitFor();
  await page.goto(`${server.url}/s/names/about`);
  await page.getByRole('heading', { name: 'What happens with my answers?' }).waitFor();
  await accessible(page, 'about');
  for (const path of ['/nonsense', '/s/', '/results', '/s/names/nothing']) {
    await page.goto(server.url + path);
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
  }
  assert.equal((await fetch(`${server.url}/nonsense`)).headers.get('content-type'), 'application/problem+json', 'programs get JSON');
  const out = await fetch(`${server.url}//evil.example/`, { headers: { accept: 'text/html' }, redirect: 'manual' });
  assert.equal(out.status, 404, 'no way out');
  await voter.close();
});

test('voters from a crowd platform: one voter an id, a code at the end; and in their language', async () => {
  await server.study('crowd', teas('A', 'B'), { id_parameter: 'PROLIFIC_PID', completion: 'C0DE7' });
  const voter = await person(held, server, { locale: 'de-AT' });
  const { page } = voter;
  await page.goto(`${server.url}/s/crowd`);
  await page.getByText('Bitte öffne diese Studie von der Plattform aus').waitFor();
  assert.equal(await page.getByRole('button').count(), 0);
  const join = async ({ page }, name) => {
    await page.goto(`${server.url}/s/crowd?PROLIFIC_PID=5f3a%26x&STUDY_ID=1`);
    await page.getByRole('button', { name }).click();
  };
  await join(voter, 'Los geht’s');
  assert.equal(await page.locator('html').getAttribute('lang'), 'de');
  await accessible(page, 'in German');
  await ready(page);
  await page.keyboard.press('ArrowLeft');
  await page.getByText('C0DE7').waitFor();
  await page.getByText('Deine Antwort ist gespeichert.').waitFor();
  // The same id elsewhere is the same voter, and has finished.
  const again = await person(held, server, { locale: 'es' });
  await join(again, 'Empezar');
  await again.page.getByText('C0DE7').waitFor();
  assert.equal(await voters('crowd'), 1);
  await again.close();
  await voter.close();
  const refused = await fetch(`${server.url}/v1/studies/crowd/voters`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' });
  assert.equal(refused.status, 403, 'no way round it');
  await server.study('home', teas('A', 'B'), { completion: 'https://example.org/done?cc=1', language: 'fr' });
  const other = await person(held, server);
  await other.page.goto(`${server.url}/s/home`);
  await other.page.getByRole('button', { name: 'Commencer' }).click();
  await ready(other.page);
  await other.page.keyboard.press('ArrowLeft');
  assert.equal(await other.page.getByRole('link', { name: 'Terminer sur la plateforme' }).getAttribute('href'), 'https://example.org/done?cc=1');
  await other.close();
});

test('a name that is written from right to left ends on its left in the chart of the results', async () => {
  await server.study('from-right', teas('שלום עולם!', 'شاي أخضر!', 'Assam!'), { results: 'public' });
  for (let n = 0; n < 12; n += 1) await vote(server, 'from-right', () => 'first');
  const { page, context } = await person(held, server);
  await page.goto(`${server.url}/s/from-right/results`);
  const ends = () => page.locator('svg.forest:visible .label').evaluateAll((all) => Object.fromEntries(all.map((one) => {
    const at = (letter) => one.getExtentOfChar(letter).x;
    return [one.textContent, at(one.getNumberOfChars() - 1) < at(0) ? 'left' : 'right'];
  })));
  await until(async () => Object.keys(await ends()).length === 3, 'all are in the chart');
  assert.deepEqual(await ends(), { 'שלום עולם!': 'left', 'شاي أخضر!': 'left', 'Assam!': 'right' });
  await context.close();
});
