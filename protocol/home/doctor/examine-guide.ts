/** Checks `RELAY.md`, which agents obey: whether it is the text of this version of Relay. spec/check.md, "doctor". */
import { GUIDE_PATH } from "../../objects/config/nouns.ts";
import { FileError } from "../../objects/format/file-error.ts";
import type { Finding } from "../../objects/format/finding.ts";
import { moveFile, publish } from "../../store/files.ts";
import { exists, readText } from "../../store/read.ts";
import type { Store } from "../../store/root.ts";
import { RELAY_MD } from "../../templates.ts";
import type { World } from "../../world.ts";

const GUIDE_BYTES = 1_048_576;

/** A guide that somebody edited, or that another version of Relay wrote; one that is not there is found with the record. */
export function examineGuide(world: World): Finding[] {
  const { store, config } = world.home();
  if (!exists(store, GUIDE_PATH) || says(store) === RELAY_MD) return [];
  const finding: Finding = {
    severity: "note",
    code: "guide_differs",
    path: GUIDE_PATH,
    problem: "it is not what this version of Relay tells agents: a hand changed it, or another version wrote it",
  };
  // A file of the code is its people's to change.
  if (config().inTree)
    return [{ ...finding, remedy: "Look at it as at code; a project's own words to its agents belong into memory/project.md" }];
  return [
    {
      ...finding,
      remedy: "`relay doctor --fix` writes this version's, and keeps the other below local/guide/; own words belong into memory/project.md",
      fix: () => {
        moveFile(store, GUIDE_PATH, `local/guide/${world.random(12)}.md`);
        publish(store, GUIDE_PATH, RELAY_MD);
      },
    },
  ];
}

/** What the guide says, whatever git made of its line breaks; null where it is no text. */
function says(store: Store): string | null {
  try {
    return readText(store, GUIDE_PATH, GUIDE_BYTES)?.replaceAll("\r\n", "\n") ?? null;
  } catch (error) {
    if (error instanceof FileError) return null;
    throw error;
  }
}
