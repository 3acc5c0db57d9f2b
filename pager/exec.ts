/** The exec rung: a command of the user's, kept on this machine only, and never made from words of a message. spec/waking.md, "The exec rung". */
import path from "node:path";
import { worktreeOfPart } from "../protocol/core/home/worktree-part.ts";
import { untied } from "../protocol/git/git-environment.ts";
import type { World } from "../protocol/index.ts";
import { runProgram } from "../protocol/store/run.ts";
import { wakeMethodOf } from "../protocol/wake/files/who-rings.ts";
import { type Outcome, PAGER_ENDS, type Ring, type Rung } from "./rung.ts";

const TIMEOUT_S = 10;
/** A command that runs when its pager is told to end has so long. */
const LEAVE_MS = 3_000;

/** Rings by the command of `relay part deliver PART exec -- …`. */
export function execRung(world: World): Rung {
  const commandOf = (part: string) => wakeMethodOf(world, part).exec;
  return {
    name: "exec",
    serves: (part) => commandOf(part) !== undefined,
    async ring(ring: Ring): Promise<Outcome> {
      const command = commandOf(ring.part);
      if (command === undefined) return { kind: "unreachable", reason: "no_command" };
      if (!ring.commit()) return { kind: "waiting", reason: "not_committed" };
      const { root } = world.home().store;
      const timeoutS = command.timeout_s ?? TIMEOUT_S;
      const env = {
        ...untied(world.env),
        RELAY_PART: ring.part,
        RELAY_WAKE_ID: ring.wakeId,
        RELAY_UNREAD: String(ring.unread),
        RELAY_HOME: root,
      };
      const leaving = leave(ring.signal);
      // An agent that the command starts takes who it is from where it works.
      const cwd = worktreeOfPart(world, path.dirname(root), ring.part) ?? path.dirname(root);
      const options = { cwd, env, timeoutMs: timeoutS * 1_000, signal: leaving.signal };
      const { exitCode, signal, output } = await runProgram(command.argv, options).finally(leaving.clear);
      const said = output.split("\n").at(-1)?.slice(0, 200) ?? "";
      if (exitCode === 0) return said === "" ? { kind: "typed" } : { kind: "typed", detail: said };
      // One that was killed may have delivered; to ring again at once could be a second nudge.
      if (exitCode === null) return { kind: "typed", detail: killedBy(signal, leaving.signal.aborted, timeoutS) };
      return { kind: "unreachable", reason: "failed", detail: `exit code ${exitCode}${said === "" ? "" : `: ${said}`}` };
    },
  };
}

const killedBy = (signal: string | undefined, left: boolean, timeoutS: number): string =>
  signal !== undefined ? `killed by ${signal}` : left ? "killed when the pager ended" : `killed after ${timeoutS} s`;

/** Aborts a while after the pager was told to end; not when the wake is over, for it may be the command that reads the mail. */
function leave(signal: AbortSignal): { signal: AbortSignal; clear: () => void } {
  const stop = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const end = (): void => {
    if (signal.reason === PAGER_ENDS) timer = setTimeout(() => stop.abort(), LEAVE_MS);
  };
  signal.addEventListener("abort", end, { once: true });
  if (signal.aborted) end();
  return {
    signal: stop.signal,
    clear() {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
    },
  };
}
