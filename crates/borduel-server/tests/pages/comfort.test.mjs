// What makes the voters' pages pleasant: ways back, their language down to results and refusals, letters of one scale, targets of the size of a
// finger, a phone held sideways, and what is missing asked for again.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ADMIN, DESK, PHONE, accessible, begin, browser, person, picture, ready, serve, teas, until, vote } from './harness.mjs';

const held = browser();
let server;
before(async () => { server = await serve(); });
after(() => server?.end());
const six = () => teas('Earl Grey', 'Assam', 'Darjeeling', 'Sencha', 'Rooibos', 'Peppermint');
const page = (path, language = 'en', options = {}) => fetch(server.url + path, { redirect: 'manual', ...options, headers: { accept: 'text/html,*/*;q=0.8', 'accept-language': language, ...options.headers } });
const form = (path, body, language, cookie = '') => page(path, language, {
  method: 'POST', body, headers: { 'sec-fetch-site': 'same-origin', 'content-type': 'application/x-www-form-urlencoded', cookie },
});

/** Some pictures, made in a browser. */
async function album(slug, settings = {}) {
  await server.study(slug, teas('Hill', 'River', 'Sky'), settings);
  const { page: canvas, context } = await person(held, server);
  await canvas.goto(server.url);
  for (const [key, colour] of [['hill', '#3b7d4f'], ['river', '#1652a0'], ['sky', '#e0a030']]) {
    const body = await picture(canvas, colour);
    const response = await fetch(`${server.url}/v1/studies/${slug}/items/${key}/image?correction=true`, { method: 'PUT', headers: { authorization: `Bearer ${ADMIN}` }, body });
    assert.equal(response.status, 200);
  }
  await context.close();
}

test('an address that only forms are sent to leads to the page that has them', async () => {
  await server.study('back', six());
  for (const path of ['start', 'answer', 'undo', 'more', 'leave', 'comment', 'suggest']) {
    const answer = await page(`/s/back/${path}?embed`);
    assert.deepEqual([answer.status, answer.headers.get('location')], [303, '/s/back?embed'], path);
  }
  assert.equal((await page('/s/back/admin/status')).headers.get('location'), '/s/back/admin');
  assert.equal((await page('/session')).headers.get('location'), '/');
  // Programs are told.
  const told = await fetch(`${server.url}/s/back/answer`);
  assert.deepEqual([told.status, told.headers.get('content-type')], [405, 'application/problem+json']);
});

test('results speak the voter’s language, with its numbers, in three levels', async () => {
  await server.study('worte', six(), { results: 'public', language: 'de', level: 0.975 }, 'Tee');
  for (let n = 0; n < 50; n += 1) await vote(server, 'worte', (a, b) => (a.title < b.title ? 'first' : 'second'), 25);
  const reader = await person(held, server);
  const { page: tab } = reader;
  await tab.goto(`${server.url}/s/worte/results`);
  assert.equal(await tab.locator('html').getAttribute('lang'), 'de');
  await until(async () => /^Assam gewinnt\.$/.test((await tab.locator('.headline').textContent()).trim()), 'the verdict');
  await until(async () => /Zu 97,5.% sicher, nach [\d.]+ Stimmen\./.test(await tab.locator('.verdict').textContent()), 'how sure, in German');
  assert.match(await tab.locator('.verdict').textContent(), /In (\d\d|100) von 100 Vergleichen vorgezogen\./);
  await tab.getByRole('heading', { name: 'Punkte' }).waitFor();
  await tab.getByText(/\d+ von \d+ Prüfungen sind in Ordnung/).click();
  await tab.getByText('Alles lässt sich vergleichen.').waitFor();
  await tab.getByText('Alle Zahlen').click();
  await tab.getByRole('columnheader', { name: 'Gewonnen' }).waitFor();
  await accessible(tab, 'results in German');
  // What is English is marked as that, for voices; nothing else is.
  await tab.getByText('Ausführlich').click();
  const english = await tab.locator('main').evaluate((main) => {
    const words = /\b(the|votes|voters|items|enough|first)\b/i;
    const walker = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
    const found = [];
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (words.test(node.data) && !node.parentElement.closest('[lang=en], svg, script')) found.push(node.data);
    }
    return found;
  });
  assert.deepEqual(english, []);
  await reader.close();
  for (const [language, says] of [['fr', 'Pas encore de résultat'], ['es', 'Aún no hay resultado'], ['zh-CN', '尚无结果'], ['en', 'No result yet']]) {
    await server.study(`leer-${language.toLowerCase()}`, six(), { results: 'public' });
    const text = await (await page(`/s/leer-${language.toLowerCase()}/results`, language)).text();
    assert.ok(text.includes(says), language);
  }
  // Who may not see them is told so, in the language too.
  await server.study('zu', six());
  const closed = await page('/s/zu/results', 'de');
  assert.equal(closed.status, 401);
  assert.match(await closed.text(), /<html lang="de">.*Diese Ergebnisse sind nicht öffentlich/s);
});

