/**
 * Notices: what a sync did to a part that lives here. They are of this machine alone, no messages, and stay until they are
 * acked. spec/trust.md, "Notices".
 */
import * as z from "zod/mini";
import { orElse } from "../../core/format/file-error.ts";
import { once } from "../../core/format/schema.ts";
import { partProblem } from "../../core/names.ts";
import type { World } from "../../core/world.ts";
import { sha256 } from "../../store/digest.ts";
import { exists } from "../../store/read/facts.ts";
import { entries, names } from "../../store/read/list-folder.ts";
import { readText } from "../../store/read/read-file.ts";
import { removeFile } from "../../store/write/move-file.ts";
import { place, publish } from "../../store/write/publish.ts";
import { findMachineStore, machineStore } from "../../trust/files/machine.ts";
import { isMember, nameNow, namesOf } from "./members.ts";

const FOLDER = "local/notices";
const NOTICE_BYTES = 65_536;
/** So many lines are kept of one sync; it says how many more there were. */
const LINES = 40;
/** Notices that are shown at once, the newest. */
const SHOWN = 20;

/** What one sync did to one part. `at` is ISO 8601. */
export interface Notice {
  id: string;
  at: string;
  /** Sentences, each with its commit. */
  lines: string[];
}

const written = once(() => z.object({ at: z.string(), lines: z.array(z.string()) }));

const folderOf = (part: string): string => `${FOLDER}/${part.replaceAll("/", "+")}`;
/** A notice's id: from the commit that the sync came to, so that checking it out twice tells once. */
const idOf = (commit: string): string => `n-${commit.slice(0, 12)}`;
/** Whether a text is the id of a notice. */
export const isNoticeId = (text: string): boolean => /^n-[0-9a-f]{12}$/.test(text);

/** Tells a part what a sync did to it. @param commit what the sync came to */
export function notify(world: World, part: string, commit: string, lines: readonly string[]): void {
  const more = lines.length > LINES ? [`and ${lines.length - LINES} more`] : [];
  const content = { at: new Date(world.now()).toISOString(), lines: [...lines.slice(0, LINES), ...more] };
  const [at, text] = [`${folderOf(part)}/${idOf(commit)}.json`, `${JSON.stringify(content)}\n`];
  publish(machineStore(world), markOf(at, text), "");
  // Over whatever somebody laid there: it must not keep a part from being told.
  place(world.home().store, at, text);
}

/** Where this machine keeps that a sync wrote a notice: whatever else lies beside them came with the folder, or from an agent. */
const markOf = (at: string, text: string): string => `notices/${sha256(`${at}\n${text}`)}`;

/** Where the notices of a part lie: what it was told under a former name is its own too. */
const foldersOf = (world: World, part: string): string[] => namesOf(world, part).map(folderOf);

/** The notices of a part, newest first; those that cannot be read, or that no sync wrote here, are left out. */
export function noticesOf(world: World, part: string): Notice[] {
  const { store } = world.home();
  if (!exists(store, FOLDER)) return [];
  const found = foldersOf(world, part).flatMap((folder) => names(store, folder).flatMap((name) => readNotice(world, folder, name) ?? []));
  return found.sort((a, b) => (a.at < b.at ? 1 : -1)).slice(0, SHOWN);
}

function readNotice(world: World, folder: string, name: string): Notice | null {
  const id = name.replace(/\.json$/, "");
  if (!isNoticeId(id)) return null;
  return orElse(null, () => {
    const text = readText(world.home().store, `${folder}/${name}`, NOTICE_BYTES) ?? "null";
    const machine = findMachineStore(world);
    if (machine === null || !exists(machine, markOf(`${folder}/${name}`, text))) return null;
    return { id, ...written().parse(JSON.parse(text)) };
  });
}

/** Takes a notice away: of a part, or of parts that were removed, since nobody else could. @returns whether it was there */
export function ackNotice(world: World, part: string, id: string): boolean {
  const gone = notified(world).filter((shown) => !isMember(world, shown));
  const folders = new Set([part, ...gone].flatMap((told) => foldersOf(world, told)));
  const { store } = world.home();
  const machine = findMachineStore(world);
  const isTaken = (at: string): boolean => {
    const text = orElse(null, () => readText(store, at, NOTICE_BYTES));
    // Else whoever kept its text could have it told again.
    if (machine !== null && text !== null) removeFile(machine, markOf(at, text));
    return removeFile(store, at);
  };
  return [...folders].filter((folder) => isTaken(`${folder}/${id}.json`)).length > 0;
}

/** The parts that have notices here, as they are called now; also parts that were removed since. */
export function notified(world: World): string[] {
  const told = entries(world.home().store, FOLDER)
    .map(({ name }) => name.replaceAll("+", "/"))
    .filter((part) => partProblem(part) === null)
    .map((part) => nameNow(world, part));
  return [...new Set(told)].sort();
}
