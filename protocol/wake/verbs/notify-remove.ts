import * as z from "zod/mini";
import { defineOperation } from "../../core/operation.ts";
import { removeNotify } from "../files/notify-list.ts";
import { NotifyName, unknownNotify } from "./notify-answer.ts";

/** Takes one away. */
export const notify_remove = defineOperation({
  name: "notify_remove",
  summary: "Remove a command or webhook that tells a person",
  effect: "write",
  idempotent: false,
  identity: "none",
  positionals: ["name"],
  input: () => ({ name: NotifyName.check(z.describe("a name that `relay notify list` shows")) }),
  output: () => ({ removed: z.string() }),
  example: { name: "desktop" },
  async run(world, { name }) {
    if (!removeNotify(world, name)) throw unknownNotify(world, name);
    return { removed: name };
  },
});
