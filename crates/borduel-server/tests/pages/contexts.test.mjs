// Contexts: prompts by a table and a zip, above the pair on a phone and on a desk, light and dark, with and without scripts.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ADMIN, DESK, PHONE, accessible, begin, browser, home, person, picture, ready, serve, until } from './harness.mjs';

const held = browser();
const shots = `${home}/shots`;
const long = `You are on call. ${'The cluster answers slowly, and nobody knows since when. '.repeat(12)}\n\n* What do you look at first?\n* Why?`;
let server;
let links;
before(async () => {
  mkdirSync(shots, { recursive: true });
  server = await serve();
  links = await server.study('models', [{ key: 'ada', title: 'Ada' }, { key: 'bo', title: 'Bo' }], { markdown: true, hide_names: true, contexts_are: 'prompts' }, 'Two models');
  const contexts = [{ key: 'haiku', title: 'Haiku', text: 'Write a haiku about *tea*.' }, { key: 'k8s', text: long }];
  await server.api('POST', '/v1/studies/models/contexts', { contexts });
  const text = (who, what) => `${who} on ${what}. ${'So it goes on, with a word after the other. '.repeat(6)}`;
  const contents = ['ada', 'bo'].flatMap((item) => ['haiku', 'k8s'].map((context) => ({ item, context, text: text(item, context) })));
  await server.api('POST', '/v1/studies/models/contents', { contents });
  await server.study('codecs', [{ key: 'x', title: 'X' }, { key: 'y', title: 'Y' }], { question: 'Which one is closer to the original?' }, 'Codecs');
  await server.api('POST', '/v1/studies/codecs/contexts', { contexts: [{ key: 'hill', title: 'The original' }] });
  // Hooks run beside each other: the browser may take longer than the server.
  await until(() => held.browser, 'the browser');
  const { page, context } = await person(held, server);
  await page.goto(server.url);
  for (const [path, colour] of [['contexts/hill/image', '#3b7d4f'], ['contents/x/hill/image', '#2f6b41'], ['contents/y/hill/image', '#5a9d6f']]) {
    const body = await picture(page, colour, 640, 480);
    const response = await fetch(`${server.url}/v1/studies/codecs/${path}`, { method: 'PUT', headers: { authorization: `Bearer ${ADMIN}` }, body });
    assert.equal(response.status, 200, await response.text());
  }
  await context.close();
});
after(() => server?.end());

const views = [['phone', 'light', PHONE], ['phone', 'dark', PHONE], ['desk', 'light', DESK], ['desk', 'dark', DESK]];
for (const [size, colorScheme, options] of views) {
  test(`the prompt stands above the pair, ${size}, ${colorScheme}`, async () => {
    const somebody = await person(held, server, { ...options, colorScheme });
    const { page } = somebody;
    const shoot = async (name, fullPage = false) => {
      await accessible(page, `${name} ${size} ${colorScheme}`);
      await page.screenshot({ path: `${shots}/${name}-${size}-${colorScheme}.png`, fullPage, animations: 'disabled' });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.ok(wide <= 0, `${name} is ${wide} pixels too wide`);
    };
    await begin(page, server, 'models');
    const seen = new Set();
    for (let n = 0; n < 2; n += 1) {
      await ready(page);
      const pair = page.locator('.pair:visible');
      const prompt = pair.locator('.context');
      assert.equal(await prompt.count(), 1, 'once, for both');
      const [above, card] = [await prompt.boundingBox(), await pair.locator('.card').first().boundingBox()];
      assert.ok(above.y + above.height <= card.y, 'above the pair');
      const folded = await prompt.locator('details').count();
      const what = folded ? 'k8s' : 'haiku';
      seen.add(what);
      const shown = await pair.locator('.card .words').allTextContents();
      assert.ok(shown.some((text) => text.startsWith(`ada on ${what}`)) && shown.some((text) => text.startsWith(`bo on ${what}`)), `${shown}`);
      await shoot(`context-${what}`);
      if (folded) {
        assert.equal(await prompt.locator('.words').isVisible(), false, 'a long one is folded');
        // Space opens it, and is no answer.
        await prompt.locator('summary').focus();
        await page.keyboard.press(' ');
        await prompt.getByText('What do you look at first?').waitFor();
        assert.equal(await pair.locator('.context li').count(), 2, 'Markdown, as items have');
        await shoot('context-open');
      } else {
        assert.equal(await prompt.locator('em').textContent(), 'tea');
      }
      await pair.getByRole('button', { name: /This one/ }).first().click();
    }
    assert.deepEqual([...seen].sort(), ['haiku', 'k8s'], 'the same pair in another context');
    await page.waitForURL('**?end');
    await begin(page, server, 'codecs');
    await ready(page);
    assert.equal(await page.locator('.pair:visible img').count(), 3);
    await shoot('context-picture');
    await page.goto(`${server.url}/s/models/admin#token=${links.organiser_token}`);
    await page.getByRole('heading', { name: 'Files' }).waitFor();
    await page.goto(`${server.url}/s/models/admin/items`);
    await page.getByRole('heading', { name: 'Contexts', exact: true }).waitFor();
    const asked = await page.locator('#contexts tbody td:nth-child(3)').allTextContents();
    assert.ok(asked.every((times) => Number(times) > 0), `asked ${asked} times`);
    await shoot('tab-contexts', true);
    await somebody.close();
  });
}

