import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { createHealth } from "../../../pager/health.ts";
import { operations, perform, type World } from "../../../protocol/index.ts";
import { newsOf } from "../../../protocol/wake/files/news.ts";
import { overdueMail, tellOverdue } from "../../../protocol/wake/files/overdue-mail.ts";
import { silence } from "../../../protocol/wake/files/quiet-parts.ts";
import { tellStuck } from "../../../protocol/wake/files/tell-stuck.ts";
import { remoteAt } from "../../hostile/rig/remote.ts";
import { type DrivenClock, drivenClock, untilInTime } from "../../rig/clock/driven.ts";
import { type Answer, act, cloneOf, shop } from "../../rig/clones.ts";
import { homeWith, settle, worldAt } from "../../rig/home.ts";
import { startPager } from "../../rig/pagers.ts";
import { connect, relay } from "../../rig/processes.ts";
import { git } from "../../rig/scratch.ts";
import { endTerminals, hasTmux, Terminal } from "../../rig/terminal.ts";

const MINUTE = 60_000;
/** Longer than a pager's clock runs until its second check: the more the first one cost, the later that comes, on a slow machine much later. */
const LONG_MS = 100_000_000;

/** A room with a task that each part holds, on a clock that the test moves. */
async function roomWith(
  ...parts: string[]
): Promise<{ folder: string; clock: DrivenClock; as: (part: string) => World; claim: (part: string) => Promise<string> }> {
  const folder = await homeWith(...parts);
  const clock = drivenClock();
  const as = (part: string): World => worldAt(folder, { part, now: clock.now });
  const claim = async (part: string): Promise<string> => {
    const { task_id: task } = await perform(as(part), operations.create_task, { title: `work of ${part}`, priority: "low" });
    await perform(as(part), operations.claim_task, { task_id: task });
    return task;
  };
  return { folder, clock, as, claim };
}

const setQuiet = (folder: string, minutes: number): void => {
  const file = path.join(folder, ".relay/relay.yml");
  fs.writeFileSync(file, `${fs.readFileSync(file, "utf8").replace(/^health:.*\n/m, "")}`);
  settle(folder, `health: { quiet_minutes: ${minutes} }\n`);
};
const feedOf = (folder: string): Answer[] => {
  const at = path.join(folder, ".relay/run/feed");
  return fs
    .readdirSync(at)
    .sort()
    .flatMap((name) => fs.readFileSync(path.join(at, name), "utf8").trim().split("\n"))
    .map((line) => JSON.parse(line));
};
const stuckIn = (folder: string): Answer[] => feedOf(folder).filter(({ type }) => type === "part:stuck");

/** Looks until a part of a home is told to be stuck, or long enough. */
async function watchUntilStuck(world: World, folder: string): Promise<void> {
  let running = 0;
  const health = createHealth(
    world,
    null,
    () => {},
    () => running,
  );
  for (; running < LONG_MS && stuckIn(folder).length === 0; running += 9_000) {
    health.check(world);
    await health.close();
  }
}
const mailOf = async (world: World): Promise<Answer[]> => ((await perform(world, operations.inbox, {})) as Answer).messages;
const quietIn = async (world: World, part: string): Promise<string | undefined> =>
  ((await perform(world, operations.status, {})) as Answer).parts.find((each: Answer) => each.part === part).quietSince;

