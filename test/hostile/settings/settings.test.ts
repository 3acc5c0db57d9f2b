/** Settings that arrive loosen nothing that this machine was told, until somebody here says so. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { parseConfig } from "../../../protocol/objects/config/config.ts";
import { barredSettings, withDefaults, withHeld } from "../../../protocol/objects/config/settings.ts";
import { act, cloneOf, shop } from "../../rig/clones.ts";
import { worldAt } from "../../rig/home.ts";
import { remoteAt } from "../rig/remote.ts";

const LOOSE = `durability: process
sync: { auto: true }
wake: { again_s: 0, lease_s: 90, budget: { per_hour: 100000 }, cooldown: { wakes: 100000 } }
`;
const LOOSENED = ["durability", "sync.auto", "wake.budget.per_hour", "wake.cooldown.wakes", "wake.again_s"];

const fileOf = (code: string): string => path.join(code, ".relay/relay.yml");
/** What counts, as a new process sees it. */
const counts = (code: string): ReturnType<typeof parseConfig> => worldAt(code).home().config();

test("a setting that a push loosens does not count, is named by sync and status, and counts once it is accepted here", async () => {
  const { hub, code } = await shop("web");
  const before = counts(code);
  const remote = remoteAt(hub);
  const good = remote.read("relay.yml");
  remote.write("relay.yml", `${good}\n${LOOSE}`);
  remote.commit();
  const [warning] = (await act(code, undefined, "sync")).warnings;
  for (const name of LOOSENED) expect(warning).toContain(name);
  expect(warning).toContain("relay config accept");
  expect(await act(code, "web", "inbox")).not.toHaveProperty("warnings");
  expect((await act(code, undefined, "status")).warnings).toEqual([warning]);
  // What is tighter counts at once.
  expect(counts(code)).toEqual({ ...before, wake: { ...before.wake, leaseMs: 90_000 } });

  // An operation that edits the file, and a sync that brings nothing of it, launder nothing.
  await act(code, undefined, "part_add", { part: "docs" });
  await act(code, undefined, "sync");
  expect(counts(code).wake).toMatchObject({ againMs: 10_000, perHour: 60, cooldownWakes: 12 });

  // A hand on this machine: that one counts at once.
  fs.writeFileSync(fileOf(code), fs.readFileSync(fileOf(code), "utf8").replace("again_s: 0", "again_s: 3"));
  expect(counts(code).wake).toMatchObject({ againMs: 3_000, perHour: 60 });
  await act(code, undefined, "sync");
  expect(counts(code).wake).toMatchObject({ againMs: 3_000, perHour: 60 });

  const made = await cloneOf(hub);
  expect(counts(made)).toMatchObject({ durable: true, sync: { auto: false }, wake: { perHour: 60, againMs: 10_000 } });
  // What was held goes with the folder of the home, and comes to count by nothing that brings the folder back.
  for (const [name, input] of [["init", {}] as const, ["doctor", { fix: true }] as const]) {
    fs.rmSync(path.join(made, ".relay"), { recursive: true });
    await act(made, undefined, name, input);
    expect(counts(made), name).toMatchObject({ durable: true, sync: { auto: false }, wake: { perHour: 60, againMs: 10_000 } });
    expect((await act(made, undefined, "status")).warnings[0], name).toContain("durability");
  }

  // What is held here can be read by nobody any more: nothing counts that a new clone would hold, and a person is told.
  const heldFile = path.join(code, ".relay/local/config/held.json");
  const held = fs.readFileSync(heldFile, "utf8");
  for (const torn of [held.slice(0, 40), `{"a":"${" ".repeat(2_000_000)}"}`, "[]", '{"durability":null}', null]) {
    fs.rmSync(heldFile, { recursive: true });
    if (torn === null) fs.mkdirSync(heldFile);
    else fs.writeFileSync(heldFile, torn);
    expect(counts(code), String(torn).slice(0, 40)).toMatchObject({
      durable: true,
      sync: { auto: false },
      wake: { perHour: 60, cooldownWakes: 12 },
    });
    expect((await act(code, undefined, "status")).warnings[0]).toContain("durability");
  }
  fs.rmdirSync(heldFile);
  fs.writeFileSync(heldFile, held);

  const { accepted } = await act(code, undefined, "config_accept");
  expect(accepted).toEqual(LOOSENED.filter((name) => name !== "wake.again_s"));
  expect(counts(code)).toMatchObject({
    durable: false,
    sync: { auto: true },
    wake: { perHour: 100_000, againMs: 3_000 },
  });
  expect(await act(code, undefined, "config_accept")).toEqual({ accepted: [] });

  // Tightened and loosened again: as loose as what was accepted is no news.
  remote.write("relay.yml", remote.read("relay.yml").replace("per_hour: 100000", "per_hour: 5"));
  remote.commit();
  await act(code, undefined, "sync");
  expect(counts(code).wake.perHour).toBe(5);
  remote.write("relay.yml", remote.read("relay.yml").replace("per_hour: 5", "per_hour: 100000"));
  remote.commit();
  expect(await act(code, undefined, "sync")).not.toHaveProperty("warnings");
  expect(counts(code).wake.perHour).toBe(100_000);
});

