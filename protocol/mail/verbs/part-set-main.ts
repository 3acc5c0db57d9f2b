import * as z from "zod/mini";
import { acted } from "../../core/act.ts";
import { changeConfig } from "../../core/home/change-config.ts";
import { HUMAN } from "../../core/names.ts";
import { defineOperation } from "../../core/operation.ts";
import { refuse } from "../../core/refusal.ts";
import { noteMain } from "../../trust/files/names-here.ts";
import { requireMembers } from "../files/members.ts";
import { PartArgument } from "./part-argument.ts";

/** Makes a part the one that coordinates. */
export const part_set_main = defineOperation({
  name: "part_set_main",
  command: "part set-main",
  summary: "Make a part the main part, which coordinates",
  effect: "write",
  idempotent: true,
  identity: "none",
  positionals: ["part"],
  input: () => ({ part: PartArgument }),
  output: () => ({ main: z.string(), before: z.string() }),
  example: { part: "web" },
  async run(world, { part }) {
    const home = world.home();
    requireMembers(world, [part]);
    const before = home.config().main;
    if (part === HUMAN)
      throw refuse("part_protected", { part, reason: "people cannot be woken to coordinate. Choose the part of an agent" });
    await changeConfig(home, (config) => {
      if (!config.parts.has(part))
        throw refuse("part_protected", { part, reason: `it is a guest. Make it a part first: \`relay part add ${part}\`` });
      return { kind: "main", part };
    });
    noteMain(world, part);
    acted(world, { event: { type: "part:main", part } });
    return { main: part, before };
  },
});
