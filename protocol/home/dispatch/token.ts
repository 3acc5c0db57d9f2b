/**
 * Tokens: what says which turn calls. One for each launch, unguessable; a file that only this user may read knows it by its hash. It guards
 * against mistakes and forged calls: an agent with a shell of the same user can read it. spec/office.md, "Identity".
 */

import type { Dispatch } from "../../objects/dispatch/dispatch.ts";
import { orElse } from "../../objects/format/file-error.ts";
import { TOKEN_VARIABLE } from "../../objects/office/what-runs.ts";
import { refuse } from "../../refusal.ts";
import { randomBytes, sha256 } from "../../store/digest.ts";
import { publish, removeFile } from "../../store/files.ts";
import { readJson } from "../../store/json-file.ts";
import { names } from "../../store/read.ts";
import type { World } from "../../world.ts";
import { type Frozen, readFrozen } from "./launch-settings.ts";
import { readDispatchFiles } from "./read-dispatch.ts";

const TOKENS = "run/office/tokens";
const TOKEN_BYTES = 4_096;
const pathOf = (token: string): string => `${TOKENS}/${sha256(token)}`;

interface Said {
  dispatch: string;
  turn: number;
}

/** The turn that calls. */
export interface TurnCaller {
  dispatch: Dispatch;
  turn: number;
  frozen: Frozen;
}

/** Makes the token of a launch. @param id of the dispatch @returns 43 characters, for the program's environment or settings alone */
export function issueToken(world: World, id: string, turn: number): string {
  const token = Buffer.from(randomBytes(32)).toString("base64url");
  publish({ ...world.home().store, durable: false }, pathOf(token), `${JSON.stringify({ dispatch: id, turn } satisfies Said)}\n`, 0o600);
  return token;
}

/** The end of the name of what says that a server was asked for its tools with a token. */
const CONNECTED = ".connected";

/** Notes that a server was asked for its tools with the token in its environment: a program goes on without a server that failed. */
export function noteConnected(world: World): void {
  const token = world.env[TOKEN_VARIABLE] ?? "";
  const said = token === "" ? null : readSaid(world, pathOf(token));
  if (said === null) return;
  publish({ ...world.home().store, durable: false }, `${pathOf(token)}${CONNECTED}`, `${JSON.stringify(said)}\n`, 0o600);
}

/** Whether a turn's program asked a server for its tools. */
export const wasConnected = (world: World, id: string, turn: number): boolean =>
  names(world.home().store, TOKENS).some((name) => {
    const said = name.endsWith(CONNECTED) ? readSaid(world, `${TOKENS}/${name}`) : null;
    return said?.dispatch === id && said.turn === turn;
  });

/** Whether the token in the environment is one of a turn of a leaf: it has no `Send` and closes nothing. */
export const isLeafCalling = (world: World): boolean => orElse(false, () => turnCalling(world)?.frozen.isLeaf === true);

/** Takes back every token of a turn. */
export const withdrawToken = (world: World, id: string, turn: number): void =>
  withdrawTokens(world, (said) => said.dispatch === id && said.turn === turn);

/** Takes back the tokens of turns. @param isOver whether a turn has none any more */
export function withdrawTokens(world: World, isOver: (of: { dispatch: string; turn: number }) => boolean): void {
  const { store } = world.home();
  for (const name of names(store, TOKENS)) {
    const said = readSaid(world, `${TOKENS}/${name}`);
    if (said !== null && isOver(said)) removeFile(store, `${TOKENS}/${name}`);
  }
}

const readSaid = (world: World, path: string): Said | null => readJson<Said>(world.home().store, path, TOKEN_BYTES);

/**
 * The turn that a call comes from, by the token in its environment; null where there is no token, so that it comes from no turn.
 * @throws Refusal `unauthenticated` for a token that nobody issued, or that was taken back
 */
export function turnCalling(world: World): TurnCaller | null {
  const token = world.env[TOKEN_VARIABLE] ?? "";
  if (token === "") return null;
  const said = readSaid(world, pathOf(token));
  const dispatch = said === null ? undefined : readDispatchFiles(world.home().store, said.dispatch)?.dispatch;
  const frozen = said === null ? null : readFrozen(world.home().store, said.dispatch);
  if (said === null || dispatch === undefined || frozen === null)
    throw refuse("unauthenticated", { problem: `the token in ${TOKEN_VARIABLE} is not one of a turn that runs` });
  return { dispatch, turn: said.turn, frozen };
}
