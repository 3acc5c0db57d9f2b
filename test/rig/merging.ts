/** Homes in memory, as trees of contents, and the acts of parts on them: what the merge is tried on. */
import { createHash } from "node:crypto";
import { artifactFolderName, artifactId, formatArtifact, recordName, versionOf } from "../../protocol/board/nouns/artifact.ts";
import { type ClaimRecord, claimFolder, claimPath, fenceOf, formatClaim, parseClaim } from "../../protocol/board/nouns/claim.ts";
import { agentMemoryPath, MEMORY_PATH, withEntry, withSection } from "../../protocol/board/nouns/memory.ts";
import { formatResult, formatReview, resultPath, reviewId, reviewPath } from "../../protocol/board/nouns/review.ts";
import { endedPath, formatSession, sessionPath, summaryPath, summaryVersionPath } from "../../protocol/board/nouns/session.ts";
import { afterClaim, changed, formatTask, PRIORITIES, parseTask, type Task, taskId, taskPath } from "../../protocol/board/nouns/task.ts";
import { editConfig, parseConfig } from "../../protocol/core/config/config.ts";
import { CONFIG_PATH } from "../../protocol/core/config/config-schema.ts";
import { eventId, eventPath } from "../../protocol/core/event/event.ts";
import {
  dayOf,
  encodeTime,
  type MessageLocation,
  messageId,
  parseMessageId,
  parseThreadId,
  type ThreadLocation,
  threadId,
} from "../../protocol/core/format/id.ts";
import { formatMessage, locateMessage, type Message, messagePath, parseMessage, threadFolder } from "../../protocol/mail/nouns/message.ts";
import { readPath, unreadPath } from "../../protocol/mail/nouns/part.ts";
import { formatGuest, guestPath } from "../../protocol/mail/nouns/part-nouns.ts";
import { formatThread, parseThread, THREAD_STATUSES, threadFromFirst, threadPath } from "../../protocol/mail/nouns/thread.ts";
import { planGuard } from "../../protocol/sync/nouns/guard.ts";
import { lostPaths, planMerge, type Tree, withOutcomes } from "../../protocol/sync/nouns/merge.ts";
import { fc } from "./properties.ts";

/** Contents by id, as git's object store has them. */
const blobs = new Map<string, string>();
/** The id of a content. */
export function idOf(content: string): string {
  const id = createHash("sha1").update(content).digest("hex");
  blobs.set(id, content);
  return id;
}
/** The content of an id. */
export function contentOf(id: string): string {
  const content = blobs.get(id);
  if (content === undefined) throw new Error(`no content ${id}`);
  return content;
}

/** One home: its files, who writes it, and its clock. */
export interface Clone {
  name: string;
  files: Map<string, string>;
  now: number;
  serial: number;
}

const SESSION = "2026-01-31-001-K3F9";
const CONFIG = `# Who is who.
format: 2
project:
  id: p-k3f9x2abq7rm
  name: "shop"
main: main
parts:
  main: {}
  # The shop window.
  web: { about: "the storefront" }
  api:
    about: prices
  human: {}
`;

const homes = new Map<string, Clone>();
/** A home as `init` leaves it, on a session's first day; each is made once. */
export function newHome(name: string): Clone {
  const made = homes.get(name) ?? makeHome(name);
  homes.set(name, made);
  return cloneOf(made, name);
}

function makeHome(name: string): Clone {
  const clone: Clone = { name, files: new Map(), now: Date.parse("2026-01-31T09:00:00.000Z"), serial: 0 };
  put(clone, CONFIG_PATH, CONFIG);
  put(clone, "RELAY.md", "# Relay\n");
  put(clone, sessionPath(SESSION), formatSession({ id: SESSION, startedBy: "main", startedAt: iso(clone) }));
  for (const kind of ["send", "addTask", "addTask", "lesson", "section", "artifact", "review", "event", "summary"] as const) {
    act(clone, { kind, a: 0, b: 1, c: 0 });
  }
  return clone;
}

/** A second machine's copy of a home. */
export const cloneOf = (clone: Clone, name: string): Clone => ({ ...clone, name, files: new Map(clone.files) });

const iso = (clone: Clone): string => new Date(clone.now).toISOString();
const put = (clone: Clone, path: string, content: string): void => void clone.files.set(path, idOf(content));
const get = (clone: Clone, path: string): string | null => {
  const id = clone.files.get(path);
  return id === undefined ? null : contentOf(id);
};
const under = (clone: Clone, prefix: string): string[] => [...clone.files.keys()].filter((path) => path.startsWith(prefix)).sort();
const pick = <T>(list: readonly T[], at: number): T | undefined => (list.length === 0 ? undefined : list[at % list.length]);

