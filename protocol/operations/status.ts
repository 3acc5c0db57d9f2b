import * as z from "zod/mini";
import { defineOperation } from "../operation.ts";
import { roster } from "./roster.ts";
import { ThreadBrief, threads } from "./threads.ts";
import { whoami } from "./whoami.ts";

const SHOWN = 8;

/** The whole room on one screen. */
export const status = defineOperation({
  name: "status",
  tool: null,
  command: "status",
  summary: "Show the room on one screen: who is there, unread mail, the latest threads",
  when: "An overview for people.",
  effect: "read",
  idempotent: true,
  identity: "optional",
  home: true,
  positionals: [],
  input: () => z.object({}),
  output: () => z.object({ ...whoami.output.shape, parts: roster.output.shape.parts, threads: z.array(ThreadBrief) }),
  example: {},
  async run(world, _input, caller) {
    const { parts } = await roster.run(world, {}, caller);
    const latest = await threads.run(world, { limit: SHOWN }, caller);
    return { ...(await whoami.run(world, {}, caller)), parts, threads: latest.threads };
  },
});
