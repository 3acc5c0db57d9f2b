import * as z from "zod/mini";
import { CONFIG_PATH } from "../../core/config/config-schema.ts";
import { settingWords } from "../../core/config/setting-changes.ts";
import { LIMITS } from "../../core/format/schema.ts";
import { goodConfig } from "../../core/home/home.ts";
import { defineOperation } from "../../core/operation.ts";
import { readText } from "../../store/read/read-file.ts";

/** Shows the configuration that counts, and why it is another than the file where it is. */
export const config_show = defineOperation({
  name: "config_show",
  summary: "Show the configuration in force on this machine",
  effect: "read",
  identity: "none",
  warnsOfSettings: "held",
  output: () => ({
    path: z.string(),
    counts: z.enum(["file", "last_good"]),
    text: z.string(),
    /** The settings of the text that do not count here: what counts, and what the text says. */
    waiting: z.array(z.string()),
    problem: z.nullable(z.string()),
  }),
  async run(world) {
    const home = world.home();
    const { fault, held } = home.read();
    const text = fault === null ? readText(home.store, CONFIG_PATH, LIMITS.configBytes) : goodConfig(home.store)?.text;
    const where = fault?.line === undefined ? CONFIG_PATH : `${CONFIG_PATH}:${fault.line}`;
    return {
      path: CONFIG_PATH,
      counts: fault === null ? ("file" as const) : ("last_good" as const),
      text: text ?? "",
      waiting: held.map((change) => settingWords([change])),
      problem: fault === null ? null : `${where}: ${fault.problem}`,
    };
  },
});
