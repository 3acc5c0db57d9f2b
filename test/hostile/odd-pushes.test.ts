/** Pushes of histories, commits, refs and numbers that no Relay makes: nothing is lost, nothing stops, the clone's own answers still come. */
import fs from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { keptPath } from "../../protocol/objects/merge-tree.ts";
import { FULL } from "../counts.ts";
import { git } from "../rig.ts";
import { gitWith, type Remote } from "./remote.ts";
import { KINDS, lawfulMail, play, type Stage, setStage, type Trick } from "./stage.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await setStage();
}, 120_000);
afterAll(() => fs.rmSync(stage.folder, { recursive: true, force: true }));

const tipOf = (remote: Remote): string => git(remote.hub, "rev-parse", "relay").trim();

/** Makes the tip again with another head: other dates, authors, lines. */
function rewriteHead(remote: Remote, change: (text: string) => string | Buffer): void {
  const text = git(remote.hub, "cat-file", "commit", tipOf(remote));
  const made = gitWith(remote.hub, change(text), "hash-object", "-t", "commit", "-w", "--literally", "--stdin");
  git(remote.hub, "update-ref", "refs/heads/relay", made);
}
const drop = (remote: Remote, home: Stage["home"]): void => {
  remote.remove(home.messages[0] as string);
  remote.commit();
};
const dated =
  (date: string): Trick["push"] =>
  (remote, home) => {
    drop(remote, home);
    rewriteHead(remote, (text) => text.replace(/^(author|committer) (.*) \d+ [+-]\d{4}$/gm, `$1 $2 ${date}`));
  };

const headed =
  (rest: string): Trick["push"] =>
  (remote, home) => {
    drop(remote, home);
    rewriteHead(remote, (text) => text.replace(/^(author|committer) .*$/gm, `$1 web ${rest}`));
  };

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
    [
      "a message of 8 MB",
      (remote: Remote, home: Stage["home"]) => {
        drop(remote, home);
        rewriteHead(remote, (text) => `${text}\n${"relay: x\n".repeat(900_000)}`);
      },
    ],
    [
      "escapes and line ends in the message and the author",
      (remote: Remote, home: Stage["home"]) => {
        drop(remote, home);
        rewriteHead(remote, (text) =>
          text.replace("web <", "w\u001b[2J\u0001eb\u202e <").replace(/\n\n.*/s, "\n\n\u001b]52;c;ZXZpbA==\u0007\r\u0001deadbeef x\n"),
        );
      },
    ],
    [
      "no author at all",
      (remote: Remote, home: Stage["home"]) => {
        drop(remote, home);
        rewriteHead(remote, (text) => text.replace(/^author .*$/m, "author  <> 1767225600 +0000"));
      },
    ],
    [
      "an encoding that nobody has",
      (remote: Remote, home: Stage["home"]) => {
        drop(remote, home);
        rewriteHead(remote, (text) => text.replace("\n\n", "\nencoding utf-99\n\n"));
      },
    ],
    [
      "a signature that is none",
      (remote: Remote, home: Stage["home"]) => {
        drop(remote, home);
        rewriteHead(remote, (text) => text.replace("\n\n", "\ngpgsig -----BEGIN PGP SIGNATURE-----\n x\n -----END PGP SIGNATURE-----\n\n"));
      },
    ],
    [
      "an empty message",
      (remote: Remote, home: Stage["home"]) => {
        drop(remote, home);
        rewriteHead(remote, (text) => text.replace(/\n\n.*/s, "\n\n"));
      },
    ],
    [
      "the same parent twice",
      (remote: Remote, home: Stage["home"]) => {
        drop(remote, home);
        rewriteHead(remote, (text) => text.replace(/^parent (\w+)$/m, "parent $1\nparent $1"));
      },
    ],
  ] satisfies [string, Trick["push"]][]
).map(([name, push]) => ({ name, push }));

