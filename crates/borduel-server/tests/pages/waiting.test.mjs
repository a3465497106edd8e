// Answers that are not sent yet: each counts for whoever gave it, or it is said that it does not.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { PHONE, begin, browser, person, ready, serve, shown, teas, until } from './harness.mjs';

const held = browser();
let server;
before(async () => { server = await serve(); });
after(() => server?.end());
const six = () => teas('Earl Grey', 'Assam', 'Darjeeling', 'Sencha', 'Gunpowder', 'Keemun');
const pick = async (page) => { await ready(page); await page.locator('.pair:visible .pick').first().click(); };
/** How many votes each voter has, in the order in which they joined. */
async function each(slug) {
  const all = (await server.votes(slug)).map((vote) => Number(vote.voter));
  const { voters } = await server.api('GET', `/v1/studies/${slug}`);
  return Array.from({ length: voters }, (_, voter) => all.filter((one) => one === voter).length);
}
/** Starts, and gives one answer that arrives and one that does not; then, perhaps, the tab is closed. No answer arrives until `arrive`. */
async function oneWaits(page, slug, closed = false) {
  const context = page.context();
  await begin(page, server, slug);
  await pick(page);
  await until(async () => (await server.votes(slug)).length === 1, 'the first is there');
  await until(async () => (await page.locator('#saved').textContent()) === '', 'and the page knows it');
  await context.route('**/answer*', (route) => route.abort());
  // A request that is held when its tab is closed would be let through: without a network it is not.
  await context.setOffline(true);
  await pick(page);
  await until(async () => (await page.locator('#saved').textContent()).includes('1 waiting'), 'it says that one waits');
  if (closed) await page.close();
  await context.setOffline(false);
  assert.equal((await server.votes(slug)).length, 1);
}
const arrive = (page) => page.context().unroute('**/answer*');

test('an answer that waits when its tab is closed counts for its voter, though somebody else has begun', async () => {
  for (const how of ['leaves', 'loses the cookies']) {
    const slug = how.split(' ')[0];
    await server.study(slug, six(), { questions_per_voter: 5 });
    const device = await person(held, server, PHONE);
    const { page, context } = device;
    await oneWaits(page, slug, true);
    const next = await context.newPage();
    if (how === 'leaves') {
      await next.goto(`${server.url}/s/${slug}?end`);
      await next.getByText('1 waiting to be sent').waitFor();
      await next.getByRole('button', { name: 'Somebody else votes now' }).tap();
    } else {
      await context.clearCookies();
      await next.goto(`${server.url}/s/${slug}`);
    }
    await next.getByRole('button', { name: 'Start' }).tap();
    await ready(next);
    await arrive(next);
    await pick(next);
    await until(async () => JSON.stringify(await each(slug)) === '[2,1]', `two of the first voter, one of the second: ${how}`);
    await until(async () => (await next.locator('#saved').textContent()) === '', 'nothing waits');
    assert.equal(await next.locator('#count').textContent(), '1 of 5', 'what somebody else gave is not counted here');
    await device.close();
  }
});

test('two tabs of one browser are one voter: when somebody else begins in one, the other follows', async () => {
  await server.study('tabs', six(), { questions_per_voter: 5 });
  const device = await person(held, server);
  const { page, context } = device;
  await oneWaits(page, 'tabs');
  const other = await context.newPage();
  await other.goto(`${server.url}/s/tabs?end`);
  await other.getByRole('button', { name: 'Somebody else votes now' }).click();
  // Whoever sits before the first tab does not answer for whoever has gone.
  await page.getByRole('button', { name: 'Start' }).waitFor();
  await other.getByRole('button', { name: 'Start' }).click();
  await ready(other);
  await ready(page);
  assert.equal(await shown(page), await shown(other), 'both show the pair of the second voter');
  await arrive(page);
  await pick(page);
  await until(async () => JSON.stringify(await each('tabs')) === '[2,1]', 'two of the first voter, one of the second');
  await device.close();
});

test('what a network in between answers is neither an acknowledgement nor a refusal', async () => {
  await server.study('hotel', six(), { questions_per_voter: 5 });
  const voter = await person(held, server, PHONE);
  const { page, context } = voter;
  await begin(page, server, 'hotel');
  for (const answer of [{ status: 200, body: '<h1>Welcome to our Wi-Fi</h1>' }, { status: 403, body: '<h1>Log in first</h1>' }]) {
    let asked = 0;
    await context.route('**/answer*', (route) => { asked += 1; return route.fulfill({ contentType: 'text/html', ...answer }); });
    await pick(page);
    await until(() => asked > 1, 'it tries again');
    assert.match(await page.locator('#saved').textContent(), /waiting/);
    await arrive(page);
    await until(async () => (await page.locator('#saved').textContent()) === '', 'it is sent when the network is there');
  }
  assert.deepEqual(await each('hotel'), [2]);
  await voter.close();
});

