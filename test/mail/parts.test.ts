import fs from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { operations, perform, type Refusal, type World } from "../../protocol/index.ts";
import { type Answer, act } from "../rig/clones.ts";
import { homeWith, worldAt } from "../rig/home.ts";
import { relay } from "../rig/processes.ts";
import { git, held, repository, tree, until } from "../rig/scratch.ts";

let folder: string;
let clock: ReturnType<typeof held>;
const as = (part: string | undefined, env: Record<string, string> = {}): World =>
  worldAt(folder, { part, env, now: clock.now, random: clock.random });
const run = (part: string | undefined, name: keyof typeof operations, input: Record<string, unknown> = {}): Promise<Answer> =>
  perform(as(part), operations[name], input);
const refused = async (promise: Promise<unknown>): Promise<Refusal> =>
  promise.then(
    () => expect.unreachable("it was not refused"),
    (error) => error as Refusal,
  );
const home = (...names: string[]): string => path.join(folder, ".relay", ...names);
const parts = async (): Promise<string[]> => (await run(undefined, "roster")).parts.map((part: Answer) => part.part);

beforeEach(async () => {
  folder = await homeWith("web", "api");
  clock = held();
});

describe("identity", () => {
  test("a bound connection is its part, and refuses to be another", async () => {
    expect(await run("web", "whoami")).toMatchObject({ part: "web", bound: true, main: false });
    expect(await run("web", "inbox", { agent_id: "web" })).toMatchObject({ unread: 0 });
    expect(await refused(run("web", "inbox", { agent_id: "api" }))).toMatchObject({ code: "bound_elsewhere", exit: 4 });
    expect(await refused(run("wbe", "inbox"))).toMatchObject({ code: "unknown_part", data: { nearest: ["web"] } });
  });

  test("an unbound one reads, and must say who it is to write", async () => {
    expect(await run(undefined, "whoami")).toMatchObject({ part: null, bound: false });
    expect(await run(undefined, "threads")).toMatchObject({ threads: [] });
    expect(await refused(run(undefined, "send", { to: ["web"], subject: "s", body: "b" }))).toMatchObject({ code: "who_are_you", exit: 2 });
    expect(await refused(run(undefined, "inbox"))).toMatchObject({ code: "who_are_you" });
    expect(await run(undefined, "send", { agentId: "api", to: ["web"], subject: "s", body: "b" })).toMatchObject({
      recipients: [{ part: "web" }],
    });
  });

  test("an environment that says another part than the worktree makes neither of them the caller, and says so", async () => {
    const code = repository();
    await perform(worldAt(code), operations.init, { parts: ["web", "api"] });
    // The main worktree is main where the home was made; another worktree is nobody yet.
    expect(await perform(worldAt(code), operations.whoami, {})).toMatchObject({ part: "main", bound: false });
    git(code, "worktree", "add", "--quiet", "../other");
    expect(await perform(worldAt(path.join(code, "../other")), operations.whoami, {})).toMatchObject({ part: null });
    const stale = (options: object = {}): World => worldAt(code, { env: { RELAY_PART: "api" }, ...options });
    expect(await perform(stale(), operations.whoami, {})).toMatchObject({ part: "api" });
    await perform(worldAt(code), operations.part_here, { part: "web" });
    const told = await perform(stale(), operations.whoami, {});
    expect(told).toMatchObject({ part: null, bound: false, contradiction: { environment: "api", worktree: "web" } });
    expect(told["warning"]).toContain("relay part here");
    for (const agent_id of [undefined, "api", "web"])
      expect(await refused(perform(stale(), operations.inbox, { agent_id }))).toMatchObject({ code: "part_contradicted", exit: 4 });
    expect(await perform(stale({ part: "api" }), operations.inbox, {})).toMatchObject({ unread: 0 });
    // Renamed since: both names are one part's.
    await perform(worldAt(code), operations.part_rename, { from: "web", to: "store" });
    const renamed = worldAt(code, { env: { RELAY_PART: "store" } });
    expect(await perform(renamed, operations.whoami, {})).toMatchObject({ bound: true });
    // Another project's variables.
    const other = repository();
    await perform(worldAt(other), operations.init, { parts: ["web"] });
    const elsewhere = worldAt(code, { env: { RELAY_HOME: path.join(other, ".relay") } });
    expect(await refused(perform(elsewhere, operations.whoami, {}))).toMatchObject({
      code: "home_contradicted",
      data: { environment: path.join(other, ".relay"), found: path.join(code, ".relay") },
    });
    expect(await perform(worldAt(code, { home: other }), operations.whoami, {})).toMatchObject({ home: path.join(other, ".relay") });
    expect(await perform(worldAt(path.dirname(other), { env: { RELAY_HOME: other } }), operations.whoami, {})).toMatchObject({
      home: path.join(other, ".relay"),
    });
  });

  test("--part goes before RELAY_PART, and that before the worktree's part", async () => {
    const code = repository();
    await perform(worldAt(code), operations.init, { parts: ["web", "api"] });
    await perform(worldAt(code), operations.part_here, { part: "web" });
    const who = async (options: object): Promise<Answer> => perform(worldAt(code, options), operations.whoami, {});
    expect(await who({})).toMatchObject({ part: "web", bound: false });
    expect(await who({ env: { RELAY_PART: "web" } })).toMatchObject({ part: "web", bound: true });
    expect(await who({ part: "main", env: { RELAY_PART: "api" } })).toMatchObject({ part: "main", main: true });
    expect(await perform(worldAt(code), operations.inbox, { agent_id: "api" })).toMatchObject({ unread: 0 });
    await perform(worldAt(code), operations.part_here, { unset: true });
    expect(await who({})).toMatchObject({ part: "main" });
    expect(await refused(perform(worldAt(folder), operations.part_here, { part: "web" }))).toMatchObject({ code: "not_in_git" });
  });
});

