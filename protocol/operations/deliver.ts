import * as z from "zod/mini";
import { DELIVERIES, type Delivery, deliveryOf, setDelivery } from "../home/delivery.ts";
import { requireMembers } from "../home/parts.ts";
import { HUMAN } from "../objects/part.ts";
import { count, LIMITS, line, maybe, text } from "../objects/schema.ts";
import { defineOperation } from "../operation.ts";
import { refuse } from "../refusal.ts";
import { ContentError } from "../store/read.ts";
import type { World } from "../world.ts";

/** How a part is rung so far. What cannot be read any more is chosen anew, where somebody chooses. @throws ContentError */
function kept(world: World, part: string, anew: boolean): Delivery {
  try {
    return deliveryOf(world, part);
  } catch (error) {
    if (anew && error instanceof ContentError) return { deliver: "auto" };
    throw error;
  }
}

/** Says how a part is rung on this machine, or shows it. */
export const partDeliver = defineOperation({
  name: "part_deliver",
  tool: null,
  command: "part deliver",
  summary: "Choose how a part is woken on this machine, or show it",
  when: "Choose how a part is woken on this machine.",
  effect: "write",
  idempotent: true,
  identity: "none",
  home: true,
  positionals: ["part", "deliver", "argv"],
  input: () =>
    z.object({
      part: z.string().check(z.minLength(1), z.describe("a part id, such as web or shop/api")),
      deliver: maybe(z.enum(DELIVERIES).check(z.describe("auto, channel, hook, tmux, exec or none"))),
      argv: maybe(
        z
          .array(text(LIMITS.query * 10, ""))
          .check(z.minLength(1), z.maxLength(LIMITS.recipients), z.describe("with exec: a program and its arguments, after --")),
      ),
      timeout_s: maybe(count(1, 3_600, 10, "with exec: the longest it may take")),
      target: maybe(line(LIMITS.name, "with tmux: session:window.pane")),
    }),
  output: () =>
    z.object({
      part: z.string(),
      deliver: z.enum(DELIVERIES),
      argv: z.optional(z.array(z.string())),
      timeout_s: z.optional(z.number()),
      tmux: z.optional(z.record(z.string(), z.unknown())),
    }),
  example: { part: "web", deliver: "exec", argv: ["notify-send", "Relay", "Mail for web"] },
  async run(world, { part, deliver, argv, timeout_s, target }) {
    requireMembers(world, [part]);
    const before = kept(world, part, deliver !== undefined);
    const chosen = deliver ?? before.deliver;
    if (part === HUMAN && !["exec", "none"].includes(chosen))
      throw refuse("part_protected", { part, reason: "people are told by a command of theirs (exec), or not at all (none)" });
    const exec = argv === undefined ? before.exec : { argv, ...(timeout_s === undefined ? {} : { timeout_s }) };
    if (chosen === "exec" && exec === undefined)
      throw refuse("invalid_argument", {
        argument: "argv",
        expected: "the program to run, and its arguments",
        given: argv,
        example: ["notify-send", "Relay"],
      });
    const now: Delivery = {
      deliver: chosen,
      ...(exec === undefined ? {} : { exec }),
      ...(target === undefined ? (before.tmux === undefined ? {} : { tmux: before.tmux }) : { tmux: { ...before.tmux, target } }),
    };
    if (deliver !== undefined || argv !== undefined || target !== undefined) setDelivery(world, part, now);
    return {
      part,
      deliver: now.deliver,
      ...(now.exec === undefined ? {} : { argv: now.exec.argv, timeout_s: now.exec.timeout_s ?? 10 }),
      ...(now.tmux === undefined ? {} : { tmux: now.tmux }),
    };
  },
});
