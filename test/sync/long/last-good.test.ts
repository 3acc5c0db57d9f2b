import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { act, commits, shared, shop } from "../../rig/clones.ts";
import { homeWith } from "../../rig/home.ts";
import { connect, relay } from "../../rig/processes.ts";
import { git } from "../../rig/scratch.ts";

const fileOf = (code: string): string => path.join(code, ".relay/relay.yml");

/** What a hand, an editor or a merge may do to the file. */
const FAULTS: [what: string, spoil: (file: string) => void, said: RegExp][] = [
  ["no YAML", (file) => fs.appendFileSync(file, "\nparts: [\n"), /relay\.yml:\d+: /],
  ["bytes that are no UTF-8", (file) => fs.writeFileSync(file, Buffer.from([0x66, 0xff, 0xfe])), /UTF-8/],
  [
    "a main that is no part",
    (file) => fs.writeFileSync(file, fs.readFileSync(file, "utf8").replace(/^main:.*$/m, "main: zzz")),
    /:\d+: main/,
  ],
  [
    "a format of a version to come",
    (file) => fs.writeFileSync(file, fs.readFileSync(file, "utf8").replace(/^format:.*$/m, "format: 99")),
    /format 99/,
  ],
  ["in_tree", (file) => fs.appendFileSync(file, "\nin_tree: true\n"), /in_tree/],
  [
    "a link",
    (file) => {
      fs.rmSync(file);
      fs.symlinkSync("/etc/hostname", file);
    },
    /a link/,
  ],
  [
    "a folder",
    (file) => {
      fs.rmSync(file);
      fs.mkdirSync(file);
    },
    /a folder/,
  ],
  ["400 KB of brackets", (file) => fs.writeFileSync(file, "[".repeat(400_000)), /at most 65536 bytes/],
];

test("the last good relay.yml counts beside whatever lies there: mail and records go on, and a person puts it back", async () => {
  const { code } = await shop("web");
  const good = fs.readFileSync(fileOf(code), "utf8");
  for (const [what, spoil, said] of FAULTS) {
    spoil(fileOf(code));
    const warnings = [expect.stringMatching(said)];
    expect(await act(code, "main", "send", { to: ["web"], subject: what, body: "There" })).toMatchObject({ warnings });
    expect(await act(code, "web", "inbox")).toMatchObject({
      messages: expect.arrayContaining([expect.objectContaining({ subject: what })]),
    });
    const refused = act(code, "web", "send", { to: ["nobody"], subject: "x", body: "y" });
    await expect(refused).rejects.toMatchObject({ code: "unknown_part", data: { warnings } });

    const before = commits(code);
    expect((await act(code, undefined, "record")).problems).toContainEqual(expect.objectContaining({ path: "relay.yml" }));
    expect(commits(code)).toBe(before + 1);
    expect(git(path.join(code, ".relay"), "show", "HEAD:relay.yml")).toBe(good);
    if (what === "no YAML") expect(await act(code, undefined, "sync")).toMatchObject({ sent: true, warnings });

    // A hand wrote it, so no repair takes it away.
    const { ok, findings } = await act(code, undefined, "doctor", { fix: true });
    const told = findings.find((finding: { path?: string }) => finding.path === "relay.yml");
    expect([ok, told.remedy]).toEqual([false, expect.stringContaining("relay config restore")]);
    expect(await act(code, undefined, "config_show")).toMatchObject({ counts: "last_good", text: good });
    const { restored, kept } = await act(code, undefined, "config_restore");
    const isThere = kept === null ? what === "a link" : fs.existsSync(path.join(code, ".relay", kept));
    expect([restored, isThere], what).toEqual([true, true]);
    expect(fs.readFileSync(fileOf(code), "utf8")).toBe(good);
    expect(await act(code, undefined, "config_restore")).toEqual({ restored: false, kept: null });
  }
  expect(await act(code, undefined, "doctor")).toMatchObject({ ok: true });
});

test("the command says so on stderr, with file and line, and as JSON", async () => {
  const folder = await homeWith("web");
  fs.appendFileSync(fileOf(folder), "\nparts: [\n");
  const text = await relay(folder, ["inbox", "--part", "web"]);
  expect([text.code, text.stderr]).toEqual([0, expect.stringMatching(/^warning: relay\.yml:\d+: .*relay config restore/)]);
  const failed = await relay(folder, ["send", "nobody", "x", "y", "--part", "web"]);
  expect([failed.code, failed.stderr]).toEqual([3, expect.stringMatching(/^warning: relay\.yml:\d+: [\s\S]*no such part/)]);
  expect((await relay(folder, ["inbox", "--part", "web", "--json"])).json.warnings).toHaveLength(1);
});

test("a relay.yml that was deleted comes back by a record, by doctor --fix, and by hand; reads go on without it", async () => {
  const { code } = await shop("web");
  const all = shared(code);
  for (const args of [["record"], ["doctor", "--fix"], ["config", "restore"], ["init"]]) {
    fs.rmSync(fileOf(code));
    if (args[0] !== "init") expect((await relay(code, ["inbox", "--part", "web"])).stderr).toContain("the file is missing");
    const back = await relay(code, args);
    expect(back.code, back.stdout + back.stderr).toBe(0);
    expect(shared(code)).toEqual(all);
  }
});

test("outside of git the last good one counts too, and a server says so until the file can be read", async () => {
  const folder = await homeWith("web");
  const file = fileOf(folder);
  const good = fs.readFileSync(file, "utf8");
  const agent = await connect(folder, { args: ["--part", "web"] });
  expect((await agent.call("inbox")).warnings).toBe(undefined);
  fs.writeFileSync(file, "format: [");
  expect(await agent.call("inbox")).toMatchObject({ success: true, warnings: [expect.stringContaining("relay.yml:1")] });
  fs.writeFileSync(file, good);
  expect((await agent.call("inbox")).warnings).toBe(undefined);
  await agent.close();
});

const POOL = `agents:
  api: { name: Api, emoji: x, tools: [claim_task], systemPrompt: "You are {agent_id}" }
`;

test("of files of agents that cannot be read nothing counts, a record keeps the earlier ones, and each call that uses them says so", async () => {
  const { code } = await shop("api");
  const at = (name: string): string => path.join(code, ".relay", name);
  const team = "session-agents-s-1.yml";
  fs.writeFileSync(at("agents.pool.yml"), POOL);
  fs.writeFileSync(at(team), "agents:\n  api: {}\n");
  await act(code, undefined, "record");
  const files = ["agents.pool.yml", team];
  const good = files.map((name) => fs.readFileSync(at(name), "utf8"));
  for (const name of files) fs.writeFileSync(at(name), "agents: [\n");
  await expect(act(code, undefined, "list_agents", { session_id: "s-1" })).rejects.toMatchObject({ code: "malformed_file" });
  const { task_id } = await act(code, "api", "create_task", { title: "t" });
  expect(await act(code, "api", "claim_task", { task_id })).toMatchObject({
    claimed: true,
    warnings: [expect.stringMatching(/^agents\.pool\.yml:\d/)],
  });
  // Nobody else is bothered.
  expect(await act(code, "api", "inbox")).not.toHaveProperty("warnings");
  const { problems } = await act(code, undefined, "record");
  expect(problems.map(({ path: name }: { path: string }) => name).sort()).toEqual(files);
  for (const [n, name] of files.entries()) expect(git(path.join(code, ".relay"), "show", `HEAD:${name}`)).toBe(good[n]);
  const { ok, findings } = await act(code, undefined, "doctor");
  expect([ok, files.filter((name) => findings.some((each: { path?: string }) => each.path === name))]).toEqual([false, files]);
});
