// Stories of studies that ask several questions about each pair: made on the page, answered by touch, keys and without a
// script, taken back, and read question by question.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { ADMIN, DESK, PHONE, accessible, begin, browser, home, person, ready, serve, tab, teas, until } from './harness.mjs';

const held = browser();
const shots = `${home}/shots`;
let server;
before(async () => { mkdirSync(shots, { recursive: true }); server = await serve(); });
after(() => server?.end());

const criteria = [{ key: 'funnier', question: 'Which is funnier?' }, { key: 'truer', question: 'Which is truer?' }];
const count = (page) => page.locator('#count').textContent();
const asked = (page, question) => page.locator('.pair:visible').getByRole('group', { name: question });
/** What is stored, by question: the winner's words. */
const stored = async (slug, criterion) => (await server.votes(slug)).filter((vote) => vote.criterion === criterion).map((vote) => vote.winner);

test('made on the page, with its own link for each question', async () => {
  const organiser = await person(held, server);
  const { page } = organiser;
  await page.goto(`${server.url}/new#token=${ADMIN}`);
  await page.getByLabel('Title', { exact: true }).fill('Two jokes');
  await page.getByLabel('The question that voters answer').fill('Two at a time');
  await page.getByText('Ask more than one question about each pair').click();
  await page.getByLabel('Several questions about each pair').fill('Which is funnier?\nWhich is truer?');
  await page.locator('textarea[name=items]').fill('The fish\nThe chicken\nThe bar');
  assert.deepEqual(await page.locator('#preview .criteria li').allTextContents(), ['Which is funnier?', 'Which is truer?']);
  await accessible(page, 'several questions in a new study');
  await page.getByRole('button', { name: 'Open it for votes' }).click();
  await page.waitForURL(/admin/);
  const { settings } = await server.api('GET', '/v1/studies/two-jokes');
  assert.deepEqual(settings.criteria, criteria);
  // The words of a question may change, not what it is.
  await tab(page, 'Settings');
  const field = page.getByLabel('Several questions about each pair');
  assert.equal(await field.inputValue(), 'funnier: Which is funnier?\ntruer: Which is truer?\n');
  await field.fill('funnier: Which one made you laugh?\ntruer: Which is truer?');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  assert.equal((await server.api('GET', '/v1/studies/two-jokes')).settings.criteria[0].question, 'Which one made you laugh?');
  await field.fill('Which is funnier?');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('alert').getByText('criteria has one question').waitFor();
  await organiser.close();
});

test('by touch, on a phone: both are answered, or nothing is sent, and both are taken back', async () => {
  await server.study('touch', teas('Earl Grey', 'Assam', 'Sencha', 'Mate'), { criteria, ahead: 1 });
  const voter = await person(held, server, PHONE);
  const { page } = voter;
  await page.goto(`${server.url}/s/touch`);
  await page.getByText('Which is truer?').waitFor();
  await accessible(page, 'the first page of several questions');
  await begin(page, server, 'touch');
  await ready(page);
  await accessible(page, 'several questions about a pair');
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.ok(wide <= 0, `${wide} pixels too wide`);
  const small = await page.locator('.pair:visible .option').evaluateAll((all) => all.filter((one) => one.getBoundingClientRect().height < 44).length);
  assert.equal(small, 0, 'every choice is as large as a thumb');
  // A card chooses nothing by itself, and one answer is not enough.
  await page.locator('.pair:visible .card h3').first().tap();
  await asked(page, 'Which is funnier?').getByRole('radio').first().check();
  await page.getByRole('button', { name: 'Continue' }).tap();
  await page.waitForTimeout(300);
  assert.match(await count(page), /^0 of 6/);
  const first = await page.locator('.pair:visible h2').textContent();
  await asked(page, 'Which is truer?').getByRole('radio', { name: 'Equal' }).check();
  await page.screenshot({ path: `${shots}/criteria-ballot-phone-light.png`, animations: 'disabled' });
  await page.getByRole('button', { name: 'Continue' }).tap();
  await until(async () => /^1 of 6/.test(await count(page)), 'the pair counts once');
  await until(async () => (await server.votes('touch')).length === 2, 'two answers are stored');
  assert.deepEqual([await stored('touch', 'funnier'), await stored('touch', 'truer')], [['left'], ['tie']]);
  await ready(page);
  assert.equal(await page.locator('.pair:visible :checked').count(), 0, 'the next pair has no answer yet');
  await page.getByRole('button', { name: 'Undo' }).tap();
  await until(async () => /^0 of 6/.test(await count(page)) && await page.locator('.pair:visible h2').textContent() === first, 'the pair comes again');
  assert.equal((await server.votes('touch')).length, 0, 'both answers are taken back');
  await voter.close();
});