describe("guests", () => {
  test("a valid id joins by its first write, as a member of the session; then it has an inbox", async () => {
    expect(await run(undefined, "inbox", { agent_id: "reviewer" })).toMatchObject({
      unread: 0,
      warning: expect.stringContaining("joins as a guest"),
    });
    expect(await parts()).not.toContain("reviewer");
    await perform(as(undefined, { RELAY_SESSION_ID: "2026-01-31-001-K3F9" }), operations.send, {
      agent_id: "reviewer",
      to: ["web"],
      subject: "s",
      body: "b",
    });
    expect((await run(undefined, "roster")).parts.at(-1)).toMatchObject({ part: "reviewer", session: "2026-01-31-001-K3F9", main: false });
    expect(await run("web", "send", { to: ["reviewer"], subject: "s", body: "b" })).toMatchObject({ recipients: [{ part: "reviewer" }] });
    expect(await run(undefined, "inbox", { agent_id: "reviewer" })).toMatchObject({ unread: 1 });
    expect(fs.readFileSync(home("inbox/reviewer/guest.md"), "utf8")).toContain('session: "2026-01-31-001-K3F9"');
  });

  test("an id that is nearly known joins with a warning; one that differs only in case is refused", async () => {
    const answer = await run(undefined, "send", { agent_id: "wep", to: ["api"], subject: "s", body: "b" });
    expect(answer.warning).toContain('did you mean "web"');
    expect(await refused(run(undefined, "send", { agent_id: "WEB", to: ["api"], subject: "s", body: "b" }))).toMatchObject({
      code: "part_exists",
    });
    expect(await refused(run(undefined, "send", { agent_id: "../x", to: ["api"], subject: "s", body: "b" }))).toMatchObject({
      code: "bad_part",
    });
  });

  test("guests without a session share the newest one, which is made where it is missing", async () => {
    await run(undefined, "send", { agent_id: "one", to: ["web"], subject: "s", body: "b" });
    await run(undefined, "send", { agent_id: "two", to: ["web"], subject: "s", body: "b" });
    const [first, second] = (await run(undefined, "roster")).parts.slice(-2);
    expect(first.session).toMatch(/^2026-01-31-001-[0-9A-Z]{4}$/);
    expect(second.session).toBe(first.session);
    expect(fs.readdirSync(home("sessions"))).toEqual([first.session]);
  });

  test("part add makes a guest a part, with its mail", async () => {
    await run(undefined, "send", { agent_id: "reviewer", to: ["web"], subject: "s", body: "b" });
    await run("web", "send", { to: ["reviewer"], subject: "s", body: "b" });
    await run(undefined, "part_add", { part: "reviewer" });
    expect((await run(undefined, "roster")).parts.at(-1)).toMatchObject({
      ...{ part: "reviewer", online: true, presence: "working", unread: 1, agent: null },
      wake: { state: "none", reason: "no_pager" },
    });
  });
});

test("a part is waiting, working on a task, idle since its last call, or never seen; who made a call just now is online", async () => {
  const where = async (): Promise<Answer> =>
    Object.fromEntries(
      (await run(undefined, "roster")).parts.map(({ part, online, presence, task }: Answer) => [part, [online, presence, task]]),
    );
  expect((await where())["api"]).toEqual([false, "never", undefined]);
  const { task_id } = await run("api", "create_task", { title: "t" });
  await run("api", "claim_task", { task_id });
  expect((await where())["api"]).toEqual([true, "working", task_id]);
  const stop = new AbortController();
  const waiting = perform(worldAt(folder, { part: "web", now: clock.now, signal: stop.signal }), operations.wait, { timeoutSeconds: 60 });
  await until("web waits", async () => (await where())["web"][1] === "waiting");
  expect((await where())["web"][0]).toBe(true);
  stop.abort();
  await waiting.catch(() => {});
  clock.advance(600_000);
  expect(await where()).toMatchObject({ web: [false, "idle", undefined], api: [false, "idle", task_id] });
});

