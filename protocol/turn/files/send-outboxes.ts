/** The outbox: messages, and acts on the board, of those who have only a shell. SPEC.md, "With only a shell". */
import { FileError, readOr } from "../../core/format/file-error.ts";
import { headerError, parseFrontmatter } from "../../core/format/frontmatter.ts";
import { LIMITS } from "../../core/format/schema.ts";
import { HUMAN, partProblem } from "../../core/names.ts";
import { EXIT, Refusal } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { isBoundHere } from "../../mail/files/bound-parts.ts";
import { inTurn } from "../../mail/files/changed-threads.ts";
import { currentName, ownName, requireMembers } from "../../mail/files/members.ts";
import { noteLife } from "../../mail/files/presence.ts";
import { outboxHeader } from "../../mail/nouns/header.ts";
import { OUTBOX, outboxOf, REFUSED } from "../../mail/nouns/part.ts";
import { isOthers } from "../../store/beside/own-folder.ts";
import { sha256 } from "../../store/digest.ts";
import { lifeOf, thisProcess } from "../../store/process.ts";
import { ageMs, exists, facts, ownerOf } from "../../store/read/facts.ts";
import { entries } from "../../store/read/list-folder.ts";
import { readText } from "../../store/read/read-file.ts";
import { absolute, type Store } from "../../store/root.ts";
import { moveFile, removeFile } from "../../store/write/move-file.ts";
import { linkFile, place } from "../../store/write/publish.ts";
import { memoryWords } from "../nouns/turn-words.ts";

/** Operations by name, given here so that the rules of a draft are theirs. */
export interface OutboxPorts {
  /** Runs one as a part. @throws Refusal; FileError */
  run(name: string, world: World, input: { agent_id: string } & Record<string, unknown>): Promise<Record<string, unknown>>;
  /** Whether doing it twice is the same as doing it once. */
  mayRepeat(name: string): boolean;
  /** Writes anew what the parts that have only files read. */
  keep(world: World): Promise<void>;
}

/** What a draft does on the board, by the key of its header that names the thing, and which arguments that key and the text below are. */
const VERBS: Readonly<Record<string, { operation: string; names: string; body?: string }>> = {
  claim: { operation: "claim_task", names: "task_id" },
  update: { operation: "update_task", names: "task_id" },
  submit: { operation: "submit_task", names: "task_id", body: "content" },
  post: { operation: "post_artifact", names: "name", body: "content" },
  ask: { operation: "request_review", names: "artifact_id" },
  review: { operation: "submit_review", names: "review_id", body: "comments" },
  withdraw: { operation: "withdraw_review", names: "review_id", body: "comments" },
};
/** Keys of a header that are shorter than the arguments that they are. */
const SHORT: Readonly<Record<string, string>> = { task: "task_id", session: "session_id" };

/** For how long a process that cannot be seen from here may be sending a draft. */
const PATIENCE_MS = 10_000;

/** A finished draft: where it lies, and the name it was given; `taken` when a process was sending it. */
interface Draft {
  part: string;
  name: string;
  path: string;
  taken: boolean;
}

/**
 * One look sends drafts for so long, so many at the least, and looks for so long whether what lay there before is to be sent again: however
 * many there are, no command waits for all of them. The next look goes on.
 */
const SENDING_MS = 200;
const LEAST = 32;
const CHECKING_MS = 50;
/** Number of names in all outboxes that one look lists. */
const LISTED = 20_000;

const REASON_LENGTH = 4_096;
/** What is appended to the name of a draft that was done, for the file that says the answer. */
const ANSWER = ".answer";
/** A draft that is being sent has this name, so that what is put in its place meanwhile is another draft. */
const TAKEN = /^\.sending\.([\w-]+)\.(.+\.md)$/;

/**
 * Delivers finished files in the outboxes, by their names, the first of each part first; a file that is refused stays, with the reason in a
 * `.refused` beside it. What is wrong with one keeps no other from being sent.
 */
