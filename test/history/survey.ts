/**
 * A home's messages as the disk has them, read without Relay's own code: what is checked must not hang on what checks it.
 */
import fs from "node:fs";
import path from "node:path";

/** One message file of a thread. */
export interface Found {
  id: string;
  thread: string;
  from: string;
  to: string[];
  subject: string;
  body: string;
}

/** What lies in a home. */
export interface Survey {
  /** Every message file under `threads/`, in the order of the threads' names and then of the messages. */
  messages: Found[];
  /** The message ids in each part's `new/`. */
  unread: Map<string, string[]>;
  /** The message ids in each part's `read/`. */
  acked: Map<string, string[]>;
  /** The names in `local/pending/`. */
  pending: string[];
}

const MESSAGE_NAME = /^(\d+)-([0-9a-z]{14}(?:[0-9a-z]{11})?)\.md$/;

/** Reads everything. @param home absolute path of the `.relay` folder */
export function survey(home: string): Survey {
  const messages: Found[] = [];
  for (const day of list(home, "threads")) {
    for (const thread of list(home, `threads/${day}`)) {
      const names = list(home, `threads/${day}/${thread}`).filter((name) => MESSAGE_NAME.test(name));
      for (const name of names.sort(byNumber)) messages.push(readFound(path.join(home, "threads", day, thread, name)));
    }
  }
  const unread = new Map<string, string[]>();
  const acked = new Map<string, string[]>();
  for (const part of partsUnder(home, "")) {
    unread.set(part, list(home, `inbox/${part}/new`).map(idOf));
    const days = list(home, `inbox/${part}/read`);
    acked.set(
      part,
      days.flatMap((day) => list(home, `inbox/${part}/read/${day}`).map(idOf)),
    );
  }
  return { messages, unread, acked, pending: list(home, "local/pending") };
}

const idOf = (name: string): string => name.replace(/\.md$/, "");

function list(home: string, folder: string): string[] {
  try {
    return fs.readdirSync(path.join(home, folder)).sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

/** The order that SPEC.md gives a thread: by number, then by token. */
function byNumber(a: string, b: string): number {
  const [, m = "", left = ""] = MESSAGE_NAME.exec(a) ?? [];
  const [, n = "", right = ""] = MESSAGE_NAME.exec(b) ?? [];
  return Number(m) - Number(n) || (left < right ? -1 : left > right ? 1 : 0);
}

function partsUnder(home: string, prefix: string): string[] {
  return list(home, `inbox${prefix === "" ? "" : `/${prefix}`}`).flatMap((name) => {
    if (["new", "read"].includes(name) || name.endsWith(".md")) return [];
    const part = prefix === "" ? name : `${prefix}/${name}`;
    return [part, ...partsUnder(home, part)];
  });
}

/** Reads a message as Relay writes it: `key: <JSON>` lines between two `---`, then the body and one line break. */
function readFound(file: string): Found {
  const text = fs.readFileSync(file, "utf8");
  const close = text.indexOf("\n---\n", 3);
  if (!text.startsWith("---\n") || close === -1) throw new Error(`half a message: ${file}: ${JSON.stringify(text.slice(0, 200))}`);
  const header = Object.fromEntries(
    text
      .slice(4, close)
      .split("\n")
      .map((line) => [line.slice(0, line.indexOf(": ")), JSON.parse(line.slice(line.indexOf(": ") + 2))]),
  );
  const { id, thread, from, to, subject } = header;
  return { id, thread, from, to, subject, body: text.slice(close + 5).replace(/\n$/, "") };
}