test('refusals are pages in the voter’s language, with a way back', async () => {
  await server.study('nein', six(), { language: 'fr', voting: 'named' });
  const read = async (answer, status) => {
    const text = await answer.text();
    assert.equal(answer.status, status, text);
    return text;
  };
  assert.match(await read(await page('/s/nirgends', 'de'), 404), /<html lang="de">.*Seite nicht gefunden/s);
  assert.match(await read(await page('/nirgends', 'es'), 404), /<html lang="es">.*Página no encontrada/s);
  // The study's language counts for more than the browser's.
  const stranger = await read(await form('/s/nein/answer', 'q=0&answer=first', 'de'), 401);
  assert.match(stranger, /<html lang="fr">.*Ce navigateur ne participe pas encore.*Retour à l’étude/s);
  const { token } = await server.api('POST', '/v1/studies/nein/voters', { name: 'Ada' }, '');
  const cookie = `borduel-voter-nein=${token}`;
  assert.match(await read(await form('/s/nein/answer', 'q=0&answer=nonsense', 'de', cookie), 422), /Vérifiez ceci.*lang="en"/s);
  await server.api('PUT', '/v1/studies/nein/status', { status: 'closed' });
  assert.match(await read(await form('/s/nein/start', 'name=Bob', 'de'), 409), /Le vote est terminé/);
  assert.match(await read(await form('/s/nein/undo', '', 'de', cookie), 422), /Vérifiez ceci/);
  // Nobody learns by the language that there is a study.
  await server.api('POST', '/v1/studies', { slug: 'geheim', title: 'Secret', items: six(), settings: { language: 'fr' } });
  for (const slug of ['geheim', 'nirgends']) {
    assert.match(await read(await form(`/s/${slug}/answer`, 'q=0&answer=first', 'de'), 401), /<html lang="de">/);
    assert.match(await read(await page(`/s/${slug}/results`, 'de'), 401), /<html lang="de">.*nicht öffentlich/s);
  }
});

test('a link that is passed on says what it leads to, in chats and to searchers', async () => {
  await server.study('link', six(), { question: 'Which tea "wins" & why?', results: 'public' }, 'Tea <1>');
  for (const path of ['/s/link', '/s/link/results', '/s/link/about']) {
    const text = await (await page(path)).text();
    const said = (name) => text.match(new RegExp(`<meta (?:name|property)="${name}" content="([^"]*)"`))?.[1];
    assert.deepEqual(['description', 'og:title', 'og:description', 'og:type'].map(said), ['Which tea &quot;wins&quot; &amp; why?', 'Tea &lt;1&gt;', 'Which tea &quot;wins&quot; &amp; why?', 'website'], path);
  }
});

