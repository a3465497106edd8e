// Stories of voters: by mouse, touch, keyboard and without a script; on a broken network; several at once; within another page.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { PHONE, accessible, begin, browser, home, nextPair, person, ready, serve, shown, teas, until } from './harness.mjs';

const held = browser();
let server;
before(async () => { server = await serve(); });
after(() => server?.end());
const six = () => teas('Earl Grey', 'Assam', 'Darjeeling', 'Sencha', 'Rooibos', 'Peppermint');

/** No voter saw a pair twice, and every question was answered once. */
function once(votes) {
  const pairs = votes.map((vote) => `${vote.voter} ${[vote.left, vote.right].sort()}`);
  assert.equal(new Set(pairs).size, pairs.length, 'a pair came twice');
  assert.equal(new Set(votes.map((vote) => vote.question)).size, votes.length);
}

test('by mouse: from the link to the thanks', async () => {
  await server.study('mouse', six(), { questions_per_voter: 6, comment: true });
  const voter = await person(held, server);
  const { page } = voter;
  let bytes = 0;
  // Over the network: what comes from the cache has none. Added once it is known, so that two that end together both count.
  page.on('requestfinished', async (request) => {
    const { responseBodySize } = await request.sizes().catch(() => ({ responseBodySize: 0 }));
    bytes += Math.max(0, responseBodySize);
  });
  await page.goto(`${server.url}/s/mouse`);
  assert.equal((await server.api('GET', '/v1/studies/mouse')).voters, 0, 'looking joins nobody');
  await begin(page, server, 'mouse');
  await ready(page);
  await until(() => bytes > 1000, 'the first load is counted');
  assert.ok(bytes <= 60000, `the first load has ${bytes} bytes`);
  const chosen = [];
  for (let n = 0; n < 6; n += 1) {
    await ready(page);
    const title = await page.locator('.pair:visible .card h3').nth(n % 2).textContent();
    chosen.push(title);
    // On the card itself, and on its button.
    if (n < 3) await page.locator('.pair:visible .card').nth(n % 2).click({ position: { x: 20, y: 20 } });
    else await page.getByRole('button', { name: new RegExp(`This one.*${title}`) }).click();
  }
  await page.waitForURL('**?end');
  await page.getByRole('heading', { name: 'Thank you' }).waitFor();
  await page.getByText('What I answered').click();
  const listed = await page.locator('.answers li b').allTextContents();
  assert.deepEqual(listed.toReversed(), chosen);
  await page.getByRole('textbox').fill('Tea is <b>good</b> & cheap');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('Your comment is saved.').waitFor();
  const votes = await server.votes('mouse');
  assert.equal(votes.length, 6);
  once(votes);
  // Undo from the last page brings the pair back, and another answer counts in its place.
  await page.getByRole('button', { name: 'Undo the last answer' }).click();
  await ready(page);
  await page.locator('.pair:visible .card').first().click({ position: { x: 20, y: 20 } });
  await page.waitForURL('**?end');
  const again = await server.votes('mouse');
  assert.equal(again.length, 6);
  assert.notDeepEqual(again.map((vote) => vote.question), votes.map((vote) => vote.question));
  await voter.close();
});

test('long texts stand in full on a phone, and their buttons stay within reach', async () => {
  const text = (name) => `${name} says. ${'One has to read all of this before one can choose. '.repeat(40)} The end of ${name}.`;
  await server.study('long', ['A', 'B', 'C'].map((title) => ({ title, text: text(title) })), { hide_names: true });
  const voter = await person(held, server, PHONE);
  const { page } = voter;
  await begin(page, server, 'long');
  await ready(page);
  const pick = (at) => page.locator('.pair:visible .pick').nth(at);
  assert.ok(await page.locator('.pair:visible .words').evaluateAll((all) => all.every((one) => one.scrollHeight <= one.clientHeight + 1)), 'nothing is scrolled within a card');
  const reach = (at) => pick(at).evaluate((button) => { const box = button.getBoundingClientRect(); return box.top >= 0 && box.bottom <= innerHeight; });
  assert.ok(await reach(0), 'while the first is read, its button is there');
  await accessible(page, 'long texts on a phone');
  await page.mouse.wheel(0, 1400);
  await until(() => reach(1), 'while the second is read, its button is there');
  await page.screenshot({ path: `${home}/shots/long-texts-phone.png`, animations: 'disabled' });
  await pick(1).tap();
  await until(async () => /^1 of/.test(await page.locator('#count').textContent()), 'it counts');
  await ready(page);
  await until(() => page.evaluate(() => scrollY === 0), 'the next pair begins at its beginning');
  await voter.close();
});

