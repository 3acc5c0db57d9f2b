/** Which remote a home is shared through is chosen on this machine, once, and nothing that arrives takes it elsewhere. */
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { createRecorder } from "../../pager/recorder.ts";
import { isSamePlace } from "../../protocol/git/remote/remote-url.ts";
import { type Answer, act, cloneOf, emptyHub, shop } from "../rig/clones.ts";
import { settle, worldAt } from "../rig/home.ts";
import { relay } from "../rig/processes.ts";
import { git, repository, scratch, until } from "../rig/scratch.ts";

const sync = (code: string, input: Record<string, unknown> = {}): Promise<Answer> => act(code, undefined, "sync", input);
const send = (code: string, subject = "s"): Promise<Answer> => act(code, "web", "send", { to: ["main"], subject, body: "b" });
const configure = (code: string, lines: string): string => settle(code, `${lines}\n`);
const refs = (hub: string): string => git(hub, "for-each-ref", "--format=%(refname)").trim();

/** What a pager's recorder says of its first sync. */
async function automatic(code: string): Promise<Answer> {
  const told: Answer[] = [];
  const world = worldAt(code);
  const recorder = createRecorder(world, (type, more) => void told.push({ type, ...more }));
  await until("a sync by itself", () => {
    recorder.check(world);
    return told.some(({ type, what }) => type === "synced" || what === "sync");
  });
  await recorder.close();
  return told.find(({ type, what }) => type === "synced" || what === "sync");
}

describe("a relay.yml that arrives", () => {
  test("names another remote of the code: nothing is published there until a person says so", async () => {
    const { hub, code } = await shop("web");
    const two = await cloneOf(hub);
    const upstream = emptyHub();
    git(two, "remote", "add", "upstream", upstream);
    configure(code, "sync: { remote: upstream, auto: true, every_s: 1 }");
    await sync(code, { remote: "origin" });
    await sync(two);
    await send(two);
    expect(await sync(two)).toMatchObject({ remote: "origin", sent: true, warnings: [expect.stringContaining("sync.remote")] });
    expect(refs(upstream)).toBe("");
    // Who lets it count has still not said that mail is to go there.
    await act(two, undefined, "config_accept");
    await send(two);
    const refused = await relay(two, ["sync", "--json"]);
    expect(refused).toMatchObject({ code: 11, json: { code: "remote_changed", remote: "origin", other: "upstream", by: "relay.yml" } });
    expect(refused.json.error).toContain(upstream);
    expect(refused.json.error).toContain(hub);
    expect(await automatic(two)).toMatchObject({ type: "fault", code: "remote_changed" });
    expect(refs(upstream)).toBe("");
    // Who says that it stays is not asked again for the same words.
    expect(await sync(two, { remote: "origin" })).toMatchObject({ remote: "origin", sent: true });
    await send(two);
    expect(await automatic(two)).toMatchObject({ type: "synced", remote: "origin" });
    expect(refs(upstream)).toBe("");
    expect(await sync(two, { remote: "upstream" })).toMatchObject({ remote: "upstream", sent: true });
    expect(await sync(two)).toMatchObject({ remote: "upstream", sent: false });
    expect(refs(upstream)).toBe("refs/heads/relay");
  });

  test("holds a URL: it is never used, not even the first time", async () => {
    const elsewhere = emptyHub();
    const { hub, code } = await shop("web");
    const two = await cloneOf(hub);
    configure(code, `sync: { remote: "file://${elsewhere}" }`);
    await sync(code, { remote: "origin" });
    await sync(two);
    expect(await sync(two)).toMatchObject({ remote: "origin" });
    await act(two, undefined, "config_accept");
    await expect(sync(two)).rejects.toMatchObject({ code: "remote_changed" });
    const fresh = repository();
    emptyHub(fresh);
    await act(fresh, undefined, "init", { parts: ["web"] });
    configure(fresh, `sync: { remote: "${elsewhere}" }`);
    await expect(sync(fresh)).rejects.toMatchObject({ code: "no_remote", exit: 10 });
    expect(refs(elsewhere)).toBe("");
  });
});

