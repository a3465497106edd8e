// A real server, a real browser, and what every page must keep to: no foreign request, no error, nothing that axe-core finds.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before } from 'node:test';

export const home = process.env.BORDUEL_PAGES;
const require = createRequire(`${home}/node_modules/`);
const { chromium } = require('playwright-core');
const axe = readFileSync(`${home}/node_modules/axe-core/axe.min.js`, 'utf8');
export const ADMIN = 'bd_srv_only_for_tests_0123456789abcdef';

/** Starts a server on a database of its own; `restart` ends it at once (kill -9) and starts it again at the same place. */
export async function serve(...more) {
  const folder = mkdtempSync(join(tmpdir(), 'borduel-pages-'));
  const server = { folder };
  server.start = async (port = 0) => {
    const free = ['--voter-rate', '--join-rate', '--judge-rate'].filter((flag) => !more.includes(flag)).flatMap((flag) => [flag, '0']);
    const flags = [...free, ...more];
    const where = ['serve', '--database', `sqlite:${folder}/pages.db`, '--listen', `127.0.0.1:${port}`];
    const child = spawn(process.env.BORDUEL_BINARY, [...where, ...flags], {
      env: { ...process.env, BORDUEL_ADMIN_TOKEN: ADMIN },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    server.child = child;
    for await (const line of createInterface({ input: child.stdout })) {
      server.url = line.match(/http:\/\/\S+/)[0];
      return;
    }
    throw new Error('the server did not start');
  };
  server.kill = () => new Promise((done) => { server.child.once('exit', done); server.child.kill('SIGKILL'); });
  server.end = async () => { await server.kill(); rmSync(folder, { recursive: true, force: true }); };
  server.api = async (method, path, body, token = ADMIN) => {
    const headers = { ...(token ? { authorization: `Bearer ${token}` } : {}), ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
    const response = await fetch(server.url + path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
    const text = await response.text();
    assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`);
    return response.headers.get('content-type') === 'application/json' ? JSON.parse(text) : text;
  };
  /** Makes an open study. */
  server.study = async (slug, items, settings = {}, title = `The ${slug}`) => {
    const made = await server.api('POST', '/v1/studies', { slug, title, items, settings });
    await server.api('PUT', `/v1/studies/${slug}/status`, { status: 'open' });
    return made;
  };
  /** The votes that are stored, as rows of the export. */
  server.votes = async (slug) => (await server.api('GET', `/v1/studies/${slug}/export/votes.jsonl`)).trim().split('\n').filter(Boolean).map((row) => JSON.parse(row));
  await server.start();
  return server;
}

export const teas = (...names) => names.map((title) => ({ title }));
export const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 };
export const DESK = { viewport: { width: 1280, height: 800 } };

/** A browser for a file of tests, ended with it. */
export function browser() {
  const held = {};
  before(async () => {
    held.browser = await chromium.launch({
      executablePath: process.env.BORDUEL_CHROMIUM,
      headless: true,
      args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
    });
  });
  after(() => held.browser?.close());
  return held;
}

/** Somebody with a browser window: what the pages must not do is gathered, and `fine` says that they did not. */
export async function person(held, server, options = DESK) {
  // Hooks of a file do not wait for each other.
  await until(() => held.browser, 'the browser');
  const context = await held.browser.newContext({ ...options });
  // A busy machine is no fault of the page; how quick it is, is measured where that is promised.
  context.setDefaultTimeout(90000);
  const faults = [];
  const allowed = [/status of 4(0[134]|09|22|28|29)/, /ERR_INTERNET_DISCONNECTED/, /ERR_CONNECTION_REFUSED/, /ERR_EMPTY_RESPONSE/, /ERR_FAILED/, /ERR_INCOMPLETE_CHUNKED/];
  context.on('request', (request) => {
    const address = request.url();
    if (!address.startsWith(server.url) && !address.startsWith('blob:') && !address.startsWith('data:') && !options.others?.some((other) => address.startsWith(other))) faults.push(`asked ${address}`);
  });
  context.on('console', (message) => {
    if (message.type() === 'error' && !allowed.some((known) => known.test(message.text()))) faults.push(message.text());
  });
  context.on('weberror', (error) => faults.push(String(error.error())));
  const page = await context.newPage();
  return {
    context,
    page,
    faults,
    fine() { assert.deepEqual(faults, []); },
    async close() { this.fine(); await context.close(); },
  };
}

/** Everything that axe-core finds on a page, by name and place: nothing. */
export async function accessible(page, name) {
  await page.evaluate(axe);
  const found = await page.evaluate(async () => {
    // Transitions end first: colours half-way are nobody's.
    await Promise.all(document.getAnimations().map((animation) => animation.finished.catch(() => {})));
    const { violations } = await window.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] });
    return violations.map((one) => `${one.id}: ${one.nodes.map((node) => `${node.target} ${node.failureSummary}`).join(' | ')}`);
  });
  assert.deepEqual(found, [], name);
}

/** Answers of a program: joins, and answers all its questions as `choose(first, second)` says. */
export async function vote(server, slug, choose, most = Infinity) {
  const path = `/v1/studies/${slug}`;
  const { token } = await server.api('POST', `${path}/voters`, {}, '');
  let { questions } = await server.api('POST', `${path}/questions`, { count: 1 }, token);
  let given = 0;
  while (questions.length && given < most) {
    const { q, first, second } = questions[0];
    const taken = await server.api('PUT', `${path}/questions/${q}/answer`, { answer: choose(first, second), ms: 1200 }, token);
    questions = taken.next;
    given += 1;
  }
  return given;
}

/**
 * Waits until `test` holds. What is computed beside votes gives way to everything else, and is kept for nine times as long as that took:
 * on a busy machine a minute is not enough.
 */
export async function until(test, what, seconds = 150) {
  const end = Date.now() + 1000 * seconds;
  for (;;) {
    if (await test()) return;
    assert.ok(Date.now() < end, `waited in vain: ${what}`);
    await new Promise((wake) => { setTimeout(wake, 50); });
  }
}

/** Goes to a tab of the organiser's pages. */
export async function tab(page, name) {
  await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name }).click();
  await page.waitForLoadState('load');
}

/** Starts voting by mouse. */
export async function begin(page, server, slug) {
  await page.goto(`${server.url}/s/${slug}`);
  await page.getByRole('button', { name: 'Start' }).click();
  await page.locator('.pair:visible').waitFor();
}

/** The number of the question on the screen. */
export const shown = (page) => page.locator('.pair:visible').getAttribute('data-q').then(Number);

/** Waits until a pair may be answered: the script has shown it, and one that has just come ignores a second tap. */
export async function ready(page, script = true) {
  await page.locator(script ? '.pair[data-met]:visible' : '.pair:visible').waitFor();
  await page.waitForTimeout(300);
}

/**
 * Taps the first card: whether the next pair is there at once, after how many milliseconds it is painted, and how many of them the page
 * itself was at work: on a busy machine it waits for most of the time.
 */
export async function nextPair(page) {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const worked = async () => 1000 * (await session.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'TaskDuration').value;
  const before = await worked();
  const found = await page.evaluate(() => new Promise((done) => {
    const shown = () => document.querySelector('.pair:not([hidden])');
    const pair = shown();
    const begun = performance.now();
    pair.querySelector('button').click();
    const at = Boolean(shown()) && shown() !== pair;
    const look = () => {
      if (shown() && shown() !== pair) requestAnimationFrame(() => done({ at, time: performance.now() - begun }));
      else requestAnimationFrame(look);
    };
    look();
  }));
  const work = await worked() - before;
  await session.detach();
  return { ...found, work };
}

/** A small picture: a PNG of one colour. */
export async function picture(page, colour, width = 320, height = 240) {
  const data = await page.evaluate(([colour, width, height]) => {
    const canvas = Object.assign(document.createElement('canvas'), { width, height });
    const pen = canvas.getContext('2d');
    pen.fillStyle = colour;
    pen.fillRect(0, 0, width, height);
    pen.fillStyle = '#ffffffaa';
    pen.beginPath();
    pen.arc(width / 2, height / 2, height / 3, 0, 7);
    pen.fill();
    return canvas.toDataURL('image/png').split(',')[1];
  }, [colour, width, height]);
  return Buffer.from(data, 'base64');
}
