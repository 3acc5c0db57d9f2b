/** Settings count on a machine as a person accepted them there, whatever a push or an edit of the home says; who there is follows. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { type parseConfig, parseSettings } from "../../../protocol/core/config/config.ts";
import { countingConfig, ownSettings } from "../../../protocol/core/config/settings.ts";
import { machineStore } from "../../../protocol/trust/files/machine.ts";
import { act, cloneOf, shop } from "../../rig/clones.ts";
import { settle, worldAt } from "../../rig/home.ts";
import { connect } from "../../rig/processes.ts";
import { git, scratch } from "../../rig/scratch.ts";
import { remoteAt } from "../rig/remote.ts";

const OTHER = `durability: process
sync: { auto: true }
summaries: { min_length: 100000 }
loop: { identical: 1, per_minute: 1 }
wake: { again_s: 0, budget: { per_hour: 100000 } }
usage: { stop_usd: 0.01 }
`;
const NAMED = ["durability", "sync.auto", "summaries.min_length", "loop.identical", "and 3 more"];

const fileOf = (code: string): string => path.join(code, ".relay/relay.yml");
/** What counts, as a new process sees it. */
const counts = (code: string): ReturnType<typeof parseConfig> => worldAt(code).home().config();

test("a setting that a push changes does not count, is named by sync and status, and counts once it is accepted here; parts and groups follow", async () => {
  const { hub, code } = await shop("web");
  const before = counts(code);
  const remote = remoteAt(hub);
  remote.write("relay.yml", `${remote.read("relay.yml").replace("parts:", "parts:\n  pushed: {}")}groups: { all: [web] }\n${OTHER}`);
  remote.commit();
  const [warning] = (await act(code, undefined, "sync")).warnings;
  for (const name of [...NAMED, "relay config accept"]) expect(warning).toContain(name);
  expect(await act(code, "web", "inbox")).not.toHaveProperty("warnings");
  expect((await act(code, undefined, "config_show")).waiting).toContain("loop.per_minute: unset → 1");
  for (const name of ["status", "config_show", "record"] as const)
    expect((await act(code, undefined, name)).warnings, name).toEqual([warning]);
  expect((await act(code, undefined, "doctor")).findings).toContainEqual(
    expect.objectContaining({ code: "not_accepted", problem: warning }),
  );
  const { parts, groups, ...others } = counts(code);
  expect([[...parts.keys()].includes("pushed"), [...groups.keys()]]).toEqual([true, ["all"]]);
  expect(others).toEqual(
    expect.objectContaining({ durable: true, sync: before.sync, loop: before.loop, wake: before.wake, usage: before.usage }),
  );

  // Neither an operation that edits the file, nor an agent that does, nor undo, nor a folder that comes back changes what counts.
  await act(code, undefined, "part_add", { part: "docs" });
  fs.appendFileSync(fileOf(code), "health: { quiet_minutes: 0 }\n");
  expect(counts(code)).toMatchObject({ loop: before.loop, wake: before.wake, health: before.health });
  const accepted = (await act(code, undefined, "config_accept")).accepted;
  expect(accepted).toContain("loop.per_minute: unset → 1");
  expect(counts(code)).toMatchObject({
    durable: false,
    loop: { perMinute: 1 },
    health: { quietMinutes: 0, unreadHours: 4 },
    summaries: { minLength: 100_000 },
  });
  expect(await act(code, undefined, "status")).not.toHaveProperty("warnings");
  expect(await act(code, undefined, "config_accept")).toEqual({ accepted: [] });
  await act(code, undefined, "sync");
  for (const [name, input] of [["init", {}] as const, ["doctor", { fix: true }] as const]) {
    fs.rmSync(path.join(code, ".relay"), { recursive: true });
    await act(code, undefined, name, input);
    expect(counts(code), name).toMatchObject({ loop: { perMinute: 1 } });
  }
  remote.write("relay.yml", remote.read("relay.yml").replace("per_minute: 1", "per_minute: 2"));
  remote.commit();
  expect((await act(code, undefined, "sync")).warnings).toEqual([expect.stringContaining("loop.per_minute does not count")]);
  expect(counts(code).loop.perMinute).toBe(1);
});

