/**
 * Which state of the office may run on this machine: the texts that a person trusted here, as digests in the user's state folder. A
 * text that came by git is data until then, whatever it says of itself. spec/office.md, "Trust".
 */
import { orElse } from "../../core/format/file-error.ts";
import { TOKEN_VARIABLE } from "../../core/names.ts";
import { refuse } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { sha256 } from "../../store/digest.ts";
import { place } from "../../store/write/publish.ts";
import { machineStore, readMachine } from "../../trust/files/machine.ts";
import { noteOnMachine } from "../../trust/files/machine-notes.ts";
import type { OrgFile } from "../nouns/org-files.ts";
import type { Office } from "../nouns/positions.ts";
import { whatRuns } from "../nouns/what-runs.ts";
import { inspectOffice, requireWholeOffice } from "./read-office.ts";

const TRUSTED = "office.json";
/** An office has so many files at the most that their digests are far shorter than this. */
const BYTES = 4 * 1_048_576;

/** The texts of an office, by path in the home. */
type Texts = ReadonlyMap<string, string>;

/** What stands for all texts of an office: the SHA-256 of the paths and of each text's own digest. @param more what is shown along with them */
export const officeDigest = (texts: Texts, more?: unknown): string => sha256(JSON.stringify([digestsOf(texts), more]));

const digestsOf = (texts: Texts): Record<string, string> =>
  Object.fromEntries([...texts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([path, text]) => [path, sha256(text)]));

/** What was trusted here: path → digest of its text; null where nothing was, or what is there cannot be read. */
function trustedDigests(world: World): Record<string, unknown> | null {
  const text = orElse(null, () => readMachine(world, TRUSTED, BYTES));
  if (text === null) return null;
  try {
    const { files } = JSON.parse(text) as { files?: unknown };
    return typeof files === "object" && files !== null ? (files as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** The files of an office that are not as they were trusted here: others, new, or gone; all of them where nothing was. Sorted. */
export function untrustedFiles(world: World, texts: Texts): string[] {
  const [was, is] = [trustedDigests(world) ?? {}, digestsOf(texts)];
  return [...new Set([...Object.keys(was), ...Object.keys(is)])].filter((path) => was[path] !== is[path]).sort();
}

/**
 * The office of a home, where exactly its texts were trusted on this machine. What is run is taken from this answer alone: a file
 * that is read again may be another by then.
 * @throws Refusal `roster_unavailable`; `office_untrusted` with what it would run
 */
export function requireTrustedOffice(world: World): { office: Office; files: readonly OrgFile[]; texts: Texts } {
  const { office, files, texts } = requireWholeOffice(world);
  const changed = untrustedFiles(world, texts);
  if (changed.length === 0) return { office, files, texts };
  const runs = whatRuns(office, files);
  throw refuse("office_untrusted", {
    changed: trustedDigests(world) === null ? [] : changed,
    programs: [...new Set(runs.map(({ program }) => program))],
    positions: runs.map(({ position }) => position),
    tools: [...new Set(runs.flatMap(({ tools }) => tools ?? []))],
    worktrees: runs.filter(({ isolation }) => isolation === "worktree").map(({ position }) => position),
  });
}

/** Trusts exactly these texts on this machine. @throws Refusal `no_state_folder` */
export function trustOffice(world: World, texts: Texts): void {
  if (untrustedFiles(world, texts).length === 0 && trustedDigests(world) !== null) return;
  const store = machineStore(world);
  place(store, TRUSTED, `${JSON.stringify({ version: 1, files: digestsOf(texts) })}\n`);
  noteOnMachine(world, store, { parts: [], digest: officeDigest(texts), subject: `trusted: the office, ${texts.size} files` });
}

/**
 * Reads the office before a command of a person writes to it, so that what it writes is trusted along with what was.
 * @returns `texts`, what was there; and `trust`, to be called with what was written: it trusts the one and the other together. Where
 *   what was there was not trusted, or an agent of the office writes, nothing is. What came meanwhile is in neither.
 */
export function trustWhatIsWritten(world: World): { texts: Texts; trust(written: Texts): void } {
  const { texts } = inspectOffice(world.home().store);
  const isOurs = texts.size === 0 || untrustedFiles(world, texts).length === 0;
  return {
    texts,
    trust(written) {
      if (!isOurs || written.size === 0 || isLaunched(world)) return;
      // Where this machine can keep nothing it is asked for trust later, and says why it cannot.
      orElse(undefined, () => trustOffice(world, new Map([...texts, ...written])));
    },
  };
}

/** Whether this program was started as a position of the office. */
export const isLaunched = ({ env }: World): boolean => (env[TOKEN_VARIABLE] ?? "") !== "";

/** Refuses what only a person may do. @throws Refusal `people_only` */
export function requirePerson(world: World, command: string): void {
  if (isLaunched(world)) throw refuse("people_only", { command });
}
