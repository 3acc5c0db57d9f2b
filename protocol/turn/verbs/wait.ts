import * as z from "zod/mini";
import { findSession } from "../../board/files/sessions.ts";
import { reviewFolder } from "../../board/nouns/review.ts";
import { taskFolder } from "../../board/nouns/task.ts";
import type { Connection } from "../../core/connection-memory.ts";
import { finishPending } from "../../core/finish-pending.ts";
import { FileError } from "../../core/format/file-error.ts";
import { threadId } from "../../core/format/id.ts";
import { flag, LIMITS, maybe } from "../../core/format/schema.ts";
import type { Caller } from "../../core/names.ts";
import { defineOperation } from "../../core/operation.ts";
import { EXIT, refuse } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { hosts } from "../../mail/asks.ts";
import { ofThread, unreadIds } from "../../mail/files/inbox-files.ts";
import { isItself } from "../../mail/files/mail.ts";
import { startHeartbeat } from "../../mail/files/presence.ts";
import { resolveThread } from "../../mail/files/threads.ts";
import { inboxNew } from "../../mail/nouns/part.ts";
import { absolute } from "../../store/root.ts";
import { type Watch, watchFolders } from "../../store/watch.ts";
import { calledFor, freshMail, NOW, openFor } from "../files/part-news.ts";
import { ackLast, ackShown, Turn, wholeTurn } from "./make-turn.ts";
import { keepTurns } from "./next-file.ts";

/** What came while somebody waited. */
export const Came = {
  ...Turn,
  timedOut: z.boolean(),
  /** The threads that nothing came in, where threads were named. */
  missing: z.optional(z.array(z.string())),
  /** What the part waits for, and from whom, where nothing came. */
  open: z.optional(z.array(z.string())),
};

/** Seconds that a shell, and a client of which nothing is known, give a call; a `wait` ends before that unless it is told. */
const SHELL_SECONDS = 120;
const CLIENT_SECONDS = 60;
const MARGIN_SECONDS = 10;

/** Seconds that a `wait` of a connection blocks unless it is told. */
const usualSeconds = ({ lasting, client = "" }: Connection): number =>
  (lasting ? (hosts().callSeconds(client) ?? CLIENT_SECONDS) : SHELL_SECONDS) - MARGIN_SECONDS;
/** A board is quiet once nothing changed for so long; it is told at the latest after the other. */
const QUIET_MS = 2_000;
/** What one act brings comes within this time, as an approval and the task that it makes ready. */
const TOGETHER_MS = 250;
const QUIET_MOST_MS = 10_000;

/** Blocks until something is new. */
export const wait = defineOperation({
  name: "wait",
  tool: "room",
  summary: "Wait until `next` has something, or the time is over (exit code 8)",
  when: "Block until `next` has something, or mail is in threads (all: in each).",
  effect: "read",
  identity: "reader",
  positionals: ["threads"],
  onlyNow: true,
  words: true,
  input: () => ({
    threads: maybe(z.array(z.string()).check(z.minLength(1), z.maxLength(LIMITS.ackIds), z.describe("only mail in these threads"))),
    all: flag("until each of the threads has mail"),
    ack: ackShown(),
    timeoutSeconds: maybe(
      z
        .int()
        .check(
          z.gte(0),
          z.lte(LIMITS.waitSeconds),
          z.describe("seconds, as many as your tool lets a call last; default: 110, by MCP 50 or more"),
        ),
    ),
  }),
  output: () => Came,
  example: { timeoutSeconds: 540 },
  exit: ({ timedOut }) => (timedOut ? EXIT.timeout : EXIT.ok),
  async run(world, { threads, all, ack, timeoutSeconds = usualSeconds(world.connection) }, caller) {
    const acked = ack === undefined ? {} : ackLast(world, caller.part);
    const named = threads?.map((given) => threadId(resolveThread(world.home(), given)));
    return { ...acked, ...(await waitFor(world, caller, { threads: named, all: all === true, timeoutSeconds })) };
  },
});

/** What somebody waits for: anything new, or mail in one or in each of some threads. */
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
  const look = (): string[] => {
    const ids = unreadIds(store, part);
    // Of an inbox that cannot be read nobody would ever hear.
    const problem = store.skipped.get(inboxNew(part));
    if (problem !== undefined) throw new FileError(problem, undefined, inboxNew(part));
    return ids;
  };
  const coming = (): string | null => {
    const unread = look();
    if (threads === undefined) return calledFor(world, part, unread);
    const { fresh } = freshMail(world, part, unread, { threads });
    return fresh.length > 0 && missing(unread).length <= (all ? 0 : threads.length - 1) ? NOW : null;
  };
  const merged = threads === undefined ? await (await import("../../board/files/end-merged.ts")).endMerged(world, part) : [];
  if (timeoutSeconds > 0 && coming() !== NOW) await until(world, part, timeoutSeconds, coming);
  const timedOut = coming() === null;
  if (timedOut && world.signal?.aborted === true) throw refuse("interrupted", { state: "nothing came before that" });
  const lacking = missing(look());
  const open = timedOut && threads === undefined ? openFor(world, part) : [];
  return {
    ...(await wholeTurn(world, part, { threads, merged })),
    timedOut,
    ...(lacking.length === 0 ? {} : { missing: lacking }),
    ...(open.length === 0 ? {} : { open }),
  };
}

/** Resolves once something is there, the board that it comes from is quiet, the time is over, or the call was cancelled. */
async function until(world: World, part: string, timeoutSeconds: number, coming: () => string | null): Promise<void> {
  const { store } = world.home();
  const session = findSession(world, undefined);
  const board = session === null ? [] : [taskFolder(session), reviewFolder(session)];
  const folders = [inboxNew(part), "local/pending", "outbox", "sessions", ...board].map((folder) => absolute(store, folder));
  let finish = (): void => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  let watch: Watch | undefined;
  const shown = isItself(world, part) ? startHeartbeat(world, part, { name: "relay wait" }, { waits: true }) : null;
  const timers = [setTimeout(finish, timeoutSeconds * 1_000)];
  let quiet: NodeJS.Timeout | undefined;
  let before: string | null = null;
  const heard = (): void => {
    const comes = coming();
    if (comes === NOW) timers.push(setTimeout(finish, TOGETHER_MS));
    if (comes === null || comes === NOW || comes === before) return;
    before = comes;
    if (quiet === undefined) timers.push(setTimeout(finish, QUIET_MOST_MS));
    clearTimeout(quiet);
    quiet = setTimeout(finish, QUIET_MS);
  };
  world.signal?.addEventListener("abort", finish, { once: true });
  try {
    watch = await watchFolders(folders, async () => {
      await finishPending(world);
      await keepTurns(world);
      heard();
    });
    // What came, or cancelled the call, before the watch began is not heard of by it.
    if (world.signal?.aborted !== true) {
      heard();
      await finished;
    }
  } finally {
    shown?.stop();
    for (const timer of [...timers, quiet]) clearTimeout(timer);
    world.signal?.removeEventListener("abort", finish);
    await watch?.close();
  }
}
