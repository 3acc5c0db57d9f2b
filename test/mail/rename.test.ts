/** A renamed part's mail goes with it: all of it, only its own, whoever writes meanwhile and whoever dies. */
import fs from "node:fs";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import type { operations } from "../../protocol/index.ts";
import { survey } from "../history/survey.ts";
import { type Answer, act } from "../rig/clones.ts";
import { homeWith } from "../rig/home.ts";

let folder: string;
const home = (...names: string[]): string => path.join(folder, ".relay", ...names);
const run = (part: string | undefined, name: keyof typeof operations, input = {}): Promise<Answer> => act(folder, part, name, input);
const send = async (to: string, body = "b"): Promise<string> => (await run("api", "send", { to: [to], subject: "s", body })).messageId;
const mailOf = (part: string) => {
  const disk = survey(home());
  return { unread: disk.unread.get(part) ?? [], acked: disk.acked.get(part) ?? [] };
};

beforeEach(async () => {
  folder = await homeWith("shop", "shop/api", "api");
});

test("a part may take a name inside which others lie", async () => {
  await run(undefined, "part_add", { part: "store/web" });
  const [own, inner] = [await send("shop"), await send("store/web")];
  await run(undefined, "part_rename", { from: "shop", to: "store" });
  expect([mailOf("store").unread, mailOf("store/web").unread]).toEqual([[own], [inner]]);
});

/** What `part rename` leaves that was killed right after it changed `relay.yml`. */
function renamedOnlyInConfig(): void {
  const config = home("relay.yml");
  fs.writeFileSync(config, fs.readFileSync(config, "utf8").replace(/^ {2}shop: .*$/m, "  store: { formerly: [shop] }"));
}

test.each(["doctor", "part_rename", "inbox"] as const)(
  "a rename that died half-way is finished by %s, and what was acked stays acked",
  async (name) => {
    const [acked, unread] = [await send("shop"), await send("shop")];
    await run("shop", "ack", { messageId: acked });
    renamedOnlyInConfig();
    const before = (await run(undefined, "doctor")) as Answer;
    expect(before.findings.filter(({ severity }: Answer) => severity !== "note").every(({ fixable }: Answer) => fixable)).toBe(true);
    if (name === "doctor") expect(await run(undefined, "doctor", { fix: true })).toMatchObject({ ok: true });
    if (name === "part_rename") expect(await run(undefined, name, { from: "shop", to: "store" })).toMatchObject({ part: "store" });
    if (name === "inbox") expect(await run("store", name)).toMatchObject({ unread: 1 });
    expect(mailOf("store")).toEqual({ unread: [unread], acked: [acked] });
    expect(mailOf("shop")).toEqual({ unread: [], acked: [] });
    expect(await run(undefined, "doctor")).toMatchObject({ ok: true });
  },
);

test("a message that came under the new name before the mail was moved is kept", async () => {
  const first = await send("shop");
  renamedOnlyInConfig();
  fs.mkdirSync(home("inbox/store/new"), { recursive: true });
  fs.mkdirSync(home("inbox/store/read"), { recursive: true });
  const id = await send("main");
  fs.renameSync(home("inbox/main/new", `${id}.md`), home("inbox/store/new", `${id}.md`));
  await run(undefined, "part_rename", { from: "shop", to: "store" });
  expect(mailOf("store").unread.sort()).toEqual([first, id].sort());
});

test("a former name stays the part's: no other part or guest takes it", async () => {
  await run(undefined, "part_rename", { from: "shop", to: "store" });
  await expect(run(undefined, "part_add", { part: "shop" })).rejects.toMatchObject({ code: "part_protected" });
  expect((await run(undefined, "send", { agent_id: "shop", to: ["api"], subject: "s", body: "b" })).warning).toContain("store");
  await run(undefined, "part_rename", { from: "store", to: "shop" });
  expect(await run("shop", "whoami")).toMatchObject({ part: "shop" });
});

test("former names that are no ids are not followed", async () => {
  const config = home("relay.yml");
  fs.writeFileSync(config, fs.readFileSync(config, "utf8").replace(/^ {2}shop: .*$/m, '  shop: { formerly: ["../..", "/etc", "a b"] }'));
  expect(await run("shop", "inbox")).toMatchObject({ unread: 0 });
  expect(await run(undefined, "doctor")).toMatchObject({ ok: true });
});
