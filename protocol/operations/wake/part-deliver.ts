import path from "node:path";
import * as z from "zod/mini";
import { requireMembers } from "../../home/part/members.ts";
import { retryWake } from "../../home/wake/drive-wake.ts";
import { ladderOf, setWakeMethod, unbelievedWakeMethod, WAKE_CHOICES, type WakeMethod, wakeMethodOf } from "../../home/wake/wake-method.ts";
import { livePagers, liveWaiters } from "../../home/wake/wake-processes.ts";
import { readOr } from "../../objects/format/file-error.ts";
import { LIMITS, maybe, text } from "../../objects/format/schema.ts";
import { HUMAN } from "../../objects/part/part.ts";
import { RUNGS, type RungName } from "../../objects/wake/wake-state.ts";
import { defineOperation } from "../../operation.ts";
import { refuse } from "../../refusal.ts";
import { findProgram } from "../../store/program.ts";
import type { World } from "../../world.ts";

/** How a part is rung so far. What cannot be read any more is chosen anew, where somebody chooses. @throws FileError */
function kept(world: World, part: string, anew: boolean): WakeMethod {
  const read = (): WakeMethod => wakeMethodOf(world, part);
  return anew ? readOr<WakeMethod>({ deliver: "auto" }, read) : read();
}

/** Says how a part is rung on this machine, or shows it. */
export const part_deliver = defineOperation({
  name: "part_deliver",
  tool: null,
  command: "part deliver",
  summary: "Choose or show how a part is woken on this machine",
  when: "Choose how a part is woken on this machine.",
  effect: "write",
  idempotent: true,
  identity: "none",
  home: true,
  positionals: ["part", "deliver", "argv"],
  input: () =>
    z.object({
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
  output: () =>
    z.object({
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
    const before = kept(world, part, deliver !== undefined);
    const chosen = deliver ?? before.deliver;
    const commands = chosen === "exec" || chosen === "auto";
    if (part === HUMAN && !["exec", "none"].includes(chosen))
      throw refuse("part_protected", { part, reason: "people are woken by a command (exec), or not at all (none). Choose one of these" });
    const exec = execOf(before, argv, timeout_s);
    if ((chosen === "exec" && exec === undefined) || (argv !== undefined && !commands))
      throw refuse("invalid_argument", {
        argument: "argv",
        expected: commands ? "the program to run, and its arguments" : `no command, because ${part} is woken by ${chosen}, which runs none`,
        given: argv,
        example: ["notify-send", "Relay"],
      });
    const tmux = tmuxOf(before, target, ["auto", "tmux", "none"].includes(chosen));
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
    const ignored = unbelieved === null ? null : `${unbelieved.path} lies in the home, so it is ignored${wanted(unbelieved.commands)}`;
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

/** The command: another one, or the earlier one, which may get another limit. */
function execOf(before: WakeMethod, argv: string[] | undefined, timeout_s: number | undefined): WakeMethod["exec"] {
  const limit = timeout_s === undefined ? {} : { timeout_s };
  if (argv !== undefined) return { argv, ...limit };
  return before.exec === undefined ? undefined : { ...before.exec, ...limit };
}

/** What is kept of a terminal: what `relay up` keeps stays, what the user named only where it may be used. */
function tmuxOf(before: WakeMethod, target: string | undefined, used: boolean): WakeMethod["tmux"] {
  const { target: earlier, ...rest } = before.tmux ?? {};
  const named = target ?? (used ? earlier : undefined);
  const tmux = named === undefined || named === "" ? rest : { ...rest, target: named };
  return Object.keys(tmux).length === 0 ? undefined : tmux;
}

/** What there is to say of a command before it fails at the first message. */
function commandWarning(world: World, { exec }: WakeMethod, earlier: boolean): string | null {
  if (exec === undefined) return null;
  const [program = ""] = exec.argv;
  const folder = path.dirname(world.home().store.root);
  if (findProgram(program, folder, world.env["PATH"]) === null)
    return `there is no program ${JSON.stringify(program)} that may be run${program.includes("/") ? ` (commands run in ${folder})` : " on the PATH"}`;
  return earlier ? "no command was given, so the earlier one is kept" : null;
}

/** The rungs of a part's ladder, and whether each is there now, as far as files tell. */
function rungsNow(world: World, part: string, delivery: WakeMethod): { rung: RungName; now: boolean; detail: string }[] {
  const waiting = liveWaiters(world, part).map(({ rung }) => rung);
  const pane = typeof delivery.tmux?.["target"] === "string" || typeof delivery.tmux?.["process"] === "string";
  const known: Record<RungName, [now: boolean, detail: string]> = {
    channel: waiting.includes("channel") ? [true, "a session waits"] : [false, "no session waits"],
    hook: waiting.includes("hook") ? [true, "a session waits"] : [false, "no session waits"],
    tmux: pane ? [true, "a pane is known"] : [false, "no pane is known: `relay up`, or --target"],
    exec: [delivery.exec !== undefined, "a command is kept"],
  };
  return ladderOf(delivery).map((rung) => ({ rung, now: known[rung][0], detail: known[rung][1] }));
}