test('by thumb: both cards and all buttons are on the screen of a phone, a tap is enough', async () => {
  await server.study('touch', six(), { questions_per_voter: 4, both_bad: true });
  const voter = await person(held, server, PHONE);
  const { page } = voter;
  await page.goto(`${server.url}/s/touch`);
  await page.getByRole('button', { name: 'Start' }).tap();
  await ready(page);
  const places = await page.locator('.pair:visible .card, .others button, #undo button').evaluateAll((all) => all.map((one) => {
    const { top, bottom, left, right, height } = one.getBoundingClientRect();
    return { top, bottom, left, right, height };
  }));
  const { width, height } = page.viewportSize();
  for (const place of places) {
    assert.ok(place.top >= 0 && place.bottom <= height && place.left >= 0 && place.right <= width, JSON.stringify(place));
    assert.ok(place.height >= 44, `a target of ${place.height} pixels`);
  }
  assert.ok(places[1].top >= places[0].bottom, 'the cards stand above each other');
  for (const name of ['card', 'card', 'Neither', 'Equal']) {
    await ready(page);
    if (name === 'card') await page.locator('.pair:visible .card h3').first().tap();
    else await page.getByRole('button', { name }).tap();
  }
  await page.waitForURL('**?end');
  const votes = await server.votes('touch');
  assert.deepEqual(votes.map((vote) => vote.winner), ['left', 'left', 'both bad', 'tie']);
  await voter.close();
});

test('by keyboard alone, with keys that are pressed twice', async () => {
  await server.study('keys', six(), { questions_per_voter: 6, both_bad: true });
  const voter = await person(held, server);
  const { page } = voter;
  await page.goto(`${server.url}/s/keys`);
  for (let n = 0; n < 9 && !(await page.evaluate(() => document.activeElement?.textContent === 'Start')); n += 1) await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await ready(page);
  await accessible(page, 'voting');
  const keys = ['ArrowLeft', 'ArrowRight', ' ', 'ArrowDown', 's'];
  for (const key of keys) {
    await ready(page);
    const before = await shown(page);
    // A second press at once is a slip, not a vote. From outside, the second one can be late.
    await page.evaluate((key) => {
      for (let press = 0; press < 2; press += 1) document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
    }, key);
    assert.notEqual(await shown(page), before);
  }
  await ready(page);
  await until(async () => (await page.locator('#saved').textContent()) === '', 'all is sent');
  const question = await page.locator('.pair:visible h2').textContent();
  await page.keyboard.press('z');
  // Skip is taken back, its pair is there again.
  await until(async () => (await page.locator('.pair:visible h2').textContent()) !== question, 'the pair comes again');
  await ready(page);
  await page.keyboard.press('ArrowRight');
  await ready(page);
  // Tab and Enter do the same as the keys.
  for (let n = 0; n < 12 && !(await page.evaluate(() => document.activeElement?.value === 'second')); n += 1) await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.waitForURL('**?end');
  const votes = await server.votes('keys');
  assert.deepEqual(votes.map((vote) => vote.winner), ['left', 'right', 'tie', 'both bad', 'right', 'right']);
  once(votes);
  await voter.close();
});

test('without a script the same forms do', async () => {
  await server.study('plain', six(), { questions_per_voter: 3, consent: 'I am of age & agree.', voting: 'named' });
  const voter = await person(held, server, { javaScriptEnabled: false });
  const { page } = voter;
  await page.goto(`${server.url}/s/plain`);
  await page.getByLabel('Your name').fill('Ada');
  await page.getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Start' }).click();
  await page.locator('.pair:visible button').first().click();
  await page.getByRole('button', { name: 'Equal' }).click();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.locator('.pair:visible button').last().click();
  await page.locator('.pair:visible button').first().click();
  await page.getByRole('heading', { name: 'Thank you' }).waitFor();
  assert.deepEqual((await server.votes('plain')).map((vote) => vote.winner), ['left', 'right', 'left']);
  // Whoever does not agree, or has no name, is not let in; a browser would not even send it.
  for (const body of ['name=Ada', 'agree=yes']) {
    const headers = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/x-www-form-urlencoded' };
    assert.equal((await fetch(`${server.url}/s/plain/start`, { method: 'POST', headers, body, redirect: 'manual' })).status, 422);
  }
  await voter.close();
});

