/** Pushes of commits and refs that no Relay makes, and of files in lawful places: moved, forged, emptied, huge. */
import fs from "node:fs";
import path from "node:path";
import { expect } from "vitest";
import { keptPath } from "../../../protocol/core/noun/merge-tree.ts";
import { guardClass } from "../../../protocol/core/tree/record.ts";
import { git } from "../../rig/scratch.ts";
import { playEach } from "../rig/play.ts";
import { gitWith, type Remote } from "../rig/remote.ts";
import { lawfulMail, stageOfFile } from "../rig/stage.ts";
import { GUARDED, type Trick } from "../rig/trick.ts";

const stage = stageOfFile();

/** Makes the tip again with another head: other dates, authors, lines. */
function rewriteHead(remote: Remote, change: (text: string) => string): void {
  const text = git(remote.hub, "cat-file", "commit", remote.tip());
  const made = gitWith(remote.hub, change(text), "hash-object", "-t", "commit", "-w", "--literally", "--stdin");
  git(remote.hub, "update-ref", remote.ref, made);
}
/** Takes the next file away that is written once: each commit another. */
const drop = (remote: Remote): void => {
  remote.remove(remote.paths(/^(threads|sessions|inbox)\//).find((at) => guardClass(at) === "once") as string);
  remote.commit();
};
const DELETED = /"deleted":[1-9]|deleted_by_push/;
const MAIL = /"messages":[1-9]/;

/** Another date of the author and the committer. */
const dated = (date: string) => (text: string) => text.replace(/^(author|committer) (.*) \d+ [+-]\d{4}$/gm, `$1 $2 ${date}`);
/** The same with what comes before the date. */
const headed = (rest: string) => (text: string) => text.replace(/^(author|committer) .*$/gm, `$1 web ${rest}`);
const replaced = (from: string | RegExp, to: string) => (text: string) => text.replace(from, to);

const HEADS: Trick[] = (
  [
    ["a date after all clocks", dated("9223372036854775000 +0000")],
    ["a date of the year 140,000", dated("4354819200000 +0000")],
    ["a date of 1970", dated("0 +0000")],
    ["a date before all clocks", dated("-1 +0000")],
    ["a date that is too long", dated("99999999999999999999999 +0000")],
    ["a date with zeros before it", dated("0001767225600 +0000")],
    ["a time zone of two digits", dated("1767225600 +00")],
    ["a time zone that is none", dated("1767225600 UTC")],
    ["a date without its zone", dated("1767225600")],
    ["no space before the date", headed("<web@example.com>1767225600 +0000")],
    ["an address that does not end", headed("<web@example.com 1767225600 +0000")],
    ["no address", headed("1767225600 +0000")],
    ["a time zone of 99 hours", dated("1767225600 +9999")],
    ["a time zone of minus 99 hours", dated("1767225600 -9999")],
    ["a message of 8 MB", (text) => `${text}\n${"relay: x\n".repeat(900_000)}`],
    [
      "escapes and line ends in the message and the author",
      (text) =>
        text.replace("web <", "w\u001b[2J\u0001eb\u202e <").replace(/\n\n.*/s, "\n\n\u001b]52;c;ZXZpbA==\u0007\r\u0001deadbeef x\n"),
    ],
    ["no author at all", replaced(/^author .*$/m, "author  <> 1767225600 +0000")],
    ["an unknown encoding", replaced("\n\n", "\nencoding utf-99\n\n")],
    ["a signature that is none", replaced("\n\n", "\ngpgsig -----BEGIN PGP SIGNATURE-----\n x\n -----END PGP SIGNATURE-----\n\n")],
    ["an empty message", replaced(/\n\n.*/s, "\n\n")],
    ["the same parent twice", replaced(/^parent (\w+)$/m, "parent $1\nparent $1")],
  ] satisfies [string, (text: string) => string][]
).map(([name, change]) => ({
  name,
  push(remote) {
    drop(remote);
    rewriteHead(remote, change);
  },
  told: DELETED,
  isPlayedToAll: true,
}));

/** Refs that lead elsewhere, each with a lawful message. */
const refs = (name: string, lay: (remote: Remote) => void): Trick => ({
  name,
  push(remote) {
    lawfulMail(remote);
    lay(remote);
  },
  told: MAIL,
  toldToNew: null,
  isPlayedToAll: true,
});
const update = (remote: Remote, ref: string, to = `${remote.tip()}~1`): string => git(remote.hub, "update-ref", ref, to);

const REFS: Trick[] = [
  refs("a tag of the branch's name", (remote) => ["refs/tags/relay", "refs/tags/HEAD"].map((ref) => update(remote, ref))),
  {
    name: "replaced objects and notes",
    push(remote) {
      const before = remote.tip();
      drop(remote);
      update(remote, `refs/replace/${before}`, remote.tip());
      update(remote, "refs/notes/commits", before);
    },
    told: DELETED,
    isPlayedToAll: true,
  },
  refs("a branch that is a name of another", (remote) => {
    update(remote, "refs/heads/elsewhere", remote.tip());
    git(remote.hub, "symbolic-ref", remote.ref, "refs/heads/elsewhere");
  }),
  refs("a remote that takes objects from elsewhere", ({ hub }) => {
    fs.writeFileSync(path.join(hub, "objects/info/alternates"), "/nonexistent/objects\n../../elsewhere/objects\n");
    fs.writeFileSync(path.join(hub, "objects/info/http-alternates"), "http://127.0.0.1:1/objects\n");
  }),
  refs("a HEAD that points nowhere", ({ hub }) => git(hub, "symbolic-ref", "HEAD", "refs/heads/nowhere")),
  refs("refs of this machine's kind", (remote) =>
    ["relay/guarded", "relay/incoming", "relay/index", "remotes/origin/relay"].map((name) => update(remote, `refs/${name}`)),
  ),
  {
    name: "claims as refs that are none",
    push(remote, { session, held }) {
      remote.write("relay.yml", `${remote.read("relay.yml")}\nclaims: remote\n`);
      remote.commit();
      const blob = gitWith(remote.hub, "junk", "hash-object", "-w", "--stdin");
      const claims = "refs/relay/claims";
      for (const ref of [`${session}/${held}/1`, `${session}/${held}/99999999999`, "a-/y"]) update(remote, `${claims}/${ref}`, blob);
      update(remote, `${claims}/x`, remote.tip());
    },
    told: "changed relay.yml",
    toldToNew: null,
    undone: /^restored the earlier text of relay\.yml/,
    isPlayedToAll: true,
  },
];

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
      { told: /changed threads\/.*thread\.md/, toldToNew: null, undone: /^(restored the earlier text of threads\/\S+\n?)*$/ },
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

playEach(stage, [...PUSHES, HEADS, REFS]);
