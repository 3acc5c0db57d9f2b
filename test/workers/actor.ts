/**
 * A part that sends, replies, reads, acks and closes at random, and logs every call as the history has it, until it is
 * told to stop or dies. Its one argument is a `Plan`.
 */
import fs from "node:fs";
import { answer, createWorld, operations } from "../../protocol/index.ts";
import type { Entry, Invoked } from "../history/history.ts";
import { endIfAlone } from "../rig/end-with-parent.ts";

/** Who acts, and how. */
export interface Plan {
  /** The folder that holds the home. */
  folder: string;
  part: string;
  /** Whom it writes to. */
  peers: string[];
  /** Sets its marks apart from those of every other process. */
  name: string;
  /** How often it does what, in proportion. */
  weights: Partial<Record<Invoked["kind"], number>>;
  /** It ends once this file is there. */
  until: string;
  /** A holder of a lock that is silent for so long counts as dead. */
  lockStaleMs?: number;
  /** Calls that a killed process may have done or not; tried again first. */
  again?: Invoked[];
}

const plan = JSON.parse(process.argv[2] ?? "{}") as Plan;
const world = createWorld({ cwd: plan.folder, part: plan.part, env: { XDG_STATE_HOME: process.env["XDG_STATE_HOME"] } });
if (plan.lockStaleMs !== undefined) world.home().store.lockStaleMs = plan.lockStaleMs;
const monotonic = (): number => Number(process.hrtime.bigint()) / 1e6;
const log = (entry: Entry): boolean => process.stdout.write(`${JSON.stringify(entry)}\n`);

let calls = 0;
/** What this process knows: threads it takes part in, and messages it saw unread. */
const threads: string[] = [];
let unread: string[] = [];

const below = (limit: number): number => Math.floor(Math.random() * limit);
const one = <T>(items: readonly T[]): T => items[below(items.length)] as T;
const some = (items: readonly string[], most: number): string[] => {
  const left = [...items];
  return Array.from({ length: Math.min(left.length, 1 + below(most)) }, () => left.splice(below(left.length), 1)[0] as string);
};

async function call(begun: Omit<Invoked, "phase" | "call" | "at" | "part">): Promise<void> {
  calls += 1;
  const id = `${plan.name}-${calls}`;
  log({ ...begun, phase: "invoked", call: id, at: monotonic(), part: plan.part });
  // biome-ignore lint/suspicious/noExplicitAny: each operation answers its own fields.
  const told: any = await answer(world, operations[begun.kind], begun.input);
  const at = monotonic();
  if (told.success !== true) {
    log({ phase: "refused", call: id, at, code: told.code, error: told.error });
    return;
  }
  if (begun.kind === "send") threads.push(told.threadId);
  if (begun.kind === "inbox") {
    unread = told.messages.map(({ messageId }: { messageId: string }) => messageId);
    for (const { threadId } of told.messages) if (!threads.includes(threadId)) threads.push(threadId);
  }
  const moved =
    begun.kind === "ack"
      ? told.acked.map((messageId: string) => ({ part: plan.part, messageId }))
      : begun.kind === "close"
        ? told.cleared
        : undefined;
  const whole = begun.kind === "inbox" && told.unread === told.messages.length;
  log({ phase: "answered", call: id, at, messageId: told.messageId, moved, unread: whole ? unread : undefined });
}

async function act(kind: Invoked["kind"]): Promise<void> {
  const mark = `${plan.name} ${calls}`;
  const keyed = Math.random() < 0.5 ? { idempotency_key: mark } : {};
  switch (kind) {
    case "send":
      return call({ kind, mark, input: { to: some(plan.peers, 3), subject: "Torture", body: mark, ...keyed } });
    case "reply":
      if (threads.length === 0) return act("send");
      return call({ kind, mark, input: { threadId: one(threads), body: mark, ...keyed } });
    case "inbox":
      return call({ kind, input: { limit: 200 } });
    case "ack": {
      if (unread.length === 0) return act("inbox");
      const ids = some(unread, 5);
      return call({ kind, ids, input: { messageIds: ids } });
    }
    case "close": {
      if (threads.length === 0) return act("inbox");
      const thread = one(threads);
      return call({ kind, ids: [thread], input: { threadId: thread } });
    }
  }
}

process.stdout.write('{"ready":true}\n');
for (const { kind, mark, ids, input } of plan.again ?? []) {
  await call({ kind, input: input ?? {}, ...(mark === undefined ? {} : { mark }), ...(ids === undefined ? {} : { ids }) });
}
const urn = Object.entries(plan.weights).flatMap(([kind, weight]) => Array.from({ length: weight }, () => kind as Invoked["kind"]));
while (!fs.existsSync(plan.until)) {
  endIfAlone();
  await act(one(urn));
}