test('the study closes while somebody is offline: whoever comes back is told, also after the tab was closed', async () => {
  for (const slug of ['stays', 'closes']) {
    await server.study(slug, six(), { questions_per_voter: 5 });
    const voter = await person(held, server, PHONE);
    const { page, context } = voter;
    await oneWaits(page, slug, slug === 'closes');
    await server.api('PUT', `/v1/studies/${slug}/status`, { status: 'closed' });
    await arrive(page);
    const back = slug === 'closes' ? await context.newPage() : page;
    if (slug === 'closes') await back.goto(`${server.url}/s/${slug}`);
    await back.getByText('Not counted: 1.').waitFor();
    await back.getByText('Your answer is saved.').waitFor();
    // It is said once, and nothing is left that would be tried again.
    await back.reload();
    await back.getByText('Your answer is saved.').waitFor();
    assert.equal(await back.getByText('Not counted').count(), 0);
    await voter.close();
  }
  // While it is paused, what was given before is taken.
  await server.study('rests', six(), { questions_per_voter: 5 });
  const voter = await person(held, server, PHONE);
  await oneWaits(voter.page, 'rests');
  await server.api('PUT', '/v1/studies/rests/status', { status: 'paused' });
  await arrive(voter.page);
  await until(async () => JSON.stringify(await each('rests')) === '[2]', 'the second arrives');
  await voter.close();
});

test('buttons that are pressed twice, and the way back after the end', async () => {
  await server.study('twice', six(), { questions_per_voter: 4, comment: true });
  const voter = await person(held, server, PHONE);
  const { page } = voter;
  await page.goto(`${server.url}/s/twice`);
  // The answer comes late: a second tap hits the same button.
  await page.route('**/start*', async (route) => { await new Promise((wake) => { setTimeout(wake, 800); }); await route.continue(); });
  await page.getByRole('button', { name: 'Start' }).dblclick();
  await pick(page);
  assert.equal((await each('twice')).length, 1, 'one voter has joined');
  await pick(page);
  await until(async () => (await each('twice'))[0] === 2, 'both are there');
  await ready(page);
  await page.getByRole('link', { name: 'Finish' }).dblclick();
  await page.getByText('Your 2 answers are saved.').waitFor();
  await page.goBack();
  await pick(page);
  await until(async () => (await each('twice'))[0] === 3, 'whoever comes back goes on');
  await ready(page);
  await page.getByRole('link', { name: 'Finish' }).click();
  await page.getByText('Your 3 answers are saved.').waitFor();
  await page.getByLabel('Anything to say to the organiser?').fill('Once');
  await page.getByRole('button', { name: 'Send' }).dblclick();
  await page.getByText('Your comment is saved.').waitFor();
  const organiser = await person(held, server);
  await organiser.page.goto(`${server.url}/`);
  await organiser.page.getByLabel('The admin token').fill('bd_srv_only_for_tests_0123456789abcdef');
  await organiser.page.getByRole('button', { name: 'Continue' }).click();
  await organiser.page.waitForURL(`${server.url}/`);
  await organiser.page.goto(`${server.url}/s/twice/admin/voters`);
  await organiser.page.getByRole('heading', { name: 'Comments' }).waitFor();
  assert.equal(await organiser.page.locator('.comments li').count(), 1, 'a comment that was sent twice is kept once');
  await organiser.close();
  await voter.close();
});

test('without a network what somebody writes stays, and nobody is led to an error of the browser', async () => {
  await server.study('words', six(), { questions_per_voter: 2, comment: true, suggestions: true });
  const voter = await person(held, server, PHONE);
  const { page, context } = voter;
  await page.goto(`${server.url}/s/words`);
  await context.setOffline(true);
  await page.getByRole('button', { name: 'Start' }).tap();
  await page.getByText('You are offline.').waitFor();
  await context.setOffline(false);
  await page.getByRole('button', { name: 'Start' }).tap();
  await pick(page);
  await pick(page);
  await page.waitForURL('**?end');
  await page.getByText('Is something missing?').tap();
  for (const [label, words, said] of [['Anything to say', 'Too many teas', 'Your comment is saved.'], ['What it is called', 'Oolong', 'will look at it first']]) {
    const field = page.getByLabel(label);
    if (!await field.isVisible()) await page.getByText('Is something missing?').tap();
    await field.fill(words);
    await context.setOffline(true);
    const send = field.locator('xpath=ancestor::form').getByRole('button', { name: 'Send' });
    await send.tap();
    await page.getByText('You are offline. What you have filled in stays here').waitFor();
    assert.equal(await field.inputValue(), words);
    await context.setOffline(false);
    // A form is sent once in three seconds; the one that was held back does not count.
    await send.tap();
    await page.getByText(said).waitFor();
  }
  await voter.close();
});

test('whoever leaves a stand without a network leaves no pairs to the next one', async () => {
  await server.study('stall', six(), { questions_per_voter: 5 });
  const stand = await person(held, server, PHONE);
  const { page, context } = stand;
  await page.goto(`${server.url}/s/stall?shared`);
  await page.getByRole('button', { name: 'Start' }).tap();
  await pick(page);
  await until(async () => (await each('stall'))[0] === 1, 'the first is there');
  await ready(page);
  await context.setOffline(true);
  await page.getByRole('button', { name: 'Somebody else votes now' }).tap();
  await until(async () => /offline/.test(await page.locator('#saved').textContent()), 'it says why it stays');
  assert.equal(await page.locator('.pair:visible').count(), 0);
  await page.keyboard.press('ArrowLeft');
  await context.setOffline(false);
  await page.getByRole('button', { name: 'Start' }).waitFor();
  assert.deepEqual(await each('stall'), [1]);
  await stand.close();
});
