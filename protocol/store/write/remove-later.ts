/** Removes a file that no answer waits for: another thread does it, while this one goes on. */
import fs from "node:fs";
import path from "node:path";
import { hold } from "../held.ts";
import { absolute, guard, noteWritten, type Store } from "../root.ts";

/** Removes one name of a file. Where that fails, it stays. @param then runs once that is done, or cannot be done */
export function removeLater(store: Store, target: string, then: () => void): void {
  try {
    noteWritten(store, path.posix.dirname(target));
    guard(store, path.posix.dirname(target));
    const { own, release } = hold(store.root, absolute(store, target));
    fs.unlink(own, () => {
      release();
      then();
    });
  } catch {
    then();
  }
}