test('without a script the prompt unfolds and answers count', async () => {
  const somebody = await person(held, server, { ...PHONE, javaScriptEnabled: false });
  const { page } = somebody;
  await page.goto(`${server.url}/s/models`);
  await page.getByRole('button', { name: 'Start' }).click();
  for (let n = 0; n < 2; n += 1) {
    const fold = page.locator('.pair:visible details');
    if (await fold.count()) {
      await fold.locator('summary').click();
      assert.ok(await page.locator('.pair:visible').getByText('What do you look at first?').isVisible());
    }
    await page.locator('.pair:visible').getByRole('button', { name: /This one/ }).first().click();
  }
  await page.getByRole('heading', { name: 'Thank you' }).waitFor();
  const votes = (await server.votes('models')).slice(-2);
  assert.deepEqual(votes.map((vote) => vote.context).sort(), ['haiku', 'k8s']);
  await somebody.close();
});

test('an organiser adds prompts by a table, answers by a zip, and leaves one out', async () => {
  const made = await server.api('POST', '/v1/studies', { slug: 'zips', title: 'Zips', items: [{ title: 'Ada' }] });
  const somebody = await person(held, server);
  const { page } = somebody;
  await page.goto(`${server.url}/s/zips/admin#token=${made.organiser_token}`);
  await page.getByRole('heading', { name: 'Files' }).waitFor();
  await page.goto(`${server.url}/s/zips/admin/items`);
  const box = page.getByRole('textbox', { name: /More contexts/ });
  await box.fill('item,text\nAda,Hello');
  await page.locator('form', { has: box }).getByRole('button', { name: 'Add' }).click();
  await page.getByText('item, context, text').last().waitFor();
  await box.fill('id,name,text\npod,Pods,What is a pod?\nsql,Joins,What is a join?');
  await page.locator('form', { has: box }).getByRole('button', { name: 'Add' }).click();
  await page.getByText('Added.').waitFor();
  const folder = mkdtempSync(join(tmpdir(), 'borduel-zip-'));
  const packed = mkdtempSync(join(tmpdir(), 'borduel-zip-'));
  for (const item of ['Ada', 'Bo']) {
    mkdirSync(join(folder, item));
    for (const context of ['pod', 'sql']) writeFileSync(join(folder, item, `${context}.txt`), `${item} on ${context}`);
  }
  // As anybody packs a folder.
  execFileSync('python3', ['-c', 'import shutil, sys; shutil.make_archive(sys.argv[2] + "/answers", "zip", sys.argv[1])', folder, packed]);
  await page.locator('#contents input[type=file]').setInputFiles(join(packed, 'answers.zip'));
  await page.getByText('answers.zip: 0 new contexts, 1 new items, 4 contents.').waitFor();
  assert.equal(await page.getByRole('cell', { name: '2 of 2' }).count(), 2);
  await page.getByRole('button', { name: 'Hide Joins' }).click();
  await page.getByText('not asked in').waitFor();
  await server.api('PUT', '/v1/studies/zips/status', { status: 'open' });
  await begin(page, server, 'zips');
  await ready(page);
  await page.locator('.pair:visible').getByText('What is a pod?').waitFor();
  await page.locator('.pair:visible').getByText('Bo on pod').waitFor();
  await somebody.close();
});
