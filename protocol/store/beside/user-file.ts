/** Files of the user's outside of any home, such as an agent's settings: read, and replaced whole. spec/agents.md, "Setting up agents". */
import fs from "node:fs";
import path from "node:path";
import { orElse, quietly } from "../../core/format/file-error.ts";
import { refuse } from "../../core/refusal.ts";
import { sha256 } from "../digest.ts";
import { held } from "../held.ts";
import { thisThread } from "../process.ts";
import { readPlain } from "../read/plain-file.ts";
import { linesFrom } from "../read/read-lines.ts";
import { errorCode, makeAt } from "../root.ts";

const ANY_BYTES = 16 * 1_048_576;
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** How the name of what an earlier text is kept under ends, beside the file. */
export const BACKUP = ".relay-backup";

/** The text of a file; null when it is not there. @throws Refusal `malformed_file` for what is no text */
export const readUserFile = (file: string): string | null => textIn(file, file, true);

/** The same by a path that is good for a moment, told by its own. @param follows whether a link counts as the file that it leads to */
function textIn(file: string, named: string, follows: boolean): string | null {
  const stat = (follows ? fs.statSync : fs.lstatSync)(file, { throwIfNoEntry: false });
  const problem = (text: string): Error => refuse("malformed_file", { path: named, problem: text });
  if (stat === undefined) {
    if (fs.lstatSync(file, { throwIfNoEntry: false }) !== undefined) throw problem("a link that leads nowhere");
    return null;
  }
  if (!stat.isFile()) throw problem("expected a plain file");
  if (stat.size > ANY_BYTES) throw problem(`expected at most ${ANY_BYTES} bytes, it has ${stat.size}`);
  const bytes = readPlain(file, follows ? 0 : (fs.constants.O_NOFOLLOW ?? 0));
  try {
    return decoder.decode(bytes);
  } catch {
    throw problem("expected UTF-8 text, it has other bytes");
  }
}

/**
 * The text of a file of a project, of no other one that a link laid meanwhile leads to; null when it is not there.
 * @param relative path of the file in it
 * @throws Refusal `through_link`, `malformed_file`
 */
export function readProjectFile(top: string, relative: string): string | null {
  refuseLinked(top, relative);
  const root = fs.realpathSync.native(top);
  const refusal = (target: string): Error => refuse("through_link", { path: relative, link: path.dirname(relative), target });
  try {
    return held(root, path.join(root, relative), (own) => textIn(own, path.join(top, relative), false), refusal);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return null;
    throw error;
  }
}

/** The first bytes of a file, as text; null where it cannot be read. */
export const beginningOf = (file: string, bytes: number): string | null => pieceOf(file, bytes, () => 0);

/** The last bytes of a file, as text; null where it cannot be read. */
export const endOf = (file: string, bytes: number): string | null => pieceOf(file, bytes, (size) => Math.max(0, size - bytes));

function pieceOf(file: string, bytes: number, from: (size: number) => number): string | null {
  try {
    const descriptor = fs.openSync(file, fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0));
    try {
      const buffer = Buffer.alloc(bytes);
      return buffer.toString("utf8", 0, fs.readSync(descriptor, buffer, 0, bytes, from(fs.fstatSync(descriptor).size)));
    } finally {
      fs.closeSync(descriptor);
    }
  } catch {
    return null;
  }
}

/** What to read on of a file that only grows. */
export interface Grown {
  lines: string[];
  /** The byte at which this reading began: 0 where the file is another one now. */
  from: number;
  /** The byte at which to go on. */
  next: number;
  /** A digest of the first bytes and of the last ones before `next`: whoever goes on checks that they still stand there. */
  before: string;
}

/** So many bytes at the beginning, and as many before a place, say that a file is the one that was read before. */
const SAME_BYTES = 4_096;

/** Bytes of a last line without its end that is looked at. */
const LAST_LINE = 1_048_576;

/**
 * Reads on in a file of the user's that only grows, up to its last whole line, about 64 MB at a time. One that was replaced, or cut, is
 * read from its beginning.
 * @param file absolute path
 * @param from where the last reading ended, with what stood before it there
 * @returns null where it cannot be read, or is no plain file
 */
