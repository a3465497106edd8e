// Sound and video are played in the page, in the organiser's colour.
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { DESK, PHONE, accessible, begin, browser, home, person, ready, serve } from './harness.mjs';

const shots = `${home}/shots`;
const held = browser();
let server;
before(async () => {
  mkdirSync(shots, { recursive: true });
  server = await serve();
});
after(() => server?.end());

/** A second of silence. */
function wav() {
  const data = Buffer.alloc(8000, 128);
  const head = Buffer.alloc(44);
  head.write('RIFF', 0); head.writeUInt32LE(36 + data.length, 4); head.write('WAVEfmt ', 8); head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20); head.writeUInt16LE(1, 22); head.writeUInt32LE(8000, 24); head.writeUInt32LE(8000, 28);
  head.writeUInt16LE(1, 32); head.writeUInt16LE(8, 34); head.write('data', 36); head.writeUInt32LE(data.length, 40);
  return Buffer.concat([head, data]);
}

for (const [name, options] of [['desk', DESK], ['phone', PHONE]]) {
  test(`sound is played in the page and never votes, ${name}`, async () => {
    const slug = `codecs-${name}`;
    const items = ['Opus', 'MP3', 'Vorbis'].map((title) => ({ title, link: `https://media.example/${title}.wav?take=1` }));
    await server.study(slug, items, { question: 'Which sounds better?', accent: '#ffcc00', hide_names: true });
    const voter = await person(held, server, { ...options, others: ['https://media.example/'] });
    const { page, context } = voter;
    await context.route('https://media.example/**', (route) => route.fulfill({ body: wav(), contentType: 'audio/wav' }));
    await begin(page, server, slug);
    await ready(page);
    const sound = page.locator('.pair:visible audio').first();
    await page.waitForFunction(() => document.querySelector('.pair:not([hidden]) audio').readyState > 0);
    assert.equal(await sound.evaluate((one) => one.error), null);
    assert.equal(await page.locator('.pair:visible .link').count(), 0, 'where names are hidden, so is the address');
    // To listen is no vote: neither a tap on the controls nor their keys.
    await sound.click({ position: { x: 20, y: 20 } });
    await sound.focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('ArrowRight');
    assert.equal(await page.locator('progress').evaluate((bar) => bar.value), 0);
    await accessible(page, 'a pair of sounds');
    await page.screenshot({ path: `${shots}/sound-${name}.png`, animations: 'disabled' });
    // A yellow that cannot be read on white is darker there.
    const pick = page.locator('.pair:visible .pick').first();
    const colour = await pick.evaluate((button) => getComputedStyle(button).backgroundColor);
    assert.match(colour, /^rgb\((\d+), (\d+), 0\)$/);
    assert.notEqual(colour, 'rgb(255, 204, 0)');
    await pick.click();
    await page.waitForFunction(() => document.querySelector('progress').value === 1);
    await voter.close();
  });
}

test('video is played in the page and never votes', async () => {
  const items = ['One', 'Two', 'Three'].map((title) => ({ title, link: `https://media.example/${title}.webm` }));
  await server.study('films', items, { question: 'Which film is better?' });
  const voter = await person(held, server, { ...PHONE, others: ['https://media.example/'] });
  const { page, context } = voter;
  // A moment of film, as the browser itself records it.
  await page.goto(server.url);
  const film = Buffer.from(await page.evaluate(async () => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 160, height: 120 });
    const pen = canvas.getContext('2d');
    const recorder = new MediaRecorder(canvas.captureStream(20), { mimeType: 'video/webm' });
    const parts = [];
    recorder.addEventListener('dataavailable', (event) => parts.push(event.data));
    const ended = new Promise((done) => { recorder.addEventListener('stop', done); });
    recorder.start();
    for (let at = 0; at < 10; at += 1) {
      pen.fillStyle = `hsl(${36 * at} 80% 50%)`;
      pen.fillRect(0, 0, 160, 120);
      await new Promise((wake) => { setTimeout(wake, 60); });
    }
    recorder.stop();
    await ended;
    const bytes = new Uint8Array(await new Blob(parts).arrayBuffer());
    return btoa(String.fromCharCode(...bytes));
  }), 'base64');
  await context.route('https://media.example/**', (route) => route.fulfill({ body: film, contentType: 'video/webm' }));
  await begin(page, server, 'films');
  await ready(page);
  await page.waitForFunction(() => [...document.querySelectorAll('.pair:not([hidden]) video')].every((one) => one.readyState > 0));
  const films = page.locator('.pair:visible video');
  assert.deepEqual(await films.evaluateAll((all) => all.map((one) => [one.controls, one.playsInline, one.error, one.videoWidth])), [[true, true, null, 160], [true, true, null, 160]]);
  await films.first().tap();
  await films.first().focus();
  await page.keyboard.press('ArrowRight');
  assert.equal(await page.locator('progress').evaluate((bar) => bar.value), 0, 'to watch is no vote');
  await accessible(page, 'a pair of films');
  await page.locator('.pair:visible .pick').last().tap();
  await page.waitForFunction(() => document.querySelector('progress').value === 1);
  await voter.close();
});
