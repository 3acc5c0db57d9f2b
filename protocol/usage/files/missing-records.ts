/** Records that a hook named and that were not there: the calls of those turns are not known. spec/usage.md, "Collecting". */
import fs from "node:fs";
import type { World } from "../../core/world.ts";
import { sha256 } from "../../store/digest.ts";
import { names } from "../../store/read/list-folder.ts";
import { readJson } from "../../store/read/read-json.ts";
import { removeFile } from "../../store/write/move-file.ts";
import { place } from "../../store/write/publish.ts";
import { RECORD_AGENTS, type RecordAgent } from "../nouns/records.ts";
import type { AgentRecord } from "./collect-usage.ts";

const MISSING = "local/usage/missing";
const BYTES = 65_536;
/** Number of records that are noted at most; an agent can have any number of sessions. */
const MOST = 100;
/** Agents remove old records themselves, so that an older note says nothing. */
const KEPT_MS = 30 * 86_400_000;

/** Notes a record that is not where a hook said, and forgets notes that say nothing any more. */
export function noteMissing(world: World, agent: RecordAgent, file: string): void {
  const { store } = world.home();
  const noted = names(store, MISSING);
  const stale = noted.filter((name) => read(world, name) === null);
  for (const name of stale) removeFile(store, `${MISSING}/${name}`);
  if (noted.length - stale.length >= MOST) return;
  const note = JSON.stringify({ agent, file, atMs: world.now() });
  place({ ...store, durable: false }, `${MISSING}/${sha256(file).slice(0, 32)}`, `${note}\n`);
}

/** Lists the records that hooks named within the last month and that are still not there. */
export const missingRecords = (world: World): AgentRecord[] =>
  names(world.home().store, MISSING).flatMap((name) => read(world, name) ?? []);

function read(world: World, name: string): AgentRecord | null {
  const note = readJson<Partial<AgentRecord & { atMs: number }>>(world.home().store, `${MISSING}/${name}`, BYTES);
  const { agent, file, atMs = 0 } = note ?? {};
  if (agent === undefined || !RECORD_AGENTS.includes(agent) || typeof file !== "string") return null;
  return fs.existsSync(file) || world.now() - atMs > KEPT_MS ? null : { agent, file };
}
