/** Changing relay.yml, and putting the last good one back. SPEC.md, "relay.yml". */

import { randomBytes } from "../../store/digest.ts";
import { facts } from "../../store/read/facts.ts";
import type { Store } from "../../store/root.ts";
import { moveFile } from "../../store/write/move-file.ts";
import { linkFile, place } from "../../store/write/publish.ts";
import { replaceFile } from "../../store/write/replace.ts";
import { type Config, editConfig, parseConfig } from "../config/config.ts";
import { CONFIG_PATH } from "../config/config-schema.ts";
import type { ConfigEdit } from "../config/config-text.ts";
import { LIMITS } from "../format/schema.ts";
import { refuse } from "../refusal.ts";
import { mustRead } from "./broken-files.ts";
import { goodConfig, type Home } from "./home.ts";

/**
 * Changes `relay.yml`; comments and unknown fields stay.
 * @param edit makes the change from the configuration as it is, and may throw to refuse; null changes nothing
 */
export async function changeConfig(home: Home, edit: (config: Config) => ConfigEdit | null): Promise<void> {
  await replaceFile(home.store, CONFIG_PATH, LIMITS.configBytes, (source) =>
    mustRead(CONFIG_PATH, () => {
      if (source === null)
        throw refuse("malformed_file", { path: CONFIG_PATH, problem: "it does not exist. `relay config restore` restores it" });
      const change = edit(parseConfig(source));
      return change === null ? null : editConfig(source, change);
    }),
  );
}

/**
 * Puts the last good configuration back.
 * @returns where what was there is kept on this machine; null where nothing was there, or a link
 * @throws Refusal `no_good_config`
 */
export function restoreConfig(store: Store): string | null {
  const good = goodConfig(store);
  if (good === null) throw refuse("no_good_config", { path: CONFIG_PATH });
  const kind = facts(store, CONFIG_PATH)?.kind;
  const kept = kind === undefined || kind === "link" ? null : `local/config/replaced-${randomName()}.yml`;
  // The file keeps its name until the good one takes it: without relay.yml a search for the home finds none.
  if (kept !== null && kind === "file") linkFile(store, CONFIG_PATH, kept);
  else if (kept !== null) moveFile(store, CONFIG_PATH, kept);
  place(store, CONFIG_PATH, good.text);
  return kept;
}

const randomName = (): string => Buffer.from(randomBytes(6)).toString("hex");