export async function sendOutboxes(world: World, ports: OutboxPorts): Promise<void> {
  const due = dueDrafts(world);
  const untilMs = performance.now() + SENDING_MS;
  for (const [at, draft] of due.entries()) {
    if (at >= LEAST && performance.now() > untilMs) return;
    try {
      await sendOneDraft(world, ports, draft);
    } catch {
      // The disk would not have it just now; the draft is still there for the next look.
    }
  }
}

/** Finished files that are to be sent: plain, not dotted, named `.md`; and those that a process which is gone had begun to send. */
function dueDrafts(world: World): Draft[] {
  const { store } = world.home();
  const due: Draft[] = [];
  const checks: (() => void)[] = [];
  let left = LISTED;
  const walk = (part: string, depth: number): void => {
    if (left <= 0) return;
    const found = entries(store, part === "" ? OUTBOX : outboxOf(part), left);
    left -= found.length;
    const all = new Set(found.map(({ name }) => name));
    for (const { name, kind } of inTurn(found, found.length)) {
      const below = part === "" ? name : `${part}/${name}`;
      const path = `outbox/${below}`;
      if (kind === "folder" && depth < 3 && partProblem(below) === null) walk(below, depth + 1);
      if (part === "" || kind !== "file") continue;
      const [, owner = "", original = ""] = TAKEN.exec(name) ?? [];
      const draft = { part, name: original === "" ? name : original, path, taken: original !== "" };
      if (draft.taken) checks.push(() => isLeft(store, path, owner) && due.push(draft));
      else if (name.endsWith(".md") && !name.startsWith(".")) {
        if (all.has(`${name}${REFUSED}`)) checks.push(() => standing(world, draft) !== null && due.push(draft));
        else due.push(draft);
      } else if (name.endsWith(REFUSED) && !all.has(name.slice(0, -REFUSED.length))) {
        // A reason outlives its draft when somebody removed that by hand.
        checks.push(() => !exists(store, path.slice(0, -REFUSED.length)) && removeFile(store, path));
      }
    }
  };
  walk("", 0);
  const untilMs = performance.now() + CHECKING_MS;
  for (const check of inTurn(checks, checks.length)) {
    check();
    if (performance.now() > untilMs) break;
  }
  due.sort((a, b) => (a.name < b.name ? -1 : 1));
  const counts = new Map<string, number>();
  const ranked = due.map((draft) => {
    const rank = counts.get(draft.part) ?? 0;
    counts.set(draft.part, rank + 1);
    return { draft, rank };
  });
  return ranked.sort((a, b) => a.rank - b.rank).map(({ draft }) => draft);
}

/** The drafts that this process is sending, by their absolute paths: calls and the beat of one server look at the same time. */
const sending = new Set<string>();

/** Whether a draft that a process took is nobody's any more. Sending one twice is one message, so an unknown process is given up. */
function isLeft(store: Store, path: string, owner: string): boolean {
  if (sending.has(absolute(store, path))) return false;
  const life = owner === thisProcess() ? "gone" : lifeOf(owner);
  return life === "gone" || (life === "unknown" && (ageMs(store, path) ?? 0) > PATIENCE_MS);
}

/** Stands for the draft in what says that nobody sends it yet. */
const UNBOUND = "unbound";

/** Why no draft of a part is sent, whatever it says, for whoever may have put it there; null where its drafts are. */
function unboundReason(world: World, part: string): string | null {
  if (part === HUMAN)
    return `Relay sends no draft in the name of ${HUMAN}, because it may have come with the folder. Type it: \`relay send\``;
  const now = currentName(world, part);
  // One that is nobody is refused by its name.
  if (now === null) return null;
  if (ownName(world, part) === null)
    return `${part} is called ${now} now, and ${now} was another part of this copy, so the draft is not sent as ${now}. If it is right, move it to ${outboxOf(now)}`;
  return isBoundHere(world, part)
    ? null
    : `nobody acted as ${part} in this copy of the project yet, so the draft may have come with the folder. If it is right, act once: \`relay inbox --part ${part}\``;
}

