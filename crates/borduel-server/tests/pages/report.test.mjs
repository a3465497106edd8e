// The report of an experiment, which is a file: its matrices fit where they stand, on a desk and on a phone.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { DESK, PHONE, browser } from './harness.mjs';

const held = browser();
let folder;
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'borduel-report-'));
  execFileSync(process.env.BORDUEL_BINARY, ['reproduce', 'hard', '--d', '3', '--horizon', '300', '--runs', '2', '--quiet', '--out', join(folder, 'out')]);
});
after(() => rmSync(folder, { recursive: true, force: true }));

for (const [size, options] of [['desk', DESK], ['phone', PHONE]]) {
  test(`matrices do not scroll sideways, ${size}`, async () => {
    const context = await held.browser.newContext(options);
    const page = await context.newPage();
    await page.goto(`file://${folder}/out/report.html`);
    const boxes = await page.locator('.maps figure').evaluateAll((figures) => figures.map((figure) => [figure.scrollWidth, figure.clientWidth]));
    assert.equal(boxes.length, 2);
    for (const [needed, room] of boxes) {
      assert.ok(room > 100 && needed <= room, `a matrix needs ${needed} pixels, and has ${room}`);
    }
    await context.close();
  });
}
