// 300 voters who disagree: the study finds who is best in truth, with far fewer votes than asking every pair alike would need, and
// the dashboard says so. A person votes among 200 others and waits for nothing.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ADMIN, begin, browser, nextPair, person, ready, serve, until, vote } from './harness.mjs';

const held = browser();
let server;
before(async () => { server = await serve(); });
after(() => server?.end());

/** Numbers of [0, 1) that are the same in every run (mulberry32). */
function numbers(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** So many voters, some of them at a time. */
async function crowd(count, together, one) {
  let next = 0;
  const worker = async () => { while (next < count) { next += 1; await one(next); } };
  await Promise.all(Array.from({ length: together }, worker));
}

test('300 voters find the true winner of a known world', async () => {
  const strengths = { Ash: 0.0, Birch: 0.5, Cedar: 1.3, Dogwood: -0.4, Elm: 0.7, Fir: 0.2, Ginkgo: -0.8, Hazel: 0.1 };
  await server.study('trees', Object.keys(strengths).map((title) => ({ title })), { questions_per_voter: 20, stop: 'clear' }, 'Which tree?');
  const organiser = await person(held, server);
  const { page } = organiser;
  await page.goto(`${server.url}/#token=${ADMIN}`);
  await page.getByRole('link', { name: 'Which tree?' }).click();
  await page.getByRole('heading', { name: 'Which tree?' }).waitFor();
  const draw = numbers(11);
  const choose = (a, b) => (draw() < 1 / (1 + Math.exp(strengths[b.title] - strengths[a.title])) ? 'first' : 'second');
  let closed = 0;
  await crowd(300, 20, async () => {
    if (closed) return;
    try { await vote(server, 'trees', choose); } catch (error) { if (!/409/.test(error.message)) throw error; closed += 1; }
  });
  // Results are made beside the votes: those of the last ones come a moment later.
  let found;
  await until(async () => {
    found = await server.api('GET', '/v1/studies/trees/results');
    return found.status === 'closed' && found.verdict.kind !== 'not-enough';
  }, 'the results of all votes');
  const { verdict, votes, status } = found;
  console.log(`${votes} votes: ${verdict.text}`);
  assert.equal(verdict.kind, 'clear-winner');
  assert.deepEqual(verdict.winners, ['cedar']);
  assert.equal(status, 'closed', 'it closes by itself');
  assert.ok(votes < 6000, `${votes} votes`);
  await until(async () => /Clear winner: Cedar/.test(await page.locator('.verdict').textContent()), 'the dashboard says so');
  await until(async () => (await page.locator('.forest .label').first().textContent()) === 'Cedar', 'and draws it');
  await organiser.close();
});

test('among 200 voters the next pair is there at once', async () => {
  const items = Array.from({ length: 30 }, (_, at) => ({ title: `Item ${at}` }));
  await server.study('busy', items, { questions_per_voter: 60 });
  const draw = numbers(5);
  let over = false;
  const load = crowd(200, 200, async () => {
    const path = '/v1/studies/busy';
    const { token } = await server.api('POST', `${path}/voters`, {}, '');
    let { questions } = await server.api('POST', `${path}/questions`, { count: 1 }, token);
    while (!over && questions.length) {
      const answer = draw() < 0.5 ? 'first' : 'second';
      questions = (await server.api('PUT', `${path}/questions/${questions[0].q}/answer`, { answer, ms: 900 }, token)).next;
      await new Promise((wake) => { setTimeout(wake, 1500 * draw() + 500); });
    }
  });
  const voter = await person(held, server);
  const { page } = voter;
  await begin(page, server, 'busy');
  const [times, works] = [[], []];
  for (let n = 0; n < 20; n += 1) {
    await ready(page);
    const { time, work } = await nextPair(page);
    times.push(time);
    works.push(work);
  }
  over = true;
  await load;
  for (const all of [times, works]) all.sort((a, b) => a - b);
  console.log(`among 200 voters: next pair on the screen after ${times[10].toFixed(1)} ms (median), ${times[18].toFixed(1)} ms (9 in 10), of which ${works[10].toFixed(1)} ms of work`);
  assert.ok(works[10] > 0 && works[10] <= 50, `the page is at work for ${works[10]} ms`);
  await voter.close();
});
