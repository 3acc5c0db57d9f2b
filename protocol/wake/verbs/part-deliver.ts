import * as z from "zod/mini";
import { LIMITS, maybe, text } from "../../core/format/schema.ts";
import { HUMAN } from "../../core/names.ts";
import { defineOperation } from "../../core/operation.ts";
import { refuse } from "../../core/refusal.ts";
import { requireMembers } from "../../mail/files/members.ts";
import { retryWake } from "../files/drive-wake.ts";
import { setWakeMethod } from "../files/set-wake-method.ts";
import { livePagers, unbelievedWakeMethod, WAKE_CHOICES, type WakeMethod } from "../files/who-rings.ts";
import { RUNGS } from "../nouns/wake-state.ts";
import { chosenCommand, chosenTerminal, commandWarning, keptMethod } from "./chosen-method.ts";
import { rungsNow } from "./rungs-now.ts";

/** Says how a part is rung on this machine, or shows it. */
export const part_deliver = defineOperation({
  name: "part_deliver",
  summary: "Choose or show how a part is woken on this machine",
  effect: "write",
  idempotent: true,
  identity: "none",
  positionals: ["part", "deliver", "argv"],
  input: () => ({
    part: z.string().check(z.minLength(1), z.describe("a part id, such as web or shop/api")),
    deliver: maybe(z.enum(WAKE_CHOICES).check(z.describe("auto, channel, hook, tmux, exec or none"))),
    argv: maybe(
      z
        .array(text(LIMITS.query * 10, ""))
        .check(z.minLength(1), z.maxLength(LIMITS.recipients), z.describe("with exec: a program and its arguments, after --")),
    ),
    timeout_s: maybe(z.int().check(z.gte(1), z.lte(3_600), z.describe("with exec: seconds that it may run (default 10)"))),
    target: maybe(
      text(LIMITS.name, "with tmux: session:window.pane; an empty text forgets it").check(
        z.refine((name) => !/\p{Cc}/u.test(name), "one line without control characters"),
      ),
    ),
  }),
  output: () => ({
    part: z.string(),
    deliver: z.enum(WAKE_CHOICES),
    argv: z.optional(z.array(z.string())),
    timeout_s: z.optional(z.number()),
    tmux: z.optional(z.record(z.string(), z.unknown())),
    rungs: z.array(z.object({ rung: z.enum(RUNGS), now: z.boolean(), detail: z.string() })),
    pager: z.boolean(),
    warning: z.optional(z.string()),
  }),
  example: { part: "web", deliver: "exec", argv: ["notify-send", "Relay", "Mail for web"] },
  async run(world, { part, deliver, argv, timeout_s, target }) {
    requireMembers(world, [part]);
    const before = keptMethod(world, part, deliver !== undefined);
    const chosen = deliver ?? before.deliver;
    const commands = chosen === "exec" || chosen === "auto";
    if (part === HUMAN && !["exec", "none"].includes(chosen))
      throw refuse("part_protected", { part, reason: "people are woken by a command (exec), or not at all (none). Choose one of these" });
    const exec = chosenCommand(before, argv, timeout_s);
    if ((chosen === "exec" && exec === undefined) || (argv !== undefined && !commands))
      throw refuse("invalid_argument", {
        argument: "argv",
        expected: commands ? "the program to run, and its arguments" : `no command, because ${part} is woken by ${chosen}, which runs none`,
        given: argv,
        example: ["notify-send", "Relay"],
      });
    const tmux = chosenTerminal(before, target, ["auto", "tmux", "none"].includes(chosen));
    const keepsCommand = deliver === undefined || commands || chosen === "none";
    const now: WakeMethod = {
      deliver: chosen,
      ...(exec === undefined || !keepsCommand ? {} : { exec }),
      ...(tmux === undefined ? {} : { tmux }),
    };
    if ([deliver, argv, timeout_s, target].some((given) => given !== undefined)) {
      setWakeMethod(world, part, now);
      retryWake(world, part);
    }
    const command =
      chosen === "exec" || argv !== undefined ? commandWarning(world, now, deliver !== undefined && argv === undefined) : null;
    const unbelieved = unbelievedWakeMethod(world, part);
    const ignored = unbelieved === null ? null : `${unbelieved.path} is in the home, so Relay ignores it${wanted(unbelieved.commands)}`;
    const warning = [command, ignored].filter((each) => each !== null).join("; ") || null;
    return {
      part,
      deliver: now.deliver,
      ...(now.exec === undefined ? {} : { argv: now.exec.argv, timeout_s: now.exec.timeout_s ?? 10 }),
      ...(now.tmux === undefined ? {} : { tmux: now.tmux }),
      rungs: rungsNow(world, part, now),
      pager: livePagers(world, part).length > 0,
      ...(warning === null ? {} : { warning }),
    };
  },
});

const wanted = (commands: readonly string[][]): string =>
  commands.length === 0 ? "" : `; it wants to run ${commands.map((argv) => JSON.stringify(argv)).join(" and ")}`;
