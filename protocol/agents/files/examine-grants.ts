/** Checks commands that nobody granted, those that are never trusted, and grants that cannot be kept. spec/check.md, "doctor". */
import path from "node:path";
import { FileError } from "../../core/format/file-error.ts";
import { type Finding, found } from "../../core/format/finding.ts";
import { many } from "../../core/format/many.ts";
import { trackedState } from "../../core/home/home.ts";
import { Refusal, removeTracked } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { granted, neverBelieved } from "../../trust/files/grants.ts";
import { faultOfMachine } from "../../trust/files/machine.ts";
import { stateFolder } from "../../trust/files/state-folder.ts";
import { failingNotifies } from "../../wake/files/notify-list.ts";
import { unbelievedWakeMethod } from "../../wake/files/who-rings.ts";
import { changedTools } from "./agents.ts";
import { commandsOf, grantOf, type HookCommand } from "./hooks.ts";
import { findPool, openTeams } from "./teams.ts";

/** Finds commands without a grant, and files that would be trust if files of the home were. Writes nothing, and runs nothing of it. */
export function* examineGrants(world: World): Generator<Finding> {
  yield* examineStateFolder(world);
  for (const { agent, hook, command } of ungranted(world)) {
    const problem = `the ${hook} hook of "${agent}" wants to run ${JSON.stringify(command)}, and nobody allowed it on this machine`;
    yield found("not_granted", problem, { remedy: "Read it, then run `relay trust`" });
  }
  for (const { agent, before, now } of changedTools(world)) {
    const [is, was] = [now, before].map((tools) => (tools === null ? "all tools" : tools.join(", ") || "no tool"));
    const problem = `the definition of "${agent}" names ${is}; this machine accepted ${was}, and that counts`;
    yield found("tools_changed", problem, { remedy: "Read them, then run `relay trust`" });
  }
  for (const at of neverBelieved(world.home().store)) yield unbelieved(world, at);
  for (const { name, at, event, detail } of failingNotifies(world))
    yield found("notify_failed", `notify "${name}" could not report ${event} at ${at}: ${detail}`, {
      remedy: `\`relay notify test ${name}\` tries it, \`relay notify remove ${name}\` removes it`,
    });
  yield* examineTracked(world);
}

function* examineStateFolder(world: World): Generator<Finding> {
  const fault = faultOfMachine(world);
  if (fault !== null)
    yield found("state_folder", `${fault.problem}. Nothing counts as allowed, accepted or written on this machine`, {
      path: fault.path,
      remedy: "Correct its owner or its permissions",
    });
  const { folder, problem } = stateFolder(world);
  if (problem === null) return;
  const kept = folder === null ? "Relay can keep no permissions on this machine" : `this machine keeps its permissions in ${folder}`;
  yield found("state_folder", `${problem}; ${kept}`, {
    severity: folder === null ? "warning" : "note",
    path: folder ?? undefined,
    remedy: "Set XDG_STATE_HOME to a folder that only you can write, outside of every project",
  });
}

/** Each hook command of an open session's team and the pool that nobody granted, once; a file that cannot be read is named by others. */
function ungranted(world: World): HookCommand[] {
  try {
    const commands = [...openTeams(world), findPool(world) ?? { agents: [] }].flatMap(({ agents }) => agents.flatMap(commandsOf));
    const waiting = commands.filter((each) => granted(world, grantOf(each)) === null);
    return [...new Map(waiting.map((each) => [JSON.stringify(grantOf(each)), each])).values()];
  } catch (error) {
    if (error instanceof Refusal || error instanceof FileError) return [];
    throw error;
  }
}

const LIMITS_MOVED = "Move it to the folder that `relay office runner` names, where it counts";

/** A file of the home that would be a grant, if files of a home could be. */
function unbelieved(world: World, at: string): Finding {
  const part = /^local\/deliver\/(.+)\.json$/.exec(at)?.[1];
  const commands = part === undefined ? [] : (unbelievedWakeMethod(world, part)?.commands ?? []);
  const wants = commands.map((argv) => ` It wants to run ${JSON.stringify(argv)}.`).join("");
  const anew = `Choose anew (\`relay part deliver ${part}\`, \`relay up --part ${part} -- PROGRAM\`), and remove the file`;
  return found("not_believed", `a file in the home cannot allow anything, because it can come from anybody. Relay ignores it.${wants}`, {
    path: at,
    remedy:
      part !== undefined
        ? anew
        : at.endsWith("/limits.json")
          ? LIMITS_MOVED
          : "Read what wants to run (`relay trust`), and remove the file",
  });
}

/** Machine state that the code tracks: it came with the code, and goes to everybody who clones it. */
function* examineTracked(world: World): Generator<Finding> {
  const { root } = world.home().store;
  const tracked = trackedState(root);
  if (tracked[0] === undefined) return;
  yield found("tracked_state", `the code tracks ${many(tracked.length, "file")} of outbox/, local/ and run/, which belong to one machine`, {
    path: tracked[0],
    remedy: `In ${path.dirname(root)}: \`${removeTracked(path.basename(root))}\`, and commit. Until then nothing is written here`,
  });
}