/** The reason why a draft is not sent, whatever it says; null where it is gone, or was refused as it stands. */
function standing(world: World, { part, name, path }: Draft): { unbound: string | null } | null {
  const { store } = world.home();
  const sign = signOf(store, path);
  const unbound = unboundReason(world, part);
  const isRefused = sign === null || wasRefused(store, `${outboxOf(part)}/${name}${REFUSED}`, unbound === null ? sign : UNBOUND);
  return isRefused ? null : { unbound };
}

async function sendOneDraft(world: World, ports: OutboxPorts, draft: Draft): Promise<void> {
  const { store } = world.home();
  const { part, name } = draft;
  const folder = outboxOf(part);
  const stands = standing(world, draft);
  if (stands === null) return;
  const { unbound } = stands;
  if (unbound !== null) {
    place(store, `${folder}/${name}${REFUSED}`, refusedText(unbound, UNBOUND));
    return;
  }
  // What it read of its turn before it wrote the draft, the act does not tell again.
  await ports.keep(world);
  const taken = draft.taken ? draft.path : `${folder}/.sending.${thisProcess()}.${name}`;
  const at = absolute(store, taken);
  if (sending.has(at) || (!draft.taken && !moveFile(store, draft.path, taken))) return;
  sending.add(at);
  try {
    await sendTaken(world, ports, draft, taken);
  } finally {
    sending.delete(at);
  }
}

/** Does what a draft says that this process took. @param taken its path */
async function sendTaken(world: World, ports: OutboxPorts, { part, name, taken: isAgain }: Draft, taken: string): Promise<void> {
  const { store } = world.home();
  const folder = outboxOf(part);
  const takenSign = signOf(store, taken);
  let answer: Record<string, unknown>;
  try {
    // Who was renamed goes on under its name of now.
    const sender = currentName(world, part) ?? part;
    requireMembers(world, [sender]);
    noteLife(world, sender);
    const owner = ownerOf(store, taken);
    if (owner !== null && isOthers(owner))
      throw new FileError(`the draft belongs to another user (${owner}). If it is right, put a copy of your own in its place: \`cp\``);
    const source = readText(store, taken, LIMITS.messageBytes);
    if (source === null) return;
    // The same file sent again after a crash is one message; a later file is another.
    const key = sha256(`${name}\n${takenSign}\n${source}`);
    answer = await runDraft(world, ports, sender, { source, key: `outbox:${key}`, isAgain });
  } catch (error) {
    giveBack(store, taken, `${folder}/${name}`);
    const reason = reasonOf(error);
    if (reason === null) throw error;
    place(store, `${folder}/${name}${REFUSED}`, refusedText(reason, takenSign as string));
    return;
  }
  removeFile(store, `${folder}/${name}${REFUSED}`);
  const kept = exists(store, `${folder}/sent/${name}`) ? `${world.random(6)}-${name}` : name;
  moveFile(store, taken, `${folder}/sent/${kept}`);
  // A part that waits for the answer reads its turn next.
  await ports.keep(world);
  place({ ...store, durable: false }, `${folder}/sent/${kept}${ANSWER}`, answerText(answer));
}

/** What `.refused` says: the reason first, and at its end which version of the draft it is about. */
const refusedText = (reason: string, sign: string): string =>
  `${reason.slice(0, REASON_LENGTH).toWellFormed()}\n\nChange the draft to have it tried again, or remove it (${sign}).\n`;

/** An answer to a draft, a line for each plain field that is no text of a task, which the part's turn has; who a message went to is named alone, and the end of a lease is ISO 8601. */
function answerText(answer: Record<string, unknown>): string {
  const lines = Object.entries(answer).flatMap(([name, value]) => {
    const parts = Array.isArray(value) ? value.flatMap((each: { part?: unknown }) => each?.part ?? []) : [];
    if (name === "description") return [];
    if (name === "review") return [`review: ${JSON.stringify((value as { status: string }).status)}`];
    if (parts.length > 0) return [`to: ${JSON.stringify(parts)}`];
    if (name === "memory" && Array.isArray(value))
      return [memoryWords(value, "memory/project.md"), ...value.map((each) => String(each).trimEnd().replace(/^/gm, "  "))];
    if (Array.isArray(value) && value.every((each) => typeof each === "string")) return [`${name}: ${JSON.stringify(value)}`];
    if (name === "until" && typeof value === "number") return [`until: ${JSON.stringify(new Date(value * 1_000).toISOString())}`];
    return ["string", "number", "boolean"].includes(typeof value) ? [`${name}: ${JSON.stringify(value)}`] : [];
  });
  return `${lines.length === 0 ? "done: true" : lines.join("\n")}\n`;
}

