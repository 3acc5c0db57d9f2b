/** How big a home is, and how fast it grows. spec/commands.md, "stats". */
import fs from "node:fs";
import path from "node:path";
import { dayOf, decodeTime } from "../../core/format/id.ts";
import { isShared, thingAt } from "../../core/tree/record.ts";
import { gitText, type Repository } from "../../git/git-run.ts";
import { locateMessage } from "../../mail/nouns/message.ts";
import { facts } from "../../store/read/facts.ts";
import { entries } from "../../store/read/list-folder.ts";
import type { Store } from "../../store/root.ts";

/** Files and their bytes. */
export interface Size {
  files: number;
  bytes: number;
}

/** What a home holds. */
export interface Sizes {
  /** By what the files are; `private` is what clones do not share, `delivery` is a name of a message in an inbox. */
  kinds: Map<string, Size>;
  /** Messages by the day on which they were written, by their writers' clocks. */
  days: Map<string, Size>;
  total: Size;
}

const grow = <K>(sizes: Map<K, Size>, key: K, bytes: number): void => {
  const size = sizes.get(key) ?? { files: 0, bytes: 0 };
  sizes.set(key, { files: size.files + 1, bytes: size.bytes + bytes });
};

/** Measures a home by its names and sizes; no file is read. A second name of a message takes no room. */
export function sizesOf(store: Store): Sizes {
  const sizes: Sizes = { kinds: new Map(), days: new Map(), total: { files: 0, bytes: 0 } };
  const walk = (folder: string): void => {
    for (const { name, kind } of entries(store, folder === "" ? "." : folder)) {
      const at = folder === "" ? name : `${folder}/${name}`;
      if (at === ".git") continue;
      if (kind === "folder") walk(at);
      else if (kind === "file") count(at, facts(store, at)?.size ?? 0);
    }
  };
  const count = (at: string, size: number): void => {
    const isAck = at.startsWith("inbox/") && /\/(new|read)\//.test(at);
    const bytes = isAck ? 0 : size;
    grow(sizes.kinds, isShared(at) ? (isAck ? "delivery" : (thingAt(at)?.word ?? "delivery")) : "private", bytes);
    sizes.total = { files: sizes.total.files + 1, bytes: sizes.total.bytes + bytes };
    const message = locateMessage(at);
    if (message !== null) grow(sizes.days, dayOf(decodeTime(message.token)), size);
  };
  walk("");
  return sizes;
}

/** How big the record is: bytes of git's directory, commits, and objects that are not packed yet. */
export async function recordSize(repository: Repository): Promise<{ bytes: number; commits: number; loose: number }> {
  const counted = await gitText(repository, ["count-objects", "-v"]);
  const loose = Number(/^count: (\d+)$/m.exec(counted)?.[1] ?? 0);
  const commits = Number(await gitText(repository, ["rev-list", "--count", "HEAD"]).catch(() => "0"));
  return { bytes: bytesBelow(repository.gitDir), commits, loose };
}

function bytesBelow(folder: string): number {
  let bytes = 0;
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const at = path.join(folder, entry.name);
    if (entry.isDirectory()) bytes += bytesBelow(at);
    else bytes += fs.statSync(at, { throwIfNoEntry: false })?.size ?? 0;
  }
  return bytes;
}
