/** The outbox: messages of those who have only a shell. SPEC.md, "With only a shell". */
import { FileError, readOr } from "../../objects/format/file-error.ts";
import { headerError, parseFrontmatter } from "../../objects/format/frontmatter.ts";
import { LIMITS } from "../../objects/format/schema.ts";
import { outboxHeader } from "../../objects/message/header.ts";
import { HUMAN, outboxOf, partProblem } from "../../objects/part/part.ts";
import { EXIT, Refusal } from "../../refusal.ts";
import { sha256 } from "../../store/digest.ts";
import { lifeOf, thisProcess } from "../../store/process.ts";
import { ageMs, exists, facts } from "../../store/read/facts.ts";
import { entries } from "../../store/read/list-folder.ts";
import { readText } from "../../store/read/read-file.ts";
import type { Store } from "../../store/root.ts";
import { moveFile, removeFile } from "../../store/write/move-file.ts";
import { linkFile, place } from "../../store/write/publish.ts";
import type { World } from "../../world.ts";
import { isBoundHere } from "../part/bound-parts.ts";
import { currentName, requireMembers } from "../part/members.ts";

/** What is done with a finished draft; the operations `send` and `reply` are given here, so that the rules are theirs. */
export interface OutboxPorts {
  send(
    world: World,
    input: {
      agent_id: string;
      to: string[];
      subject: string;
      body: string;
      tags?: string[];
      urgent?: boolean;
      needsHuman?: boolean;
      idempotency_key: string;
    },
  ): Promise<unknown>;
  reply(
    world: World,
    input: {
      agent_id: string;
      threadId: string;
      to?: string[];
      body: string;
      urgent?: boolean;
      needsHuman?: boolean;
      idempotency_key: string;
    },
  ): Promise<unknown>;
}

/** For how long a process that cannot be seen from here may be sending a draft. */
const PATIENCE_MS = 10_000;

/** A finished draft: where it lies, and the name it was given; `taken` when a process that is gone was sending it. */
interface Draft {
  part: string;
  name: string;
  path: string;
  taken: boolean;
}

/** What is appended to the name of a refused draft, for the file that says why. */
const REFUSED = ".refused";
const REASON_LENGTH = 4_096;
/** Where those who have only a shell leave what they write. */
export const OUTBOX = "outbox";
/** A draft that is being sent has this name, so that what is put in its place meanwhile is another draft. */
const TAKEN = /^\.sending\.([\w-]+)\.(.+\.md)$/;

/**
 * Delivers every finished file in the outboxes; a file that is refused stays, with the reason in a `.refused` beside it.
 * What is wrong with one keeps no other from being sent.
 */
export async function sendOutboxes(world: World, ports: OutboxPorts): Promise<void> {
  const { store } = world.home();
  for (const draft of drafts(store)) {
    try {
      await sendOneDraft(world, ports, draft);
    } catch {
      // The disk would not have it just now; the draft is still there for the next look.
    }
  }
}

