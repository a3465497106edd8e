// What newcomers type finds the page that answers it: node docs/searches.mjs, after ./site. The site's own search is asked, for what
// searches.csv lists; the page has to be among the first three, and where a section is named, that among the page's first three.
// Words given as arguments are searched for, and what is found is shown.
import { readFileSync, readdirSync } from 'node:fs';
import vm from 'node:vm';

const here = new URL('.', import.meta.url);
const site = new URL('../target/site/', here);
const FIRST = 3;

/// A worker as a browser would run it: the page's own script that changes what is typed stands before it.
async function search() {
  const workers = new URL('assets/javascripts/workers/', site);
  const script = readdirSync(workers).find((name) => name.endsWith('.js'));
  let listens, answer;
  const scope = { console: { ...console, warn: (said) => { throw new Error(said); } }, setTimeout, URL, performance, location: { href: workers.href }, importScripts() {} };
  Object.assign(scope, { self: scope, addEventListener: (_, heard) => { listens = heard; }, postMessage: (message) => { answer(message); } });
  vm.runInNewContext(readFileSync(new URL(script, workers), 'utf8'), scope);
  const told = (message) => new Promise((resolve) => { answer = resolve; listens({ data: message }); });

  let sent;
  const page = { Worker: class { postMessage(message) { sent = message; } } };
  vm.runInNewContext(readFileSync(new URL('search.js', site), 'utf8'), { window: page });
  const box = new page.Worker();

  const { config, docs } = JSON.parse(readFileSync(new URL('search/search_index.json', site), 'utf8'));
  await told({ type: 0, data: { config, docs, options: { suggest: true } } });
  return async (typed) => {
    box.postMessage({ type: 2, data: typed });
    return (await told(sent)).data.items.map((found) => found.map((section) => section.location));
  };
}

const find = await search();
if (process.argv.length > 2) {
  for (const typed of process.argv.slice(2)) {
    console.log(`${typed}\n${(await find(typed)).slice(0, 6).map((sections) => `    ${sections.slice(0, FIRST).join('  ')}`).join('\n')}`);
  }
  process.exit();
}
const [, ...lines] = readFileSync(new URL('searches.csv', here), 'utf8').trim().split('\n');
let missed = 0;
for (const line of lines) {
  const [typed, page] = line.split(',');
  const found = await find(typed);
  const sections = found.slice(0, FIRST).find((these) => these[0].split('#')[0] === page.split('#')[0]);
  if (page.includes('#') ? sections?.slice(0, FIRST).includes(page) : sections) continue;
  missed += 1;
  console.log(`"${typed}" does not lead to ${page} but to\n${found.slice(0, FIRST).map((these) => `    ${these.slice(0, FIRST).join('  ')}`).join('\n')}`);
}
console.log(`${lines.length - missed} of ${lines.length} searches lead to the page that answers them`);
process.exit(missed ? 1 : 0);
