// What organisers of real studies need: gold pairs, and people who are sent away kindly.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import { ADMIN, DESK, PHONE, accessible, begin, browser, home, person, ready, serve, tab, teas, until } from './harness.mjs';

const held = browser();
let server;
before(async () => { server = await serve(); });
after(() => server?.end());

/** A picture of a page in light and dark, for whoever looks. */
async function shots(page, name) {
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: `${home}/shots/${name}-${colorScheme}.png`, fullPage: true });
  }
  await page.emulateMedia({ colorScheme: 'light' });
}

test('gold pairs: set by their names, failed by one voter, who is thanked and gets the other code', async () => {
  // With this seed both voters are asked the gold pair.
  const items = teas('Assam', 'Ceylon', 'Darjeeling', 'Keemun', 'Dishwater');
  await server.api('POST', '/v1/studies', { slug: 'gold', title: 'The gold', items, settings: { completion: 'DONE1' }, seed: 5 });
  await server.api('PUT', '/v1/studies/gold/status', { status: 'open' });
  const organiser = await person(held, server);
  await organiser.page.goto(`${server.url}/#token=${ADMIN}`);
  await organiser.page.getByRole('link', { name: 'The gold' }).click();
  await tab(organiser.page, 'Items');
  await organiser.page.getByRole('row', { name: 'Dishwater' }).getByRole('button', { name: 'Hide' }).click();
  await tab(organiser.page, 'Settings');
  await organiser.page.getByText('Gold pairs: do voters look?').click();
  const gold = organiser.page.getByLabel('Pairs with a known answer');
  const share = organiser.page.getByLabel('Percent of questions that are gold');
  await share.fill('');
  await organiser.page.getByText('Gold pairs: do voters look?').click();
  await share.waitFor({ state: 'hidden' });
  await organiser.page.getByRole('button', { name: 'Save' }).click();
  // What is missing is shown, though its part of the form was closed.
  await share.waitFor();
  await share.fill('10');
  await gold.fill('Assam > Cocoa');
  await organiser.page.getByRole('button', { name: 'Save' }).click();
  await organiser.page.getByText('there is no item "Cocoa"').waitFor();
  assert.equal(await gold.inputValue(), 'Assam > Cocoa', 'what was typed is still there');
  await gold.fill('Assam > Dishwater');
  await share.fill('50');
  await organiser.page.getByLabel('How many a voter may fail').fill('0');
  await organiser.page.getByLabel('Whoever fails more').selectOption('away');
  await organiser.page.getByLabel(/^Code for those screened out/).fill('OUT7');
  await organiser.page.getByRole('button', { name: 'Save' }).click();
  await organiser.page.getByText('Saved.').waitFor();
  assert.equal(await gold.inputValue(), 'Assam > Dishwater');
  await accessible(organiser.page, 'settings with gold pairs');
  await shots(organiser.page, 'gold-settings-desk');
  const { settings } = await server.api('GET', '/v1/studies/gold');
  assert.deepEqual(settings.gold, { pairs: [{ better: 'assam', worse: 'dishwater' }], share: 0.5, may_fail: 0, then: 'away' });
  // Two voters: who looks, and who takes whatever is the dishwater.
  for (const [looks, options] of [[true, DESK], [false, PHONE]]) {
    const voter = await person(held, server, options);
    const { page } = voter;
    await begin(page, server, 'gold');
    const end = page.getByText(looks ? 'DONE1' : 'OUT7');
    const pair = page.locator('.pair:visible');
    // What has just come ignores a key, so each pair is answered until it has gone; the last answer may lead away.
    await until(async () => {
      if (await end.isVisible()) return true;
      const names = await pair.locator('h3').allTextContents().catch(() => []);
      const bad = names.findIndex((name) => name.includes('Dishwater'));
      if (names.length === 2) await page.keyboard.press((bad < 0 || (looks ? 1 - bad : bad) === 0) ? 'ArrowLeft' : 'ArrowRight');
      return false;
    }, 'the end');
    if (!looks) {
      await page.getByRole('heading', { name: 'Thank you for your time' }).waitFor();
      assert.equal(await page.getByText('Not counted').count(), 0, 'nothing is said to be lost');
      await accessible(page, 'screened out');
      await shots(page, 'screened-out-phone');
      await page.reload();
      await end.waitFor();
    }
    await voter.close();
  }
  await tab(organiser.page, 'Voters');
  await organiser.page.getByText('failed 1 of 1 gold pairs').waitFor();
  await organiser.page.getByText('not counted').waitFor();
  await accessible(organiser.page, 'voters with gold pairs');
  await organiser.close();
});

