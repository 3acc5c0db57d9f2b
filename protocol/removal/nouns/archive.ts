/** Archives of closed threads. spec/removal.md, "Archive". */
import { addTo } from "../../core/format/append.ts";
import { FileError, orElse } from "../../core/format/file-error.ts";
import { type Digest, messageId, parseMessageId, parseThreadId, type ThreadLocation, threadId } from "../../core/format/id.ts";
import { partProblem } from "../../core/names.ts";
import { besideOf } from "../../core/noun/merge-tree.ts";
import { keyInThread, threadFolder } from "../../mail/nouns/message.ts";
import { readPath } from "../../mail/nouns/part.ts";
import { threadPath } from "../../mail/nouns/thread.ts";

/** What an archive holds: path in the home → text. */
export type ArchivedFiles = ReadonlyMap<string, string>;

/** The folder of archives. */
export const ARCHIVE_FOLDER = "archive";
/** So many archives one thread can have: each time that it was opened again since takes another one. */
export const ARCHIVES_MOST = 999;

/** Where the archive of a thread lies. @param number 1 for the first */
export const archivePath = (location: ThreadLocation, number = 1): string =>
  `${ARCHIVE_FOLDER}/${location.day.slice(0, 7)}/${threadId(location)}${number === 1 ? "" : `.${number}`}.md`;

/** The archives of a thread, in the order of their numbers: one counts where all before it are there. */
export function archivesOf(location: ThreadLocation, has: (path: string) => boolean): string[] {
  const paths: string[] = [];
  while (paths.length < ARCHIVES_MOST && has(archivePath(location, paths.length + 1))) paths.push(archivePath(location, paths.length + 1));
  return paths;
}

/** The inverse of `archivePath`; null for any other path. */
export function locateArchive(path: string): { key: ThreadLocation; number: number } | null {
  const [, id = "", digits = "1"] = /^archive\/\d{4}-\d\d\/(t-[^/.]+)(?:\.([1-9]\d{0,2}))?\.md$/.exec(path) ?? [];
  const location = parseThreadId(id);
  const found = location === null ? null : { key: location, number: Number(digits) };
  return found !== null && archivePath(found.key, found.number) === path ? found : null;
}

/** The thread whose archive may hold a path: of its folder, or an ack of one of its messages. Null for any other path. */
export function threadOfArchived(path: string): ThreadLocation | null {
  const [, part = "", day = "", id = ""] = /^inbox\/(.+)\/read\/([^/]+)\/([^/]+)\.md$/.exec(path) ?? [];
  if (part !== "") {
    const location = parseMessageId(id);
    if (location === null || partProblem(part) !== null || readPath(part, messageId(location), day) !== path || location.day !== day)
      return null;
    return { day: location.day, random: location.random };
  }
  const [, folder = "", name = ""] = /^threads\/[^/]+\/([^/]+)\/([^/]+)$/.exec(path) ?? [];
  const location = parseThreadId(folder);
  if (location === null || `${threadFolder(location)}/${name}` !== path) return null;
  const of = besideOf(name).replace(/(?<=\.md)\.sig$/, "");
  return of === "thread.md" || keyInThread(location, of) !== null ? location : null;
}

/** Texts in the order in which an archive has them: the thread, its messages by number, what lies beside; acks last. */
function orderOf(path: string, location: ThreadLocation): string {
  if (path === threadPath(location)) return "0";
  if (path.startsWith("inbox/")) return `3 ${path}`;
  const message = keyInThread(location, path.slice(path.lastIndexOf("/") + 1));
  return message === null ? `2 ${path}` : `1 ${String(message.n).padStart(9, "0")} ${path}`;
}

