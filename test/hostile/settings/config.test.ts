/** Pushes of a relay.yml that no clone can take: each clone goes on with its last good one, sends and fetches, and takes the cure. */
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { act, cloneOf, shop } from "../../rig/clones.ts";
import { git } from "../../rig/scratch.ts";
import { playEach } from "../rig/play.ts";
import { type Remote, remoteAt } from "../rig/remote.ts";
import { lawfulMail, stageOfFile } from "../rig/stage.ts";
import type { Met, Trick } from "../rig/trick.ts";

const stage = stageOfFile();

const FILE = "relay.yml";
const edit =
  (from: RegExp, to: string): Trick["push"] =>
  (remote) =>
    remote.write(FILE, remote.read(FILE).replace(from, to));
const parts = Array.from({ length: 40_000 }, (_, index) => `  p${index}: {}\n`).join("");

/** Whoever met it goes on with the parts that it had, and takes the next version that can be read. */
async function isCured({ remote, act: call, at }: Met): Promise<void> {
  expect((await call(undefined, "part_list")).parts.map(({ part }: { part: string }) => part)).toEqual(
    expect.arrayContaining(["main", "web", "api"]),
  );
  const good = fs.readFileSync(at(FILE), "utf8");
  expect(good).toMatch(/^main: /m);
  remote.write(FILE, good.replace(/^parts:$/m, "parts:\n  cured: {}"));
  remote.commit("relay: cured");
  expect(await call(undefined, "sync")).not.toHaveProperty("warnings");
  expect(fs.readFileSync(at(FILE), "utf8")).toContain("cured: {}");
  expect(await call("web", "send", { to: ["cured"], subject: "x", body: "y" })).toMatchObject({ recipients: [{ part: "cured" }] });
}

const BRICKS: Trick[] = (
  [
    { name: "bytes that are no UTF-8", push: (remote: Remote) => remote.write(FILE, Buffer.from([0x66, 0xff, 0xfe])) },
    { name: "a main that is no part", push: edit(/^main: .*$/m, "main: zzz") },
    { name: "a human who was web", push: edit(/^( {2}web: .*\n)? {2}human: .*$/m, "  human: { formerly: [web] }") },
    { name: "in_tree", push: (remote: Remote) => remote.write(FILE, `${remote.read(FILE)}\nin_tree: true\n`) },
    { name: "a link", push: (remote: Remote) => remote.link(FILE, "threads") },
    { name: "no relay.yml", push: (remote: Remote) => remote.remove(FILE) },
    {
      name: "a folder",
      push: (remote: Remote) => {
        remote.remove(FILE);
        remote.write(`${FILE}/x`, "x");
      },
    },
    { name: "no YAML", isPlayedToAll: true, push: (remote: Remote) => remote.write(FILE, "format: [") },
    { name: "40,000 parts", push: edit(/^parts:$/m, `parts:\n${parts.trimEnd()}`) },
    { name: "400 KB of brackets", push: (remote: Remote) => remote.write(FILE, "[".repeat(400_000)) },
    { name: "64 KB of explicit keys", push: (remote: Remote) => remote.write(FILE, "? ".repeat(32_000)) },
    { name: "a format that is no number", push: edit(/^format: .*$/m, "format: banana") },
  ] satisfies Omit<Trick, "told">[]
).map((trick) => ({ told: /relay\.yml/, ...trick, after: isCured }));

playEach(stage, BRICKS);

describe("a format of a version to come is no fault: it is read, nothing is sent, and no clone repairs it away", () => {
  test("until a correction comes, or a person puts the one here in its place", async () => {
    const { hub, code } = await shop("web");
    const [other, last] = [await cloneOf(hub), await cloneOf(hub)];
    const remote = remoteAt(hub);
    const good = remote.read(FILE);
    const readers = [code, other];
    await act(other, "main", "send", { to: ["web"], subject: "own", body: "of the merging clone" });
    remote.write(FILE, good.replace(/^format: .*$/m, "format: 99"));
    const id = lawfulMail(remote);
    const tip = git(hub, "rev-parse", "relay");
    for (const clone of [...readers, ...readers]) {
      await act(clone, "web", "send", { to: ["main"], subject: "on", body: "and on" });
      expect(await act(clone, undefined, "sync")).toMatchObject({
        sent: false,
        warning: expect.stringContaining("relay config restore --push"),
      });
      expect(fs.existsSync(path.join(clone, ".relay/inbox/web/new", `${id}.md`))).toBe(true);
      expect(fs.readFileSync(path.join(clone, ".relay", FILE), "utf8")).toBe(good);
      expect((await act(clone, undefined, "record")).commit).toBe(null);
    }
    expect(git(hub, "rev-parse", "relay")).toBe(tip);
    const met = await cloneOf(hub);
    expect(await act(met, undefined, "sync")).toMatchObject({ sent: false });
    expect((await act(met, "web", "inbox")).messages).toHaveLength(1);

    expect(await act(last, undefined, "config_restore", { push: true })).toMatchObject({ restored: false, sent: true });
    for (const clone of [...readers, met]) expect(String((await act(clone, undefined, "sync")).warning)).not.toContain("nothing was sent");
    expect(remote.read(FILE)).toBe(good);
    expect(git(hub, "ls-tree", "-r", "--name-only", "relay", "inbox/main/new/").trim().split("\n")).toHaveLength(4);
  });
});