test('questions before the first pair: who is screened out, who comes too late, and who votes', async () => {
  await server.study('people', teas('Assam', 'Ceylon', 'Darjeeling'), { completion: 'DONE1', screened_out: 'OUT7', over_quota: 'FULL9' });
  const organiser = await person(held, server);
  await organiser.page.goto(`${server.url}/#token=${ADMIN}`);
  await organiser.page.getByRole('link', { name: 'The people' }).click();
  await tab(organiser.page, 'Settings');
  const asks = organiser.page.getByLabel('Asked before the first pair');
  await asks.fill('age: How old are you?\n- only one');
  await organiser.page.getByRole('button', { name: 'Save' }).click();
  await organiser.page.getByText('it needs 2 to 50').waitFor();
  const typed = 'age: How old are you?\n- under 30 [at most 1]\n- 30 or older\ntea: Do you drink tea?\n- yes\n- no [out]';
  await asks.fill(typed);
  await organiser.page.getByRole('button', { name: 'Save' }).click();
  await organiser.page.getByText('Saved.').waitFor();
  assert.equal(await asks.inputValue(), typed);
  await accessible(organiser.page, 'settings with questions about voters');
  await shots(organiser.page, 'asks-settings-desk');
  const visit = async (options, age, tea) => {
    const voter = await person(held, server, options);
    await voter.page.goto(`${server.url}/s/people`);
    await voter.page.getByRole('radio', { name: age }).check();
    if (tea) await voter.page.getByRole('radio', { name: tea, exact: true }).check();
    return voter;
  };
  // What is missing is said at its place, and what was chosen is still there.
  const careless = await visit(PHONE, 'under 30');
  await careless.page.locator('#start').evaluate((form) => { form.noValidate = true; });
  await careless.page.getByRole('button', { name: 'Start' }).click();
  await careless.page.getByText('Please answer this.').waitFor();
  assert.ok(await careless.page.getByRole('radio', { name: 'under 30' }).isChecked());
  await accessible(careless.page, 'start page with an answer missing');
  await careless.close();
  const first = await visit(PHONE, 'under 30', 'yes');
  await accessible(first.page, 'start page with questions');
  await shots(first.page, 'asks-start-phone');
  await first.page.getByRole('button', { name: 'Start' }).click();
  await ready(first.page);
  for (let pair = 0; pair < 3; pair += 1) {
    await ready(first.page);
    await first.page.locator('.pair:visible .pick').first().click();
  }
  await first.page.getByText('DONE1').waitFor();
  await first.close();
  for (const [age, tea, code, head] of [['under 30', 'yes', 'FULL9', 'Thank you, there are enough'], ['30 or older', 'no', 'OUT7', 'Thank you for your time']]) {
    const voter = await visit(DESK, age, tea);
    await voter.page.getByRole('button', { name: 'Start' }).click();
    await voter.page.getByRole('heading', { name: head }).waitFor();
    await voter.page.getByText(code).waitFor();
    await accessible(voter.page, head);
    await voter.page.goto(`${server.url}/s/people`);
    await voter.page.getByText(code).waitFor();
    await voter.close();
  }
  await tab(organiser.page, 'Voters');
  await organiser.page.getByText('1 of 1').waitFor();
  await accessible(organiser.page, 'voters with quotas');
  await shots(organiser.page, 'asks-voters-desk');
  await organiser.close();
});

