/**
 * SHA-256 of a short text, by hand (FIPS 180-4). Node's own module brings all ciphers and streams along: to load it takes longer
 * than what most commands do with it.
 */

const WORDS = 64;
const BLOCK_BYTES = 64;
/** The first 32 bits of the fractional part of a root. */
const fraction = (root: number): number => ((root - Math.floor(root)) * 2 ** 32) | 0;

/** What a digest starts with, and the number of each step: of the square and cube roots of the first primes. */
interface Tables {
  start: readonly number[];
  each: readonly number[];
}

let tables: Tables | undefined;
function constants(): Tables {
  if (tables !== undefined) return tables;
  const primes: number[] = [];
  for (let next = 2; primes.length < WORDS; next += 1) if (primes.every((prime) => next % prime !== 0)) primes.push(next);
  tables = {
    start: primes.slice(0, 8).map((prime) => fraction(Math.sqrt(prime))),
    each: primes.map((prime) => fraction(Math.cbrt(prime))),
  };
  return tables;
}

const turned = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

/** The digest of bytes, in hexadecimal. */
export function shortSha256(bytes: Uint8Array): string {
  const { start, each } = constants();
  const padded = new DataView(new ArrayBuffer(Math.ceil((bytes.length + 9) / BLOCK_BYTES) * BLOCK_BYTES));
  new Uint8Array(padded.buffer).set(bytes);
  padded.setUint8(bytes.length, 0x80);
  padded.setUint32(padded.byteLength - 4, bytes.length * 8);
  const state = Int32Array.from(start);
  const words = new Int32Array(WORDS);
  for (let at = 0; at < padded.byteLength; at += BLOCK_BYTES) {
    for (let i = 0; i < WORDS; i += 1) {
      if (i < 16) words[i] = padded.getInt32(at + i * 4);
      else {
        const before = words[i - 15] as number;
        const later = words[i - 2] as number;
        const low = turned(before, 7) ^ turned(before, 18) ^ (before >>> 3);
        const high = turned(later, 17) ^ turned(later, 19) ^ (later >>> 10);
        words[i] = (words[i - 16] as number) + low + (words[i - 7] as number) + high;
      }
    }
    let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
    for (let i = 0; i < WORDS; i += 1) {
      const mixed = (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g));
      const first = (h + mixed + (each[i] as number) + (words[i] as number)) | 0;
      const second = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g;
      g = f;
      f = e;
      e = (d + first) | 0;
      d = c;
      c = b;
      b = a;
      a = (first + second) | 0;
    }
    const ended = [a, b, c, d, e, f, g, h];
    for (let i = 0; i < ended.length; i += 1) state[i] = (state[i] as number) + (ended[i] as number);
  }
  return [...state].map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}
