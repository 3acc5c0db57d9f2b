/** Files outside of the layout, in the home and on its branch; and a merge that cannot be checked out. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { act, cloneOf, shop } from "../../rig/clones.ts";
import { git, scratch } from "../../rig/scratch.ts";
import { remoteAt } from "../rig/remote.ts";

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
});
