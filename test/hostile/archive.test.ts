/** A push that calls removals archives: what it cannot prove comes back, in clones that have the threads and in a new one. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parseThreadId, type ThreadLocation, threadId } from "../../protocol/core/format/id.ts";
import { archivePath, formatArchive, threadOfArchived } from "../../protocol/removal/nouns/archive.ts";
import { sha256 } from "../../protocol/store/digest.ts";
import { act, cloneOf, shared, shop } from "../rig/clones.ts";
import { git, scratch } from "../rig/scratch.ts";
import { layThreadFile } from "../rig/thread-file.ts";
import { type Remote, remoteAt } from "./rig/remote.ts";

type Files = Map<string, string>;
/** A removal, and what it says of itself. */
interface Case {
  state: "closed" | "open" | "unread";
  /** What the archive holds: of the thread's files and acks. */
  files?: (files: Files) => unknown;
  text?: (source: string) => string;
}

const message = (files: Files): string => [...files.keys()].find((at) => /\/1-[^/]*\.md$/.test(at)) as string;
const ack = (files: Files): string => [...files.keys()].find((at) => at.startsWith("inbox/")) as string;
const changed = (files: Files, at: string, from: string | RegExp, to: string): unknown =>
  files.set(at, (files.get(at) as string).replace(from, to));
const READ = "unread mail that its archive calls read";
const CASES: Record<string, Case> = {
  "an open thread": { state: "open" },
  "an open thread that its archive calls closed": {
    state: "open",
    files: (files) =>
      changed(files, [...files.keys()].find((at) => at.endsWith("/thread.md")) as string, /\n---\n/, '\nstatus: "closed"\n---\n'),
  },
  "a closed thread that its archive calls otherwise": {
    state: "closed",
    files: (files) =>
      changed(files, [...files.keys()].find((at) => at.endsWith("/thread.md")) as string, /\n---\n/, '\nsubject: "Paid"\n---\n'),
  },
  "unread mail": { state: "unread" },
  [READ]: {
    state: "unread",
    files(files) {
      const [, day, thread, token] = /^threads\/([^/]+)\/t-(.+)\/1-([^/]+)\.md$/.exec(message(files)) as unknown as string[];
      files.set(`inbox/api/read/${day}/m-${thread}-1-${token}.md`, files.get(message(files)) as string);
    },
  },
  "a message left out": { state: "closed", files: (files) => files.delete(message(files)) },
  "an ack left out": { state: "closed", files: (files) => files.delete(ack(files)) },
  "a byte changed, with its hash": { state: "closed", files: (files) => changed(files, message(files), "About", "about") },
  "a byte changed, without its hash": { state: "closed", text: (text) => text.replace("About", "about") },
  "files of others inside": { state: "closed", files: (files) => files.set("../escaped.md", "x").set("relay.yml", "format: 2\n") },
  "no archive that can be read": { state: "closed", text: () => "# nothing\n" },
};

let stage = "";
const threads = new Map<string, string>();
const keyOf = (id: string): ThreadLocation => parseThreadId(id) as ThreadLocation;
const isOf = (id: string, at: string): boolean => {
  const location = threadOfArchived(at.replace("/new/", `/read/${keyOf(id).day}/`));
  return location !== null && threadId(location) === id;
};

beforeAll(async () => {
  const { hub, code } = await shop("web", "api");
  for (const [name, { state }] of Object.entries(CASES)) {
    const { threadId: id, messageId } = await act(code, "web", "send", { to: ["api"], subject: name, body: `About ${name}.` });
    threads.set(name, id);
    if (state !== "unread") await act(code, "api", "ack", { messageIds: [messageId] });
    if (state === "closed") await act(code, "web", "close", { threadId: id });
    const file = path.join(code, ".relay/threads", keyOf(id).day, id, "thread.md");
    if (!fs.existsSync(file)) layThreadFile(path.join(code, ".relay"), id);
    // Only a hand closes a thread without clearing its mail.
    if (state === "unread")
      fs.writeFileSync(file, fs.readFileSync(file, "utf8").replace(/\n---\n/, '\nstatus: "closed"\nstatus_after: 1\n---\n'));
  }
  await act(code, undefined, "sync");
  const other = await cloneOf(hub);
  stage = fs.mkdtempSync(path.join(os.tmpdir(), "relay-stage-"));
  fs.cpSync(hub, path.join(stage, "hub.git"), { recursive: true });
  fs.cpSync(other, path.join(stage, "code"), { recursive: true, verbatimSymlinks: true });
});
afterAll(() => fs.rmSync(stage, { recursive: true, force: true }));

/** Pushes an archive of a thread as a case has it, and takes the thread's files away. */
function remove(remote: Remote, id: string, { files: change, text = (source) => source }: Case): void {
  const paths = remote.paths(/^(threads|inbox)\//).filter((at) => isOf(id, at));
  const files: Files = new Map(paths.filter((at) => !at.includes("/new/")).map((at) => [at, remote.read(at)]));
  change?.(files);
  remote.write(archivePath(keyOf(id)), text(formatArchive(keyOf(id), files, sha256)));
  remote.remove(...paths);
}

it.each(["idle", "merging", "new"] as const)("a clone that is %s brings back what no archive proves", async (kind) => {
  const folder = scratch();
  const hub = path.join(folder, "hub.git");
  fs.cpSync(path.join(stage, "hub.git"), hub, { recursive: true });
  const code = path.join(folder, "code");
  if (kind !== "new") fs.cpSync(path.join(stage, "code"), code, { recursive: true, verbatimSymlinks: true });
  if (kind === "merging") await act(code, "web", "send", { to: ["main"], subject: "own", body: "x" });
  const remote = remoteAt(hub);
  const before = Object.fromEntries(remote.paths(/^(threads|inbox|relay\.yml)/).map((at) => [at, remote.read(at)]));
  for (const [name, each] of Object.entries(CASES)) remove(remote, threads.get(name) as string, each);
  remote.commit("relay: archives");
  if (kind !== "new") {
    git(code, "remote", "set-url", "origin", hub);
    await act(code, undefined, "sync", { remote: hub });
  }
  const met = kind === "new" ? await cloneOf(hub) : code;
  if (kind === "new") {
    const named = (await act(met, undefined, "check")).warnings.map(({ path: at = "" }: { path?: string }) => at);
    for (const [name, id] of threads) expect([name, named.some((at: string) => isOf(id, at))]).toEqual([name, true]);
    // A clone that was there before knows better.
    const older = path.join(folder, "older");
    fs.cpSync(path.join(stage, "code"), older, { recursive: true, verbatimSymlinks: true });
    git(older, "remote", "set-url", "origin", hub);
    await act(older, undefined, "sync", { remote: hub });
    await act(met, undefined, "sync");
  }
  expect(shared(met)).toMatchObject(before);
  expect(fs.existsSync(path.join(met, "escaped.md"))).toBe(false);
  for (const [name, id] of threads) {
    const shown = await act(met, "api", "show", { threadId: id });
    expect(shown, name).toMatchObject({ messages: [{ body: `About ${name}.` }] });
    expect(shown.thread.archived, name).toBeUndefined();
  }
  expect((await act(met, "api", "inbox")).messages).toHaveLength(2);
  const { findings } = await act(met, undefined, "check");
  expect(findings.filter(({ code: is }: { code: string }) => is === "malformed")).toHaveLength(3);
});