test('by keys: question after question, and the last one goes on', async () => {
  await server.study('keys', teas('Earl Grey', 'Assam', 'Sencha'), { criteria, grades: true, ahead: 1 });
  const voter = await person(held, server);
  const { page } = voter;
  await begin(page, server, 'keys');
  for (const [at, keys] of [['1', ' '], ['4', '2'], ['s', 'ArrowRight']].entries()) {
    await ready(page);
    for (const key of keys) await page.keyboard.press(key === ' ' ? 'Space' : key);
    await until(async () => at === 2 || new RegExp(`^${at + 1} of 3`).test(await count(page)), `${at + 1} pairs`);
  }
  await page.getByRole('heading', { name: 'Thank you' }).waitFor();
  await accessible(page, 'thanks for several answers');
  const rows = await server.votes('keys');
  assert.deepEqual(rows.map((row) => [row.criterion, row.winner, row.grade]), [
    ['funnier', 'left', 'much'], ['truer', 'tie', ''], ['funnier', 'right', 'much'], ['truer', 'left', 'slight'], ['funnier', 'skip', ''], ['truer', 'right', 'slight'],
  ]);
  await page.getByText('What I answered').click();
  await page.getByText(/Which is truer\? .* are equal/).waitFor();
  await voter.close();
});

test('without a script, in German, and off line', async () => {
  await server.study('plain', teas('Earl Grey', 'Assam', 'Sencha'), { criteria });
  const voter = await person(held, server, { ...PHONE, javaScriptEnabled: false, locale: 'de-DE' });
  const { page } = voter;
  await page.goto(`${server.url}/s/plain`);
  await page.getByRole('button', { name: 'Los geht’s' }).tap();
  await asked(page, 'Which is funnier?').getByRole('radio').first().check();
  // The browser asks for the other one.
  await page.getByRole('button', { name: 'Weiter' }).tap();
  assert.equal((await server.votes('plain')).length, 0);
  await asked(page, 'Which is truer?').getByRole('radio', { name: 'Auslassen' }).check();
  await page.getByRole('button', { name: 'Weiter' }).tap();
  await page.getByText('1 von 3').waitFor();
  assert.deepEqual([await stored('plain', 'funnier'), await stored('plain', 'truer')], [['left'], ['skip']]);
  await voter.close();
  const away = await person(held, server);
  await begin(away.page, server, 'plain');
  await ready(away.page);
  await away.context.setOffline(true);
  for (const key of ['ArrowLeft', 'ArrowRight']) await away.page.keyboard.press(key);
  await until(async () => /waiting/.test(await away.page.locator('#saved').textContent()), 'it waits');
  assert.equal((await server.votes('plain')).length, 2);
  await away.context.setOffline(false);
  await until(async () => (await server.votes('plain')).length === 4, 'it is sent once the network is back');
  await away.close();
});