test("another address under the name is refused with both shown, until a person says so", async () => {
  const { hub, code } = await shop("web");
  const other = emptyHub();
  git(code, "remote", "set-url", "origin", other);
  await send(code);
  const refused = await relay(code, ["sync", "--json"]);
  expect(refused).toMatchObject({ code: 11, json: { code: "remote_changed", by: "git", urls: [hub], other_urls: [other] } });
  expect(refs(other)).toBe("");
  git(code, "remote", "set-url", "origin", hub);
  git(code, "remote", "set-url", "--push", "origin", other);
  await expect(sync(code)).rejects.toMatchObject({ code: "remote_changed" });
  git(code, "config", `url.${other}.insteadOf`, hub);
  await expect(sync(code)).rejects.toMatchObject({ code: "remote_changed" });
  expect(refs(other)).toBe("");
  // A person says so, and that the branch is not there yet.
  expect(await sync(code, { remote: "origin", accept: "both" })).toMatchObject({ sent: true });
  expect(await sync(code)).toMatchObject({ sent: false });
  expect(refs(other)).toBe("refs/heads/relay");
});

test("an address without a value is refused, and not read as a folder called true", async () => {
  const { code } = await shop("web");
  fs.appendFileSync(path.join(code, ".git/config"), '[remote "origin"]\n\turl\n');
  await expect(sync(code)).rejects.toMatchObject({ code: "git_failed", message: expect.stringContaining("remote.origin.url") });
});

test("a home that is on another branch now goes nowhere until a person says so", async () => {
  const { hub, code } = await shop("web");
  await sync(code);
  const before = refs(hub);
  const head = path.join(code, ".git/relay/HEAD");
  fs.copyFileSync(path.join(code, ".git/relay/refs/heads/relay"), path.join(code, ".git/relay/refs/heads/pages"));
  fs.writeFileSync(head, "ref: refs/heads/pages\n");
  await send(code);
  await expect(sync(code)).rejects.toMatchObject({ code: "remote_changed", data: { branch: "relay", other: "pages" } });
  expect(refs(hub)).toBe(before);
  expect(await act(code, undefined, "sync", { remote: "origin" })).toMatchObject({ sent: true });
});

test("another name for the same address is no other remote", async () => {
  const { hub, code } = await shop("web");
  git(code, "remote", "rename", "origin", "team");
  git(code, "remote", "add", "origin", "/nowhere.git");
  await expect(sync(code)).rejects.toMatchObject({ code: "remote_changed", data: { urls: [hub], other_urls: ["/nowhere.git"] } });
  configure(code, "sync: { remote: team }");
  expect(await sync(code)).toMatchObject({ remote: "team", sent: true });
  expect(await sync(code)).toMatchObject({ remote: "team", sent: false });
});

