/** The exec rung: a command of the user's, kept on this machine only, and never made from words of a message. SPEC.md, "The exec rung". */
import path from "node:path";
import { deliveryOf, runProgram, untied, type World } from "../protocol/index.ts";
import type { Outcome, Ring, Rung } from "./rung.ts";

const TIMEOUT_S = 10;

/** Rings by the command of `relay part deliver PART exec -- …`. */
export function execRung(world: World): Rung {
  const commandOf = (part: string) => deliveryOf(world, part).exec;
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
      const { exitCode, output } = await runProgram(command.argv, { cwd: path.dirname(root), env, timeoutMs: timeoutS * 1_000 });
      const said = output.split("\n").at(-1)?.slice(0, 200) ?? "";
      if (exitCode === 0) return said === "" ? { kind: "typed" } : { kind: "typed", detail: said };
      // One that was killed may have delivered; to ring again at once could be a second nudge.
      if (exitCode === null) return { kind: "typed", detail: `killed after ${timeoutS} s` };
      return { kind: "unreachable", reason: "failed", detail: `exit code ${exitCode}${said === "" ? "" : `: ${said}`}` };
    },
  };
}
