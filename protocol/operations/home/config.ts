import * as z from "zod/mini";
import { acceptSettings } from "../../home/held-settings.ts";
import { goodConfig, restoreConfig } from "../../home/home.ts";
import { syncHome } from "../../home/sync/sync-home.ts";
import { CONFIG_PATH } from "../../objects/config/config.ts";
import { flag, LIMITS } from "../../objects/format/schema.ts";
import { defineOperation } from "../../operation.ts";
import { readText } from "../../store/read.ts";

const shared = { tool: null, idempotent: true, identity: "none", home: true, positionals: [], example: {} } as const;

const SYNC_MS = 300_000;

/** Shows the configuration that counts, and why it is another than the file where it is. */
export const configShow = defineOperation({
  ...shared,
  name: "config_show",
  command: "config show",
  summary: "Show the configuration that counts on this machine",
  when: "Show the configuration that counts.",
  effect: "read",
  input: () => z.object({}),
  output: () => z.object({ path: z.string(), counts: z.enum(["file", "last_good"]), text: z.string(), problem: z.nullable(z.string()) }),
  async run(world) {
    const home = world.home();
    const fault = home.configFault();
    const text = fault === null ? readText(home.store, CONFIG_PATH, LIMITS.configBytes) : goodConfig(home.store)?.text;
    const where = fault?.line === undefined ? CONFIG_PATH : `${CONFIG_PATH}:${fault.line}`;
    return {
      path: CONFIG_PATH,
      counts: fault === null ? ("file" as const) : ("last_good" as const),
      text: text ?? "",
      problem: fault === null ? null : `${where}: ${fault.problem}`,
    };
  },
});

/** Lets settings that came by sync, and are looser or far tighter, count on this machine. */
export const configAccept = defineOperation({
  ...shared,
  name: "config_accept",
  command: "config accept",
  summary: "Let settings that came by sync and do not count yet (looser, or far tighter) count on this machine",
  when: "Accept settings that came by sync.",
  effect: "write",
  input: () => z.object({}),
  output: () => z.object({ accepted: z.array(z.string()) }),
  async run(world) {
    const accepted = [...world.home().configHeld()];
    if (accepted.length > 0) acceptSettings(world, accepted);
    return { accepted };
  },
});

/** Puts the last good configuration back; what is there now is kept on this machine. */
export const configRestore = defineOperation({
  ...shared,
  name: "config_restore",
  command: "config restore",
  summary: "Put the last version of relay.yml back that could be read",
  when: "Put the last good relay.yml back.",
  effect: "write",
  input: () =>
    z.object({
      push: flag("send it too, though the remote's relay.yml is of a later format: that one gives way; no other sync does this"),
    }),
  output: () => z.object({ restored: z.boolean(), kept: z.nullable(z.string()), sent: z.optional(z.boolean()) }),
  async run(world, { push }) {
    const home = world.home();
    const restored = home.configFault() !== null;
    const kept = restored ? restoreConfig(home.store) : null;
    if (push !== true) return { restored, kept };
    const { sent } = await syncHome(world, { overrule: true, timeoutMs: SYNC_MS });
    return { restored, kept, sent };
  },
});
