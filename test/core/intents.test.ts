/** Intents: what was begun is finished by others, and stays noted for as long as it may still be decided. SPEC.md, "Claiming". */
import fs from "node:fs";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import { act } from "../../protocol/core/act.ts";
import { commitThenFinish, finishIntents } from "../../protocol/core/home/commit-then-finish.ts";
import { listPackages } from "../../protocol/core/package.ts";
import type { World } from "../../protocol/index.ts";
import { usePackages } from "../../protocol/packages.ts";
import { act as call } from "../rig/clones.ts";
import { homeWith, worldAt } from "../rig/home.ts";

const PHASES = ["prepare", "note", "decide", "follow", "announce"];
let folder: string;
const intents = (...names: string[]): string => path.join(folder, ".relay/local/intents", ...names);
/** Makes all intents look as old as so many seconds. */
function age(seconds: number): void {
  const at = Date.now() / 1_000 - seconds;
  for (const name of fs.readdirSync(intents())) fs.utimesSync(intents(name), at, at);
}
/** Any operation: the first thing that it does is to look for what is to be finished. */
const look = (): Promise<unknown> => call(folder, "main", "roster");

beforeEach(async () => {
  folder = await homeWith("web", "api");
});

/** A claim that is begun and decided as a test says, and how often its intent was finished for it. */
function claiming() {
  const world = worldAt(folder);
  const finished = { times: 0, all: () => finishIntents(world, () => (finished.times += 1)) };
  const commit = (decide: () => Promise<string | null>, follow: () => void = () => {}) =>
    commitThenFinish(world, ["claim", "s-1", "task-1"], decide, follow);
  return { finished, commit };
}

test("an act is noted before it is decided; what fails afterwards takes nothing back, and a refused one decides nothing", () => {
  const [said, world]: [string[], World] = [[], worldAt(folder)];
  const says = (word: string) => () => {
    said.push(word);
    if (word === said[0]?.slice(1)) throw new Error(word);
  };
  listPackages([{ acts: { prepare: says("prepare"), note: says("note"), announce: says("announce") } }]);
  const done = (fails: string): unknown => {
    said.splice(0, said.length, `!${fails}`);
    return act(world, {}, () => says("decide")() === undefined, says("follow"));
  };
  for (const fails of ["nothing", "note", "follow", "announce"]) expect([done(fails), said.slice(1)]).toEqual([true, PHASES]);
  for (const fails of ["prepare", "decide"]) expect(() => done(fails)).toThrow(fails);
  expect(said.slice(1)).toEqual(PHASES.slice(0, 3));
  usePackages();
});

test("of a process that lives stays, however slow the decision: a remote may take longer than others wait", async () => {
  const { session_id } = await call(folder, "main", "start_session");
  const { task_id } = await call(folder, "main", "create_task", { session_id, title: "t" });
  await commitThenFinish(
    worldAt(folder),
    ["claim", session_id, task_id, "n0nce"],
    async () => {
      const begun = fs.readdirSync(intents());
      for (const seconds of [11, 30, 120]) {
        age(seconds);
        await look();
        expect(fs.readdirSync(intents()).map((name) => name.replace("+.", "."))).toEqual(begun);
      }
      return null;
    },
    () => {},
  );
  expect(fs.readdirSync(intents())).toEqual([]);
});

test("of a process that lives is finished once, and once more when the process is gone", async () => {
  const { finished, commit } = claiming();
  await commit(async () => {
    age(11);
    for (let calls = 0; calls < 3; calls += 1) await finished.all();
    expect(finished.times).toBe(1);
    age(601);
    await finished.all();
    expect(finished.times).toBe(2);
    return null;
  });
  expect(fs.readdirSync(intents())).toEqual([]);
  const name = "99999-1-00000000-1.aaaaaaaa+.claim.s-1.task-1";
  fs.writeFileSync(intents(name), "");
  age(601);
  await finished.all();
  expect(finished.times).toBe(3);
});

test("of a decision that came after it was finished for it, and cannot be followed up for now, is finished again", async () => {
  const { finished, commit } = claiming();
  const decide = async (): Promise<string> => {
    age(11);
    await finished.all();
    return "decided";
  };
  await commit(decide, () => {
    throw Object.assign(new Error("no room"), { code: "ENOSPC" });
  });
  age(11);
  await finished.all();
  expect(finished.times).toBe(2);
});

test("of a process that is gone, and one older than any act takes, go once they are finished", async () => {
  const { session_id } = await call(folder, "main", "start_session");
  const { task_id } = await call(folder, "main", "create_task", { session_id, title: "t" });
  fs.mkdirSync(intents(), { recursive: true });
  // A process of another boot: nobody can tell whether it lives.
  const name = `99999-1-00000000-1.aaaaaaaa.claim.${session_id}.${task_id}`;
  fs.writeFileSync(intents(name), "");
  age(60);
  await look();
  expect(fs.readdirSync(intents())).toEqual([name.replace("aaaaaaaa", "aaaaaaaa+")]);
  age(601);
  await look();
  expect(fs.readdirSync(intents())).toEqual([]);
});

test("of a kind, or with ids, that this version does not know stays for the version that does", async () => {
  fs.mkdirSync(intents(), { recursive: true });
  const names = ["dispatch.s-1.x", "claim.s-1", "archive.t-1.x", "toString.x", ""].map((words) => `99999-1-00000000-1.aaaaaaaa.${words}`);
  for (const name of names) fs.writeFileSync(intents(name), "");
  age(86_400);
  await look();
  expect(fs.readdirSync(intents()).sort()).toEqual([...names].sort());
});

test("of a forget that could not remove everything: it is not answered as done, and a later operation does the rest", async () => {
  const { messageId } = await call(folder, "main", "send", { to: ["web"], subject: "A secret", body: "the secret" });
  const day = new Date().toISOString().slice(0, 10);
  const inTheWay = path.join(folder, ".relay/inbox/web/read", day, `${messageId}.md`);
  fs.mkdirSync(inTheWay, { recursive: true });
  await expect(call(folder, "main", "forget", { messageId })).rejects.toThrow();
  expect(fs.readdirSync(intents())).toEqual([expect.stringContaining(`.forget.${messageId}`)]);
  fs.rmdirSync(inTheWay);
  age(11);
  await look();
  expect((await call(folder, "web", "inbox")).unread).toBe(0);
  expect(fs.readdirSync(path.join(folder, ".relay/threads", day))).toEqual([]);
});
