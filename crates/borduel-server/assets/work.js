// Computes before somebody joins: whoever wants to join many times computes as many times. It goes on while the page is read.
const form = document.getElementById('start');
const { puzzle, bits, moment } = form.dataset;
const button = form.querySelector('button');
let waits = false;

const K = [];
const H0 = [];
for (let n = 2; K.length < 64; n += 1) {
  let prime = true;
  for (let d = 2; d * d <= n; d += 1) if (n % d === 0) prime = false;
  if (!prime) continue;
  if (H0.length < 8) H0.push((Math.sqrt(n) % 1) * 2 ** 32 | 0);
  K.push((Math.cbrt(n) % 1) * 2 ** 32 | 0);
}
const W = new Int32Array(64);
const bytes = new Uint8Array(64);
const prefix = new TextEncoder().encode(`${puzzle}:`);
bytes.set(prefix);
const block = new DataView(bytes.buffer);

/** How many zero bits the SHA-256 of `puzzle:number` begins with, at most 32. The text has less than 56 bytes: one block. */
function zeros(number) {
  const digits = String(number);
  let end = prefix.length;
  for (let at = 0; at < digits.length; at += 1) { bytes[end] = digits.charCodeAt(at); end += 1; }
  bytes[end] = 0x80;
  bytes.fill(0, end + 1);
  block.setUint32(60, end * 8);
  for (let t = 0; t < 16; t += 1) W[t] = block.getInt32(4 * t);
  for (let t = 16; t < 64; t += 1) {
    const x = W[t - 15];
    const y = W[t - 2];
    const s0 = (x >>> 7 | x << 25) ^ (x >>> 18 | x << 14) ^ x >>> 3;
    const s1 = (y >>> 17 | y << 15) ^ (y >>> 19 | y << 13) ^ y >>> 10;
    W[t] = W[t - 16] + s0 + W[t - 7] + s1;
  }
  let [a, b, c, d, e, f, g, h] = H0;
  for (let t = 0; t < 64; t += 1) {
    const s1 = (e >>> 6 | e << 26) ^ (e >>> 11 | e << 21) ^ (e >>> 25 | e << 7);
    const one = h + s1 + (e & f ^ ~e & g) + K[t] + W[t] | 0;
    const s0 = (a >>> 2 | a << 30) ^ (a >>> 13 | a << 19) ^ (a >>> 22 | a << 10);
    const two = s0 + (a & b ^ a & c ^ b & c) | 0;
    h = g;
    g = f;
    f = e;
    e = d + one | 0;
    d = c;
    c = b;
    b = a;
    a = one + two | 0;
  }
  return Math.clz32(H0[0] + a | 0);
}

form.addEventListener('submit', (event) => {
  if (form.elements.work.value) return;
  event.preventDefault();
  waits = true;
  button.disabled = true;
  button.textContent = moment;
});

let number = 0;
function search() {
  const end = performance.now() + 20;
  do {
    for (let n = 0; n < 200; n += 1) {
      if (zeros(number) >= bits) {
        form.elements.work.value = `${puzzle}:${number}`;
        if (waits) form.requestSubmit();
        return;
      }
      number += 1;
    }
  } while (performance.now() < end);
  setTimeout(search);
}
search();
