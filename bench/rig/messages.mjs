/** Messages as SPEC.md describes their files, made without Relay: for homes of any size, and for bare baselines. */
import { createHash } from "node:crypto";

const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const BODY = 1_000;

/** A word in every message. */
export const COMMON = "morning";

/** Numbers and texts by chance, the same in every run. */
export function dice(seed) {
  let state = seed;
  const below = (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
  const text = (length) => Array.from({ length }, () => ALPHABET[below(32)]).join("");
  const words = Array.from({ length: 2_000 }, () => text(3 + below(8)).replace(/\d/g, "e"));
  return { below, text, word: () => words[below(words.length)] };
}

/**
 * One message of about a kilobyte, named by its text as a send names it.
 * @param place its thread's day (`yyyy-mm-dd`) and random characters, its number in it, and its time in milliseconds
 * @param end what its text ends with
 */
export function messageOf(random, { day, threadRandom, n, atMs }, from, to, length = BODY, end = "") {
  const compact = day.replaceAll("-", "");
  let body = COMMON;
  while (body.length < length) body += `${random.below(12) === 0 ? "\n" : " "}${random.word()}`;
  const said = {
    thread: `t-${compact}-${threadRandom}`,
    from,
    to,
    at: new Date(atMs).toISOString(),
    subject: `About ${random.word()}`,
    body: body + end,
  };
  const token = timeText(atMs) + hashTail(`---\n${headerOf(said)}---\n${said.body}\n`);
  return { id: `m-${compact}-${threadRandom}-${n}-${token}`, file: `${n}-${token}.md`, ...said };
}

/** The end of a token: the first 80 bits of a text's hash, four characters for each five hexadecimal digits. */
function hashTail(text) {
  const digest = createHash("sha256").update(text).digest("hex");
  let tail = "";
  for (let at = 0; at < 20; at += 5) {
    const bits = Number.parseInt(digest.slice(at, at + 5), 16);
    for (const shift of [15, 10, 5, 0]) tail += ALPHABET[(bits >> shift) % 32];
  }
  return tail;
}

/** Milliseconds as the nine characters at the head of a token. */
function timeText(ms) {
  let text = "";
  for (let rest = ms, place = 0; place < 9; place += 1, rest = Math.floor(rest / 32)) text = ALPHABET[rest % 32] + text;
  return text;
}

/** A message's file. */
export const messageText = ({ id, ...said }) => `---\n${header({ id })}${headerOf(said)}---\n${said.body}\n`;

const headerOf = ({ thread, from, to, at, subject }) => header({ thread, from, to, at, subject });

/** A thread's own file, from its first message. */
export function threadText({ thread, from, at, subject }) {
  return `---\n${header({ id: thread, subject, created_by: from, created_at: at })}---\n\n`;
}

function header(fields) {
  return Object.entries(fields)
    .map(
      ([key, value]) =>
        `${key}: ${Array.isArray(value) ? `[${value.map((item) => JSON.stringify(item)).join(", ")}]` : JSON.stringify(value)}\n`,
    )
    .join("");
}
