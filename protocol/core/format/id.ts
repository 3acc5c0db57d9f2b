/**
 * Ids of threads and messages. An id says where its file lies; SPEC.md, "Ids".
 *
 * A message cannot change: the token in its id ends in a hash of its file, so that another text does not fit the name. What is
 * hashed is the file without its second line, which is `id: "<id>"` and nothing else: so every byte of the file follows from the
 * name.
 */

/** The SHA-256 of a text (as UTF-8), in hexadecimal. It is given by the caller: nothing here asks the system. */
export type Digest = (text: string) => string;

/** Crockford's base 32 in lower case: no i, l, o, u, so that nobody misreads one, and no two ids differ only in case. */
export const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

const RANDOM = "[0-9a-hjkmnp-tv-z]";
const THREAD = new RegExp(`^t-(\\d{4})(\\d{2})(\\d{2})-(${RANDOM}{8})$`);
/** A token of 14 characters is an old one; one of 25 ends in the hash of its message. */
const TOKEN = `${RANDOM}{14}(?:${RANDOM}{11})?`;
const IN_THREAD = new RegExp(`^([1-9]\\d{0,8})-(${TOKEN})$`);
const MESSAGE = new RegExp(`^m-(\\d{4})(\\d{2})(\\d{2})-(${RANDOM}{8})-([1-9]\\d{0,8})-(${TOKEN})$`);
const SHORT = new RegExp(`^(${RANDOM}{8})(?:-([1-9]\\d{0,8}))?$`);

/** Characters of the time at the head of a message's token: 45 bits of milliseconds. */
const TIME_LENGTH = 9;
/** Random characters at the end of an old token. */
export const TOKEN_RANDOM = 5;
/** Characters of the hash at the end of a token: 80 bits. */
const TOKEN_HASH = 16;
/** The highest number that a message can have. */
export const NUMBER_MOST = 999_999_999;
/** Random characters of a thread id. */
export const THREAD_RANDOM = 8;

/** What a thread id says. `day` is `yyyy-mm-dd` (UTC), the day the thread began. */
export interface ThreadLocation {
  day: string;
  random: string;
}

/** What a message id says. `n` is its Lamport number in the thread; `token` begins with its time. */
export interface MessageLocation extends ThreadLocation {
  n: number;
  token: string;
}

/** The last instant that the time in an id can say, in milliseconds since the epoch. */
export const LAST_MS = 32 ** TIME_LENGTH - 1;

