import { flag, LIMITS, line, maybe, prose } from "../../core/format/schema.ts";
import { defineOperation } from "../../core/operation.ts";
import { EXIT } from "../../core/refusal.ts";
import type { World } from "../../core/world.ts";
import { awaitReply } from "../files/await-reply.ts";
import { ensureRunner, mayStartRunner } from "../files/ensure-runner.ts";
import { giveWork } from "../files/give-work.ts";
import { saveEnvironment } from "../files/launch-environment.ts";
import { requireProgramOf } from "../files/missing-programs.ts";
import { officeCallerOf, whoTyped } from "../files/office-caller.ts";
import { readDispatch } from "../files/read-dispatch.ts";
import { requirePerson, requireTrustedOffice } from "../files/trusted-office.ts";
import { OFFICE_LEAD } from "../nouns/name.ts";
import { positionId } from "../nouns/positions.ts";
import { answerOf, SendAnswer } from "./send-answer.ts";

const LOOK_MS = 1_000;

/** Gives the office's lead a goal. */
export const office_start = defineOperation({
  name: "office_start",
  summary: "Give the office's lead a goal; on a terminal it shows what happens, and waits for the reply",
  effect: "write",
  idempotent: false,
  identity: "optional",
  positionals: ["goal"],
  input: () => ({
    goal: prose(LIMITS.body, "what is to be done"),
    to: maybe(line(LIMITS.name, "another lead, by its position; default: om")),
    detach: flag("do not wait for the reply"),
  }),
  output: () => SendAnswer,
  example: { goal: "Show prices with tax, with tests." },
  exit: ({ status }) => (status === "failed" || status === "timeout" ? EXIT.failed : EXIT.ok),
  async run(world, { goal, to = OFFICE_LEAD, detach }, who) {
    requirePerson(world, "relay office start");
    const caller = officeCallerOf(world, whoTyped(who));
    const trusted = requireTrustedOffice(world);
    saveEnvironment(world);
    if (mayStartRunner(world)) requireProgramOf(world, positionId(to), trusted);
    const { dispatch, agent } = giveWork(world, caller, to, goal, undefined);
    ensureRunner(world);
    const queued = { status: "queued" as const, context_id: dispatch.context, agent };
    if (world.person !== true || detach === true) return queued;
    const telling = setInterval(() => tellProgress(world, dispatch.id), LOOK_MS);
    try {
      const came = await awaitReply(world, caller, dispatch.id, LIMITS.waitSeconds * 1_000);
      return came === null ? queued : answerOf(world, came);
    } finally {
      clearInterval(telling);
    }
  },
});

/** Shows a waiting person which positions are at work. */
function tellProgress(world: World, id: string): void {
  const state = readDispatch(world, id);
  if (state === null) return;
  const below = state.open.map(({ child, state: at }) => `${child.recipient} ${at}`);
  world.progress?.([`${state.dispatch.recipient} ${state.state}, turn ${Math.max(1, state.turns.length)}`, ...below].join("; "));
}
