import * as z from "zod/mini";
import { heldBy } from "../../board/files/held-tasks.ts";
import { defineOperation } from "../../core/operation.ts";
import { Wake } from "../../core/shapes.ts";
import { unreadIds } from "../../mail/files/inbox-files.ts";
import { currentName, members } from "../../mail/files/members.ts";
import { connections, limitedUntil, sessionsOf, whereaboutsOf } from "../../mail/files/presence.ts";
import { inspectOffice } from "../../office/files/read-office.ts";
import { OFFICE_PATH } from "../../office/nouns/org-files.ts";
import { exists } from "../../store/read/facts.ts";
import { silence } from "../../wake/files/quiet-parts.ts";
import { reached, wakeShown } from "../../wake/files/recipient-status.ts";

/** Who there is. */
export const roster = defineOperation({
  name: "roster",
  tool: "room",
  summary: "List every part: which agent it is, whether it is online, its unread mail",
  when: "See the parts, and what they do.",
  effect: "read",
  identity: "optional",
  output: () => ({
    project: z.object({ id: z.string(), name: z.string() }),
    parts: z.array(
      z.object({
        part: z.string(),
        online: z.boolean(),
        /** `waiting`, `working`, `idle` or `never`, when it was seen last, and on which task it works. */
        presence: z.optional(z.string()),
        seenAt: z.optional(z.string()),
        task: z.optional(z.string()),
        main: z.boolean(),
        you: z.boolean(),
        unread: z.number(),
        reachable: z.optional(z.array(z.string())),
        /** How many sessions of agents are this part, where more than one is. */
        connections: z.optional(z.number()),
        agent: z.nullable(z.object({ name: z.string(), connectedAt: z.string() })),
        about: z.optional(z.string()),
        session: z.optional(z.string()),
        limitedUntil: z.optional(z.string()),
        /** It holds a claim, and this was its last sign of life. */
        quietSince: z.optional(z.string()),
        wake: z.optional(Wake),
      }),
    ),
    /** Who else can be written to: groups with the parts in each, and the leads of an office. */
    groups: z.optional(z.record(z.string(), z.array(z.string()))),
    leads: z.optional(z.array(z.string())),
  }),
  async run(world, _input, { part: you }) {
    const home = world.home();
    const config = home.config();
    const quiet = new Map(silence(world).quiet.map(({ part, sinceMs }) => [part, new Date(sinceMs).toISOString()]));
    const parts = members(world).map(({ part, about, session }) => {
      const live = connections(world, part);
      const connection = live[0];
      const sessions = sessionsOf(world, part, live).length;
      const where = world.past === undefined ? whereaboutsOf(world, part, live) : null;
      const [held] = where === null || where.presence === "never" ? [] : heldBy(world, part);
      const until = limitedUntil(world, part);
      const unread = unreadIds(home.store, part).length;
      const wake = wakeShown(world, part, unread);
      return {
        part,
        online: connection !== undefined || where?.presence === "working",
        ...where,
        ...(held === undefined ? {} : { task: held.task }),
        main: part === config.main,
        you: part === you,
        unread,
        ...reached(world, part),
        ...(sessions > 1 ? { connections: sessions } : {}),
        agent: connection === undefined ? null : { name: connection.agent.name, connectedAt: connection.connectedAt },
        ...(about === undefined ? {} : { about }),
        ...(session === null ? {} : { session }),
        ...(until === null ? {} : { limitedUntil: new Date(until).toISOString() }),
        ...(quiet.has(part) ? { quietSince: quiet.get(part) } : {}),
        ...(wake === null ? {} : { wake }),
      };
    });
    const groups = Object.fromEntries(
      [...config.groups].map(([name, of]) => [`@${name}`, of.flatMap((each) => currentName(world, each) ?? [])]),
    );
    const positions = exists(home.store, OFFICE_PATH) ? inspectOffice(home.store).office?.positions.values() : undefined;
    const leads = [...(positions ?? [])].flatMap(({ id, leads: led }) => (led === null ? [] : [id]));
    return {
      project: { id: config.project.id, name: config.project.name },
      parts,
      ...(config.groups.size === 0 ? {} : { groups }),
      ...(leads.length === 0 ? {} : { leads }),
    };
  },
});