test('too many requests: a page that says so in the voter’s language', async () => {
  const slow = await serve('--voter-rate', '1');
  try {
    await slow.study('eilig', six(), { language: 'de' });
    const { token } = await slow.api('POST', '/v1/studies/eilig/voters', {}, '');
    const headers = { accept: 'text/html', 'sec-fetch-site': 'same-origin', 'content-type': 'application/x-www-form-urlencoded', cookie: `borduel-voter-eilig=${token}` };
    let last;
    for (let n = 0; n < 40; n += 1) {
      last = await fetch(`${slow.url}/s/eilig/undo`, { method: 'POST', headers, body: '', redirect: 'manual' });
      if (last.status === 429) break;
      await last.text();
    }
    assert.equal(last.status, 429);
    assert.ok(Number(last.headers.get('retry-after')) >= 1);
    assert.match(await last.text(), /Zu viel auf einmal.*Warte einen Moment.*Zurück zur Studie/s);
  } finally { await slow.end(); }
});

test('off line with nothing left to answer: nothing can be pressed in vain, and what waits is said', async () => {
  await server.study('dry', six(), { questions_per_voter: 12, ahead: 2 });
  const voter = await person(held, server, PHONE);
  const { page: tab, context } = voter;
  await begin(tab, server, 'dry');
  await ready(tab);
  await context.setOffline(true);
  while (await tab.locator('.pair:visible').count()) {
    await ready(tab);
    await tab.locator('.pair:visible .pick').first().tap();
  }
  await tab.locator('#note').waitFor();
  assert.match(await tab.locator('#note').textContent(), /You are offline/);
  for (const button of await tab.locator('.others button').all()) assert.ok(await button.isDisabled());
  await accessible(tab, 'off line, nothing left');
  await context.setOffline(false);
  await tab.locator('.pair:visible').waitFor();
  for (const button of await tab.locator('.others button').all()) assert.ok(await button.isEnabled());
  await voter.close();
});

test('names from right to left do not turn the sentences around them', async () => {
  await server.study('rtl', teas('שלום!', 'شاي', 'Assam', 'Sencha'), { results: 'public', questions_per_voter: 2 });
  for (let n = 0; n < 30; n += 1) await vote(server, 'rtl', (a, b) => (a.title === 'שלום!' || (b.title !== 'שלום!' && a.title < b.title) ? 'first' : 'second'), 6);
  const reader = await person(held, server);
  const { page: tab } = reader;
  await tab.goto(`${server.url}/s/rtl/results`);
  await until(async () => /wins|chosen|race/.test(await tab.locator('.verdict').textContent()), 'a verdict');
  const line = tab.locator('.verdict p').filter({ hasText: 'שלום!' }).first();
  const [name, rest] = await line.evaluate((one) => {
    const node = [...one.childNodes].find((node) => node.data?.includes('שלום!'));
    const at = node.data.indexOf('שלום!');
    const box = (from, to) => { const range = document.createRange(); range.setStart(node, from); range.setEnd(node, to); return range.getBoundingClientRect(); };
    const [bang, letter] = [box(at + 4, at + 5), box(at, at + 1)];
    return [bang.right <= letter.left + 1, getComputedStyle(one).direction];
  });
  assert.deepEqual([name, rest], [true, 'ltr'], 'the mark ends the name on its left, the sentence runs as English does');
  await reader.close();
});

test('a voice hears a question once: the focus reads it, what is told besides is how far one is', async () => {
  await server.study('voice', six());
  const voter = await person(held, server);
  await begin(voter.page, server, 'voice');
  assert.equal(await voter.page.evaluate(() => document.activeElement.matches('.pair h2')), true);
  assert.equal(await voter.page.locator('#said').textContent(), '0 of 15');
  await voter.close();
});

test('a picture that did not come is asked for again', async () => {
  await album('torn');
  const voter = await person(held, server, PHONE);
  const { page: tab } = voter;
  await tab.route('**/images/**', (route) => route.abort());
  await begin(tab, server, 'torn');
  await tab.locator('.pair:visible .gone').first().waitFor();
  assert.match(await tab.locator('.pair:visible .gone').first().textContent(), /The picture is missing/);
  await accessible(tab, 'a missing picture');
  await tab.unrouteAll({ behavior: 'wait' });
  await ready(tab);
  await tab.locator('.pair:visible .gone button').first().tap();
  await until(() => tab.locator('.pair:visible img').first().evaluate((image) => image.naturalWidth > 0), 'it has come');
  assert.equal(await tab.locator('.pair:visible .gone').count(), 1, 'the other one is still missing');
  assert.equal((await server.votes('torn')).length, 0, 'asking again is no vote');
  await voter.close();
});

