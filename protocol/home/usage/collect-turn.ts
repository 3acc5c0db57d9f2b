/** Collects the calls of a turn when it ends: those of its session's own record, and of its subagents'. spec/usage.md, "Collecting". */
import fs from "node:fs";
import path from "node:path";
import { orElse } from "../../objects/format/file-error.ts";
import type { RecordAgent } from "../../objects/usage/records.ts";
import type { World } from "../../world.ts";
import { codeRepository, realFolder } from "../find-home.ts";
import { currentName } from "../part/members.ts";
import { collectRecord } from "./collect-usage.ts";
import { whoseCalls } from "./whose-calls.ts";

/** @param file absolute path of the session's record, as the agent tells its hooks */
export function collectTurn(world: World, agent: RecordAgent, file: string): void {
  const part = world.me.part === null ? null : currentName(world, world.me.part);
  const whose = whoseCalls(world, part, codeRepository(world.cwd)?.top ?? realFolder(world.cwd));
  for (const each of [file, ...(agent === "claude" ? subagentsOf(file) : [])]) collectRecord(world, { agent, file: each }, whose);
}

/** The records of the subagents of a session of Claude Code. @param file the session's own record */
export function subagentsOf(file: string): string[] {
  const folder = path.join(file.replace(/\.jsonl$/, ""), "subagents");
  const names = orElse([], () => fs.readdirSync(folder));
  return names.flatMap((name) => (name.endsWith(".jsonl") ? [path.join(folder, name)] : []));
}
