import * as z from "zod/mini";
import type { Faults as FaultList } from "../../home/broken-files.ts";
import { ofThread, unreadIds } from "../../home/part/inbox-files.ts";
import { resolveThread } from "../../home/thread/threads.ts";
import { FileError } from "../../objects/format/file-error.ts";
import { compareNewest, type MessageLocation, parseMessageId, threadId } from "../../objects/format/id.ts";
import { count, flag, LIMITS, maybe } from "../../objects/format/schema.ts";
import { type Caller, inboxNew } from "../../objects/part/part.ts";
import { defineOperation } from "../../operation.ts";
import { EXIT, refuse } from "../../refusal.ts";
import { absolute } from "../../store/root.ts";
import { type Watch, watchFolders } from "../../store/watch.ts";
import type { World } from "../../world.ts";
import { finishPending } from "../finish-pending.ts";
import { Brief, Faults } from "../shapes.ts";
import { withFaults } from "../with-faults.ts";
import { mailShown } from "./inbox.ts";

const SHOWN = 10;

/** What came while somebody waited. */
export const Came = {
  unread: z.number(),
  timedOut: z.boolean(),
  messages: z.array(Brief),
  /** The threads that nothing came in, where threads were named. */
  missing: z.optional(z.array(z.string())),
};

/** Blocks until something is unread. */
export const wait = defineOperation({
  name: "wait",
  tool: "room",
  summary: "Wait until a message is unread, or the time is over (exit code 8)",
  when: "Block until mail comes: any mail, or in one (all: each) of these threads. Many clients give up at 60 s.",
  effect: "read",
  identity: "reader",
  positionals: ["threads"],
  onlyNow: true,
  input: () => ({
    threads: maybe(z.array(z.string()).check(z.minLength(1), z.maxLength(LIMITS.ackIds), z.describe("only mail in these threads"))),
    all: flag("until each of the threads has mail"),
    timeoutSeconds: count(0, LIMITS.waitSeconds, 50, "seconds; MCP clients end a call after 60"),
  }),
  output: () => ({ ...Came, problems: Faults }),
  example: { timeoutSeconds: 50 },
  exit: ({ timedOut }) => (timedOut ? EXIT.timeout : EXIT.ok),
  async run(world, { threads, all, timeoutSeconds }, caller) {
    const named = threads?.map((given) => threadId(resolveThread(world.home(), given)));
    return waitFor(world, caller, { threads: named, all: all === true, timeoutSeconds });
  },
});

/** What somebody waits for: anything unread, or mail in one or in each of some threads. */
interface Awaited {
  /** Whole ids. */
  threads?: readonly string[] | undefined;
  all: boolean;
  timeoutSeconds: number;
}

/**
 * Blocks until it is there, or the time is over.
 * @throws Refusal `interrupted` where the call was cancelled before that; FileError where the inbox cannot be read
 */
export async function waitFor(world: World, { part }: Caller, { threads, all, timeoutSeconds }: Awaited) {
  const { store } = world.home();
  const missing = (unread: readonly string[]): string[] => (threads ?? []).filter((thread) => ofThread(unread, thread).length === 0);
  const isThere = (unread: readonly string[]): boolean =>
    threads === undefined ? unread.length > 0 : missing(unread).length <= (all ? 0 : threads.length - 1);
  const look = (): string[] => {
    const ids = unreadIds(store, part);
    // Of an inbox that cannot be read nobody would ever hear.
    const problem = store.skipped.get(inboxNew(part));
    if (problem !== undefined) throw new FileError(problem, undefined, inboxNew(part));
    return ids;
  };
  if (timeoutSeconds > 0 && !isThere(look())) await until(world, part, timeoutSeconds, () => isThere(look()));
  const unread = look().sort(compareNewest);
  const timedOut = !isThere(unread);
  if (timedOut && world.signal?.aborted === true) throw refuse("interrupted", { state: "nothing came before that" });
  const wanted = threads === undefined ? unread : unread.filter((id) => threads.includes(threadId(parseMessageId(id) as MessageLocation)));
  const problems: FaultList = [];
  const messages = mailShown(world, part, wanted.slice(0, SHOWN), () => true, problems);
  const left = threads === undefined || missing(unread).length === 0 ? {} : { missing: missing(unread) };
  return withFaults({ unread: unread.length, timedOut, messages, ...left }, problems);
}

/** Resolves once something is there, the time is over, or the call was cancelled. */
async function until(world: World, part: string, timeoutSeconds: number, isThere: () => boolean): Promise<void> {
  const { store } = world.home();
  const folders = [inboxNew(part), "local/pending", "outbox"].map((folder) => absolute(store, folder));
  let finish = (): void => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  let watch: Watch | undefined;
  const timer = setTimeout(finish, timeoutSeconds * 1_000);
  world.signal?.addEventListener("abort", finish, { once: true });
  try {
    watch = await watchFolders(folders, async () => {
      await finishPending(world);
      if (isThere()) finish();
    });
    // What came, or cancelled the call, before the watch began is not heard of by it.
    if (world.signal?.aborted !== true && !isThere()) await finished;
  } finally {
    clearTimeout(timer);
    world.signal?.removeEventListener("abort", finish);
    await watch?.close();
  }
}
