/** What happens in an office, as whoever follows it is told: each turn begins and ends once, a crash included, and nothing is read back. */
import fs from "node:fs";
import path from "node:path";
import { afterEach, expect, test } from "vitest";
import { claudeProgram as claude } from "../../../protocol/agents/hosts/claude-program.ts";
import { UNREAD } from "../../../protocol/agents/hosts/reading.ts";
import { onOfficeEvent, operations, perform } from "../../../protocol/index.ts";
import { askPeople } from "../../../protocol/office/files/ask-question.ts";
import { createDispatch } from "../../../protocol/office/files/create-dispatch.ts";
import { endTurn } from "../../../protocol/office/files/end-turn.ts";
import { nextTurn } from "../../../protocol/office/files/next-turn.ts";
import { tellTurn } from "../../../protocol/office/files/office-events.ts";
import { begin, officeHome, playTurn, stateAt } from "../../rig/dispatches.ts";
import { officeFolder, worldAt } from "../../rig/home.ts";
import { OfficeStage } from "../../rig/office-stage.ts";
import { startRelay } from "../../rig/processes.ts";
import { until } from "../../rig/scratch.ts";

// biome-ignore lint/suspicious/noExplicitAny: each event says what it likes.
type Told = any;
/** What a reader is told: each event with an id once, however often it was told. */
const once = (lines: Told[]): Told[] =>
  lines.filter(({ eventId }, at) => eventId === undefined || lines.findIndex((each) => each.eventId === eventId) === at);
/** The lines of the feed that are about an office. */
function told(folder: string, type?: string): Told[] {
  const feed = path.join(folder, ".relay/run/feed");
  if (!fs.existsSync(feed)) return [];
  return fs
    .readdirSync(feed)
    .flatMap((day) => fs.readFileSync(path.join(feed, day), "utf8").split("\n").filter(Boolean))
    .map((line) => JSON.parse(line) as Told)
    .filter((line) => String(line.type).startsWith("office:") && (type === undefined || line.type === `office:${type}`));
}
const turnsOf = (lines: Told[]): string[] => lines.map(({ dispatch, turn }) => `${dispatch} ${turn}`).sort();

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

test("each turn that is told to begin is told to end, once: one that crashed, one whose runner was killed, and one that was closed", async () => {
  const stage = await OfficeStage.open();
  const heard = (type: string): Told[] => once(told(stage.folder, type));
  const does = (...steps: object[]): string => `Do this.\n\ndo: ${JSON.stringify(steps)}`;
  const texts = [does({ crash: 3 }), does({ hold: "go" }, { say: "done" }), does({ kill: true })];
  const members = ["auditor", "researcher", "strategist"];
  stage.plan({ om: [members.map((member, n) => ({ send: { member, message: texts[n], wait: false } })), [{ say: "all in" }]] });
  const id = stage.give("om", "Ask all.");
  const first = stage.run();
  await until("one is at work, and two have ended", () => stage.noted("begin").length === 4 && heard("failure").length === 2);
  first.kill("SIGKILL");
  await until("the runner was killed", () => first.signalCode !== null);
  const second = stage.run();
  stage.release("go");
  expect(await stage.reply(id)).toBe("all in");
  await until("the runner ended", () => second.exitCode !== null);
  const all = [id, ...stage.childrenOf(id).map(({ dispatch }) => dispatch.id)];
  const turns = all.flatMap((each) => stage.state(each).turns.map(({ turn }) => `${each} ${turn}`)).sort();
  expect(turnsOf(heard("dispatch_started"))).toEqual(turns);
  expect(turnsOf(heard("dispatch_completed"))).toEqual(turns);
  expect(
    heard("failure")
      .map(({ part, outcome }) => [part, outcome])
      .sort(),
  ).toEqual([
    ["om/auditor", "failed"],
    ["om/strategist", "failed"],
  ]);
  expect(new Set(heard("session_started").map(({ part }) => part))).toEqual(new Set(["om", ...members.map((name) => `om/${name}`)]));
  const printed = heard("stream_data").filter(({ part }) => part === "om/researcher");
  expect(printed.at(-1)).toMatchObject({ bytes: 4, chunk: "done" });
  const states = heard("state_changed").flatMap(({ part, state }) => (part === "om" ? [state] : []));
  // Where the members were quicker than the end of its turn, it waits for nobody.
  expect(states).toEqual(["running", expect.stringMatching(/^(waiting|queued)$/), "running", "idle"]);
});