export function readGrown(file: string, from: Pick<Grown, "next" | "before">): Grown | null {
  let descriptor: number;
  try {
    descriptor = fs.openSync(file, fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0));
  } catch {
    return null;
  }
  try {
    const stat = fs.fstatSync(descriptor);
    if (!stat.isFile()) return null;
    const before = (end: number): string => {
      const length = Math.min(SAME_BYTES, end);
      const pieces = [0, end - length].map((at) => {
        const piece = Buffer.alloc(length);
        return piece.subarray(0, fs.readSync(descriptor, piece, 0, length, at));
      });
      return sha256(Buffer.concat(pieces));
    };
    const begin = from.next <= stat.size && before(from.next) === from.before ? from.next : 0;
    const { lines, next: end } = linesFrom(descriptor, stat.size, begin);
    // A program that ends may leave out the end of its last line.
    const rest = Buffer.alloc(Math.min(stat.size - end, LAST_LINE));
    const last = rest.toString("utf8", 0, fs.readSync(descriptor, rest, 0, rest.length, end));
    const isWhole = end + rest.length === stat.size && orElse(null, () => JSON.parse(last) as unknown) !== null;
    const next = isWhole ? stat.size : end;
    return { lines: isWhole ? [...lines, last] : lines, from: begin, next, before: before(next) };
  } catch {
    return null;
  } finally {
    fs.closeSync(descriptor);
  }
}

/**
 * Refuses a file of a project that is a link, or lies below one: it may have come with the code, and lead anywhere.
 * @param top absolute path of the project
 * @param relative path of the file in it
 * @throws Refusal `through_link`
 */
export function refuseLinked(top: string, relative: string): void {
  const segments = relative.split("/");
  for (let count = 1; count <= segments.length; count += 1) {
    const link = segments.slice(0, count).join("/");
    const at = path.join(top, link);
    // Below a plain file there is nothing.
    if (orElse(undefined, () => fs.lstatSync(at, { throwIfNoEntry: false }))?.isSymbolicLink() !== true) continue;
    throw refuse("through_link", { path: relative, link, target: fs.readlinkSync(at) });
  }
}

/**
 * Replaces a file whole, through a link and with its mode; the earlier text is kept beside it, under a name that is free. What is
 * kept is the user's from then on: it is never replaced nor removed.
 * @param before what was read; null where there was no file
 * @param after null removes the file
 * @param isKept whether what an earlier backup has makes another needless; null where the earlier text was nobody's but Relay's
 * @param top of the project whose file it is: no link leads out of that; null of one of the user's own
 * @throws Refusal `busy` when the file is no longer as it was read, `through_link`; nothing was written then
 */
export function replaceUserFile(
  file: string,
  before: string | null,
  after: string | null,
  isKept: ((backup: string) => boolean) | null,
  top: string | null,
): void {
  const replace = (target: string): void => {
    const mode = before === null ? undefined : fs.lstatSync(target, { throwIfNoEntry: false })?.mode;
    if (textIn(target, file, false) !== before) throw refuse("busy", { path: file });
    const rights = mode === undefined ? undefined : mode & 0o7777;
    if (before !== null && isKept !== null) keep(target, before, rights, isKept);
    if (after === null) fs.unlinkSync(target);
    else write(target, after, rights);
  };
  if (top !== null) return void inProject(top, file, replace);
  const target = before === null ? file : fs.realpathSync.native(file);
  makeAt(path.dirname(target));
  replace(target);
}

/**
 * Runs a step on a file of a project, whose folder is made if need be and held open, so that no link laid meanwhile leads out of the project.
 * @throws Refusal `through_link`
 */
export function inProject<T>(top: string, file: string, step: (file: string) => T): T {
  const link = path.relative(top, path.dirname(file));
  const refusal = (target: string): Error => refuse("through_link", { path: path.relative(top, file), link, target });
  const root = fs.realpathSync.native(top);
  makeAt(path.join(root, link), root, refusal);
  return held(root, path.join(root, link, path.basename(file)), step, refusal);
}

function keep(target: string, text: string, mode: number | undefined, isKept: (backup: string) => boolean): void {
  for (let count = 1; ; count += 1) {
    const backup = `${target}${count === 1 ? "" : `.${count}`}${BACKUP}`;
    const stat = fs.lstatSync(backup, { throwIfNoEntry: false });
    if (stat?.isFile() === true && isKept(textOf(backup))) return;
    if (stat !== undefined) continue;
    write(backup, text, mode);
    return;
  }
}

/** What a file says; nothing where it cannot be read as text. */
const textOf = (file: string): string => orElse("", () => readUserFile(file) ?? "");

/** Removes a folder of a project that holds nothing; another is left. */
export function removeIfEmpty(top: string, folder: string): void {
  const root = fs.realpathSync.native(top);
  // It stays where it holds something.
  quietly(() => held(root, path.join(root, folder), (own) => fs.rmdirSync(own)));
}

function write(target: string, text: string, mode: number | undefined): void {
  const aside = `${target}.${thisThread()}.tmp`;
  const descriptor = fs.openSync(aside, "wx", mode ?? 0o666);
  try {
    if (mode !== undefined) fs.fchmodSync(descriptor, mode);
    fs.writeFileSync(descriptor, text);
    fs.fsyncSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
  try {
    fs.renameSync(aside, target);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") fs.rmSync(aside, { force: true });
    throw error;
  }
}
