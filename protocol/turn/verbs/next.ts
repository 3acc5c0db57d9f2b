import { flag } from "../../core/format/schema.ts";
import { defineOperation } from "../../core/operation.ts";
import { ackLast, ackShown, Turn, wholeTurn } from "./make-turn.ts";

/** Says what is new for a part: the beginning of its turn. */
export const next = defineOperation({
  name: "next",
  tool: "room",
  summary: "What is new for you: mail, whole; reviews asked of you; your tasks; what happened",
  when: "Begin each turn: all that is new for you, whole. ack: also ack what the last one showed.",
  effect: "read",
  identity: "reader",
  onlyNow: true,
  words: true,
  input: () => ({ all: flag("what you were shown before, too"), ack: ackShown() }),
  output: () => Turn,
  example: {},
  keep: async (world) => (await import("./next-file.ts")).keepTurns(world),
  async run(world, { all, ack }, { part }) {
    const acked = ack === undefined ? {} : ackLast(world, part);
    const merged = await (await import("../../board/files/end-merged.ts")).endMerged(world, part);
    return { ...acked, ...(await wholeTurn(world, part, { all: all === true, merged })) };
  },
});
