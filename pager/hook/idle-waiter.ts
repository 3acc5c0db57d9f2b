/** The waiter of an idle session: as soon as a wake is owed, it ends with the text for the agent. spec/waking.md, "Waking by hooks". */

import type { HostName } from "../../protocol/agents/hosts/index.ts";
import type { World } from "../../protocol/index.ts";
import { ownName } from "../../protocol/mail/files/members.ts";
import { noteLife } from "../../protocol/mail/files/presence.ts";
import { lifeOf, startedFor } from "../../protocol/store/process.ts";
import { keepHookMemory, recallHookMemory, takeWait } from "../../protocol/wake/files/hook-memory.ts";
import { commitWake, reportWake } from "../../protocol/wake/files/lease-wake.ts";
import { waitForWakes } from "../../protocol/wake/verbs/wait-for-wake.ts";
import type { HookInput } from "./hook-input.ts";
import { isUnattended } from "./unattended.ts";

/** What was unread when the agent stopped is left to the hook that ran then, for so long. */
const LEFT_TO_STOP_MS = 1_500;

/** How a waiter may end. */
export interface IdleOptions {
  /** Whether the wait has been going on for long enough, or somebody ended it. */
  signal: AbortSignal;
  /** Says the reminder to the agent; whatever comes after it may not come at all. */
  remind(line: string): Promise<void>;
}

/**
 * Waits until a wake is owed to the part of this world, takes it, and says it.
 * @returns whether it rang; false when another waits for this session, the session ended, or there is nothing to wait for
 */
export async function waitIdle(world: World, agent: HostName, input: HookInput, { signal, remind }: IdleOptions): Promise<boolean> {
  // Claude Code runs such a hook to its end where no person sits before it, and would never come to its own.
  if (typeof input.agent_id === "string" || isUnattended(world.env, agent, input)) return false;
  const { part } = world.me;
  const now = part === null ? null : ownName(world, part);
  if (now === null) return false;
  noteLife(world, now);
  const session = startedFor();
  if (!takeWait(world, now, session ?? String(input.session_id ?? ""))) return false;
  const begun = performance.now();
  let atStart: ReadonlySet<string> | null = null;
  let rang = false;
  let told: readonly string[] = [];
  const stop = new AbortController();
  const end = (): void => stop.abort();
  signal.addEventListener("abort", end, { once: true });
  if (signal.aborted) end();
  await waitForWakes(world, {
    rung: "hook",
    signal: stop.signal,
    checking() {
      if (session !== null && lifeOf(session) === "gone") end();
    },
    mayRing(unread) {
      told = unread;
      atStart ??= new Set(performance.now() - begun < LEFT_TO_STOP_MS ? unread : []);
      return performance.now() - begun >= LEFT_TO_STOP_MS || unread.some((id) => atStart?.has(id) === false);
    },
    async ring(ringing, { wakeId, line }) {
      if (stop.signal.aborted || rang || commitWake(world, ringing, wakeId) !== "committed") return;
      rang = true;
      await remind(line);
      reportWake(world, ringing, wakeId, "noticed");
      // The turn that begins now is about this mail: its end is not held back for it once more.
      if (typeof input.session_id === "string")
        keepHookMemory(world, ringing, input.session_id, {
          ...recallHookMemory(world, ringing, input.session_id),
          ...{ told: [...told], held: [...told], row: 0 },
        });
      end();
    },
  });
  return rang;
}
