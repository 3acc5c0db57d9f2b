/** Names that every package uses: of parts, of who calls, and the known ones near to a mistyped one. SPEC.md, "Parts". */
import { distance } from "fastest-levenshtein";

const SEGMENT = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** Names that Windows keeps for devices, with or without an ending. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)$/i;

/** Whether Windows keeps a name for a device, so that no file or folder can have it there. */
export const isDevice = (name: string): boolean => DEVICE.test(name);

/** Segments that are folders of an inbox or an outbox. */
const RESERVED = new Set(["new", "read", "tmp", "sent"]);

/** The part that stands for people; it always exists and is never woken in a terminal. */
export const HUMAN = "human";

/** Says what is wrong with a part id; null when it is one. Part ids are checked before they become paths. */
export function partProblem(id: unknown): string | null {
  if (typeof id !== "string") return "it is not a text";
  if (id === "") return "it is empty";
  const segments = id.split("/");
  if (segments.length > 3) return `it has ${segments.length} segments, at most 3 are allowed`;
  for (const segment of segments) {
    if (segment === "") return 'it has an empty segment ("/" at an end, or two in a row)';
    if (!SEGMENT.test(segment)) return `the segment ${JSON.stringify(segment.slice(0, 80))} has other characters or is too long`;
    if (isDevice(segment)) return `${JSON.stringify(segment)} is the name of a device on Windows`;
    if (RESERVED.has(segment.toLowerCase())) return `${JSON.stringify(segment)} is the name of a folder of an inbox`;
  }
  return null;
}

/** Who is calling, and what to tell them about it. */
export interface Caller {
  part: string;
  /** What there is to say about the name. */
  warning?: string | undefined;
  /** Set when the id is no part or guest yet. */
  isNew?: boolean;
}

/** The letters of a name, whatever their order. */
const lettersOf = (name: string): string => [...name].sort().join("");

/** A longer text is no mistyped name, and comparing it takes long. */
const LONGEST_NEAR = 128;

/**
 * The known names nearest to one that is not known, best first, at most three. Of a name of two letters any other is two
 * letters away, so there only one that it begins, or that has its letters, is near; of three letters one may be another.
 */
export function nearest(name: string, known: Iterable<string>): string[] {
  if (name.length > LONGEST_NEAR) return [];
  const lower = name.toLowerCase();
  const reach = name.length < 3 ? 0.5 : name.length === 3 ? 1 : Math.max(2, Math.ceil(name.length / 3));
  return [...known]
    .map((candidate) => ({
      candidate,
      far:
        candidate.toLowerCase().startsWith(lower) || lettersOf(candidate.toLowerCase()) === lettersOf(lower)
          ? 0.5
          : distance(lower, candidate.toLowerCase()),
    }))
    .filter(({ candidate, far }) => far <= reach && far < candidate.length)
    .sort((a, b) => a.far - b.far || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, 3)
    .map(({ candidate }) => candidate);
}

/** The two things whose names are nearest to one that nothing has, best first: those that hold it, then those that are spelt nearly so. */
export function nearestOf<T>(name: string, things: readonly T[], nameOf: (thing: T) => string): T[] {
  const wanted = name.trim().toLowerCase();
  const holding = wanted.length < 3 ? [] : things.filter((thing) => nameOf(thing).toLowerCase().includes(wanted));
  const spelt = nearest(wanted, new Set(things.map(nameOf))).flatMap((near) => things.filter((thing) => nameOf(thing) === near));
  return [...new Set([...holding, ...spelt])].slice(0, 2);
}

/** The two ids whose random characters are nearest to a piece that begins none. @param before how many characters come before these */
export const nearestIds = (piece: string, ids: readonly string[], before: number): string[] =>
  nearestOf(piece, ids, (id) => id.slice(before, before + piece.length));

/** The variable that a launched program hands to its server of tools, with the token of its turn. */
export const TOKEN_VARIABLE = "RELAY_OFFICE_TOKEN";

/** The variable that names the launch of which a process is, by its folder. */
export const LAUNCH_VARIABLE = "RELAY_LAUNCH";

/** How Relay is started: a program and what comes before Relay's own arguments. */
export interface Starter {
  program: string;
  args: readonly string[];
}
