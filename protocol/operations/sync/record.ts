import * as z from "zod/mini";
import { requireRepository } from "../../home/git/repository.ts";
import { noteRecorded, releaseRecorder } from "../../home/sync/leave-recorder.ts";
import { recordHome } from "../../home/sync/record-home.ts";
import { defineOperation } from "../../operation.ts";
import { BroughtBackShape, Faults } from "../shapes.ts";
import { withFaults } from "../with-faults.ts";

/** Commits what changed in the home. */
export const record = defineOperation({
  name: "record",
  summary: "Commit changes to the home; files deleted by accident are restored first",
  effect: "write",
  idempotent: true,
  identity: "none",
  warnsOfSettings: "held",
  output: () => ({
    commit: z.nullable(z.string()),
    changes: z.record(z.string(), z.number()),
    parts: z.array(z.string()),
    restored: z.array(z.string()),
    broughtBack: z.nullable(BroughtBackShape),
    problems: Faults,
  }),
  async run(world) {
    requireRepository(world);
    releaseRecorder(world.home().store);
    const recorded = await recordHome(world);
    noteRecorded(world.home().store);
    const {
      commit = null,
      counts = new Map<string, number>(),
      who = [],
      restored = [],
      problems = [],
      broughtBack = null,
    } = recorded ?? {};
    return withFaults({ commit, changes: Object.fromEntries(counts), parts: who, restored, broughtBack }, problems);
  },
});
