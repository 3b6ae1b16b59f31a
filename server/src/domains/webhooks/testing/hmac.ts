/**
 * HMAC-SHA-256 implemented from FIPS 180-4 and RFC 2104, so that signatures are not verified with the library that
 * created them.
 */

const BLOCK_BYTES = 64;
const PRIMES = firstPrimes(64);
const K = PRIMES.map((prime) => fractionOf(Math.cbrt(prime)));
const INITIAL = PRIMES.slice(0, 8).map((prime) => fractionOf(Math.sqrt(prime)));

/** RFC 2104: H(K xor opad, H(K xor ipad, text)). */
export function hmacSha256(key: Uint8Array, text: Uint8Array): Uint8Array {
  const block = new Uint8Array(BLOCK_BYTES);
  block.set(key.length > BLOCK_BYTES ? sha256(key) : key);
  const inner = sha256(joined(xored(block, 0x36), text));
  return sha256(joined(xored(block, 0x5c), inner));
}

/** FIPS 180-4, 6.2. */
export function sha256(message: Uint8Array): Uint8Array {
  const padded = new Uint8Array(Math.ceil((message.length + 9) / BLOCK_BYTES) * BLOCK_BYTES);
  padded.set(message);
  padded[message.length] = 0x80;
  new DataView(padded.buffer).setBigUint64(padded.length - 8, BigInt(message.length) * 8n);
  let state = INITIAL;
  for (let at = 0; at < padded.length; at += BLOCK_BYTES) {
    state = compressed(state, new DataView(padded.buffer, at, BLOCK_BYTES));
  }
  const digest = new DataView(new ArrayBuffer(32));
  for (const [index, word] of state.entries()) digest.setUint32(index * 4, word);
  return new Uint8Array(digest.buffer);
}

function compressed(state: readonly number[], block: DataView): number[] {
  const w = Array.from({ length: 16 }, (_, t) => block.getUint32(t * 4));
  for (let t = 16; t < 64; t += 1)
    w.push(sum(small1(w.at(-2)), w.at(-7), small0(w.at(-15)), w.at(-16)));
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let t = 0; t < 64; t += 1) {
    const first = sum(h, large1(e), (e & f) ^ (~e & g), K[t], w[t]);
    const second = sum(large0(a), (a & b) ^ (a & c) ^ (b & c));
    [a, b, c, d, e, f, g, h] = [sum(first, second), a, b, c, sum(d, first), e, f, g];
  }
  return [a, b, c, d, e, f, g, h].map((word, index) => sum(word, state[index]));
}

const large0 = (x = 0): number => turned(x, 2) ^ turned(x, 13) ^ turned(x, 22);
const large1 = (x = 0): number => turned(x, 6) ^ turned(x, 11) ^ turned(x, 25);
const small0 = (x = 0): number => turned(x, 7) ^ turned(x, 18) ^ (x >>> 3);
const small1 = (x = 0): number => turned(x, 17) ^ turned(x, 19) ^ (x >>> 10);

function turned(x: number, bits: number): number {
  return (x >>> bits) | (x << (32 - bits));
}

function sum(...words: (number | undefined)[]): number {
  return words.reduce<number>((total, word = 0) => (total + word) >>> 0, 0);
}

/** The first 32 bits of a number's fractional part. */
function fractionOf(root: number): number {
  return Math.floor((root - Math.floor(root)) * 2 ** 32);
}

function firstPrimes(count: number): number[] {
  const primes: number[] = [];
  for (let n = 2; primes.length < count; n += 1) {
    if (primes.every((prime) => n % prime !== 0)) primes.push(n);
  }
  return primes;
}

function xored(block: Uint8Array, pad: number): Uint8Array {
  return block.map((byte) => byte ^ pad);
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  return new Uint8Array([...first, ...second]);
}