for (const [name, viewport] of [['a small phone', { width: 568, height: 320 }], ['a phone', { width: 844, height: 390 }]]) {
  test(`${name} held sideways shows both cards and every button`, async () => {
    const texts = six().map((item) => ({ ...item, text: 'A longer text that has to be read first. '.repeat(20) }));
    await server.study(`lying-${viewport.width}`, texts, { both_bad: true });
    await server.study(`short-${viewport.width}`, six(), { both_bad: true });
    await album(`album-${viewport.width}`, { both_bad: true });
    const voter = await person(held, server, { ...PHONE, viewport });
    const { page: tab } = voter;
    for (const slug of ['lying', 'short', 'album']) {
      await begin(tab, server, `${slug}-${viewport.width}`);
      const places = await tab.locator('.pair:visible .card, .pair:visible .pick, .others button, #undo button, .asked h1, .far').evaluateAll((all) => all.map((one) => {
        const { top, bottom, left, right } = one.getBoundingClientRect();
        return [one.className || one.textContent, top, bottom, left, right];
      }));
      assert.ok(places.length >= 9);
      for (const [what, top, bottom, left, right] of places) {
        assert.ok(top >= 0 && bottom <= viewport.height && left >= 0 && right <= viewport.width, `${slug}: ${what} from ${top} to ${bottom}, ${left} to ${right}`);
      }
      const [one, two] = places.filter(([what]) => /card/.test(what));
      assert.ok(two[3] >= one[4], `${slug}: the cards are side by side`);
      await accessible(tab, `${slug} sideways`);
    }
    await voter.close();
  });
}

