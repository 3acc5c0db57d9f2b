/**
 * What this clone keeps of the dispatches that it runs, in the office's folder of this machine: that they are its own, which input was taken
 * and by whom, whom they gave work to.
 */
import { type MessageLocation, parseMessageId, parseThreadId, threadId } from "../../core/format/id.ts";
import { lifeOf, thisProcess } from "../../store/process.ts";
import { exists, facts } from "../../store/read/facts.ts";
import { names } from "../../store/read/list-folder.ts";
import { readText } from "../../store/read/read-file.ts";
import type { Store } from "../../store/root.ts";
import { makeFolder } from "../../store/write/make-folder.ts";
import { removeEmptyFolder, removeFile } from "../../store/write/move-file.ts";
import { place, publish } from "../../store/write/publish.ts";
import { inOffice, OFFICE, officeToWrite } from "./office-folder.ts";

/** What this clone keeps of a dispatch, as a path in the store of this machine. */
export const localFolder = (id: string): string => `${OFFICE}/${id}`;
/** Whoever has something to do is noted here, by the id of a dispatch. */
export const RING = `${OFFICE}/ring`;
const ringPath = (id: string): string => `${RING}/${id}`;
const SMALL_BYTES = 4_096;

/** Who makes a dispatch that is its own; null where nothing says it. */
export const makerOf = (store: Store, id: string): string | null =>
  inOffice(store, null, (office) => readText(office, `${localFolder(id)}/maker`, SMALL_BYTES)?.trim() ?? null);
/** Whether a dispatch is this clone's own. */
export const isOwn = (store: Store, id: string): boolean =>
  inOffice(store, false, (office) => exists(office, `${localFolder(id)}/maker`) || exists(office, `${localFolder(id)}/own/dispatch.md`));
/**
 * Says that a dispatch is this clone's own, and which process makes it, before it is made. The disk is waited for once for all of its
 * folders, and not for the maker: after a loss of power no process makes it any more.
 */
export function markOwn(store: Store, id: string): void {
  const office = officeToWrite(store);
  const unflushed = { ...office, durable: false };
  makeFolder(unflushed, takenFolder(id));
  makeFolder(office, `${localFolder(id)}/own/turns`);
  publish(unflushed, `${localFolder(id)}/maker`, `${thisProcess()}\n`);
}

/** Takes back what `markOwn` said, where no dispatch was made. A file that anybody laid there since stays. */
export function unmarkOwn(store: Store, id: string): void {
  const office = officeToWrite(store);
  removeFile(office, `${localFolder(id)}/maker`);
  for (const folder of ["taken", "own/turns", "own", ""]) removeEmptyFolder(office, `${localFolder(id)}/${folder}`.replace(/\/$/, ""));
}

/** The end of the name of a note that a process left before it began something. */
const noteOf = (name: string): string | null => /^[^.]+\.(.+)$/.exec(name)?.[1] ?? null;
const idOf = (name: string): string => name.split(".")[0] as string;

/** The dispatches of this clone that may have something to do, in no order. Those that rest are left out until somebody rings them. */
export const ringing = (store: Store): string[] =>
  [...new Set(inOffice(store, [], (office) => names(office, RING)).map(idOf))].filter((id) => parseThreadId(id) !== null);
/** Whether a dispatch may have something to do. */
export const isRung = (store: Store, id: string): boolean => inOffice(store, false, (office) => exists(office, ringPath(id)));
/** Notes that a dispatch may have something to do; whoever watches the folder hears it, and after a loss of power it is still noted. */
export const ring = (store: Store, id: string): void => place(untilRung(store, id), ringPath(id), "");
/** The store to note it in: what is rung is on the disk already, and is not waited for again. */
function untilRung(store: Store, id: string): Store {
  const office = officeToWrite(store);
  return { ...office, durable: office.durable && !isRung(store, id) };
}
/** Notes that a dispatch rests. */
export const unring = (store: Store, id: string): void => inOffice(store, undefined, (office) => void removeFile(office, ringPath(id)));

/**
 * Does something after which a dispatch may have something to do, and which rings it. Where this process is killed amid it, a note of its
 * own stays, after a loss of power too: whoever looks next rings in its place.
 * @param id of the dispatch, or of the thread that becomes one
 */
export function amidNote<T>(store: Store, id: string, act: () => T): T {
  const note = `${ringPath(id)}.${thisProcess()}`;
  const office = untilRung(store, id);
  place(office, note, "");
  try {
    return act();
  } finally {
    removeFile(office, note);
  }
}

/** Rings for each process that was killed amid something. @param rings for a dispatch, or a thread that was to become one */
export function ringForKilled(store: Store, rings: (id: string) => void): void {
  inOffice(store, undefined, (office) => {
    for (const name of names(office, RING)) {
      const process = noteOf(name);
      if (process === null || parseThreadId(idOf(name)) === null || lifeOf(process) === "alive") continue;
      rings(idOf(name));
      removeFile(office, `${RING}/${name}`);
    }
  });
}