/** Gives a draft its name again; when another has it by now, both stay. */
function giveBack(store: Store, taken: string, name: string): void {
  const free = linkFile(store, taken, name) === "created" ? name : `${name.slice(0, -".md".length)}.again.md`;
  if (free !== name) linkFile(store, taken, free);
  removeFile(store, taken);
}

/** A digest of the identity of a file, to detect replacement; null when it is gone. */
function signOf(store: Store, path: string): string | null {
  const fact = facts(store, path);
  return fact === null ? null : sha256(`${fact.inode} ${fact.size} ${fact.modifiedMs}`).slice(0, 8);
}

const wasRefused = (store: Store, path: string, sign: string): boolean =>
  readOr(false, () => readText(store, path, 65_536)?.endsWith(`(${sign}).\n`) === true);

/** A draft as it was read. `isAgain`: a process that is gone had begun with it. */
interface Read {
  source: string;
  key: string;
  isAgain: boolean;
}

async function runDraft(world: World, ports: OutboxPorts, part: string, { source, key, isAgain }: Read): Promise<Record<string, unknown>> {
  const { header, body } = parseFrontmatter(source);
  const isMessage = ["to", "subject", "thread"].some((name) => Object.hasOwn(header, name));
  const verb = isMessage ? undefined : Object.keys(VERBS).find((name) => Object.hasOwn(header, name));
  if (verb !== undefined) return actOnBoard(world, ports, part, verb, { header, body, isAgain });
  const parsed = outboxHeader().safeParse(header);
  if (!parsed.success) throw headerError(source, header, parsed.error.issues);
  const { to, subject, thread, tags, urgent, needs_human: needsHuman } = parsed.data;
  if (thread !== undefined && subject !== undefined)
    throw new FileError('a reply keeps the subject of its thread: leave out "subject", or "thread" to begin another');
  const shared = {
    agent_id: part,
    body,
    idempotency_key: key,
    ...(urgent === undefined ? {} : { urgent }),
    ...(needsHuman === undefined ? {} : { needsHuman }),
  };
  return thread === undefined
    ? ports.run("send", world, { ...shared, to: to ?? [], subject: subject ?? "", ...(tags === undefined ? {} : { tags }) })
    : ports.run("reply", world, { ...shared, threadId: thread, ...(to === undefined ? {} : { to }) });
}

/** Does what a draft says with a task, an artifact or a review. @throws Refusal; FileError */
async function actOnBoard(
  world: World,
  ports: OutboxPorts,
  part: string,
  verb: string,
  { header, body, isAgain }: { header: Record<string, unknown>; body: string; isAgain: boolean },
): Promise<Record<string, unknown>> {
  const { operation, names, body: text } = VERBS[verb] as (typeof VERBS)[string];
  if (isAgain && !ports.mayRepeat(operation))
    throw new FileError("Relay was stopped while it did this. Look whether it is done; to have it done again, change this file");
  const { [verb]: name, ...rest } = header;
  const given = Object.fromEntries(Object.entries(rest).map(([key, value]) => [SHORT[key] ?? key, value]));
  if (text === undefined && body.trim() !== "") throw new FileError(`expected no text below the header of "${verb}"`);
  const answer = await ports.run(operation, world, {
    ...given,
    [names]: String(name),
    agent_id: part,
    ...(text === undefined || body === "" ? {} : { [text]: body }),
  });
  if (answer["claimed"] === false) throw new FileError(String(answer["reason"]));
  return answer;
}

/** Why a draft cannot be sent; null when it was no fault of the draft's. */
function reasonOf(error: unknown): string | null {
  if (error instanceof FileError) return error.line === undefined ? error.message : `line ${error.line}: ${error.message}`;
  return error instanceof Refusal && error.exit !== EXIT.disk ? error.message : null;
}