describe("a part that holds a claim and is silent", () => {
  test("is told of once, by one line of the feed and one message to main, though two pagers watch", async () => {
    const { folder, clock, as, claim } = await roomWith("web", "api");
    const task = await claim("web");
    await perform(as("api"), operations.inbox, {});
    const pagers = [await startPager(folder, [], clock.env), await startPager(folder, [], clock.env)];
    const begun = clock.now();
    const told = await untilInTime("it is told", clock, () => stuckIn(folder)[0]);
    expect(clock.now() - begun).toBeGreaterThan(29 * MINUTE);
    expect(told).toMatchObject({ part: "web", to: "main", tasks: [{ id: task, title: "work of web" }] });
    const until = clock.now() + 40 * MINUTE;
    await untilInTime("time went by", clock, () => clock.now() > until);
    expect(stuckIn(folder), "once, and who holds nothing is not stuck").toHaveLength(1);
    const mail = await mailOf(as("main"));
    expect(mail).toMatchObject([{ from: "web", subject: "Stuck: web, on work of web" }]);
    const { messages } = (await perform(as("main"), operations.show, { threadId: mail[0].threadId })) as Answer;
    expect(messages[0].body).toContain(`- ${task}: work of web`);
    expect(await quietIn(as("main"), "web")).toBe(told.since);
    expect(await quietIn(as("main"), "api")).toBeUndefined();
    for (const pager of pagers) expect(await pager.end()).toBe(0);
  });

  test("is quiet no more once it calls, by whatever way, and the next silence is told anew", async () => {
    const { folder, clock, as, claim } = await roomWith("web");
    setQuiet(folder, 1);
    await claim("web");
    const pager = await startPager(folder, [], clock.env);
    const agent = await connect(folder, { args: ["--part", "web"], env: clock.env });
    const ways: (() => Promise<unknown>)[] = [
      () => agent.call("inbox"),
      () => relay(folder, ["inbox", "--part", "web"], { env: clock.env }),
      () => relay(folder, ["hook", "prompt", "--part", "web"], { env: clock.env, input: "{}" }),
    ];
    for (const [at, way] of ways.entries()) {
      await untilInTime("it is told", clock, () => stuckIn(folder).length > at);
      expect(await quietIn(as("main"), "web")).toBe(stuckIn(folder).at(-1).since);
      await way();
      expect(await quietIn(as("main"), "web")).toBeUndefined();
    }
    // What looks on, and whoever looks at its mail for it, is no life of its.
    await untilInTime("it is told", clock, () => stuckIn(folder).length > ways.length);
    await perform(worldAt(folder, { part: "web", now: clock.now, person: true }), operations.inbox, {});
    expect(await quietIn(as("main"), "web")).toBe(stuckIn(folder).at(-1).since);
    expect(new Set(stuckIn(folder).map(({ since }) => since)).size).toBe(4);
    expect(await mailOf(as("main"))).toHaveLength(4);
    await agent.close();
    await pager.end();
  });

  test("is not told of while it calls, waits for a person or for its limit to end, or is done", async () => {
    const { folder, clock, as, claim } = await roomWith("stuck", "busy", "asks", "limited", "done", "back");
    setQuiet(folder, 2);
    for (const part of ["stuck", "busy", "asks", "limited"]) await claim(part);
    const finished = await claim("done");
    await perform(as("done"), operations.update_task, { task_id: finished, status: "done" });
    await perform(as("back"), operations.release_task, { task_id: await claim("back") });
    await perform(as("asks"), operations.send, { to: ["human"], subject: "Which one?", body: "b", needsHuman: true });
    await perform(as("limited"), operations.event, { type: "limited", resetAt: new Date(clock.now() + 60 * MINUTE).toISOString() });
    const pager = await startPager(folder, [], clock.env);
    const until = clock.now() + 10 * MINUTE;
    await untilInTime("time went by", clock, async () => {
      await perform(as("busy"), operations.roster, {});
      return clock.now() > until;
    });
    expect(stuckIn(folder).map(({ part }) => part)).toEqual(["stuck"]);
    for (const part of ["busy", "asks", "limited", "done", "back"]) expect(await quietIn(as("main"), part)).toBeUndefined();
    // Once people have dealt with its question, and it goes on being silent, it is.
    const [question] = await mailOf(as("human"));
    await perform(as("human"), operations.ack, { messageId: question.messageId });
    await untilInTime("who asked is told", clock, () => stuckIn(folder).some(({ part }) => part === "asks"));
    await pager.end();
  });

  test("is told of once though it was renamed meanwhile; of main people are told", async () => {
    const { folder, clock, as, claim } = await roomWith("web");
    setQuiet(folder, 1);
    await claim("web");
    clock.advance(3 * MINUTE);
    const tellAll = () => silence(as("main")).quiet.map((quiet) => [quiet.part, tellStuck(as("main"), quiet)]);
    expect(tellAll()).toEqual([["web", "main"]]);
    await perform(as("main"), operations.part_rename, { from: "web", to: "site" });
    expect(tellAll()).toEqual([["site", null]]);
    expect(await mailOf(as("main"))).toHaveLength(1);
    await claim("main");
    clock.advance(3 * MINUTE);
    expect(tellAll()).toContainEqual(["main", "human"]);
    expect(await mailOf(as("human"))).toMatchObject([{ from: "main", subject: "Stuck: main, on work of main" }]);
  });

  test("time that the machine slept does not count as silence, and a part that stays silent is reported", async () => {
    const { folder, clock, as, claim } = await roomWith("web");
    setQuiet(folder, 10);
    await claim("web");
    const pager = await startPager(folder, [], clock.env);
    clock.advance(8 * 60 * MINUTE, 8 * 60 * MINUTE);
    const woke = clock.now();
    expect(await quietIn(as("main"), "web"), "it is so").toBeDefined();
    await untilInTime("it is told", clock, () => stuckIn(folder).length > 0);
    expect(clock.now() - woke).toBeGreaterThan(10 * MINUTE);
    await pager.end();
  });

  test("no part is quiet where quiet_minutes is 0; without a pager, roster and status tell it by the disk alone", async () => {
    const { folder, clock, as, claim } = await roomWith("web");
    await claim("web");
    clock.advance(40 * MINUTE);
    const since = await quietIn(as("main"), "web");
    expect(Date.parse(since ?? "")).toBeGreaterThan(clock.now() - 42 * MINUTE);
    expect((await relay(folder, ["roster"], { env: clock.env })).stdout).toContain("quiet since");
    expect((await relay(folder, ["status"], { env: clock.env })).stdout).toContain("quiet since");
    setQuiet(folder, 0);
    expect(await quietIn(as("main"), "web")).toBeUndefined();
    expect(stuckIn(folder)).toEqual([]);
  });
});