/** Characters that no other clone makes at the same place. */
function random(clone: Clone, length: number): string {
  clone.serial += 1;
  const digits = createHash("sha1").update(`${clone.name} ${clone.serial} ${clone.now}`).digest("hex");
  return digits.slice(0, length);
}

const configs = new Map<string, ReturnType<typeof parseConfig>>();
/** The configuration of a clone; each text is read once. */
function configOf(clone: Clone): ReturnType<typeof parseConfig> {
  const id = clone.files.get(CONFIG_PATH) as string;
  const config = configs.get(id) ?? parseConfig(contentOf(id));
  configs.set(id, config);
  return config;
}
const partsOf = (clone: Clone): string[] => [...configOf(clone).parts.keys()];

/** One act: what, and three numbers that choose among what there is. */
export interface Act {
  kind: keyof typeof ACTS;
  a: number;
  b: number;
  c: number;
}

function post(clone: Clone, thread: ThreadLocation, from: string, to: string[], body: string): void {
  const keys = under(
    clone,
    `${messagePath({ ...thread, n: 1, token: "" })
      .split("/")
      .slice(0, 3)
      .join("/")}/`,
  ).flatMap((path) => locateMessage(path) ?? []);
  const n = Math.max(0, ...keys.map((location) => location.n)) + 1;
  const key = { ...thread, n, token: encodeTime(clone.now) + random(clone, 5) };
  const message: Message = { id: messageId(key), thread: threadId(thread), n, from, to, at: iso(clone), subject: "What now?", body };
  const text = formatMessage(message);
  put(clone, messagePath(key), text);
  // As homes of before have it; today the file comes with what is said of the thread.
  if (n === 1 && clone.now % 2 === 0) put(clone, threadPath(thread), formatThread(threadFromFirst(message)));
  for (const part of to) put(clone, unreadPath(part, message.id), text);
}

/** The threads that have a message which can be found by its name. */
function threadsOf(clone: Clone): ThreadLocation[] {
  const ids = under(clone, "threads/").flatMap((path) => (locateMessage(path) === null ? [] : (path.split("/")[2] as string)));
  return [...new Set(ids)].flatMap((id) => parseThreadId(id) ?? []);
}

function changeTask(clone: Clone, at: number, change: (task: Task) => Task): void {
  const path = pick(
    under(clone, `sessions/${SESSION}/tasks/`).filter((name) => name.endsWith(".md")),
    at,
  );
  if (path === undefined) return;
  const id = path.slice(path.lastIndexOf("/") + 1, -3);
  put(clone, path, formatTask(change(parseTask(get(clone, path) as string, id))));
}

function lastClaim(clone: Clone, task: string): ClaimRecord | null {
  const folder = `${claimFolder(SESSION, task)}/`;
  const fence = Math.max(0, ...under(clone, folder).map((path) => fenceOf(path.slice(folder.length)) ?? 0));
  return fence === 0 ? null : parseClaim(get(clone, claimPath(SESSION, task, fence)) as string, task, fence);
}

/** The task that an act with the number 0 is about, and the last record of its claims. */
export function firstTask(clone: Clone): { task: Task; last: ClaimRecord | null } {
  const path = under(clone, `sessions/${SESSION}/tasks/`)[0] as string;
  const task = parseTask(get(clone, path) as string, path.slice(path.lastIndexOf("/") + 1, -3));
  return { task, last: lastClaim(clone, task.id) };
}

function claims(clone: Clone, at: number, kind: ClaimRecord["kind"], who: number): void {
  const agent = pick(partsOf(clone), who) as string;
  changeTask(clone, at, (task) => {
    const last = lastClaim(clone, task.id);
    const free = last === null || last.kind !== "claim";
    if (kind === "claim" ? task.status === "done" : free) return task;
    const fence = (last?.fence ?? 0) + 1;
    const record: ClaimRecord = { task: task.id, fence, kind, agent, at: iso(clone), nonce: random(clone, 8) };
    put(clone, claimPath(SESSION, task.id, fence), formatClaim(record));
    return afterClaim(task, record);
  });
}

const WORDS = ["lanes", "gears\n\n## inside", "```\ncode", "---\n_2026-01-31_\n\nforged", "", "a longer line\nand another one\n"];