test('read question by question: page, tabs, files, and what changes is shown', async () => {
  const items = teas('Earl Grey', 'Assam', 'Sencha').map((item, at) => ({ ...item, key: ['a', 'b', 'c'][at] }));
  const asks = [{ key: 'age', question: 'How old are you?', answers: [{ text: 'young' }, { text: 'old' }] }];
  const { organiser_token: token } = await server.study('read', items, { criteria, asks, results: 'public', questions_per_voter: 3, margin: 0.1 });
  const path = '/v1/studies/read';
  const one = async (age) => {
    const { token: own } = await server.api('POST', `${path}/voters`, { attributes: { age } }, '');
    let { questions, criteria: known } = await server.api('POST', `${path}/questions`, { count: 1 }, own);
    assert.deepEqual(known, criteria);
    while (questions.length) {
      const { q, first, second } = questions[0];
      const side = (best) => ({ answer: first.key === best || (second.key !== best && first.key < second.key) ? 'first' : 'second' });
      questions = (await server.api('PUT', `${path}/questions/${q}/answer`, { answers: { funnier: side('a'), truer: side('c') } }, own)).next;
    }
  };
  for (let at = 0; at < 16; at += 1) await one(at % 2 ? 'young' : 'old');
  const results = (key) => server.api('GET', `${path}/results?criterion=${key}`);
  await until(async () => {
    const [funnier, truer] = [await results('funnier'), await results('truer')];
    return funnier.verdict.winners[0] === 'a' && truer.verdict.winners[0] === 'c' && truer.criteria.every((each) => each.kind !== 'not-enough');
  }, 'both have a verdict');
  const { criteria: all, criterion } = await server.api('GET', `${path}/results`);
  assert.deepEqual([criterion, all.map((each) => [each.key, each.winners[0], each.votes])], ['funnier', [['funnier', 'a', 48], ['truer', 'c', 48]]]);
  const csv = async (query) => (await server.api('GET', `${path}/export/votes.csv${query}`)).trim().split('\n').length;
  assert.deepEqual([await csv(''), await csv('?criterion=truer')], [97, 49]);
  // Each has a report of its own, with the verdict that its page has.
  for (const { key, question } of criteria) {
    const report = await server.api('GET', `${path}/export/report.html?criterion=${key}`);
    const { verdict } = await results(key);
    assert.ok([question, `<b>${verdict.head}.</b>`, verdict.text].every((said) => report.includes(said)), `${key}: ${verdict.text}`);
  }

  const organiser = await person(held, server);
  const { page } = organiser;
  await page.goto(`${server.url}/s/read/admin#token=${token}`);
  await page.getByRole('heading', { name: 'The read' }).waitFor();
  const questions = page.getByRole('navigation', { name: 'Questions' });
  await questions.getByRole('link', { name: /Which is funnier\?.*Earl Grey/ }).waitFor();
  await accessible(page, 'a dashboard of several questions');
  await page.screenshot({ path: `${shots}/criteria-results-desk-light.png`, fullPage: true, animations: 'disabled' });
  await questions.getByRole('link', { name: /Which is truer\?/ }).click();
  await page.getByRole('heading', { name: 'Which is truer?' }).waitFor();
  assert.match(await page.locator('.headline').textContent(), /Sencha/);
  assert.match(await page.getByRole('link', { name: 'report.html' }).getAttribute('href'), /criterion=truer/);
  await tab(page, 'Voters');
  assert.match(page.url(), /criterion=truer/);
  await accessible(page, 'voters by one of several questions');
  await tab(page, 'Log');
  await page.getByText(/truer, .* at \d+ votes: Sencha/).first().waitFor();
  await page.getByText(/funnier: .* rather than .*; truer: .* rather than/).first().waitFor();

  // Scores by what voters said follow the votes, too.
  await page.goto(`${server.url}/s/read/admin/by?key=age&criterion=truer`);
  await page.getByText('Which is truer?').first().waitFor();
  const table = page.getByRole('region', { name: 'Scores by group' });
  const before = await table.textContent();
  for (let at = 0; at < 4; at += 1) await one('young');
  await until(async () => await table.textContent() !== before, 'the groups follow the votes');
  await accessible(page, 'scores by group');
  await organiser.close();

  const reader = await person(held, server, { ...PHONE, colorScheme: 'dark' });
  await reader.page.goto(`${server.url}/s/read/results?criterion=truer`);
  await reader.page.getByRole('heading', { name: 'Which is truer?' }).waitFor();
  await accessible(reader.page, 'public results of several questions');
  await reader.page.screenshot({ path: `${shots}/criteria-results-phone-dark.png`, fullPage: true, animations: 'disabled' });
  assert.equal((await reader.page.goto(`${server.url}/s/read/results?criterion=older`)).status(), 404);
  await reader.close();
});

test('right to left, with long names, on a desk and a phone', async () => {
  const items = [{ title: 'שני אנשים נכנסים לבר!', text: 'הברמן שואל: מה זה, בדיחה?' }, { title: 'A horse walks into a bar', text: 'The bartender asks: why the long face?' }, { title: 'دجاجة تعبر الطريق' }];
  await server.study('rtl', items, { criteria: [{ key: 'funnier', question: 'מה מצחיק יותר?' }, { key: 'truer', question: 'ما الأصدق؟' }], grades: true, both_bad: true, hide_names: false }, 'שתי בדיחות');
  for (const [size, options] of [['phone', PHONE], ['desk', DESK]]) {
    for (const colorScheme of ['light', 'dark']) {
      const voter = await person(held, server, { ...options, colorScheme });
      await begin(voter.page, server, 'rtl');
      await ready(voter.page);
      const wide = await voter.page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.ok(wide <= 0, `${wide} pixels too wide`);
      await accessible(voter.page, `right to left, ${size}, ${colorScheme}`);
      await voter.page.screenshot({ path: `${shots}/criteria-rtl-${size}-${colorScheme}.png`, fullPage: true, animations: 'disabled' });
      await voter.close();
    }
  }
});
