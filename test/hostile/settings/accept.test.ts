/** Files outside of the layout that a person put into the home, or accepts; and a merge that cannot be checked out. */
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { act, cloneOf, shop } from "../../rig/clones.ts";
import { git, scratch } from "../../rig/scratch.ts";
import { remoteAt } from "../rig/remote.ts";

const PLAN = "notes/plan.md";

describe("a file that a person put into the home", () => {
  test("is named and not recorded; accepted, it is recorded with these bytes alone; the other clone accepts it too", async () => {
    const { hub, code } = await shop("web");
    const at = (folder: string, name = PLAN): string => path.join(folder, ".relay", name);
    fs.mkdirSync(path.dirname(at(code)));
    fs.writeFileSync(at(code), "one\n");
    fs.writeFileSync(at(code, ".DS_Store"), "x");
    const { problems } = await act(code, undefined, "record");
    expect(problems).toEqual([{ path: PLAN, problem: expect.stringContaining("relay accept") }]);
    expect(await act(code, undefined, "accept", { path: PLAN })).toEqual({ path: PLAN, bytes: 4, from: "home" });
    expect(await act(code, undefined, "record")).toMatchObject({ changes: { file: 1 } });
    fs.writeFileSync(at(code), "two\n");
    expect(await act(code, undefined, "record")).toMatchObject({ commit: null, problems: [{ path: PLAN }] });
    await act(code, undefined, "sync");
    const two = await cloneOf(hub);
    expect(fs.existsSync(at(two))).toBe(false);
    expect(JSON.stringify(await act(two, undefined, "doctor"))).toContain(PLAN);
    expect(await act(two, undefined, "accept", { path: PLAN })).toEqual({ path: PLAN, bytes: 4, from: "branch" });
    expect(fs.readFileSync(at(two), "utf8")).toBe("one\n");
    expect(await act(two, undefined, "record")).toMatchObject({ commit: null });
    expect(fs.readFileSync(at(code), "utf8")).toBe("two\n");
    // With these bytes again, and no others.
    await act(code, undefined, "accept", { path: PLAN });
    await act(code, undefined, "sync");
    expect(JSON.stringify(await act(two, undefined, "sync"))).toContain(PLAN);
    expect(fs.readFileSync(at(two), "utf8")).toBe("one\n");
  });

  test("files of the layout need no acceptance, and files that would act get none", async () => {
    const { code } = await shop("web");
    for (const given of ["relay.yml", "local/trust/x", ".git/config", "a/.relay/relay.yml", "../x", "missing.md"])
      await expect(act(code, undefined, "accept", { path: given }), given).rejects.toMatchObject({ code: "invalid_argument" });
  });
});

test("a merge that cannot be checked out keeps no part from recording, and sync goes on", async () => {
  const { hub, code } = await shop("web");
  const two = await cloneOf(hub);
  await act(two, "web", "send", { to: ["main"], subject: "s", body: "b" });
  await act(two, undefined, "sync");
  const home = path.join(code, ".relay");
  const head = git(home, "rev-parse", "HEAD").trim();
  git(home, "fetch", "--quiet", hub, "relay");
  const to = git(home, "rev-parse", "FETCH_HEAD").trim();
  const laying = path.join(home, "local/sync/laying.json");
  fs.mkdirSync(path.dirname(laying), { recursive: true });
  for (const tries of [1, 2, "many"]) {
    fs.writeFileSync(laying, JSON.stringify({ from: head, to: tries === 1 ? git(home, "rev-parse", "HEAD^{tree}").trim() : to, tries }));
    await act(code, "web", "send", { to: ["main"], subject: "own", body: "b" });
    expect(await act(code, undefined, "record")).toMatchObject({ changes: { message: 1 } });
    expect(fs.existsSync(laying)).toBe(false);
  }
  await act(code, undefined, "sync");
  expect(await act(code, "main", "inbox")).toMatchObject({ unread: 4 });
});

test("a join reports how many files only the branch has, and the first; check goes on reporting them", async () => {
  const { hub } = await shop("web");
  const remote = remoteAt(hub);
  for (const name of ["CLAUDE.md", "notes/a.md", "notes/b.md", "notes/c.md"]) remote.write(name, "x");
  remote.write(".github/workflows/x.yml", "on: push");
  remote.link("threads/link.md", "/etc/hostname");
  remote.commit();
  const { folder, warning } = await act(scratch(), undefined, "clone", { url: hub, folder: "code" });
  for (const said of [
    '4 files of the branch ("CLAUDE.md", "notes/a.md", "notes/b.md", …)',
    '1 file of the branch (".github/workflows/x.yml")',
  ])
    expect(warning).toContain(said);
  expect(warning).toContain('1 file of the branch ("threads/link.md"): a link');
  const checked = await act(folder, undefined, "check");
  // What would act is off the branch already; who joins was told of it.
  expect(checked).toMatchObject({ ok: true, warnings: [{ code: "unknown_file", problem: expect.stringMatching(/of 4 files/) }] });
  await act(folder, undefined, "accept", { path: "notes/a.md" });
  expect((await act(folder, undefined, "check")).warnings[0].problem).toMatch(/of 3 files/);
});
