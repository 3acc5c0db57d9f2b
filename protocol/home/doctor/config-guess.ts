/** A guess at a configuration that cannot be read, so that the rest of the home can be checked. spec/check.md, "doctor". */
import fs from "node:fs";
import path from "node:path";
import { parseConfig } from "../../objects/config/config.ts";
import { FORMAT } from "../../objects/config/config-schema.ts";
import { guestPath } from "../../objects/part/guest.ts";
import { HUMAN, inboxNew } from "../../objects/part/part.ts";
import { exists } from "../../store/read.ts";
import { codeRepository } from "../code-repository.ts";
import { HOME_GIT } from "../discover.ts";
import type { Home } from "../home.ts";
import { inboxFolders } from "../part/members.ts";

/** The home as its folders show it: who has an inbox, and is no guest, is a part. Only for looking: nothing may follow from a guess. */
export function guessedHome({ store }: Home): Home {
  const parts = inboxFolders(store).filter((part) => exists(store, inboxNew(part)) && !exists(store, guestPath(part)));
  const code = codeRepository(path.dirname(store.root));
  const inTree = code !== null && !exists(store, ".git") && !fs.existsSync(path.join(code.commonDir, HOME_GIT));
  const config = parseConfig(
    JSON.stringify({
      format: FORMAT,
      project: { id: "unknown", name: "unknown" },
      main: HUMAN,
      parts: Object.fromEntries(parts.map((part) => [part, {}])),
      in_tree: inTree,
    }),
  );
  return { store, config: () => config, configFault: () => null, configHeld: () => [] };
}
