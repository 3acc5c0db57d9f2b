/** What a commit is compared with: any other one of the list, or the home as it is now. */

import { Pick } from "../part/pick.tsx";
import { useOffered } from "../state/offered.ts";
import { shortTime } from "../state/time.ts";
import type { Entry } from "./moment.ts";

/** The two moments, the earlier one first; without `to` the later one is now. @param entries the newest first @param other empty for now */
export function between(entries: readonly Entry[], chosen: string, other: string): { from: string; to?: string } {
  const [place, then] = [chosen, other].map((each) => entries.findIndex(({ commit }) => commit === each)) as [number, number];
  if (then === -1) return { from: chosen };
  // A commit that the list does not have yet is older than all of them.
  return place === -1 || then < place ? { from: chosen, to: other } : { from: other, to: chosen };
}

interface CompareProps {
  /** The newest first. */
  entries: readonly Entry[];
  chosen: string;
  /** The other commit; empty for now. */
  other: string;
  pick: (commit: string) => void;
}

export function Compare({ entries, chosen, other, pick }: CompareProps) {
  useOffered("d");
  return (
    <Pick
      label="The other moment"
      focusKey="d"
      any="now"
      value={other}
      choices={entries
        .filter(({ commit }) => commit !== chosen)
        .map(
          ({ commit, at, subject }) =>
            [commit, `${shortTime(Date.parse(at))}, ${commit.slice(0, 7)} ${subject.replace(/^relay: /, "")}`] as const,
        )}
      pick={pick}
    />
  );
}