test("a person who joins sees the settings of that moment, and accepts them; a copy and a project that was moved have the defaults", async () => {
  const { hub, code } = await shop("web");
  settle(code, "loop: { per_minute: 7 }\n");
  await act(code, undefined, "sync");
  const { folder, warning } = await act(scratch(), undefined, "clone", { url: hub, folder: "code" });
  expect(warning).toContain("its settings count on this machine: loop.per_minute: unset → 7");
  expect(counts(folder).loop.perMinute).toBe(7);
  expect(await act(folder, undefined, "sync")).not.toHaveProperty("warnings");
  const copy = path.join(scratch(), "copy");
  fs.cpSync(folder, copy, { recursive: true, verbatimSymlinks: true });
  fs.renameSync(folder, `${folder}-moved`);
  for (const each of [copy, `${folder}-moved`]) {
    expect(counts(each).loop.perMinute).toBe(20);
    expect((await act(each, undefined, "status")).warnings).toEqual([expect.stringContaining("loop.per_minute does not count")]);
    await act(each, undefined, "config_accept");
    expect(counts(each).loop.perMinute).toBe(7);
  }
});

test("a home without settings of its own gives no notice, nor does one that writes the defaults out", async () => {
  const { hub, code } = await shop("web");
  fs.appendFileSync(fileOf(code), "loop: { per_minute: 20 }\nrecord: { auto: true }\n");
  expect(await act(code, undefined, "sync")).not.toHaveProperty("warnings");
  const made = await cloneOf(hub);
  expect(await act(made, undefined, "sync")).not.toHaveProperty("warnings");
  expect(fs.existsSync(path.join(machineStore(worldAt(made)).root, "settings.json"))).toBe(false);
});

test("accepted settings that cannot be read, or are none, leave the defaults", async () => {
  const { code } = await shop("web");
  settle(code, "loop: { per_minute: 7 }\n");
  const kept = path.join(machineStore(worldAt(code)).root, "settings.json");
  for (const torn of ["{", "[]", '{"loop":{"per_minute":"x"}}', '{"parts":{"evil":{}},"main":"evil"}']) {
    fs.writeFileSync(kept, torn);
    expect(counts(code).loop.perMinute, torn).toBe(20);
    expect([...counts(code).parts.keys()], torn).toEqual(["main", "web", "human"]);
  }
});

test("the settings of a file that count are those that were accepted, and who there is as the file says", () => {
  const base = "format: 2\nproject: { id: p, name: s }\nmain: main\nparts: { main: {} }\n";
  const [none, other] = [parseSettings(base), parseSettings(`${base}${OTHER}`)];
  expect(ownSettings(none.settings)).toEqual({});
  expect(countingConfig(other.settings, other.config, ownSettings(other.settings))).toEqual({ config: other.config, held: [] });
  const { config, held } = countingConfig(other.settings, other.config, {});
  expect(config).toEqual(none.config);
  expect(held.map(({ key }) => key.join("."))).toEqual([
    ...["durability", "sync.auto", "summaries.min_length", "loop.identical", "loop.per_minute"],
    ...["usage.stop_usd", "wake.again_s", "wake.budget.per_hour"],
  ]);
  const back = countingConfig(none.settings, none.config, ownSettings(other.settings));
  expect(back.config).toEqual(other.config);
  expect(back.held.every(({ is }) => is === undefined)).toBe(true);
});

test("long values do not count, and stop no sync", async () => {
  const { hub, code } = await shop("web");
  const remote = remoteAt(hub);
  const names = Array.from({ length: 50 }, (_, at) => `    - { model: 'm${at}${'"'.repeat(1_000)}', input: 1, output: 1 }\n`).join("");
  const good = remote.read("relay.yml");
  const before = counts(code);
  for (const long of [`usage:\n  stop_usd: 9\n  prices:\n${names}`, `sync: { remote: '${"x".repeat(50_000)}' }\n`]) {
    remote.write("relay.yml", `${good}${long}`);
    remote.commit();
    await act(code, undefined, "sync");
    expect(counts(code)).toEqual(before);
  }
});

const POOL = "agents.pool.yml";
const agent = (tools: string): string => `agents:\n  web: { name: web, emoji: x, systemPrompt: x${tools} }\n`;

test("a pool in the home that cannot be read leaves the project's own pool in force, and what a person accepted", async () => {
  const { hub, code } = await shop("web", "api");
  fs.writeFileSync(path.join(code, POOL), agent(", tools: [claim_task]"));
  await act(code, undefined, "trust", { all: true });
  const evil = remoteAt(hub);
  evil.write(POOL, "agents: [\n");
  evil.commit();
  await act(code, undefined, "sync");
  expect(await act(code, undefined, "list_pool_agents")).toMatchObject({
    agents: [{ id: "web" }],
    warnings: [expect.stringContaining(POOL)],
  });
  const web = await connect(code, { args: ["--part", "web", "--tools", "board"] });
  expect(await web.call("create_task", { title: "T" })).toMatchObject({ code: "tool_not_allowed", allowed: ["claim_task"] });
  await web.close();
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
});
