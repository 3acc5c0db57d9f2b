/**
 * Playing a push to clones. What every push is held to, whoever meets it: nothing ran, nothing is lost or on the disk that
 * must not be, it is reported with its commit, told to the parts that it was done to, taken back by `undo`, and mail goes
 * both ways afterwards.
 */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { messageId } from "../../../protocol/core/format/id.ts";
import { RELAY_MD } from "../../../protocol/core/templates.ts";
import { arrivalOf, type PlaceKind, placeOf } from "../../../protocol/core/tree/layout.ts";
import { guardClass } from "../../../protocol/core/tree/record.ts";
import { TOOL_FILES } from "../../../protocol/git/home/repository.ts";
import { act } from "../../rig/clones.ts";
import { settle } from "../../rig/home.ts";
import { git, scratch } from "../../rig/scratch.ts";
import { playInTree } from "./play-in-tree.ts";
import { remoteAt } from "./remote.ts";
import { bytesOf, type Kind, LIVING, lawfulMail, type Stage } from "./stage.ts";
import { answerOf, casesOf, type Met, type Trick } from "./trick.ts";

/** Commits of a push that are taken back, the newest. */
const UNDONE_MOST = 3;

/** A hub with the push of the last trick, so that each kind of clone meets a copy of the same. */
let pushed: { trick: Trick; hub: string; ran: string; commits: string[] } | null = null;

async function pushOnce(stage: Stage, trick: Trick): Promise<NonNullable<typeof pushed>> {
  if (pushed?.trick === trick && fs.existsSync(pushed.hub)) return pushed;
  const folder = path.join(stage.folder, "pushed");
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder);
  const [hub, ran] = [path.join(folder, "hub.git"), path.join(folder, "ran")];
  execFileSync("cp", ["-a", path.join(stage.folder, "hub.git"), hub]);
  const remote = remoteAt(hub, { canary: `touch ${ran}` });
  const tip = remote.tip();
  await trick.push(remote, stage.home);
  if (remote.tip() === tip) remote.commit();
  const commits = git(hub, "rev-list", "--topo-order", remote.tip(), `^${tip}`).trim().split("\n");
  pushed = { trick, hub, ran, commits };
  return pushed;
}

/** Plays tricks, and lists of tricks that are one push, each to its kinds of clones. */
export function playEach(stage: Stage, tricks: readonly (Trick | readonly Trick[])[]): void {
  test.each(casesOf(tricks))("%s", (_name, trick, kind) => play(stage, trick, kind));
}

/** Plays a push to one kind of clone, and holds it to what every push is held to. */
export async function play(stage: Stage, trick: Trick, kind: Kind): Promise<void> {
  if (kind === "in-tree") return playInTree(stage, trick);
  const { hub: from, ran, commits } = await pushOnce(stage, trick);
  const folder = scratch();
  execFileSync("cp", ["-a", from, ...(kind === "new" ? [] : [path.join(stage.folder, kind)]), folder]);
  const [hub, code] = [path.join(folder, "hub.git"), path.join(folder, kind)];
  // A copy has no accepted settings, and a person alone chooses a remote that is a path from the project.
  if (kind !== "new") settle(code);
  if (kind !== "new") git(code, "remote", "set-url", "origin", hub);
  const own = kind === "new" ? stage.before : bytesOf(code);
  const answered = await answerOf(
    kind === "new" ? act(folder, undefined, "clone", { url: hub, folder: kind }) : act(code, undefined, "sync"),
  );
  const met: Met = {
    ...{ kind, code, hub, stage, commits, answered },
    remote: remoteAt(hub, { canary: `touch ${ran}` }),
    at: (...names) => path.join(code, ".relay", ...names),
    act: (part, name, input) => act(code, part, name, input),
    reports: "",
  };
  expect(fs.existsSync(ran), "a command ran").toBe(false);
  if (kind !== "new") isWhole(met, trick, own);
  isOfLayout(met, trick);
  const said = [answered, await answerOf(act(code, undefined, "doctor")), await answerOf(act(code, undefined, "check"))];
  met.reports = said.map((answer) => JSON.stringify(answer)).join("\n");
  isReported(met, trick, own);
  isTold(met, trick);
  if (kind === "new") {
    await healedByOlder(met);
    isWhole(met, trick, own);
  }
  isLeftOut(met);
  await trick.after?.(met);
  await isUndone(met, trick);
  await goesBothWays(met);
  isWhole(met, trick, own);
  expect(fs.existsSync(ran), "a command ran").toBe(false);
}

/** Who joins has what the push left, until a clone that was there before syncs. */
async function healedByOlder({ code, hub, stage }: Met): Promise<void> {
  const older = path.join(path.dirname(hub), "older");
  execFileSync("cp", ["-a", path.join(stage.folder, "idle"), older]);
  git(older, "remote", "set-url", "origin", hub);
  for (const each of [code, older, code]) await answerOf(act(each, undefined, "sync"));
}

/** Nothing is lost. */
function isWhole({ code }: Met, trick: Trick, own: ReadonlyMap<string, string>): void {
  const now = bytesOf(code);
  expect(lostIn(own, now, trick.changes ?? []), "lost or changed").toEqual([]);
}

