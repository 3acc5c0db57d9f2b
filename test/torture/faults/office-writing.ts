/**
 * Commands of the office that write, for the proof of crash states. What the runner does when it starts belongs to what becomes of them:
 * it goes on with what a process that is gone had begun.
 */

import { operations } from "../../../protocol/index.ts";
import { goOnForKilled } from "../../../protocol/office/files/adopt-mail.ts";
import { createDispatch } from "../../../protocol/office/files/create-dispatch.ts";
import { endTurn } from "../../../protocol/office/files/end-turn.ts";
import { localDispatches, lookAfter } from "../../../protocol/office/files/next-turn.ts";
import { type DispatchState, readDispatch } from "../../../protocol/office/files/read-dispatch.ts";
import { survey } from "../../history/survey.ts";
import { ask, home, outOf, type Verdict, type Writing } from "../../history/verdict.ts";
import { begin, playTurn, writeOffice } from "../../rig/dispatches.ts";
import { worldAt } from "../../rig/home.ts";
import { OFFICE_FILES } from "../../rig/office.ts";

const GOAL = "Build it.";
const MORE = "Then the tests.";

/** An office whose agents all are a command that does nothing. */
async function layOffice(folder: string): Promise<void> {
  const asCommand = (text: string): string => text.replace("---\n", "---\nrunner: command\n");
  const files = Object.entries(OFFICE_FILES).map(([name, text]) => [name, name.includes("/agents/") ? asCommand(text) : text]);
  writeOffice(folder, Object.fromEntries(files));
  await ask(folder, operations.trust_office);
  await ask(folder, operations.office_runner, { program: "command", argv: [process.execPath] });
}

/** Has web give the office's lead work. @returns the id of the dispatch */
async function given(folder: string): Promise<string> {
  await layOffice(folder);
  return createDispatch(worldAt(folder), { initiator: "web", recipient: "om", text: GOAL, parent: null }).dispatch.id;
}

/** What the runner does when it starts, before it begins a turn. */
function runnerStarts(folder: string): void {
  const world = worldAt(folder);
  goOnForKilled(world);
  for (const id of localDispatches(world)) lookAfter(world, id);
}

const stateOf = (folder: string, id: string): DispatchState => readDispatch(worldAt(folder), id) as DispatchState;

/** Work that was given: its message once, unread, and a dispatch of this clone that is rung for it; or no message. */
function workOf(folder: string, body: string): Verdict {
  const { messages, unread } = survey(home(folder));
  const [one, ...others] = messages.filter((message) => message.body === body);
  if (one === undefined) return "absent";
  const state = readDispatch(worldAt(folder), one.thread);
  const isDue = state?.isOwn === true && state.state === "queued" && localDispatches(worldAt(folder)).includes(one.thread);
  return outOf([others.length === 0, isDue, unread.get("om")?.includes(one.id) === true]);
}

/** Whether whoever gave the work was told that it was closed. */
const isTold = (folder: string, id: string): boolean => {
  const { messages, unread } = survey(home(folder));
  const told = messages.filter(({ thread, from }) => thread === id && from === "om");
  return told.length === 1 && unread.get("web")?.includes(told[0]?.id ?? "") === true;
};

export const OFFICE: Readonly<Record<string, Writing>> = {
  "office start": {
    args: () => ["office", "start", GOAL, "--no-wait", "--part", "web"],
    retry: () => [operations.office_start, { goal: GOAL, agent_id: "web" }],
    once: true,
    goesOn: runnerStarts,
    before: async (folder) => {
      await layOffice(folder);
      return "";
    },
    verdict: async (folder) => workOf(folder, GOAL),
  },
  "office send": {
    args: ({ about = "" }) => ["office", "send", "om", MORE, "--context-id", about, "--part", "web"],
    retry: ({ about }) => [operations.office_send, { member: "om", message: MORE, context_id: about, agent_id: "web" }],
    once: true,
    goesOn: runnerStarts,
    before: async (folder) => {
      const id = await given(folder);
      playTurn(worldAt(folder), id, "Built.");
      runnerStarts(folder);
      return id;
    },
    verdict: async (folder) => workOf(folder, MORE),
  },
  "office close": {
    args: ({ about = "" }) => ["office", "close", about, "--part", "web"],
    retry: ({ about }) => [operations.office_close, { context_id: about, agent_id: "web" }],
    goesOn: runnerStarts,
    tells: true,
    before: given,
    verdict: async (folder, { about = "" }) => outOf([stateOf(folder, about).closed !== null, isTold(folder, about)]),
  },
  "office stop": {
    args: () => ["office", "stop", "--part", "web"],
    retry: () => [operations.office_stop, { agent_id: "web" }],
    goesOn: runnerStarts,
    tells: true,
    // Whom it gave work to is closed first.
    inSteps: true,
    before: async (folder) => {
      const id = await given(folder);
      const world = worldAt(folder);
      const { turn } = begin(world, id);
      const parent = { dispatch: stateOf(folder, id).dispatch, turn };
      createDispatch(world, { initiator: "om", recipient: "om/auditor", text: "Audit it.", parent });
      endTurn(world, id, turn, { outcome: "ok", exit: "0", text: "I wait." });
      return id;
    },
    verdict: async (folder, { about = "" }) => {
      const { closed, facts } = stateOf(folder, about);
      return outOf([facts.childrenAtWork === 0, closed !== null, isTold(folder, about)]);
    },
  },
};
