import * as z from "zod/mini";
import { defineOperation } from "../../core/operation.ts";
import { BroughtBackShape, Faults } from "../../core/shapes.ts";
import { withFaults } from "../../core/with-faults.ts";
import { requireRepository } from "../../git/home/repository.ts";
import { noteRecorded, releaseRecorder } from "../sync/leave-recorder.ts";
import { recordHome } from "../sync/record-home.ts";

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