/** What took a message: the turn that was started with it, or a call that waited for it in a turn. */
export interface Taker {
  by: "turn" | "call";
  turn: number;
}

const takenFolder = (id: string): string => `${localFolder(id)}/taken`;

/** What took a message for a dispatch; null where nothing did. */
export function takerOf(store: Store, id: string, message: string): Taker | null {
  const text = inOffice(store, null, (office) => readText(office, `${takenFolder(id)}/${message}`, SMALL_BYTES));
  const [, by, turn] = /^(turn|call) ([1-9]\d*)\n$/.exec(text ?? "") ?? [];
  return by === undefined ? null : { by: by as Taker["by"], turn: Number(turn) };
}

/**
 * Takes a message for a dispatch. Of all that want it one gets it; an answer that a killed call of an earlier turn took is taken from it.
 * @returns whether this one has it, now or since an earlier try
 */
export function take(store: Store, id: string, message: string, { by, turn }: Taker): boolean {
  const path = `${takenFolder(id)}/${message}`;
  const office = officeToWrite(store);
  if (publish(office, path, `${by} ${turn}\n`) === "created") return true;
  const taker = takerOf(store, id, message);
  if (taker === null || taker.turn >= turn || !isUnheard(store, id, message)) return taker?.by === by && taker.turn === turn;
  place(office, path, `${by} ${turn}\n`);
  return true;
}

/** Gives back a message that this one took. */
export function untake(store: Store, id: string, message: string, { by, turn }: Taker): void {
  const taker = takerOf(store, id, message);
  if (taker?.by === by && taker.turn === turn) removeFile(officeToWrite(store), `${takenFolder(id)}/${message}`);
}

/** The thread of a message, by its id. */
export const threadOf = (message: string): string => threadId(parseMessageId(message) as MessageLocation);

/** Whether a call took an answer of people and did not note that it has it: the question still stands, as where the call was killed. */
export const isUnheard = (store: Store, id: string, message: string): boolean =>
  takerOf(store, id, message)?.by === "call" &&
  threadOf(message) !== id &&
  questionsAsked(store, id).some((question) => threadOf(question) === threadOf(message));

/** Every message that a call took in a turn, the one that was taken first comes first. */
export function takenByCalls(store: Store, id: string, turn: number): string[] {
  return inOffice(store, [], (office) => {
    const taken = names(office, takenFolder(id)).filter((message) => {
      const taker = takerOf(store, id, message);
      return taker?.by === "call" && taker.turn === turn;
    });
    const takenMs = new Map(taken.map((message) => [message, facts(office, `${takenFolder(id)}/${message}`)?.modifiedMs ?? 0]));
    return taken.sort((a, b) => (takenMs.get(a) as number) - (takenMs.get(b) as number));
  });
}

const askedFolder = (id: string): string => `${localFolder(id)}/asked`;
const askingFolder = (id: string): string => `${localFolder(id)}/asking`;
/** The questions that a dispatch asked, by their messages; those whose answer was taken are left out. */
export const questionsAsked = (store: Store, id: string): string[] => inOffice(store, [], (office) => names(office, askedFolder(id)));
/** The name of a question that is about to be asked: the one that the same words have already, else the one offered. @param digest of to whom and what */
export function askingName(store: Store, id: string, digest: string, offered: string): string {
  const path = `${askingFolder(id)}/${digest}`;
  const office = officeToWrite(store);
  publish(office, path, `${offered}\n`);
  return readText(office, path, SMALL_BYTES)?.trim() ?? offered;
}
/** The questions that a dispatch asked or began to ask: their digests and names. */
export const questionsBegun = (store: Store, id: string): { digest: string; name: string }[] =>
  inOffice(store, [], (office) =>
    names(office, askingFolder(id)).flatMap((digest) => {
      const name = readText(office, `${askingFolder(id)}/${digest}`, SMALL_BYTES)?.trim();
      return name === undefined ? [] : [{ digest, name }];
    }),
  );
/** Notes a question that is in its thread. */
export const noteAsked = (store: Store, id: string, message: string, digest: string): "created" | "exists" =>
  publish(officeToWrite(store), `${askedFolder(id)}/${message}`, `${digest}\n`);
/** Notes that the answer to a question was taken: the same words are another question from now on. */
export function dropAsked(store: Store, id: string, message: string): void {
  const office = officeToWrite(store);
  const digest = readText(office, `${askedFolder(id)}/${message}`, SMALL_BYTES)?.trim() ?? "";
  if (/^[0-9a-f]+$/.test(digest)) removeFile(office, `${askingFolder(id)}/${digest}`);
  removeFile(office, `${askedFolder(id)}/${message}`);
}
