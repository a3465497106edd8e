// Pictures of every page, light and dark, on a phone and on a desk, in target/pages/shots; and axe-core on each of them.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { ADMIN, DESK, PHONE, accessible, begin, browser, home, person, picture, ready, serve, until, vote } from './harness.mjs';

const held = browser();
const shots = `${home}/shots`;
let server;
let links;
before(async () => {
  mkdirSync(shots, { recursive: true });
  server = await serve();
  const items = ['Earl Grey', 'Assam', 'Darjeeling First Flush', 'Sencha', 'Rooibos', 'Peppermint'].map((title) => ({ title }));
  items[2].text = 'Light and flowery, from the slopes of the Himalaya. Brew at 85 °C for three minutes, and do not forget it.';
  links = await server.study('tea', items, { results: 'public', comment: true, both_bad: true, embed: true, questions_per_voter: 10 }, 'Which tea for the office?');
  // A known order with noise, so that the page has something to say.
  let turn = 7;
  const draw = () => { turn = (turn * 48271) % 2147483647; return turn / 2147483647; };
  const place = Object.fromEntries(items.map(({ title }, at) => [title, at]));
  for (let n = 0; n < 40; n += 1) {
    await vote(server, 'tea', (a, b) => (draw() < 1 / (1 + Math.exp(0.45 * (place[a.title] - place[b.title]))) ? 'first' : 'second'));
  }
  const { page, context } = await person(held, server);
  await page.goto(server.url);
  await server.study('logos', [{ title: 'Hill' }, { title: 'River' }, { title: 'Sky' }], { question: 'Which logo fits us better?', results: 'public' }, 'Our new logo');
  for (const [key, colour] of [['hill', '#3b7d4f'], ['river', '#1652a0'], ['sky', '#e0a030']]) {
    const body = await picture(page, colour, 640, 480);
    const response = await fetch(`${server.url}/v1/studies/logos/items/${key}/image`, { method: 'PUT', headers: { authorization: `Bearer ${ADMIN}` }, body });
    assert.equal(response.status, 200, await response.text());
  }
  for (let n = 0; n < 12; n += 1) await vote(server, 'logos', (a, b) => (a.title < b.title || n % 4 === 0 ? 'first' : 'second'));
  const text = (name) => `${name} answers:\n\n${'A longer text that has to be read before one can say which of the two is better. '.repeat(9)}`;
  await server.study('letters', ['Model A', 'Model B', 'Model C'].map((title) => ({ title, text: text(title), link: 'https://example.org/' })), { question: 'Which answer helps more?' }, 'Two models');
  await context.close();
});
after(() => server?.end());

/** All of the plot is on the screen without scrolling sideways, in one of its shapes, and large enough to be read. */
async function whole(page) {
  const plot = page.locator('svg.forest:visible');
  assert.equal(await plot.count(), 1);
  const { left, right, wide } = await plot.evaluate((svg) => {
    const box = svg.getBoundingClientRect();
    return { left: box.left, right: box.right, wide: document.documentElement.clientWidth };
  });
  assert.ok(left >= 0 && right <= wide, `the plot goes from ${left} to ${right} of ${wide}`);
  const letters = await plot.locator('.label').first().evaluate((label) => parseFloat(getComputedStyle(label).fontSize) * label.getCTM().a);
  assert.ok(letters >= 10, `letters of ${letters} pixels`);
}

const views = [
  ['phone', 'light', PHONE],
  ['phone', 'dark', PHONE],
  ['desk', 'light', DESK],
  ['desk', 'dark', DESK],
];