const REFS: Trick[] = (
  [
    [
      "a tag of the branch's name",
      (remote: Remote) => {
        lawfulMail(remote);
        git(remote.hub, "update-ref", "refs/tags/relay", `${tipOf(remote)}~1`);
        git(remote.hub, "update-ref", "refs/tags/HEAD", `${tipOf(remote)}~1`);
      },
    ],
    [
      "replaced objects and notes",
      (remote: Remote, home: Stage["home"]) => {
        const before = tipOf(remote);
        drop(remote, home);
        git(remote.hub, "update-ref", `refs/replace/${before}`, tipOf(remote));
        git(remote.hub, "update-ref", "refs/notes/commits", before);
      },
    ],
    [
      "a branch that is a name of another",
      (remote: Remote) => {
        lawfulMail(remote);
        git(remote.hub, "update-ref", "refs/heads/elsewhere", tipOf(remote));
        git(remote.hub, "symbolic-ref", "refs/heads/relay", "refs/heads/elsewhere");
      },
    ],
    [
      "a HEAD that points nowhere",
      (remote: Remote) => {
        lawfulMail(remote);
        git(remote.hub, "symbolic-ref", "HEAD", "refs/heads/nowhere");
      },
    ],
    [
      "refs of this machine's kind",
      (remote: Remote) => {
        lawfulMail(remote);
        for (const name of ["guarded", "incoming", "index"]) git(remote.hub, "update-ref", `refs/relay/${name}`, `${tipOf(remote)}~1`);
        git(remote.hub, "update-ref", "refs/remotes/origin/relay", `${tipOf(remote)}~1`);
      },
    ],
    [
      "claims as refs that are none",
      (remote: Remote, { session, held }: Stage["home"]) => {
        remote.write("relay.yml", `${remote.read("relay.yml")}\nclaims: remote\n`);
        remote.commit();
        const blob = gitWith(remote.hub, "junk", "hash-object", "-w", "--stdin");
        git(remote.hub, "update-ref", `refs/relay/claims/${session}/${held}/1`, blob);
        git(remote.hub, "update-ref", `refs/relay/claims/${session}/${held}/99999999999`, blob);
        git(remote.hub, "update-ref", "refs/relay/claims/x", tipOf(remote));
        git(remote.hub, "update-ref", "refs/relay/claims/..-/y".replace("..", "a"), blob);
      },
    ],
  ] satisfies [string, Trick["push"]][]
).map(([name, push]) => ({ name, push }));