test("each setting is taken back to what counted, and nothing else is touched", () => {
  const base = "format: 2\nproject: { id: p, name: s }\nmain: main\nparts: { main: {} }\n";
  const [was, is] = [parseConfig(base), parseConfig(`${base}${LOOSE}claims: remote\nrecord: { auto: false, debounce_s: 60 }\n`)];
  const held = barredSettings(was, is, {});
  expect(Object.keys(held).sort()).toEqual([...LOOSENED, "record.auto", "record.debounce_s"].sort());
  expect(withHeld(is, held).config).toEqual({ ...was, claims: "remote", wake: { ...was.wake, leaseMs: 90_000 } });
  expect(barredSettings(is, was, {})).toMatchObject({ claims: { arrived: "local", counts: "remote" } });
  expect(barredSettings(was, is, Object.fromEntries(Object.entries(held).map(([name, { arrived }]) => [name, arrived])))).toEqual({});
  expect(withDefaults(is)).toMatchObject({ durable: true, sync: { auto: false } });
});

const MUTE = `loop: { identical: 1, per_minute: 1, exchange: 1 }
record: { debounce_s: 0 }
wake:
  lease_s: 3600
  refire_s: 604800
  again_s: 604800
  debounce_s: 3600
  quiet_s: 3600
  streaming_wait_s: 86400
  waiter_grace_s: 3600
  channel_grace_s: 3600
  retry_s: 86400
  budget: { per_hour: 0, home_minimum: 0, part_minimum: 0, urgent: 0 }
  cooldown: { wakes: 0, within_s: 86400 }
`;

test("a push that tightens until no part could talk or be woken does not count either", async () => {
  const { hub, code } = await shop("web", "api");
  const before = counts(code);
  const remote = remoteAt(hub);
  const good = remote.read("relay.yml");
  remote.write("relay.yml", `${good}\n${MUTE}`);
  remote.commit();
  const [warning] = (await act(code, undefined, "sync")).warnings;
  for (const name of ["loop.per_minute", "wake.budget.per_hour", "wake.quiet_s", "wake.again_s"]) expect(warning).toContain(name);
  expect(counts(code)).toEqual(before);
  expect(counts(await cloneOf(hub))).toEqual(before);

  // As tight as the floor counts at once, and so does what a hand on this machine says.
  remote.write("relay.yml", `${good}\nloop: { identical: 2, per_minute: 5 }\nwake: { again_s: 600 }\n`);
  remote.commit();
  expect(await act(code, undefined, "sync")).not.toHaveProperty("warnings");
  expect(counts(code)).toMatchObject({ loop: { identical: 2, perMinute: 5 }, wake: { againMs: 600_000 } });
  fs.writeFileSync(fileOf(code), fs.readFileSync(fileOf(code), "utf8").replace("per_minute: 5", "per_minute: 2"));
  expect(counts(code).loop.perMinute).toBe(2);

  // Below the floor already, a push makes it no tighter; accepted here, it counts.
  await act(code, undefined, "sync");
  remote.write("relay.yml", remote.read("relay.yml").replace("per_minute: 2", "per_minute: 1"));
  remote.commit();
  expect((await act(code, undefined, "sync")).warnings[0]).toContain("loop.per_minute");
  expect(counts(code).loop.perMinute).toBe(2);
  expect(await act(code, undefined, "config_accept")).toEqual({ accepted: ["loop.per_minute"] });
  expect(counts(code).loop.perMinute).toBe(1);
});

test("values too long to be held do not count, and stop no sync", async () => {
  const { hub, code } = await shop("web");
  const remote = remoteAt(hub);
  const names = Array.from({ length: 50 }, (_, at) => `    - { model: 'm${at}${'"'.repeat(1_000)}', input: 1, output: 1 }\n`).join("");
  const good = remote.read("relay.yml");
  const before = counts(code);
  for (const long of [`usage:\n  stop_usd: 9\n  prices:\n${names}`, `sync: { remote: '${"x".repeat(50_000)}' }\n`]) {
    remote.write("relay.yml", `${good}${LOOSE.replace(/sync:.*\n/, "")}${long}`);
    remote.commit();
    await act(code, undefined, "sync");
    expect(counts(code)).toEqual(before);
  }
  remote.write("relay.yml", good);
  remote.commit();
  const made = await cloneOf(hub);
  await act(made, "web", "send", { to: ["main"], subject: "from another clone", body: "b" });
  expect(await act(made, undefined, "sync")).toMatchObject({ sent: true, remote: "origin" });
});