test("mail that a part does not read for hours is told to its sender, once, to people and in doctor, but not while the part works", async () => {
  const { folder, clock, as } = await roomWith("web", "api");
  const { messageId: id } = (await perform(as("web"), operations.send, { to: ["api"], subject: "Which?", body: "b" })) as Answer;
  clock.advance(239 * MINUTE);
  expect(overdueMail(as("web"))).toEqual([]);
  clock.advance(2 * MINUTE);
  const pager = await startPager(folder, [], clock.env);
  await untilInTime("the sender is told", clock, async () => (await mailOf(as("web")))[0]);
  for (const overdue of overdueMail(as("web"))) tellOverdue(as("web"), overdue);
  expect(await mailOf(as("web"))).toMatchObject([{ from: "api", subject: "Unread by api: Which?" }]);
  expect(newsOf(as("web"), new Set(["unread"]), new Map())).toMatchObject([{ kind: "unread", part: "api", id }]);
  const { findings } = (await perform(as("web"), operations.doctor, {})) as Answer;
  expect(findings.map(({ code }: Answer) => code)).toContain("unread_long");
  await pager.end();
  await perform(as("api"), operations.inbox, {});
  expect(overdueMail(as("web"))).toEqual([]);
});

test("a claim that a push makes in a part's name is not judged here, nor does its question excuse anybody", async () => {
  const { hub, code } = await shop("web");
  const other = await cloneOf(hub);
  const clock = drivenClock();
  await act(code, "web", "inbox");
  const { task_id: task } = await act(other, "web", "create_task", { title: "pushed", priority: "low" });
  await act(other, "web", "claim_task", { task_id: task });
  await act(other, "web", "send", { to: ["human"], subject: "Wait", body: "b", needsHuman: true });
  await act(other, undefined, "sync");
  await act(code, undefined, "sync");
  clock.advance(40 * MINUTE);
  const main = worldAt(code, { part: "main", now: clock.now });
  expect(await quietIn(main, "web")).toBeUndefined();
  const own = await act(code, "web", "create_task", { title: "its own", priority: "low" });
  await act(code, "web", "claim_task", { task_id: own.task_id });
  expect(await quietIn(main, "web")).toBeDefined();
});

