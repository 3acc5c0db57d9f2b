/** Checks `RELAY.md`, which agents obey: whether it is the text of this version of Relay. spec/check.md, "doctor". */
import { GUIDE_PATH } from "../../core/config/config-nouns.ts";
import { readOr } from "../../core/format/file-error.ts";
import { type Finding, found } from "../../core/format/finding.ts";
import { FILE_BYTES } from "../../core/format/schema.ts";
import { RELAY_MD } from "../../core/templates.ts";
import type { World } from "../../core/world.ts";
import { exists } from "../../store/read/facts.ts";
import { readText } from "../../store/read/read-file.ts";
import { moveFile } from "../../store/write/move-file.ts";
import { publish } from "../../store/write/publish.ts";

/** Finds a guide that somebody edited, or that another version of Relay wrote; one that is missing is found with the record. */
export function* examineGuide(world: World): Generator<Finding> {
  const { store, config } = world.home();
  // Git may have made other line breaks of it; what is no text differs too.
  const says = readOr(null, () => readText(store, GUIDE_PATH, FILE_BYTES.memory)?.replaceAll("\r\n", "\n"));
  if (!exists(store, GUIDE_PATH) || says === RELAY_MD) return;
  const problem = "it differs from the text of this version of Relay: somebody edited it, or another version wrote it";
  const byHand = "Review it like code. Write a project's own instructions to memory/project.md";
  const replaced =
    "`relay doctor --fix` writes this version's text, and keeps the other below local/guide/. Write your own instructions to memory/project.md";
  const fix = (): void => {
    moveFile(store, GUIDE_PATH, `local/guide/${world.random(12)}.md`);
    publish(store, GUIDE_PATH, RELAY_MD);
  };
  // A file of the code is its people's to change.
  yield found("guide_differs", problem, { path: GUIDE_PATH, ...(config().inTree ? { remedy: byHand } : { remedy: replaced, fix }) });
}
