/** Pushes of files in lawful places that no Relay would have written so: moved, forged, emptied, huge. */
import { expect } from "vitest";
import { keptPath } from "../../../protocol/core/noun/merge-tree.ts";
import { playEach } from "../rig/play.ts";
import type { Remote } from "../rig/remote.ts";
import { stageOfFile } from "../rig/stage.ts";
import { GUARDED, type Trick } from "../rig/trick.ts";

const stage = stageOfFile();

const SWALLOW: Trick[] = [
  {
    name: "unread mail and acks moved to an inbox of no part",
    told: GUARDED,
    push(remote) {
      for (const at of remote.paths(/^inbox\/web\/(new\/m-|read\/)/)) remote.move(at, at.replace("/web/", "/ghost/"));
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
  ] satisfies [string, Trick["push"], Pick<Trick, "told"> & Partial<Trick>][]
).map(([name, push, more]) => ({ name, push, ...more }));

const of = (...names: string[]): Trick[] => [...SWALLOW, ...NUMBERS].filter(({ name }) => names.some((each) => name.startsWith(each)));
/** Those that touch different files are one push. */
const PUSHES = [
  of("unread mail and", "guests and their mail", "a thread without"),
  of("a part of another's"),
  of("a claim gone", "messages, a memory", "a task of 2 MB", "events emptied"),
  of("messages beside", "acks with"),
  of("events of 2,000"),
  of("a thread of 2 MB"),
  of("executable"),
];

playEach(stage, PUSHES);