/** Finished files: plain, not dotted, named `.md`; and those that a process which is gone had begun to send. */
function drafts(store: Store): Draft[] {
  const found: Draft[] = [];
  const walk = (part: string, depth: number): void => {
    for (const { name, kind } of entries(store, part === "" ? OUTBOX : outboxOf(part))) {
      const below = part === "" ? name : `${part}/${name}`;
      const path = `outbox/${below}`;
      if (kind === "folder" && depth < 3 && partProblem(below) === null) walk(below, depth + 1);
      if (part === "" || kind !== "file") continue;
      const [, owner = "", original = ""] = TAKEN.exec(name) ?? [];
      if (original !== "" && isLeft(store, path, owner)) found.push({ part, name: original, path, taken: true });
      else if (name.endsWith(".md") && !name.startsWith(".")) found.push({ part, name, path, taken: false });
      // A reason outlives its draft when somebody removed that by hand.
      else if (name.endsWith(REFUSED) && !exists(store, path.slice(0, -REFUSED.length))) removeFile(store, path);
    }
  };
  walk("", 0);
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Whether a draft that a process took is nobody's any more. Sending one twice is one message, so an unknown process is given up. */
function isLeft(store: Store, path: string, owner: string): boolean {
  const life = owner === thisProcess() ? "gone" : lifeOf(owner);
  return life === "gone" || (life === "unknown" && (ageMs(store, path) ?? 0) > PATIENCE_MS);
}

/** Stands for the draft in what says that nobody sends it yet. */
const UNBOUND = "unbound";

/** Why no draft of a part is sent, whatever it says, for whoever may have put it there; null where its drafts are. */
function unboundReason(world: World, part: string): string | null {
  if (part === HUMAN)
    return `Relay sends no draft in the name of ${HUMAN}, because it may have come with the folder. Type it: \`relay send\``;
  return isBoundHere(world, part)
    ? null
    : `nobody acted as ${part} in this copy of the project yet, so the draft may have come with the folder. If it is right, act once: \`relay inbox --part ${part}\``;
}

async function sendOneDraft(world: World, ports: OutboxPorts, draft: Draft): Promise<void> {
  const { store } = world.home();
  const { part, name } = draft;
  const folder = outboxOf(part);
  const before = signOf(store, draft.path);
  const unbound = unboundReason(world, part);
  const sign = unbound === null ? before : UNBOUND;
  if (before === null || wasRefused(store, `${folder}/${name}${REFUSED}`, sign as string)) return;
  if (unbound !== null) {
    place(store, `${folder}/${name}${REFUSED}`, `${UNBOUND}\n${unbound}\n`);
    return;
  }
  const taken = draft.taken ? draft.path : `${folder}/.sending.${thisProcess()}.${name}`;
  if (!draft.taken && !moveFile(store, draft.path, taken)) return;
  const takenSign = signOf(store, taken);
  try {
    // Who was renamed goes on under its name of now.
    const sender = currentName(world, part) ?? part;
    requireMembers(world, [sender]);
    const source = readText(store, taken, LIMITS.messageBytes);
    if (source === null) return;
    // The same file sent again after a crash is one message; a later file is another.
    const key = sha256(`${name}\n${takenSign}\n${source}`);
    await sendDraft(world, ports, sender, source, `outbox:${key}`);
  } catch (error) {
    giveBack(store, taken, `${folder}/${name}`);
    const reason = reasonOf(error);
    if (reason === null) throw error;
    place(store, `${folder}/${name}${REFUSED}`, `${takenSign}\n${reason.slice(0, REASON_LENGTH).toWellFormed()}\n`);
    return;
  }
  removeFile(store, `${folder}/${name}${REFUSED}`);
  const kept = exists(store, `${folder}/sent/${name}`) ? `${world.random(6)}-${name}` : name;
  moveFile(store, taken, `${folder}/sent/${kept}`);
}

/** Gives a draft its name again; when another has it by now, both stay. */
function giveBack(store: Store, taken: string, name: string): void {
  const free = linkFile(store, taken, name) === "created" ? name : `${name.slice(0, -".md".length)}.again.md`;
  if (free !== name) linkFile(store, taken, free);
  removeFile(store, taken);
}

/** What tells one file of a name from another; null when it is gone. */
function signOf(store: Store, path: string): string | null {
  const fact = facts(store, path);
  return fact === null ? null : `${fact.inode} ${fact.size} ${fact.modifiedMs}`;
}

const wasRefused = (store: Store, path: string, sign: string): boolean =>
  readOr(false, () => readText(store, path, 65_536)?.startsWith(`${sign}\n`) === true);

async function sendDraft(world: World, ports: OutboxPorts, part: string, source: string, key: string): Promise<void> {
  const { header, body } = parseFrontmatter(source);
  const parsed = outboxHeader().safeParse(header);
  if (!parsed.success) throw headerError(source, header, parsed.error.issues);
  const { to, subject, thread, tags, urgent, needs_human: needsHuman } = parsed.data;
  const shared = {
    agent_id: part,
    body,
    idempotency_key: key,
    ...(urgent === undefined ? {} : { urgent }),
    ...(needsHuman === undefined ? {} : { needsHuman }),
  };
  if (thread !== undefined) await ports.reply(world, { ...shared, threadId: thread, ...(to === undefined ? {} : { to }) });
  else await ports.send(world, { ...shared, to: to ?? [], subject: subject ?? "", ...(tags === undefined ? {} : { tags }) });
}

/** Why a draft cannot be sent; null when it was no fault of the draft's. */
function reasonOf(error: unknown): string | null {
  if (error instanceof FileError) return error.line === undefined ? error.message : `line ${error.line}: ${error.message}`;
  return error instanceof Refusal && error.exit !== EXIT.disk ? error.message : null;
}
