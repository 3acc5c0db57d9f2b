/** Folders of the home that a link replaced: git takes what was below one for gone, and what lies behind it is not the home's. spec/git.md, "Recording". */
import { addTo } from "../../core/format/append.ts";
import type { FileFault } from "../../core/refusal.ts";
import type { Change } from "../../git/git-changes.ts";
import { exists, facts } from "../../store/read/facts.ts";
import type { Store } from "../../store/root.ts";
import { dirname } from "./write-file.ts";

/** Finds the first link in the place of a folder on the way to a path; null where there is none. Of each folder the disk is asked once. */
function linkFinder(store: Store): (path: string) => string | null {
  const known = new Map<string, string | null>([["", null]]);
  const linkAt = (folder: string): string | null => {
    const seen = known.get(folder);
    if (seen !== undefined) return seen;
    const found = linkAt(dirname(folder)) ?? (facts(store, folder)?.kind === "link" ? folder : null);
    known.set(folder, found);
    return found;
  };
  return (path) => linkAt(dirname(path));
}

/** Tells whether a name is there, and no link leads to it. */
export function lookPlainly(store: Store): (path: string) => boolean {
  const linkTo = linkFinder(store);
  return (path) => linkTo(path) === null && exists(store, path);
}

/** What of files that are missing cannot be put back, because a link stands in the way; each link is named once. */
export function behindLinks(store: Store, lost: readonly Change[]): { missing: Change[]; behind: Change[]; faults: FileFault[] } {
  const linkTo = linkFinder(store);
  const links = new Map<string, Change[]>();
  const missing = lost.filter((change) => {
    const link = linkTo(change.path);
    if (link !== null) addTo(links, link, change);
    return link === null;
  });
  const faults = [...links].map(([path, { length }]) => ({
    path,
    problem: `a link stands in its place, so ${length === 1 ? "the file" : `the ${length} files`} that the record has below it ${length === 1 ? "stays" : "stay"} recorded, and nothing behind it is read; once it is removed, the next record puts them back`,
  }));
  return { missing, behind: [...links.values()].flat(), faults };
}
