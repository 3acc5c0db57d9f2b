import * as z from "zod/mini";
import type { News } from "../../core/event/notify.ts";
import { maybe } from "../../core/format/schema.ts";
import { HUMAN } from "../../core/names.ts";
import { defineOperation } from "../../core/operation.ts";
import { keepResult, notifies } from "../files/notify-list.ts";
import { runNotify } from "../files/tell-person.ts";
import { NotifyName, unknownNotify } from "./notify-answer.ts";

/** Tries one at once, or all. */
export const notify_test = defineOperation({
  name: "notify_test",
  summary: "Send a test now, and show the result",
  effect: "write",
  idempotent: false,
  identity: "none",
  positionals: ["name"],
  input: () => ({ name: maybe(NotifyName.check(z.describe("a name that `relay notify list` shows; default: all"))) }),
  output: () => ({
    ok: z.boolean(),
    tried: z.array(z.object({ name: z.string(), ok: z.boolean(), detail: z.string(), output: z.string() })),
  }),
  example: { name: "desktop" },
  exit: ({ ok }) => (ok ? 0 : 1),
  async run(world, { name }) {
    const chosen = notifies(world).filter((notify) => name === undefined || notify.name === name);
    if (chosen.length === 0) throw unknownNotify(world, name);
    const now = world.now();
    const news: News = { kind: "test", id: "test", part: HUMAN, subject: "A test of Relay", atMs: now, hereMs: now };
    const tried = [];
    for (const notify of chosen) {
      const end = await runNotify(world, notify, news, world.signal);
      keepResult(world, notify, news, end.ok, end.detail);
      tried.push({ name: notify.name, ...end });
    }
    return { ok: tried.every(({ ok }) => ok), tried };
  },
});
