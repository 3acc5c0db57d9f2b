/** Records that are written once and that nobody can read: a person corrects them by hand, and every clone follows; what can be read stays. */
import fs from "node:fs";
import path from "node:path";
import { beforeEach, expect, test } from "vitest";
import { type Answer, act, cloneOf, shared, shop } from "../../rig/clones.ts";
import { relay } from "../../rig/rig.ts";

let code: string;
let other: string;
/** The text of each record, before it was broken. */
let good: Map<string, string>;

const write = (clone: string, at: string, text: string): void => fs.writeFileSync(path.join(clone, ".relay", at), text);
const read = (clone: string, at: string): string => fs.readFileSync(path.join(clone, ".relay", at), "utf8");
const found = async (clone: string): Promise<string[]> =>
  (await act(clone, undefined, "check")).findings.map(({ code, path }: Answer) => `${code} ${path}`).sort();

/** Two clones of a home in which an artifact, a review and its result came to be broken, before anybody recorded them. */
beforeEach(async () => {
  const made = await shop("web", "api");
  code = made.code;
  const { session_id } = await act(code, "web", "start_session", { session_id: "s-1" });
  const posted = { session_id, name: "Design", type: "design", content: "# One" };
  const { artifact_id } = await act(code, "web", "post_artifact", posted);
  const { review_id } = await act(code, "web", "request_review", { artifact_id, reviewer: "api" });
  await act(code, "api", "submit_review", { review_id, status: "approved", comments: "Good." });
  const records = Object.keys(shared(code)).filter((at) => /\.artifact\.md$|\/reviews\//.test(at));
  expect(records).toHaveLength(3);
  good = new Map(records.map((at) => [at, read(code, at)]));
  for (const [at, text] of good) write(code, at, text.replace(/^(created_at|at): .*\n/m, ""));
  await act(code, undefined, "sync");
  other = await cloneOf(made.hub);
});

test("check names the way out; corrected by hand they are recorded, and another clone has them", async () => {
  const malformed = [...good.keys()].map((at) => `malformed ${at}`).sort();
  for (const clone of [code, other]) expect(await found(clone)).toEqual(malformed);
  const { code: exit, stdout } = await relay(code, ["check"]);
  expect(exit).toBe(1);
  expect(stdout).toContain("To correct a file that is not valid: change it by hand, then relay record");
  for (const [at, text] of good) write(code, at, text);
  await act(code, undefined, "sync");
  await act(other, "api", "send", { to: ["web"], subject: "Meanwhile", body: "x" });
  await act(other, undefined, "sync");
  await act(code, undefined, "sync");
  for (const clone of [code, other]) {
    expect(await act(clone, undefined, "check")).toMatchObject({ ok: true, warnings: [] });
    expect((await act(clone, undefined, "doctor")).ok).toBe(true);
    for (const [at, text] of good) expect(read(clone, at)).toBe(text);
  }
  expect(shared(other)).toEqual(shared(code));
});

test("what can be read stays as it is, whether it was corrected or not", async () => {
  for (const [at, text] of good) write(code, at, text);
  await act(code, undefined, "sync");
  await act(other, undefined, "sync");
  for (const [at, text] of good) write(other, at, text.replace("2", "3"));
  await act(other, undefined, "sync");
  await act(code, undefined, "sync");
  for (const clone of [code, other]) for (const [at, text] of good) expect(read(clone, at)).toBe(text);
});

test("bytes that are no text are corrected as well, and take the place of nothing", async () => {
  const [at, text] = [...good][0] as [string, string];
  const noText = Uint8Array.of(0xff, 0xfe, 0x0a);
  fs.writeFileSync(path.join(code, ".relay", at), noText);
  expect((await act(code, undefined, "record")).restored).toEqual([at]);
  write(code, at, text);
  await act(code, undefined, "sync");
  expect(read(code, at)).toBe(text);
  fs.writeFileSync(path.join(code, ".relay", at), noText);
  expect((await act(code, undefined, "record")).restored).toEqual([at]);
  expect(read(code, at)).toBe(text);
});

test("a clone that meets a broken record and its correction at once has the correction", async () => {
  await act(code, "web", "send", { to: ["api"], subject: "First", body: "x" });
  for (const [at, text] of good) write(code, at, text);
  await act(code, undefined, "sync");
  const late = await cloneOf(path.join(path.dirname(code), "hub.git"));
  expect(await found(late)).toEqual([]);
});

test("mail and claims are not corrected by hand: they stay as they were recorded", async () => {
  const { task_id } = await act(code, "web", "create_task", { session_id: "s-1", title: "Parse" });
  await act(code, "web", "claim_task", { task_id });
  const { messageId } = await act(code, "web", "send", { to: ["api"], subject: "First", body: "x" });
  await act(code, "api", "ack", { messageIds: [messageId] });
  const kept = Object.keys(shared(code)).filter((at) => at.includes("/claims/") || (at.includes("/read/") && at.includes(messageId)));
  expect(kept).toHaveLength(2);
  const texts = new Map(kept.map((at) => [at, read(code, at)]));
  const broken = new Map([...texts].map(([at, text]) => [at, text.replace(/^at: .*\n/m, "")]));
  const replace = (all: ReadonlyMap<string, string>): void => {
    for (const [at, text] of all) {
      // The name in an inbox is a second one of the message, which stays as it is.
      fs.rmSync(path.join(code, ".relay", at));
      write(code, at, text);
    }
  };
  replace(broken);
  await act(code, undefined, "record");
  for (const [at, text] of good) write(code, at, text);
  const { stdout } = await relay(code, ["check"]);
  expect(stdout).toContain("To repair mail or a claim that is not valid: relay doctor --fix");
  expect(stdout).not.toContain("change it by hand");
  replace(texts);
  expect((await act(code, undefined, "record")).restored.sort()).toEqual(kept.sort());
  for (const [at, text] of broken) expect(read(code, at)).toBe(text);
});