test('scores by what voters said: who differs beyond chance is named', async () => {
  const asks = [{ key: 'age', question: 'How old are you?', answers: [{ text: 'young' }, { text: 'old' }] }];
  const { organiser_token: token } = await server.study('ages', teas('Assam', 'Ceylon', 'Darjeeling'), { asks });
  const path = '/v1/studies/ages';
  // The young like what comes first in the alphabet and the old what comes last; in the middle all agree.
  for (let n = 0; n < 60; n += 1) {
    const age = n % 2 ? 'young' : 'old';
    const { token: voter } = await server.api('POST', `${path}/voters`, { attributes: { age } }, '');
    let { questions } = await server.api('POST', `${path}/questions`, { count: 1 }, voter);
    while (questions.length) {
      const { q, first, second } = questions[0];
      // Now and then somebody is of another mind.
      const better = ((first.title < second.title) === (age === 'young')) !== ((7 * n + q) % 5 === 0);
      questions = (await server.api('PUT', `${path}/questions/${q}/answer`, { answer: better ? 'first' : 'second' }, voter)).next;
    }
  }
  const organiser = await person(held, server);
  const { page } = organiser;
  await page.goto(`${server.url}/s/ages/admin#token=${token}`);
  await page.getByLabel('Scores by what voters said').selectOption('age');
  await page.getByRole('button', { name: 'Show' }).click();
  await page.getByText('By age the scores of these items differ beyond chance').waitFor();
  const told = await page.getByText('differ beyond chance').textContent();
  assert.match(told, /Assam/);
  assert.match(told, /Darjeeling/);
  assert.doesNotMatch(told, /Ceylon/);
  assert.deepEqual(await page.locator('thead th').allTextContents(), ['item', 'old', 'young', 'differs (p)']);
  await accessible(page, 'scores by age');
  await shots(page, 'scores-by-age-desk');
  assert.equal((await page.goto(`${server.url}/s/ages/admin/by?key=shoe`)).status(), 404);
  await organiser.close();
});

test('what a crowd platform says of its people is kept for the organiser, and goes back in the link', async () => {
  const completion = 'https://example.org/back?a={assignmentId}&w={workerId}&b={batch}';
  await server.study('panel', teas('A', 'B'), { id_parameter: 'workerId', keep_parameters: ['assignmentId', 'hitId'], completion });
  const voter = await person(held, server);
  await voter.page.goto(`${server.url}/s/panel?workerId=W1&assignmentId=A%26+1&other=no`);
  await voter.page.getByRole('button', { name: 'Start' }).click();
  await ready(voter.page);
  await voter.page.keyboard.press('ArrowLeft');
  await voter.page.getByText('Your answer is saved.').waitFor();
  const back = await voter.page.getByRole('link', { name: /Finish/ }).last().getAttribute('href');
  assert.equal(back, 'https://example.org/back?a=A%26%201&w=W1&b={batch}');
  await voter.close();
  const file = async (name) => server.api('GET', `/v1/studies/panel/export/${name}`);
  const head = 'voter,name,assignmentId,hitId,state,counted,answers,finished\n';
  assert.equal(await file('people.csv'), `${head}0,W1,A& 1,,active,yes,1,yes\n`);
  for (const name of ['voters.csv', 'votes.csv', 'log.jsonl']) assert.doesNotMatch(await file(name), /W1|A& 1|A&amp;/, name);
  const organiser = await person(held, server);
  const { page } = organiser;
  await page.goto(`${server.url}/#token=${ADMIN}`);
  await page.getByRole('link', { name: 'The panel' }).click();
  await page.getByRole('link', { name: 'people.csv' }).waitFor();
  await tab(page, 'Share');
  const link = await page.getByLabel('Link for voters').inputValue();
  assert.equal(link, `${server.url}/s/panel?workerId={{%workerId%}}&assignmentId={{%assignmentId%}}&hitId={{%hitId%}}`);
  await tab(page, 'Voters');
  await page.getByRole('link', { name: 'W1' }).click();
  await page.getByText('assignmentId: A& 1').waitFor();
  await tab(page, 'Settings');
  const kept = page.getByLabel('Further parameters to keep');
  await kept.fill('assignmentId, embed');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('the name "embed" is taken').waitFor();
  await kept.fill('assignmentId, batch');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Saved.').waitFor();
  assert.deepEqual((await server.api('GET', '/v1/studies/panel')).settings.keep_parameters, ['assignmentId', 'batch']);
  await accessible(page, 'settings with parameters');
  // Who is forgotten leaves none of it.
  await server.api('DELETE', '/v1/studies/panel/voters/0?votes=keep');
  assert.equal(await file('people.csv'), 'voter,name,assignmentId,batch,state,counted,answers,finished\n');
  await organiser.close();
});

