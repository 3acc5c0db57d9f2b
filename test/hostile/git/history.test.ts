/** Histories that are cut, or rewritten in place: what the guard and `check` make of them. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { toldFindings } from "../../../protocol/core/format/finding.ts";
import { isCarried } from "../../../protocol/core/tree/layout.ts";
import { examineHistory, faultFindings } from "../../../protocol/sync/guard/check-history.ts";
import { guardIncoming } from "../../../protocol/sync/guard/guard-push.ts";
import { act, shop } from "../../rig/clones.ts";
import { git, scratch } from "../../rig/scratch.ts";
import { type Remote, remoteAt } from "../rig/remote.ts";

const MESSAGE = "threads/2026-01-31/t-20260131-abcd1234/1-1kg9p6je000000.md";
const CONFIG = 'format: 2\nproject:\n  id: p-k3f9x2abq7rm\n  name: "x"\nmain: main\nparts:\n  main: {}\n';

/** An empty hub, and its branch in somebody's hands. */
function newHub(): Remote {
  const hub = scratch();
  git(hub, "init", "--quiet", "--bare");
  return remoteAt(hub);
}

/** What a clone makes of the branch that has it up to a commit. */
const guardFrom = ({ hub }: Remote, base: string) =>
  guardIncoming(
    { gitDir: hub, workTree: hub },
    {
      base,
      theirs: git(hub, "rev-parse", "relay").trim(),
      isWelcome: isCarried,
      witness: { wrote: () => false, tips: () => [], syncs: () => [] },
    },
  );

const history = ({ hub }: Remote) => examineHistory({ gitDir: hub, workTree: hub }, git(hub, "rev-parse", "relay").trim());

test.each([
  ["first", 0],
  ["last", 2],
])("a commit of three parents is named for what it deletes, also where the one that had it is the %s of them", async (_where, at) => {
  const remote = newHub();
  remote.write("relay.yml", CONFIG);
  remote.write(MESSAGE, "words");
  const first = remote.root();
  const sides = ["one", "two"].map((side) => {
    remote.write("relay.yml", CONFIG);
    return remote.root(side);
  });
  remote.remove(MESSAGE);
  const octopus = remote.commit("relay: sync with origin", { parents: sides.toSpliced(at, 0, first) });
  expect((await guardFrom(remote, first)).broughtBack).toMatchObject({ by: [octopus], deleted: 1, paths: [MESSAGE] });
  expect((await history(remote)).faults).toMatchObject([{ commit: octopus, deleted: [{ path: MESSAGE }], changed: [] }]);
});

test("of two first texts that two sides wrote, the one that a merge takes is no change of the other", async () => {
  const remote = newHub();
  remote.write("relay.yml", CONFIG);
  const first = remote.root();
  const sides = ["one", "two"].map((text) => {
    remote.write(MESSAGE, text);
    return remote.commit(text, { parents: [first] });
  });
  remote.write(MESSAGE, "one");
  remote.commit("relay: sync with origin", { parents: sides });
  expect((await history(remote)).faults).toEqual([]);
  remote.write(MESSAGE, "three");
  const changing = remote.commit();
  expect((await history(remote)).faults).toMatchObject([{ commit: changing, deleted: [], changed: [{ path: MESSAGE }] }]);
});

test("a list of a thousand deletions begins with those of parts that there are, and says how many more there are", async () => {
  const remote = newHub();
  const planted = Array.from({ length: 1_050 }, (_, n) => `inbox/a${n}/read/2026-01-31/m-20260131-abcd1234-1-1kg9p6je000000.md`);
  const real = [
    "inbox/main/read/2026-01-31/m-20260131-abcd1234-1-1kg9p6je000000.md",
    "threads/2026-01-31/t-20260131-abcd1234/1-1kg9p6je000000.md",
  ];
  remote.write("relay.yml", CONFIG);
  for (const path of [...planted, ...real, real[1]?.replace("/1-", "/2-") as string]) remote.write(path, "words");
  remote.root();
  remote.remove(...planted, ...real);
  remote.commit();
  const told = toldFindings((await history(remote)).faults.flatMap((fault) => [...faultFindings(fault)]));
  expect(told.map(({ path }) => path)).toEqual(expect.arrayContaining(real));
  expect([told.length, told.at(-1)?.more]).toEqual([1_001, 52]);
});

