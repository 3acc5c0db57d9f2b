/** Pushes that take something away or change it, in one step or hidden in a history: it comes back, and the commit is named. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { type MessageLocation, messageId } from "../../protocol/core/format/id.ts";
import { locateMessage } from "../../protocol/mail/nouns/message.ts";
import { forgottenPath, formatForgotten } from "../../protocol/removal/nouns/forget-request.ts";
import { act, cloneOf, shop } from "../rig/clones.ts";
import { git } from "../rig/scratch.ts";
import { play, playEach } from "./rig/play.ts";
import { remoteAt } from "./rig/remote.ts";
import { lawfulMail, stageOfFile } from "./rig/stage.ts";
import { GUARDED, type Trick } from "./rig/trick.ts";

const stage = stageOfFile();

const text = (met: { at: (...names: string[]) => string }, at: string): string => fs.readFileSync(met.at(at), "utf8");

/** Told to each part that a message concerns which was asked to be forgotten. */
const FORGET = /asked to forget/;

const TRICKS: Trick[] = [
  {
    name: "a deletion behind many lawful commits, and one that only a merge makes",
    push(remote, { messages }) {
      const before = remote.tip();
      lawfulMail(remote);
      const side = remote.tip();
      // The merge takes the older side's files, and drops a message that both sides have.
      git(remote.hub, "update-ref", remote.ref, before);
      remote.remove(messages[0] as string, "memory");
      remote.commit("relay: sync with origin: 1 message", { parents: [before, side] });
      for (let count = 0; count < 3; count += 1) lawfulMail(remote);
    },
    told: GUARDED,
  },
  {
    name: "other bytes for all that is written once, backdated",
    push(remote) {
      const once = /\/(\d+\.md|session\.md|ended\.md|review-\w+\.result\.md|1\.artifact\.md)$|\/summaries\/\d+\.md$/;
      for (const at of remote.paths(/^sessions\//))
        if (once.test(at))
          remote.write(
            at,
            remote
              .read(at)
              .replace(/20\d\d-/g, "2001-")
              .replace(/(agent|by|created_by): ".*"/, '$1: "evil"'),
          );
    },
    told: GUARDED,
  },
  {
    name: "a message with a folder in its place, and a file in that of a folder",
    push(remote, { messages, session }) {
      const [message = ""] = messages;
      remote.remove(message, `sessions/${session}`);
      remote.write(`${message}/more`, "x");
      remote.write(`sessions/${session}`, "x");
    },
    told: GUARDED,
  },
  {
    name: "unreadable requests to forget, and requests for another message",
    push(remote, { messages }) {
      const ids = messages.map((at) => messageId(locateMessage(at) as MessageLocation));
      const wrong = ["", "\u0000\u0001", "---\nid: [\n", `---\nid: "${ids.at(-1)}"\n---\n`, `---\n${"# x\n".repeat(4_000)}---\n`];
      const other = formatForgotten({ id: "m-20260131-k3f9x2ab-3-1kg9p6je0abcde", by: "human", at: "2026-01-31T09:30:00.000Z" });
      for (const [at, id] of ids.entries()) {
        remote.write(forgottenPath(id), [...wrong, other][at % (wrong.length + 1)] as string);
        remote.remove(messages[at] as string, ...remote.paths(/^inbox\//).filter((path) => path.includes(id)));
      }
    },
    told: GUARDED,
    tells: { web: FORGET, api: FORGET },
    undone: /refused to forget/,
    async after(met) {
      expect(await met.act(undefined, "status")).not.toHaveProperty("forgotten");
    },
    isPlayedToAll: true,
  },
  {
    name: "an unreadable memory, summary and guest",
    push(remote, { session, ended }) {
      remote.write("memory/project.md", "# M\u0000\u0000evil");
      remote.write("memory/agents/web.md", Uint8Array.of(0xff, 0xfe));
      remote.write(`sessions/${session}/summary.md`, `---\ntasks: [\n---\n${"longer ".repeat(200)}`);
      remote.write(`sessions/${ended}/summary.md`, "\u0000");
      remote.write("inbox/guest-1/guest.md", "x");
    },
    told: GUARDED,
    toldToNew: /undo its commit/,
    after(met) {
      for (const at of ["memory/project.md", "memory/agents/web.md", "inbox/guest-1/guest.md"])
        expect(text(met, at), at).toBe(stage.before.get(at));
      for (const id of [stage.home.session, stage.home.ended]) expect(text(met, `sessions/${id}/summary.md`)).toContain("What happened");
    },
    isPlayedToAll: true,
    kinds: ["idle", "merging", "new"],
  },
  {
    name: "an emptied memory, a task without its history, and an unreadable one",
    push(remote) {
      const [one = "", other = ""] = remote.paths(/\/tasks\/task-/);
      remote.write("memory/project.md", "");
      remote.write(one, remote.read(one).replace(/\n## History[\s\S]*$/, "\n"));
      remote.write(other, "---\nid: [\n");
    },
    told: GUARDED,
    after(met) {
      expect(text(met, "memory/project.md")).not.toBe("");
      const tasks = git(met.hub, "ls-tree", "-r", "--name-only", "relay")
        .split("\n")
        .filter((at) => /\/tasks\/task-\w+\.md$/.test(at));
      expect(tasks.length).toBeGreaterThan(1);
      for (const at of tasks) expect(text(met, at)).toContain(": created");
    },
    undone: /earlier text of sessions/,
    kinds: ["idle", "merging"],
  },
  {
    name: "a merge of sixty-one parents that drops everything",
    push(remote) {
      const tip = remote.tip();
      const empty = git(remote.hub, "hash-object", "-t", "tree", "-w", "--stdin").trim();
      const parents = Array.from({ length: 60 }, (_, at) =>
        git(remote.hub, "-c", "user.name=a", "-c", "user.email=a@b", "commit-tree", empty, "-p", tip, "-m", `${at}`).trim(),
      );
      const all = [tip, ...parents].flatMap((parent) => ["-p", parent]);
      const made = git(
        remote.hub,
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@b",
        "commit-tree",
        empty,
        ...all,
        "-m",
        "relay: 1 message",
      ).trim();
      git(remote.hub, "update-ref", remote.ref, made);
    },
    told: GUARDED,
    // Nobody protects it, so a new clone never had it.
    undone: /^(?:restored the earlier text of \.gitignore)?$/,
  },
];

const of = (...names: string[]): Trick[] => TRICKS.filter(({ name }) => names.some((each) => name.startsWith(each)));
/** Those that touch different files are one push. */
const PUSHES = [
  of("a deletion behind"),
  of("other bytes for"),
  of("a message with a folder"),
  of("unreadable requests"),
  of("an unreadable memory"),
  of("an emptied memory, a task"),
  of("a merge of sixty-one"),
];

playEach(stage, PUSHES);

test("a root that repeats what honest commits did has nothing to take back but its own", async () => {
  const { hub, code } = await shop("web");
  await act(code, "main", "start_session");
  const { task_id: task } = await act(code, "main", "create_task", { title: "Parser" });
  await act(code, "web", "claim_task", { task_id: task });
  await act(code, "web", "append_memory", { content: "Begin early." });
  await act(code, undefined, "sync");
  const remote = remoteAt(hub);
  const tip = remote.tip();
  remote.write("memory/agents/evil.md", "# Memory of evil\n");
  const root = remote.root();
  remote.write("memory/agents/evil.md", "# Memory of evil\n");
  remote.commit("relay: sync", { parents: [tip, root] });
  await act(code, undefined, "sync");
  const { undone } = await act(code, undefined, "undo", { commit: root });
  expect(undone.join("\n")).not.toMatch(/task|claim|project|web/);
  expect((await act(code, "web", "show_task", { task_id: task })).task).toMatchObject({
    status: "in_progress",
    assignee: "web",
    title: "Parser",
  });
  for (const at of remote.paths(/^memory\/.*(web|project)\.md$/))
    expect(fs.readFileSync(path.join(code, ".relay", at), "utf8")).toContain("Begin early.");
});

test("a clone that joins after a push brings back what it deleted and rewrote by the command that check names, and is followed", async () => {
  const { hub, code } = await shop("web");
  const { messageId: id } = await act(code, "main", "send", { to: ["web"], subject: "one", body: "words" });
  const { session_id } = await act(code, "main", "start_session");
  await act(code, undefined, "sync");
  const remote = remoteAt(hub);
  const [message = ""] = remote.paths(new RegExp(`^threads/.*${id.slice(-20)}`));
  const gone = [message, ...remote.paths(/^inbox\/web\/new\/./)];
  remote.remove(...gone);
  const session = `sessions/${session_id}/session.md`;
  const was = remote.read(session);
  remote.write(
    session,
    was.replace(/agent: .*|started_by: .*|created_by: .*/, (line) => line.replace("main", "web")),
  );
  const commit = remote.commit();
  const joined = await cloneOf(hub);
  const { warnings } = await act(joined, undefined, "check");
  const faults = warnings.filter(({ code: is }: { code: string }) => is.endsWith("_by_push"));
  expect(faults.map(({ path: at }: { path: string }) => at).sort()).toEqual([...gone, session].sort());
  for (const { problem } of faults) expect(problem).toContain(`relay undo ${commit.slice(0, 8)}`);
  expect((await act(joined, undefined, "undo", { commit, dryRun: true })).did).toContain("deleted 2 files");
  expect((await act(joined, undefined, "undo", { commit })).undone.join("; ")).toMatch(
    /brought back 2 files; restored the first bytes of 1 file/,
  );
  expect((await act(joined, undefined, "undo", { commit })).undone).toEqual([]);
  expect((await act(joined, undefined, "check")).warnings).toEqual([]);
  expect((await act(joined, "web", "inbox")).messages).toHaveLength(1);
  await act(joined, undefined, "sync");
  expect(await act(code, undefined, "sync")).toMatchObject({ broughtBack: [], sent: false });
  expect(fs.readFileSync(path.join(code, ".relay", session), "utf8")).toBe(was);
});

test("a removed file outside of the layout stays removed in every clone", async () => {
  await play(
    stage,
    {
      name: "a workflow",
      told: "a name of git",
      push(remote) {
        remote.write(".github/workflows/x.yml", "on: push");
        remote.commit();
      },
      async after(met) {
        met.remote.remove(".github");
        met.remote.commit();
        await met.act(undefined, "sync");
        await met.act(undefined, "sync");
        expect(git(met.hub, "ls-tree", "-r", "--name-only", "relay")).not.toContain(".github");
        expect(fs.existsSync(path.join(met.code, ".relay/.github"))).toBe(false);
      },
    },
    "merging",
  );
});