/** Everything that happens to a home. */
const ACTS = {
  send(clone: Clone, { a, b, c }: Act): void {
    const parts = partsOf(clone);
    const from = pick(parts, a) as string;
    const to = [...new Set([pick(parts, b), pick(parts, b + c)])].filter((part) => part !== from) as string[];
    const fresh = { day: dayOf(clone.now), random: random(clone, 8) };
    const known = threadsOf(clone);
    const thread = c % 3 === 0 ? fresh : (pick(known, c) ?? fresh);
    if (to.length > 0) post(clone, thread, from, to, `words ${random(clone, 6)}`);
  },
  ack(clone: Clone, { a }: Act): void {
    const path = pick(
      under(clone, "inbox/").filter((name) => name.includes("/new/")),
      a,
    );
    const [, part, id] = /^inbox\/(.+)\/new\/(.+)\.md$/.exec(path ?? "") ?? [];
    const location = parseMessageId(id ?? "");
    if (path === undefined || part === undefined || id === undefined || location === null) return;
    clone.files.set(readPath(part, id, location.day), clone.files.get(path) as string);
    clone.files.delete(path);
  },
  status(clone: Clone, { a, b, c }: Act): void {
    const location = pick(threadsOf(clone), a);
    if (location === undefined) return;
    const path = threadPath(location);
    const first = under(clone, `${threadFolder(location)}/`).find((name) => locateMessage(name) !== null) as string;
    const text = get(clone, path);
    const thread =
      text === null
        ? threadFromFirst(parseMessage(get(clone, first) as string, locateMessage(first) as MessageLocation, null))
        : parseThread(text, location);
    const status = pick(THREAD_STATUSES, b);
    const closedUnread = c % 2 === 0 ? thread.closedUnread : [...new Set([...(thread.closedUnread ?? []), `web m-${c}`])];
    put(
      clone,
      path,
      formatThread({ ...thread, status, statusAfter: c, closedUnread, ...(c % 5 === 0 ? { body: `notes of ${clone.name}` } : {}) }),
    );
  },
  addTask(clone: Clone, { a, b }: Act): void {
    const id = taskId(random(clone, 10));
    const at = iso(clone);
    const task: Task = {
      id,
      title: `Task ${a}`,
      status: "todo",
      priority: pick(PRIORITIES, b) as Task["priority"],
      createdBy: "main",
      createdAt: at,
      updatedAt: at,
      dependsOn: [],
      fence: 0,
      other: {},
      description: "What is to be done.",
      history: [`${at} main: created`],
    };
    put(clone, taskPath(SESSION, id), formatTask(task));
  },
  editTask(clone: Clone, { a, b, c }: Act): void {
    const value = `${b % 4} by ${clone.name}`;
    const changes: Partial<Task>[] = [
      { title: `Title ${value}` },
      { description: `Description ${value}\n\nlonger ${"x".repeat(c % 5)}` },
      { priority: pick(PRIORITIES, b) as Task["priority"] },
      { assignee: pick(partsOf(clone), b) },
      { dependsOn: [taskId("0123456789"), taskId(`${b % 10}`.repeat(10))] },
      { other: { x_note: value, [`x_${b % 3}`]: c } },
      { status: "in_review" },
      { status: "blocked", blockedReason: value },
    ];
    changeTask(clone, a, (task) => changed(task, iso(clone), "web", `changed by ${clone.name}`, pick(changes, c) as Partial<Task>));
  },
  claim: (clone: Clone, { a, b }: Act): void => claims(clone, a, "claim", b),
  release: (clone: Clone, { a, b }: Act): void => claims(clone, a, "release", b),
  finish: (clone: Clone, { a, b }: Act): void => claims(clone, a, "done", b),
  lesson(clone: Clone, { a, b }: Act): void {
    const path = a % 2 === 0 ? MEMORY_PATH : agentMemoryPath("web");
    put(clone, path, withEntry(get(clone, path) ?? "", dayOf(clone.now), `${pick(WORDS, b)} lesson ${random(clone, 6)}`));
  },
  section(clone: Clone, { a, b, c }: Act): void {
    const path = a % 2 === 0 ? MEMORY_PATH : agentMemoryPath("web");
    put(clone, path, withSection(get(clone, path) ?? "", `key ${c % 3}`, `${pick(WORDS, b)} section ${random(clone, 6)}`));
  },
  event(clone: Clone, { a }: Act): void {
    const day = dayOf(clone.now);
    const path = eventPath(day, a % 4 === 0 ? "shared00" : clone.name);
    const event = { id: eventId(day, encodeTime(clone.now) + random(clone, 5)), at: iso(clone), part: "web", type: "working" };
    put(clone, path, `${get(clone, path) ?? ""}${JSON.stringify(event)}\n`);
  },
  artifact(clone: Clone, { a, b }: Act): void {
    const name = pick(["Report", "Design.json"], a) as string;
    const hash = createHash("sha256").update(name).digest("hex").slice(0, 12);
    const folder = `sessions/${SESSION}/artifacts/${artifactFolderName(name, hash)}`;
    const version = Math.max(0, ...under(clone, `${folder}/`).map((path) => versionOf(path.slice(folder.length + 1)) ?? 0)) + 1;
    const extension = b % 2 === 0 ? "md" : "json";
    const record = { id: artifactId(hash, version), name, version, type: "report" as const, createdBy: "web", createdAt: iso(clone) };
    put(clone, `${folder}/${version}.${extension}`, `made ${random(clone, 6)}`);
    put(clone, `${folder}/${recordName(version)}`, formatArtifact({ ...record, extension, staged: `.staged-${random(clone, 8)}` }));
  },
  review(clone: Clone, { a, b }: Act): void {
    const asked = under(clone, `sessions/${SESSION}/reviews/`).flatMap((path) => /(review-[0-9a-z]{10})\.md$/.exec(path)?.[1] ?? []);
    const open = pick(
      asked.filter((id) => !clone.files.has(resultPath(SESSION, id))),
      a,
    );
    if (a % 2 === 0 || open === undefined) {
      const id = reviewId(random(clone, 10));
      put(
        clone,
        reviewPath(SESSION, id),
        formatReview({
          id,
          artifact: "artifact-0123456789ab-1",
          name: "Report",
          version: 1,
          reviewer: "api",
          requester: "web",
          at: iso(clone),
        }),
      );
    } else {
      const status = b % 2 === 0 ? ("approved" as const) : ("changes_requested" as const);
      put(
        clone,
        resultPath(SESSION, open),
        formatResult({ status, by: "api", at: iso(clone), comments: `by ${clone.name} ${random(clone, 4)}` }),
      );
    }
  },
  summary(clone: Clone, { b }: Act): void {
    const earlier = clone.files.get(summaryPath(SESSION));
    const versions = under(clone, `sessions/${SESSION}/summaries/`).length;
    if (earlier !== undefined) clone.files.set(summaryVersionPath(SESSION, versions + 1), earlier);
    put(clone, summaryPath(SESSION), `# Summary of ${clone.name} ${random(clone, 4)} ${"y".repeat(b % 5)}\n`);
  },
  addPart: (clone: Clone, { a, c }: Act): void => {
    const part = pick(["shop", "Shop", "pay/desk", `new-${clone.name}`], a) as string;
    if (partsOf(clone).some((known) => known.toLowerCase() === part.toLowerCase())) return;
    put(clone, CONFIG_PATH, editConfig(get(clone, CONFIG_PATH) as string, { kind: "add", part, about: `number ${c % 4}` }));
  },
  renamePart(clone: Clone, { a, b }: Act): void {
    const from = pick(
      partsOf(clone).filter((part) => part !== "human"),
      a,
    ) as string;
    const to = `${pick(["shop", "store", "desk"], b)}-${clone.name}`;
    if (partsOf(clone).includes(to)) return;
    put(clone, CONFIG_PATH, editConfig(get(clone, CONFIG_PATH) as string, { kind: "rename", from, to }));
    look(clone);
  },
  removePart(clone: Clone, { a }: Act): void {
    const { main } = configOf(clone);
    const part = pick(
      partsOf(clone).filter((name) => name !== "human" && name !== main),
      a,
    );
    if (part !== undefined) put(clone, CONFIG_PATH, editConfig(get(clone, CONFIG_PATH) as string, { kind: "remove", part }));
  },
  setMain(clone: Clone, { a }: Act): void {
    const part = pick(
      partsOf(clone).filter((name) => name !== "human"),
      a,
    ) as string;
    put(clone, CONFIG_PATH, editConfig(get(clone, CONFIG_PATH) as string, { kind: "main", part }));
  },
  guest(clone: Clone, { a }: Act): void {
    const part = pick(["reviewer", "Reviewer", "helper"], a) as string;
    if (!clone.files.has(guestPath(part))) put(clone, guestPath(part), formatGuest({ part, session: SESSION, joinedAt: iso(clone) }));
    else clone.files.delete(guestPath(part));
  },
  end(clone: Clone, { a }: Act): void {
    if (a % 3 !== 0 || clone.files.has(endedPath(SESSION))) return;
    put(
      clone,
      endedPath(SESSION),
      formatSession({ id: SESSION, startedBy: "main", startedAt: iso(clone), endedBy: clone.name, endedAt: iso(clone) }),
    );
  },
  byHand(clone: Clone, { a, b }: Act): void {
    const path = pick(["notes.txt", "Notes.txt", "org/a", "org", "RELAY.md", ".gitignore", "agents.pool.yml"], a) as string;
    const inWay = [...clone.files.keys()].some((other) => other.startsWith(`${path}/`) || path.startsWith(`${other}/`));
    if (!inWay) put(clone, path, `by hand of ${clone.name} ${b % 5}\n`);
  },
  breakFile(clone: Clone, { a, b }: Act): void {
    if (b % 4 !== 0) return;
    const path = pick(under(clone, "sessions/").concat(under(clone, "threads/").filter((name) => name.endsWith("thread.md"))), a);
    if (path !== undefined && !path.includes("/claims/")) put(clone, path, `no header, by ${clone.name} ${b}\n`);
  },
};