test("a link that a push laid and Relay takes away is no deletion, and one in the place of a file hides none", async () => {
  const remote = newHub();
  remote.write("relay.yml", CONFIG);
  remote.write(MESSAGE, "words");
  remote.root();
  const ack = "inbox/main/read/2026-01-31/m-20260131-abcd1234-1-1kg9p6je000000.md";
  remote.link(ack, "elsewhere");
  remote.commit();
  remote.remove(ack);
  remote.commit();
  expect((await history(remote)).faults).toEqual([]);
  remote.link(MESSAGE, "elsewhere");
  const commit = remote.commit();
  expect((await history(remote)).faults).toMatchObject([{ commit, deleted: [{ path: MESSAGE }] }]);
});

test("an object that stands for another, and a graft, hide no deletion", async () => {
  const remote = newHub();
  const { hub } = remote;
  remote.write("relay.yml", CONFIG);
  const first = remote.root();
  remote.write(MESSAGE, "words");
  const had = remote.commit();
  remote.remove(MESSAGE);
  const deleting = remote.commit();
  const told = { by: [deleting], deleted: 1, paths: [MESSAGE] };
  fs.writeFileSync(path.join(hub, "info/grafts"), `${deleting} ${first}\n`);
  expect((await guardFrom(remote, had)).broughtBack).toMatchObject(told);
  expect((await history(remote)).faults).toMatchObject([{ commit: deleting }]);
  fs.rmSync(path.join(hub, "info/grafts"));
  git(hub, "replace", "--graft", deleting, first);
  expect((await guardFrom(remote, had)).broughtBack).toMatchObject(told);
  expect((await history(remote)).faults).toMatchObject([{ commit: deleting }]);
});

test("check says from where on a cut history is known, and says no more of it once all is there", async () => {
  const { code } = await shop("web");
  await act(code, "main", "send", { to: ["web"], subject: "one", body: "words" });
  await act(code, undefined, "record");
  const gitDir = path.join(code, ".git/relay");
  const head = git(code, "--git-dir", gitDir, "rev-parse", "HEAD").trim();
  const cut = async () => {
    const { findings = [], warnings = [] } = await act(code, undefined, "check");
    return [...findings, ...warnings].filter((found: { code: string }) => found.code === "history_cut");
  };
  expect(await cut()).toEqual([]);
  fs.writeFileSync(path.join(gitDir, "shallow"), `${head}\n`);
  expect(await cut()).toMatchObject([{ commit: head, found: `it begins at commit ${head.slice(0, 12)}` }]);
  fs.rmSync(path.join(gitDir, "shallow"));
  expect(await cut()).toEqual([]);
});

test("a message that a hand edits on the disk is as it was after the next record, and the edit lies beside", async () => {
  const { code } = await shop("web");
  await act(code, "main", "send", { to: ["web"], subject: "one", body: "words" });
  await act(code, undefined, "record");
  const home = path.join(code, ".relay");
  const at = git(home, "ls-files", "threads")
    .split("\n")
    .find((each) => /\/\d+-\w+\.md$/.test(each)) as string;
  const unread = git(home, "ls-files", "inbox/web/new").trim();
  const was = fs.readFileSync(path.join(home, at), "utf8");
  for (const each of [at, unread]) {
    fs.rmSync(path.join(home, each));
    fs.writeFileSync(path.join(home, each), was.replace("words", "other words"));
  }
  const { restored } = await act(code, undefined, "record");
  expect(restored.sort()).toEqual([unread, at].sort());
  for (const each of [at, unread]) expect(fs.readFileSync(path.join(home, each), "utf8")).toBe(was);
  const beside = fs.readdirSync(path.join(home, path.dirname(at))).filter((name) => name.includes(".kept-"));
  expect(beside).toHaveLength(1);
  expect(fs.readFileSync(path.join(home, path.dirname(at), beside[0] as string), "utf8")).toContain("other words");
  expect(git(home, "ls-tree", "-r", "--name-only", "HEAD", "inbox/web")).not.toContain(".kept-");
  expect((await act(code, undefined, "record")).restored).toEqual([]);
});
