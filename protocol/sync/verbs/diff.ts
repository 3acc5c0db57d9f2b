import * as z from "zod/mini";
import { limit, line, maybe } from "../../core/format/schema.ts";
import { defineOperation } from "../../core/operation.ts";
import { changesBetween, textsBetween } from "../../git/home/changes-between.ts";
import { commitAt } from "../../git/home/home-at-commit.ts";
import { requireRepository } from "../../git/home/repository.ts";
import { withTitles } from "./thing-titles.ts";

const Count = z.object({ word: z.string(), added: z.number(), changed: z.number(), removed: z.number() });
const Thing = z.object({
  word: z.string(),
  name: z.string(),
  /** What people call it, of what has an id for a name. */
  title: maybe(z.string()),
  path: z.string(),
  change: z.enum(["added", "changed", "removed"]),
});
const CHANGES = ["added", "changed", "removed"] as const;

/** What changed between two moments. */
export const diff = defineOperation({
  name: "diff",
  summary: "List what changed between two commits of the home",
  effect: "read",
  identity: "none",
  onlyNow: true,
  positionals: ["from", "to"],
  input: () => ({
    from: line(200, "a commit of the home, or a time"),
    to: maybe(line(200, "a later one (default: the newest commit)")),
    path: maybe(line(512, "only this file of the home, with its text before and after")),
    limit: limit(200),
  }),
  output: () => ({
    from: z.string(),
    to: z.string(),
    counts: z.array(Count),
    things: z.array(Thing),
    whole: z.boolean(),
    before: maybe(z.nullable(z.string())),
    after: maybe(z.nullable(z.string())),
  }),
  example: { from: "HEAD~1" },
  async run(world, input) {
    const repository = requireRepository(world);
    const [from, to] = [await commitAt(repository, input.from), await commitAt(repository, input.to ?? "HEAD")];
    const found = await changesBetween(repository, from, to, { path: input.path, signal: world.signal });
    const counts = new Map<string, z.infer<typeof Count>>();
    for (const { word, change } of found.things) {
      const count = counts.get(word) ?? { word, added: 0, changed: 0, removed: 0 };
      count[change] += 1;
      counts.set(word, count);
    }
    // What is seldom is told before what is many.
    const total = (count: z.infer<typeof Count>): number => CHANGES.reduce((sum, each) => sum + count[each], 0);
    const order = [...counts.values()].sort((a, b) => total(a) - total(b));
    const rank = new Map(order.map(({ word }, at) => [word, at]));
    const listed = found.things.sort((a, b) => (rank.get(a.word) ?? 0) - (rank.get(b.word) ?? 0)).slice(0, input.limit);
    const things = await withTitles(world, from, to, listed);
    const texts = input.path === undefined ? {} : await textsBetween(repository, from, to, input.path);
    return { from, to, counts: order, things, whole: found.isWhole && found.things.length <= input.limit, ...texts };
  },
});
