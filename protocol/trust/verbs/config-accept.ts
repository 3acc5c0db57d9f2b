import * as z from "zod/mini";
import { settingWords } from "../../core/config/setting-changes.ts";
import { defineOperation } from "../../core/operation.ts";
import { refuse } from "../../core/refusal.ts";
import { acceptSettings } from "../files/accepted-settings.ts";

/** Lets the settings of `relay.yml` count on this machine. */
export const config_accept = defineOperation({
  name: "config_accept",
  summary: "Accept the settings of relay.yml as they are now, so that they count on this machine",
  effect: "write",
  idempotent: true,
  identity: "none",
  warnsOfSettings: "none",
  output: () => ({ accepted: z.array(z.string()) }),
  async run(world) {
    const { said, held, fault } = world.home().read();
    if (fault !== null) throw refuse("malformed_file", { path: fault.path, line: fault.line, problem: fault.problem });
    if (held.length > 0) acceptSettings(world, said);
    return { accepted: held.map((change) => settingWords([change])) };
  },
});