test('personal links for people by name, as a table; who is known by name is told so', async () => {
  const { organiser_token: token } = await server.study('invited', teas('A', 'B', 'C'), { voting: 'invited' });
  const organiser = await person(held, server);
  const { page } = organiser;
  await page.goto(`${server.url}/s/invited/admin/share#token=${token}`);
  await page.getByText('Personal links for people by name').click();
  await page.getByLabel(/^Names/).fill('x'.repeat(101));
  await page.getByRole('button', { name: 'Create links with names' }).click();
  await page.getByText('has more than 100 characters').waitFor();
  assert.equal((await page.getByLabel(/^Names/).inputValue()).length, 101, 'what was typed is there');
  await page.getByLabel(/^Names/).fill('Ada Lovelace\n\n"Bob", the builder\n=SUM(A1)');
  await page.getByRole('button', { name: 'Create links with names' }).click();
  const shown = await page.getByRole('textbox', { name: 'Personal links' }).inputValue();
  const rows = shown.split('\n');
  assert.deepEqual(rows.map((row) => row.replace(/,http.*/, '')), ['name,link', 'Ada Lovelace', '"""Bob"", the builder"', "'=SUM(A1)"]);
  await page.getByText('This link works on this computer only').waitFor();
  await accessible(page, 'personal links');
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Save as a file' }).click()]);
  assert.equal(download.suggestedFilename(), 'links.csv');
  const chunks = [];
  for await (const chunk of await download.createReadStream()) chunks.push(chunk);
  assert.equal(Buffer.concat(chunks).toString(), shown);
  const guest = await person(held, server);
  await guest.page.goto(rows[1].split(',')[1]);
  await guest.page.getByText('Your name is kept with your answers').waitFor();
  await guest.page.getByRole('button', { name: 'Continue' }).click();
  await ready(guest.page);
  await guest.page.keyboard.press('ArrowLeft');
  await until(async () => (await server.votes('invited')).length === 1, 'it is stored');
  await guest.close();
  await tab(page, 'Voters');
  await page.getByRole('link', { name: 'Ada Lovelace' }).waitFor();
  assert.match(await server.api('GET', '/v1/studies/invited/export/people.csv'), /^0,Ada Lovelace,active,yes,1,no$/m);
  await organiser.close();
});

