import * as z from "zod/mini";
import { dayOf } from "../../core/format/id.ts";
import { count } from "../../core/format/schema.ts";
import { defineOperation } from "../../core/operation.ts";
import { findRepository } from "../../git/home/repository.ts";
import { recordSize, sizesOf } from "../files/home-sizes.ts";

const DAY_MS = 86_400_000;
const Kind = z.object({ kind: z.string(), files: z.number(), bytes: z.number() });
const Day = z.object({ day: z.string(), messages: z.number(), bytes: z.number() });

/** Says how big things are, and how fast they grow. */
export const stats = defineOperation({
  name: "stats",
  summary: "Show how big the home is, and how fast it grows",
  effect: "read",
  identity: "none",
  input: () => ({ days: count(1, 3_650, 14, "days to look back for growth") }),
  output: () => ({
    kinds: z.array(Kind),
    files: z.number(),
    bytes: z.number(),
    git: z.nullable(z.object({ bytes: z.number(), commits: z.number(), loose: z.number() })),
    days: z.array(Day),
    perDay: z.object({ messages: z.number(), bytes: z.number() }),
  }),
  example: { days: 14 },
  async run(world, { days }) {
    const { kinds, days: byDay, total } = sizesOf(world.home().store);
    const repository = findRepository(world);
    const first = dayOf(world.now() - (days - 1) * DAY_MS);
    const recent = [...byDay].filter(([day]) => day >= first).sort(([a], [b]) => (a < b ? -1 : 1));
    const sum = (of: "files" | "bytes"): number => recent.reduce((all, [, size]) => all + size[of], 0);
    // A young home grows by what it got since its first message.
    const oldest = [...byDay.keys()].sort()[0] ?? first;
    const span = Math.max(1, Math.min(days, Math.ceil((world.now() - Date.parse(oldest)) / DAY_MS)));
    return {
      kinds: [...kinds].map(([kind, size]) => ({ kind, ...size })).sort((a, b) => b.bytes - a.bytes || b.files - a.files),
      ...total,
      git: repository === null ? null : await recordSize(repository),
      days: recent.map(([day, { files, bytes }]) => ({ day, messages: files, bytes })),
      perDay: { messages: Math.round((sum("files") / span) * 10) / 10, bytes: Math.round(sum("bytes") / span) },
    };
  },
});
