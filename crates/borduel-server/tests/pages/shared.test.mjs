// A device that many share, and an answer that is not sent yet when somebody goes.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { PHONE, accessible, begin, browser, person, ready, serve, tab, teas, until, vote } from './harness.mjs';

const held = browser();
let server;
before(async () => { server = await serve(); });
after(() => server?.end());
const four = () => teas('Earl Grey', 'Assam', 'Darjeeling', 'Sencha');
const voters = async (slug) => (await server.api('GET', `/v1/studies/${slug}`)).voters;

test('one phone, several voters: somebody else votes now', async () => {
  await server.study('pass', four(), { questions_per_voter: 2 });
  const somebody = await person(held, server, PHONE);
  const { page } = somebody;
  // A link that is not for shared devices asks for nothing and forgets nobody by itself.
  for (let n = 1; n <= 3; n += 1) {
    await begin(page, server, 'pass');
    assert.equal(await page.locator('#leave').count(), 0, 'nothing beside the pair');
    // The second one gives up half-way.
    await ready(page);
    await page.locator('.pair:visible .pick').first().tap();
    if (n === 2) await page.getByRole('link', { name: 'Finish' }).tap();
    else {
      await ready(page);
      await page.locator('.pair:visible .pick').first().tap();
    }
    await page.waitForURL('**?end');
    assert.equal(await page.locator('#leave').getAttribute('data-idle'), null);
    await accessible(page, 'the thanks, with room for the next');
    await page.getByRole('button', { name: 'Somebody else votes now' }).tap();
    await page.getByRole('button', { name: 'Start' }).waitFor();
    assert.equal(await voters('pass'), n);
  }
  const by = (await server.votes('pass')).map((vote) => vote.voter);
  assert.deepEqual([0, 1, 2].map((voter) => by.filter((one) => Number(one) === voter || one === `v${voter}`).length), [2, 1, 2], JSON.stringify(by));
  await somebody.close();
});

test('at a stand the page makes room by itself, in the pair and after it', async () => {
  const { organiser_token: token } = await server.study('stand', four(), { questions_per_voter: 1 });
  const organiser = await person(held, server);
  await organiser.page.goto(`${server.url}/s/stand/admin#token=${token}`);
  await organiser.page.getByRole('heading', { name: 'Share' }).waitFor();
  await tab(organiser.page, 'Share');
  await organiser.page.getByText('For a device that many share').click();
  const address = await organiser.page.getByRole('textbox', { name: 'Link for a device that many share' }).inputValue();
  assert.equal(address, `${server.url}/s/stand?shared`);
  await organiser.close();
  const stand = await person(held, server, { viewport: { width: 1024, height: 768 }, hasTouch: true });
  const { page } = stand;
  await page.clock.install();
  await page.goto(address);
  await page.getByRole('button', { name: 'Start' }).click();
  await page.locator('.pair:visible').waitFor();
  assert.equal(new URL(page.url()).search, '?shared', 'the address stays that of the stand');
  await accessible(page, 'a pair on a shared device');
  // Whoever reads is not disturbed; whoever walks away is.
  await page.clock.runFor(170_000);
  await page.mouse.click(2, 2);
  await page.clock.runFor(170_000);
  assert.ok(await page.locator('.pair:visible').count());
  await page.clock.runFor(15_000);
  await page.getByRole('button', { name: 'Start' }).waitFor();
  assert.equal(new URL(page.url()).search, '?shared');
  await page.getByRole('button', { name: 'Start' }).click();
  await page.locator('.pair[data-met]:visible').waitFor();
  await page.clock.runFor(1_000);
  await page.locator('.pair:visible .pick').first().click();
  await page.waitForURL('**/s/stand?end&shared');
  await page.getByText('Your answer is saved.').waitFor();
  await page.clock.runFor(50_000);
  await page.getByRole('button', { name: 'Start' }).waitFor();
  assert.deepEqual([await voters('stand'), (await server.votes('stand')).length], [2, 1]);
  await stand.close();
});

test('whoever finishes without a network loses nothing: what waits is sent first', async () => {
  await server.study('train', four(), { questions_per_voter: 5 });
  const voter = await person(held, server, PHONE);
  const { page, context } = voter;
  await begin(page, server, 'train');
  await ready(page);
  await page.locator('.pair:visible .pick').first().tap();
  await until(async () => (await server.votes('train')).length === 1, 'the first is there');
  await context.setOffline(true);
  await ready(page);
  await page.locator('.pair:visible .pick').first().tap();
  await page.getByRole('link', { name: 'Finish' }).tap();
  await until(async () => /offline/.test(await page.locator('#saved').textContent()), 'it says why it stays');
  assert.equal(new URL(page.url()).search, '');
  await context.setOffline(false);
  await page.waitForURL('**?end');
  await page.getByText('Your 2 answers are saved.').waitFor();
  assert.equal((await server.votes('train')).length, 2);
  await voter.close();
});

test('where results are public the thanks say what all say together, and lead there', async () => {
  await server.study('open', four(), { questions_per_voter: 3, results: 'public' });
  await server.study('shut', four(), { questions_per_voter: 3 });
  const voter = await person(held, server);
  const { page } = voter;
  for (const slug of ['open', 'shut']) {
    await begin(page, server, slug);
    for (let n = 0; n < 3; n += 1) { await ready(page); await page.keyboard.press('ArrowLeft'); }
    await page.waitForURL('**?end');
    assert.equal(await page.getByRole('link', { name: 'See the results' }).count(), slug === 'open' ? 1 : 0);
    assert.equal(await page.getByText('All voters together').count(), 0, 'nothing is said before there is something to say');
  }
  for (const slug of ['open', 'shut']) {
    for (let n = 0; n < 40; n += 1) await vote(server, slug, (a, b) => (a.title < b.title ? 'first' : 'second'));
    await until(async () => (await server.api('GET', `/v1/studies/${slug}/results`)).verdict.kind === 'clear-winner', 'the verdict');
    await page.goto(`${server.url}/s/${slug}`);
    await page.getByRole('heading', { name: 'Thank you' }).waitFor();
    assert.equal(await page.getByText('All voters together: Assam wins').count(), slug === 'open' ? 1 : 0);
  }
  await voter.close();
});
