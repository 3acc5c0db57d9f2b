/** How the program of a dispatch is started: said once, at its first turn, so that every turn is one of the same agent. */
import path from "node:path";
import type { Dispatch } from "../../objects/dispatch/dispatch.ts";
import { FileError, orElse } from "../../objects/format/file-error.ts";
import { FILE_BYTES } from "../../objects/format/schema.ts";
import { parseAgentFile, type RUNNERS } from "../../objects/office/agent-file.ts";
import { fileSlug } from "../../objects/office/name.ts";
import type { Position } from "../../objects/office/positions.ts";
import { sha256 } from "../../store/digest.ts";
import { publish } from "../../store/files.ts";
import { readText } from "../../store/read.ts";
import type { Store } from "../../store/root.ts";
import type { World } from "../../world.ts";
import { inspectOffice, requireOffice } from "../office/read-office.ts";
import { localFolder } from "./local-files.ts";

/** What does not change from turn to turn. */
export interface Frozen {
  /** The id of the position, and what others call it. */
  position: string;
  name: string;
  /** Whether it leads nothing, and so has no `Send`. */
  isLeaf: boolean;
  program: (typeof RUNNERS)[number];
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
  orElse(null, () => {
    const text = readText(store, frozenPath(id), FROZEN_BYTES);
    return text === null ? null : (JSON.parse(text) as Frozen);
  });

/**
 * How a dispatch is started: as its first turn said, or by the files of the office as they are now.
 * @throws Refusal `roster_unavailable`; FileError where the agent's file cannot be read, or the position is none any more
 */
export function frozenOf(world: World, dispatch: Dispatch): Frozen {
  const { store } = world.home();
  const known = readFrozen(store, dispatch.id);
  if (known !== null) return known;
  const position = requireOffice(world).positions.get(dispatch.recipient);
  if (position === undefined)
    throw new FileError(`${dispatch.recipient} is not a position of the office any more`, undefined, dispatch.agent);
  const agent = agentOf(store, position);
  const { runner = "claude", model, tools, maxTurns, isolation = "none", prompt } = agent;
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
    cwd: folderOf(world, position),
    digest: digestOf(store, position),
  };
  publish(store, frozenPath(dispatch.id), `${JSON.stringify(frozen)}\n`);
  return readFrozen(store, dispatch.id) ?? frozen;
}

function agentOf(store: Store, position: Position): ReturnType<typeof parseAgentFile> {
  const source = readText(store, position.agent, FILE_BYTES.team);
  if (source === null) throw new FileError("the file of the agent is missing", undefined, position.agent);
  return parseAgentFile(source, fileSlug(path.posix.basename(position.agent, ".md")) as string);
}

const digestOf = (store: Store, { agent, unit }: Pick<Position, "agent" | "unit">): string =>
  sha256([agent, unit].map((file) => orElse("", () => readText(store, file, FILE_BYTES.team) ?? "")).join("\0"));

/** Whether the files that a dispatch was started by say something else now. */
export function isOfficeChanged(world: World, frozen: Frozen): boolean {
  const { store } = world.home();
  const position = inspectOffice(store).office?.positions.get(frozen.position);
  return position === undefined || digestOf(store, position) !== frozen.digest;
}

/** The folder that a position works in: that of its project in this repository, else the repository. */
function folderOf(world: World, position: Position): string {
  const { store } = world.home();
  const repository = path.dirname(store.root);
  const [slug] = position.id.split("/");
  const office = inspectOffice(store).files.find(({ place }) => place.kind === "office")?.value;
  const known = office !== null && office !== undefined && "known" in office ? office.known : [];
  return path.join(repository, known.find((project) => project.slug === slug)?.path ?? ".");
}
