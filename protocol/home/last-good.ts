/**
 * The last version of a file that could be read, kept on this machine: it counts while the file cannot be read, so that no
 * edit and no push stops a home. spec/trust.md, "The last good version".
 */
import { readOr } from "../objects/format/file-error.ts";
import { sha256 } from "../store/digest.ts";
import { place } from "../store/files.ts";
import { type FileFacts, facts, readText } from "../store/read.ts";
import type { Store } from "../store/root.ts";

/** Where the good versions lie. Each begins with a line that holds the hash of the rest. */
const FOLDER = "local/config";
const HEAD = /^# (?:[0-9a-f]{64})\n/;
const HEAD_LENGTH = "# \n".length + 64;

/** Where the last good version of a file lies. @param target path in the home, of a file at its top */
export const goodPath = (target: string): string => `${FOLDER}/${target}`;

/**
 * Keeps a version that was read; nothing is written where it is the one that is kept, and nothing fails where the disk does.
 * @param now the facts of the file that was read, where it is not the file of that path in the home
 */
export function keepGood(store: Store, target: string, text: string, now: FileFacts | null = facts(store, target)): void {
  try {
    const kept = facts(store, goodPath(target));
    // One look spares the reading: a good version is written after the file that it is of.
    if (now !== null && kept?.kind === "file" && kept.size === now.size + HEAD_LENGTH && kept.modifiedMs >= now.modifiedMs) return;
    place(store, goodPath(target), `# ${sha256(text)}\n${text}`);
  } catch {
    // The home is read-only, or the disk full: then there is none for later, and this call has what it asked for.
  }
}

/** The last good version of a file; null where none is kept, or what is kept is not whole. @param limit bytes of the file at the most */
export function goodVersion(store: Store, target: string, limit: number): string | null {
  const kept = readOr(null, () => readText(store, goodPath(target), limit + HEAD_LENGTH));
  if (kept === null || !HEAD.test(kept)) return null;
  const text = kept.slice(HEAD_LENGTH);
  return kept.startsWith(`# ${sha256(text)}\n`) ? text : null;
}
