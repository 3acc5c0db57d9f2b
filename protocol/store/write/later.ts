/** Writes of disposable files that no answer waits for: another thread does them, while this one goes on. */
import fs from "node:fs";
import path from "node:path";
import { absolute, errorCode, guard, noteWritten, type Store } from "../root.ts";
import { makeFolder } from "./make-folder.ts";

/** What became of a file that was to be made. */
export type Later = "created" | "exists" | "failed";

/** Makes an empty file, if nothing has its name yet. @param then is told once that is done, or cannot be done */
export function createLater(store: Store, target: string, then: (result: Later) => void): void {
  try {
    makeFolder({ ...store, durable: false }, path.posix.dirname(target));
  } catch {
    then("failed");
    return;
  }
  fs.open(absolute(store, target), "wx", (error, descriptor) => {
    if (error === null) fs.close(descriptor, () => then("created"));
    else then(errorCode(error) === "EEXIST" ? "exists" : "failed");
  });
}

/** Removes one name of a file. Where that fails, it stays. @param then runs once that is done, or cannot be done */
export function removeLater(store: Store, target: string, then: () => void = () => {}): void {
  try {
    noteWritten(store, path.posix.dirname(target));
    guard(store, path.posix.dirname(target));
  } catch {
    then();
    return;
  }
  fs.unlink(absolute(store, target), then);
}
