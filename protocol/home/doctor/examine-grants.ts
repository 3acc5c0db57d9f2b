/** The findings of `doctor` about commands: those that nobody granted, those that are never trusted, and grants that cannot be kept. spec/check.md, "doctor". */
import path from "node:path";
import { FileError } from "../../objects/format/file-error.ts";
import { type Finding, found } from "../../objects/format/finding.ts";
import { many } from "../../objects/format/many.ts";
import { Refusal, removeTracked } from "../../refusal.ts";
import type { World } from "../../world.ts";
import { findPool, openTeams } from "../agent/agents.ts";
import { granted, neverBelieved } from "../agent/grants.ts";
import { commandsOf, grantOf, type HookCommand } from "../agent/hooks.ts";
import { changedTools } from "../agent/sealed-tools.ts";
import { trackedState } from "../discover.ts";
import { stateFolder } from "../machine.ts";
import { failingNotifies } from "../notify/notify-list.ts";
import { unbelievedWakeMethod } from "../wake/who-rings.ts";

/** Looks for commands without a grant, and for files that would be trust if files of the home were. */
export async function examineGrants(world: World): Promise<Finding[]> {
  return [
    ...examineStateFolder(world),
    ...examineHooks(world),
    ...examineTools(world),
    ...examineUnbelieved(world),
    ...examineNotifies(world),
    ...examineTracked(world),
  ];
}

function examineStateFolder(world: World): Finding[] {
  const { folder, problem } = stateFolder(world);
  if (problem === null) return [];
  const kept = folder === null ? "Relay can keep no permissions on this machine" : `this machine keeps its permissions in ${folder}`;
  return [
    found("state_folder", `${problem}; ${kept}`, {
      severity: folder === null ? "warning" : "note",
      path: folder ?? undefined,
      remedy: "Set XDG_STATE_HOME to a folder that only you can write, outside of every project",
    }),
  ];
}

function examineHooks(world: World): Finding[] {
  const waiting = hookCommands(world).filter((each) => granted(world, grantOf(each)) === null);
  return [...new Map(waiting.map((each) => [JSON.stringify(grantOf(each)), each])).values()].map(
    ({ agent, hook, command }): Finding =>
      found(
        "not_granted",
        `the ${hook} hook of "${agent}" wants to run ${JSON.stringify(command)}, and nobody allowed it on this machine`,
        { remedy: "Read it, then run `relay trust`" },
      ),
  );
}

function examineTools(world: World): Finding[] {
  return changedTools(world).map(
    ({ agent, before, now }): Finding =>
      found(
        "tools_changed",
        `"${agent}" has the tools ${(now ?? ["all"]).join(", ")} now; this machine allowed ${(before ?? ["all"]).join(", ")}, and no more than that works`,
        { remedy: "Read them, then run `relay trust`" },
      ),
  );
}

/** Every hook command of an open session's team and the pool; a file that cannot be read is named by others. */
function hookCommands(world: World): HookCommand[] {
  try {
    const places = [...openTeams(world), findPool(world) ?? { agents: [] }];
    return places.flatMap(({ agents }) => agents.flatMap(commandsOf));
  } catch (error) {
    if (error instanceof Refusal || error instanceof FileError) return [];
    throw error;
  }
}

function examineUnbelieved(world: World): Finding[] {
  return neverBelieved(world.home().store).map((at): Finding => {
    const part = /^local\/deliver\/(.+)\.json$/.exec(at)?.[1];
    const commands = part === undefined ? [] : (unbelievedWakeMethod(world, part)?.commands ?? []);
    const wants = commands.map((argv) => ` It wants to run ${JSON.stringify(argv)}.`).join("");
    return found("not_believed", `a file in the home cannot allow anything, because it can come from anybody. Relay ignores it.${wants}`, {
      path: at,
      remedy:
        part === undefined
          ? "Read what wants to run (`relay trust`), and remove the file"
          : `Choose anew (\`relay part deliver ${part}\`, \`relay up --part ${part} -- PROGRAM\`), and remove the file`,
    });
  });
}

/** Ways of telling people whose last try failed. */
function examineNotifies(world: World): Finding[] {
  return failingNotifies(world).map(
    ({ name, at, event, detail }): Finding =>
      found("notify_failed", `notify "${name}" could not report ${event} at ${at}: ${detail}`, {
        remedy: `\`relay notify test ${name}\` tries it, \`relay notify remove ${name}\` removes it`,
      }),
  );
}

/** Machine state that the code tracks: it came with the code, and goes to everybody who clones it. */
function examineTracked(world: World): Finding[] {
  const { store } = world.home();
  const tracked = trackedState(store.root);
  const [first] = tracked;
  if (first === undefined) return [];
  return [
    found("tracked_state", `the code tracks ${many(tracked.length, "file")} of outbox/, local/ and run/, which belong to one machine`, {
      path: first,
      remedy: `In ${path.dirname(store.root)}: \`${removeTracked(path.basename(store.root))}\`, and commit. Until then nothing is written here`,
    }),
  ];
}
