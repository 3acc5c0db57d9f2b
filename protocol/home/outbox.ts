/** The outbox: messages of those who have only a shell. SPEC.md, "With only a shell". */
import { createHash } from "node:crypto";
import { FrontmatterError, parseFrontmatter } from "../objects/frontmatter.ts";
import { headerProblem, MessageError, OutboxHeader } from "../objects/message.ts";
import { outboxOf, partProblem } from "../objects/part.ts";
import { LIMITS } from "../objects/schema.ts";
import { Refusal } from "../refusal.ts";
import { ContentError, entries, exists, facts, moveFile, place, readText, removeFile, type Store } from "../store/files.ts";
import type { World } from "../world.ts";

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

/**
 * Delivers every finished file in the outboxes; a file that is refused stays, with the reason in a `.refused` beside it.
 * @returns how many were delivered and refused
 */
export async function deliverOutboxes(world: World, ports: OutboxPorts): Promise<{ sent: number; refused: number }> {
  const { store } = world.home();
  const outcome = { sent: 0, refused: 0 };
  if (!exists(store, "outbox")) return outcome;
  for (const { part, name } of drafts(store)) {
    const path = `${outboxOf(part)}/${name}`;
    const done = await deliverDraft(world, ports, part, path, name);
    if (done !== null) outcome[done] += 1;
  }
  return outcome;
}

/** What is appended to the name of a refused draft, for the file that says why. */
export const REFUSED = ".refused";

/** Finished files: plain, not dotted, named `.md`, in the folder of a valid part; without those refused as they are. */
function drafts(store: Store): { part: string; name: string }[] {
  const found: { part: string; name: string }[] = [];
  const walk = (prefix: string, depth: number): void => {
    for (const entry of entries(store, prefix === "" ? "outbox" : `outbox/${prefix}`)) {
      const below = prefix === "" ? entry.name : `${prefix}/${entry.name}`;
      if (entry.kind === "folder" && depth < 3 && partProblem(below) === null) walk(below, depth + 1);
      const finished = prefix !== "" && entry.kind === "file" && entry.name.endsWith(".md") && !entry.name.startsWith(".");
      // A reason outlives its draft when somebody removed that by hand.
      if (entry.name.endsWith(REFUSED) && !exists(store, `outbox/${below.slice(0, -REFUSED.length)}`)) removeFile(store, `outbox/${below}`);
      if (finished) found.push({ part: prefix, name: entry.name });
    }
  };
  walk("", 0);
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function deliverDraft(
  world: World,
  ports: OutboxPorts,
  part: string,
  path: string,
  name: string,
): Promise<"sent" | "refused" | null> {
  const { store } = world.home();
  const fact = facts(store, path);
  if (fact === null) return null;
  const sign = `${fact.inode} ${fact.size} ${fact.modifiedMs}`;
  const refusedPath = `${path}${REFUSED}`;
  if (readText(store, refusedPath, 65_536)?.startsWith(`${sign}\n`)) return null;
  try {
    const source = readText(store, path, LIMITS.messageBytes);
    if (source === null) return null;
    // The same file delivered by two processes, or again after a crash, is one message; a later file is another.
    const key = createHash("sha256").update(`${name}\n${sign}\n${source}`).digest("hex");
    await sendDraft(world, ports, part, source, `outbox:${key}`);
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === null) throw error;
    place(store, refusedPath, `${sign}\n${reason}\n`);
    return "refused";
  }
  removeFile(store, refusedPath);
  const kept = exists(store, `${outboxOf(part)}/sent/${name}`) ? `${world.random(6)}-${name}` : name;
  moveFile(store, path, `${outboxOf(part)}/sent/${kept}`);
  return "sent";
}

async function sendDraft(world: World, ports: OutboxPorts, part: string, source: string, key: string): Promise<void> {
  const { header, body } = parseFrontmatter(source);
  const parsed = OutboxHeader.safeParse(header);
  if (!parsed.success) throw new MessageError(headerProblem(parsed.error.issues, header));
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

function reasonOf(error: unknown): string | null {
  if (error instanceof FrontmatterError || error instanceof MessageError) return `line ${error.line ?? 1}: ${error.message}`;
  if (error instanceof ContentError) return error.message;
  if (error instanceof Refusal && error.exit !== 6) return error.message;
  return null;
}
