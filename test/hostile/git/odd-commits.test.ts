/** Pushes of commits and refs that no Relay makes. */
import fs from "node:fs";
import path from "node:path";
import { guardClass } from "../../../protocol/core/tree/record.ts";
import { git } from "../../rig/scratch.ts";
import { playEach } from "../rig/play.ts";
import { gitWith, type Remote } from "../rig/remote.ts";
import { lawfulMail, stageOfFile } from "../rig/stage.ts";
import type { Trick } from "../rig/trick.ts";

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

playEach(stage, [HEADS, REFS]);
