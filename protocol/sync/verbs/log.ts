import * as z from "zod/mini";
import { cursor, flag, limit, maybe } from "../../core/format/schema.ts";
import { defineOperation } from "../../core/operation.ts";
import { cursorAfter, readCursor } from "../../core/paginate.ts";
import type { World } from "../../core/world.ts";
import { requireRepository } from "../../git/home/repository.ts";
import { meantPart } from "../../mail/files/guests.ts";
import { machineNotes } from "../../trust/files/machine-notes.ts";
import { LogEntry, logQueries, readLog } from "./read-log.ts";

/** What was recorded when, and by whom. */
export const log = defineOperation({
  name: "log",
  summary: "List the commits of the home, newest first; other commands read one with --at",
  effect: "read",
  identity: "none",
  onlyNow: true,
  input: () => ({
    part: maybe(z.string().check(z.describe("only what this part did or received"))),
    threadId: maybe(z.string().check(z.describe("only this thread"))),
    task_id: maybe(z.string().check(z.describe("only this task"))),
    memory: maybe(z.string().check(z.describe("only this memory: a part, or * for the project's"))),
    machine: flag("list permissions given on this machine instead of commits"),
    limit: limit(),
    cursor: cursor(),
  }),
  output: () => ({ entries: z.array(LogEntry), cursor: z.nullable(z.string()), warning: maybe(z.string()) }),
  example: { part: "web", limit: 30 },
  async run(world, input) {
    if (input.machine === true) return ofMachine(world, input);
    const repository = requireRepository(world);
    // What was recorded under a former name stays under it.
    const meant = input.part === undefined ? undefined : meantPart(world, input.part);
    const warned = meant === undefined || meant.warning === undefined || meant.part !== input.part ? {} : { warning: meant.warning };
    const skip = input.cursor === undefined ? 0 : Number(readCursor(input.cursor, "log"));
    const wanted = skip + input.limit + 1;
    const lists = await Promise.all(logQueries(world, input).map((query) => readLog(repository, query, wanted)));
    const seen = new Map(lists.flat().map((entry) => [entry.commit, entry]));
    // One question of git has its own order; two are put together by time.
    const all = lists.length === 1 ? [...seen.values()] : [...seen.values()].sort((a, b) => Date.parse(b.at) - Date.parse(a.at));
    const more = all.length > skip + input.limit;
    return {
      entries: all.slice(skip, skip + input.limit),
      cursor: more ? cursorAfter(String(skip + input.limit), "log") : null,
      ...warned,
    };
  },
});

/** What was allowed on this machine, in the same shape; the digest of what was granted stands for the commit. */
function ofMachine(world: World, { limit: most, cursor: after }: { limit: number; cursor?: string | undefined }) {
  const skip = after === undefined ? 0 : Number(readCursor(after, "log"));
  const all = machineNotes(world);
  const entries = all.slice(skip, skip + most).map(({ digest, at, subject, parts, argv }) => ({
    commit: digest,
    parent: null,
    at,
    by: "this machine",
    subject: argv === undefined ? subject : `${subject}: ${JSON.stringify(argv)}`,
    parts,
  }));
  return { entries, cursor: all.length > skip + most ? cursorAfter(String(skip + most), "log") : null };
}
