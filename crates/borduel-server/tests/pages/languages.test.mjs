// The voters' pages in every language: Arabic and Hebrew from right to left, looked at on a phone and a desk; numbers and plurals of each.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { ADMIN, DESK, PHONE, accessible, browser, home, person, picture, ready, serve, teas, until, vote } from './harness.mjs';

const held = browser();
const shots = `${home}/shots`;
let server;
const LONG = 'صورة لتلّ أخضر في فصل الربيع، التُقطت في الصباح الباكر من الطريق المؤدي إلى القرية، قبل أن تشرق الشمس وقبل أن يستيقظ أحد من أهلها. ';
before(async () => {
  mkdirSync(shots, { recursive: true });
  server = await serve();
  const settings = { question: 'أيهما أجمل؟', results: 'public', comment: true, both_bad: true, suggestions: true, organiser: 'نادي الشاي', description: 'نسأل عن الشاي الذي نشتريه للمكتب.' };
  await server.study('shay', teas('شاي أخضر', 'شاي أسود', 'نعناع', 'Earl Grey'), settings, 'أي شاي للمكتب؟');
  await server.study('suwar', [{ title: 'تل', text: LONG.repeat(2) }, { title: 'نهر', text: 'نهر في الصيف' }, { title: 'سماء' }], settings, 'أي صورة؟');
  const { page, context } = await person(held, server);
  await page.goto(server.url);
  const { items } = await server.api('GET', '/v1/studies/suwar/items');
  for (const [at, colour] of ['#3b7d4f', '#1652a0', '#e0a030'].entries()) {
    const body = await picture(page, colour, 640, 480);
    const response = await fetch(`${server.url}/v1/studies/suwar/items/${items[at].key}/image?correction=true`, { method: 'PUT', headers: { authorization: `Bearer ${ADMIN}` }, body });
    assert.equal(response.status, 200, await response.text());
  }
  await context.close();
});
after(() => server?.end());

const words = {
  ar: { start: 'ابدأ', thanks: 'شكرًا لك', finish: 'إنهاء', saved: 'حُفظت 6 إجابات لك.', two: 'حُفظت إجابتاك.', wins: 'الفائز: ' },
  he: { start: 'התחלה', thanks: 'תודה', finish: 'סיום', saved: '6 התשובות שלכם נשמרו.', two: 'שתי התשובות שלכם נשמרו.', wins: 'במקום הראשון' },
};

/** Words of the page itself that are not of its language: names, and what is marked as English, may be Latin. */
const foreign = (page) => page.evaluate(() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const latin = node.data.replace(/borduel|Earl Grey/g, '').match(/[A-Za-z]{3,}/);
    if (latin && !node.parentElement.closest('[lang=en], svg, script, style')) found.push(node.data.trim());
  }
  return found;
});

for (const [code, locale, size, colorScheme, options] of [['ar', 'ar-EG', 'phone', 'light', PHONE], ['ar', 'ar-EG', 'desk', 'dark', DESK], ['he', 'he-IL', 'phone', 'dark', PHONE], ['he', 'he-IL', 'desk', 'light', DESK]]) {
  test(`from right to left in every page of a voter: ${code}, ${size}, ${colorScheme}`, async () => {
    const voter = await person(held, server, { ...options, locale, colorScheme });
    const { page } = voter;
    const own = words[code];
    const look = async (name, fullPage = true) => {
      await page.waitForLoadState('load');
      assert.deepEqual(await page.evaluate(() => [document.documentElement.lang, document.documentElement.dir]), [code, 'rtl'], name);
      assert.deepEqual(await foreign(page), [], `${name}: all words are of the language`);
      await accessible(page, `${name} ${code} ${size}`);
      await page.screenshot({ path: `${shots}/${name}-${code}-${size}-${colorScheme}.png`, fullPage, animations: 'disabled' });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.ok(wide <= 0, `${name} is ${wide} pixels too wide`);
    };
    const sides = () => page.locator('.pair:visible .card').evaluateAll((cards) => cards.map((card) => card.getBoundingClientRect().left));
    await page.goto(`${server.url}/s/shay`);
    await look('intro');
    await page.getByRole('button', { name: own.start }).click();
    await ready(page);
    await look('vote', false);
    if (size === 'desk') {
      const [first, second] = await sides();
      assert.ok(first > second, 'what is read first is on the right');
      assert.deepEqual(await page.locator('.pair:visible .pick kbd').allTextContents(), ['→', '←']);
    }
    // The key of a side chooses what is on that side.
    const pair = await page.locator('.pair:visible').getAttribute('data-q');
    const names = await page.locator('.pair:visible h3').allTextContents();
    await page.keyboard.press('ArrowRight');
    const stored = async () => (await server.api('GET', '/v1/studies/shay/export/votes.jsonl')).trim().split('\n').filter(Boolean).map((row) => JSON.parse(row)).length;
    await until(async () => (await stored()) > 0, 'it is stored');
    await ready(page);
    await page.keyboard.press('ArrowRight');
    await until(async () => /^2 /.test(await page.locator('#count').textContent()), 'two answers');
    await page.getByRole('link', { name: own.finish }).click();
    await page.getByText(own.two).waitFor();
    await page.locator('details', { hasText: names[0] }).last().evaluate((fold) => { fold.open = true; });
    assert.match(await page.locator('ol.answers li').last().innerText(), new RegExp(`^[^]*${names[0]}[^]*${names[1]}`), `the first of pair ${pair} was chosen by →`);
    await page.goto(`${server.url}/s/shay`);
    for (let n = 2; n < 6; n += 1) { await ready(page); await page.keyboard.press('ArrowLeft'); }
    await page.waitForURL('**?end');
    await page.getByText(own.saved).waitFor();
    await look('thanks');
    await page.goto(`${server.url}/s/shay/about`);
    await look('about');
    // Pictures with captions: a long one is folded.
    await page.goto(`${server.url}/s/suwar`);
    await page.getByRole('button', { name: own.start }).click();
    for (let n = 0; n < 3; n += 1) {
      await ready(page);
      if (await page.locator('.pair:visible .fold').count()) {
        await look('captions', false);
        for (const card of await page.locator('.pair:visible .card').all()) {
          const [whole, photo] = await Promise.all([card.boundingBox(), card.locator('.picture').boundingBox()]);
          assert.ok(photo.height > 0.4 * whole.height, `a photo of ${photo.height} in a card of ${whole.height}`);
        }
      }
      await page.locator('.pair:visible .pick').first().click();
    }
    await page.waitForURL('**?end');
    await page.goto(`${server.url}/s/nowhere`);
    await look('not-found');
    await voter.close();
  });
}