describe("part", () => {
  test("add makes the inbox at once, and refuses twins, devices and paths", async () => {
    await run(undefined, "part_add", { part: "shop/cart", about: "the cart" });
    expect(fs.readdirSync(home("inbox/shop/cart")).sort()).toEqual(["new", "read"]);
    expect(await parts()).toEqual(["main", "web", "api", "human", "shop/cart"]);
    const before = tree(home());
    for (const [part, code] of [
      ["web", "part_exists"],
      ["Web", "part_exists"],
      ["HUMAN", "part_exists"],
      ["API/x", "part_exists"],
      ["Shop", "part_exists"],
      ["shop/Cart/deep", "part_exists"],
      ["con", "bad_part"],
      ["../x", "bad_part"],
      ["a/new", "bad_part"],
      ["", "invalid_argument"],
    ]) {
      expect(await refused(run(undefined, "part_add", { part })), part).toMatchObject({ code });
    }
    expect(tree(home())).toEqual(before);
  });

  test("rename takes the mail along; old messages still count as its own", async () => {
    const sent = await run("api", "send", { to: ["web"], subject: "s", body: "b" });
    expect(await run(undefined, "part_rename", { from: "web", to: "storefront" })).toEqual({ part: "storefront", formerly: "web" });
    expect(await run("storefront", "inbox")).toMatchObject({ unread: 1 });
    expect(await refused(run("api", "send", { to: ["web"], subject: "s", body: "b" }))).toMatchObject({
      code: "unknown_part",
      data: { nearest: ["storefront"] },
    });
    await run("storefront", "ack", { messageId: sent.messageId });
    expect((await run("api", "show", { threadId: sent.threadId })).messages[0].receipts).toEqual([{ part: "web", state: "acked" }]);
    expect(await run("api", "reply", { threadId: sent.threadId, body: "r" })).toMatchObject({ recipients: [{ part: "storefront" }] });
    expect(await refused(run(undefined, "part_rename", { from: "human", to: "people" }))).toMatchObject({ code: "part_protected" });
    expect(await refused(run(undefined, "part_rename", { from: "api", to: "storefront" }))).toMatchObject({ code: "part_exists" });
    expect(await refused(run(undefined, "part_rename", { from: "nobody", to: "somebody" }))).toMatchObject({ code: "unknown_part" });
  });

  test("remove is refused while mail is unread, unless forced; main and human stay", async () => {
    await run("api", "send", { to: ["web"], subject: "s", body: "b" });
    expect(await refused(run(undefined, "part_remove", { part: "web" }))).toMatchObject({ code: "part_has_mail", data: { unread: 1 } });
    expect(await run(undefined, "part_remove", { part: "web", force: true })).toEqual({ part: "web", unread: 1 });
    expect(await parts()).toEqual(["main", "api", "human"]);
    for (const part of ["main", "human"])
      expect(await refused(run(undefined, "part_remove", { part }))).toMatchObject({ code: "part_protected" });
    await run(undefined, "part_add", { part: "web" });
    expect(await run("web", "inbox")).toMatchObject({ unread: 1 });
  });

  test("set-main, and list", async () => {
    expect(await run(undefined, "part_set_main", { part: "web" })).toEqual({ main: "web", before: "main" });
    expect(await run("web", "whoami")).toMatchObject({ main: true });
    expect(await refused(run(undefined, "part_set_main", { part: "human" }))).toMatchObject({ code: "part_protected" });
    expect(await parts()).toEqual(["main", "web", "api", "human"]);
  });
});

test("a message to a group goes to who is in it at that moment, once, and never to its sender", async () => {
  const folder = await homeWith("web", "api", "db", "docs");
  const file = path.join(folder, ".relay/relay.yml");
  const plain = fs.readFileSync(file, "utf8");
  fs.writeFileSync(file, `${plain}groups:\n  backend: [api, db, gone]\n  all: [web, api, human]\n  nobody: [gone]\n`);
  const send = (to: string[]): Promise<{ threadId: string; recipients: { part: string }[] }> =>
    act(folder, "web", "send", { to, subject: "s", body: "b" });
  const namesOf = async (to: string[]): Promise<string[]> => (await send(to)).recipients.map(({ part }) => part);
  expect(await namesOf(["@backend"])).toEqual(["api", "db"]);
  expect(await namesOf(["db", "@all", "@backend"])).toEqual(["db", "api", "human"]);
  const { threadId } = await send(["@backend"]);
  await act(folder, "main", "part_rename", { from: "db", to: "store" });
  expect(await namesOf(["@backend"])).toEqual(["api", "store"]);
  expect(await act(folder, "web", "roster")).toMatchObject({ groups: { "@backend": ["api", "store"], "@nobody": [] } });
  // A message that was sent stays with whom it was sent to.
  expect((await act(folder, "web", "show", { threadId })).messages[0].to).toEqual(["api", "db"]);
  await expect(send(["@bakend"])).rejects.toMatchObject({ code: "unknown_part", data: { nearest: ["@backend"] } });
  await expect(send(["@nobody"])).rejects.toMatchObject({ code: "to_nobody" });
  expect((await relay(folder, ["send", "@backend", "s", "b", "--part", "docs"])).code).toBe(0);
  expect(await act(folder, "store", "inbox")).toMatchObject({ unread: 5 });
  fs.writeFileSync(file, `${plain}groups: { backend: api }\n`);
  expect((await relay(folder, ["doctor", "--json"])).json.ok).toBe(false);
});
