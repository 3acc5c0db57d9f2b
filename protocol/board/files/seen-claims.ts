/** What a remote that decides claims was last heard to say, kept under `run/`, which is disposable. spec/git.md, "Claims across machines". */
import { orElse } from "../../core/format/file-error.ts";
import type { World } from "../../core/world.ts";
import { readText } from "../../store/read/read-file.ts";
import { place } from "../../store/write/publish.ts";

/** What the remote said last about a task's claim, and since when (milliseconds since the epoch) it says it. */
export interface Seen {
  /** The object that the ref names. */
  id: string;
  fence: number;
  nonce: string;
  renewed: number;
  sinceMs: number;
}

const seenPath = (session: string, task: string): string => `run/remote-claims/${session}/${task}.json`;

/** What was seen of a task's claim on the remote; null where nothing was, or it was forgotten: then the silence counts anew. */
export function readSeen(world: World, session: string, task: string): Seen | null {
  return orElse(null, () => {
    const seen = JSON.parse(readText(world.home().store, seenPath(session, task), 1_024) ?? "null") as Seen | null;
    return seen !== null && /^[0-9a-f]{40,64}$/.test(seen.id) && typeof seen.fence === "number" && typeof seen.sinceMs === "number"
      ? seen
      : null;
  });
}

/** Keeps what was seen. */
export function writeSeen(world: World, session: string, task: string, seen: Seen | null): void {
  place(world.home().store, seenPath(session, task), `${JSON.stringify(seen)}\n`);
}
