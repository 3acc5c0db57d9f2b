/** Parses one file of a home for the checks that compare files. spec/check.md, "Check". */
import type { Artifact } from "../artifact/artifact.ts";
import type { Review } from "../artifact/review.ts";
import type { EventsFile } from "../event/event.ts";
import type { Digest } from "../format/id.ts";
import { type NounKind, nounOf, nouns, type ValueOf } from "../index.ts";
import type { Message } from "../message/message.ts";
import type { AnyNoun } from "../noun/noun.ts";
import type { Guest } from "../part/guest.ts";
import type { Summary } from "../summary/summary.ts";
import type { ClaimRecord } from "../task/claim.ts";
import type { Task } from "../task/task.ts";
import type { Place, PlaceKind } from "../tree/layout.ts";

/** What a file said, by its kind. */
export type Told =
  | { kind: "message"; message: Message }
  | { kind: "guest"; guest: Guest }
  | ({ kind: "events" } & EventsFile)
  | { kind: "task"; task: Task }
  | { kind: "claim"; record: ClaimRecord }
  | { kind: "artifact"; artifact: Artifact }
  | { kind: "review"; review: Review }
  | { kind: "summary"; summary: Summary }
  | { kind: "nothing" };

/** What each kind of file was expected to be, and where that is written. Kinds without a limit of their own are not read. */
export const READ: Readonly<Partial<Record<PlaceKind, string>>> = Object.fromEntries(
  (nouns as readonly AnyNoun[])
    .filter(({ limit }) => limit !== undefined)
    .map(({ kind, expected, section }) => [kind, `${expected} as ${section}, says`]),
);

const message = (value: Message): Told => ({ kind: "message", message: value });

/** What the checks that look across files keep of a file; of other nouns they know enough by the path. */
const TOLD: { [Kind in NounKind]?: (value: ValueOf<Kind>) => Told } = {
  message,
  unread: message,
  acked: message,
  guest: (guest) => ({ kind: "guest", guest }),
  events: (file) => ({ kind: "events", ...file }),
  task: (task) => ({ kind: "task", task }),
  claim: (record) => ({ kind: "claim", record }),
  artifact: (artifact) => ({ kind: "artifact", artifact }),
  review: (review) => ({ kind: "review", review }),
  summary: (summary) => ({ kind: "summary", summary }),
};

/**
 * Reads a file by its place. What is wrong with a configuration is said by those who read it first.
 * @throws FileError, with the line, when it is not as it must be, or disagrees with its path
 */
export function readPlace(place: Place, source: string, digest: Digest): Told {
  if (place.kind === "ignored" || place.kind === "machine" || place.kind === "config") return { kind: "nothing" };
  const value: unknown = nounOf(place.kind).parse(source, place, digest);
  return (TOLD[place.kind] as ((value: unknown) => Told) | undefined)?.(value) ?? { kind: "nothing" };
}
