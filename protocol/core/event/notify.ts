/** Telling a person: the news, the ways to tell, and the words. Commands belong to this machine alone. spec/waking.md, "Telling a person". */
import { orElse } from "../format/file-error.ts";
import { isDevice } from "../names.ts";

/** What a person can be told of. */
export const NEWS = ["needs_human", "blocked", "task_done", "stuck", "unread", "session_ended"] as const;
/** What a person may be told of. */
export type NewsKind = (typeof NEWS)[number];

/** One thing to tell. What it says came from others: data, made plain by `fieldsOf` before anybody gets it. */
export interface News {
  /** `more` sums up what was over the budget; `test` is what `notify test` tells. */
  kind: NewsKind | "more" | "test";
  /** Of the message, the task, or the session; a task's for `stuck`, the part for `blocked`. */
  id: string;
  part: string;
  subject: string;
  /** When it happened by what it says itself, and when it was here; milliseconds since the epoch. */
  atMs: number;
  hereMs: number;
  /** Where it came from, in words, where not from here. */
  origin?: string | undefined;
}

/** How one person is told: by a program and its arguments, or by a POST to an address. */
export interface Notify {
  version: 1;
  name: string;
  on: NewsKind[];
  /** ISO 8601; what happened before is not told. */
  addedAt: string;
  /** Run without a shell, in the folder that it was added in. */
  command?: { argv: string[]; cwd: string } | undefined;
  url?: string | undefined;
}

/** Whether a text may name a notify: it becomes a file's name, also where case does not count. */
export const isNotifyName = (text: string): boolean => /^[a-z0-9][a-z0-9_-]{0,63}$/.test(text) && !isDevice(text);

/** The name of a notify that nobody named: of its program, or of the host. */
export function nameFor(words: readonly string[] | undefined, url: string | undefined): string {
  const from = url === undefined ? (words?.[0] ?? "").replace(/^.*[/\\]/, "") : new URL(url).hostname;
  const name = from
    .toLowerCase()
    .replace(/\.[a-z]{1,4}$/, "")
    .replace(/[^a-z0-9_-]+/g, "-")
    .replace(/^[-_]+/, "")
    .slice(0, 60);
  return isNotifyName(name) ? name : "notify";
}

/** What is wrong with the address of a webhook; null where nothing is. */
export function urlProblem(text: string): string | null {
  if (!URL.canParse(text)) return "it is not an address";
  const { protocol, hostname, username, password } = new URL(text);
  if (username !== "" || password !== "") return "it holds a name or a password";
  if (protocol === "https:") return null;
  const isLoopback = hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
  return protocol === "http:" && isLoopback ? null : "only https keeps the news from others, or http to this machine itself";
}

/** An address as it is shown: its path may be a secret. */
export function shownUrl(url: string): string {
  const { origin, pathname, search } = new URL(url);
  return pathname === "/" && search === "" ? origin : `${origin}/…`;
}

/** A notify from its text; null for a text that is none. */
export function parseNotify(text: string): Notify | null {
  return orElse(null, () => {
    const { version, name, on, addedAt, command, url } = JSON.parse(text) as Notify;
    const isCommand = command === undefined || (areWords(command.argv) && typeof command.cwd === "string");
    const isOne = (command === undefined) !== (url === undefined) && isCommand && (url === undefined || urlProblem(url) === null);
    const isSaid = version === 1 && isNotifyName(name) && Array.isArray(on) && on.every((kind) => NEWS.includes(kind));
    return isOne && isSaid && !Number.isNaN(Date.parse(addedAt)) ? { version, name, on, addedAt, command, url } : null;
  });
}

const areWords = (value: unknown): boolean => Array.isArray(value) && value.length > 0 && value.every((word) => typeof word === "string");

/** Characters of a subject that are told. */
const SUBJECT_LENGTH = 256;

/** Somebody's words on one line, without what acts on a terminal or is not seen. */
export function plainWords(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]+/gu, " ").trim();
  return line.length > SUBJECT_LENGTH ? `${line.slice(0, SUBJECT_LENGTH - 1).toWellFormed()}…` : line;
}

/** What is told, as one JSON object: the subject, and never a text. */
export function fieldsOf({ kind, id, part, subject, atMs, origin }: News, project: string): Record<string, string> {
  return {
    event: kind,
    subject: plainWords(subject),
    part: plainWords(part),
    id: plainWords(id),
    project: plainWords(project),
    at: new Date(atMs).toISOString(),
    ...(origin === undefined ? {} : { origin }),
  };
}

/** The same in the environment of a command. */
export const variablesOf = ({
  event = "",
  subject = "",
  part = "",
  id = "",
  project = "",
  origin = "",
}: Record<string, string>): Record<string, string> => ({
  RELAY_EVENT: event,
  RELAY_SUBJECT: subject,
  RELAY_PART: part,
  RELAY_ID: id,
  RELAY_PROJECT: project,
  RELAY_ORIGIN: origin,
});

/** Of one kind, and of all, in a rolling hour, for each notify. */
const MOST = { kind: 20, all: 60 };
/** Of it for what syncs brought, so that no push spends what is there to tell of this machine. */
const MOST_BROUGHT = { kind: 10, all: 30 };

/** One thing that was told: its kind, and whether a sync brought it. */
export interface Told {
  kind: string;
  isBrought: boolean;
}

/** Whether one more thing may be told. @param told what was within the last hour */
export function mayTell(told: readonly Told[], { kind, isBrought }: Told): boolean {
  const isWithin = (all: readonly Told[], most: typeof MOST): boolean =>
    all.length < most.all && all.filter((each) => each.kind === kind).length < most.kind;
  return (
    isWithin(told, MOST) &&
    (!isBrought ||
      isWithin(
        told.filter((each) => each.isBrought),
        MOST_BROUGHT,
      ))
  );
}