for (const javaScriptEnabled of [true, false]) {
  test(`a pair takes a least time, ${javaScriptEnabled ? 'with' : 'without'} a script, and nobody is told off`, async () => {
    const slug = javaScriptEnabled ? 'slow' : 'slow-2';
    await server.study(slug, teas('A', 'B', 'C'), { least_seconds: 1.5, questions_per_voter: 2 });
    const voter = await person(held, server, { ...PHONE, javaScriptEnabled });
    const { page } = voter;
    await page.goto(`${server.url}/s/${slug}`);
    await page.getByRole('button', { name: 'Start' }).tap();
    await page.locator('.pair:visible').waitFor();
    const [began, end] = [Date.now(), page.getByText('Your 2 answers are saved.')];
    if (javaScriptEnabled) {
      assert.ok(await page.locator('.pair:visible .pick').first().isDisabled(), 'the buttons wait');
      await page.keyboard.press('ArrowLeft');
      await page.locator('.pair:visible h3').first().tap();
      assert.match(await page.locator('#count').textContent(), /^0 of 2/);
      await accessible(page, 'buttons that wait');
    }
    for (let n = 0; n < 2; n += 1) {
      const q = page.locator('#ballot input[name=q]');
      const before = await q.inputValue();
      await page.locator('.pair:visible .pick').first().tap();
      // While a page goes and the next one comes nothing is known.
      const next = () => q.inputValue({ timeout: 1000 }).catch(() => before);
      await until(async () => (await end.isVisible()) || (await next()) !== before, 'the pair has gone');
    }
    await end.waitFor();
    assert.ok(Date.now() - began > 2500, `two pairs in ${Date.now() - began} ms`);
    await voter.close();
  });
}

test('whoever joins computes first: once for each voter, by the page and by a program', async () => {
  await server.study('worked', teas('A', 'B', 'C'), { proof_of_work: 14, questions_per_voter: 1 });
  const path = '/v1/studies/worked';
  const join = (work) => fetch(`${server.url}${path}/voters`, {
    method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(work ? { work } : {}),
  });
  const without = await join();
  assert.equal(without.status, 428);
  assert.match((await without.json()).detail, /fetch proof-of-work/);
  const { puzzle, bits } = await server.api('GET', `${path}/proof-of-work`, undefined, '');
  assert.equal(bits, 14);
  const zeros = (text) => { const hash = createHash('sha256').update(text).digest(); return Math.clz32(hash.readUInt32BE(0)); };
  let number = 0;
  while (zeros(`${puzzle}:${number}`) < bits) number += 1;
  assert.equal((await join(`${puzzle}:${number}`)).status, 201);
  assert.equal((await join(`${puzzle}:${number}`)).status, 428, 'one solution is one voter');

  const voter = await person(held, server, PHONE);
  const { page } = voter;
  await page.goto(`${server.url}/s/worked`);
  await accessible(page, 'a start that computes');
  // Also whoever is in a hurry: the button waits until the number is found.
  await page.getByRole('button', { name: 'Start' }).tap();
  await ready(page);
  await page.locator('.pair:visible .pick').first().tap();
  await page.getByText('Thank you').first().waitFor();
  await voter.close();

  // A form that comes back with what was used before is answered by another puzzle, and goes on.
  const twice = await person(held, server, PHONE);
  await twice.page.goto(`${server.url}/s/worked`);
  const solution = twice.page.locator('#start input[name=work]');
  await until(async () => await solution.inputValue() !== '', 'it is solved while one reads');
  const used = await solution.inputValue();
  assert.equal((await join(used)).status, 201);
  await twice.page.getByRole('button', { name: 'Start' }).tap();
  await twice.page.getByRole('alert').getByText('Press the button again').waitFor();
  await accessible(twice.page, 'a start with a puzzle that was used');
  await shots(twice.page, 'work-again-phone');
  await twice.page.getByRole('button', { name: 'Start' }).tap();
  await twice.page.locator('.pair:visible').waitFor();
  await twice.close();

  const plain = await person(held, server, { ...PHONE, javaScriptEnabled: false });
  await plain.page.goto(`${server.url}/s/worked`);
  await plain.page.getByText('Your browser must run scripts here').waitFor();
  await plain.close();
  assert.equal((await server.api('GET', `${path}/voters`)).voters.length, 4);
});
