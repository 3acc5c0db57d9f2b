/** Small files of JSON that this machine keeps for itself. */
import { orElse } from "../../core/format/file-error.ts";
import type { Store } from "../root.ts";
import { readText } from "./read-file.ts";

/**
 * Reads a file that Relay wrote for itself.
 * @param limit bytes that it has at the most
 * @returns what it says; null where it is not there, or cannot be read
 */
export const readJson = <T>(store: Store, target: string, limit: number): T | null =>
  orElse(null, () => {
    const text = readText(store, target, limit);
    return text === null ? null : (JSON.parse(text) as T);
  });
