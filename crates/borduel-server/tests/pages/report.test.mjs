// The report of an experiment, which is a file: its matrices fit where they stand, its plots are told in words, on a desk and on a phone.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { DESK, PHONE, accessible, browser } from './harness.mjs';

const held = browser();
let folder;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'borduel-report-'));
  execFileSync(process.env.BORDUEL_BINARY, ['reproduce', 'hard', '--d', '3', '--horizon', '300', '--runs', '2', '--quiet', '--out', join(folder, 'out')]);
});
after(() => rmSync(folder, { recursive: true, force: true }));

for (const [size, options] of [['desk', DESK], ['phone', PHONE]]) {
  test(`matrices do not scroll sideways, plots are scrolled by keys and told in words, ${size}`, async () => {
    const context = await held.browser.newContext(options);
    const page = await context.newPage();
    await page.goto(`file://${folder}/out/report.html`);
    const boxes = await page.locator('.maps figure').evaluateAll((figures) => figures.map((figure) => [figure.scrollWidth, figure.clientWidth]));
    assert.equal(boxes.length, 2);
    for (const [needed, room] of boxes) {
      assert.ok(room > 100 && needed <= room, `a matrix needs ${needed} pixels, and has ${room}`);
    }
    // Whoever does not see the plots, or has no mouse to scroll them, has all that they show.
    await accessible(page, `the report of an experiment, ${size}`);
    const curves = await page.locator('figure svg[aria-label^="Regret over time"]').first().getAttribute('aria-label');
    assert.match(curves, /at the end, the least first: .+ [\d,.]+; /);
    await context.close();
  });
}