test("the next look tells events that a killed process did not; repeated ones are shown once, and none is believed", async () => {
  const folder = await officeHome("web");
  const world = worldAt(folder);
  const { dispatch } = createDispatch(world, { initiator: "web", recipient: "om", text: "Build.", parent: null });
  playTurn(world, dispatch.id, "Built.");
  const feed = path.join(folder, ".relay/run/feed");
  const before = told(folder);
  // Killed before it told anything, and after it told all but noted nothing.
  const marks = path.join(officeFolder(folder), dispatch.id, "told");
  fs.rmSync(marks, { recursive: true });
  fs.rmSync(feed, { recursive: true });
  expect(nextTurn(worldAt(folder), dispatch.id)).toBeNull();
  expect(told(folder).map(({ eventId }) => eventId)).toEqual(before.map(({ eventId }) => eventId));
  fs.rmSync(marks, { recursive: true });
  tellTurn(worldAt(folder), stateAt(folder, dispatch.id));
  expect(told(folder)).toHaveLength(2 * before.length);
  const watch = startRelay(folder, ["watch", "--last", "100", "--json"]);
  let shown = "";
  watch.stdout?.on("data", (text) => {
    shown += text;
  });
  const [day] = fs.readdirSync(feed);
  const forged = { ...before[0], type: "office:dispatch_completed", eventId: "forged", outcome: "failed", turn: 9 };
  await until("the feed is shown", () => shown.includes("dispatch_completed"));
  fs.appendFileSync(path.join(feed, day as string), `${JSON.stringify(forged)}\n`);
  await until("all of the feed is shown", () => shown.includes("forged"));
  watch.kill("SIGTERM");
  await until("the watch ended", () => watch.exitCode !== null || watch.signalCode !== null);
  const ids = shown
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).eventId)
    .filter(Boolean);
  expect(ids).toEqual([...before.map(({ eventId }) => eventId), "forged"]);
  expect(stateAt(folder, dispatch.id)).toMatchObject({ state: "idle", ends: [{ outcome: "ok" }] });
  fs.rmSync(feed, { recursive: true });
  expect(stateAt(folder, dispatch.id).state).toBe("idle");
});

test("questions, answers, costs and models' inputs are told, and a subscriber that throws or sleeps delays no other", async () => {
  const folder = await officeHome("web");
  const world = worldAt(folder);
  const heard: string[] = [];
  ends.push(
    onOfficeEvent(() => {
      throw new Error("not me");
    }),
    onOfficeEvent(() => new Promise(() => {})),
    onOfficeEvent(async () => Promise.reject(new Error("nor me"))),
    onOfficeEvent(({ type }) => heard.push(type.slice("office:".length))),
  );
  const { dispatch } = createDispatch(world, { initiator: "web", recipient: "om", text: "Build.", parent: null });
  begin(world, dispatch.id);
  const question = askPeople(world, dispatch, "With tax?");
  endTurn(world, dispatch.id, 1, { outcome: "ok", exit: "0", text: "I wait.", usage: { costUsd: 4 } });
  await perform(worldAt(folder), operations.reply, { agent_id: "human", threadId: question.thread, body: "Yes." });
  playTurn(worldAt(folder), dispatch.id, "Built.", { usage: { costUsd: 1.5 } });
  await until("all of it was heard", () => heard.length >= 11);
  expect(heard).toEqual([
    ...["dispatch_started", "state_changed", "input_requested", "dispatch_completed", "state_changed"],
    ...["input_received", "dispatch_started", "state_changed", "dispatch_completed", "cost_warning", "state_changed"],
  ]);
  expect(told(folder, "cost_warning")).toMatchObject([{ costUsd: 5.5, limitUsd: 5, turn: 2 }]);
  expect(told(folder, "input_received")).toMatchObject([{ from: "human", part: "om", dispatch: dispatch.id }]);
  const usage = { input_tokens: 100_000, cache_read_input_tokens: 60_000, output_tokens: 9 };
  const read = claude.read(UNREAD, JSON.stringify({ type: "assistant", message: { content: [], usage } }));
  expect(read.contextTokens).toBe(160_000);
});
