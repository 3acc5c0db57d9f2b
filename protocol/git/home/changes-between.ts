/** What changed between two records of the home, told as things: messages, claims, tasks. spec/git.md, "Looking back". */
import { textOf } from "../../core/noun/merge-tree.ts";
import { refuse } from "../../core/refusal.ts";
import { thingAt } from "../../core/tree/record.ts";
import { readAll } from "../git-blobs.ts";
import { parseRaw } from "../git-changes.ts";
import { gitBytes, type Repository } from "../git-run.ts";
import { gitFieldLists } from "../git-stream.ts";

/** One thing that is not as it was; several files may be one thing. */
export interface ChangedThing {
  /** What it is: a word such as `message`. */
  word: string;
  name: string;
  /** Its first file, a path in the home. */
  path: string;
  change: "added" | "changed" | "removed";
}

/** So many files are compared; between records that differ in more, the first of them are told. */
const MOST_FILES = 50_000;
/** A longer text is not shown. */
const TEXT_BYTES = 262_144;

/**
 * The things that differ.
 * @param path one file alone; all where it is not given
 * @param signal ends it when nobody waits any more
 * @returns them in the order of their paths, and whether these are all
 * @throws Refusal `interrupted`, `git_failed`
 */
export async function changesBetween(
  repository: Repository,
  from: string,
  to: string,
  { path, signal }: { path?: string | undefined; signal?: AbortSignal | undefined } = {},
): Promise<{ things: ChangedThing[]; isWhole: boolean }> {
  const things = new Map<string, ChangedThing>();
  let [files, status] = [0, ""];
  const args = [
    "diff-tree",
    "-r",
    "-z",
    "--name-status",
    "--no-renames",
    from,
    to,
    ...(path === undefined ? [] : ["--", `:(literal)${path}`]),
  ];
  for await (const fields of gitFieldLists(repository, args)) {
    if (signal?.aborted === true) throw refuse("interrupted", { state: "not all changes were listed" });
    // A letter, and the path after it; git may have printed one without the other.
    for (const field of fields) {
      if (status === "") status = field;
      else {
        note(things, field, status);
        status = "";
        files += 1;
      }
    }
    if (files >= MOST_FILES) return { things: [...things.values()], isWhole: false };
  }
  return { things: [...things.values()], isWhole: true };
}

function note(things: Map<string, ChangedThing>, path: string, status: string): void {
  const thing = thingAt(path);
  // A message that was read leaves the unread names: its ack is told.
  if (thing === null || (thing.word === "ack" && status === "D")) return;
  const change = status === "A" ? "added" : status === "D" ? "removed" : "changed";
  const key = `${thing.word} ${thing.name}`;
  const known = things.get(key);
  if (known === undefined) things.set(key, { ...thing, path, change });
  else if (known.change !== change) known.change = "changed";
}

/** A file's text in two records; null where there is none, or it is too long, or no text. */
export async function textsBetween(
  repository: Repository,
  from: string,
  to: string,
  path: string,
): Promise<{ before: string | null; after: string | null }> {
  const args = ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", from, to, "--", `:(literal)${path}`];
  const change = parseRaw(await gitBytes(repository, args)).find((each) => each.path === path);
  const ids = [change?.before, change?.after].filter((id) => id !== undefined && id !== null);
  const all = await readAll(repository, ids, TEXT_BYTES);
  const textAt = (id: string | null | undefined): string | null => textOfBlob(all.get(id ?? ""));
  return { before: textAt(change?.before), after: textAt(change?.after) };
}

const textOfBlob = (bytes: Buffer | undefined): string | null => (bytes === undefined ? null : textOf(bytes));
