import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { type Answer, act, cloneOf, codeState, commits, shared, shop } from "../rig/clones.ts";
import { count } from "../rig/counts.ts";
import { pause } from "../rig/hurt.ts";
import { startRelay } from "../rig/processes.ts";
import { clearScratch, git, until } from "../rig/scratch.ts";

const CLONES = 8;
const PARTS = ["web", "api", "docs"];
const STEPS = 60;

/** Chance that can be had again by its seed. */
function diceOf(seed: number): { below: (bound: number) => number; one: <T>(items: readonly T[]) => T } {
  let state = seed;
  const below = (bound: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
  return { below, one: (items) => items[below(items.length)] as (typeof items)[number] };
}

/** What was done, and must be found everywhere. */
interface Done {
  sent: { id: string; to: string }[];
  acked: Set<string>;
  memories: string[];
}

const taskFile = (clone: string, session: string, task: string): string =>
  path.join(clone, ".relay/sessions", session, "tasks", `${task}.md`);

/** One step of one clone. */
async function step(clone: string, { below, one }: ReturnType<typeof diceOf>, mark: string, done: Done): Promise<void> {
  const part = one(PARTS);
  switch (below(8)) {
    case 0:
    case 1:
    case 2: {
      const to = one(PARTS.filter((other) => other !== part));
      const { messageId } = await act(clone, part, "send", { to: [to], subject: mark, body: `body of ${mark}` });
      done.sent.push({ id: messageId, to });
      return;
    }
    case 3: {
      const { messages } = (await act(clone, part, "inbox")) as Answer;
      if (messages.length === 0) return;
      const { messageId } = one(messages) as Answer;
      await act(clone, part, "ack", { messageId });
      done.acked.add(`${part} ${messageId}`);
      return;
    }
    case 4:
      await act(clone, part, "write_memory", { key: mark.replaceAll(".", "-"), content: `learnt ${mark}` });
      done.memories.push(`learnt ${mark}`);
      return;
    case 5: {
      const [session] = fs.readdirSync(path.join(clone, ".relay/sessions")) as [string];
      const task = one(fs.readdirSync(path.join(clone, ".relay/sessions", session, "tasks"))).slice(0, -3);
      const at = taskFile(clone, session, task);
      fs.writeFileSync(
        at,
        fs.readFileSync(at, "utf8").replace(/^(title|priority): .*$/m, below(2) === 0 ? `title: "t ${mark}"` : `title: "u ${mark}"`),
      );
      return;
    }
    case 6:
      await act(clone, undefined, "record");
      return;
    default:
      await act(clone, undefined, "sync");
  }
}

test("clones that go their own ways and sync at random end with the same bytes, and nothing is lost", async () => {
  for (let schedule = 0; schedule < count(1, 50); schedule += 1) {
    const seed = 1_000 + schedule;
    const dice = diceOf(seed);
    const { hub, code } = await shop(...PARTS);
    const { session_id } = await act(code, "main", "start_session");
    for (const title of ["a", "b"]) await act(code, "main", "create_task", { session_id, title, description: "d", agent_id: "main" });
    await act(code, undefined, "sync");
    const clones = [code];
    while (clones.length < CLONES) clones.push(await cloneOf(hub));
    const { refs: _refs, ...before } = codeState(code);
    const done: Done = { sent: [], acked: new Set(), memories: [] };
    for (let at = 0; at < STEPS; at += 1) await step(dice.one(clones), dice, `${seed}.${at}`, done);
    // Each has what all had after the first round, so at most three are needed.
    for (let round = 0; round < 3; round += 1) for (const clone of clones) await act(clone, undefined, "sync");
    const first = shared(code);
    for (const clone of clones) expect(shared(clone), `seed ${seed}`).toEqual(first);
    expect(Object.values(first).filter((text) => /^(<{7}|>{7}) /m.test(text))).toEqual([]);
    const names = Object.keys(first);
    for (const { id, to } of done.sent) {
      const acked = done.acked.has(`${to} ${id}`);
      expect(
        names.filter((name) => name.endsWith(`/${id}.md`) && name.startsWith(`inbox/${to}/${acked ? "read" : "new"}/`)),
        id,
      ).toHaveLength(1);
    }
    const memory = names
      .filter((name) => name.startsWith("memory/"))
      .map((name) => first[name])
      .join("\n");
    for (const text of done.memories) expect(memory, `seed ${seed}`).toContain(text);
    const { refs: _now, ...after } = codeState(code);
    expect(after).toEqual(before);
    expect(git(path.join(code, ".relay"), "status", "--porcelain")).toBe("");
    clearScratch();
  }
});

test("a record and a sync killed at random points are completed by the next one", async () => {
  const { hub, code: one } = await shop("web");
  const two = await cloneOf(hub);
  const dice = diceOf(7);
  let sent = 0;
  for (let round = 0; round < count(4, 120); round += 1) {
    for (const clone of [one, two]) {
      for (let n = 0; n < 3; n += 1) await act(clone, "web", "send", { to: ["main"], subject: `${round}.${n}`, body: "b" });
      sent += 3;
    }
    const victim = dice.one([one, two]);
    const child = startRelay(victim, [dice.one(["record", "sync", "sync"])]);
    const ended = new Promise((resolve) => child.once("exit", resolve));
    await pause(dice.below(900));
    child.kill("SIGKILL");
    await ended;
    await act(victim === one ? two : one, undefined, "sync");
  }
  for (let round = 0; round < 3; round += 1) for (const clone of [one, two]) await act(clone, undefined, "sync");
  await until("gits that outlived their parents", () =>
    fs.readdirSync(path.join(one, ".git/relay")).every((name) => !name.endsWith(".lock")),
  );
  expect(shared(two)).toEqual(shared(one));
  expect(Object.keys(shared(one)).filter((name) => name.startsWith("inbox/main/new/"))).toHaveLength(sent);
  expect(git(hub, "fsck", "--no-dangling")).toBe("");
  for (const clone of [one, two]) expect(git(path.join(clone, ".relay"), "fsck", "--no-dangling")).toBe("");
  expect(commits(one)).toBe(commits(two));
});
