import * as z from "zod/mini";
import { parseMessageId } from "../../core/format/id.ts";
import { count, flag, line, maybe } from "../../core/format/schema.ts";
import { defineOperation } from "../../core/operation.ts";
import { Refusal, refuse } from "../../core/refusal.ts";
import { BroughtBackShape, Faults } from "../../core/shapes.ts";
import { inWords } from "../../core/tree/record.ts";
import { withFaults } from "../../core/with-faults.ts";
import type { World } from "../../core/world.ts";
import { readMessage } from "../../mail/files/read-message.ts";
import { messagePath } from "../../mail/nouns/message.ts";
import { arrivalFaults } from "../sync/arrival-words.ts";
import { createRemoteAsker, type RemoteAsker } from "../sync/ask-remote.ts";
import { noteRecorded } from "../sync/leave-recorder.ts";
import { pauseAfter, pauseFor, syncHome } from "../sync/sync-home.ts";
import { addSync, type Synced } from "../sync/sync-result.ts";

/** Refusals that time may cure: who syncs on a beat tries again. */
const PASSING = new Set(["remote_unreachable", "busy", "git_failed", "login_needed", "remote_refused"]);
/** What an interrupted sync came to. */
const UNSYNCED = "nothing was synced, and your changes are recorded here";
/** Contested files that are named; a push can make any number of them. */
const NAMED = 10;

/** A message that came, as a list shows it. */
const Mail = z.object({ messageId: z.string(), threadId: z.string(), from: z.string(), to: z.array(z.string()), subject: z.string() });

/** Shares the home through a remote: what is here goes there, what is there comes here. */
export const sync = defineOperation({
  name: "sync",
  summary: "Share the home through a git remote: commit, fetch, merge, push. It publishes your mail",
  effect: "write",
  idempotent: true,
  identity: "none",
  warnsOfSettings: "held",
  input: () => ({
    remote: maybe(
      line(
        2_048,
        "a remote of the code, or a URL, for this sync and all later ones (default: the one chosen before, else relay.yml's, else origin)",
      ),
    ),
    watch: flag("sync again and again until interrupted"),
    everySeconds: count(1, 86_400, 30, "seconds between two syncs with --watch"),
    repair: flag("restore the last good commit of a damaged branch"),
    accept: maybe(
      z.enum(["theirs", "both"]).check(z.describe("when the branch was rewritten or deleted on the remote: take theirs, or push both")),
    ),
    timeoutSeconds: count(1, 86_400, 300, "most seconds for the whole sync"),
  }),
  output: () => ({
    remote: z.string(),
    branch: z.string(),
    commit: z.string(),
    arrived: z.object({
      messages: z.number(),
      mail: z.array(Mail),
      files: z.number(),
      changes: z.record(z.string(), z.number()),
      gaveWay: z.array(z.string()),
      did: z.array(z.string()),
      /** The commits that did something to a part that lives here. */
      toUndo: z.array(z.string()),
      commits: z.array(z.string()),
      commitCount: z.number(),
      authors: z.array(z.string()),
    }),
    sent: z.boolean(),
    rounds: z.number(),
    restored: z.array(z.string()),
    broughtBack: z.array(BroughtBackShape),
    contested: z.array(z.string()),
    contestedCount: z.number(),
    problems: Faults,
    warning: z.optional(z.string()),
  }),
  example: { remote: "origin" },
  async run(world, { remote, watch, everySeconds, repair, accept, timeoutSeconds }) {
    const options = { remote, repair, accept, timeoutMs: timeoutSeconds * 1_000 };
    const syncOnce = (): Promise<Synced> => syncHome(world, options);
    const synced = await (watch === true ? onABeat(world, everySeconds * 1_000, syncOnce) : syncOnce());
    noteRecorded(world.home().store);
    const { attempts, arrived: all, contested, came, warnings, ...others } = synced;
    const rest = { ...others, contested: contested.slice(0, NAMED), contestedCount: contested.length };
    const { things, messages, files, gaveWay, did, toUndo } = all;
    const warned = warnings.length === 0 ? {} : { warning: warnings.join("; ") };
    const { newest: commits, count: commitCount, authors } = came;
    const mail = all.mail.flatMap((id) => briefOf(world, id));
    const arrived = { messages, mail, files, changes: Object.fromEntries(things), gaveWay, did, toUndo, commits, commitCount, authors };
    return withFaults({ ...rest, arrived, ...warned }, arrivalFaults(all, attempts));
  },
});

/** A message that came; nothing of one that is gone again, or cannot be read. */
function briefOf(world: World, id: string): z.infer<typeof Mail>[] {
  const location = parseMessageId(id);
  const message = location === null ? null : readMessage(world.home().store, location, messagePath(location), []);
  if (message === null) return [];
  const { thread: threadId, from, to, subject } = message;
  return [{ messageId: id, threadId, from, to: [...to], subject }];
}

/** Waits for the next sync: for so long, or until the remote has something new, where it answers. */
async function untilDue(world: World, asker: RemoteAsker, pauseMs: number, mayAsk: boolean): Promise<void> {
  for (const endMs = performance.now() + pauseMs; ; ) {
    const restMs = endMs - performance.now();
    await pauseFor(Math.max(0, mayAsk ? Math.min(restMs, asker.dueMs()) : restMs), world.signal);
    if (world.signal?.aborted === true || performance.now() >= endMs || (mayAsk && (await asker.hasMoved(world)))) return;
  }
}

/** Syncs again and again; a remote that fails is asked less and less often. Gives the last that worked, with what came before. */
async function onABeat(world: World, everyMs: number, syncOnce: () => Promise<Synced>): Promise<Synced> {
  let last = null as Synced | null;
  let failures = 0;
  const asker = createRemoteAsker();
  const isOver = (): boolean => world.signal?.aborted === true;
  while (!isOver()) {
    try {
      const synced = await syncOnce();
      failures = 0;
      asker.synced(synced.commit, synced.sent || synced.arrived.files > 0);
      if (synced.sent || synced.arrived.files > 0)
        world.progress?.(
          `${inWords(synced.arrived.things)} came${synced.sent ? `; ${synced.broughtBack.length > 0 ? "the repair was" : "your commits were"} pushed` : ""}`,
        );
      last = last === null ? synced : addSync(last, synced);
    } catch (error) {
      if (isOver()) break;
      if (!(error instanceof Refusal) || !PASSING.has(error.code)) throw error;
      failures += 1;
      world.progress?.(error.message);
    }
    await untilDue(world, asker, pauseAfter(failures, everyMs), failures === 0);
  }
  if (last === null) throw refuse("interrupted", { state: UNSYNCED });
  return last;
}