/** Does an act. A file that somebody broke stays as it is. */
export function act(clone: Clone, given: Act): void {
  clone.now += 1 + ((given.a * 7 + given.b) % 90_000);
  const before = new Map(clone.files);
  try {
    ACTS[given.kind](clone, given);
  } catch {
    clone.files = before;
  }
}

/** What a look does: mail that lies under a former name goes to the name now, acked first; what is acked is not unread. */
export function look(clone: Clone): void {
  const { parts } = configOf(clone);
  for (const [part, { formerly }] of parts) {
    for (const from of formerly.filter((name) => !parts.has(name) && !clone.files.has(guestPath(name)))) {
      for (const path of [...under(clone, `inbox/${from}/read/`), ...under(clone, `inbox/${from}/new/`)]) {
        const id = clone.files.get(path) as string;
        const to = `inbox/${part}/${path.slice(`inbox/${from}/`.length)}`;
        clone.files.delete(path);
        if (!clone.files.has(to)) clone.files.set(to, id);
      }
    }
  }
  for (const path of under(clone, "inbox/")) {
    const [, part, id] = /^inbox\/(.+)\/new\/(m-.+)\.md$/.exec(path) ?? [];
    const location = parseMessageId(id ?? "");
    if (part !== undefined && id !== undefined && location !== null && clone.files.has(readPath(part, id, location.day)))
      clone.files.delete(path);
  }
}

