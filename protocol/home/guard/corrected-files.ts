/** Files that are written once, that nobody could read, and that somebody corrected by hand: the correction counts. spec/git.md, "Guard". */
import { isSealed, sealProblem } from "../../objects/format/id.ts";
import { MOST_BYTES } from "../../objects/format/schema.ts";
import type { HistoryChange } from "../../objects/guard/guard-history.ts";
import { locateMessage } from "../../objects/message/message.ts";
import { readerOf, UNREADABLE } from "../../objects/noun/merge-tree.ts";
import { isReadable, verbatim } from "../../objects/noun/noun.ts";
import { nounAt } from "../../objects/tree/layout.ts";
import { sha256 } from "../../store/digest.ts";
import { readAll } from "../../store/git/git-blobs.ts";
import type { Repository } from "../../store/git/git-run.ts";

/** Kinds of which another file says what counts. */
const FOLLOWED: ReadonlySet<string> = new Set(["acked", "claim", "decision"]);

/**
 * Whether a file that is written once has a text that its path can stand for: of a message the one that its name was made of, of
 * another noun one that can be read. Null where nothing tells, whatever the text: of claims the last of a chain counts, mail is its
 * message, and an artifact may hold anything.
 * @param text null for bytes that are no text
 */
export function isIntact(path: string, text: string | null): boolean | null {
  const key = locateMessage(path);
  if (key !== null) return isSealed(key.token) ? text !== null && sealProblem(text, key, sha256) === null : null;
  const { noun, place } = nounAt(path) ?? {};
  if (noun?.guard !== "once" || noun.parse === verbatim || FOLLOWED.has(noun.kind)) return null;
  return text !== null && isReadable(() => noun.parse(text, place, sha256));
}

/** So many changes of one range are read: whoever pushes more of them at once corrects nothing by hand. */
const READ_MOST = 1_000;

/** Those of some changes that made an intact text of one that was not. Messages are none: nobody edits them. @throws Refusal `git_failed` */
export async function correctedIn<T extends HistoryChange>(repository: Repository, changes: readonly T[]): Promise<ReadonlySet<T>> {
  const asked = changes.filter(({ path }) => locateMessage(path) === null && isIntact(path, null) !== null).slice(0, READ_MOST);
  const ids = new Set(asked.flatMap(({ before, after }) => [before ?? [], after ?? []].flat()));
  const texts = await readAll(repository, [...ids], MOST_BYTES);
  const read = readerOf((id) => texts.get(id) ?? UNREADABLE);
  const intact = (path: string, id: string | null): boolean | null => (id === null ? null : isIntact(path, read(id)));
  return new Set(asked.filter(({ path, before, after }) => intact(path, before) === false && intact(path, after) === true));
}
