import path from "node:path";
import * as z from "zod/mini";
import { addNotify, keepResult, lastResult, notifies, removeNotify } from "../../home/notify/notify-list.ts";
import { runNotify } from "../../home/notify/tell-person.ts";
import { livePagers } from "../../home/wake/wake-processes.ts";
import { isNotifyName, NEWS, type News, type Notify, shownUrl, urlProblem } from "../../objects/event/notify.ts";
import { LIMITS, maybe, text } from "../../objects/format/schema.ts";
import { HUMAN } from "../../objects/part/part.ts";
import { defineOperation } from "../../operation.ts";
import { refuse } from "../../refusal.ts";
import { findProgram, leadsInto } from "../../store/program.ts";
import type { World } from "../../world.ts";

const shared = { tool: null, identity: "none", home: true } as const;

const Name = z
  .string()
  .check(
    z.refine(
      (name) => isNotifyName(name),
      "a name of a-z, 0-9, - and _ that begins with a letter or a digit, at most 64, and is no device of Windows",
    ),
  );

const Last = z.object({ at: z.string(), ok: z.boolean(), event: z.string(), detail: z.string() });
const Shown = {
  name: z.string(),
  on: z.array(z.enum(NEWS)),
  argv: z.optional(z.array(z.string())),
  folder: z.optional(z.string()),
  url: z.optional(z.string()),
  addedAt: z.string(),
};

/** A notify as it is shown: of an address only where it leads, because its path may be a secret. */
const shownOf = ({ name, on, addedAt, command, url }: Notify): z.infer<z.ZodMiniObject<typeof Shown>> => ({
  name,
  on,
  ...(command === undefined ? { url: shownUrl(url as string) } : { argv: command.argv, folder: command.cwd }),
  addedAt,
});

/** Lets a person be told on this machine. There is no tool for it: an agent adds no commands. */
export const notifyAdd = defineOperation({
  ...shared,
  name: "notify_add",
  command: "notify add",
  summary: "Have a command run, or a webhook called, when people are needed or work ends; on this machine",
  when: "Have a person told.",
  effect: "write",
  idempotent: false,
  positionals: ["name", "argv"],
  input: () =>
    z.object({
      name: maybe(Name.check(z.describe("a name for it (default: the program's, or the host's); one that is there is replaced"))),
      argv: maybe(
        z
          .array(text(LIMITS.query * 10, ""))
          .check(z.minLength(1), z.maxLength(LIMITS.recipients), z.describe("a program and its arguments, after --; run without a shell")),
      ),
      webhook: maybe(text(LIMITS.query * 10, "an https address that gets a POST; http only to this machine itself")),
      on: maybe(z.array(z.enum(NEWS)).check(z.minLength(1), z.describe(`of what: ${NEWS.join(", ")} (default: all)`))),
    }),
  output: () => z.object({ ...Shown, replaced: z.boolean(), pager: z.boolean(), warning: z.optional(z.string()) }),
  example: { name: "desktop", argv: ["sh", "-c", 'notify-send -- "$RELAY_EVENT: $RELAY_PART" "$RELAY_SUBJECT"'] },
  async run(world, { name, argv, webhook, on }) {
    if ((argv === undefined) === (webhook === undefined)) {
      const given = argv === undefined ? "neither" : "both";
      const expected = "either a command after --, or --webhook with an address";
      throw refuse("invalid_argument", { argument: "argv", expected, given, example: ["notify-send", "Relay"] });
    }
    const problem = webhook === undefined ? null : urlProblem(webhook);
    if (problem !== null) {
      throw refuse("invalid_argument", {
        argument: "webhook",
        expected: `an https address: ${problem}`,
        given: webhook,
        example: "https://example.com/hook",
      });
    }
    const { notify, replaced } = addNotify(world, { name, on, argv, cwd: world.cwd, url: webhook });
    const warning = argv === undefined ? null : commandWarning(world, argv);
    return { ...shownOf(notify), replaced, pager: livePagers(world, null).length > 0, ...(warning === null ? {} : { warning }) };
  },
});

/** What there is to say of a command before it fails for the first time, or others change it. */
function commandWarning(world: World, argv: readonly string[]): string | null {
  const [program = ""] = argv;
  if (findProgram(program, world.cwd, world.env["PATH"]) === null)
    return `there is no program ${JSON.stringify(program)} that may be run${program.includes("/") ? "" : " on the PATH"}`;
  const project = path.dirname(world.home().store.root);
  const within = argv.find((word) => (word.includes("/") || word !== program) && leadsInto(path.resolve(world.cwd, word), project));
  return within === undefined ? null : `${within} lies in the project: whoever changes that file changes what runs`;
}

/** Lists how people are told here. */
export const notifyList = defineOperation({
  ...shared,
  name: "notify_list",
  command: "notify list",
  summary: "List how people are told on this machine, and how it went the last time",
  when: "See how people are told.",
  effect: "read",
  idempotent: true,
  positionals: [],
  input: () => z.object({}),
  output: () => z.object({ notifies: z.array(z.object({ ...Shown, last: z.nullable(Last) })), pager: z.boolean() }),
  example: {},
  async run(world) {
    const all = notifies(world).map((notify) => ({ ...shownOf(notify), last: lastResult(world, notify.name) }));
    return { notifies: all, pager: livePagers(world, null).length > 0 };
  },
});

/** Takes one away. */
export const notifyRemove = defineOperation({
  ...shared,
  name: "notify_remove",
  command: "notify remove",
  summary: "Remove a command or webhook that tells people",
  when: "Have a person told no more.",
  effect: "write",
  idempotent: false,
  positionals: ["name"],
  input: () => z.object({ name: Name.check(z.describe("a name that `relay notify list` shows")) }),
  output: () => z.object({ removed: z.string() }),
  example: { name: "desktop" },
  async run(world, { name }) {
    if (!removeNotify(world, name)) throw unknown(world, name);
    return { removed: name };
  },
});

/** Tries one at once, or all. */
export const notifyTest = defineOperation({
  ...shared,
  name: "notify_test",
  command: "notify test",
  summary: "Tell a person something at once, and show what came of it",
  when: "Try how a person is told.",
  effect: "write",
  idempotent: false,
  positionals: ["name"],
  input: () => z.object({ name: maybe(Name.check(z.describe("a name that `relay notify list` shows; default: all"))) }),
  output: () =>
    z.object({ ok: z.boolean(), tried: z.array(z.object({ name: z.string(), ok: z.boolean(), detail: z.string(), output: z.string() })) }),
  example: { name: "desktop" },
  exit: ({ ok }) => (ok ? 0 : 1),
  async run(world, { name }) {
    const chosen = notifies(world).filter((notify) => name === undefined || notify.name === name);
    if (chosen.length === 0) throw unknown(world, name);
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

function unknown(world: World, given: string | undefined): Error {
  const known = notifies(world).map(({ name }) => name);
  const expected = known.length === 0 ? "a notify that was added: there is none (`relay notify add`)" : `one of these: ${known.join(", ")}`;
  return refuse("invalid_argument", { argument: "name", expected, given, example: known[0] ?? "desktop" });
}
