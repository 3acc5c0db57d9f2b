/** Checks `RELAY.md`, which agents obey: whether it is the text of this version of Relay. spec/check.md, "doctor". */
import { GUIDE_PATH } from "../../objects/config/nouns.ts";
import { FileError } from "../../objects/format/file-error.ts";
import { type Finding, found } from "../../objects/format/finding.ts";
import { moveFile, publish } from "../../store/files.ts";
import { exists, readText } from "../../store/read.ts";
import type { Store } from "../../store/root.ts";
import { RELAY_MD } from "../../templates.ts";
import type { World } from "../../world.ts";
import { GUIDE_BYTES } from "./examine-board.ts";

/** A guide that somebody edited, or that another version of Relay wrote; one that is not there is found with the record. */
export function examineGuide(world: World): Finding[] {
  const { store, config } = world.home();
  if (!exists(store, GUIDE_PATH) || says(store) === RELAY_MD) return [];
  const finding: Finding = found(
    "guide_differs",
    "it differs from the text of this version of Relay: somebody edited it, or another version wrote it",
    { path: GUIDE_PATH },
  );
  // A file of the code is its people's to change.
  if (config().inTree) return [{ ...finding, remedy: "Review it like code. Write a project's own instructions to memory/project.md" }];
  return [
    {
      ...finding,
      remedy:
        "`relay doctor --fix` writes this version's text, and keeps the other below local/guide/. Write your own instructions to memory/project.md",
      fix: () => {
        moveFile(store, GUIDE_PATH, `local/guide/${world.random(12)}.md`);
        publish(store, GUIDE_PATH, RELAY_MD);
      },
    },
  ];
}

/** What the guide says, whatever git made of its line breaks; null where it is no text. */
export function says(store: Store): string | null {
  try {
    return readText(store, GUIDE_PATH, GUIDE_BYTES)?.replaceAll("\r\n", "\n") ?? null;
  } catch (error) {
    if (error instanceof FileError) return null;
    throw error;
  }
}
