import * as z from "zod/mini";
import { type Place, searchMessages } from "../home/search.ts";
import { type Faults as FaultList, resolveThread } from "../home/threads.ts";
import { compareNewest, decodeTime, type MessageKey } from "../objects/id.ts";
import { cursor, flag, instant, LIMITS, limit, line, maybe } from "../objects/schema.ts";
import { defineOperation } from "../operation.ts";
import { page } from "./page.ts";
import { Faults, withFaults } from "./shapes.ts";

const SNIPPET = 160;

/** Finds messages by what they say. */
export const search = defineOperation({
  name: "search",
  tool: { name: "search", group: "room" },
  command: "search",
  summary: "Search subjects and bodies, newest first; literal, without regard to case, unless --regex",
  when: "Find what was said, in any thread.",
  effect: "read",
  idempotent: true,
  identity: "none",
  home: true,
  positionals: ["query"],
  input: () =>
    z.object({
      query: line(LIMITS.query, "literal, case ignored"),
      regex: flag("query is an RE2 expression"),
      part: maybe(z.string().check(z.describe("from or to"))),
      thread: maybe(z.string()),
      since: maybe(instant("ISO 8601")),
      limit: limit(),
      cursor,
    }),
  output: () =>
    z.object({
      hits: z.array(z.object({ threadId: z.string(), messageId: z.string(), subject: z.string(), snippet: z.string(), at: z.string() })),
      total: z.number(),
      cursor: z.nullable(z.string()),
      problems: Faults,
    }),
  example: { query: "deadline" },
  async run(world, input) {
    const problems: FaultList = [];
    const within = input.thread === undefined ? null : resolveThread(world.home(), input.thread);
    const since = input.since === undefined ? 0 : Date.parse(input.since);
    const wanted = (key: MessageKey): boolean => decodeTime(key.token) >= since;
    const found = await searchMessages(
      world,
      { query: input.query, regex: input.regex ?? false, within, wanted, part: input.part },
      problems,
    );
    const ids = [...found.keys()].sort(compareNewest);
    const shown = page(ids, input.limit, input.cursor, compareNewest);
    const hits = shown.items.flatMap((id) => {
      const read = found.get(id)?.() ?? null;
      if (read === null) return [];
      const { message, at } = read;
      const { subject, body } = message;
      return [{ threadId: message.thread, messageId: id, subject, snippet: snippet(body, at), at: message.at }];
    });
    return withFaults({ hits, total: ids.length, cursor: shown.cursor }, problems);
  },
});

/** The words around a hit, white space folded; the beginning when the hit is in the subject. */
function snippet(body: string, at: Place): string {
  const start = at === null ? 0 : Math.max(0, at.start - Math.floor((SNIPPET - Math.min(at.length, SNIPPET)) / 2));
  const cut = body
    .slice(start, start + SNIPPET)
    .toWellFormed()
    .replace(/\s+/g, " ")
    .trim();
  return `${start > 0 ? "…" : ""}${cut}${start + SNIPPET < body.length ? "…" : ""}`;
}