const scale = [13, 15, 17, 22, 30];
for (const [size, colorScheme, options] of [['phone', 'light', PHONE], ['desk', 'dark', DESK]]) {
  test(`letters of one scale, borders one can see, targets for a finger, ${size}, ${colorScheme}`, async () => {
    const slug = `look-${size}`;
    const asks = [{ key: 'age', question: 'How old are you?', answers: [{ text: 'Young' }, { text: 'Old' }] }];
    await server.study(slug, six(), { results: 'public', comment: true, suggestions: true, questions_per_voter: 2, consent: 'I agree.', voting: 'named', asks, organiser: 'The tea club', contact: 'tea@example.org', description: '# Why\n\nWe buy **one**.' });
    for (let n = 0; n < 12; n += 1) await server.api('POST', `/v1/studies/${slug}/voters`, { name: `Nr ${n}`, agree: true, answers: { age: 'Old' } }, '').catch(() => {});
    const voter = await person(held, server, { ...options, colorScheme });
    const { page: tab } = voter;
    const look = async (what) => {
      await accessible(tab, `${what} ${size}`);
      const found = await tab.evaluate((scale) => {
        const bad = [];
        const seen = (one) => one.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && !one.closest('svg, .hide') && one.getClientRects().length;
        const rgb = (text) => { const [r, g, b, a = 1] = text.match(/[\d.]+/g).map(Number); return { rgb: [r, g, b], a }; };
        const light = ({ rgb: parts }) => parts.map((part) => part / 255).map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)).reduce((sum, c, at) => sum + c * [0.2126, 0.7152, 0.0722][at], 0);
        const contrast = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
        const behind = (one) => { for (let at = one.parentElement; at; at = at.parentElement) { const colour = rgb(getComputedStyle(at).backgroundColor); if (colour.a === 1) return colour; } return rgb('rgb(255, 255, 255)'); };
        const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        for (let node = walker.nextNode(); node; node = walker.nextNode()) {
          const one = node.parentElement;
          const pixels = parseFloat(getComputedStyle(one).fontSize);
          if (node.data.trim() && seen(one) && !scale.some((known) => Math.abs(known - pixels) < 0.01)) bad.push(`${one.outerHTML.slice(0, 80)}: letters of ${pixels}`);
        }
        for (const one of document.querySelectorAll('button, .button, input:not([type=hidden], [type=checkbox], [type=radio]), textarea, select')) {
          if (!seen(one) || one.disabled) continue;
          const style = getComputedStyle(one);
          const ground = behind(one);
          const own = rgb(style.backgroundColor);
          // What has no border is a button by its words.
          if (rgb(style.borderTopColor).a === 0) continue;
          const most = Math.max(contrast(rgb(style.borderTopColor), ground), own.a === 1 ? contrast(own, ground) : 0);
          if (most < 3) bad.push(`${one.outerHTML.slice(0, 80)}: an edge of ${most.toFixed(2)}`);
        }
        if (matchMedia('(pointer: coarse)').matches) {
          for (const one of document.querySelectorAll('button, .button, input, textarea, select, summary, a')) {
            // A box is touched by its words.
            const target = one.matches('[type=checkbox], [type=radio]') ? one.closest('label') : one;
            if (!seen(one) || one.matches('p a, li a, .foot a')) continue;
            const { height } = target.getBoundingClientRect();
            if (height < 43.9) bad.push(`${one.outerHTML.slice(0, 80)}: a target of ${height}`);
          }
        }
        return bad;
      }, scale);
      assert.deepEqual(found, [], what);
    };
    await tab.goto(`${server.url}/s/${slug}`);
    await look('start');
    await tab.getByLabel('Your name').fill('Ada');
    await tab.getByText('Young').click();
    await tab.getByText('I agree.').click();
    await tab.getByRole('button', { name: 'Start' }).click();
    await ready(tab);
    await look('ballot');
    for (let n = 0; n < 2; n += 1) { await ready(tab); await tab.locator('.pair:visible .pick').first().click(); }
    await tab.waitForURL('**?end');
    await tab.getByText('Is something missing?').click();
    await tab.getByText('What I answered').click();
    await look('thanks');
    await tab.goto(`${server.url}/s/${slug}/about`);
    await look('about');
    await tab.goto(`${server.url}/s/${slug}/results`);
    await tab.getByText('In full').click();
    await look('results');
    await tab.goto(`${server.url}/s/nowhere`);
    await look('not found');
    await server.api('PUT', `/v1/studies/${slug}/status`, { status: 'closed' });
    await tab.goto(`${server.url}/s/${slug}?end`);
    await look('ended');
    await voter.close();
  });
}

test('on paper there are no headings without what they head, and no words for what only a screen can do', async () => {
  const { organiser_token: token } = await server.study('paper', six());
  for (let n = 0; n < 10; n += 1) await vote(server, 'paper', (a, b) => (a.title < b.title ? 'first' : 'second'), 5);
  const organiser = await person(held, server);
  const { page: tab } = organiser;
  await tab.goto(`${server.url}/s/paper/admin#token=${token}`);
  await tab.getByRole('heading', { name: 'Scores' }).waitFor();
  await tab.emulateMedia({ media: 'print' });
  for (const path of ['', '/items', '/voters', '/log']) {
    await tab.goto(`${server.url}/s/paper/admin${path}`);
    for (const name of ['Share', 'Edit', 'Add items', 'Hide', 'Add pictures']) {
      assert.equal(await tab.getByText(name, { exact: true }).filter({ visible: true }).count(), 0, `${path}: ${name}`);
    }
    assert.ok(await tab.getByRole('heading', { name: 'The paper' }).isVisible());
  }
  await tab.goto(`${server.url}/s/paper/admin/items`);
  assert.ok(await tab.getByRole('rowheader', { name: 'Assam' }).isVisible(), 'what there is stays');
  await organiser.close();
});