test('results from right to left, with the numbers of the language', async () => {
  for (const [code, says, percent] of [['ar', 'الفائز: Assam.', '97.5\u200e%\u200e'], ['he', 'Assam במקום הראשון.', '97.5%']]) {
    const slug = `natija-${code}`;
    await server.study(slug, teas('Assam', 'Birch', 'Cedar', 'Dill'), { results: 'public', language: code, level: 0.975 }, 'Tea');
    for (let n = 0; n < 60; n += 1) await vote(server, slug, (a, b) => (a.title < b.title ? 'first' : 'second'));
    for (const [size, options] of [['phone', PHONE], ['desk', DESK]]) {
      const reader = await person(held, server, options);
      const { page } = reader;
      await page.goto(`${server.url}/s/${slug}/results`);
      await until(async () => (await page.locator('.headline').textContent()).replace(/[\u2066-\u2069]/g, '').trim() === says, `${code}: the verdict`);
      await until(async () => (await page.locator('.verdict').textContent()).includes(percent), `${code}: how sure`);
      await page.evaluate(() => document.querySelectorAll('details').forEach((fold) => { fold.open = true; }));
      await accessible(page, `results ${code}`);
      const aside = await page.locator('.strips .name').first().evaluate((name) => {
        const words = document.createRange();
        words.selectNodeContents(name.firstChild);
        return Math.abs(words.getBoundingClientRect().right - name.getBoundingClientRect().right);
      });
      assert.ok(aside < 2, `${code}: a Latin name begins ${aside} pixels beside its row`);
      await page.screenshot({ path: `${shots}/results-${code}-${size}-light.png`, fullPage: true, animations: 'disabled' });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.ok(wide <= 0, `results are ${wide} pixels too wide`);
      await reader.close();
    }
  }
});

test('a caption of many words is folded beside its picture, opened without a vote, with a script and without', async () => {
  const long = 'A hill in spring, taken from the road in the early morning, when nobody was there and the mist was still in the valley below. '.repeat(3);
  await server.study('hills', [{ title: 'Hill', text: long }, { title: 'River', text: 'A river' }], {}, 'Hills');
  const { page: canvas, context } = await person(held, server);
  await canvas.goto(server.url);
  for (const [key, colour] of [['hill', '#3b7d4f'], ['river', '#1652a0']]) {
    const response = await fetch(`${server.url}/v1/studies/hills/items/${key}/image?correction=true`, { method: 'PUT', headers: { authorization: `Bearer ${ADMIN}` }, body: await picture(canvas, colour) });
    assert.equal(response.status, 200);
  }
  await context.close();
  for (const [size, options] of [['phone', PHONE], ['desk', DESK], ['scriptless', { ...DESK, javaScriptEnabled: false }]]) {
    const voter = await person(held, server, options);
    const { page } = voter;
    await page.goto(`${server.url}/s/hills`);
    await page.getByRole('button', { name: 'Start' }).click();
    await ready(page, size !== 'scriptless');
    const share = (part) => page.locator('.pair:visible .card:has(.fold)').evaluate((card, part) => card.querySelector(part).clientHeight / card.clientHeight, part);
    const [photo, caption] = [await share('.picture'), await share('.fold')];
    assert.ok(photo > 0.4 && caption < 0.2, `${size}: the picture has ${photo} of its card, the caption ${caption}`);
    await page.screenshot({ path: `${shots}/caption-${size}.png`, animations: 'disabled' });
    await page.locator('.pair:visible .fold summary').click();
    await page.locator('.pair:visible .fold .words').waitFor();
    assert.match(await page.locator('.pair:visible .fold .words').textContent(), /valley below/);
    await page.screenshot({ path: `${shots}/caption-open-${size}.png`, animations: 'disabled' });
    assert.ok((await page.locator('.pair:visible .picture').first().boundingBox()).height >= 100, 'the picture is still to be seen');
    if (size !== 'scriptless') await accessible(page, `an open caption, ${size}`);
    assert.equal((await server.votes('hills')).length, 0, 'reading is no vote');
    await voter.close();
  }
});
