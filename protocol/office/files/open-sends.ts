/**
 * The Sends that an answer of a model asked for, of a program that makes one call after the other: the runner reads them in what the program
 * prints, and a Send that waits learns that others stand behind it. It is a hint: a wrong one makes a reply come by a turn. spec/office.md, "Send".
 */

import type { Connection } from "../../core/connection-memory.ts";
import type { World } from "../../core/world.ts";
import { names } from "../../store/read/list-folder.ts";
import { readText } from "../../store/read/read-file.ts";
import { removeFile } from "../../store/write/move-file.ts";
import { place } from "../../store/write/publish.ts";
import { inOffice, OFFICE, officeToWrite } from "./office-folder.ts";

/** Where a runner says it, for servers that watch. */
export const SENDS = `${OFFICE}/sends`;
const SENDS_BYTES = 64;
const pathOf = (id: string, turn: number): string => `${SENDS}/${id}.${turn}`;

/** Says how many Sends the program of a turn asked for by now, and how many of them have no answer. */
export const noteSends = (world: World, id: string, turn: number, asked: number, open: number): void =>
  place({ ...officeToWrite(world.home().store), durable: false }, pathOf(id, turn), `${asked} ${open}\n`);

/** Forgets what was said of a turn that has ended. */
export const forgetSends = (world: World, id: string, turn: number): void =>
  void removeFile(officeToWrite(world.home().store), pathOf(id, turn));

/**
 * Forgets what runners that were killed left of turns.
 * @param isOver whether a turn of a dispatch has ended, or is none
 */
export function sweepSends(world: World, isOver: (of: { dispatch: string; turn: number }) => boolean): void {
  for (const name of names(officeToWrite(world.home().store), SENDS)) {
    const [, dispatch = "", turn = ""] = /^(t-[0-9a-z-]+)\.(\d+)$/.exec(name) ?? [];
    if (dispatch !== "" && isOver({ dispatch, turn: Number(turn) })) forgetSends(world, dispatch, Number(turn));
  }
}

/** How many Sends came over a connection. */
const arrived = new WeakMap<Connection, number>();

/** Counts a Send that came over the connection of a call. */
export const countSend = ({ connection }: World): void => void arrived.set(connection, (arrived.get(connection) ?? 0) + 1);

/** Whether the program of a turn asked for Sends that it makes only when those that came by now are answered. */
export function hasSendsBehind(world: World, id: string, turn: number): boolean {
  const [asked = 0, open = 0] = (inOffice(world.home().store, null, (office) => readText(office, pathOf(id, turn), SENDS_BYTES)) ?? "")
    .split(" ")
    .map(Number);
  return open > 1 && asked > (arrived.get(world.connection) ?? 0);
}