/** Contents, of what a plan named alone. */
const planned =
  (plan: ReadonlySet<string>) =>
  (id: string): string => {
    if (!plan.has(id)) throw new Error(`the plan does not name ${id}`);
    return contentOf(id);
  };

/** Guards a tree, giving only what the plan asked for. */
export function guarded(before: Tree, now: Tree): Map<string, string> {
  const { needs, run } = planGuard(before, now);
  return withOutcomes(now, run(planned(needs)).outcomes, idOf);
}

/** Merges two trees, giving only what the plan asked for. */
export function merged(base: Tree, ours: Tree, theirs: Tree, published?: "ours" | "theirs"): Map<string, string> {
  const { needs, run } = planMerge(base, ours, theirs, published);
  const outcomes = run(planned(needs));
  for (const path of outcomes.keys()) {
    if (ours.get(path) === theirs.get(path) && base.get(path) === ours.get(path) && !outcomes.has(path))
      throw new Error(`${path} is unchanged`);
  }
  return withOutcomes(ours, outcomes, idOf);
}

/** What a record would have to restore. */
export const lost = (before: Tree, clone: Clone): string[] => lostPaths(before, clone.files, get(clone, CONFIG_PATH));

const KINDS = Object.keys(ACTS) as Act["kind"][];

/**
 * Several histories of acts. They are mostly of a few kinds, so that what one does meets what another does.
 * @param sizes how many acts each has at the most
 */
export function histories(...sizes: number[]): fc.Arbitrary<Act[][]> {
  const kinds = fc.oneof(fc.constant(KINDS), fc.subarray(KINDS, { minLength: 1, maxLength: 5 }));
  const number = fc.nat(30);
  return kinds.chain((among) => {
    const one = fc.record({ kind: fc.constantFrom(...among), a: number, b: number, c: number });
    return fc.tuple(...sizes.map((maxLength) => fc.array(one, { maxLength, size: "max" })));
  });
}
