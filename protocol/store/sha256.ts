/**
 * SHA-256 of a short text, by hand (FIPS 180-4). Node's own module brings all ciphers and streams along: to load it takes longer
 * than what most commands do with it. Each step is written out, because most of them run before V8 has optimized anything.
 */

const WORDS = 64;
const BLOCK_BYTES = 64;

/** What a digest starts with: the fractional parts of the square roots of the first primes, 32 bits of each. */
// biome-ignore format: a table
const START = [
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
];

/** The number of each step: the same of their cube roots. */
// biome-ignore format: a table
const STEPS = Int32Array.of(
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
);

/** The digest of bytes, in hexadecimal. */
export function shortSha256(bytes: Uint8Array): string {
  const padded = new DataView(new ArrayBuffer(Math.ceil((bytes.length + 9) / BLOCK_BYTES) * BLOCK_BYTES));
  new Uint8Array(padded.buffer).set(bytes);
  padded.setUint8(bytes.length, 0x80);
  padded.setUint32(padded.byteLength - 4, bytes.length * 8);
  const state = Int32Array.from(START);
  const words = new Int32Array(WORDS);
  for (let at = 0; at < padded.byteLength; at += BLOCK_BYTES) addBlock(state, words, padded, at);
  return [...state].map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}

/** Takes a block into the state. @param words room for its words */
function addBlock(state: Int32Array, words: Int32Array, block: DataView, at: number): void {
  for (let i = 0; i < 16; i += 1) words[i] = block.getInt32(at + i * 4);
  for (let i = 16; i < WORDS; i += 1) {
    const before = words[i - 15] as number;
    const later = words[i - 2] as number;
    const low = ((before >>> 7) | (before << 25)) ^ ((before >>> 18) | (before << 14)) ^ (before >>> 3);
    const high = ((later >>> 17) | (later << 15)) ^ ((later >>> 19) | (later << 13)) ^ (later >>> 10);
    // Each sum is made 32 bits at once: until V8 has optimized this, a larger number is an object.
    words[i] = ((((words[i - 16] as number) + low) | 0) + (((words[i - 7] as number) + high) | 0)) | 0;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let i = 0; i < WORDS; i += 1) {
    const turnedE = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const step = ((STEPS[i] as number) + (words[i] as number)) | 0;
    const chosen = (((e & f) ^ (~e & g)) + step) | 0;
    const first = (((h + turnedE) | 0) + chosen) | 0;
    const turnedA = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    const majority = (a & b) ^ (a & c) ^ (b & c);
    c = b;
    b = a;
    a = (first + ((turnedA + majority) | 0)) | 0;
  }
  const ended = [a, b, c, d, e, f, g, h];
  for (let i = 0; i < ended.length; i += 1) state[i] = (state[i] as number) + (ended[i] as number);
}
