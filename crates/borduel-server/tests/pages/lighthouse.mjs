// Lighthouse on the pages that strangers open, as a phone on a slow network and as a desk: scores of 100, as a table in Markdown.
//
//     crates/borduel-server/tests/pages/lighthouse target/release/borduel
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serve, teas, vote } from './harness.mjs';

const server = await serve();
try {
  await server.study('tea', teas('Earl Grey', 'Assam', 'Sencha', 'Rooibos'), { results: 'public', contact: 'tea@example.org' }, 'Which tea for the office?');
  for (let n = 0; n < 20; n += 1) await vote(server, 'tea', (a, b) => (a.title < b.title || n % 4 === 0 ? 'first' : 'second'));
  const { token } = await server.api('POST', '/v1/studies/tea/voters', {}, '');
  await server.api('POST', '/v1/studies/tea/questions', { count: 3 }, token);
  const out = join(mkdtempSync(join(tmpdir(), 'lighthouse-')), 'report.json');
  const kinds = ['performance', 'accessibility', 'best-practices', 'seo'];
  console.log(`| page | seen as | ${kinds.join(' | ')} | largest paint | kB |\n|:--|:--|${'--:|'.repeat(kinds.length + 2)}`);
  const pages = [['start', '/s/tea', ''], ['a pair', '/s/tea', `borduel-voter-tea=${token}`], ['results', '/s/tea/results', ''], ['home', '/', ''], ['HTTP interface', '/docs', '']];
  for (const [name, path, cookie] of pages) {
    for (const preset of ['phone', 'desktop']) {
      const more = preset === 'desktop' ? ['--preset=desktop'] : [];
      const flags = ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run'];
      const headers = cookie ? ['--extra-headers', JSON.stringify({ cookie })] : [];
      const done = spawnSync(process.env.LIGHTHOUSE, [server.url + path, '--quiet', '--output=json', `--output-path=${out}`, `--only-categories=${kinds}`,
        `--chrome-flags=${flags.join(' ')}`, '--no-enable-error-reporting', ...headers, ...more], { encoding: 'utf8', env: { ...process.env, CHROME_PATH: process.env.BORDUEL_CHROMIUM } });
      if (done.status !== 0) throw new Error(`${name}, ${preset}: ${done.stderr}`);
      const { categories, audits } = JSON.parse(readFileSync(out, 'utf8'));
      const scores = kinds.map((kind) => Math.round(100 * categories[kind].score));
      const [paint, bytes] = [audits['largest-contentful-paint'].numericValue / 1000, audits['total-byte-weight'].numericValue / 1024];
      console.log(`| ${name} | ${preset} | ${scores.join(' | ')} | ${paint.toFixed(1)} s | ${Math.round(bytes)} |`);
      for (const kind of kinds) {
        for (const { id, weight } of categories[kind].auditRefs) {
          const { score, title } = audits[id];
          if (weight > 0 && score !== null && score < 0.9) console.error(`  ${name}, ${preset}, ${kind}: ${title} (${score})`);
        }
      }
    }
  }
} finally {
  await server.end();
}