/** Nothing is on the disk but plain files of the layout, and what agents are told is this version's. */
function isOfLayout({ code }: Met, { never = [] }: Trick): void {
  for (const name of never)
    expect(fs.lstatSync(path.join(code, ".relay", name), { throwIfNoEntry: false }), `${name} is on the disk`).toBeUndefined();
  const now = bytesOf(code);
  const odd = [...now].filter(
    ([at, bytes]) =>
      (arrivalOf({ path: at, mode: "100644" }) !== "known" && bytes !== (TOOL_FILES as Record<string, string>)[at]) ||
      /^a (link|thing)$/.test(bytes),
  );
  expect(odd, "on the disk, and not of the layout").toEqual([]);
  expect(now.get("RELAY.md"), "RELAY.md").toBe(Buffer.from(RELAY_MD).toString("latin1"));
}

/** What would act where it is checked out is off the branch, unless the push was refused. */
function isLeftOut({ kind, answered, remote }: Met): void {
  if (answered.refused !== undefined && kind !== "new") return;
  expect(
    remote.files().filter((file) => arrivalOf(file) === "attempt"),
    "on the branch, and would act where it is checked out",
  ).toEqual([]);
}

/** What a clone had, and has no more, or has with other bytes. */
function lostIn(before: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>, changes: readonly PlaceKind[]): string[] {
  return [...before].flatMap(([at, bytes]) => {
    const place = placeOf(at);
    if (place === null || changes.includes(place.kind)) return [];
    const what = [`${at} ${now.has(at) ? "changed" : "is gone"}`];
    if (guardClass(at) === "once") return now.get(at) === bytes ? [] : what;
    if (guardClass(at) === "kept") return now.has(at) || place.kind === "guest" ? [] : what;
    if (place.kind !== "unread") return [];
    const acked = `inbox/${place.part}/read/${place.key.day}/${messageId(place.key)}.md`;
    return [at, acked].some((name) => now.get(name) === bytes) ? [] : what;
  });
}

/** The answer names what was done and by which commit; or nothing was done, and the disk is as it was. */
function isReported(
  { kind, code, answered, reports, commits }: Met,
  { told, toldToNew = told }: Trick,
  own: ReadonlyMap<string, string>,
): void {
  if (told === "nothing") {
    const now = bytesOf(code);
    if (kind === "new") expect([...now.keys()].sort()).toEqual([...own.keys()].sort());
    else expect(now).toEqual(own);
    return;
  }
  if (kind === "new") {
    if (toldToNew !== null) expect(reports).toMatch(toldToNew);
    return;
  }
  const answer = JSON.stringify(answered);
  expect(answer, "the answer of sync").toMatch(told);
  expect(
    commits.some((commit) => answer.includes(commit.slice(0, 8))),
    `the answer names a commit of the push: ${answer}`,
  ).toBe(true);
}

/** The parts that it was done to have a notice that says so and names a commit; the others have none. */
function isTold({ kind, at, commits }: Met, { tells = {} }: Trick): void {
  for (const part of LIVING) {
    const folder = at("local/notices", part);
    const all = fs.existsSync(folder) ? fs.readdirSync(folder).map((name) => fs.readFileSync(path.join(folder, name), "utf8")) : [];
    // That mail came in its name by another author than before is true of many a trick, and is tested by itself.
    const notices = all.filter(
      (text) => !JSON.parse(text).lines.every((line: string) => / in the name of \S+, and says it is by /.test(line)),
    );
    const words = kind === "new" ? undefined : tells[part];
    if (words === undefined) expect(notices, `notices of ${part}`).toEqual([]);
    else {
      expect(notices, `notices of ${part}`).toEqual([expect.stringMatching(words)]);
      expect(commits.some((commit) => notices[0]?.includes(commit.slice(0, 8)))).toBe(true);
    }
  }
}

/** Files that nobody protects, of which a trick says nothing: what it lays elsewhere is its own affair. */
const ODD_FILES = /^removed \d+ files? that nobody protects/;

/** `undo` of the commits gives back what was lawful, or says that there is nothing; again it changes nothing. */
async function isUndone({ kind, act: call, commits, answered }: Met, { undone: expected }: Trick): Promise<void> {
  if (answered.refused !== undefined && kind !== "new") return;
  const undone: string[] = [];
  for (const commit of commits.slice(0, UNDONE_MOST)) {
    const answer = await call(undefined, "undo", { commit });
    undone.push(...answer.undone.filter((line: string) => !ODD_FILES.test(line)));
    if (answer.undone.length > 0) expect((await call(undefined, "undo", { commit })).undone, "what is taken back twice").toEqual([]);
  }
  if (expected === undefined) expect(undone, "what undo took back").toEqual([]);
  else expect(undone.join("\n"), "what undo took back").toMatch(expected);
}

/** A lawful message from the hub reaches the clone, and one of the clone reaches the hub. */
async function goesBothWays({ code, hub, act: call }: Met): Promise<void> {
  const id = lawfulMail(remoteAt(hub));
  const sent = await call("web", "send", { to: ["api"], subject: "afterwards", body: "from here" });
  expect(await answerOf(call(undefined, "sync")), "the sync afterwards").not.toHaveProperty("refused");
  const unread = path.join(code, ".relay/inbox/web/new", `${id}.md`);
  expect(fs.existsSync(unread), "mail comes").toBe(true);
  expect(git(hub, "ls-tree", "-r", "--name-only", "refs/heads/relay"), "mail goes").toContain(`inbox/api/new/${sent.messageId}.md`);
}
