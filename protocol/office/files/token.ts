/**
 * Tokens: what says which turn calls. One for each launch, unguessable; a file that only this user may read knows it by its hash. It guards
 * against mistakes and forged calls: an agent with a shell of the same user can read it. spec/office.md, "Identity".
 */

import { orElse } from "../../core/format/file-error.ts";
import { TOKEN_VARIABLE } from "../../core/names.ts";
import { refuse } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { randomBytes, sha256 } from "../../store/digest.ts";
import { exists } from "../../store/read/facts.ts";
import { names } from "../../store/read/list-folder.ts";
import { readJson } from "../../store/read/read-json.ts";
import { removeFile } from "../../store/write/move-file.ts";
import { publish } from "../../store/write/publish.ts";
import type { Dispatch } from "../nouns/dispatch.ts";
import { type Frozen, readFrozen } from "./launch-settings.ts";
import { inOffice, OFFICE, officeToWrite } from "./office-folder.ts";
import { type DispatchFiles, readDispatchFiles } from "./read-dispatch.ts";

const TOKENS = `${OFFICE}/tokens`;
const TOKEN_BYTES = 4_096;
const pathOf = (token: string): string => `${TOKENS}/${sha256(token)}`;

interface Said {
  dispatch: string;
  turn: number;
  attempt: number;
}

/** The turn that calls. */
export interface TurnCaller {
  dispatch: Dispatch;
  turn: number;
  /** Which start of its program in that turn it is, counted from 1. */
  attempt: number;
  frozen: Frozen;
}

/** Makes the token of a launch. @param id of the dispatch @param attempt of the turn @returns 43 characters, for the program's environment or settings alone */
export function issueToken(world: World, id: string, turn: number, attempt = 1): string {
  const token = Buffer.from(randomBytes(32)).toString("base64url");
  publish(
    { ...officeToWrite(world.home().store), durable: false },
    pathOf(token),
    `${JSON.stringify({ dispatch: id, turn, attempt } satisfies Said)}\n`,
    0o600,
  );
  return token;
}

/** What a token is known by where it must not stand itself: nobody can make the token from it. */
export const digestOfToken = (token: string): string => sha256(token);

/** The end of the name of what says that a server was asked for its tools with a token. */
const CONNECTED = ".connected";

/** Notes that a server was asked for its tools with the token in its environment: a program goes on without a server that failed. */
export function noteConnected(world: World): void {
  const token = world.env[TOKEN_VARIABLE] ?? "";
  const said = token === "" ? null : readSaid(world, pathOf(token));
  if (said === null) return;
  publish({ ...officeToWrite(world.home().store), durable: false }, `${pathOf(token)}${CONNECTED}`, `${JSON.stringify(said)}\n`, 0o600);
}

/** Whether a launch asked a server for its tools: by its own token, whatever its program says. @param digest of the token */
export const wasConnected = (world: World, digest: string): boolean =>
  inOffice(world.home().store, false, (office) => exists(office, `${TOKENS}/${digest}${CONNECTED}`));

/** Takes a token back. @param digest of the token */
export function withdrawToken(world: World, digest: string): void {
  const office = officeToWrite(world.home().store);
  for (const end of ["", CONNECTED]) removeFile(office, `${TOKENS}/${digest}${end}`);
}

/** Takes back the tokens of turns. @param isOver whether a turn has none any more */
export function withdrawTokens(world: World, isOver: (of: { dispatch: string; turn: number }) => boolean): void {
  const office = officeToWrite(world.home().store);
  for (const name of names(office, TOKENS)) {
    const said = readSaid(world, `${TOKENS}/${name}`);
    if (said !== null && isOver(said)) removeFile(office, `${TOKENS}/${name}`);
  }
}

/** Whether a turn has begun and has no end. */
const runsTurn = (files: DispatchFiles | null, turn: number): boolean =>
  files?.turns.some((each) => each.turn === turn) === true && files.ends.every((each) => each.turn !== turn);

/** Whether the token in the environment is one of a turn of a leaf: it has no `Send` and closes nothing. */
export const isLeafCalling = (world: World): boolean => orElse(false, () => turnCalling(world)?.frozen.isLeaf === true);

const readSaid = (world: World, path: string): Said | null =>
  inOffice(world.home().store, null, (office) => readJson<Said>(office, path, TOKEN_BYTES));

/**
 * The turn that a call comes from, by the token in its environment; null where there is no token, so that it comes from no turn.
 * @throws Refusal `unauthenticated` for a token that nobody issued, or that was taken back
 */
export function turnCalling(world: World): TurnCaller | null {
  const token = world.env[TOKEN_VARIABLE] ?? "";
  if (token === "") return null;
  const said = readSaid(world, pathOf(token));
  const files = said === null ? null : readDispatchFiles(world.home().store, said.dispatch);
  const frozen = said === null ? null : readFrozen(world.home().store, said.dispatch);
  // A turn's end comes before its token goes: a runner that is killed in between leaves a token that says nothing.
  if (said === null || files === null || frozen === null || !runsTurn(files, said.turn))
    throw refuse("unauthenticated", { problem: `the token in ${TOKEN_VARIABLE} is not one of a turn that runs` });
  return { dispatch: files.dispatch, turn: said.turn, attempt: said.attempt, frozen };
}
