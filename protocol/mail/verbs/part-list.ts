import * as z from "zod/mini";
import { defineOperation } from "../../core/operation.ts";
import { members } from "../files/members.ts";

/** Lists the parts of `relay.yml`. */
export const part_list = defineOperation({
  name: "part_list",
  summary: "List the parts and their purposes",
  effect: "read",
  identity: "none",
  output: () => ({
    main: z.string(),
    parts: z.array(z.object({ part: z.string(), about: z.optional(z.string()), session: z.optional(z.string()) })),
  }),
  async run(world) {
    const parts = members(world).map(({ part, about, session }) => ({
      part,
      ...(about === undefined ? {} : { about }),
      ...(session === null ? {} : { session }),
    }));
    return { main: world.home().config().main, parts };
  },
});