/** Writes an archive. The law `parseArchive(formatArchive(files)) = files` holds for all files that it may hold. */
export function formatArchive(location: ThreadLocation, files: ArchivedFiles, digest: Digest): string {
  const order = [...files.keys()].map((path) => [orderOf(path, location), path] as const).sort(([a], [b]) => (a < b ? -1 : 1));
  const places = new Map<string, string[]>();
  for (const [, path] of order) {
    const text = files.get(path) as string;
    addTo(places, text, path);
  }
  const sections = [...places].map(([text, [path, ...also]]) => {
    const facts = [`- lines: ${linesIn(text)}`, `- sha256: ${digest(text)}`, ...also.map((other) => `- also: ${other}`)];
    return `\n## ${path}\n\n${facts.join("\n")}\n\n${text}\n`;
  });
  const body = sections.join("");
  return `---\nthread: "${threadId(location)}"\nfiles: ${files.size}\nsha256: "${digest(body)}"\n---\n${body}`;
}

/** How many lines a text takes, with the line break that is put after it: nothing in it can end its section. */
function linesIn(text: string): number {
  let count = 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}

/**
 * Reads an archive.
 * @param location the thread that its path names
 * @throws FileError with the line: where it is not as `formatArchive` writes it, a text does not fit its hash, or it names
 *   a file that is not the thread's
 */
export function parseArchive(source: string, location: ThreadLocation, digest: Digest): Map<string, string> {
  const files = new Map<string, string>();
  let at = 0;
  let line = 1;
  const fail = (problem: string): never => {
    throw new FileError(problem, line);
  };
  const next = (expected: RegExp): string => {
    const end = source.indexOf("\n", at);
    const text = end === -1 ? source.slice(at) : source.slice(at, end);
    const match = end === -1 ? null : expected.exec(text);
    if (match === null) return fail(`expected a line such as ${expected.source}, it is ${JSON.stringify(text.slice(0, 80))}`);
    [at, line] = [end + 1, line + 1];
    return match[1] ?? "";
  };
  next(/^---$/);
  if (next(/^thread: "(t-[0-9a-z-]+)"$/) !== threadId(location)) fail("the thread and the path disagree");
  const count = Number(next(/^files: ([1-9]\d{0,6})$/));
  const whole = next(/^sha256: "([0-9a-f]{64})"$/);
  next(/^---$/);
  if (digest(source.slice(at)) !== whole) fail("what follows does not fit its sha256");
  while (at < source.length) {
    next(/^$/);
    const paths = [next(/^## (\S+)$/)];
    next(/^$/);
    const lines = Number(next(/^- lines: ([1-9]\d{0,8})$/));
    const hash = next(/^- sha256: ([0-9a-f]{64})$/);
    while (source.startsWith("- also: ", at)) paths.push(next(/^- also: (\S+)$/));
    next(/^$/);
    let end = at - 1;
    for (let left = lines; left > 0; left -= 1) {
      end = source.indexOf("\n", end + 1);
      if (end === -1) return fail(`expected ${lines} lines, the file ends before`);
    }
    const text = source.slice(at, end);
    if (digest(text) !== hash) fail("the text does not fit its sha256");
    for (const path of paths) {
      const of = threadOfArchived(path);
      if (of === null || threadId(of) !== threadId(location)) fail(`${JSON.stringify(path.slice(0, 80))} is not a file of the thread`);
      if (files.has(path)) fail(`${path} is listed twice`);
      files.set(path, text);
    }
    [at, line] = [end + 1, line + lines];
  }
  if (files.size !== count) fail(`expected ${count} files, there are ${files.size}`);
  if (formatArchive(location, files, digest) !== source) fail("it is not in the order in which archives are written");
  return files;
}

/** What an archive holds; null where it cannot be read. */
export const readArchive = (source: string | null, location: ThreadLocation, digest: Digest): Map<string, string> | null =>
  orElse(null, () => (source === null ? null : parseArchive(source, location, digest)));

/** What several archives of a thread say together, the first one first: what was written once stays as the first has it. */
export function joinedArchives(location: ThreadLocation, archives: readonly ArchivedFiles[]): Map<string, string> {
  const files = new Map<string, string>();
  for (const archive of archives)
    for (const [path, text] of archive) if (path === threadPath(location) || !files.has(path)) files.set(path, text);
  return files;
}