test('offline and back: answers wait and are sent once, also over a reload and a killed server', async () => {
  await server.study('offline', six(), { questions_per_voter: 12 });
  const voter = await person(held, server);
  const { page, context } = voter;
  await begin(page, server, 'offline');
  await ready(page);
  await page.keyboard.press('ArrowLeft');
  await until(async () => (await server.votes('offline')).length === 1, 'the first is stored');
  await until(async () => (await page.locator('#saved').textContent()) === '', 'and the page knows it');
  await context.setOffline(true);
  for (let n = 0; n < 3; n += 1) {
    await ready(page);
    await page.keyboard.press('ArrowRight');
  }
  assert.match(await page.locator('#saved').textContent(), /3 waiting/);
  await page.getByText('You are offline').first().waitFor({ state: 'attached' });
  assert.equal((await server.votes('offline')).length, 1);
  await context.setOffline(false);
  await until(async () => (await server.votes('offline')).length === 4, 'what waited was sent');
  await until(async () => (await page.locator('#saved').textContent()) === '', 'and the page says so');
  // What is sent but not acknowledged is sent again after a reload: counted once.
  await ready(page);
  await page.route('**/answer', async (route) => { await route.fetch().catch(() => {}); await route.abort(); });
  await page.keyboard.press('ArrowLeft');
  await until(async () => (await server.votes('offline')).length === 5, 'it has arrived');
  await until(async () => /waiting/.test(await page.locator('#saved').textContent()), 'and the page does not know it');
  // What is still on its way through the route is waited for: a route that is gone is not aborted.
  await page.unrouteAll({ behavior: 'wait' });
  await page.reload();
  await until(async () => (await page.locator('#saved').textContent()) === '', 'it was acknowledged');
  assert.equal((await server.votes('offline')).length, 5);
  // The server is killed and comes back.
  await ready(page);
  await server.kill();
  await page.keyboard.press('ArrowLeft');
  await until(async () => /waiting/.test(await page.locator('#saved').textContent()), 'it waits for the server');
  await server.start(Number(new URL(server.url).port));
  await until(async () => (await server.votes('offline')).length === 6, 'and it is sent');
  // Undo of what was not sent yet.
  await ready(page);
  await context.setOffline(true);
  const q = await shown(page);
  await page.keyboard.press('ArrowLeft');
  await ready(page);
  await page.keyboard.press('ArrowRight');
  await page.waitForTimeout(100);
  await page.keyboard.press('z');
  await context.setOffline(false);
  await until(async () => (await server.votes('offline')).length === 7, 'one of the two was sent');
  assert.equal((await server.votes('offline'))[6].question, q);
  once(await server.votes('offline'));
  await voter.close();
});

test('two voters and two tabs at once: the next pair is there before the tap', async () => {
  await server.study('many', teas(...'ABCDEFGHIJKL'), { questions_per_voter: 20 });
  const voters = await Promise.all([person(held, server), person(held, server, PHONE)]);
  await Promise.all(voters.map(({ page }) => begin(page, server, 'many')));
  const [times, works] = [[], []];
  for (let n = 0; n < 10; n += 1) {
    for (const { page } of voters) {
      await ready(page);
      const { at, time, work } = await nextPair(page);
      assert.ok(at, 'it is shown by the tap itself, whatever the network does');
      times.push(time);
      works.push(work);
    }
  }
  for (const all of [times, works]) all.sort((a, b) => a - b);
  console.log(`next pair on the screen after ${times[10].toFixed(1)} ms (median), ${times[18].toFixed(1)} ms (9 in 10), of which ${works[10].toFixed(1)} ms of work`);
  assert.ok(works[10] > 0 && works[10] <= 50, `the page is at work for ${works[10]} ms`);
  // A second tab of the same voter: an answer of one is known to the other, none counts twice.
  const { page, context } = voters[0];
  const second = await context.newPage();
  await second.goto(`${server.url}/s/many`);
  await ready(second);
  await ready(page);
  await second.keyboard.press('ArrowLeft');
  await until(async () => (await server.votes('many')).length === 21, 'that of the second tab');
  await page.keyboard.press('ArrowRight');
  // Whichever pair it showed: it was taken, or refused since the other tab had answered it, and then the page says so.
  await until(async () => (await server.votes('many')).length === 22 || await page.getByText('answered in another window').count() > 0, 'what became of the first one');
  await page.locator('.pair:visible').waitFor();
  const votes = await server.votes('many');
  assert.ok(votes.length === 21 || votes.length === 22, `${votes.length} votes`);
  once(votes);
  await Promise.all(voters.map((voter) => voter.close()));
});

