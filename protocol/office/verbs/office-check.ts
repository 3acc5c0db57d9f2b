import * as z from "zod/mini";
import { defineOperation } from "../../core/operation.ts";
import { EXIT } from "../../core/refusal.ts";
import { Fault } from "../../core/shapes.ts";
import { missingPrograms } from "../files/missing-programs.ts";
import { inspectOffice } from "../files/read-office.ts";
import { unknownKeys } from "../nouns/check-office.ts";
import { OFFICE_PATH } from "../nouns/org-files.ts";
import { faultsOf, PositionShape, positionsOf, RosterShape, rostersOf } from "./office-answers.ts";

/** Says whether the office is whole, and lists every fault of every file where it is not. */
export const office_check = defineOperation({
  name: "office_check",
  summary: "Check the office's files, and list its positions and rosters; changes nothing. The exit code is 1 when something is wrong",
  effect: "read",
  identity: "none",
  output: () => ({
    ok: z.boolean(),
    positions: z.array(PositionShape),
    rosters: z.record(z.string(), RosterShape),
    faults: z.array(Fault),
    unknown: z.array(Fault),
    /** Programs that its agents are run by, and that this machine does not have. */
    missing: z.array(z.string()),
  }),
  exit: ({ ok }) => (ok ? EXIT.ok : EXIT.failed),
  async run(world) {
    const { office, files, faults } = inspectOffice(world.home().store);
    const isWhole = office !== null && faults.length === 0;
    return {
      ok: isWhole,
      positions: isWhole ? positionsOf(office) : [],
      rosters: isWhole ? rostersOf(office) : {},
      faults: faultsOf(faults, OFFICE_PATH),
      unknown: files.flatMap(unknownKeys).map(({ path = OFFICE_PATH, line, problem }) => ({ path, line, problem })),
      missing: isWhole ? missingPrograms(world, { office, files }) : [],
    };
  },
});