describe("the first time", () => {
  const first = async (): Promise<{ code: string; hub: string }> => {
    const code = repository();
    const hub = emptyHub(code);
    await act(code, undefined, "init", { parts: ["web"] });
    return { code, hub };
  };

  test("nothing is published by itself", async () => {
    const { code, hub } = await first();
    configure(code, "sync: { auto: true, every_s: 1 }");
    expect(await automatic(code)).toMatchObject({ type: "fault", code: "remote_not_chosen", problem: expect.stringContaining(hub) });
    expect(refs(hub)).toBe("");
    await sync(code);
    await send(code);
    expect(await automatic(code)).toMatchObject({ type: "synced", remote: "origin", sent: true });
  });

  test("a copy of the project chooses for itself", async () => {
    const { hub, code } = await shop("web");
    const copy = path.join(scratch(), "copy");
    fs.cpSync(code, copy, { recursive: true, verbatimSymlinks: true });
    const other = emptyHub();
    git(copy, "remote", "set-url", "origin", other);
    configure(copy, "sync: { auto: true, every_s: 1 }");
    expect(await automatic(copy)).toMatchObject({ code: "remote_not_chosen" });
    expect(refs(other)).toBe("");
    expect(await sync(code)).toMatchObject({ remote: "origin" });
    expect(refs(hub)).toContain("refs/heads/relay");
  });

  test("a remote that pushes elsewhere than it fetches from is not chosen by itself, and another way to the same place is", async () => {
    const { code, hub } = await first();
    const other = emptyHub();
    git(code, "remote", "set-url", "--push", "origin", other);
    await expect(sync(code)).rejects.toMatchObject({
      code: "remote_not_chosen",
      data: { urls: [hub], odd: expect.stringContaining(other) },
    });
    expect([refs(hub), refs(other)]).toEqual(["", ""]);
    git(code, "config", "--unset", "remote.origin.pushurl");
    git(code, "remote", "set-url", "origin", path.relative(code, hub));
    await expect(sync(code)).rejects.toMatchObject({ code: "remote_not_chosen", data: { odd: expect.stringContaining("../") } });
    git(code, "remote", "set-url", "origin", hub);
    git(code, "remote", "set-url", "--push", "origin", `file://${hub}`);
    expect(await sync(code)).toMatchObject({ remote: "origin", sent: true });
    const same = ["https://a.example/o/r.git", "https://a.example:8443/o/r/", "git@a.example:o/r", "ssh://git@a.example:22/o/r.git"];
    for (const each of same) expect(isSamePlace(same[0] as string, each), each).toBe(true);
    for (const each of ["https://b.example/o/r.git", "git@a.example:o/q", "/o/r", "a.example/o/r"])
      expect(isSamePlace(same[0] as string, each), each).toBe(false);
  });

  test("an address that others on the way could change is not chosen by itself", async () => {
    const { code } = await first();
    git(code, "remote", "set-url", "origin", "http://example.invalid/x.git");
    await expect(sync(code)).rejects.toMatchObject({ code: "insecure_remote", exit: 4 });
    git(code, "remote", "set-url", "origin", "http://127.0.0.1:9/x.git");
    await expect(sync(code)).rejects.toMatchObject({ code: "remote_unreachable" });
    // What did not answer was not chosen.
    const hub = emptyHub();
    git(code, "remote", "set-url", "origin", hub);
    expect(await sync(code)).toMatchObject({ sent: true });
  });

  test("without a state folder a remote is used only when it is named, each time", async () => {
    const { code, hub } = await first();
    const env = { XDG_STATE_HOME: path.join(code, "state") };
    const locked = { ...env, HOME: "/nowhere" };
    const named = await relay(code, ["sync", "--remote", "origin", "--json"], { env: locked });
    expect(named.json).toMatchObject({ success: true });
    expect(fs.existsSync(path.join(code, "state"))).toBe(false);
    expect(refs(hub)).toBe("refs/heads/relay");
  });
});

const NEVER = [
  "ext::sh -c touch% ran",
  "fd::17/x",
  "-uploadpack=x",
  "--upload-pack=touch ran",
  "ftp://example.invalid/x",
  "ssh://-oProxyCommand=touch/x",
  "-oProxyCommand=touch:x",
  "https://exa\u0000mple.invalid/x",
  "https://example.invalid/x\n",
  "https://evil\\@example.invalid/x",
  `https://example.invalid/${"x".repeat(2_100)}`,
];

test("addresses that git is never given", async () => {
  const code = repository();
  await act(code, undefined, "init", { parts: ["web"] });
  for (const url of NEVER) {
    const refused = expect.stringMatching(/bad_remote|no_remote|invalid_argument/);
    await expect(sync(code, { remote: url }), url).rejects.toMatchObject({ code: refused });
    if (/[\0\n]/.test(url)) continue;
    git(code, "config", "remote.origin.url", url);
    await expect(sync(code), url).rejects.toMatchObject({ code: "bad_remote", exit: 4 });
    git(code, "config", "--remove-section", "remote.origin");
  }
});

test("a password in a URL is printed nowhere", async () => {
  const code = repository();
  await act(code, undefined, "init", { parts: ["web"] });
  const url = "http://anna:s3cret@127.0.0.1:9/x.git";
  for (const args of [["sync", "--remote", url], ["sync"], ["doctor"], ["clone", url, "two"]]) {
    git(code, "config", "remote.origin.url", url);
    for (const json of [[], ["--json"]]) {
      const { stdout, stderr } = await relay(code, [...args, ...json]);
      expect(stdout + stderr, args.join(" ")).not.toMatch(/s3cret|anna/);
    }
  }
});

test("a repository that git refuses is not one without a remote", async () => {
  const { code } = await shop("web");
  const refused = await relay(code, ["sync"], { env: { GIT_TEST_ASSUME_DIFFERENT_OWNER: "1" } });
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("dubious ownership") });
});
