/** Pushes of commits and refs that no Relay makes. */
import fs from "node:fs";
import path from "node:path";
import { describe, test } from "vitest";
import { guardClass } from "../../../protocol/objects/tree/record.ts";
import { git } from "../../rig/scratch.ts";
import { play } from "../rig/play.ts";
import { gitWith, type Remote } from "../rig/remote.ts";
import { type HomeNames, lawfulMail, stageOfFile } from "../rig/stage.ts";
import { casesOf, type Trick } from "../rig/trick.ts";

const stage = stageOfFile();

/** Makes the tip again with another head: other dates, authors, lines. */
function rewriteHead(remote: Remote, change: (text: string) => string | Buffer): void {
  const text = git(remote.hub, "cat-file", "commit", remote.tip());
  const made = gitWith(remote.hub, change(text), "hash-object", "-t", "commit", "-w", "--literally", "--stdin");
  git(remote.hub, "update-ref", remote.ref, made);
}
/** Takes the next file away that is written once: each commit another. */
const drop = (remote: Remote): void => {
  remote.remove(remote.paths(/^(threads|sessions|inbox)\//).find((at) => guardClass(at) === "once") as string);
  remote.commit();
};
const dated =
  (date: string): Trick["push"] =>
  (remote) => {
    drop(remote);
    rewriteHead(remote, (text) => text.replace(/^(author|committer) (.*) \d+ [+-]\d{4}$/gm, `$1 $2 ${date}`));
  };

const DELETED = /"deleted":[1-9]|deleted_by_push/;
const MAIL = /"messages":[1-9]/;

const headed =
  (rest: string): Trick["push"] =>
  (remote) => {
    drop(remote);
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
      (remote: Remote) => {
        drop(remote);
        rewriteHead(remote, (text) => `${text}\n${"relay: x\n".repeat(900_000)}`);
      },
    ],
    [
      "escapes and line ends in the message and the author",
      (remote: Remote) => {
        drop(remote);
        rewriteHead(remote, (text) =>
          text.replace("web <", "w\u001b[2J\u0001eb\u202e <").replace(/\n\n.*/s, "\n\n\u001b]52;c;ZXZpbA==\u0007\r\u0001deadbeef x\n"),
        );
      },
    ],
    [
      "no author at all",
      (remote: Remote) => {
        drop(remote);
        rewriteHead(remote, (text) => text.replace(/^author .*$/m, "author  <> 1767225600 +0000"));
      },
    ],
    [
      "an encoding that nobody has",
      (remote: Remote) => {
        drop(remote);
        rewriteHead(remote, (text) => text.replace("\n\n", "\nencoding utf-99\n\n"));
      },
    ],
    [
      "a signature that is none",
      (remote: Remote) => {
        drop(remote);
        rewriteHead(remote, (text) => text.replace("\n\n", "\ngpgsig -----BEGIN PGP SIGNATURE-----\n x\n -----END PGP SIGNATURE-----\n\n"));
      },
    ],
    [
      "an empty message",
      (remote: Remote) => {
        drop(remote);
        rewriteHead(remote, (text) => text.replace(/\n\n.*/s, "\n\n"));
      },
    ],
    [
      "the same parent twice",
      (remote: Remote) => {
        drop(remote);
        rewriteHead(remote, (text) => text.replace(/^parent (\w+)$/m, "parent $1\nparent $1"));
      },
    ],
  ] satisfies [string, Trick["push"]][]
).map(([name, push]) => ({ name, push, told: DELETED, isPlayedToAll: true }));

const REFS: Trick[] = (
  [
    [
      "a tag of the branch's name",
      (remote: Remote) => {
        lawfulMail(remote);
        git(remote.hub, "update-ref", "refs/tags/relay", `${remote.tip()}~1`);
        git(remote.hub, "update-ref", "refs/tags/HEAD", `${remote.tip()}~1`);
      },
    ],
    [
      "replaced objects and notes",
      (remote: Remote) => {
        const before = remote.tip();
        drop(remote);
        git(remote.hub, "update-ref", `refs/replace/${before}`, remote.tip());
        git(remote.hub, "update-ref", "refs/notes/commits", before);
      },
      { told: DELETED, toldToNew: DELETED },
    ],
    [
      "a branch that is a name of another",
      (remote: Remote) => {
        lawfulMail(remote);
        git(remote.hub, "update-ref", "refs/heads/elsewhere", remote.tip());
        git(remote.hub, "symbolic-ref", remote.ref, "refs/heads/elsewhere");
      },
    ],
    [
      "a remote that takes objects from elsewhere",
      (remote: Remote) => {
        lawfulMail(remote);
        fs.writeFileSync(path.join(remote.hub, "objects/info/alternates"), "/nonexistent/objects\n../../elsewhere/objects\n");
        fs.writeFileSync(path.join(remote.hub, "objects/info/http-alternates"), "http://127.0.0.1:1/objects\n");
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
        for (const name of ["guarded", "incoming", "index"]) git(remote.hub, "update-ref", `refs/relay/${name}`, `${remote.tip()}~1`);
        git(remote.hub, "update-ref", "refs/remotes/origin/relay", `${remote.tip()}~1`);
      },
    ],
    [
      "claims as refs that are none",
      (remote: Remote, { session, held }: HomeNames) => {
        remote.write("relay.yml", `${remote.read("relay.yml")}\nclaims: remote\n`);
        remote.commit();
        const blob = gitWith(remote.hub, "junk", "hash-object", "-w", "--stdin");
        git(remote.hub, "update-ref", `refs/relay/claims/${session}/${held}/1`, blob);
        git(remote.hub, "update-ref", `refs/relay/claims/${session}/${held}/99999999999`, blob);
        git(remote.hub, "update-ref", "refs/relay/claims/x", remote.tip());
        git(remote.hub, "update-ref", "refs/relay/claims/a-/y", blob);
      },
      { told: "changed relay.yml", undone: /^set claims: "remote" → unset in relay\.yml/ },
    ],
  ] satisfies [string, Trick["push"], Partial<Trick>?][]
).map(([name, push, more = {}]) => ({ name, push, told: MAIL, toldToNew: null, isPlayedToAll: true, ...more }));

describe("met", () => {
  test.each(casesOf([HEADS, REFS]))("%s", (_name, trick, kind) => play(stage, trick, kind));
});
