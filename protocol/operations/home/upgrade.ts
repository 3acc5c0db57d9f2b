import * as z from "zod/mini";
import { changeConfig } from "../../home/change-config.ts";
import { FORMAT } from "../../objects/config/config-schema.ts";
import { defineOperation } from "../../operation.ts";

/** Lets the home be written in the newest format. A person decides it: programs that are older refuse the home from then on. */
export const upgrade = defineOperation({
  name: "upgrade",
  summary: "Upgrade the home to this version's format; older versions of Relay then refuse it",
  effect: "write",
  idempotent: true,
  identity: "none",
  output: () => ({ format: z.int(), before: z.int() }),
  async run(world) {
    let before: number = FORMAT;
    await changeConfig(world.home(), ({ format }) => {
      before = format;
      return format === FORMAT ? null : { kind: "format", format: FORMAT };
    });
    return { format: FORMAT, before };
  },
});
