/** Dispatches as they lie on the disk, and what each is at. spec/office.md, "Dispatches" and "State of a dispatch". */

import { FileError, orElse } from "../../core/format/file-error.ts";
import { parseThreadId, type ThreadLocation } from "../../core/format/id.ts";
import { FILE_BYTES } from "../../core/format/schema.ts";
import { knownClone } from "../../core/home/feed.ts";
import type { World } from "../../core/world.ts";
import { messageKeys, readThread } from "../../mail/files/threads.ts";
import { names } from "../../store/read/list-folder.ts";
import { readText } from "../../store/read/read-file.ts";
import type { Store } from "../../store/root.ts";
import {
  closedPath,
  type Dispatch,
  type DispatchClosed,
  dispatchFolder,
  dispatchPath,
  parseClosed,
  parseDispatch,
  turnsFolder,
} from "../nouns/dispatch.ts";
import { type DispatchFacts, type DispatchStateName, deriveState, isAtWork, runningTurn } from "../nouns/dispatch-state.ts";
import { endPath, parseEnd, parseTurn, type Turn, type TurnEnd, turnFile, turnPath } from "../nouns/turn.ts";
import { awakeOf, type Child, childrenOf } from "./children.ts";
import { asksNow, isBeingMade, type UntakenMail, untakenMail, untakenOf } from "./dispatch-mail.ts";
import { isOwn } from "./local-files.ts";
import { recordFolder } from "./own-files.ts";

/** The files of a dispatch. */
export interface DispatchFiles {
  key: ThreadLocation;
  dispatch: Dispatch;
  /** In order. */
  turns: readonly Turn[];
  /** In order. One that cannot be read counts as failed. */
  ends: readonly TurnEnd[];
  closed: DispatchClosed | null;
}

/** A dispatch with all that follows from its files and its mail. */
export interface DispatchState extends DispatchFiles {
  state: DispatchStateName;
  /** Since when it is at that; ISO 8601. */
  since: string;
  facts: DispatchFacts;
  /** The messages that no turn took, oldest first. */
  untaken: readonly UntakenMail[];
  /** The dispatches that it made and that are at work, with what each is at. */
  open: readonly { child: Child; state: DispatchStateName }[];
  /** Whether this clone runs it. */
  isOwn: boolean;
}

/** Reads the files of a dispatch, of one that this clone runs those that it wrote itself; null where there is none that can be read. @param id of its thread */
export function readDispatchFiles(store: Store, id: string): DispatchFiles | null {
  const key = parseThreadId(id);
  if (key === null) return null;
  const counting = recordFolder(store, key);
  const at = (path: string): string => path.replace(dispatchFolder(key), counting.folder);
  const dispatch = orElse(null, () => {
    const source = readText(counting.store, at(dispatchPath(key)), FILE_BYTES.dispatch);
    return source === null ? null : parseDispatch(source, key);
  });
  if (dispatch === null) return null;
  const files = names(counting.store, at(turnsFolder(key))).flatMap((name) => turnFile(`turns/${name}`) ?? []);
  const numbered = (file: "turn" | "turn_end"): number[] =>
    files.flatMap((each) => (each.file === file ? [each.turn] : [])).sort((a, b) => a - b);
  const read = <T>(path: string, parse: (source: string) => T): T | null => {
    const source = readText(counting.store, at(path), FILE_BYTES.dispatch);
    return source === null ? null : parse(source);
  };
  const turns = numbered("turn").flatMap((n) => orElse(null, () => read(turnPath(key, n), parseTurn)) ?? []);
  const ends = numbered("turn_end").flatMap((n): readonly TurnEnd[] => {
    try {
      const end = read(endPath(key, n), parseEnd);
      return end === null ? [] : [end];
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      return [{ turn: n, at: dispatch.at, outcome: "failed", problem: `the end cannot be read: ${error.message}`, text: "" }];
    }
  });
  // A file that nobody can read closes nothing.
  const closed = orElse(null, () => read(closedPath(key), parseClosed));
  return { key, dispatch, turns, ends, closed };
}

/** Whether this clone made a dispatch, and so runs it. What came by sync is read, and never run. */
export const isOwnDispatch = (world: World, { id, clone }: Dispatch): boolean =>
  clone === knownClone(world.home().store) && isOwn(world.home().store, id);

/**
 * Reads a dispatch: its files, its mail, and what it is at.
 * @param id of the dispatch, which is that of its thread
 * @returns null where there is none
 */
export function readDispatch(world: World, id: string): DispatchState | null {
  const { store } = world.home();
  const files = readDispatchFiles(store, id);
  return files === null ? null : stateOf(world, files);
}

/** What follows from the files of a dispatch. */
export function stateOf(world: World, files: DispatchFiles): DispatchState {
  const { store } = world.home();
  const { dispatch, turns, ends, closed } = files;
  const isOwn = isOwnDispatch(world, dispatch);
  const children = isOwn && closed === null ? childrenOf(store, dispatch.id) : [];
  const open = openOf(world, children);
  const untaken = closed === null ? untakenMail(world, dispatch, children, turns.at(-1)?.turn ?? 0) : [];
  const facts: DispatchFacts = {
    turns,
    ends,
    closed,
    untaken: untakenOf(untaken),
    childrenAtWork: open.length,
    asks: isOwn && closed === null && asksNow(world, dispatch),
  };
  return { ...files, facts, state: deriveState(facts), since: sinceOf(files), untaken, open, isOwn };
}

/** Those of the dispatches below another that are at work. One whose maker lives and has not sent its text yet is queued. */
export function openOf(world: World, children: readonly Child[]): { child: Child; state: DispatchStateName }[] {
  const { store } = world.home();
  return awakeOf(store, children).flatMap((child) => {
    const state = isBeingMade(store, child.id) ? "queued" : readDispatch(world, child.id)?.state;
    return state !== undefined && isAtWork(state) ? [{ child, state }] : [];
  });
}

/** Since when a dispatch is at what it is at: its last file says so. */
function sinceOf({ dispatch, turns, ends, closed }: DispatchFiles): string {
  if (closed !== null) return closed.at;
  const running = runningTurn({ turns, ends });
  return turns.find(({ turn }) => turn === running)?.at ?? ends.at(-1)?.at ?? dispatch.at;
}

/** The subject of a dispatch's thread. */
export function subjectAt(world: World, { key }: Pick<DispatchState, "key">): string {
  const { store } = world.home();
  return readThread(store, key, messageKeys(store, key), [])?.subject ?? "";
}
