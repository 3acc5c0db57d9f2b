/** A home with the office that most tests have, and what plays the runner in a test: it begins and ends turns itself. */
import path from "node:path";
import { operations, perform, type World } from "../../protocol/index.ts";
import { createDispatch } from "../../protocol/office/files/create-dispatch.ts";
import { endTurn, type TurnResult } from "../../protocol/office/files/end-turn.ts";
import { type NextTurn, nextTurn } from "../../protocol/office/files/next-turn.ts";
import { type DispatchState, readDispatch } from "../../protocol/office/files/read-dispatch.ts";
import { homeWith, worldAt } from "./home.ts";
import { OFFICE_FILES } from "./office.ts";
import { putAll } from "./scratch.ts";

/** Writes files of the office into a home. @param folder that holds the home */
export function writeOffice(folder: string, files: Readonly<Record<string, string>> = OFFICE_FILES): void {
  putAll(path.join(folder, ".relay"), files);
}

/** A folder with a home that has the office, and trusts it. */
export async function officeHome(...parts: string[]): Promise<string> {
  const folder = await homeWith(...parts);
  writeOffice(folder);
  await perform(worldAt(folder), operations.trust_office, {});
  return folder;
}

/** The state of a dispatch that must be there. */
export function stateAt(folder: string, id: string, world: World = worldAt(folder)): DispatchState {
  const state = readDispatch(world, id);
  if (state === null) throw new Error(`no dispatch ${id}`);
  return state;
}

/** Begins the next turn, which must be due. */
export function begin(world: World, id: string): NextTurn {
  const next = nextTurn(world, id);
  if (next === null) throw new Error(`no turn of ${id} is due: ${readDispatch(world, id)?.state}`);
  return next;
}

/** Begins the next turn and ends it with a text. */
export function playTurn(world: World, id: string, text: string, result: Partial<TurnResult> = {}): NextTurn {
  const next = begin(world, id);
  endTurn(world, id, next.turn, { outcome: text === "" ? "empty" : "ok", exit: "0", text, ...result });
  return next;
}

const DAY_MS = 86_400_000;

/** Makes dispatches that are over, each with a turn and its reply, over a hundred days up to yesterday; the disk is not waited for. */
export function endedDispatches(folder: string, count: number): void {
  const endMs = Date.now() - DAY_MS;
  for (let n = 0; n < count; n += 1) {
    const ms = endMs - Math.floor((1 - n / count) * 100) * DAY_MS + n;
    const world = worldAt(folder, { now: () => ms });
    Object.assign(world.home().store, { durable: false });
    const { dispatch } = createDispatch(world, { initiator: "web", recipient: "om", text: `Work ${n}.`, parent: null });
    playTurn(world, dispatch.id, `Reply ${n}.`);
    nextTurn(world, dispatch.id);
  }
}