test('within a page of another site, by one line of HTML, if the organiser allows it', async () => {
  await server.study('framed', six(), { questions_per_voter: 2, embed: true });
  await server.study('unframed', six(), {});
  // localhost and 127.0.0.1 are different sites.
  const host = createServer((request, response) => {
    response.setHeader('content-type', 'text/html');
    const listen = 'window.told = []; addEventListener("message", (event) => { if (event.data.borduel) told.push({ ...event.data, origin: event.origin }); });';
    response.end(`<title>Elsewhere</title><script>${listen}</script><iframe src="${server.url}/s/${request.url.slice(1)}?embed" title="Vote" width="700" height="600"></iframe>`);
  });
  await new Promise((done) => { host.listen(0, '127.0.0.1', done); });
  const site = `http://localhost:${host.address().port}`;
  const voter = await person(held, server, { others: [site, 'chrome-error:'] });
  const { page } = voter;
  await page.goto(`${site}/framed`);
  const frame = page.frameLocator('iframe');
  await frame.getByRole('button', { name: 'Start' }).click();
  for (let n = 0; n < 2; n += 1) {
    await frame.locator('.pair[data-met]:visible').waitFor();
    await page.waitForTimeout(350);
    await frame.locator('.pair:visible .card').first().click({ position: { x: 15, y: 15 } });
  }
  await frame.getByRole('heading', { name: 'Thank you' }).waitFor();
  assert.equal((await server.votes('framed')).length, 2);
  // The page around it hears how tall it is, and that the voter has finished.
  await page.waitForFunction(() => told.at(-1).done);
  const told = await page.evaluate(() => window.told);
  assert.ok(told.every((one) => one.origin === server.url && one.study === 'framed' && one.height > 100), JSON.stringify(told));
  assert.equal(told[0].done, false);
  voter.fine();
  await page.goto(`${site}/unframed`);
  await until(() => voter.faults.some((fault) => /frame-ancestors|refused to (frame|connect)|Framing/i.test(fault)), 'the browser refuses to frame it');
  assert.equal(await frame.getByRole('button').count(), 0, 'who does not allow it is not framed');
  voter.faults.length = 0;
  await voter.close();
  host.close();
});

test('much better or slightly: four buttons, four keys, with a script and without, in files and results', async () => {
  const { organiser_token: token } = await server.study('grades', teas('Earl Grey', 'Assam', 'Sencha'), { grades: true, results: 'public', ahead: 1 });
  const voter = await person(held, server);
  const { page } = voter;
  await begin(page, server, 'grades');
  await accessible(page, 'a graded pair');
  assert.deepEqual(await page.locator('.pair:visible .pick').evaluateAll((all) => all.map((one) => one.value)), ['much-first', 'slight-first', 'slight-second', 'much-second']);
  // A tap on a card does not say how much.
  await page.locator('.pair:visible .card h3').first().click();
  await page.keyboard.press('1');
  await until(async () => /^1 of 3/.test(await page.locator('#count').textContent()), 'one answer');
  await ready(page);
  await page.keyboard.press('ArrowRight');
  await until(async () => /^2 of 3/.test(await page.locator('#count').textContent()), 'two answers');
  await ready(page);
  await page.getByRole('button', { name: /^Slightly better/ }).first().click();
  await page.getByText('3 answers').waitFor();
  await voter.close();
  const plain = await person(held, server, { ...PHONE, javaScriptEnabled: false, locale: 'de-DE' });
  await plain.page.goto(`${server.url}/s/grades`);
  await plain.page.getByRole('button', { name: 'Los geht’s' }).tap();
  await plain.page.getByRole('button', { name: /^Viel besser/ }).last().tap();
  await plain.page.getByText('1 von 3').waitFor();
  const wide = await plain.page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.ok(wide <= 0, `${wide} pixels too wide`);
  await plain.close();
  const rows = (await (await fetch(`${server.url}/v1/studies/grades/export/votes.csv`, { headers: { authorization: `Bearer ${token}` } })).text()).trim().split('\n').map((line) => line.split(','));
  const [winner, grade] = ['winner', 'grade'].map((head) => rows[0].indexOf(head));
  assert.deepEqual(rows.slice(1).map((row) => [row[winner], row[grade]]), [['left', 'much'], ['right', 'slight'], ['left', 'slight'], ['right', 'much']]);
  const { grades } = await server.api('GET', '/v1/studies/grades/results');
  assert.deepEqual([grades.reduce((sum, one) => sum + one.graded, 0), grades.reduce((sum, one) => sum + one.much, 0)], [4, 2]);
  const reader = await person(held, server);
  await reader.page.goto(`${server.url}/s/grades/results`);
  await until(async () => /In 50 % of 4 votes one was found much better/.test(await reader.page.locator('main').textContent()), 'the share is shown');
  await reader.page.getByText('All numbers').click();
  await reader.page.getByRole('columnheader', { name: 'Much better %' }).waitFor();
  await accessible(reader.page, 'graded results');
  await reader.close();
});
