/** The messages of a dispatch before a turn. A program that lost its session reads them in place of that session. */
import { parseMessageId } from "../../objects/format/id.ts";
import { messagePath } from "../../objects/message/message.ts";
import type { World } from "../../world.ts";
import { readMessage } from "../thread/read-message.ts";
import { readDispatchFiles } from "./read-dispatch.ts";

/** The messages of the turns before one, and what they were answered, in order; an empty text where there was none. */
export function earlierTurns(world: World, id: string, turn: number): string {
  const { store } = world.home();
  const files = readDispatchFiles(store, id);
  if (files === null) return "";
  // What an interrupted turn was given is given again.
  const given = new Set(files.turns.find((each) => each.turn === turn)?.inputs);
  const said = files.turns
    .filter((each) => each.turn < turn)
    .flatMap((each) => [
      ...each.inputs,
      ...files.ends.flatMap((end) => (end.turn === each.turn && end.reply !== undefined ? [end.reply] : [])),
    ])
    .filter((message) => !given.has(message))
    .flatMap((message) => {
      const location = parseMessageId(message);
      const read = location === null ? null : readMessage(store, location, messagePath(location), []);
      return read === null ? [] : [`## From ${read.from}\n\n${read.body}`];
    });
  if (said.length === 0) return "";
  return `Your earlier session is gone. This is what was said in it before:\n\n${said.join("\n\n")}\n\n---\n\nNow:\n\n`;
}
