import path from "node:path";
import * as z from "zod/mini";
import { LIMITS, maybe, text } from "../../core/format/schema.ts";
import { defineOperation } from "../../core/operation.ts";
import { refuse } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { warnOfBudget } from "../files/budget.ts";
import { collectRecord } from "../files/collect-usage.ts";
import { type FoundRecord, findRecords } from "../files/find-records.ts";
import { missingRecords } from "../files/missing-records.ts";
import { whoseCalls } from "../files/whose-calls.ts";
import { RECORD_AGENTS, type RecordAgent } from "../nouns/records.ts";

/** Reads what agents' records have since they were read last. */
export const usage_collect = defineOperation({
  name: "usage_collect",
  summary: "Read what the agents' own records of this project say of tokens; each agent's hook does this at the end of a turn",
  effect: "write",
  idempotent: true,
  identity: "none",
  positionals: ["file"],
  input: () => ({
    file: maybe(text(LIMITS.query * 10, "one record of an agent, in place of all of this project")),
    agent: maybe(z.enum(RECORD_AGENTS).check(z.describe("whose record the file is"))),
  }),
  output: () => ({
    records: z.number(),
    calls: z.number(),
    skipped: z.array(z.object({ agent: z.string(), file: z.string() })),
  }),
  example: { file: "session.jsonl", agent: "claude" },
  async run(world, { file, agent }) {
    const records = file === undefined ? findRecords(world) : [oneRecord(world, file, agent)];
    const whose = new Map(records.map(({ top, part }) => [top, whoseCalls(world, part, top)]));
    const skipped: { agent: string; file: string }[] = file === undefined ? missingRecords(world) : [];
    let calls = 0;
    for (const [at, record] of records.entries()) {
      world.progress?.(`${at + 1} of ${records.length} records`);
      const found = collectRecord(world, record, whose.get(record.top) ?? {});
      if (found === null) skipped.push({ agent: record.agent, file: record.file });
      else calls += found;
    }
    if (calls > 0) await warnOfBudget(world, world.me.part);
    return { records: records.length, calls, skipped };
  },
});

/** A record that somebody names. @throws Refusal `invalid_argument` where they do not say whose it is */
function oneRecord(world: World, file: string, agent: RecordAgent | undefined): FoundRecord {
  if (agent === undefined)
    throw refuse("invalid_argument", {
      argument: "agent",
      expected: `whose record it is: ${RECORD_AGENTS.join(", ")}`,
      given: agent,
      example: "claude",
    });
  return { agent, file: path.resolve(world.cwd, file), top: world.cwd, part: world.me.part };
}
