/** What `doctor` finds: in the files what `check` finds, and on this machine what its probes find. spec/check.md, "doctor". */
import fs from "node:fs";
import path from "node:path";
import { agentMemoryPath, MEMORY_BYTES, MEMORY_LARGE, MEMORY_PATH } from "../../board/nouns/memory.ts";
import { parseSettings } from "../../core/config/config.ts";
import { FORMAT } from "../../core/config/config-schema.ts";
import { type Finding, found } from "../../core/format/finding.ts";
import { noting } from "../../core/home/broken-files.ts";
import { codeRepository, HOME_GIT } from "../../core/home/find-home.ts";
import type { Home } from "../../core/home/home.ts";
import { HUMAN } from "../../core/names.ts";
import { listedPackages, type Package } from "../../core/package.ts";
import { type World, withHome } from "../../core/world.ts";
import { folderSnapshot } from "../../git/home/home-reader.ts";
import { inboxFolders, members } from "../../mail/files/members.ts";
import { inboxNew } from "../../mail/nouns/part.ts";
import { guestPath } from "../../mail/nouns/part-nouns.ts";
import { exists } from "../../store/read/facts.ts";
import { readText } from "../../store/read/read-file.ts";
import type { Probe } from "../asks.ts";
import { checkHome } from "./check-home.ts";
import { claimFacts } from "./claim-facts.ts";
import { examineClocks } from "./examine-clocks.ts";
import { examineConfig } from "./examine-config.ts";
import { examineGit } from "./examine-git.ts";
import { examineGuide } from "./examine-guide.ts";
import { examineLeftovers } from "./examine-leftovers.ts";
import { examineConnections, examineInboxes } from "./examine-parts.ts";
import { examineNames, examinePermissions, examineRoom } from "./examine-place.ts";
import { examineTools } from "./examine-tools.ts";
import type { Reads } from "./lasting-findings.ts";
import { withRepair } from "./repair-files.ts";

/** The probes of packages for one thing. */
const probeOf = (looked: keyof NonNullable<Package["probes"]>): Probe =>
  async function* (world) {
    for (const { probes } of listedPackages()) if (probes?.[looked] !== undefined) yield* probes[looked](world);
  };

/** What is examined, in words, and by which probes. What git knows needs one probe for two rows; the files are examined by `check`. */
const PROBES: readonly (readonly [looked: string, ...probes: Probe[]])[] = [
  ["git, the home's repository and its branch", examineGit, probeOf("claims")],
  ["links in worktrees, and which part each is"],
  ["other tools that pack or format the project", examineTools],
  ["permissions, room on the disk, and names that two file systems read differently", examinePermissions, examineRoom, examineNames],
  ["every file of the home: can it be read, and is it complete"],
  ["threads and inboxes, tasks and claims", examineInboxes, examineConnections, examineMemories],
  ["files of processes that ended, and wakes that no pager delivers", examineLeftovers, probeOf("wakes"), examineGuide],
  ["the agents that are set up here (more: relay setup --check)", probeOf("agents")],
  ["the office: trust, programs, and what its agents left", probeOf("office")],
  ["what may run on this machine", probeOf("grants")],
];

/** What is examined, in words. */
export const LOOKED: readonly string[] = PROBES.map(([looked]) => looked);

/**
 * Examines a home and its machine. Writes nothing; each finding's `fix` would. Where the configuration cannot be read, that is a
 * finding, who the parts are is guessed from the inboxes, and nothing that follows from the guess can be repaired. A format of a
 * later version hides all else.
 * @param reads which files are read; all are listed
 * @param prepare runs before anything is examined, where the configuration can be read
 * @throws Refusal `git_failed`
 */
export async function examine(world: World, reads: Reads, prepare: () => Promise<void>): Promise<Finding[]> {
  const { findings: ofConfig, broken } = examineConfig(world);
  if (broken === "later") return ofConfig;
  if (broken === null) await prepare();
  const seen = broken === null ? world : withHome(world, guessedHome(world.home()));
  const others = [...ofConfig];
  for (const [, ...probes] of PROBES) for (const probe of probes) for await (const finding of probe(seen)) others.push(finding);
  // What is wrong with one file is told once.
  const named = new Set(others.flatMap(({ severity, path: at }) => (severity === "error" ? [at] : [])));
  const all = [...(await examineFiles(seen, reads)).filter(({ path: at }) => !named.has(at)), ...others];
  // What a guess says is repaired by nobody; what is wrong with `relay.yml` itself is none.
  return broken === null ? all : all.map((each) => (ofConfig.includes(each) ? each : { ...each, fix: undefined }));
}

/** Checks the home's folder under the configuration that counts. */
async function examineFiles(world: World, reads: Reads): Promise<Finding[]> {
  const { store, config } = world.home();
  const progress = (at: string): void => world.progress?.(at);
  const { findings, warnings, threads } = await checkHome(
    folderSnapshot(store.root),
    claimFacts(world, store),
    progress,
    null,
    reads,
    config(),
  );
  return [...[...findings, ...warnings].map((each) => withRepair(world, each)), ...examineClocks(world, threads)];
}

/** The home as its folders show it: who has an inbox, and is no guest, is a part. Only for looking: nothing may follow from a guess. */
function guessedHome({ store }: Home): Home {
  const parts = inboxFolders(store).filter((part) => exists(store, inboxNew(part)) && !exists(store, guestPath(part)));
  const code = codeRepository(path.dirname(store.root));
  const { config, settings: said } = parseSettings(
    JSON.stringify({
      format: FORMAT,
      project: { id: "unknown", name: "unknown" },
      main: HUMAN,
      parts: Object.fromEntries(parts.map((part) => [part, {}])),
      in_tree: code !== null && !exists(store, ".git") && !fs.existsSync(path.join(code.commonDir, HOME_GIT)),
    }),
  );
  const read = () => ({ sign: "", config, fault: null, said, held: [], machine: null });
  return { store, read, config: () => config, configFault: () => null };
}

/** Checks the size of the memories. Writes nothing; a file that cannot be read is found with the files. */
function* examineMemories(world: World): Generator<Finding> {
  const { store } = world.home();
  const remedy = "Shorten it by hand: keep in sections what is still true, and remove the rest";
  for (const path of [MEMORY_PATH, ...members(world).map(({ part }) => agentMemoryPath(part))]) {
    const length = noting([], path, () => readText(store, path, MEMORY_BYTES))?.length ?? 0;
    const problem = `${length} characters, more than a prompt should hold (${MEMORY_LARGE})`;
    if (length > MEMORY_LARGE) yield found("memory_large", problem, { path, remedy });
  }
}
