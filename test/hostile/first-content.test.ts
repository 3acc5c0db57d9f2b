/** Of a file that is written once the first content stands that can be read: for every clone the same, whenever it joined or synced. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { formatClaim } from "../../protocol/objects/task/claim.ts";
import { act, cloneOf, commits, shop } from "../rig/clones.ts";
import { remoteAt } from "./rig/remote.ts";

const AT = "2026-03-01T09:30:00.000Z";
const BROKEN = "x\n";

const resultBy = (by: string, comments = "Hm."): string => `---\nstatus: "approved"\nby: "${by}"\nat: "${AT}"\n---\n${comments}\n`;
const TOO_LARGE = resultBy("large", "y".repeat(300_000));

/** A shop with a review that nobody answered and a task that nobody holds. */
async function opened() {
  const { hub, code } = await shop("web", "api");
  await act(code, "web", "start_session", { session_id: "s-1" });
  const { artifact_id } = await act(code, "web", "post_artifact", { session_id: "s-1", name: "Design", type: "design", content: "# One" });
  const { review_id: review } = await act(code, "web", "request_review", { session_id: "s-1", artifact_id, reviewer: "api" });
  const { task_id: task } = await act(code, "web", "create_task", { session_id: "s-1", title: "Build", description: "It." });
  await act(code, undefined, "sync");
  return { hub, code, task, result: `sessions/s-1/reviews/${review}.result.md`, remote: remoteAt(hub) };
}

const textAt = (code: string, at: string): string => fs.readFileSync(path.join(code, ".relay", at), "utf8");

/** How many commits each clone makes once everything is settled. */
async function commitsAtRest(clones: readonly string[]): Promise<number[]> {
  for (let round = 0; round < 3; round += 1) for (const each of clones) await act(each, undefined, "sync");
  const counts: number[] = [];
  for (const each of [...clones, ...clones]) {
    const before = commits(each);
    await act(each, undefined, "sync");
    counts.push(commits(each) - before);
  }
  return counts;
}

test("a clone that joined between a broken text and another one comes to the same as all others", async () => {
  const { hub, code, result, remote } = await opened();
  const two = await cloneOf(hub);
  const base = remote.tip();
  remote.write(result, resultBy("first"));
  remote.commit("side", { parents: [base] });
  remote.write(result, TOO_LARGE);
  const large = remote.commit();
  const late = await cloneOf(hub);
  remote.write("zz.txt", "1");
  const side = remote.commit("another side", { parents: [base] });
  remote.write(result, resultBy("second"));
  remote.commit("merge", { parents: [side, large] });
  expect(await commitsAtRest([two, code, late])).toEqual([0, 0, 0, 0, 0, 0]);
  for (const each of [two, code, late]) expect(textAt(each, result)).toContain('by: "first"');
});

const provisional = (task: string, agent: string): string =>
  formatClaim({ task, fence: 1, kind: "claim", agent, at: AT, nonce: `nonce${agent}`, provisional: true });

test.each([
  ["two that are provisional", (task: string) => [provisional(task, "a"), provisional(task, "b")]],
  ["two that are broken", () => [BROKEN, "z\n"]],
])("the first record of claims stands, of %s, though a second number came between them", async (_name, contents) => {
  const { hub, code, task, remote } = await opened();
  const [first, other] = contents(task) as [string, string];
  const at = `sessions/s-1/claims/${task}`;
  remote.write(`${at}/1.md`, first);
  remote.commit();
  await act(code, undefined, "sync");
  remote.write(`${at}/2.md`, formatClaim({ task, fence: 2, kind: "release", agent: "c", at: AT, nonce: "noncec" }));
  remote.commit();
  await act(code, undefined, "sync");
  remote.write(`${at}/1.md`, other);
  remote.commit();
  const late = await cloneOf(hub);
  expect(await commitsAtRest([late, code])).toEqual([0, 0, 0, 0]);
});

test("a claim never gives way to a broken record because a second number came with it", async () => {
  const { code, task, remote } = await opened();
  const at = `sessions/s-1/claims/${task}`;
  remote.write(`${at}/1.md`, provisional(task, "api"));
  remote.commit();
  await act(code, undefined, "sync");
  remote.write(`${at}/1.md`, BROKEN);
  remote.write(`${at}/2.md`, formatClaim({ task, fence: 2, kind: "release", agent: "api", at: AT, nonce: "noncec" }));
  remote.commit();
  await act(code, undefined, "sync");
  expect(textAt(code, `${at}/1.md`)).toBe(provisional(task, "api"));
});

test("a broken text is corrected by hand, in every clone, and check is content", async () => {
  const { hub, code, result, remote } = await opened();
  const two = await cloneOf(hub);
  remote.write(result, BROKEN);
  remote.commit();
  for (const each of [code, two]) await act(each, undefined, "sync");
  fs.writeFileSync(path.join(code, ".relay", result), resultBy("api"));
  expect(await commitsAtRest([code, two])).toEqual([0, 0, 0, 0]);
  for (const each of [code, two]) {
    expect(textAt(each, result)).toBe(resultBy("api"));
    expect(await act(each, undefined, "check")).toMatchObject({ ok: true });
  }
});

test("what is too large to be checked out did nothing, so that undo takes back nothing of those who went on", async () => {
  const { code, task, remote } = await opened();
  const claim = formatClaim({ task, fence: 1, kind: "claim", agent: "evil", at: AT, nonce: "nonceA" });
  remote.write(`sessions/s-1/claims/${task}/1.md`, `${claim}${"y".repeat(9_000)}`);
  const commit = remote.commit();
  await act(code, undefined, "sync");
  expect(await act(code, "api", "claim_task", { session_id: "s-1", task_id: task })).toMatchObject({ claimed: true });
  expect(await act(code, undefined, "undo", { commit })).toMatchObject({ undone: [] });
  expect(await act(code, undefined, "show_task", { session_id: "s-1", task_id: task }).catch(() => null)).not.toMatchObject({
    task: { status: "todo" },
  });
});
