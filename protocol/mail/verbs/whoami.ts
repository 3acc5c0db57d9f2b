import * as z from "zod/mini";
import { defineOperation } from "../../core/operation.ts";
import { refuse } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { thisProcess } from "../../store/process.ts";
import { unreadIds } from "../files/inbox-files.ts";
import { sessionsOf } from "../files/presence.ts";

/** Says who this connection is. */
export const whoami = defineOperation({
  name: "whoami",
  tool: "room",
  summary: "Show which part you are, in which project, and where its home is",
  when: "Find out which part you are.",
  effect: "read",
  identity: "optional",
  output: () => ({
    project: z.object({ id: z.string(), name: z.string() }),
    part: z.nullable(z.string()),
    main: z.boolean(),
    bound: z.boolean(),
    unread: z.number(),
    home: z.string(),
    contradiction: z.optional(z.object({ environment: z.string(), worktree: z.string() })),
    warning: z.optional(z.string()),
  }),
  async run(world, _input, { part }) {
    const home = world.home();
    const { project, main } = home.config();
    const { said } = world.me;
    const others = world.past !== undefined || part === "" ? [] : othersHere(world, part);
    const shared = `another session is ${part} too: ${others.join(", ")}. Mail that one of you acks, the other does not see`;
    return {
      project: { id: project.id, name: project.name },
      part: part === "" ? null : part,
      main: part === main,
      bound: world.me.how === "bound",
      unread: part === "" ? 0 : unreadIds(home.store, part).length,
      home: world.past?.home ?? home.store.root,
      ...(said === undefined ? {} : { contradiction: said, warning: refuse("part_contradicted", said).message }),
      ...(others.length === 0 ? {} : { warning: shared }),
    };
  },
});

/** The other sessions of agents that are a part: of a command all but the oldest, since an agent may run it. */
function othersHere(world: World, part: string): string[] {
  const sessions = sessionsOf(world, part);
  const others = world.connection.lasting ? sessions.filter(({ process }) => process !== thisProcess()) : sessions.slice(0, -1);
  return others.map(({ agent, connectedAt }) => `${agent.name}, since ${connectedAt}`);
}
