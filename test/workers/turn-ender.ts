/**
 * Begins, ends, closes, gives, asks and sends what each round says, all processes at nearly one instant; killed before a call of the disk
 * where the round says so. Arguments: the folder that holds the home, the folder of the rounds, and which of a round's acts are its own.
 */

import { createWorld, operations, perform } from "../../protocol/index.ts";
import { askPeople, askRequestor } from "../../protocol/office/files/ask-question.ts";
import { takeNow } from "../../protocol/office/files/await-reply.ts";
import { closeDispatch } from "../../protocol/office/files/close-dispatch.ts";
import { createDispatch } from "../../protocol/office/files/create-dispatch.ts";
import { endTurn } from "../../protocol/office/files/end-turn.ts";
import { giveWork } from "../../protocol/office/files/give-work.ts";
import { readFrozen } from "../../protocol/office/files/launch-settings.ts";
import { nextTurn } from "../../protocol/office/files/next-turn.ts";
import { readDispatchFiles } from "../../protocol/office/files/read-dispatch.ts";
import type { Dispatch } from "../../protocol/office/nouns/dispatch.ts";
import { disarm, interruptAt, passed } from "../rig/interrupt.ts";
import { roundsIn } from "../rig/rounds.ts";

/** One act of a round. */
export interface Act {
  act: "begin" | "end" | "close" | "give" | "ask" | "more" | "send" | "hear";
  /** Of the dispatch; for `send` of nothing. */
  id: string;
  turn?: number;
  /** To whom it is given or sent. */
  to?: string;
  text?: string;
  /** The dispatch that `hear` waits for. */
  child?: string;
  /** Before which change of the disk it is killed; never where it is left out. */
  killedAtChange?: number;
}

const [folder = "", rounds = "", index = "0"] = process.argv.slice(2);
const say = (line: object): boolean => process.stdout.write(`${JSON.stringify(line)}\n`);
const world = createWorld({ cwd: folder, env: { XDG_STATE_HOME: process.env["XDG_STATE_HOME"] } });
// Its own modules are loaded before the first round.
world.home().config();
say({ ready: true });
for (const { round, text } of roundsIn(rounds)) {
  const act = (JSON.parse(text) as Act[])[Number(index)];
  if (act === undefined) continue;
  const { killedAtChange = 0 } = act;
  if (killedAtChange > 0) interruptAt(killedAtChange, "SIGKILL", "changes");
  await doIt(act);
  say({ round, early: disarm(), changes: passed() });
}

async function doIt({ act, id, turn = 1, to = "", text = "", child = "" }: Act): Promise<void> {
  const dispatch = (): Dispatch => (readDispatchFiles(world.home().store, id) as { dispatch: Dispatch }).dispatch;
  const frozen = () => readFrozen(world.home().store, id) as NonNullable<ReturnType<typeof readFrozen>>;
  switch (act) {
    case "begin":
      return void nextTurn(world, id);
    case "end":
      return endTurn(world, id, turn, { outcome: "ok", exit: "0", text: `Done by ${id}.` });
    case "close":
      return void closeDispatch(world, id, "main");
    case "give":
      return void createDispatch(world, { initiator: dispatch().recipient, recipient: to, text, parent: { dispatch: dispatch(), turn } });
    case "ask":
      return void (to === "human" ? askPeople : askRequestor)(world, dispatch(), text);
    case "more":
      return void giveWork(world, { by: "part", part: dispatch().initiator }, to, text, dispatch().context);
    case "hear":
      return void takeNow(world, { by: "turn", dispatch: dispatch(), turn, attempt: 1, frozen: frozen() }, child);
    case "send":
      return void (await perform(world, operations.send, { agent_id: "web", to: [to], subject: "Work", body: text }));
  }
}
