import * as z from "zod/mini";
import { collectRecord } from "../../home/usage/collect-usage.ts";
import { findRecords } from "../../home/usage/find-records.ts";
import { whoseCalls } from "../../home/usage/whose-calls.ts";
import { defineOperation } from "../../operation.ts";

/** Reads what agents' records have since they were read last. */
export const usage_collect = defineOperation({
  name: "usage_collect",
  summary: "Read what the agents' own records of this project say of tokens; each agent's hook does this at the end of a turn",
  effect: "write",
  idempotent: true,
  identity: "none",
  output: () => ({
    records: z.number(),
    calls: z.number(),
    skipped: z.array(z.object({ agent: z.string(), file: z.string() })),
  }),
  async run(world) {
    const records = findRecords(world);
    const whose = new Map(records.map(({ top, part }) => [top, whoseCalls(world, part, top)]));
    const skipped: { agent: string; file: string }[] = [];
    let calls = 0;
    for (const [at, record] of records.entries()) {
      world.progress?.(`${at + 1} of ${records.length} records`);
      const found = collectRecord(world, record, whose.get(record.top) ?? {});
      if (found === null) skipped.push({ agent: record.agent, file: record.file });
      else calls += found;
    }
    return { records: records.length, calls, skipped };
  },
});