const SWALLOW: Trick[] = [
  {
    name: "unread mail moved to somebody who is no part",
    push(remote) {
      for (const at of remote.paths(/^inbox\/web\/new\/m-/)) remote.move(at, at.replace("/web/", "/ghost/"));
    },
  },
  {
    name: "acks moved to somebody who is no part",
    push(remote) {
      for (const at of remote.paths(/^inbox\/web\/read\//)) remote.move(at, at.replace("/web/", "/ghost/"));
    },
  },
  {
    // What a rename of an operation and a new part of the name leave too: it is told.
    name: "a part of another's former name, which has its mail",
    changes: ["unread"],
    told: /renamed|evil/,
    push(remote) {
      for (const at of remote.paths(/^inbox\/web\/new\/m-/)) remote.move(at, at.replace("/web/", "/evil/"));
      remote.write("relay.yml", remote.read("relay.yml").replace(/^parts:$/m, "parts:\n  evil:\n    formerly: [web]"));
    },
  },
  {
    name: "a claim with other bytes, and ours beside it as if it had given way",
    push(remote, { session, held }) {
      const at = `sessions/${session}/claims/${held}/1.md`;
      const id = git(remote.hub, "rev-parse", `relay:${at}`).trim();
      const text = remote.read(at);
      remote.write(at, text.replace(/^agent: .*$/m, 'agent: "evil"'));
      remote.write(keptPath(at, id), text);
    },
  },
  {
    name: "a claim gone, and beside it",
    push(remote, { session, held }) {
      const at = `sessions/${session}/claims/${held}/1.md`;
      remote.move(at, keptPath(at, git(remote.hub, "rev-parse", `relay:${at}`).trim()));
    },
  },
  {
    name: "messages beside their names, with forged text as the sealed copy",
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
    push(remote) {
      remote.remove(...remote.paths(/guest\.md$/));
      remote.remove(...remote.paths(/^inbox\/(guest-1|main)\/new\//));
    },
  },
];

const NUMBERS: Trick[] = (
  [
    [
      "events of 3 MB, and one that is no JSON",
      (remote: Remote) => {
        for (const at of remote.paths(/^events\//)) remote.write(at, `${'{"at":"x"}\n'.repeat(300_000)}not json\n\u001b[2J\n`);
      },
    ],
    ["events emptied", (remote: Remote) => remote.write(remote.paths(/^events\//)[0] ?? "events/x", "")],
    [
      "a thread without its fields",
      (remote: Remote) => {
        for (const at of remote.paths(/\/thread\.md$/)) remote.write(at, "---\n---\n");
      },
    ],
    [
      "a thread of 2 MB",
      (remote: Remote) => {
        for (const at of remote.paths(/\/thread\.md$/)) remote.write(at, `${remote.read(at)}${"x\n".repeat(1_000_000)}`);
      },
    ],
    [
      "a task of 2 MB",
      (remote: Remote) => {
        for (const at of remote.paths(/\/tasks\/task-/)) remote.write(at, `${remote.read(at)}${"x\n".repeat(1_000_000)}`);
      },
    ],
    [
      "executable files",
      (remote: Remote) => {
        for (const at of remote.paths(/^(threads|sessions|relay)/)) remote.mode(at, "100755");
      },
    ],
    [
      "a forgotten that nobody can read, and refused at once",
      (remote: Remote, { messages }: Stage["home"]) => {
        const [, , thread = "", file = ""] = (messages[0] as string).split("/");
        const id = `m-${thread.slice(2)}-${file.slice(0, -3)}`;
        remote.write(`forgotten/${id}.md`, "\u0000\u0001");
        remote.write(`forgotten/${id}.refused.md`, "x");
        remote.remove(messages[0] as string);
      },
    ],
    [
      "a session opened and ended again before it ended",
      (remote: Remote, { session }: Stage["home"]) => {
        remote.write(`sessions/${session}/reopened.md`, "x");
        remote.write(`sessions/${session}/ended-2.md`, "x");
        remote.write(`sessions/${session}/reopened-3.md`, "x");
      },
    ],
    [
      "folders for files everywhere",
      (remote: Remote) => {
        for (const at of remote.paths(/^(memory|events|session)/).slice(0, 12)) {
          remote.remove(at);
          remote.write(`${at}/x.md`, "x");
        }
      },
    ],
    [
      "a history of 300 commits that change one file",
      (remote: Remote, { session }: Stage["home"]) => {
        const tip = tipOf(remote);
        const at = `sessions/${session}/ended.md`;
        const steps = Array.from(
          { length: 300 },
          (_, n) =>
            `commit refs/heads/relay\ncommitter a <a@b> 1930000000 +0000\ndata 1\nx\n${n === 0 ? `from ${tip}\n` : ""}M 100644 inline ${at}\ndata ${String(n).length}\n${n}\n\n`,
        );
        gitWith(remote.hub, steps.join(""), "fast-import", "--quiet", "--force");
      },
    ],
    ["folders 1,000 deep", (remote: Remote) => remote.write(`${"a/".repeat(1_000)}x`, "x")],
  ] satisfies [string, Trick["push"]][]
).map(([name, push]) => ({ name, push }));

const tricks = [...HEADS, ...REFS, ...SWALLOW, ...NUMBERS];

describe("met by a clone", () => {
  const cases = tricks.flatMap((trick, at) =>
    (FULL ? KINDS : [KINDS[at % KINDS.length] as (typeof KINDS)[number]]).map((kind) => [`${trick.name}, ${kind}`, trick, kind] as const),
  );
  test.each(cases)("%s", (_name, trick, kind) => play(stage, trick, kind));
});
