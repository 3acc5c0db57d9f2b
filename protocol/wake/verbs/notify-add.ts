import path from "node:path";
import * as z from "zod/mini";
import { NEWS, urlProblem } from "../../core/event/notify.ts";
import { LIMITS, maybe, text } from "../../core/format/schema.ts";
import { defineOperation } from "../../core/operation.ts";
import { refuse } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { findProgram, leadsInto } from "../../store/program.ts";
import { addNotify } from "../files/notify-list.ts";
import { livePagers } from "../files/who-rings.ts";
import { NotifyName, notifyAnswer, notifyAnswerFields } from "./notify-answer.ts";

/** Lets a person be told on this machine. There is no tool for it: an agent adds no commands. */
export const notify_add = defineOperation({
  name: "notify_add",
  summary: "Add a command or a webhook of this machine that tells a person when a decision is needed or work ends",
  effect: "write",
  idempotent: false,
  identity: "none",
  positionals: ["name", "argv"],
  input: () => ({
    name: maybe(NotifyName.check(z.describe("its name (default: the program or the host); replaces an entry of that name"))),
    argv: maybe(
      z
        .array(text(LIMITS.query * 10, ""))
        .check(z.minLength(1), z.maxLength(LIMITS.recipients), z.describe("a program and its arguments, after --; runs without a shell")),
    ),
    webhook: maybe(text(LIMITS.query * 10, "an https address that gets a POST; http only for this machine")),
    on: maybe(z.array(z.enum(NEWS)).check(z.minLength(1), z.describe(`which news: ${NEWS.join(", ")} (default: all)`))),
  }),
  output: () => ({ ...notifyAnswerFields, replaced: z.boolean(), pager: z.boolean(), warning: z.optional(z.string()) }),
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
    return { ...notifyAnswer(notify), replaced, pager: livePagers(world, null).length > 0, ...(warning === null ? {} : { warning }) };
  },
});

/** What there is to say of a command before it fails for the first time, or others change it. */
function commandWarning(world: World, argv: readonly string[]): string | null {
  const [program = ""] = argv;
  if (findProgram(program, world.cwd, world.env["PATH"]) === null)
    return `no program ${JSON.stringify(program)} that can run was found${program.includes("/") ? "" : " on the PATH"}`;
  const project = path.dirname(world.home().store.root);
  const within = argv.find((word) => (word.includes("/") || word !== program) && leadsInto(path.resolve(world.cwd, word), project));
  return within === undefined ? null : `${within} is in the project: a change of that file changes what runs`;
}