/** Milliseconds since the epoch as nine base-32 characters that sort as the numbers do. */
export function encodeTime(ms: number): string {
  let rest = Math.max(0, Math.floor(ms));
  let text = "";
  for (let place = 0; place < TIME_LENGTH; place += 1) {
    text = ALPHABET.charAt(rest % 32) + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

/** The inverse of `encodeTime`, read from the head of a token. Milliseconds since the epoch. */
export function decodeTime(token: string): number {
  let ms = 0;
  for (const character of token.slice(0, TIME_LENGTH)) ms = ms * 32 + ALPHABET.indexOf(character);
  return ms;
}

/** The time in the id of a message, as text that sorts as the times do; null of what has none. */
export function timeTextOf(id: string): string | null {
  const time = id.slice(id.lastIndexOf("-") + 1, id.lastIndexOf("-") + 1 + TIME_LENGTH);
  return id.startsWith("m-") && time.length === TIME_LENGTH ? time : null;
}

/** Whether a token ends in the hash of its message, so that nothing else may lie under it. */
export const isSealed = (token: string): boolean => token.length === TIME_LENGTH + TOKEN_HASH;

/** The characters of a token that tell it from others of its millisecond: the hash, or the dice. */
export const tailOf = (token: string): string => token.slice(TIME_LENGTH);

/** The end of a token. @param sha256 a digest in hexadecimal, of which the first 80 bits count */
export function hashTail(sha256: string): string {
  let text = "";
  for (let place = 0; place < TOKEN_HASH; place += 4) {
    // Five hexadecimal digits are four characters of base 32.
    let bits = Number.parseInt(sha256.slice((place * 5) / 4, (place * 5) / 4 + 5), 16);
    let four = "";
    for (let each = 0; each < 4; each += 1) {
      four = ALPHABET.charAt(bits % 32) + four;
      bits = Math.floor(bits / 32);
    }
    text += four;
  }
  return text;
}

/** The UTC day of an instant, `yyyy-mm-dd`. */
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** `t-<yyyymmdd>-<random>`. */
export const threadId = (location: ThreadLocation): string => `t-${location.day.replaceAll("-", "")}-${location.random}`;

/** `m-<yyyymmdd>-<random of the thread>-<n>-<token>`. */
export const messageId = (location: MessageLocation): string =>
  `m-${location.day.replaceAll("-", "")}-${location.random}-${location.n}-${location.token}`;

/** The inverse of `threadId`; null when the text is not one. */
export function parseThreadId(text: string): ThreadLocation | null {
  const match = THREAD.exec(text);
  if (match === null) return null;
  const [, year, month, day, random] = match as unknown as [string, string, string, string, string];
  return isDay(year, month, day) ? { day: `${year}-${month}-${day}`, random } : null;
}

/** The inverse of `messageId`; null when the text is not one. */
export function parseMessageId(text: string): MessageLocation | null {
  const match = MESSAGE.exec(text);
  if (match === null) return null;
  const [, year, month, day, random, n, token] = match as unknown as string[] & { length: 7 };
  if (!isDay(year as string, month as string, day as string)) return null;
  return { day: `${year}-${month}-${day}`, random: random as string, n: Number(n), token: token as string };
}

/**
 * The shortest names of some ids that stand next to each other: of a thread its random characters, of a message these and its
 * number, as long as it fits no other of them. A text that is not an id stays as it is.
 */
export function shortNames(ids: Iterable<string>): (id: string) => string {
  const shorts = new Map<string, string>();
  const meant = new Map<string, string | null>();
  for (const id of ids) {
    if (shorts.has(id)) continue;
    const short = shortName(id);
    shorts.set(id, short);
    meant.set(short, meant.has(short) ? null : id);
  }
  return (id) => {
    const short = shorts.get(id) ?? shortName(id);
    return meant.get(short) === null ? id : short;
  };
}

/** The name of a thread or a message that people type, where no other one has it; any other text as it is. */
export function shortName(id: string): string {
  const message = parseMessageId(id);
  return message === null ? (parseThreadId(id)?.random ?? id) : `${message.random}-${message.n}`;
}

/** What a short name says; null when the text is not one. `n` is null in that of a thread. */
export function parseShortName(text: string): { random: string; n: number | null } | null {
  const match = SHORT.exec(text);
  return match === null ? null : { random: match[1] as string, n: match[2] === undefined ? null : Number(match[2]) };
}

/** Reads what is left of a message's id inside its thread, `<n>-<token>`; null when the text is not that. */
export function parseInThread(thread: ThreadLocation, text: string): MessageLocation | null {
  const match = IN_THREAD.exec(text);
  return match === null ? null : { day: thread.day, random: thread.random, n: Number(match[1]), token: match[2] as string };
}

/** Order of messages in a thread: by `n`, then by token; the same for every reader, whatever the clocks. */
export const compareInThread = (a: MessageLocation, b: MessageLocation): number =>
  a.n - b.n || (a.token < b.token ? -1 : a.token > b.token ? 1 : 0);

const DAY_MS = 86_400_000;
/** The first time that is to come, as the head of a token has it, and when that was reckoned. */
let ahead = { atMs: Number.NaN, time: "" };
const RECKONED_MS = 60_000;

/** Whether a token says a time that is more than a day ahead of this machine's clock: it is wrong, or made up. */
export function isAhead(token: string): boolean {
  const nowMs = Date.now();
  if (!(Math.abs(nowMs - ahead.atMs) < RECKONED_MS)) ahead = { atMs: nowMs, time: encodeTime(nowMs + DAY_MS) };
  return token >= ahead.time;
}

/**
 * Text by which a message sorts among the newest: its token. So that none stays on top for ever, one of a time to come is as of the end of
 * its thread's day, and where that is to come too, behind all others.
 */
export function newestKey({ day, token }: Pick<MessageLocation, "day" | "token">): string {
  if (!isAhead(token)) return token;
  const end = encodeTime(Date.parse(day) + DAY_MS - 1) + tailOf(token);
  return isAhead(end) ? ` ${token}` : end;
}

function keyOf(id: string): string {
  const token = id.slice(id.lastIndexOf("-") + 1);
  return isAhead(token) ? newestKey({ day: `${id.slice(2, 6)}-${id.slice(6, 8)}-${id.slice(8, 10)}`, token }) : token;
}

/** Newest first over threads, by the time in the token, then by id: only for showing. A time to come counts as `newestKey` says. */
export function compareNewest(a: string, b: string): number {
  const left = keyOf(a);
  const right = keyOf(b);
  if (left !== right) return left < right ? 1 : -1;
  return a < b ? 1 : a > b ? -1 : 0;
}

const isDay = (year: string, month: string, day: string): boolean =>
  Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= 31 && year >= "1970";

const FIRST_LINE = "---\n";

/** The line of a message's file that its hash leaves out. */
const idLine = (id: string): string => `id: "${id}"\n`;

/**
 * The token of a message that is written.
 * @param unnamed its file without the line of its id
 * @param ms when it is written, in milliseconds since the epoch
 */
export const sealedToken = (unnamed: string, ms: number, digest: Digest): string => encodeTime(ms) + hashTail(digest(unnamed));

/** A message's file, from what its token hashes: the line of the id is put in. */
export const withId = (unnamed: string, id: string): string => FIRST_LINE + idLine(id) + unnamed.slice(FIRST_LINE.length);

/** The id that the second line of a message's file says; null where it says none. */
export const idIn = (source: string): string | null => /^---\nid: "([^"\n]*)"\n/.exec(source)?.[1] ?? null;

/** What a file's token hashes; null where the second line is not that of the id. */
function withoutId(source: string, id: string): string | null {
  const head = FIRST_LINE + idLine(id);
  return source.startsWith(head) ? FIRST_LINE + source.slice(head.length) : null;
}

/** Says why a text cannot be the message of a name; null where it can. An old token says nothing of its text. */
export function sealProblem(source: string, location: MessageLocation, digest: Digest): string | null {
  if (!isSealed(location.token) || fits(source, location, digest)) return null;
  const lines =
    source.includes("\r\n") && fits(source.replaceAll("\r\n", "\n"), location, digest) ? " (its line ends were changed to CRLF)" : "";
  return `its text does not match its name${lines}`;
}

function fits(source: string, location: MessageLocation, digest: Digest): boolean {
  const unnamed = withoutId(source, messageId(location));
  return unnamed !== null && hashTail(digest(unnamed)) === tailOf(location.token);
}

/** The piece of an id that names a task or a review: its first characters after the word. */
const PIECE = 4;

export const shortOf = (id: string): string => id.replace(/^(task|review)-/, "").slice(0, PIECE);

/** A text in which each id of a task or a review is its piece. */
export const withShortIds = (text: string): string => text.replace(/\b(?:task|review)-[0-9a-z]{10}\b/g, shortOf);