for (const [size, colorScheme, options] of views) {
  test(`every page, ${size}, ${colorScheme}`, async () => {
    const somebody = await person(held, server, { ...options, colorScheme });
    const { page } = somebody;
    const shoot = async (name, fullPage = true) => {
      await page.waitForLoadState('load');
      await accessible(page, `${name} ${size} ${colorScheme}`);
      await page.screenshot({ path: `${shots}/${name}-${size}-${colorScheme}.png`, fullPage, animations: 'disabled' });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.ok(wide <= 0, `${name} is ${wide} pixels too wide`);
    };
    await page.goto(server.url);
    await shoot('home');
    await page.goto(`${server.url}/docs`);
    await shoot('docs');
    await page.goto(`${server.url}/s/tea`);
    await shoot('intro');
    await begin(page, server, 'tea');
    await shoot('vote', false);
    for (let n = 0; n < 10; n += 1) {
      await ready(page);
      await page.keyboard.press(n % 3 ? 'ArrowLeft' : 'ArrowRight');
    }
    await page.waitForURL('**/s/tea?end');
    await shoot('thanks');
    await begin(page, server, 'logos');
    await shoot('vote-pictures', false);
    await begin(page, server, 'letters');
    await shoot('vote-texts', false);
    await page.goto(`${server.url}/s/tea/results`);
    await shoot('results');
    await shoot('verdict', false);
    await whole(page);
    await page.goto(`${server.url}/s/logos/results`);
    // What is computed beside votes may still be on its way; the page follows.
    await until(async () => {
      await page.evaluate(() => document.querySelectorAll('details').forEach((fold) => { fold.open = true; }));
      return (await page.locator('svg.matrix image').count()) === 6;
    }, 'each logo beside its row and above its column');
    await shoot('results-pictures');
    await page.goto(`${server.url}/s/tea/admin`);
    await shoot('locked');
    await page.goto(`${server.url}/s/tea/admin#token=${links.organiser_token}`);
    await page.getByRole('heading', { name: 'Scores' }).waitFor();
    await shoot('dashboard');
    await whole(page);
    for (const name of ['share', 'items', 'voters', 'log', 'settings']) {
      await page.goto(`${server.url}/s/tea/admin/${name}`);
      await shoot(`tab-${name}`);
      const { x, width } = await page.locator('.tabs [aria-current]').boundingBox();
      assert.ok(x >= 0 && x + width <= options.viewport.width, `the tab ${name} is in sight: from ${x} to ${x + width}`);
    }
    await page.goto(`${server.url}/s/tea/preview`);
    await shoot('preview', false);
    const far = await page.locator('.far').boundingBox();
    assert.ok(far.y + far.height <= options.viewport.height, 'a preview fits on the screen as the pairs do');
    await page.goto(`${server.url}/v1/studies/tea/export/report.html`);
    await shoot('report');
    await whole(page);
    await page.goto(`${server.url}/s/tea/admin/voters/0`);
    await shoot('voter');
    await page.goto(`${server.url}/new#token=${ADMIN}`);
    await page.getByRole('textbox', { name: 'Title' }).waitFor();
    await page.getByRole('textbox', { name: 'Items' }).fill('name,text\nEarl Grey,black with bergamot\nAssam,malty');
    await page.locator('#files').setInputFiles([{ name: 'Assam.png', mimeType: 'image/png', buffer: await picture(page, '#943') }]);
    await page.locator('#table img').waitFor();
    await shoot('new');
    await page.goto(server.url);
    await shoot('studies');
    await page.goto(`${server.url}/s/nothing`);
    await shoot('not-found');
    await somebody.close();
  });
}

// A small phone, and a desk where everything is shown at twice its size: nothing is cut off and nothing scrolls sideways.
for (const [name, viewport] of [['320 pixels', { width: 320, height: 568 }], ['200 % zoom', { width: 640, height: 400 }]]) {
  test(`at ${name} everything is there`, async () => {
    const somebody = await person(held, server, { viewport });
    const { page } = somebody;
    const narrow = async (what) => {
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.ok(wide <= 0, `${what} is ${wide} pixels too wide`);
    };
    for (const slug of ['tea', 'logos', 'letters']) {
      await begin(page, server, slug);
      await narrow(slug);
      for (const one of await page.locator('.pair:visible button, .others button, #undo button').all()) {
        await one.scrollIntoViewIfNeeded();
        const { x, width } = await one.boundingBox();
        assert.ok(x >= 0 && x + width <= viewport.width, `${slug}: a button from ${x} to ${x + width}`);
      }
    }
    await page.goto(`${server.url}/s/tea/results`);
    await narrow('results');
    await whole(page);
    await page.goto(`${server.url}/s/tea/admin#token=${links.organiser_token}`);
    await page.getByRole('heading', { name: 'Scores' }).waitFor();
    await narrow('dashboard');
    for (const name of ['share', 'items', 'voters', 'log', 'settings']) {
      await page.goto(`${server.url}/s/tea/admin/${name}`);
      await narrow(name);
    }
    await page.goto(`${server.url}/new#token=${ADMIN}`);
    await page.getByRole('textbox', { name: 'Title' }).waitFor();
    await narrow('new');
    await somebody.close();
  });
}

test('all pictures are there', () => {
  assert.ok(readdirSync(shots).filter((name) => name.endsWith('.png')).length >= 4 * 14);
});
