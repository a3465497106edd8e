// Names, texts and pictures that want to be something else, and pages of others that want to act: nothing happens.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { ADMIN, accessible, begin, browser, person, ready, serve, until, vote } from './harness.mjs';

const held = browser();
let server;
before(async () => { server = await serve(); });
after(() => server?.end());

const HIT = 'window.hit=1';
const hostile = [
  `<script>${HIT}</script>`,
  `"><img src=x onerror="${HIT}">`,
  `'><svg/onload=${HIT}>`,
  `</title></textarea></script><iframe srcdoc="<script>parent.hit=1</script>">`,
  `{{constructor.constructor('${HIT}')()}} \${${HIT}} <%= 1 %>`,
  `\u202egnp.exe\u202c \u0007\u001b[31m`,
  `=HYPERLINK("https://evil.example","x")`,
  `${'W'.repeat(199)}`,
];

test('whatever items, titles and comments contain, it is shown and does nothing', async () => {
  const texts = [...hostile, `[x](javascript:${HIT}) <img src=x onerror=${HIT}> ![](https://evil.example/p.png)`];
  const items = hostile.map((title, at) => ({ key: `i${at}`, title, text: texts[(at + 1) % texts.length] }));
  for (const [slug, markdown] of [['as-it-is', false], ['markdown', true]]) {
    await server.study(slug, items, { question: hostile[1], results: 'public', markdown, comment: true, thanks: hostile[0], consent: hostile[2], voting: 'named', questions_per_voter: 28 }, hostile[3].slice(0, 200));
    const voter = await person(held, server);
    const { page } = voter;
    page.on('dialog', (dialog) => assert.fail(`a dialog: ${dialog.message()}`));
    await page.goto(`${server.url}/s/${slug}`);
    await page.getByLabel('Your name').fill(hostile[1]);
    await page.getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Start' }).click();
    for (let n = 0; n < 28; n += 1) {
      await ready(page);
      if (n === 0) await accessible(page, 'hostile names');
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.ok(wide <= 0, `a name made the page ${wide} pixels too wide`);
      await page.keyboard.press(n % 2 ? 'ArrowLeft' : 'ArrowRight');
    }
    await page.waitForURL('**?end');
    await page.getByRole('textbox').fill(hostile[0]);
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Your comment is saved.').waitFor();
    await page.goto(`${server.url}/s/${slug}/results`);
    await page.getByRole('heading', { name: 'Scores' }).waitFor();
    await page.goto(`${server.url}/s/${slug}/admin`);
    await page.getByLabel('Token').fill(ADMIN);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.goto(`${server.url}/s/${slug}/admin`);
    for (const path of ['', '/share', '/items', '/log', '/settings', '/voters']) {
      await page.goto(`${server.url}/s/${slug}/admin${path}`);
      await page.getByRole('navigation', { name: 'Sections' }).waitFor();
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.ok(wide <= 0, `a name made ${path} ${wide} pixels too wide`);
    }
    await page.getByRole('heading', { name: 'Comments' }).waitFor();
    await accessible(page, 'a hostile dashboard');
    for (const place of [page, ...page.frames()]) assert.equal(await place.evaluate(() => window.hit), undefined);
    await voter.close();
  }
});

