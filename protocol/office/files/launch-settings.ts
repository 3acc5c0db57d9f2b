/** How the program of a dispatch is started: said once, at its first turn, so that every turn is one of the same agent. */
import path from "node:path";
import { FileError } from "../../core/format/file-error.ts";
import type { World } from "../../core/world.ts";
import { sha256 } from "../../store/digest.ts";
import { readJson } from "../../store/read/read-json.ts";
import type { Store } from "../../store/root.ts";
import { publish } from "../../store/write/publish.ts";
import type { AgentFile, ProgramName } from "../nouns/agent-file.ts";
import type { Dispatch } from "../nouns/dispatch.ts";
import type { OrgFile } from "../nouns/org-files.ts";
import type { Position } from "../nouns/positions.ts";
import { DEFAULT_RUNNER } from "../nouns/what-runs.ts";
import { worktreeFolder, worktreeOf } from "./dispatch-worktree.ts";
import { localFolder } from "./local-files.ts";
import { inOffice, officeToWrite } from "./office-folder.ts";
import { readDispatchFiles } from "./read-dispatch.ts";
import { inspectOffice } from "./read-office.ts";
import { requireTrustedOffice } from "./trusted-office.ts";

/** What does not change from turn to turn. */
export interface Frozen {
  /** The id of the position, and what others call it. */
  position: string;
  name: string;
  /** Whether it leads nothing, and so has no `Send`. */
  isLeaf: boolean;
  program: ProgramName;
  systemPrompt: string;
  model?: string;
  /** The tools of the program that it may use; all that the program has where absent. */
  tools?: readonly string[];
  maxTurns?: number;
  isolation: "none" | "worktree";
  /** The absolute folder that it works in. */
  cwd: string;
  /** Of the files that all this was taken from. */
  digest: string;
}

const FROZEN_BYTES = 2_097_152;
const frozenPath = (id: string): string => `${localFolder(id)}/launch.json`;

/** How a dispatch is started, as its first turn said; null before that. */
export const readFrozen = (store: Store, id: string): Frozen | null =>
  inOffice(store, null, (office) => readJson<Frozen>(office, frozenPath(id), FROZEN_BYTES));

/**
 * How a dispatch is started: as its first turn said, or by the files of the office as they are now, which must be trusted as they are.
 * @throws Refusal `roster_unavailable`, `office_untrusted`, `no_worktree`; FileError where the position is none any more
 */
export function frozenOf(world: World, dispatch: Dispatch): Frozen {
  const { store } = world.home();
  const known = readFrozen(store, dispatch.id);
  if (known !== null) return known;
  const { office, files, texts } = requireTrustedOffice(world);
  const position = office.positions.get(dispatch.recipient);
  if (position === undefined)
    throw new FileError(`${dispatch.recipient} is not a position of the office any more`, undefined, dispatch.agent);
  // Of a whole office every position has its agent.
  const agent = files.find(({ path: at }) => at === position.agent)?.value as AgentFile;
  const { runner = DEFAULT_RUNNER, model, tools, maxTurns, isolation = "none", prompt } = agent;
  const frozen: Frozen = {
    position: position.id,
    name: position.name,
    isLeaf: position.leads === null,
    program: runner,
    systemPrompt: prompt,
    ...(model === undefined ? {} : { model }),
    ...(tools === undefined ? {} : { tools }),
    ...(maxTurns === undefined ? {} : { maxTurns }),
    isolation,
    cwd: path.join(topOf(world, dispatch, isolation), projectOf(files, position)),
    digest: digestOf(texts, position),
  };
  publish(officeToWrite(store), frozenPath(dispatch.id), `${JSON.stringify(frozen)}\n`);
  return readFrozen(store, dispatch.id) ?? frozen;
}

const digestOf = (texts: ReadonlyMap<string, string>, { agent, unit }: Position): string =>
  sha256([agent, unit].map((file) => texts.get(file) ?? "").join("\0"));

/** Whether the files that a dispatch was started by say something else now. */
export function isOfficeChanged(world: World, frozen: Frozen): boolean {
  const { office, texts } = inspectOffice(world.home().store);
  const position = office?.positions.get(frozen.position);
  return position === undefined || digestOf(texts, position) !== frozen.digest;
}

/** The top of the tree that a dispatch works in: a worktree of its own, else that of the nearest dispatch above which has one, else the repository. */
function topOf(world: World, { id, parent }: Dispatch, isolation: Frozen["isolation"]): string {
  if (isolation === "worktree") return worktreeFolder(world, id);
  const above = dispatchesAbove(world.home().store, parent).map((each) => worktreeOf(world, each)?.folder);
  return above.find((folder) => folder !== undefined) ?? path.dirname(world.home().store.root);
}

/** The dispatches above one, nearest first. @param parent the nearest */
export function dispatchesAbove(store: Store, parent: string | undefined): string[] {
  const above: string[] = [];
  for (let at = parent; at !== undefined && !above.includes(at); at = readDispatchFiles(store, at)?.dispatch.parent) above.push(at);
  return above;
}

/** The folder of a position's project in the repository; the repository itself where the office says none. */
function projectOf(files: readonly OrgFile[], { id }: Position): string {
  const [slug] = id.split("/");
  const office = files.find(({ place }) => place.kind === "office")?.value;
  const known = office !== null && office !== undefined && "known" in office ? office.known : [];
  return known.find((project) => project.slug === slug)?.path ?? ".";
}
