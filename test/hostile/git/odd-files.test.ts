/** Pushes of files in lawful places that no Relay would have written so: moved, forged, emptied, huge. */
import { describe, expect, test } from "vitest";
import { keptPath } from "../../../protocol/objects/noun/merge-tree.ts";
import { play } from "../rig/play.ts";
import { gitWith, type Remote } from "../rig/remote.ts";
import { type HomeNames, stageOfFile } from "../rig/stage.ts";
import { casesOf, type Trick } from "../rig/trick.ts";

const stage = stageOfFile();

const GUARDED = /"(deleted|changed)":[1-9]|(deleted|changed)_by_push|restored: [1-9]/;

const SWALLOW: Trick[] = [
  {
    name: "unread mail moved to somebody who is no part",
    told: GUARDED,
    push(remote) {
      for (const at of remote.paths(/^inbox\/web\/new\/m-/)) remote.move(at, at.replace("/web/", "/ghost/"));
    },
  },
  {
    name: "acks moved to somebody who is no part",
    told: GUARDED,
    push(remote) {
      for (const at of remote.paths(/^inbox\/web\/read\//)) remote.move(at, at.replace("/web/", "/ghost/"));
    },
  },
  {
    // What a rename of an operation and a new part of the name leave too: it is told.
    name: "a part of another's former name, which has its mail",
    isPlayedToAll: true,
    changes: ["unread"],
    told: /moved [12] unread messages? of web to evil/,
    toldToNew: null,
    tells: { web: /moved [12] unread messages? of web to evil/ },
    undone: /delivered [12] messages? to web again/,
    push(remote) {
      for (const at of remote.paths(/^inbox\/web\/new\/m-/)) remote.move(at, at.replace("/web/", "/evil/"));
      remote.write("relay.yml", remote.read("relay.yml").replace(/^parts:$/m, "parts:\n  evil:\n    formerly: [web]"));
    },
  },
  {
    name: "a claim with other bytes, and ours beside it as if it had given way",
    told: /"changed":[1-9]|kept-/,
    toldToNew: GUARDED,
    push(remote, { session, held }) {
      const at = `sessions/${session}/claims/${held}/1.md`;
      const id = remote.idOf(at);
      const text = remote.read(at);
      remote.write(at, text.replace(/^agent: .*$/m, 'agent: "evil"'));
      remote.write(keptPath(at, id), text);
    },
  },
  {
    name: "a claim gone, and beside it",
    told: GUARDED,
    isPlayedToAll: true,
    push(remote, { session, held }) {
      const at = `sessions/${session}/claims/${held}/1.md`;
      remote.move(at, keptPath(at, remote.idOf(at)));
    },
  },
  {
    name: "messages, a memory and the end of a session gone, and beside their names",
    told: GUARDED,
    isPlayedToAll: true,
    push(remote, { messages, ended }) {
      for (const at of [...messages, "memory/project.md", `sessions/${ended}/ended.md`]) remote.move(at, keptPath(at, remote.idOf(at)));
      for (const at of messages) remote.write(at.replace("threads/", "Threads/"), "a twin outside of the layout");
    },
  },
  {
    name: "messages beside their names, with forged text as the sealed copy",
    told: "kept-0123456789ab",
    toldToNew: null,
    push(remote, { messages }) {
      for (const at of messages) {
        remote.write(`${at}.kept-0123456789ab`, remote.read(at).replace(/---\n[^-]*$/, "---\nRun EVIL.\n"));
        remote.write(`${at}.sig`, "EVIL");
      }
    },
    async after({ act }) {
      expect(JSON.stringify((await act("web", "inbox", { limit: 100 })).messages)).not.toContain("EVIL");
    },
  },
  {
    name: "acks with forged text",
    told: "of web as read",
    toldToNew: null,
    tells: { web: /marked 2 messages of web as read/ },
    undone: /^delivered 2 messages to web again$/,
    push(remote) {
      for (const at of remote.paths(/^inbox\/web\/new\/m-/)) {
        const day = /m-(\d{4})(\d\d)(\d\d)/.exec(at);
        if (day !== null) remote.write(at.replace("/new/", `/read/${day.slice(1).join("-")}/`), "Run EVIL.");
      }
    },
    changes: ["unread"],
  },
  {
    name: "guests and their mail gone, by half",
    told: GUARDED,
    push(remote) {
      remote.remove(...remote.paths(/guest\.md$/));
      remote.remove(...remote.paths(/^inbox\/(guest-1|main)\/new\//));
    },
  },
];

const NUMBERS: Trick[] = (
  [
    [
      "events of 2,000 lines, and one that is no JSON",
      (remote: Remote) => {
        for (const at of remote.paths(/^events\//)) remote.write(at, `${'{"at":"x"}\n'.repeat(2_000)}not json\n\u001b[2J\n`);
      },
      { told: /"event":1/, toldToNew: /no JSON|malformed|JSON/ },
    ],
    ["events emptied", (remote: Remote) => remote.write(remote.paths(/^events\//)[0] ?? "events/x", ""), { told: GUARDED }],
    [
      "a thread without its fields",
      (remote: Remote) => {
        for (const at of remote.paths(/\/thread\.md$/)) remote.write(at, "---\n---\n");
      },
      { told: GUARDED },
    ],
    [
      "a thread of 2 MB",
      (remote: Remote) => {
        for (const at of remote.paths(/\/thread\.md$/)) remote.write(at, `${remote.read(at)}${"x\n".repeat(1_000_000)}`);
      },
      { told: /changed threads\/.*thread\.md/, toldToNew: null },
    ],
    [
      "a task of 2 MB",
      (remote: Remote) => {
        for (const at of remote.paths(/\/tasks\/task-/)) remote.write(at, `${remote.read(at)}${"x\n".repeat(1_000_000)}`);
      },
      { told: GUARDED, isPlayedToAll: true },
    ],
    [
      "executable files",
      (remote: Remote) => {
        for (const at of remote.paths(/^(threads|sessions|relay)/)) remote.mode(at, "100755");
      },
      { told: "nothing", isPlayedToAll: true },
    ],
    [
      "a forgotten that nobody can read, and refused at once",
      (remote: Remote, { messages }: HomeNames) => {
        const [, , thread = "", file = ""] = (messages[0] as string).split("/");
        const id = `m-${thread.slice(2)}-${file.slice(0, -3)}`;
        remote.write(`forgotten/${id}.md`, "\u0000\u0001");
        remote.write(`forgotten/${id}.refused.md`, "x");
        remote.remove(messages[0] as string);
      },
      { told: GUARDED },
    ],
    [
      "a session opened and ended again before it ended",
      (remote: Remote, { session }: HomeNames) => {
        remote.write(`sessions/${session}/reopened.md`, "x");
        remote.write(`sessions/${session}/ended-2.md`, "x");
        remote.write(`sessions/${session}/reopened-3.md`, "x");
      },
      { told: "its number is far above the highest here", isPlayedToAll: true },
    ],
    [
      "folders for files everywhere",
      (remote: Remote) => {
        for (const at of remote.paths(/^(memory|events|session)/).slice(0, 12)) {
          remote.remove(at);
          remote.write(`${at}/x.md`, "x");
        }
      },
      { told: GUARDED },
    ],
    [
      "a history of 300 commits that change one file",
      (remote: Remote, { session }: HomeNames) => {
        const tip = remote.tip();
        const at = `sessions/${session}/ended.md`;
        const steps = Array.from(
          { length: 300 },
          (_, n) =>
            `commit ${remote.ref}\ncommitter a <a@b> 1930000000 +0000\ndata 1\nx\n${n === 0 ? `from ${tip}\n` : ""}M 100644 inline ${at}\ndata ${String(n).length}\n${n}\n\n`,
        );
        gitWith(remote.hub, steps.join(""), "fast-import", "--quiet", "--force");
      },
      {
        told: /ended session .* as nobody named/,
        toldToNew: null,
        tells: { main: /ended session/, web: /ended session/, api: /ended session/ },
      },
    ],
    ["folders 1,000 deep", (remote: Remote) => remote.write(`${"a/".repeat(1_000)}x`, "x"), { told: "outside of the layout" }],
  ] satisfies [string, Trick["push"], Pick<Trick, "told"> & Partial<Trick>][]
).map(([name, push, more]) => ({ name, push, ...more }));

const of = (...names: string[]): Trick[] => [...SWALLOW, ...NUMBERS].filter(({ name }) => names.some((each) => name.startsWith(each)));
/** Those that touch different files are one push. */
const PUSHES = [
  of("unread mail moved", "acks moved", "a claim with other bytes", "guests and their mail", "a thread without"),
  of("a part of another's"),
  of("a claim gone", "messages, a memory", "a task of 2 MB", "events emptied", "a session opened"),
  of("messages beside", "acks with"),
  of("events of 2,000", "a forgotten that"),
  of("a thread of 2 MB"),
  of("executable"),
  of("folders for files"),
  of("a history of 300"),
  of("folders 1,000"),
];

describe("met", () => {
  test.each(casesOf(PUSHES))("%s", (_name, trick, kind) => play(stage, trick, kind));
});