test('only pictures are pictures', async () => {
  await server.study('files', [{ title: 'Ash' }, { title: 'Birch' }]);
  const put = (body) => fetch(`${server.url}/v1/studies/files/items/ash/image`, { method: 'PUT', headers: { authorization: `Bearer ${ADMIN}` }, body });
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" onload="window.hit=1"/>';
  const page = `<!DOCTYPE html><script>${HIT}</script>`;
  const bomb = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\x01\0\0\0\x01\0\0\x08\0\0\0\0\0\0\0\0', 'latin1'), Buffer.alloc(100)]);
  for (const body of [svg, page, 'GIF89a', '', bomb, Buffer.alloc(6 * 1024 * 1024, 255)]) {
    const status = (await put(body)).status;
    assert.ok(status === 422 || status === 413, `${status}`);
  }
  // A picture that is also a page is served as a picture and nothing else.
  const { page: sheet, context } = await person(held, server);
  await sheet.goto(server.url);
  const png = await sheet.evaluate(() => {
    const canvas = document.createElement('canvas');
    return canvas.toDataURL('image/png').split(',')[1];
  });
  assert.equal((await put(Buffer.concat([Buffer.from(png, 'base64'), Buffer.from(page)]))).status, 200);
  const { items } = await server.api('GET', '/v1/studies/files/items');
  const response = await fetch(server.url + items[0].image);
  assert.equal(response.headers.get('content-type'), 'image/png');
  assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
  assert.match(response.headers.get('content-security-policy'), /sandbox/);
  assert.ok(!Buffer.from(await response.arrayBuffer()).includes('script'), 'what stood behind the picture is gone');
  // Other things that are kept under hashes are no pictures.
  const log = await server.api('GET', '/v1/studies/files/log?limit=5');
  const hash = JSON.stringify(log).match(/[0-9a-f]{64}/)[0];
  assert.equal((await fetch(`${server.url}/v1/studies/files/images/${hash}`)).status, 404);
  await context.close();
});

test('a page of another site cannot vote, open or close in anybody’s name', async () => {
  const { organiser_token: token } = await server.study('mine', [{ title: 'Ash' }, { title: 'Birch' }, { title: 'Cedar' }]);
  const victim = await person(held, server, { others: ['http://localhost'] });
  const { page } = victim;
  await page.goto(`${server.url}/s/mine/admin#token=${token}`);
  await page.getByRole('heading', { name: 'Share' }).waitFor();
  await begin(page, server, 'mine');
  const site = createServer((request, response) => {
    response.setHeader('content-type', 'text/html');
    const fields = request.url === '/close' ? '<input name="status" value="closed">' : '<input name="q" value="0"><input name="answer" value="first">';
    const action = request.url === '/close' ? 'admin/status' : 'answer';
    response.end(`<title>Evil</title><form method="post" action="${server.url}/s/mine/${action}">${fields}</form>`);
  });
  await new Promise((done) => { site.listen(0, '127.0.0.1', done); });
  const evil = `http://localhost:${site.address().port}`;
  for (const path of ['/close', '/vote']) {
    await page.goto(evil + path);
    const [answer] = await Promise.all([page.waitForNavigation(), page.evaluate(() => document.forms[0].submit())]);
    assert.equal(answer.status(), 403);
    // Nor by a script, which may not even read the answer.
    await page.goto(evil + path);
    const sent = await page.evaluate((url) => fetch(`${url}/s/mine/admin/status`, { method: 'POST', credentials: 'include', mode: 'no-cors', body: new URLSearchParams({ status: 'closed' }) }).then(() => 'sent', () => 'not sent'), server.url);
    assert.ok(['sent', 'not sent'].includes(sent));
    const read = await page.evaluate((url) => fetch(`${url}/v1/studies/mine/results`, { credentials: 'include' }).then(() => 'read', () => 'not read'), server.url);
    assert.equal(read, 'not read');
  }
  victim.faults.length = 0;
  assert.equal((await server.api('GET', '/v1/studies/mine')).status, 'open');
  assert.equal((await server.votes('mine')).length, 0);
  // A cookie alone changes nothing under /v1 either, not even from a page of this server.
  await page.goto(server.url);
  assert.equal(await page.evaluate(async () => (await fetch('/v1/studies/mine/status', { method: 'PUT', headers: { 'content-type': 'application/json' }, body: '{"status":"closed"}' })).status), 401);
  await vote(server, 'mine', () => 'first');
  await until(async () => (await server.votes('mine')).length === 3, 'whoever may vote does');
  site.close();
  await victim.close();
});