test("nor is one that a push makes in the name of this clone, and a title that came is told as such", async () => {
  const { hub, code } = await shop("web", "api");
  const other = await cloneOf(hub);
  const clock = drivenClock();
  await act(code, "web", "inbox");
  await act(code, "api", "inbox");
  const { task_id: task, session_id: session } = await act(other, "main", "create_task", { title: "pushed", priority: "low" });
  await act(other, undefined, "sync");
  const remote = remoteAt(hub);
  const clone = /Relay-Clone: (\S+)/.exec(git(path.join(code, ".relay"), "log", "--format=%B"))?.[1];
  const at = new Date().toISOString();
  const head = `task: "${task}"\nfence: 1\nkind: "claim"\nagent: "web"\nat: "${at}"\nnonce: "n1"\nclone: "${clone}"`;
  const folder = remote.paths(/\/tasks\//)[0]?.replace(/\/tasks\/.*/, "");
  remote.write(`${folder}/claims/${task}/1.md`, `---\n${head}\n---\n`);
  remote.commit();
  await act(code, undefined, "sync");
  const main = worldAt(code, { part: "main", now: () => clock.now() + 40 * MINUTE });
  expect(await quietIn(main, "web")).toBeUndefined();

  await act(other, "main", "create_task", { title: "run my script", priority: "low", session_id: session, assignee: "web" });
  await act(other, undefined, "sync");
  await act(code, undefined, "sync");
  const given = (await act(code, "web", "get_all_tasks", {})).tasks.find(({ title }: Answer) => title === "run my script");
  await act(code, "web", "claim_task", { task_id: given.task_id ?? given.id });
  await watchUntilStuck(main, code);
  expect((await act(code, "main", "inbox")).messages.map(({ subject }: Answer) => subject)).toEqual([
    expect.stringMatching(/^Stuck: web \(task by sync, [0-9a-f]{8}\), on run my script$/),
  ]);
});

test.skipIf(!hasTmux)("a pane that shows something new is a sign of life", async () => {
  const folder = await homeWith("web", "api");
  setQuiet(folder, 1);
  const terminal = new Terminal();
  const hourAgo = Date.now() - 60 * MINUTE;
  for (const part of ["web", "api"]) {
    const then = worldAt(folder, { part, now: () => hourAgo });
    const { task_id: task } = (await perform(then, operations.create_task, { title: part, priority: "low" })) as Answer;
    await perform(then, operations.claim_task, { task_id: task });
  }
  const printing = [process.execPath, "-e", "setInterval(() => console.log(Date.now()), 100)"];
  const env = { RELAY_TMUX_SOCKET: terminal.socket };
  expect((await relay(folder, ["up", "--json", "--part", "web", "--", ...printing], { env })).code).toBe(0);
  const main = worldAt(folder, { part: "main" });
  for (const part of ["web", "api"]) expect(Date.parse((await quietIn(main, part)) ?? "")).toBe(hourAgo);
  await watchUntilStuck(worldAt(folder, { env }), folder);
  expect(stuckIn(folder).map(({ part }) => part)).toEqual(["api"]);
  expect(await quietIn(main, "web")).toBeUndefined();
  endTerminals();
});
