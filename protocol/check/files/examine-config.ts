/** Checks `relay.yml` on this machine, where the last good version counts in the place of one that cannot be read. spec/check.md, "doctor". */
import { CONFIG_PATH } from "../../core/config/config-schema.ts";
import { FileError } from "../../core/format/file-error.ts";
import { type Finding, found } from "../../core/format/finding.ts";
import { LIMITS } from "../../core/format/schema.ts";
import { restoreConfig } from "../../core/home/change-config.ts";
import { type ConfigFault, heldWarnings } from "../../core/home/home.ts";
import { Refusal } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { readText } from "../../store/read/read-file.ts";
import type { Store } from "../../store/root.ts";
import { configFaults, settingWarnings } from "./check-config.ts";

const RESTORE = "Correct it by hand, or restore the last good version: `relay config restore`";

/** What was found in a configuration. `broken` where no version counts: `here` none can be read, `later` another version of Relay wrote it. */
interface ConfigFindings {
  findings: Finding[];
  broken: "here" | "later" | null;
}

/** Checks `relay.yml`. Writes nothing. */
export function examineConfig(world: World): ConfigFindings {
  const { store, configFault } = world.home();
  try {
    const fault = configFault();
    if (fault !== null) return { findings: faultFindings(store, fault).map((each) => ({ ...each, remedy: RESTORE })), broken: null };
    const held = heldWarnings(world.home()).map((problem) => found("not_accepted", problem, { path: CONFIG_PATH }));
    return { findings: [...held, ...settingWarnings(readText(store, CONFIG_PATH, LIMITS.configBytes) ?? "")], broken: null };
  } catch (error) {
    // It was read before, and may not be read now.
    if (error instanceof FileError) return { findings: [found("malformed", error.message, { path: CONFIG_PATH })], broken: null };
    if (!(error instanceof Refusal)) throw error;
    if (error.code === "unsupported_format")
      return { findings: [found(error.code, error.message, { path: CONFIG_PATH })], broken: "later" };
    // What this machine keeps of the configuration cannot be read; the link is found with the folders of the home.
    if (error.code === "outside_home") return { findings: [], broken: "here" };
    if (error.code !== "malformed_file") throw error;
    return { findings: configFaults(store), broken: "here" };
  }
}

/** What is wrong in a configuration in whose place the last good one counts. What is gone may come back by itself; what a hand wrote may not. */
function faultFindings(store: Store, { code, path, line, problem }: ConfigFault): Finding[] {
  if (code === "no_home") return [found("missing", "it was deleted", { path, fix: () => void restoreConfig(store) })];
  if (code === "unsupported_format") return [found(code, problem, { path, line })];
  const faults = configFaults(store);
  return faults.length > 0 ? faults : [found("malformed", problem, { path, line })];
}
